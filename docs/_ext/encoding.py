"""Name the pages that are not UTF-8. Sphinx stops at the first one without saying which it is."""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError


def check(app: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Raise ExtensionError with file and line of every page, of those about to be read, that can't be read as text."""
    faults = [fault for docname in docnames if (fault := undecodable(Path(env.doc2path(docname))))]
    if faults:
        raise ExtensionError("\n".join(faults))


def undecodable(path: Path) -> str | None:
    """What is wrong with the bytes of a page; None if nothing is."""
    content = path.read_bytes()
    try:
        content.decode("utf-8-sig")
        position = content.find(b"\0")
    except UnicodeDecodeError as error:
        position = error.start
    if position < 0:
        return None
    line = content.count(b"\n", 0, position) + 1
    return f"{path}:{line}: this page is not UTF-8: save it as UTF-8"


def setup(app: Sphinx) -> dict:
    app.connect("env-before-read-docs", check)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
