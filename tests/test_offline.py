"""Without a connection: what was visited can be read, an update and a rollback reach it, and it can be removed again."""

import json
import re
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

import site_root
from test_practice import until

QUESTION = "questions/autograd/detach.html"
OTHER = "questions/layers/batchnorm.html"
EXAMPLE = "auto_examples/convolution/plot_im2col.html"


class Handler(SimpleHTTPRequestHandler):
    """Serves the host's folder; ``broken`` addresses get no answer, ``failing`` ones a server's error."""

    host: "Host"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path in self.host.broken:
            self.connection.close()
        elif path in self.host.failing:
            self.send_error(503)
        else:
            super().do_GET()

    def log_message(self, *_: object) -> None: ...


class Host:
    """The site under a sub-path of a host, which can go down, come up again and get another version."""

    def __init__(self, site: Path, folder: Path):
        self.folder, self.site = folder, folder / "sub"
        shutil.copytree(site, self.site)
        self.port, self.server = 0, None
        self.broken: set[str] = set()
        self.failing: set[str] = set()

    def up(self) -> None:
        handler = type("Bound", (Handler,), {"host": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", self.port), partial(handler, directory=self.folder))
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def down(self) -> None:
        if self.server:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def address(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}/sub/{path}"

    def deploy(self, path: str, old: str, new: str) -> str:
        """Change a page and publish; the new version."""
        page = self.site / path
        text = page.read_text("utf-8")
        assert old in text
        page.write_text(text.replace(old, new), "utf-8")
        return self.publish()

    def publish(self, offline: bool = True) -> str:
        site_root.write(self.site, "", offline)
        return self.version()

    def version(self) -> str:
        return json.loads((self.site / "offline-files.json").read_text("utf-8"))["version"]


@pytest.fixture
def host(site: Path, tmp_path: Path) -> Iterator[Host]:
    host = Host(site, tmp_path / "host")
    host.up()
    yield host
    host.down()


@pytest.fixture
def reader(browser: Browser) -> Iterator[BrowserContext]:
    """A reader's browser; the test fails where a script of a page did."""
    context, errors = browser.new_context(reduced_motion="reduce"), []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    yield context
    context.close()
    assert errors == []


def visit(reader: BrowserContext, host: Host, *paths: str) -> Page:
    """Go to each page, and wait until it is kept with what it has loaded."""
    page = reader.new_page()
    for path in paths:
        page.goto(host.address(path))
        wait_for(page, "name => kept.includes(name)", host.address(path))
        wait_for(page, "() => !loaded.some(name => !kept.includes(name))")
    return page


# Worked out in the page, and again until it holds
KEPT = """async (argument) => {
    const kept = []
    const versions = (await caches.keys()).filter((key) => key.startsWith("pytorch-interview:"))
    for (const key of versions) for (const {url} of await (await caches.open(key)).keys()) kept.push(url)
    const loaded = performance.getEntriesByType("resource").map((entry) => entry.name.replace(/[?].*/, ""))
        .filter((name) => name.includes("/_static/"))
    return CONDITION(argument)
}"""


def wait_for(page: Page, condition: str, argument: object = None) -> None:
    until(page, KEPT.replace("CONDITION", f"({condition})"), argument)


def versions(page: Page) -> list[str]:
    return page.evaluate("caches.keys().then(keys => keys.filter(key => key.startsWith('pytorch-interview:')))")


def cache(version: str) -> str:
    return f"pytorch-interview:/sub/:{version}"


def test_after_one_visit(reader: BrowserContext, host: Host):
    """One worker for both languages, under a sub-path: pages look as they did, and a page never visited says what there is."""
    page = visit(reader, host, f"en/{QUESTION}", f"zh_CN/{OTHER}")
    host.down()
    for path in (f"en/{QUESTION}", f"zh_CN/{OTHER}"):
        page.goto(host.address(path))
        expect(page.locator(".admonition.answer")).to_be_visible()
        assert page.evaluate("getComputedStyle(document.querySelector('.admonition.answer')).borderLeftColor") == "rgb(15, 118, 110)"
        page.locator("details.followup summary").first.click()
        expect(page.locator("details.followup").first).to_have_attribute("open", "")
    page.goto(f"{host.address(f'en/{QUESTION}')}?highlight=detach")
    expect(page.locator("h1")).to_be_visible()
    page.goto(host.address(f"en/{OTHER}"))
    expect(page.locator("section[lang=en] li")).to_have_count(1)
    link = page.locator("section[lang=zh-CN] li a")
    expect(link).to_have_attribute("href", host.address(f"zh_CN/{OTHER}"))
    link.click()
    expect(page.locator(".admonition.answer")).to_be_visible()
    host.up()
    page.goto(host.address(f"en/{OTHER}"))
    expect(page.locator(".admonition.answer")).to_be_visible()


def test_side_by_side_without_a_connection(reader: BrowserContext, host: Host):
    page = visit(reader, host, f"zh_CN/{QUESTION}")
    page.locator(".both-languages").click()
    expect(page.locator("h1 .side")).to_be_visible()
    wait_for(page, "name => kept.includes(name)", host.address("en/_static/side/questions/autograd/detach.js"))
    host.down()
    page.reload()
    expect(page.locator("h1 .side")).to_be_visible()


def test_an_update_and_a_rollback_reach_what_is_kept(reader: BrowserContext, host: Host):
    first = host.version()
    page = visit(reader, host, f"en/{QUESTION}", f"en/{OTHER}")
    assert versions(page) == [cache(first)]
    page.evaluate("caches.open('of-another-site-here')")

    second = host.deploy(f"en/{QUESTION}", "Say it in thirty seconds", "Say it in half a minute")
    assert second != first
    (host.site / "en" / OTHER).rename(host.site / "en" / "gone.html")
    page.goto(host.address("en/index.html"))
    until(page, "name => caches.keys().then(keys => keys.includes(name) && keys.length == 2)", cache(second))
    wait_for(page, "name => kept.includes(name)", host.address("en/index.html"))
    host.down()
    page.goto(host.address(f"en/{QUESTION}"))
    expect(page.locator(".admonition.answer .admonition-title")).to_have_text("Say it in half a minute")
    page.goto(host.address(f"en/{OTHER}"))
    expect(page.locator("h1")).to_have_text("Offline · 离线")

    host.up()
    (host.site / "en" / "gone.html").rename(host.site / "en" / OTHER)
    assert host.deploy(f"en/{QUESTION}", "Say it in half a minute", "Say it in thirty seconds") == first
    page.goto(host.address("en/index.html"))
    until(page, "name => caches.keys().then(keys => keys.includes(name) && keys.length == 2)", cache(first))
    host.down()
    page.goto(host.address(f"en/{QUESTION}"))
    expect(page.locator(".admonition.answer .admonition-title")).to_have_text("Say it in thirty seconds")
    assert "of-another-site-here" in page.evaluate("caches.keys()")


def test_online_a_reader_gets_what_is_deployed(reader: BrowserContext, host: Host):
    """At the first load after a deployment, before any worker has changed."""
    page = visit(reader, host, f"en/{QUESTION}")
    host.deploy(f"en/{QUESTION}", "Say it in thirty seconds", "Say it in half a minute")
    page.reload()
    expect(page.locator(".admonition.answer .admonition-title")).to_have_text("Say it in half a minute")


# Look for a new version, and see how its worker ends
UPDATE = """async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    await registration.update().catch(() => {})
    const worker = registration.installing
    if (!worker) return ""
    await new Promise((resolve) => { worker.onstatechange = resolve })
    return worker.state
}"""


def test_an_update_that_breaks_off_leaves_what_was_there(reader: BrowserContext, host: Host):
    first = host.version()
    page = visit(reader, host, f"en/{QUESTION}", f"en/{OTHER}")
    host.deploy(f"en/{QUESTION}", "Say it in thirty seconds", "Say it in half a minute")
    host.broken.add(f"/sub/en/{OTHER}")
    page.goto(host.address("en/index.html"))
    assert page.evaluate(UPDATE) in ("", "redundant"), "the new worker gives up"
    host.down()
    assert cache(first) in versions(page)
    for path in (QUESTION, OTHER):
        page.goto(host.address(f"en/{path}"))
        expect(page.locator(".admonition.answer")).to_be_visible()


def test_a_failing_server(reader: BrowserContext, host: Host):
    page = visit(reader, host, f"en/{QUESTION}")
    host.failing.add(f"/sub/en/{QUESTION}")
    page.reload()
    expect(page.locator(".admonition.answer")).to_be_visible()


def offline_box(page: Page, host: Host) -> None:
    """Open the part of the practice page that tells what is kept."""
    page.goto(host.address("en/practice.html"))
    page.get_by_text("Reading without a connection", exact=True).click()


def test_the_whole_site(reader: BrowserContext, host: Host):
    """On request, with its size: then pages never visited, their figures and the search are there too, and an update renews all of it."""
    page = visit(reader, host, "en/index.html")
    offline_box(page, host)
    files = json.loads((host.site / "offline-files.json").read_text("utf-8"))["files"]
    assert all((host.site / path).stat().st_size == size for path, size in files.items())
    page.get_by_role("button", name=f"Keep the whole site ({sum(files.values()) / 1e6:.1f} MB)").click()
    expect(page.get_by_text("The whole site is kept")).to_be_visible(timeout=60_000)
    second = host.deploy(f"zh_CN/{QUESTION}", "三十秒回答", "半分钟回答")
    page.goto(host.address("en/index.html"))
    until(page, "name => caches.keys().then(keys => keys.length == 1 && keys[0] == name)", cache(second), seconds=60)
    host.down()
    page.goto(host.address(f"zh_CN/{QUESTION}"))
    expect(page.locator(".admonition.answer .admonition-title")).to_have_text("半分钟回答")
    page.goto(host.address(f"zh_CN/{EXAMPLE}"))
    assert (
        page.evaluate("Promise.all([...document.images].map(image => (image.loading = 'eager', image.decode()))).then(all => all.length)")
        > 0
    )
    page.goto(host.address("zh_CN/search.html?q=归一化"))
    expect(page.locator(".search-results a").first).to_be_visible()


def test_the_whole_site_breaks_off(reader: BrowserContext, host: Host):
    page = visit(reader, host, "en/index.html")
    offline_box(page, host)
    host.failing.add(f"/sub/zh_CN/{OTHER}")
    page.get_by_role("button", name="Keep the whole site").click()
    expect(page.locator(".practice-data details [role=status]")).to_contain_text("This did not work")
    expect(page.get_by_role("button", name="Keep the whole site")).to_be_enabled()
    assert not page.evaluate("offlineCopy.state().then(state => state.whole)")


def test_a_session_goes_on_without_a_connection(reader: BrowserContext, host: Host):
    page = visit(reader, host, "zh_CN/practice.html")
    page.locator(".practice button.primary").click()
    expect(page.locator(".practice-question")).to_be_focused()
    names = page.evaluate("JSON.parse(sessionStorage.getItem('pytorch-interview:practice')).dealt")
    wait_for(page, "count => kept.filter(name => name.includes('/_static/practice/')).length == count", len(names))
    wait_for(page, "() => kept.some(name => name.includes('ts-fsrs'))")
    host.down()
    for number in range(len(names)):
        expect(page.locator(".practice-place")).to_contain_text(f"第 {number + 1} 题")
        expect(page.locator(".practice-question")).to_be_focused()
        page.keyboard.press("Space")
        expect(page.locator(".practice-grades button")).to_have_count(4)
        page.keyboard.press("3")
    expect(page.locator(".practice-stage")).to_contain_text(f"答了 {len(names)} 题")
    page.reload()
    expect(page.locator(".practice-counts")).to_contain_text(f"今天已练 {len(names)} 题")


def test_a_reader_removes_it(reader: BrowserContext, host: Host):
    page = visit(reader, host, f"en/{QUESTION}")
    offline_box(page, host)
    expect(page.locator(".practice-data details [role=status]")).to_contain_text(
        re.compile(r"kept for when there is no connection: \d+ so far")
    )
    page.get_by_role("button", name="Remove what is kept").click()
    expect(page.get_by_text("Nothing is kept for when there is no connection.")).to_be_visible()
    assert versions(page) == []
    page.locator(".practice button.primary").click()  # what this page still loads goes through the worker
    expect(page.locator(".practice-question")).to_be_focused()
    page.keyboard.press("Escape")
    page.goto(host.address(f"en/{QUESTION}"))
    until(page, "() => navigator.serviceWorker.getRegistrations().then(all => all.length == 0)")
    until(page, "() => caches.keys().then(keys => keys.length == 0)")
    offline_box(page, host)
    page.get_by_role("button", name="Keep what I visit").click()
    page.get_by_role("button", name="Remove what is kept").click()
    page.get_by_role("button", name="Keep what I visit").click()  # at once: the worker was on its way out
    expect(page.get_by_text("Pages that you visit are kept")).to_be_visible()
    wait_for(page, "name => kept.includes(name)", host.address("en/practice.html"))


def test_the_site_removes_it(reader: BrowserContext, host: Host):
    """OFFLINE=off: the next visit finds a worker that deletes what was kept, and is gone itself."""
    page = visit(reader, host, f"en/{QUESTION}")
    assert versions(page)
    host.publish(offline=False)
    page.goto(host.address("en/index.html"))
    until(page, "() => caches.keys().then(keys => keys.length == 0)")
    until(page, "() => navigator.serviceWorker.getRegistrations().then(all => all.length == 0)")
    page.goto(host.address(f"en/{QUESTION}"))
    expect(page.locator(".admonition.answer")).to_be_visible()


def test_on_disk_there_is_no_worker(reader: BrowserContext, site: Path):
    page = reader.new_page()
    page.goto((site / "en" / "practice.html").as_uri())
    page.get_by_text("Reading without a connection", exact=True).click()
    expect(page.get_by_text("This browser can't keep pages of this site.")).to_be_visible()


def test_the_version_follows_the_content(tmp_path: Path):
    """The same files give the same version wherever they lie; any change, a new name, or a file less gives another."""
    seen = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        (folder / "en").mkdir(parents=True)
        (folder / "en" / "index.html").write_text("text", "utf-8")
        for _ in range(2):
            site_root.write(folder, "")
            seen.append(json.loads((folder / "offline-files.json").read_text("utf-8")))
    assert all(each == seen[0] for each in seen)
    assert seen[0]["files"]["en/index.html"] == 4
    assert not {"sw.js", "404.html", "offline-files.json"} & seen[0]["files"].keys()
    page = tmp_path / "one" / "en" / "index.html"
    changes = [lambda: page.write_text("TEXT", "utf-8"), lambda: page.rename(page.with_name("other.html"))]
    found = [seen[0]["version"]]
    for change in changes:
        change()
        site_root.write(tmp_path / "one", "")
        found.append(json.loads((tmp_path / "one" / "offline-files.json").read_text("utf-8"))["version"])
    assert len(set(found)) == 3
    assert f'"{found[-1]}"' in (tmp_path / "one" / "sw.js").read_text("utf-8")
