"""What a page says of itself: description, content security policy, and where to mend it.

``_templates/page.html`` prints these.
"""

import base64
import hashlib
import re
from pathlib import Path
from urllib.parse import urlencode

import furo
from docutils import nodes
from sphinx.application import Sphinx

from page_rules import is_question
from per_page import collect, found
from question import boxes

INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
DESCRIPTION = 200


def policy() -> str:
    """The Content-Security-Policy: nothing is loaded from elsewhere, and of inline scripts only the theme's own runs."""
    template = Path(furo.__file__).parent / "theme" / "furo" / "base.html"
    scripts = INLINE_SCRIPT.findall(template.read_text("utf-8"))
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    sources = " ".join(f"'sha256-{value}'" for value in hashes)
    return (
        f"default-src 'self'; script-src 'self' {sources}; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; object-src 'none'; base-uri 'self'"
    )


def description(docname: str, doctree: nodes.document) -> str:
    """A question's answer or else the first paragraph, cut to about 200 characters at a word."""
    holder = next(iter(boxes(doctree, "answer")), doctree)
    paragraph = next(iter(holder.findall(nodes.paragraph)), None)
    text = " ".join(paragraph.astext().split()) if paragraph is not None else ""
    if len(text) <= DESCRIPTION:
        return text
    return text[:DESCRIPTION].rsplit(" ", 1)[0].rstrip("，。：；,.:; ") + "…"


def source_file(app: Sphinx, pagename: str) -> str:
    """The file of the repository that holds a page's text in the language being built."""
    if app.config.language != "en":
        return f"docs/locale/{app.config.language}/LC_MESSAGES/{pagename}.po"
    if pagename.startswith("auto_examples/"):
        path = Path("examples") / Path(pagename).relative_to("auto_examples")
        return f"{path.parent.as_posix()}/GALLERY_HEADER.rst" if path.name == "index" else f"{path.as_posix()}.py"
    return f"docs/{pagename}.md"


def context(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["content_security_policy"] = POLICY
    context["description"] = found(app.env, "descriptions").get(pagename, "")
    context["is_question"] = is_question(pagename)
    if doctree is not None:
        repository = app.config.html_theme_options["source_repository"]
        source = source_file(app, pagename)
        issue = urlencode({"title": f"{pagename} ({app.config.language}): ", "body": f"{source}\n\n"})
        context["edit_url"] = f"{repository}edit/main/{source}"
        context["report_url"] = f"{repository}issues/new?{issue}"


POLICY = policy()


def setup(app: Sphinx) -> dict:
    collect(app, "descriptions", description)
    app.connect("html-page-context", context)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
