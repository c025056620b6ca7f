"""The translation gate: every Chinese catalog is complete, faithful and well set.

Run when the Chinese site is built, and by ``nox -s lint``, which extracts the messages afresh. Sphinx, MyST and CommonMark
let all of these through in silence: a missing entry shows in English, a dropped code span is just gone, ``**注意：**不要`` keeps its
asterisks. Each fault is a warning, so an error under ``-W``, with the catalog's file and line and what to do.

Pages are read by MyST's own parser, with our settings; example scripts, which are reStructuredText, by docutils'.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import NamedTuple

import autocorrect_py
import polib
from docutils import frontend, nodes, utils
from docutils.parsers.rst import Parser
from markdown_it.renderer import RendererHTML
from myst_parser.parsers.mdit import create_md_parser
from sphinx.application import Sphinx
from sphinx.util import logging

from question import RIGHT

logger = logging.getLogger(__name__)

autocorrect_py.load_config((Path(__file__).parents[2] / ".autocorrectrc").read_text("utf-8"))

# What Chinese text leaves in English though it looks like words to translate. Add to it when the gate asks for it.
KEPT = {
    "adam",
    "batch",
    "batch size",
    "dropout",
    "google",
    "keras",
    "linux",
    "logits",
    "momentum",
    "python",
    "rank",
    "softmax",
    "sphinx",
    "transformer",
}
PO_LINE = re.compile(r'\s*(?:#.*|(?:msg\w+(?:\[\d\])? )?"(?:[^"\\]|\\.)*")?\s*')
INTERFACE = Path("sphinx.po")
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
HAN = re.compile(r"[\u3400-\u9fff]")
HALF_WIDTH = re.compile(r"[\u3400-\u9fff][,;:!?()\"]|[,;:!?()\"][\u3400-\u9fff]|[\u3400-\u9fff]\.(?!\w)")
TARGET = re.compile(r"\s*<([^>]+)>$")
# TeX among the words of a message: a formula on lines of its own. Sphinx takes it from the page whatever the catalog says.
TEX = re.compile(r"\\[A-Za-z]{2,}|\\\\")
VISIBLE = re.compile(r"\*\*?|`|\]\(|\]\[|(?<![A-Za-z0-9_])_|_(?![A-Za-z0-9_])")
INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2028-\u202e\u2060\ufeff]")
NUMBER = re.compile(r"\d+(?:[.,]\d+)*(?!\d*\s*[万亿])")
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%[sd]")
REST = re.compile(r"``(?P<code>.+?)``|:(?P<role>[a-z][a-z:-]*):`(?P<content>[^`]+)`|`(?P<text>[^`<]+)<(?P<link>[^>`]+)>`__?")
REST_SETTINGS = frontend.get_default_settings(Parser)
REST_SETTINGS.character_level_inline_markup, REST_SETTINGS.report_level = True, 5  # as in docutils.conf; say nothing


class Message(NamedTuple):
    """A message as its parser reads it."""

    marks: Counter[tuple[str, str]]  # what a translation must keep, as pairs of kind and content
    terms: list[tuple[str, str | None]]  # links to the glossary: what they show, and their target where it is written
    words: str  # what is neither code, maths nor role
    shown: str  # the whole as a reader sees it, code and maths between backticks
    single: bool  # whether it is one paragraph, and not a list, a heading, a quotation, two paragraphs …


class Reader:
    """Gathers the parts of a message."""

    def __init__(self) -> None:
        self.marks: Counter[tuple[str, str]] = Counter()
        self.terms: list[tuple[str, str | None]] = []
        self.shown: list[str] = []

    def verbatim(self, kind: str, content: str) -> None:
        self.marks[kind, content] += 1
        self.shown.append("`x`" if CHINESE.search(content) else f"`{content}`")

    def role(self, name: str, content: str) -> None:
        """A role, with what it points to: ``{term}`叶子张量 <leaf tensor>` `` points to ``leaf tensor``."""
        if name in ("math", "code"):
            self.verbatim(name, content)
            return
        explicit = TARGET.search(content)
        text, target = TARGET.sub("", content), explicit and explicit[1]
        self.marks["role", f"{{{name}}} {target or content}"] += 1
        if name == "term":
            self.terms.append((text, target))
        # Without a text of its own such a role shows the title of a Chinese page.
        self.shown.append("字" if name in ("ref", "doc", "term") and not target else text)

    def text(self) -> str:
        """All that is shown. The space that CommonMark wants between ``。**`` and the next word is left out."""
        return re.sub(r"(?<=[，。：；！？”）])\*+ |\*", "", "".join(self.shown))


def read_markdown(app: Sphinx) -> Callable[[str], Message]:
    """What reads the messages of pages."""
    parser = create_md_parser(app.env.myst_config, RendererHTML)

    def read(text: str) -> Message:
        blocks = parser.parse(text)
        found, words = Reader(), []
        for token in (child for block in blocks for child in block.children or ()):
            if token.type == "text":
                words.append(token.content)
                found.shown.append(token.content)
            elif token.type == "code_inline":
                found.verbatim("code", token.content)
            elif token.type.startswith("math_inline"):
                found.verbatim("maths", token.content)
            elif token.type == "myst_role":
                found.role(token.meta["name"], token.content)
            elif token.type in ("link_open", "image"):
                found.marks["link", str(token.attrs.get("href") or token.attrs.get("src"))] += 1
            elif token.type == "footnote_ref":
                found.marks["footnote", token.meta["label"]] += 1
            elif token.type == "html_inline":
                found.marks["HTML", token.content] += 1
            elif token.type.startswith(("strong", "em")):
                found.shown.append("*")
        single = [block.type for block in blocks] == ["paragraph_open", "inline", "paragraph_close"]
        return Message(found.marks, found.terms, " ".join(words), found.text(), single)

    return cache(read)


@cache
def read_rest(text: str) -> Message:
    """Read a message of an example script."""
    found, words, position = Reader(), [], 0
    for match in [*REST.finditer(text), None]:
        words.append(text[position : match.start() if match else len(text)])
        found.shown.append(words[-1])
        if match is None:
            break
        position = match.end()
        if match["code"]:
            found.verbatim("code", match["code"])
        elif match["role"]:
            found.role(match["role"], match["content"])
        else:
            found.marks["link", match["link"]] += 1
            found.shown.append(match["text"].strip())
    document = utils.new_document("", REST_SETTINGS)
    Parser().parse("x".join(words), document)
    single = len(document) == 1 and isinstance(document[0], nodes.paragraph)
    for node in document.findall(nodes.footnote_reference):
        found.marks["footnote", node.get("refname", "#")] += 1
    faulty = [node.astext() for node in document.findall(lambda node: isinstance(node, nodes.problematic | nodes.title_reference))]
    plain = [node for node in document.findall(nodes.Text) if not isinstance(node.parent, nodes.title_reference | nodes.problematic)]
    visible = "".join(plain) + "`" * len(faulty)
    return Message(found.marks, found.terms, visible, re.sub(r"\\ ?", "", found.text()), single)


def read_plain(text: str) -> Message:
    """Read a message of ``sphinx.po``, which has no markup."""
    return Message(Counter(), [], text, text, True)


def needs_chinese(words: str) -> bool:
    """Whether there are words to translate: not only numbers, formulas, names such as DDP or BatchNorm, and what is KEPT."""
    if words.strip(" .:?!").lower() in KEPT:
        return False
    for word in re.split(r"[\s/—–-]+", words):
        bare = word.strip(".,:;?!()\"'“”‘’…*")
        if re.fullmatch(r"[A-Za-z]?[a-z]{2,}(?:['’][a-z]+)?", bare) and bare.lower() not in KEPT:
            return True
    return False


def check_entry(entry: polib.POEntry, read: Callable[[str], Message], glossary: dict[str, str]) -> Iterator[str]:
    """Faults of one entry."""
    if entry.obsolete:
        yield "obsolete: delete the entry, or run nox -s translate"
        return
    if entry.fuzzy:
        yield "marked fuzzy: the English has changed. Mend the Chinese, then delete the '#, fuzzy' line"
    if not entry.msgstr.strip():
        yield "not translated: fill its msgstr"
        return
    english = read(entry.msgid)
    if TEX.search(english.words) or not english.single:
        if not TEX.search(english.words) and needs_chinese(english.words):
            yield "the English begins like a list, a heading or a quotation, so it can't be translated: begin it with a word on the page"
        elif entry.msgstr != entry.msgid:
            yield "a formula on lines of its own is the same in both languages: copy the msgid"
        return
    chinese = read(entry.msgstr)
    if not chinese.single:
        yield "this msgstr is not one paragraph, so the page stays English: begin with a word, and leave no empty line"
    elif needs_chinese(english.words) and not CHINESE.search(chinese.words):
        yield "no Chinese in the msgstr: translate it; if the field says it in English, add it to KEPT in docs/_ext/catalogs.py"
        return
    if entry.msgid.startswith(RIGHT["en"]) and not entry.msgstr.startswith(RIGHT["zh_CN"]):
        yield f"what begins with {RIGHT['en']} in English begins with {RIGHT['zh_CN']} in Chinese: practice and the downloads go by it"
    if "\n" in entry.msgstr:
        yield "a line break in Chinese shows as a space: put the msgstr on one line, without \\n"
    if found := INVISIBLE.search(entry.msgstr):
        yield f"an invisible character, {found[0]!r}: delete it"
    yield from check_marks(entry, english, chinese)
    for text, target in chinese.terms:
        word = glossary.get((target or text).lower())
        if target is None:
            yield f"in Chinese a term names its English target, as in `{word or '中文'} <{text}>`"
        elif word and word not in text:
            yield f"the glossary calls {target!r} {word!r}: use that word"
    yield from check_typography(chinese.shown)


def check_marks(entry: polib.POEntry, english: Message, chinese: Message) -> Iterator[str]:
    """Marks that one language has and the other has not, and marks that stay visible."""
    pairs = (english, chinese), (chinese, english)
    for kind, mark in (english.marks - chinese.marks).elements():
        yield f"the {kind} {mark!r} of the English is missing in the Chinese"
    for kind, mark in (chinese.marks - english.marks).elements():
        yield f"the {kind} {mark!r} is in the Chinese only"
    missing, extra = (Counter(NUMBER.findall(one.words)) - Counter(NUMBER.findall(other.words)) for one, other in pairs)
    if missing and extra:  # one alone may be written out, as in 两个
        yield f"the number {min(missing)} of the English is {min(extra)} in the Chinese"
    for mark in Counter(PLACEHOLDER.findall(entry.msgid)) - Counter(PLACEHOLDER.findall(entry.msgstr)):
        yield f"the placeholder {mark!r} of the English is missing in the Chinese"
    for mark in Counter(VISIBLE.findall(chinese.words)) - Counter(VISIBLE.findall(english.words)):
        yield (
            f"the mark {mark} stays visible: close it, and move punctuation and quotation marks out of it, as in **注意**：不要; "
            "links are written inline, and code in an example script stands between two pairs of backticks"
        )


def check_typography(shown: str) -> Iterator[str]:
    """Full-width punctuation in Chinese, and a space between Chinese and Latin, code or maths."""
    if found := HALF_WIDTH.search(shown):
        yield f"Chinese typography: full-width punctuation beside Chinese, in {around(shown, *found.span())!r}"
        return
    corrected = autocorrect_py.format(shown)
    if corrected != shown and HAN.search(shown):
        [_, start, end, begin, stop] = next(
            change for change in SequenceMatcher(None, shown, corrected).get_opcodes() if change[0] != "equal"
        )
        yield f"Chinese typography: {around(shown, start, end)!r} should be {around(corrected, begin, stop)!r}"


def around(text: str, start: int, end: int) -> str:
    return text[max(start - 8, 0) : end + 8]


def read_catalog(path: Path) -> polib.POFile:
    """Parse a catalog; raises ValueError or OSError where it can't be read."""
    if path.read_bytes().startswith(b"\xef\xbb\xbf"):
        raise ValueError("it begins with a byte-order mark: save it as UTF-8 without one")
    # polib reads over a missing quotation mark, and loses the text.
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if not PO_LINE.fullmatch(line):
            raise ValueError(f"line {number} is no part of an entry: look for a missing or unescaped quotation mark")
    catalog = polib.pofile(str(path), encoding="utf-8")
    charset = re.search(r"charset=([\w-]+)", catalog.metadata.get("Content-Type", ""))
    if charset and charset[1].lower() not in ("utf-8", "utf8"):
        raise ValueError(f"its header says charset={charset[1]}, and so Sphinx would read it: write charset=utf-8")
    twice = Counter(entry.msgid for entry in catalog if not entry.obsolete) - Counter({entry.msgid for entry in catalog})
    if twice:
        raise ValueError(f"it holds {min(twice)!r} twice: delete one of the entries")
    return catalog


def read_glossary(folder: Path) -> dict[str, str]:
    """English terms and their Chinese words, without the English that stands beside them in brackets."""
    try:
        catalog = read_catalog(folder / "glossary.po")
    except (OSError, ValueError):
        return {}
    terms = (entry for entry in catalog if len(entry.msgid.split()) <= 4 and not entry.msgid.endswith("."))
    return {entry.msgid.lower(): re.split(r"[（(]", entry.msgstr)[0].strip() for entry in terms}


def locate(app: Sphinx) -> Path:
    """The folder of the Chinese catalogs."""
    return Path(app.config.locale_dirs[0]) / "zh_CN" / "LC_MESSAGES"


def check_catalogs(app: Sphinx) -> None:
    """Check every entry of every catalog; called when a Chinese build starts, and after extraction."""
    folder = locate(app)
    glossary = read_glossary(folder)
    markdown = read_markdown(app)
    for path in sorted(folder.rglob("*.po")):
        try:
            catalog = read_catalog(path)
        except (OSError, ValueError) as error:
            logger.warning("this catalog can't be read: %s", error, location=f"{path}:1", type="catalogs")
            continue
        name = path.relative_to(folder)
        read = read_plain if name == INTERFACE else read_rest if name.parts[0] == "auto_examples" else markdown
        for entry in catalog:
            for fault in check_entry(entry, read, glossary):
                warn(path, entry.linenum, fault, entry.msgid)


def warn(path: Path, line: int, fault: str, msgid: str) -> None:
    excerpt = msgid if len(msgid) < 60 else f"{msgid[:57]}…"
    logger.warning("%s (msgid %r)", fault, excerpt, location=f"{path}:{line}", type="catalogs")


def check_extraction(app: Sphinx) -> None:
    """Compare the messages just extracted with the catalogs: none may be missing, changed or left over."""
    folder = locate(app)
    # Not every .pot in the folder: one of an earlier run may belong to a page that is gone.
    pages = {Path(f"{docname}.po"): Path(app.outdir, f"{docname}.pot") for docname in app.env.found_docs}
    templates = {name: path for name, path in pages.items() if path.exists()}
    for name, path in sorted(templates.items()):
        if not (folder / name).exists():
            logger.warning("no Chinese catalog: run nox -s translate, then fill it", location=f"{folder / name}:1", type="catalogs")
            continue
        try:
            catalog = read_catalog(folder / name)
        except (OSError, ValueError):
            continue  # check_catalogs says so
        known, wanted = {entry.msgid: entry for entry in catalog if not entry.obsolete}, {entry.msgid for entry in polib.pofile(str(path))}
        for msgid in sorted(wanted - known.keys()):
            warn(folder / name, 1, "the English is new or has changed: run nox -s translate, then mend the Chinese", msgid)
        for msgid in sorted(known.keys() - wanted):
            warn(folder / name, known[msgid].linenum, "no page says this any more: run nox -s translate", msgid)
    for path in sorted(folder.rglob("*.po")):
        name = path.relative_to(folder)
        if name not in templates and name != INTERFACE:
            logger.warning("a catalog of a page that is gone: delete it", location=f"{path}:1", type="catalogs")


def before_build(app: Sphinx) -> None:
    if app.config.language == "zh_CN" and app.config.catalogs_check:
        check_catalogs(app)


def after_build(app: Sphinx, exception: Exception | None) -> None:
    if app.builder.name == "gettext" and app.config.catalogs_check and not exception:
        check_catalogs(app)
        check_extraction(app)


def setup(app: Sphinx) -> dict:
    app.add_config_value("catalogs_check", True, "", types=frozenset({bool}))
    app.connect("builder-inited", before_build, priority=600)  # after MyST has read its settings
    app.connect("build-finished", after_build)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
