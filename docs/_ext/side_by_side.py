"""Side by side: on a question's or example's page a reader may show the other language below each text.

Both languages come from the same gettext messages. So each text carries a key made from its English message, here as the class
``side-…`` of its element, and every build writes what it shows under each key to ``_static/side/DOCNAME.js``. Where a reader asks,
``side_by_side.js`` adds that file of the *other* language with a script tag, which works on ``file://`` too, and puts each text below
its partner. Until then a page carries the keys alone. A key depends on nothing but the message: where a page is newer than
the other language's file, a text is left out and never put in a wrong place.

Texts of the interface, such as a box's label, have no message on the page; they are keyed by their order.
"""

import hashlib
import json
import re
from copy import copy
from functools import lru_cache
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import extract_messages

from languages import LANGUAGES
from page_rules import is_question

FOLDER = Path("_static", "side")
PREFIX = "side-"
DIGITS = 7  # of the hash; two texts of a page that share them are told apart below
TEXTS = nodes.paragraph | nodes.title | nodes.caption | nodes.term | nodes.rubric
EXAMPLE = re.compile(r"auto_examples/.*/plot_\w+")


class StudyTools(nodes.General, nodes.Element):
    """Stands for the buttons under a page's title. They need JavaScript, and stay out of sight without it."""


def has_sides(docname: str) -> bool:
    """Whether readers may show the other language on a page: on a question's and on an example's."""
    return is_question(docname) or bool(EXAMPLE.fullmatch(docname))


def other(language: str) -> str:
    """The code of the other language."""
    [code] = LANGUAGES.keys() - {language}
    return code


class Keys(SphinxTransform):
    """Give each text the key of its English message. It runs before Sphinx's own transform puts the translation there."""

    default_priority = 15

    def apply(self, **options: object) -> None:
        if self.app.builder.name != "html" or not has_sides(self.env.docname):
            return
        taken: dict[str, str] = {}
        for node, message in extract_messages(self.document):
            # The text of a {versionchanged} is an inline node, which is gone later; its paragraph stays.
            text = node.parent if isinstance(node, nodes.inline) else node
            if isinstance(text, TEXTS):
                text["classes"].append(PREFIX + key(message, taken))


def key(message: str, taken: dict[str, str]) -> str:
    """A short name for a message, the same in every language; ``taken`` holds the page's names so far."""
    name = hashlib.sha256(message.encode()).hexdigest()[:DIGITS]
    while taken.setdefault(name, message) != message:
        name += "x"
    return name


def finish(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Key the interface's texts, which stand there by now, and put the buttons below the title."""
    if app.builder.name != "html" or not has_sides(docname):
        return
    shown = [node for node in doctree.findall(lambda node: isinstance(node, TEXTS)) if node.astext().strip()]
    for number, node in enumerate(node for node in shown if not keys_of(node["classes"])):
        node["classes"].append(f"{PREFIX}i{number}")
    title = doctree.next_node(nodes.title)
    place = title.parent.index(title) + 1
    facts = title.parent[place] if place < len(title.parent) else None
    place += isinstance(facts, nodes.paragraph) and "facts" in facts["classes"]
    title.parent.insert(place, StudyTools(docname=docname))


def visit_tools(self: nodes.NodeVisitor, node: StudyTools) -> None:
    """Write the buttons, hidden; each script shows its own."""
    language = other(self.config.language)
    docname, tag = node["docname"], LANGUAGES[language].tag
    source = f"{'../' * (docname.count('/') + 1)}{language}/{(FOLDER / docname).as_posix()}.js"
    failed = _("The other language could not be loaded: you are offline, or it is missing here.")
    self.body.append(f'<div class="study-tools" role="group" aria-label="{_("Study tools")}">')
    self.body.append(
        f'<button type="button" class="both-languages" hidden aria-pressed="false" data-source="{source}" data-lang="{tag}" '
        f'data-failed="{failed}">{_("Show Chinese too")}</button>'
    )
    if is_question(docname):  # records.js
        for name, text in (("read", _("Read")), ("later", _("To review"))):
            self.body.append(
                f'<button type="button" hidden aria-pressed="false" data-mark="{name}" data-question="{docname.rpartition("/")[2]}">'
                f"{text}</button>"
            )
    self.body.append('<span role="status"></span></div>\n')
    raise nodes.SkipNode


def keys_of(classes: list[str]) -> list[str]:
    """The keys among an element's classes, without their prefix."""
    return [name.removeprefix(PREFIX) for name in classes if name.startswith(PREFIX)]


@lru_cache(maxsize=1)
def parse(body: str) -> BeautifulSoup:
    """The body of the page being written, for whoever wants its parts. Who changes it works on a copy."""
    return BeautifulSoup(body, "html.parser")


def inner(element: Tag) -> str:
    """What an element shows, to stand in another page: without links to itself, and without anchors."""
    element = copy(element)
    for link in element.select("a.headerlink"):
        link.decompose()
    for anchor in element.select("[id]"):
        del anchor["id"]
        if anchor.name == "span" and not anchor.contents:
            anchor.decompose()
    return element.decode_contents().strip()


def texts(body: str) -> dict[str, str]:
    """What each keyed element of a page shows. A figure's caption carries its key twice, outside and inside."""
    return {key: inner(element) for element in parse(body).select(f'[class*="{PREFIX}"]') for key in keys_of(element["class"])}


def write(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Write what the other language's page may show of this one, and load the script."""
    if app.builder.name != "html" or doctree is None or not has_sides(pagename):
        return
    app.add_js_file("side_by_side.js", loading_method="defer")
    path = app.outdir / FOLDER / f"{pagename}.js"
    path.parent.mkdir(parents=True, exist_ok=True)
    found = json.dumps(texts(context["body"]), ensure_ascii=False, separators=(",", ":"))
    path.write_text(f"window.sideBySide = {found};\n", "utf-8")


def delete(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Delete the file of a page that is gone."""
    for docname in removed:
        (Path(app.outdir) / FOLDER / f"{docname}.js").unlink(missing_ok=True)
    return []


def setup(app: Sphinx) -> dict:
    app.add_node(StudyTools, html=(visit_tools, None))
    app.add_transform(Keys)
    app.connect("doctree-resolved", finish, priority=600)  # after question.label, which writes the interface's texts
    app.connect("html-page-context", write, priority=400)  # before those that replace the list of scripts
    app.connect("env-get-outdated", delete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
