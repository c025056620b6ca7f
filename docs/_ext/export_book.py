"""The builder ``book``: the pages of the book as one HTML page, for ``export_pdf.py`` to print.

Sphinx's ``singlehtml`` is no help here: it takes every page, resolves all of them as if they were one, so that our boxes lose their
labels, and leaves each id on every page that has it (``see-also`` thirty times).
"""

import shutil
from collections.abc import Iterator, Set
from pathlib import Path

import docutils.utils
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.locale import _

from export_chapters import chapter, level
from export_pages import about, book, target

SOURCES = Path(__file__).parent.parent


class BookBuilder(StandaloneHTMLBuilder):
    """Writes ``book.html``."""

    name = "book"
    search = False
    copysource = False
    allow_parallel = False
    download_support = False

    def get_theme_config(self) -> tuple[str, dict]:
        return self.config.html_theme, {}  # the site's options are for its own theme

    def get_outdated_docs(self) -> list[str]:
        return book(self.env)

    def write_documents(self, _docnames: Set[str]) -> None:
        wanted = book(self.env)
        self.prepare_writing(set(wanted))
        self.imgpath, self.secnumbers, self.fignumbers = "_images", {}, {}  # what StandaloneHTMLBuilder sets for each page
        # The gallery works out the way to its pictures from where the document lies.
        whole = docutils.utils.new_document(str(self.srcdir / "book"), self._settings)
        contents: list[tuple[int, str, str]] = []
        for docname in wanted:
            self.current_docname = docname
            section = self.section(docname, frozenset(wanted))
            contents.append((level(docname), section["ids"][0], self.env.titles[docname].astext()))
            (whole if level(docname) == 1 else whole[-1]).append(section)
        visitor = self.create_translator(whole, self)
        whole.walkabout(visitor)
        # A picture that loads when the reader gets near it would be missing on paper.
        body = "".join(visitor.fragment).replace(' loading="lazy"', "")
        context = about(self) | {"title": self.config.html_title, "body": body, "contents": contents}
        self.handle_page("book", context, "book.html")

    def section(self, docname: str, within: frozenset[str]) -> nodes.section:
        """A page as a section whose ids, and links to ids, begin with its name."""
        doctree = chapter(self, docname, within)
        self.post_process_images(doctree)
        for link in doctree.findall(nodes.reference):
            if "refid" in link:
                link["refid"] = anchor(docname, link["refid"])
            elif found := target(self, docname, link.get("refuri", "")):
                del link["refuri"]
                link["refid"] = anchor(*found)
        for node in doctree.findall(nodes.Element):
            node["ids"] = [anchor(docname, identity) for identity in node["ids"]]
            node.attributes.pop("collapsible", None)  # paper can't be unfolded
        section = doctree.next_node(nodes.section)
        section["ids"].insert(0, anchor(docname, ""))
        section += self.stamp(docname)
        return section

    def stamp(self, docname: str) -> Iterator[nodes.paragraph]:
        """The stamp under a question, as on its page."""
        stamp = self.env.stamps.get(docname)
        if stamp and stamp.verified:
            text = _("Verified with torch %(torch)s: %(outputs)s examples on this page ran and printed what you see, %(date)s.")
            yield nodes.paragraph("", text % stamp._asdict(), classes=["stamp"])

    def copy_download_files(self) -> None:
        """Scripts and notebooks stay on the site."""

    def copy_static_files(self) -> None:
        static = self.outdir / "_static"
        shutil.copytree(SOURCES / "_static" / "maths", static / "maths", dirs_exist_ok=True)
        shutil.copyfile(SOURCES / "_export" / "print.css", static / "print.css")
        self.create_pygments_style_file()

    def finish(self) -> None:
        self.copy_image_files()


def anchor(docname: str, identity: str) -> str:
    """An id that no other page of the book has, as ``autograd-detach--see-also``; without ``identity``, that of the page."""
    name = docname.removeprefix("questions/").replace("/", "-")
    return f"{name}--{identity}" if identity else name


def setup(app: Sphinx) -> dict:
    app.add_builder(BookBuilder)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
