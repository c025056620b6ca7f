"""``{practice}``: the page that deals questions to practise on.

Its cards are the questions' own pages, in parts: the answer, the sections that prove it, what a strong answer adds, the myths and the
follow-ups. While a question's page is written, they go to ``_static/practice/DOCNAME.js`` of its language, and ``practice.js`` loads those
that it deals, of either language, with a script tag. The list of all questions stands in the page itself, as an attribute.

A question that was renamed keeps what readers remember of it: ``formerly: [old-slug]`` in its front matter.
"""

import json
import posixpath
import re
from copy import copy
from html import escape
from pathlib import Path

from bs4 import Tag
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from languages import LANGUAGES
from page_rules import former_names, is_question
from question import ASKED, LEVELS, without_right
from side_by_side import PREFIX, parse

logger = logging.getLogger(__name__)

FOLDER = Path("_static", "practice")
STRONG, SEE_ALSO = "what-a-strong-answer-adds", "see-also"
PAGE_MARK = "practises"

# The texts of the page, in English; sphinx.po has the Chinese. What stands in {braces} is filled in by practice.js.
TEXTS = {
    "topics": _("Topics"),
    "level": _("Level"),
    "asked": _("How often it is asked"),
    "which": _("Which questions"),
    "today": _("Due today, then new ones"),
    "due": _("Due today only"),
    "later": _("Those marked to review"),
    "all": _("All that match"),
    "number": _("Number of questions"),
    "asking": _("Questions in"),
    "answering": _("Answers in"),
    "timer": _("Thirty seconds for each answer"),
    "start": _("Start"),
    "interview": _("Mock interview: six questions, 45 minutes"),
    "counts": _("Matching: {matching}. Due today: {due}. New: {fresh}. Reviewed today: {done}."),
    "nothing": _("No question matches. Choose more topics or levels, or all that match."),
    "position": _("Question {n} of {total}"),
    "seconds": _("{n} s left"),
    "time_up": _("Time is up."),
    "clock": _("Time left: {time}"),
    "show": _("Show the answer"),
    "proof": _("The proof"),
    "strong": _("What a strong answer contains"),
    "true_or_false": _("True or false?"),
    "true": _("True"),
    "false": _("False"),
    "correct": _("Correct."),
    "mistaken": _("Not so."),
    "is_myth": _("This is repeated often, and wrong."),
    "is_right": _("This is right."),
    "followups": _("What comes next"),
    "page": _("The question's page"),
    "grade": _("How well did you know it?"),
    "again": _("Not at all"),
    "hard": _("Barely"),
    "good": _("Well"),
    "easy": _("Easily"),
    "days": _("{n} d"),
    "skip": _("Skip"),
    "next": _("Next question"),
    "leave": _("End the session"),
    "undo": _("Take back the last grade"),
    "undone": _("The last grade was taken back."),
    "done": _("Done."),
    "summary": _("Answered: {n}. Known well or easily: {known}."),
    "back": _("Choose again"),
    "points": _("Points made: {n} of {total}"),
    "share": _("Link to these questions"),
    "missing": _("This question could not be loaded: you are offline, or it is missing here."),
    "data": _("What this browser keeps"),
    "kept": _("Reviews kept: {reviews}, of {questions} questions. They stay in this browser and are sent nowhere."),
    "unknown": _("Kept too: the reviews of {n} questions that this site no longer has."),
    "unkept": _("This browser keeps nothing for this site: what you practise is forgotten when you close the page."),
    "export": _("Save as a file"),
    "import": _("Take from a file"),
    "imported": _("Taken from the file: {n} reviews that were not here yet."),
    "not-json": _("This is no practice file: it can't be read as JSON. Nothing was changed."),
    "foreign": _("This file was not written by this page. Nothing was changed."),
    "newer": _(
        "This file was written by a newer version of this site (format {detail}). Reload the page and try again. Nothing was changed."
    ),
    "damaged": _("This file is damaged at {detail}. Nothing was changed."),
    "failed": _("This did not work: {detail}. Nothing was changed."),
    "offline": _("Reading without a connection"),
    "offline_on": _("Pages that you visit are kept for when there is no connection: {pages} so far."),
    "offline_whole": _("The whole site is kept for when there is no connection."),
    "offline_off": _("Nothing is kept for when there is no connection."),
    "offline_not": _("This browser can't keep pages of this site."),
    "keep_whole": _("Keep the whole site ({size} MB)"),
    "keep_visited": _("Keep what I visit"),
    "keep_none": _("Remove what is kept"),
    "keeping": _("Keeping {count} of {total} files…"),
    "clear": _("Delete everything kept here"),
    "sure": _("Delete all reviews and marks in this browser? This can't be taken back; save them as a file first."),
    "cleared": _("Everything was deleted."),
}


class Practice(nodes.General, nodes.Element):
    """Stands for what practice.js builds."""


class PracticeDirective(SphinxDirective):
    """``{practice}``, without arguments."""

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname][PAGE_MARK] = "true"
        return [Practice()]


def in_order(env: BuildEnvironment) -> list[str]:
    """All questions in the order of the tables of contents; a page that is in none comes last."""
    seen: dict[str, None] = {}

    def walk(docname: str) -> None:
        if docname not in seen:
            seen[docname] = None
            for child in env.toctree_includes.get(docname, []):
                walk(child)

    walk(env.config.root_doc)
    return [docname for docname in [*seen, *sorted(env.found_docs - seen.keys())] if is_question(docname)]


def list_questions(env: BuildEnvironment) -> list[dict]:
    """What the page knows of each question before it is dealt: page, topic, title, level, frequency, former names."""
    return [
        {
            "page": docname,
            "topic": docname.split("/")[1],
            "title": env.titles[docname].astext(),
            "level": str(env.metadata[docname].get("level")),
            "asked": str(env.metadata[docname].get("asked")),
            "formerly": renamed_from(env, docname),
        }
        for docname in in_order(env)
        if docname in env.titles
    ]


def renamed_from(env: BuildEnvironment, docname: str) -> list[str]:
    """A question's former names; none where its front matter is faulty (page_rules warns)."""
    try:
        return former_names(env.metadata[docname])
    except ValueError:
        return []


def check_names(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn where a former name is a question's name today, or was that of two."""
    owners = {docname.rpartition("/")[2]: docname for docname in env.found_docs if is_question(docname)}
    for docname in sorted(filter(is_question, env.found_docs)):
        for name in renamed_from(env, docname):
            if owners.setdefault(name, docname) != docname or name == docname.rpartition("/")[2]:
                logger.warning("front matter: formerly: %s is the name of %s", name, owners[name], location=docname, type="practice")


def list_topics(env: BuildEnvironment, questions: list[dict]) -> dict[str, str]:
    """The topics' titles by folder name, in order."""
    names = dict.fromkeys(question["topic"] for question in questions)
    titles = {name: env.titles.get(f"questions/{name}/index") for name in names}
    return {name: title.astext() if title else name for name, title in titles.items()}


def visit_practice(self: nodes.NodeVisitor, node: Practice) -> None:
    env = self.builder.env
    questions = list_questions(env)
    data = {
        "language": self.config.language,
        "languages": {code: {"tag": language.tag, "name": language.name} for code, language in LANGUAGES.items()},
        "topics": list_topics(env, questions),
        "levels": {level: str(words) for level, words in LEVELS.items()},
        "asked": {asked: str(words) for asked, words in ASKED.items()},
        "texts": {name: str(text) for name, text in TEXTS.items()},
        "questions": questions,
    }
    text = escape(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    without = _("Practising needs JavaScript. Without it every question and its answer can be read on its page.")
    home = self.builder.get_relative_uri(self.builder.current_docname, self.config.root_doc)
    self.body.append(f'<div class="practice" data-practice="{text}"><p>{without} <a href="{home}">{_("All questions")}</a></p></div>\n')
    raise nodes.SkipNode


def parts(body: str, docname: str) -> dict:
    """The parts of a question's page as HTML that any page at the language's root may show."""
    page = parse(body)
    title = page.find("h1")
    answer = page.select_one(".admonition.answer")
    top = title.find_parent("section")
    around = [section for section in top.find_all("section", recursive=False) if section.get("id") not in (STRONG, SEE_ALSO)]
    why = [clean(section, docname, without=".myth, .followup") for section in around]
    strong = top.find("section", id=STRONG)
    return {
        "title": contents(clean(title, docname)),
        "answer": contents(clean(answer, docname, without=".admonition-title")),
        "why": "".join(str(section) for section in why if len(section.find_all(True, recursive=False)) > 1),
        "strong": contents(clean(strong, docname, without=".myth, .followup, h2")) if strong else "",
        "myths": [myth(box, docname) for box in page.select(".admonition.myth")],
        "followups": [followup(box, docname) for box in page.select("details.followup")],
    }


def myth(box: Tag, docname: str) -> dict:
    """A myth: what is claimed, and the proof; what is right, as a sentence of its own."""
    whole = clean(box, docname, without=".label")
    title = whole.select_one(".admonition-title").extract()
    paragraphs = whole.find_all("p", recursive=False)
    right = paragraphs[-1].extract() if paragraphs else None
    if right is not None and (first := right.find(string=True)):
        first.replace_with(without_right(first))
    return {"claim": sentence(contents(title)), "proof": contents(whole), "right": sentence(contents(right)) if right else ""}


def sentence(text: str) -> str:
    """A claim as a sentence: without quotation marks around it, and with a capital letter. Else its looks would tell true from false."""
    inner = re.fullmatch(r"[“\"](.*)[”\"]", text, re.DOTALL)
    if inner and not re.search(r"[“”]", re.sub(r"“[^“”]*”", "", inner[1])):
        text = inner[1]
    return text[:1].upper() + text[1:]


def followup(box: Tag, docname: str) -> dict:
    whole = clean(box, docname, without=".label")
    title = whole.select_one(".admonition-title").extract()
    return {"question": contents(title), "answer": contents(whole)}


def contents(element: Tag) -> str:
    return element.decode_contents().strip()


def clean(element: Tag, docname: str, without: str = "") -> Tag:
    """A copy to stand elsewhere: no anchors, links from the language's root, code that the keyboard can scroll."""
    element = copy(element)
    for each in element.select(f"a.headerlink{', ' + without if without else ''}"):
        each.decompose()
    for each in [element, *element.find_all(True)]:
        if each.attrs.pop("id", None) and each.name == "span" and not each.contents:
            each.decompose()
            continue
        if classes := [name for name in each.get("class", []) if not name.startswith(PREFIX)]:
            each["class"] = classes
        else:
            each.attrs.pop("class", None)
        for attribute in ("href", "src"):
            if attribute in each.attrs:
                each[attribute] = from_root(each[attribute], docname)
    for each in element.select(".highlight > pre, .table-wrapper"):
        each["tabindex"] = "0"
    for each in element.select("th"):  # empty-table-header: the corner of a table is no heading
        if not each.get_text(strip=True):
            each.name = "td"
    for old, new in (("h4", "h5"), ("h3", "h4"), ("h2", "h3")):
        for heading in element.find_all(old):
            heading.name = new
    return element


def from_root(address: str, docname: str) -> str:
    """An address on a page, as the page at the language's root writes it."""
    if re.match(r"[a-z]+:|//", address):
        return address
    if address.startswith("#"):
        return f"{docname}.html{address}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(docname), address))


def write(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """Write a question's parts; load script and stylesheet where the directive stands."""
    if app.builder.name != "html" or doctree is None:
        return
    if app.env.metadata.get(pagename, {}).get(PAGE_MARK):
        app.add_css_file("practice.css")
        app.add_js_file("practice.js", loading_method="defer")
    if is_question(pagename):
        path = app.outdir / FOLDER / f"{pagename}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        name = f"{app.config.language}/{pagename}"
        found = json.dumps(parts(context["body"], pagename), ensure_ascii=False, separators=(",", ":"))
        path.write_text(f"(window.practiceParts ??= {{}})[{json.dumps(name)}] = {found};\n", "utf-8")


def refresh(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the page again whenever a page has changed: it holds the list of questions."""
    return [docname for docname, metadata in env.metadata.items() if PAGE_MARK in metadata]


def delete(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Delete the parts of a page that is gone."""
    for docname in removed:
        (Path(app.outdir) / FOLDER / f"{docname}.js").unlink(missing_ok=True)
    return []


def setup(app: Sphinx) -> dict:
    app.add_node(Practice, html=(visit_practice, None))
    app.add_directive("practice", PracticeDirective)
    app.connect("env-updated", refresh)
    app.connect("env-check-consistency", check_names)
    app.connect("html-page-context", write, priority=400)  # before those that replace the list of scripts
    app.connect("env-get-outdated", delete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
