"""The built site, page by page: structure, languages, stamps, addresses, policy."""

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import html5lib
import pytest
from bs4 import BeautifulSoup

from conftest import LANGUAGES, ROOT, TinySite, example_scripts, question_pages
from languages import LANGUAGES as NAMES

# The exception's message is the first line after the header that is not indented.
TRACEBACK = re.compile(r"^Traceback \(most recent call last\):\n(?:[ \t].*\n)*[\w.]+: (.+)$", re.MULTILINE)
Read = Callable[[str], BeautifulSoup]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=question_pages())
def question(request: pytest.FixtureRequest) -> str:
    return request.param


def pages(site: Path, language: str) -> list[str]:
    """Every HTML page of a language, relative to its folder."""
    return sorted(path.relative_to(site / language).as_posix() for path in (site / language).rglob("*.html"))


def test_a_question_has_its_parts(read: Read, language: str, question: str):
    main = read(f"{language}/{question}.html").find(id="furo-main-content")
    assert len(main.select("h1")) == 1
    assert len(main.select(".admonition.answer")) == 1
    assert len(main.select("details.admonition.followup")) >= 2
    assert not main.select("details.admonition.followup[open]")
    assert main.select("div.highlight-pycon")
    assert main.select("p.facts")


def test_every_question_was_verified(read: Read, language: str, question: str):
    stamps = read(f"{language}/{question}.html").select("p.stamp")
    assert len(stamps) == 1
    assert "verified" in stamps[0]["class"], f"docs/{question}.md is not verified in this build: run nox -s doctest, then nox -s docs"
    assert "2.13.0" in stamps[0].text


def test_both_languages_have_the_same_pages(site: Path):
    assert pages(site, "en") == pages(site, "zh_CN")
    assert f"{question_pages()[0]}.html" in pages(site, "en")


def test_every_question_is_listed_on_the_home_page(read: Read, language: str):
    links = {link["href"] for link in read(f"{language}/index.html").find(id="furo-main-content").select("ul.questions a")}
    assert links == {f"{page}.html" for page in question_pages()}


def test_every_myth_is_listed_with_its_right_sentence(read: Read, language: str):
    entries = read(f"{language}/myths.html").select("ul.myths > li")
    listed = [(entry.a["href"], entry.a.text) for entry in entries]
    wanted = []
    for page in question_pages():
        for box in read(f"{language}/{page}.html").select(".admonition.myth"):
            title = box.select_one(".admonition-title")
            title.select_one(".label").decompose()
            wanted.append((f"{page}.html#{box['id']}", title.text.strip()))
    assert sorted(listed) == sorted(wanted)
    rights = {"en": "Right:", "zh_CN": "正确的说法："}
    assert [entry.select("p")[-1].text for entry in entries if not entry.select("p")[-1].text.startswith(rights[language])] == []


def test_every_error_is_listed(read: Read, language: str):
    listed = {entry.code.text for entry in read(f"{language}/errors.html").select("ul.errors > li")}
    for page in question_pages():
        for block in read(f"{language}/{page}.html").select("div.highlight-pycon"):
            for message in TRACEBACK.findall(block.text):
                assert any(message.strip() in text for text in listed), f"{page}: {message}"


def test_language_of_every_page(site: Path, read: Read, language: str):
    other = next(code for code in LANGUAGES if code != language)
    for page in pages(site, language):
        tree = read(f"{language}/{page}")
        assert tree.html["lang"] == NAMES[language].tag, page
        [link] = tree.select(".languages a")
        target = (site / language / page).parent / link["href"]
        assert target.resolve() == (site / other / page).resolve(), f"{page}: the switcher leads to {link['href']}"
        assert link["hreflang"] == link["lang"] == NAMES[other].tag


def test_pages_describe_themselves(site: Path, read: Read, language: str):
    for page in question_pages():
        tree = read(f"{language}/{page}.html")
        description = tree.find("meta", attrs={"name": "description"})["content"]
        assert 20 < len(description) <= 201, page
        assert bool(re.search(r"[\u4e00-\u9fff]", description)) == (language == "zh_CN"), page
        assert tree.find("meta", property="og:title")["content"]
        assert tree.find("meta", attrs={"name": "keywords"})["content"]
        assert [link.text for link in tree.select("p.mend a")] == {
            "en": ["Report an error", "Edit this page"],
            "zh_CN": ["报告错误", "编辑此页"],
        }[language]


def test_edit_links_lead_to_the_source(site: Path, read: Read, language: str):
    for page in pages(site, language):
        for link in read(f"{language}/{page}").select("p.mend a"):
            if "/edit/main/" in link["href"]:
                source = ROOT / link["href"].partition("/edit/main/")[2]
                assert source.exists(), f"{page} says that it can be edited in {source}"


def test_no_english_is_left_in_the_interface(read: Read):
    tree = read(f"zh_CN/{question_pages()[0]}.html")
    texts = " ".join(tree.find(id="furo-main-content").select_one(".page-foot").stripped_strings)
    labels = [element["aria-label"] for element in tree.select("[aria-label]")]
    labels += [element.get("placeholder", "") for element in tree.select("input")]
    english = [label for label in [*labels, texts] if label and not re.search(r"[\u4e00-\u9fff]", label)]
    assert english == []


def test_every_internal_link_and_image_exists(site: Path, read: Read, language: str):
    broken = []
    for page in pages(site, language):
        folder = (site / language / page).parent
        tree = read(f"{language}/{page}")
        addresses = [link["href"] for link in tree.select("a[href], link[href]")] + [image["src"] for image in tree.select("[src]")]
        for address in addresses:
            path, _, anchor = address.partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (folder / path.partition("?")[0]).resolve() if path else (site / language / page)
            if not target.exists():
                broken.append(f"{page}: {address}")
            elif anchor and target.suffix == ".html" and anchor not in ids(target):
                broken.append(f"{page}: {address} has no such anchor")
    assert broken == []


CACHE: dict[Path, set[str]] = {}


def ids(path: Path) -> set[str]:
    """The anchors of a page; the empty one is the top."""
    if path not in CACHE:
        tree = BeautifulSoup(path.read_text("utf-8"), "html.parser")
        CACHE[path] = {element["id"] for element in tree.select("[id]")}
    return CACHE[path]


def test_no_id_twice(site: Path, read: Read, language: str):
    for page in pages(site, language):
        names = [element["id"] for element in read(f"{language}/{page}").select("[id]")]
        assert sorted(names) == sorted(set(names)), page


def test_html_is_well_formed(site: Path, language: str):
    """No tag is left open, closed twice, or where it may not be: html5lib reads as browsers do, and says what they forgive."""
    for page in pages(site, language):
        parser = html5lib.HTMLParser()
        parser.parse((site / language / page).read_text("utf-8"))
        assert parser.errors == [], f"{language}/{page}: ((line, column), fault, details)"


def test_nothing_is_loaded_from_elsewhere(site: Path, read: Read, language: str):
    for page in pages(site, language):
        tree = read(f"{language}/{page}")
        loaded = [element.get("src") or element.get("href") for element in tree.select("script[src], img[src], link[rel=stylesheet]")]
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], page
        policy = tree.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
        assert "default-src 'self'" in policy and "sha256-" in policy, page


def test_files_are_loaded_where_they_are_used(read: Read):
    def sheets(page: str) -> str:
        return " ".join(link["href"] for link in read(f"en/{page}").select("link[rel=stylesheet]"))

    gallery = "auto_examples/" + example_scripts()[0].with_suffix(".html").as_posix()
    assert "sg_gallery.css" in sheets(gallery)
    assert "sg_gallery" not in sheets("index.html")
    assert "maths.css" in sheets("questions/layers/batchnorm.html")
    assert "maths.css" not in sheets("index.html")
    scripts = {
        page: " ".join(script["src"] for script in read(f"en/{page}").select("script[src]")) for page in ("index.html", "practice.html")
    }
    assert "copybutton" in scripts["index.html"] and "copybutton" in sheets("index.html")
    assert not re.search("copybutton|clipboard", scripts["practice.html"] + sheets("practice.html"))
    assert "sg-tags" not in scripts["index.html"]


def test_root_leads_to_both_languages(site: Path, read: Read):
    assert {link["href"] for link in read("index.html").select("a")} == {f"{code}/index.html" for code in LANGUAGES}
    assert (site / "choose-language.js").exists()
    assert (site / ".nojekyll").exists()
    assert [link["href"] for link in read("404.html").select("a")] == [
        f"/{code}/{page}.html" for code in LANGUAGES for page in ("index", "search")
    ]


def test_no_address_without_site_url(read: Read):
    tree = read("en/index.html")
    assert not tree.select("link[rel=canonical], link[rel=alternate]")


def test_addresses_with_site_url(tiny: TinySite, tmp_path: Path):
    """A project page of GitHub Pages: a host and a sub-path, here without the slash at its end."""
    tiny.question("one")
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0", env={"SITE_URL": "https://example.org/sub"})
    assert built.returncode == 0, built.output
    tree = BeautifulSoup((built.folder / "questions/topic/one.html").read_text("utf-8"), "html.parser")
    base = "https://example.org/sub"
    assert tree.find("link", rel="canonical")["href"] == f"{base}/en/questions/topic/one.html"
    assert {link["hreflang"]: link["href"] for link in tree.select("link[rel=alternate]")} == {
        "en": f"{base}/en/questions/topic/one.html",
        "zh-CN": f"{base}/zh_CN/questions/topic/one.html",
        "x-default": f"{base}/en/questions/topic/one.html",
    }
    assert tree.find("meta", property="og:image")["content"] == f"{base}/en/_static/social-card-en.png"
    locations = [element.text for element in ElementTree.parse(built.folder / "sitemap.xml").iter() if element.tag.endswith("}loc")]
    assert f"{base}/en/questions/topic/one.html" in locations
    assert len(locations) == len(set(locations)) == 5  # home, the question, the gallery's three


def test_root_pages_with_site_url(tmp_path: Path):
    import site_root

    site_root.write(tmp_path, "https://example.org/sub")
    assert 'href="/sub/en/index.html"' in (tmp_path / "404.html").read_text("utf-8")
    assert '<link rel="canonical" href="https://example.org/sub/">' in (tmp_path / "index.html").read_text("utf-8")
    assert "Sitemap: https://example.org/sub/zh_CN/sitemap.xml" in (tmp_path / "robots.txt").read_text("utf-8")


def test_site_url_must_be_an_address(tiny: TinySite):
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0", env={"SITE_URL": "example.org"})
    assert built.returncode != 0
    built.line("SITE_URL must begin with https:// or http://, not 'example.org'")


def test_stamp_follows_the_record(tiny: TinySite):
    """Not verified; verified by a doctest run; not verified again as soon as the page changes."""
    page = tiny.question("one")

    def stamp() -> str:
        built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
        assert built.returncode == 0, built.output
        return BeautifulSoup((built.folder / "questions/topic/one.html").read_text("utf-8"), "html.parser").select_one("p.stamp").text

    assert stamp() == "Not verified in this build."
    assert tiny.build("doctest", "en", "-q", "-D", "plot_gallery=0").returncode == 0
    assert stamp().startswith("Verified with torch 2.13.0: 2 examples on this page ran")
    page.write_text(page.read_text("utf-8") + "\nMore.\n", "utf-8")
    assert stamp() == "Not verified in this build."
