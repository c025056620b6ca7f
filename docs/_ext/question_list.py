"""``{questions}``: every question of the site by topic, with level and frequency.

On the home page a form above it, which ``questions.js`` brings to life, narrows it by words, topic, level and frequency.

The topics are those of the root document's tables of contents, in their order; a topic's title and its
questions' titles are those of the pages, so the list is right in each language and costs an author nothing. Inside a topic's page
it lists that topic alone.
"""

from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

from page_rules import is_question
from question import ASKED, LEVELS, facts


class QuestionList(nodes.General, nodes.Element):
    """Stands for the list until all titles are known."""


class ListDirective(SphinxDirective):
    """A directive without arguments that leaves a ``placeholder`` for what is gathered from all pages.

    Its page is marked, so that :func:`refresh` writes it again whenever a page has changed.
    """

    placeholder: type[nodes.Element]

    def run(self) -> list[nodes.Node]:
        self.env.metadata[self.env.docname]["lists-questions"] = "true"
        return [self.placeholder()]


class Questions(ListDirective):
    """``{questions}``, without arguments."""

    placeholder = QuestionList


def topics(env: BuildEnvironment, docname: str) -> dict[str, list[str]]:
    """The topics to list on a page: their index documents, each with its questions, in the order of the tables of contents."""
    names = env.toctree_includes.get(env.config.root_doc, []) if docname == env.config.root_doc else [docname]
    found = {name: [page for page in env.toctree_includes.get(name, []) if is_question(page)] for name in names}
    return {name: pages for name, pages in found.items() if pages}


def link(app: Sphinx, docname: str, target: str, anchor: str = "") -> nodes.reference:
    """A link from a page to another, showing the other's title, or to an anchor on it."""
    uri = app.builder.get_relative_uri(docname, target) + (f"#{anchor}" if anchor else "")
    return nodes.reference("", "", *env_title(app.env, target), refuri=uri, internal=True)


def env_title(env: BuildEnvironment, docname: str) -> list[nodes.Node]:
    return [child.deepcopy() for child in env.titles[docname].children]


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for placeholder in list(doctree.findall(QuestionList)):
        content = []
        listed = topics(app.env, docname)
        if docname == app.config.root_doc and app.builder.name == "html":
            content.append(nodes.raw("", filter_form(app.env, listed), format="html"))
        for topic, pages in listed.items():
            if topic != docname:
                content.append(nodes.paragraph("", "", link(app, docname, topic), classes=["list-heading"]))
            items = nodes.bullet_list(classes=["questions"])
            for page in pages:
                metadata = app.env.metadata[page]
                words = nodes.inline("", facts(metadata), classes=["facts"])
                entry = nodes.list_item("", nodes.paragraph("", "", link(app, docname, page), nodes.Text(" "), words))
                entry["classes"] += [f"topic-{topic.split('/')[-2]}", f"level-{metadata.get('level')}", f"asked-{metadata.get('asked')}"]
                items += entry
            content.append(items)
        placeholder.replace_self(content)


def filter_form(env: BuildEnvironment, listed: dict[str, list[str]]) -> str:
    """The form that narrows the list; hidden until ``questions.js`` makes it work."""
    names = {topic.split("/")[-2]: env.titles[topic].astext() for topic in listed}
    choices = [
        ("topic", _("All topics"), names),
        ("level", _("All levels"), {key: str(name) for key, name in LEVELS.items()}),
        ("asked", _("However often asked"), {key: str(name) for key, name in ASKED.items()}),
    ]
    fields = "".join(
        f'<select name="{name}" aria-label="{escape(every)}"><option value="">{escape(every)}</option>'
        + "".join(f'<option value="{key}">{escape(text)}</option>' for key, text in options.items())
        + "</select>"
        for name, every, options in choices
    )
    words, label, count = (escape(_(text)) for text in ("Words in the question", "Narrow the list", "{count} of {total} questions"))
    return (
        f'<form class="question-filter" aria-label="{label}" data-count="{count}" hidden>'
        f'<input type="search" name="words" aria-label="{words}" placeholder="{words}" autocomplete="off">{fields}'
        f'<button type="reset">{escape(_("Show all"))}</button><p role="status"></p></form>'
        '<script defer src="_static/questions.js"></script>'
    )


def refresh(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the lists again whenever a page has changed: it may have a new title."""
    return [docname for docname, metadata in env.metadata.items() if "lists-questions" in metadata]


def setup(app: Sphinx) -> dict:
    app.add_node(QuestionList)
    app.add_directive("questions", Questions)
    app.connect("doctree-resolved", resolve)
    app.connect("env-updated", refresh)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
