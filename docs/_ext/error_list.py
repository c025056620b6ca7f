"""``{errors}``: every exception that a verified example of the site raises, each linking to the place that explains and mends it.

The texts are those of the expected tracebacks, which the doctest session compares with what PyTorch really says.
"""

import doctest
from hashlib import sha256
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx

from page_rules import is_question
from per_page import collect, found
from question import ANCHOR
from question_list import ListDirective, link


class Raised(NamedTuple):
    """An exception: its type, its message, and where its example stands."""

    type: str
    message: str
    docname: str
    anchor: str


class ErrorList(nodes.General, nodes.Element):
    """Stands for the list until every page has been read."""


class Errors(ListDirective):
    """``{errors}``, without arguments."""

    placeholder = ErrorList


def errors(docname: str, doctree: nodes.document) -> list[Raised]:
    """The exceptions on a question's page, in their order."""
    if not is_question(docname):
        return []
    blocks = doctree.findall(lambda node: isinstance(node, nodes.literal_block) and "first_line" in node)
    return [raised for block in blocks for raised in raised_in(block, docname)]


def raised_in(block: nodes.literal_block, docname: str) -> list[Raised]:
    """The exceptions that a block of examples expects; none where doctest can't read it (checked_examples warns)."""
    try:
        examples = doctest.DocTestParser().get_examples(block.get("test", block.astext()))
    except ValueError:
        return []
    messages = [example.exc_msg.rstrip() for example in examples if example.exc_msg]
    parts = (message.partition(":") for message in messages)
    return [Raised(kind.rpartition(".")[2], text.strip(), docname, anchor(block)) for kind, _, text in parts]


def anchor(node: nodes.Node) -> str:
    """The id of the box or section around a node."""
    while node is not None and not (isinstance(node, nodes.section | nodes.admonition) and node["ids"]):
        node = node.parent
    return node["ids"][0] if node is not None else ""


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for placeholder in list(doctree.findall(ErrorList)):
        # Under each message every page that raises it, once: reversed, so that the first place on a page is the one that stays.
        places: dict[str, dict[str, dict[str, Raised]]] = {}
        for raised in (raised for page in found(app.env, "errors").values() for raised in reversed(page)):
            if raised.message:
                places.setdefault(raised.type, {}).setdefault(raised.message, {})[raised.docname] = raised
        content = []
        for kind, messages in sorted(places.items()):
            entries = [entry(app, docname, message, pages) for message, pages in sorted(messages.items())]
            items = nodes.bullet_list("", *entries, classes=["errors"])
            content += [nodes.paragraph("", "", nodes.literal("", kind), classes=["list-heading"]), items]
        placeholder.replace_self(content)


def entry_anchor(message: str) -> str:
    """The id of a message's entry: its words, and a few digits of its digest, since messages begin alike."""
    return f"{nodes.make_id(f'error {message}')[:ANCHOR].rstrip('-')}-{sha256(message.encode()).hexdigest()[:6]}"


def entry(app: Sphinx, docname: str, message: str, pages: dict[str, Raised]) -> nodes.list_item:
    """A message, and below it a link for each page that raises it."""
    item = nodes.list_item("", nodes.paragraph("", "", nodes.literal("", message)), ids=[entry_anchor(message)])
    for page, raised in sorted(pages.items()):
        item += nodes.paragraph("", "", link(app, docname, page, raised.anchor))
    return item


def setup(app: Sphinx) -> dict:
    app.add_node(ErrorList)
    app.add_directive("errors", Errors)
    collect(app, "errors", errors)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
