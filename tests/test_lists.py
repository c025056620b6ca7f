"""What is generated from all pages: the lists of myths and errors, and the table of the source articles' claims."""

import re
from collections import Counter
from pathlib import Path

from bs4 import BeautifulSoup
from docutils import nodes
from docutils.utils import new_document

from conftest import LANGUAGES, ROOT, question_pages
from myth_list import unlinked

# The articles' own numbering: A1 to A11, B1.1 to B2.2, C1 to C16.
CLAIMS = {f"A{n}" for n in range(1, 12)} | {"B1.1", "B1.2", "B1.3", "B1.4", "B2.1", "B2.2"} | {f"C{n}" for n in range(1, 17)}
VERDICTS = {"holds", "wrong", "incomplete", "outdated", "misleading", "answered here"}


def rows() -> list[list[str]]:
    lines = (ROOT / "docs" / "source-claims.md").read_text("utf-8").splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if re.match(r"\| [ABC]\d", line)]


def test_every_claim_of_the_articles_is_settled():
    assert {name for row in rows() for name in row[0].split(", ")} == CLAIMS
    assert {row[2] for row in rows()} <= VERDICTS


def test_every_question_settles_a_claim():
    """Each of the thirty questions comes from an article; a page that grew later need not."""
    linked = {match for row in rows() for match in re.findall(r"<([a-z0-9-]+?)(?:--[a-z0-9-]+)?>`", row[-1])}
    assert linked <= {page.rpartition("/")[2] for page in question_pages()}
    assert len(linked) == 30


def test_the_links_of_the_table_lead_to_their_anchors(site: Path):
    for language in LANGUAGES:
        tree = BeautifulSoup((site / language / "source-claims.html").read_text("utf-8"), "html.parser")
        links = tree.select("table td:last-child a")
        assert len(links) == len(rows())
        for link in links:
            path, _, anchor = link["href"].partition("#")
            page = BeautifulSoup((site / language / path).read_text("utf-8"), "html.parser")
            assert page.find(id=anchor), link["href"]


def test_a_week_is_enough_for_every_question():
    order = (ROOT / "docs" / "reading-order.md").read_text("utf-8")
    week = re.findall(r"^- \{ref\}`([a-z0-9-]+)`$", order.partition("## A week\n")[2], re.MULTILINE)
    questions = [page.rpartition("/")[2] for page in question_pages()]
    missing, extra = sorted(set(questions) - set(week)), sorted(Counter(week) - Counter(questions))
    assert not missing, f"docs/reading-order.md: under 'A week' give each of these a day, as in - {{ref}}`slug`: {', '.join(missing)}"
    assert not extra, f"docs/reading-order.md: under 'A week' these stand twice or are no questions: {', '.join(extra)}"


def test_at_least_thirty_errors_are_explained(site: Path):
    for language in LANGUAGES:
        tree = BeautifulSoup((site / language / "errors.html").read_text("utf-8"), "html.parser")
        assert len(tree.select("ul.errors > li")) >= 30


def test_lists_do_not_hold_whole_pages():
    """A copied node that still pointed to its document made the Chinese environment 400 MB, and a build of 20 s took 15 minutes."""
    document = new_document("page")
    link = nodes.reference("", "", nodes.literal("", "one"), refuri="one.html")
    document += nodes.paragraph("", "", nodes.Text("See "), link)
    document.walk(Adopt(document))
    copies = unlinked(document[0].children)
    assert "".join(copy.astext() for copy in copies) == "See one"
    assert not [node for copy in copies for node in copy.findall() if isinstance(node, nodes.reference) or node.document]


class Adopt(nodes.GenericNodeVisitor):
    """Give every node its document, as a parser does."""

    def default_visit(self, node: nodes.Node) -> None:
        node.document = self.document
