"""Print where the site stands against its budgets: ``nox -s bench``. Nothing here passes or fails; times are for people to judge.

``nox -s bench -- --pages 100 500 1000`` measures what a page more costs instead, see ``bench_scale.py``.

Builds run in a copy of the repository with a build folder of its own, as ``nox -s docs`` runs them.
"""

import argparse
import contextlib
import gzip
import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest import mock

from playwright.sync_api import Browser, sync_playwright

import bench_search
from bench_scale import measure_scale
from conftest import LANGUAGES, ROOT, example_scripts, find_chromium

# Bars: see "Budgets" in docs/contribute.md
COLD, UNCHANGED = 1.3, 0.15
PLAIN, MATHS = (60, 20), (180, 25)  # kB, requests
LEFT_OUT = (".git", ".nox", ".venv", "_build", "auto_examples", "*.mo", "__pycache__", ".*_cache")


def copy_repository(folder: Path) -> Path:
    """A clean checkout, as CI has one: nothing built, nothing executed."""
    return Path(shutil.copytree(ROOT, folder / "repository", ignore=shutil.ignore_patterns(*LEFT_OUT)))


def load_noxfile(folder: Path) -> ModuleType:
    """noxfile.py, with a stub for nox, which is not installed in the session's environment, and nothing to install."""
    module = ModuleType("noxfile")
    with mock.patch.dict("sys.modules", nox=mock.MagicMock(session=lambda function: function)):
        exec(compile((folder / "noxfile.py").read_text("utf-8"), "noxfile.py", "exec"), module.__dict__)
    module.install = lambda *_: None
    return module


class Session:
    """Runs commands as nox's session does, without showing what they print unless they fail."""

    posargs = ()

    def __init__(self, folder: Path):
        self.folder = folder

    def run(self, program: str, *arguments: str, **options: object) -> None:
        command = [sys.executable, *(["-m", "sphinx"] if program == "sphinx-build" else []), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}\nThe site does not build, so there is nothing to measure")

    def log(self, text: str) -> None: ...


@contextlib.contextmanager
def stopwatch() -> Iterator[SimpleNamespace]:
    """``.seconds`` holds the time that the block took."""
    watch, start = SimpleNamespace(seconds=0.0), time.monotonic()
    yield watch
    watch.seconds = time.monotonic() - start


def run_scripts(folder: Path) -> None:
    """Run every example script once, as a reader would."""
    for script in example_scripts():
        path = folder / "examples" / script
        command = [sys.executable, path.name]
        done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, env=os.environ | {"MPLBACKEND": "agg"})
        if done.returncode:
            sys.exit(f"{script} fails:\n{done.stderr}")


def measure_builds(folder: Path) -> None:
    noxfile, scripts, session = load_noxfile(folder), len(example_scripts()), Session(folder)
    with stopwatch() as plain:
        run_scripts(folder)
    os.chdir(folder)
    Path("_build").mkdir()
    with stopwatch() as cold:
        noxfile.docs(session)
    with stopwatch() as unchanged:
        noxfile.docs(session)
    print(f"Every script once: {plain.seconds:.1f} s; cold build: {cold.seconds:.1f} s; again: {unchanged.seconds:.1f} s\n")
    heading("ratio", "now", "bar")
    row(f"cold build of both languages ÷ {scripts} scripts plain (bar: at 15)", f"{cold.seconds / plain.seconds:.2f}", f"{COLD}")
    row("no-change rebuild ÷ cold build (bar: at 15 scripts)", f"{unchanged.seconds / cold.seconds:.2f}", f"{UNCHANGED}")


class Gzipped(http.server.SimpleHTTPRequestHandler):
    """Serves a site as web servers do, text compressed, and notes the size of each answer but for a page's own pictures."""

    sizes: list[int]

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        text = path.suffix in (".html", ".css", ".js", ".svg", ".json", ".xml", ".txt")
        body = gzip.compress(body, 6) if text else body
        if "/_images/" not in self.path:
            self.sizes.append(len(body))
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(body)))
        if text:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None: ...


def kinds(site: Path) -> dict[str, str]:
    """The largest page of each kind, as far as there are such pages: its address within a language."""
    pages = sorted((site / "en").glob("questions/*/*.html"), key=lambda path: path.stat().st_size)
    pages = [path for path in pages if path.stem != "index"]
    with_maths = [path for path in pages if "<math" in path.read_text("utf-8")]
    without = [path for path in pages if path not in with_maths]
    gallery = sorted((site / "en").glob("auto_examples/*/plot_*.html"), key=lambda path: path.stat().st_size)
    found = {"question without maths": without, "question with maths": with_maths, "gallery page": gallery}
    return {"home": "index.html"} | {kind: paths[-1].relative_to(site / "en").as_posix() for kind, paths in found.items() if paths}


def measure_pages(site: Path, browser: Browser) -> None:
    print()
    heading("a page's first view, its own pictures aside", "kB gz, requests", "bar")
    sizes: list[int] = []
    handler = type("Handler", (Gzipped,), {"sizes": sizes})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *given: handler(*given, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for kind, page in kinds(site).items():
            for language in LANGUAGES:
                sizes.clear()
                context = browser.new_context()
                address = f"http://127.0.0.1:{server.server_port}/{language}/{page}"
                context.new_page().goto(address, wait_until="networkidle")
                context.close()
                maths = "<math" in re.sub(r"<script.*?</script>", "", (site / language / page).read_text("utf-8"), flags=re.DOTALL)
                weight, requests = MATHS if maths else PLAIN
                row(f"{kind}, {language} ({page})", f"{sum(sizes) / 1000:.0f}, {len(sizes)}", f"{weight}, {requests}")
        server.shutdown()


def heading(*cells: str) -> None:
    row(*cells)
    print("-" * 100)


def row(what: str, now: str, bar: str) -> None:
    print(f"{what:78.78}  {now:>15}  {bar}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="nox -s bench --", description="Print where the site stands against its budgets.")
    parser.add_argument("--pages", type=int, nargs="+", help="measure builds with so many questions instead, as in --pages 100 500 1000")
    if sizes := parser.parse_args().pages:
        return measure_scale(sizes)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        copy = copy_repository(Path(folder))
        measure_builds(copy)
        os.chdir(ROOT)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
            measure_pages(copy / "_build" / "html", browser)
            bench_search.measure(copy / "_build" / "html", browser, heading, row)
            browser.close()
    return None


if __name__ == "__main__":
    main()
