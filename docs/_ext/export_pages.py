"""Which pages the exports take, in which order, and where their links lead.

The exports are built with ``docs/_export/conf.py`` by ``nox -s export``: JSON and llms.txt (``export_questions.py``), Anki
(``export_anki.py``), EPUB (``export_epub.py``), PDF (``export_book.py``, ``export_pdf.py``) and ZIP (``export_zip.py``).
"""

import os
import posixpath
import re
import time
from datetime import UTC, datetime

from docutils import nodes
from sphinx.builders import Builder
from sphinx.config import Config
from sphinx.environment import BuildEnvironment

from page_rules import is_question

# What a book holds. Contributing, the changelog and pages that need a browser stay on the site.
BOOK = re.compile(r"questions/.+|auto_examples/index|auto_examples/.+/plot_.+|reading-order|glossary|myths|errors")


def ordered(env: BuildEnvironment) -> list[str]:
    """All pages in the order of the tables of contents, the root first."""
    found: dict[str, None] = {}

    def visit(docname: str) -> None:
        if docname not in found:
            found[docname] = None
            for child in env.toctree_includes.get(docname, []):
                visit(child)

    visit(env.config.root_doc)
    return [docname for docname in found if docname in env.found_docs]


def questions(env: BuildEnvironment) -> list[str]:
    """The questions, topic by topic."""
    return [docname for docname in ordered(env) if is_question(docname)]


def book(env: BuildEnvironment) -> list[str]:
    """The pages of a book."""
    return [docname for docname in ordered(env) if BOOK.fullmatch(docname)]


def topic(docname: str) -> str:
    """A question's topic: the folder's name, as ``autograd``."""
    return docname.split("/")[1]


def address(config: Config, docname: str, anchor: str = "") -> str:
    """Where a page is read: absolute with ``site_url``, else relative to the site's root, as ``en/questions/autograd/detach.html``."""
    return f"{config.site_url}{config.language}/{docname}.html" + (f"#{anchor}" if anchor else "")


def target(builder: Builder, docname: str, refuri: str) -> tuple[str, str] | None:
    """The document and the anchor that a resolved internal link on page ``docname`` leads to; None where it leads elsewhere."""
    path, _, anchor = refuri.partition("#")
    folder = posixpath.dirname(builder.get_target_uri(docname))
    name = posixpath.normpath(posixpath.join(folder, path)) if path else builder.get_target_uri(docname)
    for suffix in (getattr(builder, "link_suffix", None), getattr(builder, "out_suffix", None)):
        if suffix and name.removesuffix(suffix) in builder.env.found_docs:
            return name.removesuffix(suffix), anchor
    return None


def links_out(builder: Builder, doctree: nodes.Node, docname: str, within: frozenset[str] = frozenset()) -> None:
    """Turn the links that would leave the export: absolute where the site's address is known, else only their text.

    ``within`` are the documents that the export holds: links to them are left as they are.
    """
    for link in list(doctree.findall(nodes.reference)):
        if "refid" in link and docname in within:
            continue
        found = (docname, link["refid"]) if "refid" in link else target(builder, docname, link.get("refuri", ""))
        if re.match(r"[a-z]+:", link.get("refuri", "")) or (found and found[0] in within):
            continue
        if found and builder.config.site_url:
            link.attributes.pop("refid", None)
            link["refuri"], link["internal"] = address(builder.config, *found), False
        else:
            link.parent.replace(link, nodes.inline("", "", *link.children, classes=["no-link"]))


def about(builder: Builder) -> dict[str, object]:
    """What the first page of a book says: how many questions, how many examples ran, on which torch, when, and where there is more."""
    names = questions(builder.env)
    stamps = [builder.env.stamps[name] for name in names if builder.env.stamps[name].verified]
    return {
        "questions": len(names),
        "torch": max((stamp.torch for stamp in stamps), default=""),
        "examples": sum(stamp.outputs for stamp in stamps),
        "date": date(),
        "site_url": builder.config.site_url and f"{builder.config.site_url}{builder.config.language}/",
    }


def epoch() -> int:
    """The time that the exports bear, in seconds since 1970: ``SOURCE_DATE_EPOCH``, or now.

    See https://reproducible-builds.org/specs/source-date-epoch/.
    """
    return int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())


def date() -> str:
    """The day of :func:`epoch`, as ``2026-11-30``."""
    return datetime.fromtimestamp(epoch(), UTC).date().isoformat()
