"""The builder ``questions``: all questions as data, from the nodes of the site's pages.

For each language it writes

- ``questions.json``, after the schema ``docs/_export/questions.schema.json``: texts are Markdown, formulas TeX between dollars;
- ``llms.txt`` and ``llms-full.txt`` (https://llmstxt.org/): the list of questions, and their whole pages, as Markdown;
- ``cards.json`` and ``_images/``: the same texts as HTML, for ``export_anki.py`` and the cheat sheet.
"""

import json
import re
from collections.abc import Set
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.errors import SphinxError
from sphinx.locale import _

from export_markdown import markdown
from export_pages import address, date, links_out, questions, target, topic
from languages import LANGUAGES, page_keywords
from question import ASKED, LEVELS, boxes, without_right

SCHEMA = "questions.schema.json"
LICENCE = "CC-BY-4.0"


class QuestionsBuilder(StandaloneHTMLBuilder):
    """Writes no page: what each page gives is kept, and written at the end."""

    name = "questions"
    epilog = "The questions are in %(outdir)s."
    search = False
    copysource = False
    allow_parallel = False  # one process gathers all pages; they are few

    def init(self) -> None:
        super().init()
        self.gathered: dict[str, dict[str, Any]] = {}
        self.cards: dict[str, dict[str, Any]] = {}
        self.short: dict[str, str] = {}
        self.full: dict[str, str] = {}

    def copy_assets(self) -> None:
        """The pictures alone, at the end."""

    def get_theme_config(self) -> tuple[str, dict]:
        return self.config.html_theme, {}  # the site's options are for its own theme

    def get_outdated_docs(self) -> list[str]:
        return [*questions(self.env), "glossary"] if "glossary" in self.env.found_docs else questions(self.env)

    def write_documents(self, _docnames: Set[str]) -> None:
        wanted = self.get_outdated_docs()
        self.prepare_writing(set(wanted))
        for docname in wanted:
            doctree = self.env.get_and_resolve_doctree(docname, self)
            self.write_doc(docname, doctree)

    def write_doc(self, docname: str, doctree: nodes.document) -> None:
        if docname != "glossary":
            self.gathered[docname] = self.question(docname, doctree)
            self.cards[docname] = self.card(docname, doctree)
            self.short[docname] = markdown(self, docname, content(boxes(doctree, "answer")[0]), links=False)
        body = [section for section in doctree.children if isinstance(section, nodes.section)]
        self.full[docname] = markdown(self, docname, body, level=2 if docname in self.gathered else 1)

    def finish(self) -> None:
        if not self.gathered:
            raise SphinxError("there is no question to export: is a topic's index in the root's table of contents?")
        self.copy_image_files()
        versions = {entry["verified"]["torch"] for entry in self.gathered.values() if entry["verified"]}
        head = {
            "language": LANGUAGES[self.config.language].tag,
            "title": self.config.html_title,
            "site": self.config.site_url or None,
            "date": date(),
            "licence": LICENCE,
            "torch": max(versions) if versions else None,
        }
        self.save("questions.json", {"$schema": SCHEMA} | head | {"questions": list(self.gathered.values())})
        self.save("cards.json", head | {"words": words(), "questions": list(self.cards.values())})
        (self.outdir / "llms.txt").write_text(self.llms(full=False), "utf-8")
        (self.outdir / "llms-full.txt").write_text(self.llms(full=True), "utf-8")

    def save(self, name: str, content: dict) -> None:
        (self.outdir / name).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")

    def facts(self, docname: str) -> dict[str, Any]:
        """What a question's page says of itself, apart from its text."""
        metadata, slug = self.env.metadata[docname], topic(docname)
        return {
            "id": docname.rpartition("/")[2],
            "url": address(self.config, docname),
            "topic": {"id": slug, "title": self.env.titles[f"questions/{slug}/index"].astext()},
            "level": int(metadata["level"]),
            "asked": metadata["asked"],
        }

    def question(self, docname: str, doctree: nodes.document) -> dict[str, Any]:
        """A question as ``questions.json`` has it."""

        def text(*parts: nodes.Node) -> str:
            return markdown(self, docname, list(parts))

        def inline(children: list[nodes.Node]) -> str:
            return text(nodes.paragraph("", "", *(child.deepcopy() for child in children)))

        stamp = self.env.stamps[docname]
        related, links = self.links(docname, doctree)
        return self.facts(docname) | {
            "keywords": page_keywords(self.app, docname),
            "question": inline(doctree.next_node(nodes.title).children),
            "answer": text(*content(boxes(doctree, "answer")[0])),
            "myths": [
                {
                    "id": myth["ids"][0],
                    "claim": inline(name(myth)),
                    "proof": text(*content(myth)[:-1]),
                    "right": without_right(text(content(myth)[-1])),
                }
                for myth in boxes(doctree, "myth")
            ],
            "followups": [
                {"id": box["ids"][0], "question": inline(name(box)), "answer": text(*content(box))} for box in boxes(doctree, "followup")
            ],
            "related": related,
            "links": links,
            "verified": {"torch": stamp.torch, "date": stamp.date, "examples": stamp.outputs} if stamp.verified else None,
        }

    def links(self, docname: str, doctree: nodes.document) -> tuple[list[str], list[dict[str, str]]]:
        """The questions that a page links to, by id, and its links to other sites, each once."""
        related, links = {}, {}
        for link in doctree.findall(nodes.reference):
            uri = link.get("refuri", "")
            if re.match(r"https?:", uri):
                links.setdefault(uri, {"text": link.astext(), "url": uri})
            elif (found := target(self, docname, uri)) and found[0] != docname and found[0] in self.env.stamps:
                related[found[0].rpartition("/")[2]] = None
        return list(related), list(links.values())

    def card(self, docname: str, doctree: nodes.document) -> dict[str, Any]:
        """A question as ``cards.json`` has it: as HTML, with figures under the answer."""

        def html(*parts: nodes.Node) -> str:
            return self.fragment(docname, list(parts))

        def inline(children: list[nodes.Node]) -> str:
            return html(nodes.paragraph("", "", *(child.deepcopy() for child in children))).removeprefix("<p>").removesuffix("</p>")

        metadata = self.env.metadata[docname]
        pictures = list(doctree.findall(nodes.image))
        return self.facts(docname) | {
            "level_name": str(LEVELS[str(metadata["level"])]),
            "asked_name": str(ASKED[metadata["asked"]]),
            "question": inline(doctree.next_node(nodes.title).children),
            "answer": html(*content(boxes(doctree, "answer")[0])),
            "figures": html(*(nodes.paragraph("", "", picture.deepcopy(), classes=["picture"]) for picture in pictures)),
            "images": sorted({self.images[picture["uri"]] for picture in pictures if picture["uri"] in self.images}),
            "myths": [
                {
                    "id": myth["ids"][0],
                    "claim": inline(name(myth)),
                    "proof": html(*content(myth)[:-1]),
                    "right": html(content(myth)[-1]),
                }
                for myth in boxes(doctree, "myth")
            ],
            "followups": [
                {"id": box["ids"][0], "question": inline(name(box)), "answer": html(*content(box))} for box in boxes(doctree, "followup")
            ],
        }

    def fragment(self, docname: str, parts: list[nodes.Node]) -> str:
        """Parts of a page as HTML that stands by itself: no anchors, no link that leads nowhere."""
        if not parts:
            return ""
        holder = nodes.container("", *(part.deepcopy() for part in parts))
        self.post_process_images(holder)
        links_out(self, holder, docname)
        for node in holder.findall(nodes.Element):
            node["ids"] = []
        self.current_docname = docname
        self.imgpath = "_images"
        html = self.render_partial(holder)["fragment"].strip()
        return re.sub(r'^<div class="docutils container">\s*(.*?)\s*</div>$', r"\1", html, flags=re.DOTALL)

    def llms(self, full: bool) -> str:
        """The text of ``llms.txt``, or of ``llms-full.txt``."""
        summary = _(
            "PyTorch interview questions, each with a thirty-second answer, the myths about it and the questions that come next. "
            "Every Python example was executed and its output compared."
        )
        parts = [f"# {self.config.html_title}", f"> {summary}"]
        for title, group in groupby(self.gathered, key=lambda docname: self.gathered[docname]["topic"]["title"]):
            parts.append(f"## {title}")
            if full:
                parts += [f"{self.full[docname]}\n\n<{self.gathered[docname]['url']}>" for docname in group]
            else:
                parts.append("\n".join(self.entry(docname) for docname in group))
        if full and "glossary" in self.full:
            parts.append(self.full["glossary"])
        elif "glossary" in self.full:
            parts.append(f"## Optional\n\n- [{self.env.titles['glossary'].astext()}]({address(self.config, 'glossary')})")
        return "\n\n".join(parts) + "\n"

    def entry(self, docname: str) -> str:
        """A question's line in ``llms.txt``."""
        question = self.gathered[docname]
        return f"- [{question['question']}]({question['url']}): {' '.join(self.short[docname].split())}"


def words() -> dict[str, Any]:
    """The words on Anki's cards, in the language being built."""
    return {
        "label_answer": _("Say it in thirty seconds"),
        "label_myth": _("True or false? Say why."),
        "label_followup": _("Follow-up"),
        "false": _("False."),
        "cheat_sheet": _("Cheat sheet"),
        "about": _("About: %s"),
        "source": _("The page: %s"),
        "description": _("PyTorch interview questions whose answers run: %(count)s cards, checked with torch %(torch)s. Text: CC BY 4.0."),
        "answer": _("Answer"),
        "myth": _("Myth"),
        "followup": _("Follow-up"),
        "tags": {"topic": _("Topic"), "level_name": _("Level"), "asked_name": _("Frequency"), "kind": _("Kind")},
    }


def name(box: nodes.admonition) -> list[nodes.Node]:
    """The words of a box's title, without the label that says what it is."""
    return [node for node in box.next_node(nodes.title).children if "label" not in getattr(node, "attributes", {}).get("classes", ())]


def content(box: nodes.admonition) -> list[nodes.Node]:
    """What a box holds below its title."""
    return [node for node in box.children if not isinstance(node, nodes.title)]


def setup(app: Sphinx) -> dict:
    app.add_builder(QuestionsBuilder)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
