"""Side by side: every text has its partner in the other language, and a reader can show it, keep it and turn it off again."""
# ruff: noqa: F811

import gzip
import json
import re
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser, Page, expect

from conftest import LANGUAGES, Tab, TinySite, example_scripts, question_pages
from languages import LANGUAGES as NAMES
from side_by_side import key
from test_browser import language, violations  # noqa: F401

EXAMPLES = [f"auto_examples/{path.with_suffix('').as_posix()}" for path in example_scripts()]
PAGES = question_pages() + EXAMPLES
QUESTION = "questions/autograd/detach"
# Generated and the same on every page: downloads, and what the gallery says of itself
APART = ".sphx-glr-footer, .sphx-glr-signature, .sphx-glr-download-link-note, .page-foot, .study-tools, .highlight, .sphx-glr-horizontal"
SWITCH = ".both-languages"


def other(code: str) -> str:
    return next(each for each in LANGUAGES if each != code)


def data(site: Path, code: str, docname: str) -> dict[str, str]:
    """What the pages of the other language may show of this one."""
    text = (site / code / "_static" / "side" / f"{docname}.js").read_text("utf-8")
    return json.loads(text.removeprefix("window.sideBySide = ").removesuffix(";\n"))


def keys(element: Tag) -> list[str]:
    return [name.removeprefix("side-") for name in element.get("class", []) if name.startswith("side-")]


def blocks(tree: BeautifulSoup) -> list[Tag]:
    """The paragraphs, headings, list items, table cells, captions and summaries of a page that show text of their own."""
    article = tree.find(id="furo-main-content")
    for element in article.select(APART):
        element.decompose()
    names = ["p", "h1", "h2", "h3", "h4", "h5", "h6", "li", "td", "th", "figcaption", "caption", "summary", "dt"]
    return [element for element in article.find_all(names) if element.get_text(strip=True) and not element.find(names)]


@pytest.mark.parametrize("docname", PAGES)
def test_every_text_has_its_partner(site: Path, docname: str):
    trees = {code: BeautifulSoup((site / code / f"{docname}.html").read_text("utf-8"), "html.parser") for code in LANGUAGES}
    found = {code: [(element.name, (keys(element) or keys(element.find("span")))) for element in blocks(trees[code])] for code in LANGUAGES}
    assert len(found["en"]) > 5
    assert [name for name, names in found["en"] if len(names) != 1] == []
    assert found["en"] == found["zh_CN"], "the same texts in the same order"
    for code in LANGUAGES:
        partners = data(site, other(code), docname)
        for element in trees[code].find(id="furo-main-content").select('[class*="side-"]'):
            for name in keys(element):
                assert name in partners, element
                here, there = element.get_text(), text_of(partners[name])
                chinese = there if code == "en" else here
                assert re.search(r"[\u4e00-\u9fff]", chinese) or plain(here) == plain(there), f"{docname}: {here!r} and {there!r}"


def text_of(html: str) -> str:
    return BeautifulSoup(html, "html.parser").get_text()


def plain(text: str) -> str:
    """What is left without spaces and punctuation."""
    return re.sub(r"[\W_]", "", text).lower()


@pytest.mark.parametrize("docname", PAGES)
def test_links_in_the_partners_lead_somewhere(site: Path, docname: str):
    """A partner's links are followed from the page that shows it; no partner brings an anchor of its own."""
    for code in LANGUAGES:
        for text in data(site, other(code), docname).values():
            tree = BeautifulSoup(text, "html.parser")
            assert not tree.select("[id], .headerlink, script")
            for link in tree.select("[href], [src]"):
                path, _, anchor = (link.get("href") or link.get("src")).partition("#")
                if re.match(r"[a-z]+:", path):
                    continue
                target = (site / code / docname).parent / path if path else site / code / f"{docname}.html"
                assert target.exists(), f"{code}/{docname}: {link}"
                assert not anchor or f'id="{anchor}"' in target.read_text("utf-8"), f"{code}/{docname}: {link}"


def linked(site: Path, page: Path, html: str) -> int:
    """The weight of a page with its scripts and stylesheets, in bytes, compressed."""
    tree = BeautifulSoup(html, "html.parser")
    files = {element.get("src") or element["href"] for element in tree.select("script[src], link[rel=stylesheet]")}
    return len(gzip.compress(html.encode(), mtime=0)) + sum(weight((page.parent / name.partition("?")[0]).resolve()) for name in files)


@cache
def weight(path: Path) -> int:
    return len(gzip.compress(path.read_bytes(), mtime=0))


def test_it_costs_little_while_it_is_off(site: Path):
    for code in LANGUAGES:
        for docname in PAGES:
            page = site / code / f"{docname}.html"
            html = page.read_text("utf-8")
            without = re.sub(r'<script[^>]*side_by_side\.js[^>]*></script>|<div class="study-tools".*?</div>', "", html)
            without = re.sub(r' class="side-\w+"|side-\w+ | side-\w+(?=")', "", without)
            assert not re.search(r'class="[^"]*side-', without)
            assert len(without) < len(html) - 500
            growth = linked(site, page, html) / linked(site, page, without)
            assert growth <= 1.15, f"{code}/{docname} grows by {growth - 1:.1%}"


def shown(page: Page) -> int:
    return page.locator("article .side").count()


def asked_for(page: Page) -> list[str]:
    """The addresses of partners that the page has loaded."""
    return page.evaluate("performance.getEntriesByType('resource').map(each => each.name).filter(name => name.includes('/side/'))")


@pytest.mark.parametrize("docname", [QUESTION, "questions/distributed/dp-vs-ddp", EXAMPLES[0]])
def test_a_reader_shows_it_and_turns_it_off(tab: Tab, language: str, docname: str):
    page = tab()
    page.goto(f"/{language}/{docname}.html")
    switch = page.locator(SWITCH)
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert shown(page) == 0 and asked_for(page) == []
    for mark in page.locator(".study-tools [data-mark]").all():  # these appear once the browser's database is open
        expect(mark).to_be_visible()
    before = page.locator("article").inner_text()
    switch.click()
    expect(switch).to_have_attribute("aria-pressed", "true")
    tag = NAMES[other(language)].tag
    heading = page.locator("article h1 .side")
    expect(heading).to_have_attribute("lang", tag)
    assert bool(re.search(r"[\u4e00-\u9fff]", heading.inner_text())) == (language == "en")
    assert page.locator(f"article .side:not([lang='{tag}'])").count() == 0
    assert page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id).filter((id, i, all) => all.indexOf(id) != i)") == []
    assert page.evaluate("[...document.querySelectorAll('.side')].filter(e => e.textContent.trim() == '').length") == 0
    assert len(asked_for(page)) == 1
    switch.press("Space")
    expect(switch).to_have_attribute("aria-pressed", "false")
    assert shown(page) == 0
    page.mouse.move(0, 0)  # the page has moved under the pointer: a heading below it would show its anchor, ¶
    expect(page.locator("article")).to_have_text(before, use_inner_text=True)
    assert page.locator("article").inner_text() == before  # to the last space


def test_tables_lists_captions_and_folded_titles(tab: Tab):
    page = tab()
    page.goto("/zh_CN/questions/distributed/dp-vs-ddp.html")
    page.locator(SWITCH).click()
    for place in ("td", "li", "summary", ".admonition.answer > p", ".admonition.myth > .admonition-title", "h2"):
        expect(page.locator(f"article {place} .side").first).to_have_attribute("lang", "en")
    # A name of the API is not said twice.
    assert page.locator("thead th .side").count() == 0
    page.goto("/zh_CN/questions/losses/cross-entropy.html")
    expect(page.locator("article p .side math").first).to_be_visible()
    assert page.locator("article p .side code").count() > 5


def test_it_is_remembered_everywhere(tab: Tab):
    page = tab()
    page.goto(f"/en/{QUESTION}.html")
    page.locator(SWITCH).click()
    expect(page.locator("h1 .side")).to_be_visible()
    for path in (f"/en/{QUESTION}.html", f"/zh_CN/{EXAMPLES[0]}.html", "/zh_CN/questions/layers/batchnorm.html"):
        page.goto(path)
        expect(page.locator("h1 .side")).to_be_visible()
    second = page.context.new_page()
    second.goto(f"/en/{QUESTION}.html")
    second.locator(SWITCH).click()
    expect(page.locator("h1 .side")).to_have_count(0)
    page.reload()
    expect(page.locator(SWITCH)).to_be_visible()
    assert shown(page) == 0


def test_a_link_to_a_box_still_leads_there(tab: Tab, site: Path):
    tree = BeautifulSoup((site / "en" / f"{QUESTION}.html").read_text("utf-8"), "html.parser")
    anchor = tree.select("details.followup")[-1]["id"]
    page = tab()
    page.goto(f"/en/{QUESTION}.html")
    page.locator(SWITCH).click()
    expect(page.locator("h1 .side")).to_be_visible()
    page.goto("/en/index.html")
    page.goto(f"/en/{QUESTION}.html#{anchor}")
    expect(page.locator("h1 .side")).to_be_attached()
    expect(page.locator(f"[id='{anchor}'] summary")).to_be_in_viewport()


def test_from_disk(tab: Tab, site: Path, language: str):
    page = tab()
    page.goto((site / language / f"{QUESTION}.html").as_uri())
    page.locator(SWITCH).click()
    expect(page.locator("h1 .side")).to_have_attribute("lang", NAMES[other(language)].tag)


def test_without_the_other_language(browser: Browser, address: str, language: str):
    """The reader is told, the switch does not pretend, and another click tries again."""
    page = browser.new_page(base_url=address, service_workers="block")
    page.route("**/_static/side/**", lambda route: route.abort())
    page.goto(f"/{language}/{QUESTION}.html")
    page.locator(SWITCH).click()
    expect(page.locator(".study-tools [role=status]")).to_contain_text({"en": "could not be loaded", "zh_CN": "未能载入"}[language])
    expect(page.locator(SWITCH)).to_have_attribute("aria-pressed", "false")
    page.unroute_all()
    page.locator(SWITCH).click()
    expect(page.locator("h1 .side")).to_be_visible()
    expect(page.locator(".study-tools [role=status]")).to_be_empty()
    page.close()


@pytest.mark.parametrize("width", [1280, 375])
def test_accessibility_side_by_side(tab: Tab, language: str, width: int):
    page = tab(width)
    for docname in (QUESTION, "questions/distributed/dp-vs-ddp", EXAMPLES[0]):
        page.emulate_media(color_scheme="light")
        page.goto(f"/{language}/{docname}.html")
        if not shown(page):
            page.locator(SWITCH).click()
        expect(page.locator("h1 .side")).to_be_visible()
        page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
        assert violations(page, {}) == [], docname
        page.emulate_media(color_scheme="dark")
        assert violations(page, {"runOnly": ["color-contrast"]}) == [], docname
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        page.evaluate("localStorage.clear()")


def test_search_indexes_a_text_in_its_own_language_alone(site: Path):
    """What a reader may show below a text is in no record of the index, which would find a page twice."""
    index = (site / "en" / "_static" / "search-index.js").read_text("utf-8").partition("window.SEARCH_INDEX = ")[2].rstrip(";\n")
    records = [record for page in json.loads(index)["pages"] if page["kind"] == "question" for record in page["records"]]
    assert len(records) > 100
    assert not [record for record in records if "反向传播" in record.get("text", "")]


def test_without_javascript(tab: Tab):
    page = tab(java_script_enabled=False)
    page.goto(f"/en/{QUESTION}.html")
    expect(page.locator(SWITCH)).to_be_hidden()


def test_two_messages_with_one_key_are_told_apart(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("side_by_side.DIGITS", 0)
    taken: dict[str, str] = {}
    assert [key(message, taken) for message in ("one", "two", "one", "three")] == ["", "x", "", "xx"]


CATALOG = """\
msgid ""
msgstr "Content-Type: text/plain; charset=utf-8\\n"

msgid "What is one?"
msgstr "一是什么？"

msgid "One is the first `number` of `all`."
msgstr "在 `all` 之中，一是第一个 `number`。"

msgid "More since then."
msgstr "从那以后更多。"
"""


def test_partners_of_planted_texts(tiny: TinySite):
    """A translation that turns its code spans around; a version's label; a text that has changed since; a page that goes."""
    changes = {
        "answer_text": "One is the first `number` of `all`.",
        "right": "Right: one is one.\n\n```{versionchanged} torch 0.4\nMore since then.\n```\n\nRight: one is one.",
    }
    page = tiny.question("one", **changes)
    tiny.write("docs/locale/zh_CN/LC_MESSAGES/questions/topic/one.po", CATALOG)

    def build() -> tuple[dict[str, str], dict[str, str]]:
        built = [tiny.build("html", code, "-q", "-D", "plot_gallery=0", "-D", "catalogs_check=0") for code in LANGUAGES]
        assert not [each.output for each in built if "side_by_side" in each.output]
        return tuple(data(each.folder.parent, code, "questions/topic/one") for each, code in zip(built, LANGUAGES, strict=True))

    english, chinese = build()
    assert english.keys() == chinese.keys()
    pairs = {text_of(english[name]): text_of(chinese[name]) for name in english}
    assert pairs["One is the first number of all."] == "在 all 之中，一是第一个 number。"
    assert pairs["Changed in version torch 0.4: More since then."].endswith("从那以后更多。")
    assert pairs["Right: one is one."] == "Right: one is one."
    page.write_text(page.read_text("utf-8").replace("What is one?", "What is number one?"), "utf-8")
    assert tiny.build("html", "en", "-q", "-D", "plot_gallery=0").returncode == 0
    newer = data(tiny.folder / "out" / "html", "en", "questions/topic/one")
    [title] = [name for name, text in newer.items() if text == "What is number one?"]
    assert title not in chinese, "the Chinese site, older, has no partner for it, and shows none"
    page.unlink()
    tiny.question("two")
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
    assert built.returncode == 0, built.output
    assert [path.stem for path in (built.folder / "_static" / "side" / "questions").rglob("*.js")] == ["two"]
