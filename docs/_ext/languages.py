"""What differs by language: the site's title, the switcher, and the keywords that a page states.

``-D language=zh_CN`` is applied after conf.py, so such settings are made at ``config-inited``.
"""

from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config

from page_rules import keywords


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


def configure(app: Sphinx, config: Config) -> None:
    config.html_title = config.project = LANGUAGES[config.language].title


def page_keywords(app: Sphinx, docname: str) -> list[str]:
    """A question's keywords in the language being built; none where its front matter is faulty (page_rules warns)."""
    metadata = app.env.metadata.get(docname, {})
    try:
        return [word for key in LANGUAGES[app.config.language].keywords for word in keywords(metadata, key)]
    except ValueError:
        return []


def context(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["languages"] = LANGUAGES
    context["language_code"] = app.config.language
    context["keywords"] = page_keywords(app, pagename)


def setup(app: Sphinx) -> dict:
    app.connect("config-inited", configure)
    app.connect("html-page-context", context)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
