"""``{myths}``: every myth of the site, each linking to its proof, with the sentence to say instead.

It is collected from the ``{myth}`` boxes while pages are read, in the language being built, and costs an author nothing.
"""

from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

from page_rules import is_question
from per_page import collect, found
from question import boxes
from question_list import ListDirective, link, topics


class Claim(NamedTuple):
    """A myth: its anchor on the page, its title, and the paragraph that says what is right."""

    anchor: str
    title: list[nodes.Node]
    right: list[nodes.Node]


class MythList(nodes.General, nodes.Element):
    """Stands for the list until every page has been read."""


class Myths(ListDirective):
    """``{myths}``, without arguments."""

    placeholder = MythList


def unlinked(children: list[nodes.Node]) -> list[nodes.Node]:
    """Copies of inline nodes in which links are only their text: a list entry is one link."""
    copies = nodes.inline("", "", *(child.deepcopy() for child in children))
    for reference in list(copies.findall(lambda node: isinstance(node, addnodes.pending_xref | nodes.reference))):
        reference.parent.replace(reference, reference.children)
    for node in copies.findall():
        node.document = None  # or the environment would hold, and pickle, the whole page with each of them
    return copies.children


def claims(docname: str, doctree: nodes.document) -> list[Claim]:
    """The myths of a question's page."""
    return [claim(box) for box in boxes(doctree, "myth")] if is_question(docname) else []


def claim(box: nodes.admonition) -> Claim:
    # The last paragraph: page_rules sees to it that the English one begins with "Right:".
    last = [node for node in box.children if isinstance(node, nodes.paragraph)][-1:]
    right = unlinked(last[0].children) if last else []
    return Claim(box["ids"][0], unlinked(box.next_node(nodes.title).children), right)


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for placeholder in list(doctree.findall(MythList)):
        pages = [page for topic in topics(app.env, app.config.root_doc).values() for page in topic]
        placeholder.replace_self([node for page in pages for node in entries(app, docname, page)])


def entries(app: Sphinx, docname: str, page: str) -> list[nodes.Node]:
    """One page's myths: its title, and under it a list."""
    myths = found(app.env, "myths").get(page)
    if not myths:
        return []
    uri = app.builder.get_relative_uri(docname, page)
    heading = nodes.paragraph("", "", link(app, docname, page), classes=["list-heading"])
    items = nodes.bullet_list(classes=["myths"])
    for each in myths:
        title = nodes.reference("", "", *(node.deepcopy() for node in each.title), refuri=f"{uri}#{each.anchor}", internal=True)
        right = nodes.paragraph("", "", *(node.deepcopy() for node in each.right))
        items += nodes.list_item("", nodes.paragraph("", "", title), right)
    return [heading, items]


def setup(app: Sphinx) -> dict:
    app.add_node(MythList)
    app.add_directive("myths", Myths)
    collect(app, "myths", claims)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
