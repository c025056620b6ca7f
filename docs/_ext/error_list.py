"""``{errors}``: every exception that a verified example of the site raises, each linking to the place that explains and mends it.

The texts are those of the expected tracebacks, which the doctest session compares with what PyTorch really says.
"""

import doctest
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from page_rules import is_question
from question_list import env_title


class Raised(NamedTuple):
    """An exception: its type, its message, and where its example stands."""

    type: str
    message: str
    docname: str
    anchor: str


class ErrorList(nodes.General, nodes.Element):
    """Stands for the list until every page has been read."""


class Errors(SphinxDirective):
    """``{errors}``, without arguments."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["lists-questions"] = "true"
        return [ErrorList()]


def collect(app: Sphinx, doctree: nodes.document) -> None:
    env = app.env
    if not hasattr(env, "errors"):
        env.errors = {}
    if is_question(env.docname):
        blocks = doctree.findall(lambda node: isinstance(node, nodes.literal_block) and "first_line" in node)
        env.errors[env.docname] = [raised for block in blocks for raised in raised_in(block, env.docname)]


def raised_in(block: nodes.literal_block, docname: str) -> list[Raised]:
    """The exceptions that a block of examples expects; none where doctest can't read it (checked_examples warns)."""
    try:
        examples = doctest.DocTestParser().get_examples(block.get("test", block.astext()))
    except ValueError:
        return []
    messages = [example.exc_msg.rstrip() for example in examples if example.exc_msg]
    found = []
    for message in messages:
        kind, _, text = message.partition(":")
        found.append(Raised(kind.rpartition(".")[2], text.strip(), docname, anchor(block)))
    return found


def anchor(node: nodes.Node) -> str:
    """The id of the box or section around a node."""
    while node is not None and not (isinstance(node, nodes.section | nodes.admonition) and node["ids"]):
        node = node.parent
    return node["ids"][0] if node is not None else ""


def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    getattr(env, "errors", {}).pop(docname, None)


def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    env.errors = getattr(env, "errors", {}) | {name: found for name, found in getattr(other, "errors", {}).items() if name in docnames}


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for placeholder in list(doctree.findall(ErrorList)):
        # A page may raise the same error twice; its first place is linked.
        first = {(raised.type, raised.message, raised.docname): raised for found in app.env.errors.values() for raised in reversed(found)}
        errors = sorted(first.values())
        content = []
        for kind in sorted({raised.type for raised in errors}):
            items = nodes.bullet_list(classes=["errors"])
            for raised in errors:
                if raised.type == kind:
                    items += entry(app, docname, raised)
            content += [nodes.paragraph("", "", nodes.literal("", kind), classes=["list-heading"]), items]
        placeholder.replace_self(content)


def entry(app: Sphinx, docname: str, raised: Raised) -> nodes.list_item:
    uri = f"{app.builder.get_relative_uri(docname, raised.docname)}#{raised.anchor}"
    link = nodes.reference("", "", *env_title(app.env, raised.docname), refuri=uri, internal=True)
    return nodes.list_item("", nodes.paragraph("", "", nodes.literal("", raised.message)), nodes.paragraph("", "", link))


def setup(app: Sphinx) -> dict:
    app.add_node(ErrorList)
    app.add_directive("errors", Errors)
    app.connect("doctree-read", collect)
    app.connect("env-purge-doc", purge)
    app.connect("env-merge-info", merge)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
