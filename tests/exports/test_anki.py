"""The decks, imported by Anki's own library and shown in a browser as Anki shows them."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from anki.collection import Collection, ImportAnkiPackageRequest
from anki.import_export_pb2 import ImportResponse
from bs4 import BeautifulSoup
from playwright.sync_api import Browser

import export_anki
from conftest import LANGUAGES, ROOT
from made import answer, counts, made, squeezed

EDITIONS = (*LANGUAGES, "bilingual")
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8")
WORK = ROOT / "_build" / "work" / "export"
FONT = ROOT / "docs" / "_static" / "maths" / "stix-two-math.woff2"


@pytest.fixture
def collection(tmp_path: Path) -> Iterator[Collection]:
    """A new user's collection."""
    opened = Collection(str(tmp_path / "collection.anki2"))
    yield opened
    opened.close()


def load(collection: Collection, path: Path) -> ImportResponse.Log:
    return collection.import_anki_package(ImportAnkiPackageRequest(package_path=str(path))).log


def find(collection: Collection, identity: str) -> Any:
    [card] = collection.find_cards(f'"Id:{identity}"')
    return collection.get_card(card)


@pytest.mark.parametrize("edition", EDITIONS)
def test_every_question_has_its_cards(collection: Collection, edition: str):
    log = load(collection, made(f"pytorch-interview-{edition}.apkg"))
    found = {kind: len(collection.find_notes(f"Kind:{kind}")) for kind in ("answer", "myth", "followup")}
    assert found == counts("zh_CN" if edition == "zh_CN" else "en")
    assert len(log.new) == sum(found.values()) == collection.note_count() == collection.card_count()


@pytest.mark.parametrize("edition", EDITIONS)
def test_importing_again_doubles_nothing(collection: Collection, edition: str):
    path = made(f"pytorch-interview-{edition}.apkg")
    load(collection, path)
    before = collection.note_count()
    log = load(collection, path)
    assert (len(log.new), collection.note_count()) == (0, before)


def test_the_editions_live_side_by_side(collection: Collection):
    for edition in EDITIONS:
        load(collection, made(f"pytorch-interview-{edition}.apkg"))
    assert collection.note_count() == 3 * sum(counts("en").values())
    assert len({deck.name for deck in collection.decks.all_names_and_ids()}) == 4  # and Anki's own
    assert len([model for model in collection.models.all() if "PyTorch" in model["name"]]) == 1


def test_a_later_deck_updates_the_text_and_keeps_the_progress(collection: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A year later the answer says something else, and a question is new: one note is updated, one added, and what was learnt stays."""
    folders = {code: tmp_path / code for code in LANGUAGES}
    for code, folder in folders.items():
        shutil.copytree(WORK / code / "questions", folder)

    def decks(year: int) -> Path:
        out = tmp_path / str(year)
        out.mkdir()
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str((year - 1970) * 31_556_952))
        export_anki.write(folders, FONT, out)
        return out / "pytorch-interview-en.apkg"

    load(collection, decks(2030))
    card = find(collection, "detach")
    card.ivl, card.queue, card.type, card.due, card.reps = 30, 2, 2, 100, 7
    collection.update_card(card)
    before = collection.note_count()
    for folder in folders.values():
        path = folder / "cards.json"
        text = path.read_text("utf-8")
        assert '"id": "detach"' in text
        text = re.sub(r'("id": "detach".*?"answer": ")', r"\1<p>Changed.</p>", text, count=1, flags=re.DOTALL)
        path.write_text(text.replace('"id": "myth-after-detach', '"id": "myth-new-after-detach'), "utf-8")
    log = load(collection, decks(2031))
    assert len(log.new) == 1
    assert collection.note_count() == before + 1
    card = find(collection, "detach")
    assert "Changed." in card.note()["Back"]
    assert (card.ivl, card.reps) == (30, 7)


def test_two_languages_that_differ_are_refused(tmp_path: Path):
    folders = {code: tmp_path / code for code in LANGUAGES}
    for code, folder in folders.items():
        shutil.copytree(WORK / code / "questions", folder)
    path = folders["zh_CN"] / "cards.json"
    path.write_text(path.read_text("utf-8").replace('"id": "detach"', '"id": "other"'), "utf-8")
    with pytest.raises(SystemExit, match="detach is not in both languages"):
        export_anki.write(folders, FONT, tmp_path)


@pytest.mark.parametrize("edition", EDITIONS)
def test_tags(collection: Collection, edition: str):
    """Every note says its topic, level, frequency and kind, in the deck's language."""
    load(collection, made(f"pytorch-interview-{edition}.apkg"))
    roots = {"zh_CN": {"主题", "难度", "频率", "类型"}}.get(edition, {"Topic", "Level", "Frequency", "Kind"})
    for number in collection.find_notes(""):
        assert {tag.partition("::")[0] for tag in collection.get_note(number).tags} == roots


@pytest.mark.parametrize("edition", EDITIONS)
def test_text_code_and_formulas_are_intact(collection: Collection, edition: str):
    load(collection, made(f"pytorch-interview-{edition}.apkg"))
    shown = BeautifulSoup(find(collection, "detach").note()["Back"], "html.parser").get_text()
    for language in LANGUAGES if edition == "bilingual" else [edition]:
        assert answer(language, "questions/autograd/detach") in squeezed(shown)
    batchnorm = BeautifulSoup(find(collection, "batchnorm").answer(), "html.parser")
    assert [formula.get_text() for formula in batchnorm.select("math")][:2] == ["γ", "β"]
    [myth] = collection.find_cards('"Id:batchnorm--myth-momentum-0-9-gives-slow-smooth-running-statistics"')
    code = BeautifulSoup(collection.get_card(myth).answer(), "html.parser").select_one(".highlight pre")
    assert ">>> def running_mean(momentum):\n...     layer = nn.BatchNorm1d(1, momentum=momentum)\n" in code.get_text()
    assert code.select_one(".k").text == "def"


def test_every_picture_is_in_the_package(collection: Collection):
    load(collection, made("pytorch-interview-en.apkg"))
    check = collection.media.check()
    assert (list(check.missing), list(check.unused)) == ([], [])
    assert "<img" in find(collection, "build-a-graph").answer()


def test_links_lead_out_of_the_deck(collection: Collection):
    """A card has no site around it: every link is absolute."""
    load(collection, made("pytorch-interview-bilingual.apkg"))
    for number in collection.find_notes(""):
        note = collection.get_note(number)
        links = BeautifulSoup(" ".join(note.fields), "html.parser").select("a")
        assert all(re.match(r"https?://", link.get("href", "")) for link in links), note["Id"]


CARDS = ("build-a-graph", "batchnorm", "cross-entropy--myth-an-extra-softmax-is-redundant-but-harmless", "im2col-in-caffe")


@pytest.mark.parametrize("night", [False, True])
def test_cards_read_well_by_day_and_by_night(collection: Collection, browser: Browser, tmp_path: Path, night: bool):
    """As Anki shows them, on a phone: nothing wider than the screen, enough contrast, pictures and the formulas' font loaded."""
    load(collection, made("pytorch-interview-bilingual.apkg"))
    media = Path(collection.media.dir())
    page = browser.new_page(viewport={"width": 375, "height": 700})
    for identity in CARDS:
        path = media / "shown.html"
        classes = "card nightMode night_mode" if night else "card"
        path.write_text(
            f'<!doctype html><html lang="en"><title>x</title><body class="{classes}"><main>{find(collection, identity).answer()}', "utf-8"
        )
        page.goto(path.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") <= 375, identity
        brightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")
        assert (brightness < 60) == night
        assert page.evaluate("[...document.images].every(image => image.complete && image.naturalWidth)")
        assert page.evaluate("document.fonts.ready.then(() => [...document.fonts].every(font => font.status != 'error'))")
        page.evaluate(AXE)
        report = page.evaluate("axe.run({runOnly: ['color-contrast']})")
        assert [node["html"] for rule in report["violations"] for node in rule["nodes"]] == [], identity
    page.close()
