"""What the tests of the exports share: the files that ``nox -s export`` has just made, and what the built site says."""

import re
from functools import cache
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from conftest import SITE, question_pages

FOLDER = SITE / "downloads"


def made(name: str) -> Path:
    """A download of the built site."""
    path = FOLDER / name
    if not path.exists():
        pytest.fail(f"There is no {path}: run nox -s export first")
    return path


@cache
def page(language: str, docname: str) -> BeautifulSoup:
    """A page of the built site."""
    return BeautifulSoup((SITE / language / f"{docname}.html").read_text("utf-8"), "html.parser")


def counts(language: str) -> dict[str, int]:
    """How many answers, myths and follow-ups the site has."""
    trees = [page(language, docname) for docname in question_pages()]
    return {kind: sum(len(tree.select(f".admonition.{kind}")) for tree in trees) for kind in ("answer", "myth", "followup")}


def answer(language: str, docname: str) -> str:
    """A question's answer as the site shows it, squeezed."""
    return squeezed(
        "".join(part.get_text() for part in page(language, docname).select_one(".admonition.answer").select("p:not(.admonition-title)"))
    )


def title(language: str, docname: str) -> str:
    """A question as the site shows it, squeezed."""
    heading = page(language, docname).select_one("article h1")
    return squeezed("".join(text for text in heading.find_all(string=True) if "headerlink" not in text.parent.get("class", [])))


def has_maths(language: str, docname: str) -> bool:
    """Whether the answer holds a formula, whose characters each format puts in an order of its own."""
    return page(language, docname).select_one(".admonition.answer math") is not None


def squeezed(text: str) -> str:
    """Text without what formats treat in ways of their own: spaces, line ends, invisible characters."""
    return re.sub(r"[\s\u00ad\u200b\u2060-\u2064\ufeff]+", "", text)
