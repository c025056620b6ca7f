"""What differs by language: the site's title, the switcher, and the keywords that search reads.

``-D language=zh_CN`` is applied after conf.py, so such settings are made at ``config-inited``.
"""

import json
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from page_rules import is_question, keywords


class Language(NamedTuple):
    """A language of the site: its BCP 47 tag, its own name, the site's title in it, and its front-matter keywords."""

    tag: str
    name: str
    title: str
    keywords: tuple[str, ...]


# Readers of the Chinese site search for English terms too.
LANGUAGES = {
    "en": Language("en", "English", "PyTorch Interview", ("en",)),
    "zh_CN": Language("zh-CN", "简体中文", "PyTorch 面试题", ("zh", "en")),
}


class SearchWords(nodes.meta):
    """Keywords cut into words for the search index; unlike their parent class they are not printed."""


def configure(app: Sphinx, config: Config) -> None:
    config.html_title = config.project = LANGUAGES[config.language].title


def page_keywords(app: Sphinx, docname: str) -> list[str]:
    """A question's keywords in the language being built; none where its front matter is faulty (page_rules warns)."""
    metadata = app.env.metadata.get(docname, {})
    try:
        return [word for key in LANGUAGES[app.config.language].keywords for word in keywords(metadata, key)]
    except ValueError:
        return []


def index_keywords(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Hand the keywords to Sphinx's index. It takes each one whole, so they are cut here as its own words are."""
    if is_question(docname) and getattr(app.builder, "search", False):
        words = page_keywords(app, docname)
        parts = [part for word in words for part in app.builder.indexer.lang.split(word)]
        doctree.insert(0, SearchWords(name="keywords", content=", ".join(dict.fromkeys(parts))))


def write_keywords(app: Sphinx, exception: Exception | None) -> None:
    """Write ``_static/keywords.js``: each question's keywords, for the search page to rank by (``search.js``)."""
    if exception is None and getattr(app.builder, "search", False):
        table = {docname: page_keywords(app, docname) for docname in sorted(app.env.found_docs) if is_question(docname)}
        text = f"// Each question's keywords, as its front matter has them.\nconst KEYWORDS = {json.dumps(table, ensure_ascii=False)};\n"
        (app.outdir / "_static" / "keywords.js").write_text(text, "utf-8")


def context(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["languages"] = LANGUAGES
    context["language_code"] = app.config.language
    context["keywords"] = page_keywords(app, pagename)


def skip(self: nodes.NodeVisitor, node: nodes.Node) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    app.add_node(SearchWords, html=(skip, None))
    app.connect("config-inited", configure)
    app.connect("doctree-resolved", index_keywords)
    app.connect("html-page-context", context)
    app.connect("build-finished", write_keywords)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
