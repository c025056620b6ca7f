"""``{answer}``, ``{myth}`` and ``{followup}``: the three boxes of a question's page.

They are thin directives over docutils' ``admonition`` node, with the class ``answer``, ``myth`` or
``followup``, so that translation, search, EPUB and later tools read the same standard nodes::

    :::{answer}

    What to say aloud in thirty seconds.

    :::

    :::{myth} "What is widely repeated, and wrong"

    The proof. Right: the sentence to say instead.

    :::

    :::{followup} What comes next?

    Its answer, folded until the reader opens it.

    :::
"""

import re

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.docutils import SphinxDirective

ANCHOR = 60  # characters; enough to tell two boxes of a page apart


class Box(SphinxDirective):
    """A titled box. Its title is the directive's argument; errors if the box is empty."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    kind = ""

    def title(self) -> nodes.title:
        children, messages = self.parse_inline(self.arguments[0])
        title = nodes.title(self.arguments[0], "", *children, *messages)
        self.set_source_info(title)
        return title

    def run(self) -> list[nodes.Node]:
        self.assert_has_content()
        node = nodes.admonition("\n".join(self.content), self.title(), classes=[self.kind])
        self.set_source_info(node)
        node += self.parse_content_to_nodes()
        return [node]


class Linked(Box):
    """A box that other pages link to: its anchor and its label come from its English title, in every language.

    The label is the page's slug, two hyphens and the anchor, as in ``detach--myth-after-detach-the-loss``.
    """

    def run(self) -> list[nodes.Node]:
        [node] = super().run()
        anchor = nodes.make_id(f"{self.kind} {self.arguments[0]}")[:ANCHOR].rstrip("-")
        node["ids"].append(anchor)
        self.state.document.note_explicit_target(node, node)
        slug = self.env.docname.rpartition("/")[2]
        label, title = f"{slug}--{anchor}", node.next_node(nodes.title).astext()
        domain = self.env.domains.standard_domain
        domain.anonlabels[label] = self.env.docname, anchor
        domain.labels[label] = self.env.docname, anchor, title
        return [node]


class Answer(Box):
    """The thirty-second answer. Its title is a text of the interface, translated in ``sphinx.po``."""

    required_arguments = 0
    kind = "answer"

    def title(self) -> nodes.title:
        # Without translatable=False gettext would ask for it again on every page.
        return nodes.title("", _("Say it in thirty seconds"), translatable=False)


class Myth(Linked):
    """An answer that is widely repeated and wrong, with the proof and the right sentence."""

    kind = "myth"


class Followup(Linked):
    """A question that comes next, with its answer folded."""

    kind = "followup"

    def run(self) -> list[nodes.Node]:
        [node] = super().run()
        node["collapsible"] = "closed"
        return [node]


LEVELS = {"1": _("Junior"), "2": _("Mid-level"), "3": _("Senior")}
ASKED = {"often": _("asked often"), "sometimes": _("asked sometimes"), "rarely": _("asked rarely")}
# How the last paragraph of a myth begins, by language; what to say instead follows.
RIGHT = {"en": "Right:", "zh_CN": "正确的说法："}
LABELS = {"myth": _("Myth"), "followup": _("Follow-up")}


def facts(metadata: dict) -> str:
    """A question's level and frequency in words, as in ``Senior · asked often``; empty where the front matter lacks them."""
    words = LEVELS.get(str(metadata.get("level"))), ASKED.get(metadata.get("asked"))
    return " · ".join(str(word) for word in words) if all(words) else ""


def label(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write what a box is into its title, and level and frequency under the page's title. Translation comes before this."""
    for kind, text in LABELS.items():
        for box in boxes(doctree, kind):
            box.next_node(nodes.title).insert(0, nodes.inline("", str(text), classes=["label"]))
    title, words = doctree.next_node(nodes.title), facts(app.env.metadata.get(docname, {}))
    if title is not None and words:
        title.parent.insert(title.parent.index(title) + 1, nodes.paragraph("", words, classes=["facts"]))


def without_right(text: str) -> str:
    """The last paragraph of a myth without what it begins with, as text or Markdown."""
    return re.sub(rf"^\s*(?:{'|'.join(RIGHT.values())})\s*", "", text)


def boxes(doctree: nodes.Node, kind: str) -> list[nodes.admonition]:
    """All boxes of one kind (``answer``, ``myth``, ``followup``) on a page, in order."""
    return [node for node in doctree.findall(nodes.admonition) if kind in node["classes"]]


def setup(app: Sphinx) -> dict:
    for directive in (Answer, Myth, Followup):
        app.add_directive(directive.kind, directive)
    app.connect("doctree-resolved", label)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
