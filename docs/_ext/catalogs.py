"""The translation gate: every Chinese catalog is complete, faithful and well set.

Run when the Chinese site is built, and by ``nox -s lint``, which extracts the messages afresh. Sphinx, MyST and CommonMark
let all of these through in silence: a missing entry shows in English, a dropped code span is just gone, ``**注意：**不要`` keeps its
asterisks. Each fault is a warning, so an error under ``-W``, with the catalog's file and line and what to do.
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import autocorrect_py
import polib
from markdown_it import MarkdownIt
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

CHINESE = re.compile(r"[\u3400-\u9fff]")
CODE = re.compile(r"(?<![`}])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
MATHS = re.compile(r"(?<![\\$])\$(?!\$)(.+?)(?<![\\$])\$")
ROLE = re.compile(r"\{([a-z:-]+)\}`([^`]+)`")
REST_ROLE = re.compile(r":([a-z:-]+):`([^`]+)`")
REST_CODE = re.compile(r"``(.+?)``")
LINK = re.compile(r"\]\(([^)\s]+)\)|`[^`<]+<(https?://[^>]+)>`_")
TARGET = re.compile(r"<([^>]+)>$")
STRUCTURE = re.compile(r"(?:\d+[.)]\s|[#>+](?:\s|$)|[-*]\s)")
DISPLAY_MATHS = re.compile(r"\\begin\{|^\\|\\\\")
# CommonMark as MyST reads it; what its parser leaves of ** or ` is a mark that did not take.
MARKDOWN = MarkdownIt("commonmark")


def locate(app: Sphinx) -> Path:
    """The folder of the Chinese catalogs."""
    return Path(app.config.locale_dirs[0]) / "zh_CN" / "LC_MESSAGES"


def targets(pattern: re.Pattern, text: str) -> Counter:
    """Roles with what they point to: ``{term}`叶子张量 <leaf tensor>` `` points to ``leaf tensor``."""
    found = Counter()
    for name, content in pattern.findall(text):
        explicit = TARGET.search(content)
        found[name, explicit.group(1) if explicit else content] += 1
    return found


def marks(text: str, rest: bool) -> dict[str, Counter]:
    """What a translation must keep, by kind: code spans, maths, roles and link targets."""
    roles = REST_ROLE if rest else ROLE
    plain = roles.sub("", text)
    return {
        "code": Counter(REST_CODE.findall(plain) if rest else [code.strip() for _, code in CODE.findall(plain)]),
        "maths": Counter() if rest else Counter(MATHS.findall(CODE.sub("", plain))),
        "role": targets(roles, text),
        "link": Counter(a or b for a, b in LINK.findall(text)),
    }


def prose(text: str) -> str:
    """A message without code, maths, roles and addresses: the words that a person reads."""
    for pattern in (ROLE, REST_ROLE, REST_CODE, CODE, MATHS, LINK):
        text = pattern.sub(" ", text)
    return text


def needs_chinese(msgid: str) -> bool:
    """Whether a message holds words to translate: not only code, maths, numbers or names of the field."""
    if DISPLAY_MATHS.search(msgid):
        return False
    words = re.findall(r"[A-Za-z][a-z]{2,}", prose(msgid))
    return any(word.islower() for word in words)


def leftovers(msgstr: str) -> bool:
    """Whether ``**`` or a backtick stays as text when CommonMark has read the message."""
    texts = (child for token in MARKDOWN.parseInline(ROLE.sub("x", msgstr)) for child in token.children)
    return any("**" in child.content or "`" in child.content for child in texts if child.type == "text")


def check_entry(entry: polib.POEntry, rest: bool) -> Iterator[str]:
    """Faults of one entry. ``rest``: the message is reStructuredText, as in example scripts, and not Markdown."""
    if entry.obsolete:
        yield "obsolete: delete the entry, or run nox -s translate"
        return
    if entry.fuzzy:
        yield "marked fuzzy: the English has changed. Mend the Chinese, then delete the '#, fuzzy' line"
    if not entry.msgstr:
        yield "not translated: fill its msgstr"
        return
    if entry.msgstr == entry.msgid:
        if needs_chinese(entry.msgid):
            yield "the msgstr repeats the English: translate it"
        return
    original, translation = marks(entry.msgid, rest), marks(entry.msgstr, rest)
    for kind in original:
        for mark in (original[kind] - translation[kind]).elements():
            yield f"the {kind} {show(mark)} of the English is missing in the Chinese"
        for mark in (translation[kind] - original[kind]).elements():
            yield f"the {kind} {show(mark)} is in the Chinese only"
    if STRUCTURE.match(entry.msgstr):
        yield "a msgstr that begins like a list, heading or quotation stays English: begin with a word"
    if "\n" in entry.msgstr and "\n" not in entry.msgid:
        yield "a line break in Chinese shows as a space: put the msgstr on one line"
    if not rest and leftovers(entry.msgstr):
        yield "a mark stays visible (** or `): move punctuation and quotation marks out of it, as in **注意**：不要"
    for name, content in (REST_ROLE if rest else ROLE).findall(entry.msgstr):
        if name == "term" and not TARGET.search(content):
            yield f"write {{term}}`中文 <{content}>`: in Chinese a term names its English target"
    shown = displayed(entry.msgstr, rest)
    corrected = autocorrect_py.format(shown)
    if corrected != shown:
        yield f"Chinese typography: write {corrected!r}"


def displayed(text: str, rest: bool) -> str:
    """A message with each role as the reader sees it; a role without a text of its own shows a Chinese title."""
    return (REST_ROLE if rest else ROLE).sub(lambda role: TARGET.sub("", role[2]).strip() if TARGET.search(role[2]) else "字", text)


def show(mark: object) -> str:
    return f"{{{mark[0]}}}`{mark[1]}`" if isinstance(mark, tuple) else repr(mark)


def check_terms(entry: polib.POEntry, glossary: dict[str, str]) -> Iterator[str]:
    """A link to the glossary shows the glossary's own word."""
    for name, content in ROLE.findall(entry.msgstr) + REST_ROLE.findall(entry.msgstr):
        target = TARGET.search(content)
        if name == "term" and target:
            word = glossary.get(target.group(1), "")
            if word and word not in content:
                yield f"the glossary calls {target.group(1)!r} {word!r}: use that word"


def read_glossary(folder: Path) -> dict[str, str]:
    """English terms and their Chinese words, without the English that stands beside them in brackets."""
    try:
        catalog = polib.pofile(str(folder / "glossary.po"), encoding="utf-8")
    except (OSError, ValueError, UnicodeError):
        return {}
    terms = (entry for entry in catalog if len(entry.msgid.split()) <= 4 and not entry.msgid.endswith("."))
    return {entry.msgid: re.split(r"[（(]", entry.msgstr)[0].strip() for entry in terms}


def check_catalogs(app: Sphinx) -> None:
    """Check every entry of every catalog; called when a Chinese build starts, and after extraction."""
    folder = locate(app)
    glossary = read_glossary(folder)
    for path in sorted(folder.rglob("*.po")):
        try:
            if path.read_bytes().startswith(b"\xef\xbb\xbf"):
                raise ValueError("it begins with a byte-order mark: save it as UTF-8 without one")
            catalog = polib.pofile(str(path), encoding="utf-8")
        except (OSError, ValueError, UnicodeError) as error:
            logger.warning("this catalog can't be read: %s", error, location=str(path), type="catalogs")
            continue
        rest = "auto_examples" in path.parts
        for entry in catalog:
            faults = [*check_entry(entry, rest), *check_terms(entry, glossary)]
            for fault in faults:
                warn(path, entry.linenum, fault, entry.msgid)


def warn(path: Path, line: int, fault: str, msgid: str) -> None:
    excerpt = msgid if len(msgid) < 60 else f"{msgid[:57]}…"
    logger.warning("%s (msgid %r)", fault, excerpt, location=f"{path}:{line}", type="catalogs")


def check_extraction(app: Sphinx) -> None:
    """Compare the messages just extracted with the catalogs: none may be missing, changed or left over."""
    folder = locate(app)
    templates = {path.relative_to(app.outdir).with_suffix(".po") for path in app.outdir.rglob("*.pot")}
    own = {Path("sphinx.po")}
    for name in sorted(templates):
        template = polib.pofile(str(app.outdir / name.with_suffix(".pot")))
        if not (folder / name).exists():
            logger.warning("no Chinese catalog: run nox -s translate, then fill it", location=str(folder / name), type="catalogs")
            continue
        try:
            catalog = polib.pofile(str(folder / name))
        except (OSError, ValueError, UnicodeError):
            continue  # check_catalogs says so
        known, wanted = {entry.msgid: entry for entry in catalog}, {entry.msgid for entry in template}
        for msgid in [entry.msgid for entry in template if entry.msgid not in known]:
            warn(folder / name, 1, "the English is new or has changed: run nox -s translate, then mend the Chinese", msgid)
        for msgid in [msgid for msgid in known if msgid not in wanted and not known[msgid].obsolete]:
            warn(folder / name, known[msgid].linenum, "no page says this any more: run nox -s translate", msgid)
    for path in sorted(folder.rglob("*.po")):
        if path.relative_to(folder) not in templates | own:
            logger.warning("a catalog of a page that is gone: delete it", location=str(path), type="catalogs")


def before_build(app: Sphinx) -> None:
    if app.config.language == "zh_CN" and app.config.catalogs_check:
        check_catalogs(app)


def after_build(app: Sphinx, exception: Exception | None) -> None:
    if app.builder.name == "gettext" and app.config.catalogs_check and not exception:
        check_catalogs(app)
        check_extraction(app)


def setup(app: Sphinx) -> dict:
    app.add_config_value("catalogs_check", True, "", types=frozenset({bool}))
    app.connect("builder-inited", before_build)
    app.connect("build-finished", after_build)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
