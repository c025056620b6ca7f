"""The list of downloads: empty while none were made, right when they were; what the exports need is said; pages on paper."""

import re
from pathlib import Path
from types import ModuleType
from unittest import mock

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

import downloads
import export_all
import export_tools
from conftest import LANGUAGES, ROOT, TinySite
from languages import LANGUAGES as NAMES
from test_nox import noxfile  # noqa: F401


@pytest.fixture(scope="module", params=LANGUAGES)
def built(request: pytest.FixtureRequest, tiny_module: TinySite) -> tuple[str, str]:
    """A language, and a page in it that lists downloads, as ``nox -s docs`` builds it."""
    tiny_module.write("docs/away.md", "# Away\n\n```{downloads}\n```\n")
    made = tiny_module.build(
        "html", request.param, "-q", "-D", "plot_gallery=0", "-D", "catalogs_check=0", "-D", f"locale_dirs={ROOT / 'docs' / 'locale'}"
    )
    assert made.returncode == 0, made.output
    return request.param, (made.folder / "away.html").read_text("utf-8")


def listed(page: str) -> list[str]:
    return [item.get_text(" ", strip=True) for item in BeautifulSoup(page, "html.parser").select("ul.downloads li")]


def test_a_site_without_downloads_says_so(built: tuple[str, str]):
    _, page = built
    assert listed(page) == []
    assert "nox -s export" in BeautifulSoup(page, "html.parser").select_one(".no-downloads").text


def test_the_list_has_each_file_with_size_and_date(built: tuple[str, str], tmp_path: Path):
    language, page = built
    for number, each in enumerate(downloads.files(language), start=1):
        path = tmp_path / each.file
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x" * number * 300_000)
    filled = downloads.fill(page, tmp_path, "2026-11-30")
    tree = BeautifulSoup(filled, "html.parser")
    assert [link["href"] for link in tree.select("ul.downloads a")] == [f"../{each.file}" for each in downloads.files(language)]
    assert [facts.text for facts in tree.select("ul.downloads .facts")][:4] == [
        "300 kB · 2026-11-30",
        "600 kB · 2026-11-30",
        "900 kB · 2026-11-30",
        "1.2 MB · 2026-11-30",
    ]
    assert not tree.select(".no-downloads")
    if language == "zh_CN":
        assert all(re.search("[\u4e00-\u9fff]", text) for text in listed(filled))
    # Filling again, or emptying for the copy in the ZIP, starts from what is true then.
    assert downloads.fill(filled, tmp_path, "2026-11-30") == filled
    assert downloads.fill(filled, None, "") == page


def test_a_listed_file_that_was_not_made_is_no_link(built: tuple[str, str], tmp_path: Path):
    with pytest.raises(FileNotFoundError):
        downloads.fill(built[1], tmp_path, "2026-11-30")


@pytest.mark.parametrize(
    ("count", "text"), [(1, "1 kB"), (640_000, "640 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"), (7_840_000, "7.8 MB")]
)
def test_size(count: int, text: str):
    assert downloads.size(count) == text


def test_a_site_without_the_page_is_refused(tmp_path: Path):
    site = tmp_path / "html"
    for code in NAMES:
        (site / code).mkdir(parents=True)
        (site / code / "index.html").write_text("old")
    with pytest.raises(SystemExit, match="nox -s docs"):
        export_all.main(tmp_path / "work", site)


def test_what_is_missing_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(export_tools.shutil, "which", lambda name: None)
    monkeypatch.setattr(export_tools, "apt_install", lambda *packages: False)
    monkeypatch.setattr(export_tools.platform, "system", lambda: "Linux")
    with pytest.raises(SystemExit) as stopped:
        export_tools.check()
    for part in ("java, to run epubcheck", "Noto Sans CJK SC", "apt-get install", "fonts-noto-cjk", "poppler-utils"):
        assert part in str(stopped.value)


def test_export_needs_a_site(noxfile: ModuleType):  # noqa: F811
    session = mock.MagicMock(posargs=[], error=mock.MagicMock(side_effect=SystemExit))
    with pytest.raises(SystemExit):
        noxfile.export(session)
    assert "run nox -s docs first" in session.error.call_args.args[0]


PAPER = ["index", "questions/modules/train-vs-eval", "auto_examples/convolution/plot_im2col"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_on_paper(site: Path, browser: Browser, language: str):
    """Of the site's own navigation nothing is printed, code wraps, answers to follow-ups are unfolded."""
    page = browser.new_page(viewport={"width": 670, "height": 1000})  # as wide as A4 between its margins
    for docname in PAPER:
        page.goto((site / language / f"{docname}.html").as_uri())
        page.emulate_media(media="print")
        shown = page.evaluate(
            "[...document.querySelectorAll('.skip-to-content, .sidebar-drawer, .toc-drawer, .mend, .copybtn, .mobile-header')]"
            ".filter(element => element.checkVisibility()).map(element => element.className)"
        )
        assert shown == [], docname
        cut = page.evaluate("[...document.querySelectorAll('pre')].filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.innerText)")
        assert cut == [], docname
        folded = page.evaluate("[...document.querySelectorAll('details > p')].filter(e => !e.getClientRects().length).length")
        assert folded == 0, docname
    page.close()
