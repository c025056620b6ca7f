"""ZIP files that are the same bytes for the same content, and the site as one.

Not a Sphinx extension: ``export_all.py`` uses it. A ZIP holds the time of each entry; here every entry bears the time of the export, and
entries stand in the order of their names.
"""

import time
import zipfile
from collections.abc import Iterable
from pathlib import Path

import downloads
from export_pages import epoch

EARLIEST = (1980, 1, 1, 0, 0, 0)  # the format knows no time before
STORED = {".png", ".woff2", ".zip"}  # compressed already


def write(path: Path, entries: Iterable[tuple[str, bytes]]) -> None:
    """Write a ZIP of pairs of name and content, in the order given."""
    moment = max(time.gmtime(epoch())[:6], EARLIEST)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in entries:
            info = zipfile.ZipInfo(name, moment)
            info.external_attr = 0o644 << 16
            info.create_system = 3  # Unix, wherever it is written
            stored = name == "mimetype" or Path(name).suffix in STORED
            archive.writestr(info, content, zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED)


def repack(path: Path) -> None:
    """Write a ZIP again with times that don't change; the order of its entries stays, which EPUB prescribes for the first."""
    with zipfile.ZipFile(path) as archive:
        entries = [(info.filename, archive.read(info)) for info in archive.infolist() if not info.is_dir()]
    write(path, entries)


def site(source: Path, path: Path, folder: str) -> None:
    """Pack the built site into ``path``, under one folder, so that unzipping scatters nothing.

    What other exports put there is left out, and its pages say so.
    """
    files = {file.relative_to(source).as_posix(): file for file in source.rglob("*") if file.is_file()}
    kept = sorted(name for name in files if not name.startswith((f"{downloads.FOLDER}/", "llms")))
    write(path, ((f"{folder}/{name}", content(files[name])) for name in kept))


def content(file: Path) -> bytes:
    """A file of the site, in which no page lists downloads."""
    data = file.read_bytes()
    return downloads.fill(data.decode(), None, "").encode() if file.suffix == ".html" else data
