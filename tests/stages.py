"""Build once, with Sphinx's own commands, and print what each stage took as JSON: ``python tests/stages.py BUILDER [sphinx options]``.

Stages, in seconds: ``read`` until every changed page is a doctree; ``resolve``, links and lists, in the main process; ``write``, the rest
until all pages are written; ``finish``, the search index and static files. ``peak`` is the MiB that the build and its processes held
at most. ``bench_scale.py`` calls it.
"""

import json
import sys
import threading
import time
from pathlib import Path

import psutil
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

MIB = 2**20


class Memory(threading.Thread):
    """Looks every 50 ms at what this process and its children hold alone or share."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peak, self.over = 0, threading.Event()

    def run(self) -> None:
        process = psutil.Process()
        while not self.over.wait(0.05):
            held = 0
            for each in (process, *process.children(recursive=True)):
                try:
                    held += each.memory_info().rss - (each.memory_info().shared if each != process else 0)
                except psutil.Error:  # it has ended
                    continue
            self.peak = max(self.peak, held)


def build(builder: str, language: str, docs: Path, out: Path, doctrees: Path) -> dict[str, float]:
    """Build ``docs`` as ``nox -s docs`` does, and return the seconds of each stage, and the peak memory in MiB."""
    marks: dict[str, float] = {"start": time.monotonic()}
    memory = Memory()
    memory.start()
    options = {"language": language, "plot_gallery": "0", "catalogs_check": "0"}
    app = Sphinx(docs, docs.parent, out, doctrees, builder, confoverrides=options, status=None, parallel=3, keep_going=True)
    resolve, resolved = BuildEnvironment.get_and_resolve_doctree, 0.0

    def timed(*arguments: object, **named: object) -> object:
        nonlocal resolved
        begin = time.monotonic()
        try:
            return resolve(*arguments, **named)
        finally:
            resolved += time.monotonic() - begin

    BuildEnvironment.get_and_resolve_doctree = timed  # on the class: the environment itself is pickled
    app.connect("env-updated", lambda *_: marks.setdefault("read", time.monotonic()) and [], priority=10_000)
    app.connect("html-collect-pages", lambda *_: marks.setdefault("written", time.monotonic()) and ())
    app.build()
    end = time.monotonic()
    memory.over.set()
    memory.join()
    if app.statuscode or app._warncount:
        sys.exit(f"{docs}: the build has {app._warncount} warnings")
    read, written = marks.get("read", end), marks.get("written", end)
    return {
        "read": read - marks["start"],
        "resolve": resolved,
        "write": written - read - resolved,
        "finish": end - written,
        "total": end - marks["start"],
        "peak": memory.peak / MIB,
    }


if __name__ == "__main__":
    builder, language, folder = sys.argv[1:]
    root = Path(folder)
    work = root / "_build" / f"{builder}-{language}"
    print(json.dumps(build(builder, language, root / "docs", work / "out", work / "doctrees")))
