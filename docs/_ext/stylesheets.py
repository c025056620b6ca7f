"""Load a stylesheet only on the pages that use it. The gallery brings four to every page."""

from docutils import nodes
from sphinx.application import Sphinx

GALLERY = "sg_gallery"


def keep(pagename: str, filename: str) -> bool:
    """Whether a page needs a stylesheet. Of the gallery's four only the first is used, and only in the gallery."""
    if GALLERY not in filename:
        return True
    return pagename.startswith("auto_examples/") and filename.endswith(f"{GALLERY}.css")


def prune(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["css_files"] = [sheet for sheet in context["css_files"] if keep(pagename, str(sheet.filename))]


def setup(app: Sphinx) -> dict:
    app.connect("html-page-context", prune, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
