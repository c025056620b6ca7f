"""Markdown of a page or a part of it, in the language being built.

The Chinese pages have no Markdown of their own, only catalogs; so it is written from the nodes, by sphinx-markdown-builder's translator
with what it lacks: our boxes, links with addresses that work elsewhere, and code spans that hold backticks.
https://pypi.org/project/sphinx-markdown-builder/
"""

import re

import docutils.utils
from docutils import nodes
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.locale import _
from sphinx_markdown_builder.contexts import SubContext, SubContextParams, TitleContext
from sphinx_markdown_builder.translator import MarkdownTranslator

from export_pages import address, target


class Markdown(MarkdownTranslator):
    """Writes nodes of page ``docname`` as Markdown; headings start at ``level``."""

    def __init__(self, document: nodes.document, builder: StandaloneHTMLBuilder, docname: str, level: int = 0):
        super().__init__(document, builder)
        self.docname = docname
        self._push_status(section_level=level)

    def visit_admonition(self, node: nodes.admonition) -> None:
        """A box is a section of the rank below: its title starts with what it is, as in ``Myth: …``."""
        self._push_context(SubContext(SubContextParams(2, 2)))
        self._push_status(section_level=self.status.section_level + 1)

    def depart_admonition(self, node: nodes.admonition) -> None:
        self._pop_status()
        self._pop_context()

    def visit_title(self, node: nodes.title) -> None:
        self._push_context(TitleContext(min(self.status.section_level, 6)))

    def depart_title(self, node: nodes.title) -> None:
        self._pop_context()

    def depart_inline(self, node: nodes.inline) -> None:
        if "label" in node["classes"]:
            self.add(_("%s: ") % "")

    def visit_inline(self, node: nodes.inline) -> None:
        pass

    def visit_literal(self, node: nodes.literal) -> None:
        """A code span; around backticks stand two: https://spec.commonmark.org/0.31.2/#code-spans"""
        text = node.astext()
        longest = max((len(run) for run in re.findall("`+", text)), default=0)
        fence = "`" * (longest + 1)
        self.add(f"{fence} {text} {fence}" if longest else f"{fence}{text}{fence}")
        raise nodes.SkipNode

    def visit_math_block(self, node: nodes.math_block) -> None:
        self.add(f"$$\n{node.astext().strip()}\n$$", prefix_eol=2, suffix_eol=2)
        raise nodes.SkipNode

    def visit_term(self, node: nodes.term) -> None:
        self.ensure_eol(2)

    def visit_versionmodified(self, node: nodes.Element) -> None:
        """Its first words, in the page's language, say from which version."""
        self._push_context(SubContext(SubContextParams(2, 2)))

    def depart_versionmodified(self, node: nodes.Element) -> None:
        self._pop_context()

    def visit_image(self, node: nodes.image) -> None:
        """Say what a picture shows; its file is on the page."""
        alternative = " ".join(node.get("alt", "").split())
        if alternative:
            self.add(f"![{alternative}]({address(self.config, self.docname)})")
        raise nodes.SkipNode

    def _fetch_ref_uri(self, node: nodes.reference) -> str:
        if "refid" in node:
            return address(self.config, self.docname, node["refid"])
        found = target(self.builder, self.docname, node.get("refuri", ""))
        return address(self.config, *found) if found and not re.match(r"[a-z]+:", node["refuri"]) else node.get("refuri", "")


# What has no words of its own, or none that Markdown could hold
for skipped in ("comment", "meta", "toctree", "raw", "target", "substitution_definition"):
    setattr(Markdown, f"visit_{skipped}", Markdown._skip)


def markdown(builder: StandaloneHTMLBuilder, docname: str, parts: list[nodes.Node], level: int = 0, links: bool = True) -> str:
    """The parts of a page (copies; the page stays as it is) as Markdown without a line break at the end.

    ``level`` is the rank of the heading above the parts; without ``links`` a link is only its text.
    """
    document = docutils.utils.new_document(docname, builder._settings)
    document += [part.deepcopy() for part in parts]
    for link in [] if links else list(document.findall(nodes.reference)):
        link.parent.replace(link, link.children)
    translator = Markdown(document, builder, docname, level)
    document.walkabout(translator)
    return re.sub(r"\n{3,}", "\n\n", translator.astext()).strip()
