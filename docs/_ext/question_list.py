"""``{questions}``: every question of the site by topic, with level and frequency.

The topics are those of the root document's tables of contents, in their order; a topic's title and its
questions' titles are those of the pages, so the list is right in each language and costs an author nothing. Inside a topic's page
it lists that topic alone.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective

from page_rules import is_question
from question import facts


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
        for topic, pages in topics(app.env, docname).items():
            if topic != docname:
                content.append(nodes.paragraph("", "", link(app, docname, topic), classes=["list-heading"]))
            items = nodes.bullet_list(classes=["questions"])
            for page in pages:
                words = nodes.inline("", facts(app.env.metadata[page]), classes=["facts"])
                items += nodes.list_item("", nodes.paragraph("", "", link(app, docname, page), nodes.Text(" "), words))
            content.append(items)
        placeholder.replace_self(content)


def refresh(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Write the lists again whenever a page has changed: it may have a new title."""
    return [docname for docname, metadata in env.metadata.items() if "lists-questions" in metadata]


def setup(app: Sphinx) -> dict:
    app.add_node(QuestionList)
    app.add_directive("questions", Questions)
    app.connect("doctree-resolved", resolve)
    app.connect("env-updated", refresh)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
