"""Gather what the builders wrote into ``downloads/`` of the built site, make the rest, and say so on its pages.

Not a Sphinx extension: ``nox -s export`` runs ``python docs/_ext/export_all.py WORK SITE``. ``WORK/LANGUAGE/`` holds what the builders
``questions``, ``ebook`` and ``book`` wrote. All is made aside and swapped in at the end: a failure leaves the last downloads and the site.
"""

import hashlib
import re
import shutil
import sys
from pathlib import Path

import downloads
import export_anki
import export_pdf
import export_zip
from export_pages import date
from languages import LANGUAGES

SOURCES = Path(__file__).parent.parent
FONT = SOURCES / "_static" / "maths" / "stix-two-math.woff2"
SCHEMA = SOURCES / "_export" / "questions.schema.json"


# As in conf.py
AUTHOR = "the PyTorch Interview authors"


def make(work: Path, site: Path, new: Path) -> None:
    """Write every download into ``new``, laid out as in the site."""
    out = new / downloads.FOLDER
    out.mkdir(parents=True)
    shutil.copyfile(SCHEMA, out / SCHEMA.name)
    for code in LANGUAGES:
        questions = work / code / "questions"
        shutil.copyfile(questions / "questions.json", out / f"questions-{code}.json")
        for full in (False, True):
            name = f"llms{'-full' if full else ''}.txt"
            text = (questions / name).read_text("utf-8")
            (new / downloads.llms(code, full)).write_text(text if full else text + others(code), "utf-8")
        name = f"pytorch-interview-{code}.epub"
        shutil.copyfile(work / code / "ebook" / name, out / name)
    export_anki.write({code: work / code / "questions" for code in LANGUAGES}, FONT, out)
    export_pdf.write({code: work / code for code in LANGUAGES}, out, AUTHOR)
    export_zip.site(site, out / "pytorch-interview-site.zip", "pytorch-interview")


def others(code: str) -> str:
    """The lines of ``llms.txt`` that lead on: the full text, and the other language."""
    lines = [f"- [llms-full.txt]({downloads.llms(code, full=True)})"]
    lines += [f"- [{language.title}]({downloads.llms(other)})" for other, language in LANGUAGES.items() if other != code]
    return "\n".join(lines) + "\n"


def swap(new: Path, site: Path) -> None:
    """Put the new downloads in the place of the old, and show them on every page that lists downloads."""
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}" for path in sorted((new / downloads.FOLDER).iterdir())]
    (new / downloads.FOLDER / "SHA256SUMS").write_text("\n".join(sums) + "\n", "utf-8")
    shutil.rmtree(site / downloads.FOLDER, ignore_errors=True)
    for path in new.iterdir():
        path.replace(site / path.name)
    new.rmdir()
    for page in pages(site):
        page.write_text(downloads.fill(page.read_text("utf-8"), site, date()), "utf-8")


def pages(site: Path) -> list[Path]:
    """The pages that list downloads."""
    return [path for code in LANGUAGES for path in (site / code).rglob("*.html") if re.search("<!--downloads-->", path.read_text("utf-8"))]


def main(work: Path, site: Path) -> None:
    new = site.parent / f"{site.name}.downloads"
    shutil.rmtree(new, ignore_errors=True)
    if not pages(site):
        raise SystemExit(f"export: no page in {site} lists downloads: build the site from these sources first, nox -s docs")
    make(work, site, new)
    for code in LANGUAGES:
        for each in downloads.files(code):
            if not (new / each.file).exists():
                raise SystemExit(f"export: the pages list {each.file}, which was not made: mend files() in docs/_ext/downloads.py")
    swap(new, site)
    for path in sorted((site / downloads.FOLDER).iterdir()):
        print(f"{downloads.size(path.stat().st_size):>8}  {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
