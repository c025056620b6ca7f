"""Take sphinx-gallery's tag filter out: no example has tags, its list has the same id in every section, and its script is on every page."""

from docutils import nodes
from sphinx.application import Sphinx

TAG_LIST = "sg-tag-list"
SCRIPT = "sg-tags.js"


def remove_tag_lists(app: Sphinx, doctree: nodes.document) -> None:
    for node in list(doctree.findall(nodes.raw)):
        if TAG_LIST in node.astext():
            node.parent.remove(node)


def remove_script(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["script_files"] = [script for script in context["script_files"] if SCRIPT not in str(script.filename)]


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", remove_tag_lists)
    app.connect("html-page-context", remove_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
