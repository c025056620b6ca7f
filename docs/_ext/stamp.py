"""The stamp under each question: which torch it was verified on, how many outputs, and when.

The facts come from the record that ``nox -s doctest`` writes (``doctest_record``, see
``checked_examples.py``). Where no record matches the page's source, the stamp says so; the tests that run
before each deployment refuse such a site.
"""

from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from checked_examples import digest, read
from page_rules import is_question


class Stamp(NamedTuple):
    """What the template prints; ``verified`` is False where no record matches the page."""

    verified: bool
    outputs: int = 0
    date: str = ""
    torch: str = ""
    tensorflow: str = ""


def stamp(app: Sphinx, record: dict, docname: str) -> Stamp:
    """The stamp of a page, from the record of the last doctest run."""
    source = Path(app.env.doc2path(docname)).read_text("utf-8-sig")
    result = record.get("pages", {}).get(docname, {})
    if result.get("source") != digest(source) or result["failed"]:
        return Stamp(verified=False)
    versions = record["versions"]
    tensorflow = versions["tensorflow"] if ">>> import tensorflow" in source else ""
    return Stamp(True, result["attempted"], result["date"], versions["torch"], tensorflow)


def update(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Work out every stamp, and have the pages written again whose stamp changed since the last build."""
    record = read(Path(app.config.doctest_record))
    stamps = {docname: stamp(app, record, docname) for docname in env.found_docs if is_question(docname)}
    changed = [docname for docname, new in stamps.items() if getattr(env, "stamps", {}).get(docname) != new]
    env.stamps = stamps
    return changed


def context(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["stamp"] = getattr(app.env, "stamps", {}).get(pagename)


def setup(app: Sphinx) -> dict:
    app.connect("env-updated", update)
    app.connect("html-page-context", context)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
