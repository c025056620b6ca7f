"""Take sphinx-gallery's tag filter out: no example has tags, and its list has the same id in every section."""

from docutils import nodes
from sphinx.application import Sphinx

TAG_LIST = "sg-tag-list"


def remove_tag_lists(app: Sphinx, doctree: nodes.document) -> None:
    for node in list(doctree.findall(nodes.raw)):
        if TAG_LIST in node.astext():
            node.parent.remove(node)


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", remove_tag_lists)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
