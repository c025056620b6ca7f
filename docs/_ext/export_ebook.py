"""The builder ``ebook``: Sphinx's EPUB 3, of the pages of the book only, in the language being built.

https://www.sphinx-doc.org/en/master/usage/builders/index.html#sphinx.builders.epub3.Epub3Builder
"""

import re
import shutil
import uuid
from collections.abc import Set
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.epub3 import Epub3Builder
from sphinx.config import Config
from sphinx.locale import _

import export_zip
from export_chapters import chapter
from export_pages import about, book, date
from languages import LANGUAGES

SOURCES = Path(__file__).parent.parent
TITLE_PAGE = "title"


class EbookBuilder(Epub3Builder):
    """Writes ``pytorch-interview-LANGUAGE.epub``."""

    name = "ebook"
    allow_parallel = False
    media_types = Epub3Builder.media_types | {".woff2": "font/woff2"}

    def init(self) -> None:
        super().init()
        # Sphinx packs whatever lies there: nothing of an earlier run may.
        shutil.rmtree(self.outdir, ignore_errors=True)
        self.outdir.mkdir(parents=True)

    def get_outdated_docs(self) -> list[str]:
        return book(self.env)

    def write_documents(self, _docnames: Set[str]) -> None:
        wanted = book(self.env)
        within = frozenset(wanted)
        self.prepare_writing(within)
        for docname in wanted:
            doctree = chapter(self, docname, within)
            self.post_process_images(doctree)
            self.write_doc(docname, doctree)

    def copy_static_files(self) -> None:
        """The stylesheets, the formulas' font and the cover; none of the theme's scripts."""
        static = self.outdir / "_static"
        shutil.rmtree(static, ignore_errors=True)
        (static / "maths").mkdir(parents=True)
        shutil.copyfile(SOURCES / "_static" / "maths" / "stix-two-math.woff2", static / "maths" / "stix-two-math.woff2")
        maths = (SOURCES / "_static" / "maths" / "maths.css").read_text("utf-8")
        # EPUB forbids the property: https://www.w3.org/TR/epub-33/#sec-css-req
        (static / "maths" / "maths.css").write_text(re.sub(r"^\s*direction:.*\n", "", maths, flags=re.MULTILINE), "utf-8")
        shutil.copyfile(SOURCES / "_export" / "ebook.css", static / "ebook.css")
        shutil.copyfile(SOURCES / "_export" / f"cover-{self.config.language}.png", static / "cover.png")
        self.create_pygments_style_file()

    def gen_additional_pages(self) -> None:
        self.handle_page(TITLE_PAGE, about(self) | {"title": self.config.html_title}, "title.html")

    def get_refnodes(self, doctree: nodes.Node, result: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The table of contents: pages, not their sections, and of the gallery the scripts."""
        kept = {f"{docname}{self.out_suffix}" for docname in book(self.env)}
        found = [entry for entry in super().get_refnodes(doctree, []) if entry["refuri"] in kept]
        for entry in found:
            entry["level"] = min(entry["level"], 2)
        return result + list({entry["refuri"]: entry for entry in found}.values())

    def toc_add_files(self, refnodes: list[dict[str, Any]]) -> None:
        """Begin with the title page; the site's home page is left out."""
        refnodes.insert(0, {"level": 1, "refuri": f"{TITLE_PAGE}{self.out_suffix}", "text": self.config.html_title})

    def content_metadata(self) -> dict[str, Any]:
        self.guide_titles = {"cover": str(_("Cover")), "toc": str(_("Contents"))}
        return super().content_metadata()

    def build_content(self) -> None:
        """Say in the manifest which files hold MathML, and which picture is the cover; Sphinx leaves that out."""
        super().build_content()
        path = self.outdir / "content.opf"

        def properties(item: re.Match) -> str:
            file = self.outdir / unquote(item["href"])
            if file.name == "cover.png":
                return f'{item[0]} properties="cover-image"'
            return f'{item[0]} properties="mathml"' if file.suffix == ".xhtml" and "<math" in file.read_text("utf-8") else item[0]

        items = re.compile(r'<item id="epub-\d+" href="(?P<href>[^"]+)" media-type="[^"]+"')
        path.write_text(items.sub(properties, path.read_text("utf-8")), "utf-8")

    def toc_metadata(self, level: int, navpoints: list[Any]) -> dict[str, Any]:
        """The older table of contents names the book by its identifier, too."""
        return super().toc_metadata(level, navpoints) | {"uid": self.config.epub_identifier}

    def build_epub(self) -> None:
        super().build_epub()
        export_zip.repack(self.outdir / f"{self.config.epub_basename}.epub")


def configure(app: Sphinx, config: Config) -> None:
    """What depends on the language. The identifier stays, so that a reader's library knows a new edition for the same book."""
    name = f"pytorch-interview-{config.language}"
    config.epub_basename = name
    config.epub_title = LANGUAGES[config.language].title
    config.epub_language = LANGUAGES[config.language].tag
    config.epub_identifier = uuid.uuid5(uuid.NAMESPACE_URL, name).urn
    config.epub_scheme, config.epub_uid = "UUID", "book"
    config.epub_contributor = config.author
    config.epub_cover = ("_static/cover.png", "cover.html")
    config.version = date()


def describe(app: Sphinx) -> None:
    """Only now, when the messages of the language are loaded."""
    app.config.epub_description = _(
        "PyTorch interview questions, each with a thirty-second answer, the myths about it and the questions that come next. "
        "Every Python example was executed and its output compared."
    )


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx.builders.epub3")
    app.add_builder(EbookBuilder)
    app.connect("config-inited", configure, priority=900)  # after languages.py
    app.connect("builder-inited", describe)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
