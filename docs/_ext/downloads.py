"""``{downloads}``: the list of what can be taken along, each with its size and date.

The files are made by ``nox -s export``, after the site; whether they are there is not known while it is built. So the page holds
two texts, written in its language: that there are none, which shows, and the list, in a comment. ``fill`` shows the one that is true.
"""

import re
from html import escape
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

FOLDER = "downloads"
BLOCK = re.compile(
    r"<!--downloads-none (?P<none>.*?) -->\n<!--downloads-list (?P<list>.*?) -->\n<!--downloads-->.*?<!--/downloads-->", re.DOTALL
)
FACTS = re.compile(r"\[\[facts:(?P<file>[^\]]+)\]\]")


class Download(NamedTuple):
    """A file: its name, relative to the site's root, its title, and what it is for."""

    file: str
    title: str
    purpose: str


def files(language: str) -> list[Download]:
    """What a reader of one language is offered, in that language."""
    return [
        Download(
            f"{FOLDER}/pytorch-interview-{language}.apkg",
            _("Anki deck"),
            _("flash cards of all answers, myths and follow-ups. Importing a later one updates your cards and keeps your progress"),
        ),
        Download(f"{FOLDER}/pytorch-interview-bilingual.apkg", _("Anki deck, bilingual"), _("English and Chinese on each card")),
        Download(f"{FOLDER}/pytorch-interview-{language}.epub", _("EPUB"), _("the whole book for e-readers and phones")),
        Download(f"{FOLDER}/pytorch-interview-{language}.pdf", _("PDF"), _("the whole book on A4, to print or to annotate")),
        Download(
            f"{FOLDER}/pytorch-interview-cheat-sheet-{language}.pdf",
            _("Cheat sheet"),
            _("all thirty-second answers, for the evening before"),
        ),
        Download(
            f"{FOLDER}/pytorch-interview-site.zip", _("The site as a ZIP"), _("both languages; unzip, open index.html, no server needed")
        ),
        Download(
            f"{FOLDER}/questions-{language}.json", "questions.json", _("questions, answers, myths and follow-ups as data, to build on")
        ),
        Download(f"{FOLDER}/questions.schema.json", "questions.schema.json", _("its JSON Schema")),
        Download(llms(language), "llms.txt", _("the list of questions for language models")),
        Download(llms(language, full=True), "llms-full.txt", _("the text of all questions for language models")),
    ]


def llms(language: str, full: bool = False) -> str:
    """The file's name, at the site's root, where https://llmstxt.org/ wants it; English has the plain name."""
    return f"llms{'-full' if full else ''}{'' if language == 'en' else f'-{language}'}.txt"


class Downloads(SphinxDirective):
    """``{downloads}``, without arguments. Only HTML shows it."""

    def run(self) -> list[nodes.Node]:
        root = "../" * (self.env.docname.count("/") + 1)
        none = _("This copy of the site has no downloads. <code>nox -s export</code> makes them.")
        items = [
            f'<li><a href="{root}{each.file}">{escape(str(each.title))}</a> <span class="facts">[[facts:{each.file}]]</span>'
            f"<br>{escape(str(each.purpose))}</li>"
            for each in files(self.config.language)
        ]
        none = none.replace("<code>", '<code class="docutils literal notranslate">')
        none, listed = f'<p class="no-downloads">{none}</p>', f'<ul class="downloads">{"".join(items)}</ul>'
        text = f"<!--downloads-none {none} -->\n<!--downloads-list {listed} -->\n<!--downloads-->{none}<!--/downloads-->\n"
        return [nodes.raw("", text, format="html")]


def size(count: int) -> str:
    """A number of bytes as readers write it: ``640 kB``, ``1.8 MB``."""
    return f"{count / 1e6:.1f} MB" if count >= 999_500 else f"{max(round(count / 1e3), 1)} kB"


def fill(page: str, site: Path | None, date: str) -> str:
    """A page in which the list of downloads says what lies in ``site``, or, where that is None, that there are none.

    Raises FileNotFoundError where the list names a file that is not there.
    """

    def shown(match: re.Match) -> str:
        text = match["none"]
        if site is not None:
            text = FACTS.sub(lambda facts: f"{size((site / facts['file']).stat().st_size)} · {date}", match["list"])
        return f"{match[0].partition('<!--downloads-->')[0]}<!--downloads-->{text}<!--/downloads-->"

    return BLOCK.sub(shown, page)


def setup(app: Sphinx) -> dict:
    app.add_directive("downloads", Downloads)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
