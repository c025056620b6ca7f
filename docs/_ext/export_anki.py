"""Anki decks: one a language, and one with both languages on each card.

Not a Sphinx extension: ``export_all.py`` uses it, on the ``cards.json`` that ``export_questions.py`` writes for each language.

Anki tells notes apart by their guid, and note types and decks by their numbers. All are made from names that never change
(slug, anchor, deck), so that importing a later deck updates what is there, with its schedule, and adds only what is new. Never change
``NOTE_TYPE``, ``DECKS`` or the fields. https://docs.ankiweb.net/importing/packaged-decks.html

Formulas are the site's MathML, so that a card looks as the page does. Chromium sets it since version 109: Anki since 23.10.1
(https://github.com/ankitects/anki/issues/2553), Android by its updates; so does every iOS that AnkiMobile runs on.
"""

import html
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import genanki
from pygments.formatters import HtmlFormatter

import export_zip
from export_pages import epoch

NOTE_TYPE = 1790512301
DECKS = {"en": 1790512311, "zh_CN": 1790512312, "bilingual": 1790512313}
FIELDS = ["Id", "Kind", "Label", "Front", "About", "Back", "Figures", "Source"]
FONT = "_pytorch-interview-maths.woff2"  # with an underscore, Anki keeps it though no field names it
LIGHT, DARK = "a11y-high-contrast-light", "a11y-dark"  # Furo's, and conf.py's

HEAD = """\
<div class="kind-{{Kind}}">
<div class="kind">{{Label}}</div>
<div class="front">{{Front}}</div>
<div class="about">{{About}}</div>
"""
QUESTION = HEAD + "</div>"
ANSWER = (
    HEAD
    + """\
<hr id="answer">
<div class="back">{{Back}}</div>
<div class="figures">{{Figures}}</div>
<div class="source">{{Source}}</div>
</div>"""
)


class Card:
    """The content of a note: what every deck shows of a question, myth or follow-up. All texts are HTML."""

    def __init__(self, identity: str, kind: str, question: dict[str, Any], data: dict[str, Any]):
        words = data["words"]
        self.identity, self.kind, self.label = identity, kind, words[f"label_{kind}"]
        self.about = "" if kind == "answer" else words["about"] % plain_links(question["question"])
        url = html.escape(question["url"])
        self.source = words["source"] % f'<a href="{url}">{url}</a>' if data["site"] else ""
        self.front = self.back = ""
        self.figures = question["figures"] if kind == "answer" else ""
        names = {key: question[key] for key in ("level_name", "asked_name")} | {"topic": question["topic"]["title"], "kind": words[kind]}
        self.tags = [f"{words['tags'][key]}::{tag(name)}" for key, name in names.items()]


def tag(name: str) -> str:
    """A name as a tag: Anki parts tags at spaces, and their ranks at two colons."""
    return re.sub(r"[\s:]+", "_", name.strip())


def plain_links(text: str) -> str:
    """HTML whose links are only their text."""
    return re.sub(r"</?a\b[^>]*>", "", text)


def cards(data: dict[str, Any]) -> Iterator[Card]:
    """All cards in one language, in the order of the site."""
    for question in data["questions"]:
        slug = question["id"]
        card = Card(slug, "answer", question, data)
        card.front, card.back = question["question"], question["answer"]
        yield card
        for myth in question["myths"]:
            card = Card(f"{slug}--{myth['id']}", "myth", question, data)
            card.front = myth["claim"]
            card.back = f'<p class="verdict">{data["words"]["false"]}</p>{myth["proof"]}<div class="right">{myth["right"]}</div>'
            yield card
        for followup in question["followups"]:
            card = Card(f"{slug}--{followup['id']}", "followup", question, data)
            card.front, card.back = followup["question"], followup["answer"]
            yield card


def both(texts: list[str]) -> str:
    """The same in each language, one under the other; once where all are the same."""
    if len(set(texts)) == 1:
        return texts[0]
    return "".join(f'<div class="version">{text}</div>' for text in texts)


def note_type() -> genanki.Model:
    """The one note type of all decks."""
    code = [
        f"{HtmlFormatter(style=style).get_style_defs(prefix)}" for style, prefix in ((LIGHT, ".highlight"), (DARK, ".nightMode .highlight"))
    ]
    sheet = (Path(__file__).parent.parent / "_export" / "anki.css").read_text("utf-8")
    template = {"name": "Card", "qfmt": QUESTION, "afmt": ANSWER}
    css = "\n".join([sheet, *(backgrounds_off(rules) for rules in code)])
    return genanki.Model(NOTE_TYPE, "PyTorch Interview", fields=[{"name": name} for name in FIELDS], templates=[template], css=css)


def backgrounds_off(rules: str) -> str:
    """Pygments' rules without those that colour the whole block: anki.css does that."""
    return "\n".join(line for line in rules.splitlines() if re.match(r"\S*(?:\.nightMode )?\.highlight \.\w+ ", line))


def deck(edition: str, data: list[dict[str, Any]], model: genanki.Model) -> genanki.Deck:
    """The deck of one language, or of two."""
    name = " · ".join(dict.fromkeys(content["title"] for content in data))
    notes = list(zip(*(cards(content) for content in data), strict=True))
    description = " ".join(content["words"]["description"] % {"count": len(notes), "torch": content["torch"] or "–"} for content in data)
    made = genanki.Deck(DECKS[edition], name, description)
    for versions in notes:
        card = versions[0]
        if any(other.identity != card.identity for other in versions):
            raise SystemExit(
                f"export: {card.identity} is not in both languages at its place: build both from the same sources, nox -s export"
            )
        label = " · ".join(version.label for version in versions)
        texts = {part: both([getattr(version, part) for version in versions]) for part in ("front", "about", "back", "source")}
        fields = [card.identity, card.kind, label, texts["front"], texts["about"], texts["back"], card.figures, texts["source"]]
        guid = genanki.guid_for("pytorch-interview", edition, card.identity)
        made.add_note(genanki.Note(model=model, fields=[localised(field) for field in fields], guid=guid, tags=card.tags))
    return made


def localised(text: str) -> str:
    """HTML whose pictures are Anki's media: files in one folder, named after us."""
    return re.sub(r'src="[^"]*_images/([^"]+)"', lambda match: f'src="{media_name(match[1])}"', text).replace(' loading="lazy"', "")


def media_name(name: str) -> str:
    return f"pytorch-interview-{name}"


def write(folders: dict[str, Path], font: Path, out: Path) -> None:
    """Write the three decks into ``out``. ``folders`` has, by language, what the builder ``questions`` wrote."""
    data = {code: json.loads((folder / "cards.json").read_text("utf-8")) for code, folder in folders.items()}
    editions = {code: [content] for code, content in data.items()} | {"bilingual": list(data.values())}
    images = {name: folders["en"] / "_images" / name for question in data["en"]["questions"] for name in question["images"]}
    with tempfile.TemporaryDirectory() as folder:
        media = []
        for name, source in [(media_name(name), path) for name, path in sorted(images.items())] + [(FONT, font)]:
            copy = Path(folder, name)
            copy.write_bytes(source.read_bytes())
            media.append(str(copy))
        for edition, contents in editions.items():
            package = genanki.Package(deck(edition, contents, note_type()), media_files=media)
            path = out / f"pytorch-interview-{edition}.apkg"
            package.write_to_file(path, timestamp=epoch())
            export_zip.repack(path)
