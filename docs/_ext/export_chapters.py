"""A page as a chapter of a book: without what needs a browser, downloads or the theme, its links inside the book or absolute."""

from docutils import nodes
from sphinx import addnodes
from sphinx.builders.html import StandaloneHTMLBuilder

from export_pages import links_out


def chapter(builder: StandaloneHTMLBuilder, docname: str, within: frozenset[str]) -> nodes.document:
    """The resolved document of page ``docname`` for a book that holds the documents ``within``."""
    doctree = builder.env.get_doctree(docname)
    strip(doctree, docname)
    builder.env.resolve_references(doctree, docname, builder)
    links_out(builder, doctree, docname, within)
    return doctree


def strip(doctree: nodes.document, docname: str) -> None:
    """Remove raw HTML, tables of contents, and the gallery's cards and download links."""
    if docname == "auto_examples/index":
        # Its sections are the cards of each topic; the scripts themselves follow as sections.
        for section in doctree.next_node(nodes.section).findall(nodes.section):
            if section.parent is not doctree:
                section["remove"] = True
    doomed = (nodes.raw, nodes.comment, addnodes.toctree, addnodes.download_reference)
    for node in list(doctree.findall(nodes.Element)):
        is_html_only = isinstance(node, addnodes.only) and node["expr"] == "html"
        if (isinstance(node, doomed) or is_html_only or node.get("remove")) and node.parent is not None:
            # What links to it now leads to the page.
            node.parent.remove(node)


def level(docname: str) -> int:
    """The rank of a page's title in a book: 1 for a topic and what stands by itself, 2 for a question or an example."""
    return 2 if docname.count("/") == 2 and not docname.endswith("/index") else 1
