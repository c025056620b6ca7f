"""Every page of the site in a real browser, where ``test_browser.py`` takes one of each kind. Several minutes: ``nox -s everypage``."""

from pathlib import Path

import pytest
from playwright.sync_api import Page

from conftest import LANGUAGES, Tab
from test_browser import violations
from test_site import pages

WIDE = """() => Math.max(document.scrollingElement.scrollWidth, document.querySelector(".content").scrollWidth) - innerWidth"""
# What is read without opening anything: its box lies on the page and has a size.
UNREADABLE = """() => [...document.querySelectorAll("article :is(p, li, pre, h1, h2, h3, td, summary)")].filter(
    e => !e.closest("details:not([open])") && e.innerText.trim() && !e.getBoundingClientRect().height
).map(e => e.outerHTML.slice(0, 120))"""
CUT = """() => [...document.querySelectorAll("article :is(p, li, h1, h2, h3, summary, figcaption)")].filter(
    e => e.clientHeight && getComputedStyle(e).overflow == "hidden" && e.scrollHeight > e.clientHeight + 1
).map(e => e.outerHTML.slice(0, 120))"""
LOST = """() => {
    const box = document.activeElement.getBoundingClientRect()
    return document.activeElement != document.body && !box.width && !box.height
}"""


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    return request.param


def unfold(page: Page) -> None:
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")


@pytest.mark.parametrize("width", [1280, 375])
def test_accessibility(site: Path, tab: Tab, language: str, width: int):
    """axe-core finds nothing on any page, in light and in dark."""
    page, found = tab(width), {}
    for path in pages(site, language):
        page.goto(f"/{language}/{path}")
        unfold(page)
        page.emulate_media(color_scheme="light")
        found[path] = violations(page, {})
        page.emulate_media(color_scheme="dark")
        found[f"{path} in the dark"] = violations(page, {"runOnly": ["color-contrast"]})
    assert not any(found.values()), {path: faults for path, faults in found.items() if faults}


def test_text_of_twice_the_size(site: Path, tab: Tab, language: str):
    """A browser's zoom of 200 % halves the width in CSS pixels; text alone may be enlarged too. Nothing is cut or runs off the page."""
    page, wrong = tab(640), {}
    for path in pages(site, language):
        page.goto(f"/{language}/{path}")
        unfold(page)
        for size in ("100%", "200%"):
            page.evaluate("size => document.documentElement.style.fontSize = size", size)
            if (over := page.evaluate(WIDE)) > 0 or (cut := page.evaluate(CUT)):
                wrong[f"{path} at {size}"] = f"{over} px too wide" if over > 0 else cut
    assert wrong == {}


def test_without_javascript(site: Path, tab: Tab, language: str):
    """What is read with scripts is read without."""
    page, scripted, wrong = tab(java_script_enabled=False), tab(), {}
    for path in pages(site, language):
        for each in (page, scripted):
            each.goto(f"/{language}/{path}")
        if hidden := set(page.evaluate(UNREADABLE)) - set(scripted.evaluate(UNREADABLE)):
            wrong[path] = hidden
    assert wrong == {}


def test_nothing_moves_for_readers_who_ask_for_that(site: Path, tab: Tab, language: str):
    page, moving = tab(), {}  # the tab prefers reduced motion
    for path in pages(site, language):
        page.goto(f"/{language}/{path}")
        if found := page.evaluate(
            "document.getAnimations().filter(a => a.effect.getTiming().duration > 1).map(a => a.effect.target.outerHTML)"
        ):
            moving[path] = found
    assert moving == {}


def test_keyboard_never_gets_lost(site: Path, tab: Tab, language: str):
    """Tab goes from link to link and never to something that nobody sees."""
    page, lost = tab(), {}
    for path in pages(site, language):
        page.goto(f"/{language}/{path}")
        for _ in range(
            page.evaluate("document.querySelectorAll('article a[href], article button, article summary, article [tabindex]').length")
        ):
            page.keyboard.press("Tab")
            if page.evaluate(LOST):
                lost.setdefault(path, []).append(page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))
    assert lost == {}
