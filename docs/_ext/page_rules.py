"""The rules that every question's page keeps, checked whenever pages are read.

A page under ``questions/TOPIC/`` has front matter (``level``, ``asked``, ``keywords``), its file's name as its
label, one short answer, myths that are proved, follow-ups, and the two closing sections. Each
fault is a warning with file and line, so an error under ``-W``. ``docs/contribute.md`` tells the rules to people.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util import logging

from question import RIGHT, boxes

logger = logging.getLogger(__name__)

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
PAGE = re.compile(r"questions/[a-z0-9-]+/(?!index$)([a-z0-9-]+)")
ASKED = ("often", "sometimes", "rarely")
LEVELS = ("1", "2", "3")
LANGUAGES = ("en", "zh")
MAXIMUM_WORDS = 80
MAXIMUM_CHARACTERS = 150
CHINESE = re.compile(r"[\u3400-\u9fff]")
SECTIONS = ("What a strong answer adds", "See also")


def is_question(docname: str) -> bool:
    """Whether a document is a question's page: ``questions/TOPIC/SLUG``, and not a topic's index."""
    return bool(PAGE.fullmatch(docname))


def check(app: Sphinx, doctree: nodes.document) -> None:
    """Check the page that was just read, and warn of each fault where it stands."""
    docname = app.env.docname
    if not is_question(docname):
        return
    source = Path(app.env.doc2path(docname)).read_text("utf-8-sig")
    if app.config.language == "zh_CN":
        faults = answer_length(doctree, chinese=True)
    else:
        faults = [*front_matter(app.env.metadata[docname], source), *anatomy(doctree, docname, source)]
    for line, message in faults:
        logger.warning(message, location=(docname, line), type="page_rules")


def line_of(source: str, pattern: str) -> int:
    """The number of the first line that matches, 1 where none does."""
    lines = enumerate(source.splitlines(), start=1)
    return next((number for number, line in lines if re.match(pattern, line)), 1)


def keywords(metadata: dict, language: str) -> list[str]:
    """The front matter's keywords in ``en`` or ``zh``; MyST hands nested values over as JSON.

    Raises ValueError where they are not a mapping from language to a list of texts.
    """
    try:
        words = json.loads(metadata.get("keywords") or "null")[language]
    except (ValueError, TypeError, KeyError):
        raise ValueError(language) from None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) and word.strip() for word in words):
        raise ValueError(language)
    return words


def former_names(metadata: dict) -> list[str]:
    """The slugs that a question had before, by the front matter's ``formerly``; what readers remember goes by the slug.

    Raises ValueError where they are not a list of slugs.
    """
    try:
        names = json.loads(metadata.get("formerly") or "[]")
    except (ValueError, TypeError):
        raise ValueError("formerly") from None
    if not isinstance(names, list) or not all(isinstance(name, str) and SLUG.fullmatch(name) for name in names):
        raise ValueError("formerly")
    return names


def front_matter(metadata: dict, source: str) -> Iterator[tuple[int, str]]:
    """Faults of ``level``, ``asked`` and ``keywords``, as pairs of line and message."""
    for key, allowed in (("level", LEVELS), ("asked", ASKED)):
        if str(metadata.get(key)) not in allowed:
            yield line_of(source, rf"{key}:"), f"front matter: {key} must be one of {', '.join(allowed)}, not {metadata.get(key)!r}"
    for language in LANGUAGES:
        try:
            keywords(metadata, language)
        except ValueError:
            yield (
                line_of(source, r"keywords:"),
                f"front matter: keywords must hold a list of texts under {language!r}; quote a word with a colon or a comma in it",
            )
    try:
        former_names(metadata)
    except ValueError:
        yield line_of(source, r"formerly:"), "front matter: formerly must be a list of this question's former slugs: [old-name]"
    # YAML lets the last of them win.
    for key, count in Counter(re.findall(r"^\s*([\w-]+):", front_matter_text(source), re.MULTILINE)).items():
        if count > 1:
            yield line_of(source, rf"\s*{key}:"), f"front matter: {key!r} is there {count} times"
    unknown = set(metadata) - {"level", "asked", "keywords", "formerly", "wordcount"}  # MyST counts words
    if unknown:
        key = min(unknown)
        yield (
            line_of(source, rf"{key}:"),
            f"front matter: {key!r} is not a key of a question; the keys are level, asked, keywords, formerly",
        )


def front_matter_text(source: str) -> str:
    """What stands between the first two lines ``---``; empty where the page does not begin with one."""
    match = re.match(r"---[ \t]*\n(.*?)^---[ \t]*$", source, re.DOTALL | re.MULTILINE)
    return match[1] if match else ""


def anatomy(doctree: nodes.document, docname: str, source: str) -> Iterator[tuple[int, str]]:
    """Faults in the parts of a page, as pairs of line and message."""
    slug = docname.rpartition("/")[2]
    labels = re.findall(r"^\(([^)]+)\)=\s*$", source, re.MULTILINE)
    if not labels or labels[0] != slug:
        yield line_of(source, r"\([^)]+\)=|# "), f"the label above the title must be the file's name: ({slug})="
    title = doctree.next_node(nodes.section)
    answers = boxes(doctree, "answer")
    if len(answers) != 1:
        yield 1, f"a question has one {{answer}}, this page has {len(answers)}"
    elif title is None or answers[0].parent is not title:
        yield answers[0].line, "the {answer} comes first, before any section"
    yield from answer_length(doctree, chinese=False)
    for myth in boxes(doctree, "myth"):
        if not proved(myth):
            yield myth.line, "a {myth} needs its proof: a ```pycon example inside it, or a {ref} to one by label"
        if not isinstance(myth[-1], nodes.paragraph) or not myth[-1].astext().startswith(RIGHT["en"]):
            yield myth.line, f"a {{myth}} ends with what to say instead: a last paragraph that begins with '{RIGHT['en']}'"
    followups = len(boxes(doctree, "followup"))
    if not 2 <= followups <= 4:
        yield 1, f"a question has two to four {{followup}} boxes, this page has {followups}"
    headings = [section.next_node(nodes.title).astext() for section in doctree.findall(nodes.section)]
    for heading in SECTIONS:
        if heading not in headings:
            yield 1, f"the section '## {heading}' is missing"


def proved(myth: nodes.admonition) -> bool:
    """Whether a myth holds a verified example, or links to one by label."""
    examples = (node for node in myth.findall(nodes.literal_block) if node.get("testnodetype") == "doctest")
    links = (node for node in myth.findall(addnodes.pending_xref) if node.get("reftype") == "ref")
    return any(True for _ in examples) or any(True for _ in links)


def answer_length(doctree: nodes.document, chinese: bool) -> Iterator[tuple[int, str]]:
    """The fault of an answer too long to say in thirty seconds."""
    for answer in boxes(doctree, "answer"):
        text = " ".join(node.astext() for node in answer.findall(nodes.paragraph))
        count, maximum, unit = (
            (len(CHINESE.findall(text)), MAXIMUM_CHARACTERS, "Chinese characters")
            if chinese
            else (len(text.split()), MAXIMUM_WORDS, "words")
        )
        if count > maximum:
            yield answer.line, f"the {{answer}} has {count} {unit}; more than {maximum} can't be said in thirty seconds"


def setup(app: Sphinx) -> dict:
    app.connect("doctree-read", check)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
