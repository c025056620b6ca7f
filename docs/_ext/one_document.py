"""Every node of a page belongs to the page's document.

Sphinx parses each translated paragraph as a document of its own, and the nodes that it moves into the page keep pointing there. They would
all be stored with the page, settings and all: in Chinese a doctree was six times as large, and loading it took most of the build.
"""

from docutils import nodes
from sphinx.application import Sphinx


def adopt(app: Sphinx, doctree: nodes.document) -> None:
    for node in doctree.findall():
        node.document = doctree


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", adopt)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
