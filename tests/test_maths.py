"""Maths: Temml's MathML, its place on the page, its font."""

import re
import subprocess
import sys
import unicodedata
from hashlib import sha256
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from maths import mathml

ROOT = Path(__file__).parents[1]
EXT = ROOT / "docs" / "_ext"
STATIC = ROOT / "docs" / "_static" / "maths"
FONT = STATIC / "stix-two-math.woff2"

# A browser draws a lone letter in <mi> in italics: https://www.w3.org/TR/mathml-core/#italic-mappings
ITALIC = {
    chr(int(unicodedata.decomposition(chr(c)).split()[-1], 16)): chr(c)
    for c in (*range(0x1D434, 0x1D468), *range(0x1D6E2, 0x1D71C))
    if unicodedata.decomposition(chr(c))
}
ITALIC["h"] = "\N{PLANCK CONSTANT}"

CONF = """
import sys
sys.path.insert(0, {ext!r})
extensions = ["myst_parser", "maths"]
myst_enable_extensions = ["dollarmath", "amsmath"]
html_theme = {theme!r}
html_static_path = [{static!r}]
html_math_renderer = "mathml"
"""


def sphinx(source, pages, *options, theme="basic"):
    """Build *pages*, a text by name, as strictly and as parallel as the site is built."""
    source.mkdir()
    for name, text in pages.items():
        (source / f"{name}.md").write_text(text, "utf-8")
    (source / "conf.py").write_text(CONF.format(ext=str(EXT), static=str(STATIC.parent), theme=theme), "utf-8")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "3", *options, ".", "out"],
        cwd=source,
        capture_output=True,
        text=True,
        timeout=120,
    )


# Formulas


@pytest.mark.parametrize(
    ("tex", "display", "selector"),
    [
        (r"\frac{a}{b}", False, "mfrac > mi + mi"),
        (r"\sqrt{d_k}", False, "msqrt > msub"),
        (r"\operatorname*{argmin}_\theta f", True, "munder > mi + mi"),
        (r"\operatorname*{argmin}_\theta f", False, "msub > mi + mi"),
        (r"\sum_{i=1}^n x_i", True, "munderover"),
        (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", True, "mtr + mtr > mtd + mtd"),
        (r"y_i\log p", False, "msub + mrow > mspace:first-child + mi"),
    ],
)
def test_mathml_means_what_the_tex_means(tex, display, selector):
    assert BeautifulSoup(mathml(tex, display), "html.parser").select(selector)


def test_the_tex_is_not_in_the_page():
    assert "annotation" not in mathml(r"\frac{a}{b}", True)
    assert "frac{" not in mathml(r"\frac{a}{b}", True)


@pytest.mark.parametrize(
    ("tex", "message"),
    [
        (r"\frac{a", "expected '}'"),
        (r"\oops{x}", r"\oops"),
        (r"50% of x", r"write \%"),
    ],
)
def test_unsound_tex_is_refused(tex, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        mathml(tex, False)


# Pages


@pytest.fixture(scope="module")
def little_site(tmp_path_factory):
    source = tmp_path_factory.mktemp("maths") / "docs"
    names = ["plain", *(f"page{i}" for i in range(6))]
    result = sphinx(
        source,
        {
            "index": "# Maths\n\nA root ($\\sqrt{x}$), see {eq}`loss`.\n\n$$\na &= b \\\\\n  &= c\n$$ (loss)\n\n"
            "\\begin{align}\na &= b\n\\end{align}\n\n```{toctree}\n" + "\n".join(names) + "\n```\n",
            **{name: f"# {name}\n\n$$x^{i}$$\n" for i, name in enumerate(names)},
            "plain": "# Plain\n\nNo maths.\n",
        },
        theme="furo",
    )
    assert result.returncode == 0, result.stderr
    return {page.stem: BeautifulSoup(page.read_text("utf-8"), "html.parser") for page in (source / "out").glob("*.html")}


def test_every_process_typesets(little_site):
    assert all(little_site[f"page{i}"].select("div.math math msup") for i in range(6))


def test_only_pages_with_maths_load_the_stylesheet(little_site):
    def loads(page):
        return bool(page.select('link[href*="maths.css"]'))

    assert loads(little_site["index"]) and loads(little_site["page5"]) and not loads(little_site["plain"])


def test_a_displayed_formula_is_a_named_box_that_can_be_focused(little_site):
    boxes = little_site["index"].select("div.math > .formula")
    assert len(boxes) == 2
    assert all((box["role"], box["tabindex"], box["aria-label"]) == ("group", "0", "Formula") for box in boxes)


def test_equations_are_numbered_once_and_can_be_linked_to(little_site):
    page = little_site["index"]
    assert [number.text[:3] for number in page.select("div.math > .eqno")] == ["(1)", "(2)"]
    assert len(page.select("#equation-loss")) == 1
    assert page.select_one('a.reference[href="#equation-loss"]').text == "(1)"
    assert not page.select(".tml-eqn")


def test_a_bracket_stays_with_its_formula(little_site):
    assert little_site["index"].select_one("span.math").contents[0] == "("


def test_lines_align_at_the_ampersand(little_site):
    lines = little_site["index"].select("#equation-loss mtr")
    assert [[cell.text for cell in line.select("mtd")][:2] for line in lines[-2:]] == [["a", "=b"], ["", "=c"]]


@pytest.mark.parametrize("formula", [r"$\frac{a$", "$$\n\\frac{a\n$$"])
def test_a_broken_formula_fails_the_build_at_its_line(tmp_path, formula):
    result = sphinx(tmp_path / "docs", {"index": f"# Broken\n\nFirst.\n\n{formula}\n"})
    assert result.returncode == 1
    assert re.search(r"index\.md:5: WARNING: cannot typeset the formula .*frac\{a.*expected '}'", result.stderr), result.stderr


@pytest.mark.parametrize("builder", ["gettext", "text"])
def test_other_builders_do_not_mind(tmp_path, builder):
    result = sphinx(tmp_path / "docs", {"index": "# Maths\n\n$x$\n\n$$y$$\n"}, "-b", builder)
    assert result.returncode == 0, result.stderr


# The font


def undrawn(page, cmap):
    """The characters in the formulas of *page* that a font with *cmap* can't draw."""
    drawn = set()
    for math in page.find_all("math"):
        for leaf in math.find_all(["mi", "mn", "mo", "mtext", "ms"]):
            text = leaf.text.strip()
            drawn |= set(ITALIC.get(text, text) if leaf.name == "mi" and leaf.get("mathvariant") != "normal" else text)
    return sorted(c for c in drawn if ord(c) not in cmap and not c.isspace())


@pytest.fixture(scope="module")
def cmap():
    return TTFont(FONT).getBestCmap()


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("<mi>x</mi>", []),
        ("<mtext>损失</mtext>", ["失", "损"]),
        ("<mi>θ</mi><mi>ϵ</mi><mo>≠</mo><mn>𝟏</mn>", []),
        ("<mo>♞</mo>", ["♞"]),
    ],
)
def test_undrawn_finds_what_the_font_lacks(cmap, formula, expected):
    assert undrawn(BeautifulSoup(f"<p>♞</p><math>{formula}</math>", "html.parser"), cmap) == expected


def test_a_lone_letter_is_looked_up_in_italics():
    page = BeautifulSoup('<math><mi>x</mi><mi mathvariant="normal">y</mi><mi>log</mi></math>', "html.parser")
    assert undrawn(page, {ord(c) for c in "xylog"}) == ["𝑥"]


def test_the_font_draws_every_formula_of_the_site(site, cmap):
    pages = list(site.glob("*/**/*.html"))
    assert pages, f"no pages in {site}: run nox -s docs"
    lacking = [
        f"{page.relative_to(site)}: {c} (U+{ord(c):04X})"
        for page in pages
        if "<math" in (text := page.read_text("utf-8"))
        for c in undrawn(BeautifulSoup(text, "html.parser"), cmap)
    ]
    assert not lacking, (
        "the maths font lacks characters. Move words out of the formula, or add the character to the font "
        "as docs/_ext/vendor/README.md says:\n" + "\n".join(lacking)
    )


def test_the_font_can_stretch():
    assert TTFont(FONT)["MATH"].table.MathVariants.VertGlyphConstruction


def test_vendored_files_are_what_the_readme_says():
    readme = (EXT / "vendor" / "README.md").read_text("utf-8")
    for file in (EXT / "vendor" / "temml.min.js", FONT):
        assert sha256(file.read_bytes()).hexdigest() in readme, f"{file.name}: note version and checksum in vendor/README.md"


def test_licences_are_shipped():
    assert "MIT License" in (EXT / "vendor" / "temml.LICENSE.txt").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in (STATIC / "stix-two-math.LICENSE.txt").read_text("utf-8")


def test_the_stylesheet_asks_only_for_files_beside_it():
    urls = re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", (STATIC / "maths.css").read_text("utf-8"))
    assert urls and all((STATIC / url).is_file() for url in urls)
