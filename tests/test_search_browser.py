"""Search and the home page's list in a real browser: what is typed, what the keyboard and a thumb do, what a screen reader is told."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from conftest import LANGUAGES, Tab
from test_browser import QUESTION, violations
from test_site import ids

TYPED = {
    "en": {
        "why do i need zero_grad": "questions/training/missing-zero-grad.html",
        "difference between model.eval() and no_grad": "questions/modules/train-vs-eval.html",
        "显存不足怎么办": "questions/training/large-batch-small-memory.html",
    },
    "zh_CN": {
        "detach之后还能反向传播吗？": "questions/autograd/detach.html",
        "DP 和 DDP 有什么区别": "questions/distributed/dp-vs-ddp.html",
        "batch norm": "questions/layers/batchnorm.html",
    },
}
COUNT = {"en": re.compile(r"^\d+ results"), "zh_CN": re.compile(r"^\d+ 条结果")}


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


def opened(page: Page, address: str) -> Page:
    """A page with the search dialog open."""
    page.goto(address)
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_visible()
    return page


def found(page: Page) -> list[str]:
    """The pages among the results, best first."""
    expect(page.locator(".search-results a").first).to_be_visible(timeout=30_000)
    return [address.rpartition("../")[2].partition("#")[0] for address in page.locator(".search-results a").evaluate_all(HREFS)]


HREFS = "all => all.map(link => link.getAttribute('href').replace(/^\\.\\//, ''))"


def test_what_people_type_is_found(tab: Tab, language: str):
    page, missed = opened(tab(), f"/{language}/index.html"), {}
    for text, wanted in TYPED[language].items():
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.type(text)
        results = found(page)
        if wanted not in results[:3]:
            missed[text] = results
    assert missed == {}


def test_nothing_but_a_small_script_is_loaded_before_somebody_searches(tab: Tab, language: str):
    page, loaded = tab(), []
    page.on("request", lambda request: loaded.append(request.url.rpartition("/")[2].partition("?")[0]))
    page.goto(f"/{language}/{QUESTION}", wait_until="networkidle")
    names = {"minisearch.js", "search-engine.js", "search-index.js", "search-ui.js", "search.css"}
    assert "search.js" in loaded
    assert not names & set(loaded)
    page.keyboard.press("/")
    page.keyboard.type("detach")
    found(page)
    assert names <= set(loaded)


def test_keyboard(tab: Tab, language: str):
    """Slash opens, arrows choose, a letter goes on typing, Enter follows, Escape closes and gives the focus back."""
    page = tab()
    page.goto(f"/{language}/{QUESTION}")
    page.locator("article p a").first.focus()
    page.keyboard.press("/")
    box = page.locator("#search input")
    expect(box).to_be_focused()
    page.keyboard.type("zero gra")
    found(page)
    links = page.locator(".search-results a")
    page.keyboard.press("ArrowDown")
    expect(links.nth(0)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(links.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(box).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.type("d")
    expect(box).to_have_value("zero grad")
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()
    expect(page.locator("article p a").first).to_be_focused()
    page.keyboard.press("/")
    expect(box).to_have_value("zero grad")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"questions/training/missing-zero-grad\.html"))


def test_a_slash_in_a_form_is_a_slash(tab: Tab):
    page = tab()
    page.goto("/en/index.html")
    page.locator(".question-filter input").press("/")
    expect(page.locator(".question-filter input")).to_have_value("/")
    expect(page.locator("#search")).to_be_hidden()


def test_the_sidebars_box_opens_the_dialog_with_what_is_typed(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/index.html")
    page.locator(".sidebar-search").focus()
    expect(page.locator("#search")).to_be_hidden()
    page.keyboard.type("detach")
    expect(page.locator("#search input")).to_have_value("detach")
    assert QUESTION in found(page)[:3]


def test_the_count_is_said(tab: Tab, language: str):
    page = opened(tab(), f"/{language}/index.html")
    page.keyboard.type("gradient")
    expect(page.locator("#search [role=status]")).to_have_text(COUNT[language], timeout=30_000)
    expect(page.get_by_role("dialog")).to_have_accessible_name({"en": "Search this site", "zh_CN": "在本站搜索"}[language])
    expect(page.locator("#search").get_by_role("searchbox")).to_be_focused()


def test_what_is_not_covered_is_admitted(tab: Tab, language: str):
    page = opened(tab(), f"/{language}/index.html")
    page.keyboard.type("kubernetes operator")
    said = {"en": "“kubernetes”", "zh_CN": "“kubernetes”"}[language]
    expect(page.locator("#search [role=status]")).to_contain_text(said, timeout=30_000)
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("DataLoader num_workers")
    expect(page.locator("#search [role=status]")).to_contain_text({"en": "No page is about", "zh_CN": "本站还没有讲"}[language])
    assert found(page)


def test_filters_narrow(tab: Tab, language: str):
    page = opened(tab(), f"/{language}/index.html")
    page.keyboard.type("gradient")
    before = found(page)
    page.locator(".search-kinds button").nth(2).click()
    expect(page.locator(".search-kinds [aria-pressed=true]")).to_have_count(1)
    examples = found(page)
    assert examples and all(address.startswith("auto_examples/") for address in examples)
    page.locator(".search-kinds button").first.click()
    page.locator(".search-filters select").select_option("losses")
    losses = found(page)
    assert losses and len(losses) < len(before)
    assert all("/losses/" in address for address in losses)


def test_a_result_is_marked_where_it_leads(tab: Tab, language: str):
    page = opened(tab(), f"/{language}/index.html")
    page.keyboard.type("running_mean")
    found(page)
    expect(page.locator(".search-results mark").first).to_have_text("running_mean")
    page.locator(".search-results a[href*='layers/batchnorm']").first.click()
    marks = page.locator("article .highlighted")
    expect(marks.first).to_have_text("running_mean")
    page.keyboard.press("Escape")
    expect(marks).to_have_count(0)


def test_a_link_to_a_search_works(tab: Tab, language: str):
    page = tab(375)
    page.goto(f"/{language}/search.html?q=gradient&kind=myth&topic=autograd")
    assert all("/autograd/" in link for link in found(page))
    expect(page.locator("main .search-box input, article .search-box input").first).to_have_value("gradient")
    expect(page.locator(".search-kinds [aria-pressed=true]")).to_have_text(re.compile("Myths|误传"))
    page.locator(".search-panel input").fill("leaf")
    expect(page).to_have_url(re.compile(r"search\.html\?q=leaf&kind=myth&topic=autograd$"))
    other = page.locator(".languages a")
    assert "q=leaf" in other.get_attribute("href") or "q=leaf" in other.evaluate("link => link.href")


def test_by_thumb_on_a_phone(tab: Tab, language: str):
    page = tab(375, has_touch=True)
    page.goto(f"/{language}/{QUESTION}")
    page.locator("header .search-open").tap()
    page.keyboard.type("softmax")
    found(page)
    assert page.evaluate("document.querySelector('#search').scrollWidth") <= 375
    heights = page.locator(".search-results a").evaluate_all("all => all.map(link => link.getBoundingClientRect().height)")
    assert min(heights) >= 44
    page.locator(".search-close").tap()
    expect(page.locator("#search")).to_be_hidden()


@pytest.mark.parametrize("width", [1280, 375])
def test_accessibility(tab: Tab, language: str, width: int):
    page, faults = tab(width), {}
    opened(page, f"/{language}/index.html")
    page.keyboard.type("batch norm eval")
    found(page)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        faults[scheme] = violations(page, {})
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("kubernetes")
    faults["nothing"] = violations(page, {})
    assert not any(faults.values()), faults


def test_from_disk(site: Path, tab: Tab, language: str):
    page = tab()
    page.goto((site / language / QUESTION).as_uri())
    page.keyboard.press("/")
    page.keyboard.type("batchnorm")
    assert "questions/layers/batchnorm.html" in found(page)[:3]
    page.locator(".search-results a").first.click()
    expect(page.locator("article h1")).to_be_visible()
    page.goto((site / language / "search.html").as_uri() + "?q=detach")
    assert QUESTION in found(page)[:3]


def test_without_javascript_the_search_page_points_to_lists(site: Path, tab: Tab, language: str):
    page = tab(java_script_enabled=False)
    page.goto(f"/{language}/search.html?q=detach")
    links = page.locator("article noscript a, noscript a")
    addresses = links.evaluate_all("all => all.map(link => link.getAttribute('href'))")
    assert addresses == ["index.html", "auto_examples/index.html", "myths.html", "errors.html", "glossary.html"]
    expect(links.first).to_be_visible()


# The list of questions on the home page


def test_the_list_is_narrowed_and_the_address_keeps_it(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/index.html")
    entries = page.locator("ul.questions > li:visible")
    total = entries.count()
    form = page.locator(".question-filter")
    form.locator("[name=topic]").select_option("autograd")
    form.locator("[name=level]").select_option("1")
    assert 0 < entries.count() < total
    expect(form.get_by_role("status")).to_contain_text(str(total))
    form.locator("[name=words]").fill("Requires Grad")
    expect(entries).to_have_count(1)
    expect(page).to_have_url(re.compile(r"index\.html\?words=Requires\+Grad&topic=autograd&level=1$"))
    page.reload()
    expect(entries).to_have_count(1)
    page.locator(".languages a").click()
    expect(entries).to_have_count(1)
    expect(page.locator("html")).to_have_attribute("lang", {"en": "zh-CN", "zh_CN": "en"}[language])
    form.get_by_role("button").click()
    expect(entries).to_have_count(total)
    expect(page).to_have_url(re.compile(r"index\.html$"))


def test_the_numbers_lead_to_what_they_count(site: Path, tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/index.html")
    numbers = page.locator("ul.numbers li")
    counted = {link.get_attribute("href"): int(link.locator("strong").inner_text()) for link in numbers.locator("a").all()}
    assert counted["#questions"] == page.locator("ul.questions > li").count()
    for path, selector in (("myths.html", "ul.myths > li"), ("errors.html", "ul.errors > li")):
        page.goto(f"/{language}/{path}")
        assert page.locator(selector).count() == counted[path]
    assert "questions" in ids(site / language / "index.html")
