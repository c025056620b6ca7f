"""The same input gives the same bytes: everything is made a second time, at the time that the first bears."""

import hashlib
import os
import re
import subprocess
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conftest import LANGUAGES, ROOT, SITE
from export_pdf import renumbered
from made import FOLDER, made

WORK = ROOT / "_build" / "work" / "export"
DOCTREES = ROOT / "_build" / "work" / "doctrees"


def moment() -> str:
    """The time that the export bears, as SOURCE_DATE_EPOCH: the EPUB says it to the second."""
    package = zipfile.ZipFile(made("pytorch-interview-en.epub")).read("content.opf").decode()
    text = re.search(r'dcterms:modified">([^<]+)Z<', package)[1]
    return str(int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()))


@pytest.fixture
def same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", moment())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("builder", ["ebook", "questions", "book"])
def test_what_the_builders_write(tmp_path: Path, same_time: None, builder: str, language: str):
    out = tmp_path / "out"
    command = [
        sys.executable, "-m", "sphinx", "-c", "docs/_export", "-q", "-b", builder, "-D", f"language={language}",
        "-d", str(DOCTREES / f"export-{language}"), "docs", str(out),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=os.environ, timeout=300)
    assert done.returncode == 0, done.stderr
    folder = WORK / language / builder
    names = {"ebook": [f"pytorch-interview-{language}.epub"], "book": ["book.html"]}.get(
        builder, ["questions.json", "cards.json", "llms.txt", "llms-full.txt"]
    )
    assert [name for name in names if (folder / name).read_bytes() != (out / name).read_bytes()] == []


def test_a_printed_file_does_not_depend_on_what_was_printed_before():
    """Chromium numbers the nodes of a structure through all pages that it has opened."""
    first, later = (b"/ID (node%08d) /Headers [ (node%08d) (node%08d) ]" % tuple(start + n for n in (7, 7, 9)) for start in (0, 41))
    assert renumbered(first) == renumbered(later) == b"/ID (node00000000) /Headers [ (node00000000) (node00000001) ]"


def test_what_is_made_of_it(tmp_path: Path, same_time: None):
    """Decks, PDFs, ZIP and all else, against the sums that are published with them."""
    # In a process of its own: in this one the tests' browser may be running, and there is room for one.
    code = "import sys, pathlib, export_all; export_all.make(*map(pathlib.Path, sys.argv[1:]))"
    command = [sys.executable, "-c", code, str(WORK), str(SITE), str(tmp_path / "new")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT / "docs" / "_ext", env=os.environ, timeout=500)
    assert done.returncode == 0, done.stderr
    sums = {name: value for value, name in (line.split() for line in (FOLDER / "SHA256SUMS").read_text("utf-8").splitlines())}
    again = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (tmp_path / "new" / "downloads").iterdir()}
    assert set(again) == set(sums)
    assert [name for name in sums if sums[name] != again[name]] == []
