"""The PDFs, read by poppler's tools and pikepdf, and pages of them as pictures."""

import re
import subprocess
import unicodedata
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pikepdf
import pytest
from PIL import Image

import export_pdf
from conftest import LANGUAGES, question_pages
from languages import LANGUAGES as NAMES
from made import answer, has_maths, made, page, squeezed, title

NAMESPACE = {"x": "http://www.w3.org/1999/xhtml"}
POINTS = 72 / 25.4  # points in a millimetre


def name(kind: str, language: str) -> str:
    return {"book": f"pytorch-interview-{language}.pdf", "sheet": f"pytorch-interview-cheat-sheet-{language}.pdf"}[kind]


FILES = [(kind, language) for kind in ("book", "sheet") for language in LANGUAGES]


@cache
def texts(file: str) -> list[str]:
    """The text of each page, in the order of the page's making; a number at its foot, which comes first, is left out."""
    done = subprocess.run(["pdftotext", "-raw", str(made(file)), "-"], capture_output=True, text=True, check=True)
    pages = done.stdout.split("\f")[:-1]
    return [text.removeprefix(f"{number}\n").removeprefix(f"{number} / {len(pages)}\n") for number, text in enumerate(pages, start=1)]


def fonts(path: Path) -> list[dict[str, str]]:
    """The table that pdffonts prints, a dictionary a font."""
    lines = subprocess.run(["pdffonts", str(path)], capture_output=True, text=True, check=True).stdout.splitlines()
    rule = lines[1]
    spans = [match.span() for match in re.finditer("-+", rule)]
    heads = [lines[0][start:end].strip() for start, end in spans]
    return [dict(zip(heads, (line[start:end].strip() for start, end in spans), strict=True)) for line in lines[2:]]


def outline(pdf: pikepdf.Pdf) -> list[tuple[int, str]]:
    """The outline's entries with their ranks."""
    found = []

    def visit(items: list[pikepdf.OutlineItem], rank: int) -> None:
        for item in items:
            found.append((rank, str(item.title)))
            visit(item.children, rank + 1)

    with pdf.open_outline() as tree:
        visit(tree.root, 1)
    return found


@pytest.mark.parametrize(("kind", "language"), FILES)
def test_fonts_are_embedded_and_text_can_be_searched(kind: str, language: str):
    table = fonts(made(name(kind, language)))
    assert [font for font in table if font["emb"] != "yes" or font["uni"] != "yes"] == []
    assert any("STIXTwoMath" in font["name"] for font in table)


def test_a_font_that_is_not_embedded_would_be_found(tmp_path: Path):
    path = tmp_path / "plain.pdf"
    with pikepdf.new() as pdf:
        font = pikepdf.Dictionary(Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name.Helvetica)
        pdf.add_blank_page().Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
        pdf.save(path)
    assert [font["emb"] for font in fonts(path)] == ["no"]


@pytest.mark.parametrize(("kind", "language"), FILES)
def test_what_a_library_shows(kind: str, language: str):
    with pikepdf.open(made(name(kind, language))) as pdf:
        assert str(pdf.docinfo["/Title"]).startswith(NAMES[language].title)
        assert pdf.docinfo["/Author"]
        assert pdf.Root.Lang == NAMES[language].tag
        assert "/StructTreeRoot" in pdf.Root, "a screen reader needs the structure"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_outline_names_every_question(language: str):
    with pikepdf.open(made(name("book", language))) as pdf:
        found = {squeezed(text) for rank, text in outline(pdf) if rank == 2}
        assert {title(language, docname) for docname in question_pages()} <= found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_contents_say_the_right_pages(language: str):
    """Each question begins on the page that the contents name."""
    pages = texts(name("book", language))
    contents = squeezed("".join(pages[1:4]))
    for docname in question_pages():
        [number] = set(re.findall(re.escape(title(language, docname)) + r"(\d+?)(?=\D|$)", contents)) or {None}
        assert number, f"{docname} is not in the contents"
        assert title(language, docname) in squeezed(pages[int(number) - 1]), f"{docname} does not begin on page {number}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_have_numbers(language: str):
    done = subprocess.run(["pdftotext", "-raw", str(made(name("book", language))), "-"], capture_output=True, text=True, check=True)
    first = [text.partition("\n")[0] for text in done.stdout.split("\f")[:-1]]
    assert first[1:] == [str(number) for number in range(2, len(first) + 1)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_links_inside_lead_somewhere(language: str):
    with pikepdf.open(made(name("book", language))) as pdf:
        places = set(pdf.Root.Dests.keys())
        annotations = [note for page in pdf.pages for note in page.get("/Annots", []) if note.get("/Subtype") == "/Link"]
        inside = [note for note in annotations if "/Dest" in note]
        assert len(inside) > 100
        assert {str(note.Dest) for note in inside if isinstance(note.Dest, pikepdf.Name)} <= places
        outside = [str(note.A.URI) for note in annotations if "/A" in note and "/URI" in note.A]
        assert [uri for uri in outside if not re.match("https?:", uri)] == []


@pytest.mark.parametrize(("kind", "language"), FILES)
def test_every_answer_is_there(kind: str, language: str):
    """Those with formulas are left out, since pdftotext reads formulas in an order of its own."""
    whole = squeezed("".join(texts(name(kind, language))))
    for docname in question_pages():
        assert title(language, docname) in whole, docname
        if not has_maths(language, docname):
            assert answer(language, docname) in whole, docname


@pytest.mark.parametrize("language", LANGUAGES)
def test_code_and_formulas_are_intact(language: str):
    whole = squeezed("".join(texts(name("book", language))))
    for docname in question_pages():
        lines = [line for block in page(language, docname).select("div.highlight-pycon pre") for line in block.get_text().splitlines()]
        assert [line for line in lines if squeezed(line) not in whole] == [], docname
    # Mathematical italics are letters of their own in Unicode: NFKC makes 𝛾 a γ.
    assert {"γ", "β", "μ", "σ", "√", "∑"} <= set(unicodedata.normalize("NFKC", whole))


@pytest.mark.parametrize(("kind", "language"), FILES)
def test_nothing_runs_off_the_page(kind: str, language: str):
    """No word lies outside the margins."""
    done = subprocess.run(["pdftotext", "-bbox", str(made(name(kind, language))), "-"], capture_output=True, text=True, check=True)
    text = re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", done.stdout)
    margin = (17 if kind == "book" else 7.5) * POINTS
    outside = []
    for number, sheet in enumerate(ElementTree.fromstring(text).iterfind(".//x:page", NAMESPACE), start=1):
        width = float(sheet.get("width"))
        for word in sheet.iterfind("x:word", NAMESPACE):
            if float(word.get("xMin")) < margin - 3 or float(word.get("xMax")) > width - margin + 3:
                outside.append((number, word.text))
    assert outside == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_cheat_sheet_has_two_pages(language: str):
    with pikepdf.open(made(name("sheet", language))) as pdf:
        assert len(pdf.pages) <= 2
        width, height = (float(value) for value in pdf.pages[0].mediabox[2:])
    assert (round(width / POINTS), round(height / POINTS)) == (297, 210)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_as_a_picture(tmp_path: Path, language: str):
    """The page on BatchNorm, as a printer sees it: ink in the middle, none in the margins, and a box in the colour of answers."""
    path = made(name("book", language))
    number = export_pdf.page_numbers(path, ["layers-batchnorm"])["layers-batchnorm"]
    subprocess.run(["pdftoppm", "-r", "40", "-png", "-f", str(number), "-l", str(number), str(path), str(tmp_path / "page")], check=True)
    [file] = tmp_path.glob("page*.png")
    picture = Image.open(file).convert("RGB")
    left = picture.crop((0, 0, round(15 / 25.4 * 40), picture.height))
    assert left.getextrema() == ((255, 255),) * 3
    colours = {colour for _, colour in picture.getcolors(picture.width * picture.height)}
    assert (239, 247, 246) in colours, "the answer's box"
    grey = picture.convert("L")
    assert sum(grey.histogram()[:128]) > 0.01 * picture.width * picture.height


def test_contents_that_name_a_lost_chapter_stop_the_export():
    with pytest.raises(SystemExit, match="no-such-chapter"):
        export_pdf.page_numbers(made(name("book", "en")), ["no-such-chapter"])
