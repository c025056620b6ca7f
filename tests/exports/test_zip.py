"""The site as a ZIP, unpacked and opened from disk."""

import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import export_zip
from conftest import LANGUAGES, SITE
from made import made

NAME = "pytorch-interview-site.zip"


def test_it_holds_the_site_and_no_other_download():
    names = set(zipfile.ZipFile(made(NAME)).namelist())
    site = {path.relative_to(SITE).as_posix() for path in SITE.rglob("*") if path.is_file()}
    wanted = {f"pytorch-interview/{name}" for name in site if not name.startswith(("downloads/", "llms"))}
    assert names == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_works_from_disk(browser: Browser, tmp_path: Path, language: str):
    """Home, a question, search, the other language; nothing is asked of a server."""
    zipfile.ZipFile(made(NAME)).extractall(tmp_path)
    page, foreign = browser.new_page(), []
    page.on("request", lambda request: foreign.append(request.url) if not request.url.startswith(("file:", "data:")) else None)
    page.goto((tmp_path / "pytorch-interview" / "index.html").as_uri())
    page.goto((tmp_path / "pytorch-interview" / language / "questions" / "autograd" / "detach.html").as_uri())
    expect(page.locator(".admonition.answer")).to_be_visible()
    page.goto((tmp_path / "pytorch-interview" / language / "search.html").as_uri() + "?q=batchnorm")
    expect(page.locator(".search-results a[href*='/questions/layers/batchnorm.html']").first).to_be_visible()
    page.goto((tmp_path / "pytorch-interview" / language / "downloads.html").as_uri())
    expect(page.locator(".no-downloads")).to_be_visible()
    expect(page.locator("ul.downloads")).to_have_count(0)
    assert foreign == []
    page.close()


def test_times_before_the_format_knew_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    export_zip.write(tmp_path / "a.zip", [("a", b"a")])
    assert zipfile.ZipFile(tmp_path / "a.zip").getinfo("a").date_time[0] == 1980
