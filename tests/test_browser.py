"""The built site in a real browser: what loads, what a keyboard reaches, what a screen reader is told, what search finds."""

from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Locator, Page, expect

from conftest import LANGUAGES, Tab, example_scripts
from test_site import pages

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
QUESTION = "questions/autograd/detach.html"  # short; it has maths, a traceback and follow-ups
EXAMPLES = [f"auto_examples/{path.with_suffix('.html').as_posix()}" for path in example_scripts()]


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


def test_every_page_loads_cleanly(site: Path, tab: Tab, language: str):
    """Nothing foreign or missing, no broken picture, no error in the console, where a breach of the security policy would show."""
    page, broken = tab(), {}
    for path in pages(site, language):
        page.goto(f"/{language}/{path}")
        broken[path] = page.evaluate("""async () => {
            const broken = []
            for (const image of document.images) {
                image.loading = "eager"
                await image.decode().catch(() => broken.push(image.src))
            }
            return broken
        }""")
    assert not any(broken.values()), {path: images for path, images in broken.items() if images}


def test_no_page_scrolls_sideways_on_a_phone(site: Path, tab: Tab, language: str):
    """Nor does Furo's content box, which would scroll instead. Code, tables and formulas scroll in boxes of their own."""
    page, wide = tab(375), {}
    for path in pages(site, language):
        page.goto(f"/{language}/{path}")
        width = page.evaluate("Math.max(document.scrollingElement.scrollWidth, document.querySelector('.content').scrollWidth)")
        if width > 375:
            wide[path] = width
    assert wide == {}


def test_names_in_tables_are_not_broken(tab: Tab, language: str):
    page = tab(375)
    for path in ("questions/modules/train-vs-eval.html", "questions/distributed/dp-vs-ddp.html"):
        page.goto(f"/{language}/{path}")
        names = page.locator("table code.literal").filter(has_text="(").or_(page.locator("th code.literal"))
        lines = names.evaluate_all(
            r"all => all.filter(e => /^[\w.()]+$/.test(e.innerText)).map(e => [e.innerText, e.getClientRects().length])"
        )
        assert lines and {count for _, count in lines} == {1}, lines


# Accessibility

CHECKED = [
    "index.html",
    "practice.html",
    "downloads.html",
    "myths.html",
    "errors.html",
    "glossary.html",
    "contribute.html",
    "questions/layers/batchnorm.html",
    "questions/modules/train-vs-eval.html",
    "questions/distributed/dp-vs-ddp.html",
    "search.html?q=batchnorm",
    "auto_examples/index.html",
    *EXAMPLES[::8],  # nox -s everypage takes all pages
]


def violations(page: Page, options: dict) -> list[str]:
    """What axe-core finds on the page as it stands: the rule and the element. A rule that breaks down has no elements; that counts."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    report = page.evaluate("options => axe.run({resultTypes: ['violations'], ...options})", options)
    found = [f"{rule['id']}: {node['html'][:200]}" for rule in report["violations"] for node in rule["nodes"]]
    return found + [f"{rule['id']}: axe-core gave up" for rule in report["incomplete"] if not rule["nodes"]]


@pytest.mark.parametrize("width", [1280, 375])
def test_accessibility(tab: Tab, language: str, width: int):
    """axe-core finds nothing, with every answer unfolded and the link to the top in sight."""
    page, found = tab(width), {}
    for path in CHECKED:
        page.goto(f"/{language}/{path}")
        if path.startswith("search"):
            expect(page.locator(".search-results li").first).to_be_visible()
        page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
        page.evaluate("document.documentElement.classList.add('show-back-to-top')")
        page.emulate_media(color_scheme="light")
        found[path] = violations(page, {})
        page.emulate_media(color_scheme="dark")
        found[f"{path} in the dark"] = violations(page, {"runOnly": ["color-contrast"]})
    assert not any(found.values()), {path: faults for path, faults in found.items() if faults}


def focused(page: Page) -> Locator:
    return page.locator("*:focus")


def test_tab_reaches_everything_and_shows_where_it_is(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/{QUESTION}")
    page.evaluate("""() => {
        const all = document.querySelectorAll("a[href], button, input, summary, [tabindex]")
        window.waiting = new Set([...all].filter(e => e.checkVisibility({visibilityProperty: true})))
    }""")
    total, unseen = page.evaluate("waiting.size"), []
    for _ in range(total + 5):
        page.keyboard.press("Tab")
        page.evaluate("waiting.delete(document.activeElement)")
        if not page.evaluate("document.activeElement.matches('body') || getComputedStyle(document.activeElement).outlineStyle != 'none'"):
            unseen.append(page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))
    assert total > 40
    assert page.evaluate("[...waiting].map(e => e.outerHTML.slice(0, 200))") == []
    assert unseen == []


def test_skip_link(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/{QUESTION}")
    page.keyboard.press("Tab")
    expect(focused(page)).to_have_class("skip-to-content muted-link")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.querySelector('article').contains(document.activeElement)")


def test_followups_open_by_keyboard(tab: Tab, language: str):
    page = tab()
    page.goto(f"/{language}/{QUESTION}")
    answer = page.locator("details.followup > p").first
    expect(answer).to_be_hidden()
    page.locator("details.followup > summary").first.focus()
    page.keyboard.press("Enter")
    expect(answer).to_be_visible()


@pytest.mark.parametrize(("box", "drawer"), [("__navigation", ".sidebar-drawer"), ("__toc", ".toc-drawer")])
def test_drawers_open_by_keyboard_on_a_phone(tab: Tab, language: str, box: str, drawer: str):
    page = tab(375)
    page.goto(f"/{language}/{QUESTION}")
    link = page.locator(f"{drawer} a").nth(1)
    expect(link).to_be_hidden()
    button = page.locator(f"header label[for={box}] [role=button]")
    for _ in range(6):
        page.keyboard.press("Tab")
        if button.evaluate("button => button == document.activeElement"):
            break
    expect(button).to_have_attribute("aria-expanded", "false")
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(link).to_be_in_viewport()
    assert page.evaluate("drawer => document.activeElement.matches(`${drawer} a`)", drawer)
    assert violations(page, {}) == []
    page.keyboard.press("Escape")
    expect(link).to_be_hidden()
    page.keyboard.press("Space")
    expect(link).to_be_visible()


# What a reader does


@pytest.mark.parametrize("path", ["index.html", QUESTION, EXAMPLES[0], "search.html?q=batch+norm"])
def test_language_switcher_and_back(tab: Tab, address: str, path: str):
    page = tab()
    page.goto(f"/en/{path}")
    for name, code in (("简体中文", "zh_CN"), ("English", "en")):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page).to_have_url(f"{address}/{code}/{path}")
        page.wait_for_load_state()


@pytest.mark.parametrize(("preference", "code"), [("zh-CN", "zh_CN"), ("zh-TW", "zh_CN"), ("en-GB", "en"), ("fr", "en")])
def test_front_door_follows_the_browsers_language(tab: Tab, address: str, preference: str, code: str):
    page = tab(locale=preference)
    page.goto("/index.html")
    expect(page).to_have_url(f"{address}/{code}/index.html")


def code_of(session: str) -> str:
    """The code of a session at the prompt: the lines with a prompt, without it."""
    return "\n".join(line[4:] for line in session.splitlines() if line.startswith((">>> ", "... ")) or line == "...")


@pytest.mark.parametrize("part", ["\n... ", "\nTraceback "])
def test_copy_button_takes_the_code_alone(tab: Tab, part: str):
    page = tab(permissions=["clipboard-read", "clipboard-write"])
    page.goto("/en/questions/layers/batchnorm.html")
    blocks = page.locator("div.highlight-pycon:visible")
    texts = [text.rstrip("\n") for text in blocks.locator("pre").all_text_contents()]
    number = next(i for i, text in enumerate(texts) if part in text and code_of(text) != text)
    blocks.nth(number).hover()
    blocks.nth(number).locator("button.copybtn").click()
    assert page.evaluate("navigator.clipboard.readText()") == code_of(texts[number])


def test_copy_button_takes_a_script_whole(tab: Tab):
    page = tab(permissions=["clipboard-read", "clipboard-write"])
    page.goto(f"/en/{EXAMPLES[0]}")
    block = page.locator("div.highlight-Python").first
    block.hover()
    block.locator("button.copybtn").click()
    assert page.evaluate("navigator.clipboard.readText()") == block.locator("pre").text_content().rstrip("\n")


def test_dark_mode_is_kept(tab: Tab, language: str):
    def background() -> str:
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    page = tab()
    page.goto(f"/{language}/index.html")
    light = background()
    page.locator(".theme-toggle-content button").click()
    dark = background()
    assert dark != light
    page.goto(f"/{language}/{QUESTION}")
    assert background() == dark


# Without a server, and without JavaScript


def test_from_disk(site: Path, tab: Tab, language: str):
    """Home, a question, the other language: all from file://. Search there: test_search_browser.py."""
    page = tab()
    page.goto((site / language / "index.html").as_uri())
    page.locator("ul.questions a").first.click()
    expect(page.locator(".admonition.answer")).to_be_visible()
    assert page.evaluate("document.fonts.ready.then(() => [...document.fonts].filter(font => font.status == 'error').length)") == 0
    page.locator(".languages a").click()
    expect(page.locator("article h1")).to_be_visible()


def test_without_javascript(tab: Tab, language: str):
    page = tab(java_script_enabled=False)
    page.goto("/index.html")
    page.locator(f"a[href='{language}/index.html']").click()
    page.locator(f"ul.questions a[href='{QUESTION}']").click()
    expect(page.locator(".admonition.answer p").last).to_be_visible()
    answer = page.locator("details.followup > p").first
    expect(answer).to_be_hidden()
    page.locator("details.followup > summary").first.click()
    expect(answer).to_be_visible()
