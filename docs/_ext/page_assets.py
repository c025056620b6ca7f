"""Load a stylesheet or script only on the pages that use it. The gallery brings five to every page, the copy button three."""

from docutils import nodes
from sphinx.application import Sphinx

GALLERY = "sg_gallery"
TAGS = "sg-tags.js"  # filters examples by tags, and none has any: see gallery_index.py
COPY = ("copybutton", "clipboard")


def used(pagename: str, body: str, filename: str) -> bool:
    """Whether a page needs a file. Of the gallery's style sheets only the first is used, and only in the gallery."""
    if TAGS in filename:
        return False
    if GALLERY in filename:
        return pagename.startswith("auto_examples/") and filename.endswith(f"{GALLERY}.css")
    if any(name in filename for name in COPY):
        return 'class="highlight' in body
    return True


def prune(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    for kind in ("css_files", "script_files"):
        context[kind] = [asset for asset in context[kind] if used(pagename, context.get("body", ""), str(asset.filename))]


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", prune, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
