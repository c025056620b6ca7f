"""The search index: ``_static/search-index.js``, one record for each section and box of every page, in the language being built.

It is written when a build has finished, and loaded by the browser when a reader first searches. ``_static/search-engine.js``, the
same file in the browser and in the tests, cuts its texts into words and ranks; here they are only gathered. Sphinx's own
search is switched off: it demands every word of a query.

A reader may search in either language on either site. So the keywords of both languages, and the page's title, answer and headings in
the other language, go with each page.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import polib
from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.transforms import SphinxTransform
from sphinx.util.nodes import extract_messages

from error_list import entry_anchor, raised_in
from page_rules import is_question, keywords
from per_page import collect, found
from question import facts
from question_list import topics

BOXES = ("answer", "myth", "followup")
GALLERY = "auto_examples/"
# What leads elsewhere, or repeats what stands elsewhere, answers nothing; of such a page the title and keywords are kept.
SKIPPED_SECTIONS = {"see-also"}
SKIPPED_CLASSES = {"sphx-glr-footer", "sphx-glr-download-link-note", "sphx-glr-timing", "sphx-glr-signature", "sphx-glr-thumbnails"}
SKIPPED_PAGES = {"changelog", "source-claims"}
SKIPPED_NODES = (nodes.comment, nodes.raw, nodes.image, nodes.target, nodes.substitution_definition, nodes.meta, addnodes.toctree)
# Marks in which a link's label waits for the title that it shows, known only when all pages have been read.
LABEL = re.compile("\ue000(.*?)\ue001")
ROLE = re.compile(r"\{[\w-]+\}`([^`<]*?)\s*(?:<[^`>]*>)?`|:[\w:-]+:`([^`<]*?)\s*(?:<[^`>]*>)?`")


@dataclass
class Record:
    """A place that a result leads to: its kind, its title and anchor, its prose and its code."""

    kind: str  # page, section, answer, myth, followup, error or term
    title: str = ""
    anchor: str = ""
    text: list[str] = field(default_factory=list)
    code: list[str] = field(default_factory=list)


def configure(app: Sphinx) -> None:
    """Switch Sphinx's own index off; its page, ``search.html``, is ours."""
    if app.builder.format == "html":
        app.builder.search = False


def pages(app: Sphinx) -> Iterator[tuple[str, dict, str]]:
    """The page that shows results without the overlay: ``search.html?q=…``."""
    if app.builder.name == "html":
        yield "search", {"title": _("Search")}, "search.html"


# Gathering, while pages are read


class Messages(SphinxTransform):
    """Keeps the English title, answer and headings of a page, before their translation takes their place."""

    default_priority = 15  # sphinx.transforms.i18n.Locale has 20

    def apply(self, **_kwargs: object) -> None:
        self.document["messages"] = [
            message
            for node, message in extract_messages(self.document)
            if isinstance(node, nodes.title | nodes.term) or within(node, "answer")
        ]


def within(node: nodes.Node, kind: str) -> bool:
    """Whether a node is in a box of this kind."""
    while node is not None:
        if isinstance(node, nodes.admonition) and kind in node["classes"]:
            return True
        node = node.parent
    return False


def messages(docname: str, doctree: nodes.document) -> list[str]:
    """What the transform kept; the page itself, which is pickled and printed, keeps it no longer."""
    return doctree.attributes.pop("messages", [])


def records(docname: str, doctree: nodes.document) -> list[Record]:
    """The records of a page, in order. The first stands for the page."""
    gathered = [Record("page")]
    if docname not in SKIPPED_PAGES:
        gather(doctree, gathered[0], gathered, docname)
    return gathered


def gather(parent: nodes.Element, record: Record, gathered: list[Record], docname: str) -> None:
    """Put what stands under ``parent`` into its record, and open a record for each section and box."""
    for node in parent.children:
        if isinstance(node, SKIPPED_NODES) or (isinstance(node, nodes.Element) and SKIPPED_CLASSES & set(node["classes"])):
            continue
        if isinstance(node, nodes.section):
            if not SKIPPED_SECTIONS & set(node["ids"]):
                gather(node, opened(node, "section", gathered), gathered, docname)
        elif isinstance(node, nodes.admonition) and (kind := next((name for name in BOXES if name in node["classes"]), None)):
            gather(node, opened(node, kind, gathered), gathered, docname)
        elif isinstance(node, nodes.definition_list_item) and any(term["ids"] for term in node.findall(nodes.term)):
            gather(node, opened(node, "term", gathered), gathered, docname)
        elif isinstance(node, nodes.literal_block):
            record.code.append(node.astext().strip())
            for raised in raised_in(node, docname) if is_question(docname) else ():
                name = f"{raised.type}: {raised.message}" if raised.message else raised.type
                gathered.append(Record("error", name, raised.anchor, code=[node.astext().strip()]))
        elif isinstance(node, nodes.title | nodes.term):
            continue  # taken when its record was opened
        elif isinstance(node, nodes.TextElement):
            if text := readable(node):
                record.text.append(text)
        elif isinstance(node, nodes.Element):
            gather(node, record, gathered, docname)


def opened(node: nodes.Element, kind: str, gathered: list[Record]) -> Record:
    """The record of a section or box; the page's own for its first section."""
    title = node.next_node(nodes.term if kind == "term" else nodes.title)
    if kind == "section" and isinstance(node.parent, nodes.document):
        return gathered[0]
    anchor = (title if kind == "term" else node)["ids"][:1]
    gathered.append(Record(kind, "" if kind == "answer" else readable(title), anchor[0] if anchor else ""))
    return gathered[-1]


def readable(node: nodes.Node) -> str:
    """A node's text as a reader sees it; a formula of more than letters and signs is ``…``."""
    if isinstance(node, nodes.Text):
        return " ".join(node.astext().split("\n"))
    if isinstance(node, nodes.math | nodes.math_block):
        tex = node.astext()
        return "…" if re.search(r"[\\{}]", tex) else tex
    if isinstance(node, addnodes.pending_xref) and node["reftype"] == "ref" and not node.get("refexplicit"):
        return f"\ue000{node['reftarget']}\ue001"
    if isinstance(node, SKIPPED_NODES):
        return ""
    text = "".join(readable(child) for child in node.children)
    return text.strip() if isinstance(node, nodes.paragraph) else text


# Writing, when all have been read


@cache
def catalog(path: Path) -> dict[str, str]:
    """Chinese by English, of a page's catalog; empty where there is none."""
    return {entry.msgid: entry.msgstr for entry in polib.pofile(str(path), encoding="utf-8")} if path.exists() else {}


def plain(message: str) -> str:
    """A message of a catalog without its marks."""
    return re.sub(r"[`*$]|\{[\w-]+\}", "", ROLE.sub(lambda match: match[1] or match[2] or "", message))


def other_language(app: Sphinx, docname: str) -> str:
    """The title, answer and headings of a page in the language that is not being built."""
    given = found(app.env, "search_messages").get(docname, [])
    if app.config.language == "en":
        folders = [Path(folder) / "zh_CN" / "LC_MESSAGES" for folder in app.config.locale_dirs]
        translated = [catalog(folder / f"{docname}.po") for folder in folders]
        given = [chinese for message in given if (chinese := next((table[message] for table in translated if message in table), ""))]
    return " · ".join(dict.fromkeys(map(plain, given)))


def listed_errors(env: BuildEnvironment) -> list[Record]:
    """The entries of the list of error messages, which is made after its page has been read."""
    raised = {(each.type, each.message) for page in found(env, "errors").values() for each in page if each.message}
    return [Record("error", f"{kind}: {message}", entry_anchor(message)) for kind, message in sorted(raised)]


def page_kind(docname: str) -> str:
    if is_question(docname):
        return "question"
    return "example" if "/plot_" in docname else "page"


def page(app: Sphinx, docname: str, given: list[Record]) -> dict:
    """What the browser gets of a page."""
    metadata = app.env.metadata.get(docname, {})
    entry = {
        "url": docname + ".html",
        "kind": page_kind(docname),
        "title": app.env.titles[docname].astext(),
        "topic": topic_of(app.env, docname),
        "facts": facts(metadata),
        "keywords": all_keywords(metadata),
        "other": other_language(app, docname),
        "records": [shown(app.env, record) for record in given],
    }
    return {key: value for key, value in entry.items() if value}


def all_keywords(metadata: dict) -> list[str]:
    """A question's keywords in both languages; none where its front matter is faulty (page_rules warns)."""
    try:
        return [word for language in ("en", "zh") for word in keywords(metadata, language)]
    except ValueError:
        return []


def topic_of(env: BuildEnvironment, docname: str) -> str:
    """The folder of a question or an example."""
    return docname.split("/")[1] if docname.count("/") == 2 and not docname.endswith("/index") else ""


def shown(env: BuildEnvironment, record: Record) -> dict:
    """A record with the titles that its links show. Code comes without prompts: nobody types them."""
    labels = env.domains.standard_domain.labels
    text = LABEL.sub(lambda match: labels.get(match[1], ("", "", match[1]))[2], "\n".join(record.text))
    code = re.sub(r"^(>>>|\.\.\.) ?|^Traceback \(most recent call last\):\n|^  \.\.\.\n", "", "\n".join(record.code), flags=re.MULTILINE)
    entry = {"kind": record.kind, "title": record.title, "anchor": record.anchor, "text": text, "code": code}
    return {key: value for key, value in entry.items() if value}


def topic_titles(app: Sphinx) -> dict[str, str]:
    """The name of each topic, by its folder: those of questions in their order, then those of examples alone."""
    env = app.env
    titles = {name.split("/")[1]: env.titles[name].astext() for name in topics(env, app.config.root_doc)}
    galleries = [name for name in sorted(env.found_docs) if re.fullmatch(rf"{GALLERY}[^/]+/index", name)]
    return titles | {name.split("/")[1]: env.titles[name].astext() for name in galleries if name.split("/")[1] not in titles}


def texts() -> dict[str, str]:
    """The texts of the interface, which ``sphinx.po`` translates."""
    return {
        "one": _("1 result"),
        "many": _("{count} results"),
        "nothing": _("Nothing found for “{query}”."),
        "nothing_here": _("Nothing with these filters."),
        "uncovered": _("No page is about “{query}” yet."),
        "nearest": _("The nearest:"),
        "missing": _("No page mentions {words}."),
        "quoted": _("“{word}”"),
        "comma": _(", "),
        "all_results": _("All results on a page"),
        "kind": _("Kind"),
        "kind_all": _("All"),
        "kind_question": _("Questions"),
        "kind_example": _("Examples"),
        "kind_myth": _("Myths"),
        "kind_error": _("Errors"),
        "kind_term": _("Terms"),
        "label_example": _("Example"),
        "label_error": _("Error"),
        "label_myth": _("Myth"),
        "label_followup": _("Follow-up"),
        "topic": _("Topic"),
        "all_topics": _("All topics"),
    }


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the index, in the order of the pages' names: the same pages give the same file."""
    if exception or app.builder.name != "html":
        return
    catalog.cache_clear()
    gathered = dict(found(app.env, "search_records"))
    for docname in gathered.keys() & {"errors"}:
        gathered[docname] = [*gathered[docname], *listed_errors(app.env)]
    index = {
        "language": app.config.language,
        "texts": texts(),
        "topics": topic_titles(app),
        "pages": [page(app, docname, gathered[docname]) for docname in sorted(gathered)],
    }
    data = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    text = f"// Written by docs/_ext/search_index.py\nwindow.SEARCH_INDEX = {data};\n"
    static = app.outdir / "_static"
    (static / "search-index.js").write_text(text, "utf-8")
    for name in ("searchtools.js", "language_data.js"):  # Sphinx's own search; the theme copies it all the same
        (static / name).unlink(missing_ok=True)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", configure)
    app.connect("html-collect-pages", pages)
    app.add_transform(Messages)
    app.add_js_file("search.js", loading_method="defer")
    collect(app, "search_messages", messages)
    collect(app, "search_records", records)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
