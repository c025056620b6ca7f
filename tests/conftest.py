"""Shared by all tests: the built site, a browser, and tiny sites to plant faults in."""

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parent.parent
SITE = ROOT / "_build" / "html"
LANGUAGES = ("en", "zh_CN")
sys.path.insert(0, str(ROOT / "docs" / "_ext"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite-out", action="store_true", help="write what the built gallery shows to examples/**/*.out")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("rewrite_out") and os.environ.get("CI"):
        raise pytest.UsageError("--rewrite-out would make every output right: never in CI")


@pytest.fixture(scope="session")
def site() -> Path:
    """The built site, ``_build/html``."""
    if not (SITE / "index.html").exists():
        pytest.fail("There is no site in _build/html: run nox -s docs first")
    return SITE


@pytest.fixture(scope="session")
def read(site: Path) -> Callable[[str], BeautifulSoup]:
    """A page of the built site as a tree: ``read("en/index.html")``."""
    return lambda path: BeautifulSoup((site / path).read_text("utf-8"), "html.parser")


def question_pages() -> list[str]:
    """The question pages of the sources: ``questions/TOPIC/SLUG``."""
    docs = ROOT / "docs"
    paths = sorted(docs.glob("questions/*/*.md"))
    return [path.relative_to(docs).with_suffix("").as_posix() for path in paths if path.stem != "index"]


def example_scripts() -> list[Path]:
    """The gallery's scripts, relative to ``examples/``."""
    examples = ROOT / "examples"
    return sorted(path.relative_to(examples) for path in examples.rglob("plot_*.py"))


@dataclass
class Build:
    """What a build printed and how it ended; ``output`` holds both streams."""

    returncode: int
    output: str
    folder: Path

    def line(self, *parts: str) -> str:
        """The first printed line that holds every part; fails with the whole output where there is none."""
        for line in self.output.splitlines():
            if all(part in line for part in parts):
                return line
        pytest.fail(f"no line with {parts} in:\n{self.output}")


class TinySite:
    """A site of a few pages, with the project's own conf.py and extensions, built in a subprocess."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.write("examples/GALLERY_HEADER.rst", "Examples\n========\n")
        self.write("examples/topic/GALLERY_HEADER.rst", "Topic\n-----\n")
        self.write("examples/topic/plot_one.py", '"""\nOne\n===\n\nIt prints.\n"""\n\nprint(1)\n')

    def write(self, path: str, text: str) -> Path:
        """Write a file of the site; the text may be indented."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(textwrap.dedent(text), "utf-8")
        return target

    def question(self, slug: str = "one", **changes: str) -> Path:
        """A page that keeps every rule, but for the parts given: each value replaces the text of its key."""
        text = QUESTION.replace("SLUG", slug)
        for old, new in changes.items():
            assert PARTS[old] in text, old
            text = text.replace(PARTS[old], new)
        return self.write(f"docs/questions/topic/{slug}.md", text)

    def build(self, builder: str = "html", language: str = "en", *options: str, env: dict[str, str] | None = None) -> Build:
        """Run sphinx-build as nox does, on every page written so far. ``env`` adds to the environment."""
        docs = self.folder / "docs"
        pages = sorted(path.relative_to(docs).with_suffix("").as_posix() for path in docs.rglob("*.md") if path.stem != "index")
        self.write("docs/index.md", "\n".join(["# Home\n", "```{toctree}", *pages, "auto_examples/index", "```\n"]))
        command = [
            sys.executable, "-m", "sphinx", "-c", str(ROOT), "-W", "--keep-going", "-n", "-b", builder, "-D", f"language={language}",
            "-D", f"doctest_record={self.folder / 'doctest.json'}", "-D", f"locale_dirs={self.folder / 'docs' / 'locale'}",
            "-d", str(self.folder / "doctrees" / f"{builder}-{language}"), *options,
            str(self.folder / "docs"), str(self.folder / "out" / builder / language),
        ]  # fmt: skip
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, cwd=self.folder, env=os.environ | {"NO_COLOR": "1"} | (env or {})
        )
        return Build(done.returncode, done.stdout + done.stderr, self.folder / "out" / builder / language)


QUESTION = """\
---
level: 1
asked: often
keywords:
  en: [one]
  zh: [一]
---

(SLUG)=
# What is one?

:::{answer}

One is the first number.

:::

## One is a number

```pycon
>>> 1
1
```

:::{myth} "One is two"

It is not:

```pycon
>>> 1 == 2
False
```

Right: one is one.

:::

## What a strong answer adds

More.

:::{followup} Two?

Two.

:::

:::{followup} Three?

Three.

:::

## See also

Nothing.
"""

PARTS = {
    "level": "level: 1\n",
    "asked": "asked: often\n",
    "keywords": "  en: [one]\n",
    "label": "(one)=\n",
    "answer": ":::{answer}\n\nOne is the first number.\n\n:::\n",
    "answer_text": "One is the first number.",
    "proof": "```pycon\n>>> 1 == 2\nFalse\n```\n",
    "right": "Right: one is one.",
    "followup": ":::{followup} Three?\n\nThree.\n\n:::\n",
    "adds": "## What a strong answer adds\n",
    "see_also": "## See also\n",
}


@pytest.fixture
def tiny(tmp_path: Path) -> TinySite:
    """An empty tiny site."""
    return TinySite(tmp_path)


@pytest.fixture(scope="module")
def tiny_module(tmp_path_factory: pytest.TempPathFactory) -> TinySite:
    """An empty tiny site that the tests of a module share."""
    return TinySite(tmp_path_factory.mktemp("site"))


def find_chromium() -> str | None:
    """The path of a Chromium, as ``docs/_ext/chromium.py`` finds or installs it; the run ends where there is none to be had."""
    import chromium

    try:
        return chromium.find_chromium()
    except RuntimeError as error:
        pytest.exit(str(error), 1)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Headless Chromium."""
    import chromium

    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=find_chromium(), args=chromium.arguments())
        yield launched
        launched.close()


Tab = Callable[..., Page]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """Where the built site is served, without a slash at the end."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def tab(browser: Browser, address: str) -> Iterator[Tab]:
    """Opens tabs: ``tab(width, scheme, …)``. A test that used one fails if anything in it failed to load or complained."""
    contexts, complaints = [], []

    def new(width: int = 1280, scheme: str = "light", **options: object) -> Page:
        size = {"width": width, "height": 800}
        context = browser.new_context(viewport=size, color_scheme=scheme, base_url=address, reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", lambda request: allowed(request.url) or complain(f"foreign request: {request.url}"))
        page.on("requestfailed", lambda request: gone(request.failure) or complain(f"{request.failure}: {request.url}"))
        page.on("response", lambda answer: answer.status < 400 or complain(f"{answer.status}: {answer.url}"))
        page.on("pageerror", lambda error: complain(str(error)))
        page.on("console", lambda message: message.type not in ("error", "warning") or complain(message.text))

        def complain(text: str) -> None:
            complaints.append(f"{page.url}: {text}")

        return page

    def allowed(url: str) -> bool:
        return url.startswith((f"{address}/", "data:", "file:"))

    def gone(failure: str | None) -> bool:
        """Whether a request was given up because the reader went on to another page."""
        return failure == "net::ERR_ABORTED"

    yield new
    for context in contexts:
        context.close()
    assert complaints == []
