"""Marks on questions (read, to review, due today): load the script that keeps and draws them where there are questions to mark.

``records.js`` finds a question by the address of its link, in any list with the class ``questions``.
"""

import json
import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _

from page_rules import is_question
from practice import PAGE_MARK

LIST = re.compile(r'<ul class="[^"]*\bquestions\b')


def load(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    if app.builder.name != "html" or doctree is None:
        return
    if is_question(pagename) or app.env.metadata.get(pagename, {}).get(PAGE_MARK) or LIST.search(context["body"]):
        texts = {"read": _("read"), "later": _("to review"), "due": _("due today")}
        app.add_js_file("records.js", loading_method="defer", **{"data-texts": json.dumps(texts, ensure_ascii=False)})


def setup(app: Sphinx) -> dict:
    # Before those that replace the list of scripts, and before practice.js, which needs it.
    app.connect("html-page-context", load, priority=390)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
