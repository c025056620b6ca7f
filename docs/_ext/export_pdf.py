"""Print the book and the cheat sheet with Chromium.

Not a Sphinx extension: ``export_all.py`` uses it, on what the builders ``book`` and ``questions`` wrote. Chromium makes the outline from
the headings, keeps the links, tags the structure and embeds the fonts. Fonts with CFF outlines, such as the Chinese one, it embeds as
Type 3; their text can be searched and copied all the same. What it can't: page numbers in the table of contents, for which the book
is printed twice, and a PDF without the time of its making, which pikepdf sets while it packs the file to a third.
"""

import json
import re
import time
from pathlib import Path

import pikepdf
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from playwright.sync_api import Browser, Page, sync_playwright

import chromium
from export_pages import epoch

NODE = re.compile(rb"\(node\d{8}\)")  # as long as what takes its place: the file's table of offsets stays right
TEMPLATES = Path(__file__).parent.parent / "_export"
FILL = """pages => {
    for (const number of document.querySelectorAll("[data-page-of]")) number.textContent = pages[number.dataset.pageOf] ?? "?"
}"""


def write(work: dict[str, Path], out: Path, author: str) -> None:
    """Write the PDFs of all languages into ``out``. ``work`` has, by language, the folder of what the builders wrote."""
    path = chromium.find_chromium("Chromium prints the PDFs", "export")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=chromium.arguments())
        for code, folder in work.items():
            book(browser, folder / "book" / "book.html", out / f"pytorch-interview-{code}.pdf", author)
            sheet = cheat_sheet(folder / "questions" / "cards.json", folder / "book")
            finish(print_page(opened(browser, sheet), sheet.with_suffix(".pdf")), out / f"pytorch-interview-cheat-sheet-{code}.pdf", author)
        browser.close()


def opened(browser: Browser, path: Path) -> Page:
    """A page on disk, with its fonts and pictures there."""
    page = browser.new_page()
    page.goto(path.resolve().as_uri())
    page.evaluate("document.fonts.ready")
    missing = page.evaluate("[...document.images].filter(image => !image.complete || !image.naturalWidth).map(image => image.src)")
    if missing:
        raise SystemExit(f"export: pictures of {path} don't load: {', '.join(missing)}")
    return page


def print_page(page: Page, path: Path, final: bool = True) -> Path:
    """Print a page to ``path``. Without its structure, which only the final one needs, that takes half the time."""
    page.pdf(path=path, prefer_css_page_size=True, print_background=True, outline=final, tagged=final)
    return path


def book(browser: Browser, source: Path, path: Path, author: str) -> None:
    """Print the book, read on which page each chapter begins, and print it again with these numbers in its contents."""
    page, draft = opened(browser, source), source.with_suffix(".pdf")
    wanted = page.evaluate("[...document.querySelectorAll('[data-page-of]')].map(number => number.dataset.pageOf)")
    numbers = page_numbers(print_page(page, draft, final=False), wanted)
    page.evaluate(FILL, numbers)
    if page_numbers(print_page(page, draft), wanted) != numbers:
        raise SystemExit(
            f"export: the page numbers in the contents of {source} moved the chapters that they name: mend .contents in print.css"
        )
    finish(draft, path, author)
    page.close()


def page_numbers(path: Path, wanted: list[str]) -> dict[str, int]:
    """The pages, from 1, on which the anchors ``wanted`` lie."""
    with pikepdf.open(path) as pdf:
        pages = {page.objgen: number for number, page in enumerate(pdf.pages, start=1)}
        places = pdf.Root.get("/Dests", {})
        if lost := [name for name in wanted if f"/{name}" not in places]:
            raise SystemExit(f"export: the contents name chapters that {path} has not: {', '.join(lost)}")
        return {name: pages[places[f"/{name}"][0].objgen] for name in wanted}


def cheat_sheet(cards: Path, folder: Path) -> Path:
    """The page of all thirty-second answers, beside the book, whose stylesheets it uses."""
    data = json.loads(cards.read_text("utf-8"))
    topics = list(dict.fromkeys(question["topic"]["id"] for question in data["questions"]))
    questions = [question | {"order": topics.index(question["topic"]["id"])} for question in data["questions"]]
    template = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined).get_template("cheatsheet.html")
    path = folder / "cheat-sheet.html"
    path.write_text(template.render(data | {"questions": questions}), "utf-8")
    return path


def renumbered(printed: bytes) -> bytes:
    """A printed file in which the nodes of the structure are counted from 0; Chromium counts on from whatever it made before."""
    names = sorted(set(NODE.findall(printed)))
    numbers = {name: b"(node%08d)" % number for number, name in enumerate(names)}
    return NODE.sub(lambda match: numbers[match[0]], printed)


def finish(draft: Path, path: Path, author: str) -> None:
    """Set what a library shows of a book, put the time of the export for that of the printing, and pack the file."""
    moment = time.strftime("D:%Y%m%d%H%M%SZ", time.gmtime(epoch()))
    draft.write_bytes(renumbered(draft.read_bytes()))
    with pikepdf.open(draft) as pdf:
        for name in ("/CreationDate", "/ModDate"):
            pdf.docinfo[name] = moment
        pdf.docinfo["/Author"], pdf.docinfo["/Creator"] = author, "Chromium"
        pdf.Root.PageMode = pikepdf.Name.UseOutlines
        pdf.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate, recompress_flate=True, deterministic_id=True)
    draft.unlink()
