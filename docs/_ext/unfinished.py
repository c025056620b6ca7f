"""Say again what an earlier build said, and begin anew where it did not come to its end.

Sphinx keeps what it has read, with or without warnings. The build after one that failed for a warning would find nothing
to read, be silent, and pass; one that was killed while it was writing would leave half a page that counts as new. So a page
that was warned of is read again at the next build, and after a build that was cut short every page is. Builds of the same
pages wait for each other, since each of them writes ``auto_examples/``.

Beside the environment, in Sphinx's ``doctreedir``, lie ``unfinished``, from the start of a build to its end, and ``warned``,
a list of documents.
"""

import logging
import re
from pathlib import Path

from docutils import nodes
from filelock import FileLock, Timeout
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.logging import get_node_location, getLogger

logger = getLogger(__name__)
LINE = re.compile(r":(?:\d+|<[^>]*>)?:?\s*$")


class Places(logging.Handler):
    """Keeps where each warning is, as Sphinx gives it: a path or a document, with or without a line; None for one without a place."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.found: set[str | None] = set()

    def emit(self, record: logging.LogRecord) -> None:
        location = getattr(record, "location", None)
        if isinstance(location, nodes.Node):
            location = get_node_location(location)
        elif isinstance(location, tuple):
            location = location[0]
        self.found.add(LINE.sub("", location) if location else None)


def start(app: Sphinx, config: object) -> None:
    """Wait for other builds of these pages; forget what was read by one that did not end; listen to this one's warnings."""
    folder = Path(app.doctreedir)
    folder.mkdir(parents=True, exist_ok=True)
    app.build_lock = FileLock(lock_path(app), timeout=0)
    try:
        app.build_lock.acquire()
    except Timeout:
        logger.info("another build of these pages is running: waiting for its end")
        app.build_lock.acquire(timeout=-1)
    if (folder / "unfinished").exists():
        (folder / "environment.pickle").unlink(missing_ok=True)
    (folder / "unfinished").touch()
    app.places = Places()
    logging.getLogger("sphinx").addHandler(app.places)


def lock_path(app: Sphinx) -> Path:
    """Beside the pages' folder, where nox builds."""
    path = Path(app.srcdir).parent / "_build" / "building.lock"
    path.parent.mkdir(exist_ok=True)
    return path


def outdated(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> set[str]:
    """The documents that the last build warned of."""
    warned = Path(app.doctreedir, "warned")
    return set(warned.read_text("utf-8").splitlines()) & env.found_docs if warned.exists() else set()


def before_doctest(app: Sphinx, builder: object) -> None:
    """From here on the doctest builder speaks of what it runs, and it runs everything at every build."""
    if app.builder.name == "doctest":
        logging.getLogger("sphinx").removeHandler(app.places)


def end(app: Sphinx, exception: Exception | None) -> None:
    """Keep the documents that were warned of. Where a warning belongs to none, every page is read again."""
    logging.getLogger("sphinx").removeHandler(app.places)
    folder = Path(app.doctreedir)
    if exception is None:
        # A catalog is read at every build.
        places = {place for place in app.places.found if not (place or "").endswith(".po")}
        warned = {place: place if place in app.env.found_docs else app.env.path2doc(place) for place in places if place}
        if None not in places and all(docname in app.env.found_docs for docname in warned.values()):
            (folder / "warned").write_text("".join(f"{docname}\n" for docname in sorted(warned.values())), "utf-8")
            (folder / "unfinished").unlink(missing_ok=True)
    app.build_lock.release()


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", start, priority=0)
    app.connect("env-get-outdated", outdated)
    app.connect("write-started", before_doctest)
    app.connect("build-finished", end, priority=1000)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
