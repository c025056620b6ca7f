"""The search's part of ``nox -s bench``: recall on the public set of queries, time from key to result, size of the index.

``python tests/bench_search.py`` measures ``_build/html`` alone.
"""

import statistics
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from conftest import SITE, find_chromium
from search import SITES, Search, answered, queries, recall

RECALL, MILLISECONDS, KILOBYTES = 95, 50, 300

# Types a query at once and waits for nothing: the results stand on the page, laid out, when the event has been handled.
TYPE = """text => {
    const input = document.querySelector("#search input"), start = performance.now()
    input.value = text
    input.dispatchEvent(new Event("input", {bubbles: true}))
    document.querySelector(".search-results").getBoundingClientRect()
    return performance.now() - start
}"""
# From the key that opens the dialog, with nothing loaded, to the first result.
OPEN = """async text => {
    const start = performance.now()
    dispatchEvent(new KeyboardEvent("keydown", {key: "/", bubbles: true}))
    document.querySelector("#search input").value = text
    while (!document.querySelector(".search-results a")) await new Promise(requestAnimationFrame)
    return performance.now() - start
}"""


def measure(site: Path, browser: Browser, heading: Callable, row: Callable) -> None:
    """Print recall by language and half, on the language's own site and on the other; then times and sizes."""
    searches = {language: Search(site / folder) for language, folder in SITES.items()}
    print()
    heading("search: a right page first, among the first three, of how many", "% , %, n", "bar, %")
    for half in ("tune", "held"):
        for language in SITES:
            for typed_on in SITES:
                found = recall(searches[typed_on], answered(language, half))
                what = f"queries in {language}, {half}, typed on the site in {typed_on}"
                row(what, f"{100 * found.first / found.total:.0f}, {100 * found.share():.0f}, {found.total}", f"-, {RECALL}")
    for language, search in searches.items():
        uncovered = [query for query in queries() if query.language == language and not query.pages]
        said = sum(search(query.text)["weak"] for query in uncovered)
        row(f"queries that no page answers, owned up to, site in {language}", f"{said} of {len(uncovered)}", "")
    for search in searches.values():
        search.close()
    print()
    heading("search in the browser", "now", "bar")
    for language, folder in SITES.items():
        page = browser.new_page()
        page.goto((site / folder / "index.html").as_uri())
        opening = page.evaluate(OPEN, "gradient")
        texts = [query.text for query in queries() if query.language == language]
        times = sorted(page.evaluate(TYPE, text) for text in texts)
        page.close()
        shown = f"{statistics.median(times):.0f}, {times[int(0.95 * len(times))]:.0f}, {times[-1]:.0f} ms"
        row(f"key to result: median, 95th of 100, slowest of {len(times)}, {language}", shown, f"{MILLISECONDS} ms")
        row(f"first search of a visit, all loaded from disk, {language}", f"{opening:.0f} ms", "")
        row(f"index, {language}", f"{searches[language].size() / 1000:.0f} kB gz", f"{KILOBYTES} kB gz")


def main() -> None:
    from bench import heading, row

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        measure(SITE, browser, heading, row)
        browser.close()


if __name__ == "__main__":
    main()
