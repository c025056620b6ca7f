"""Take the time out of the archives that sphinx-gallery offers for download, so that two builds give the same bytes.

A zip file holds the time of each of its members, and the gallery writes those members at every build.
"""

import os
import time
import zipfile
from pathlib import Path

from sphinx.application import Sphinx

TIME = (1980, 1, 3, 0, 0, 0)  # the first that a zip file can hold in every time zone
READABLE = 0o100644 << 16  # a file's mode, whatever the umask


def rewrite(path: Path) -> None:
    """Write an archive again with the same members, all of the same time."""
    with zipfile.ZipFile(path) as archive:
        members = [(item, archive.read(item)) for item in archive.infolist()]
    if all(item.date_time == TIME for item, _ in members):
        return
    written = path.with_suffix(".new")
    with zipfile.ZipFile(written, "w") as archive:
        for item, content in members:
            member = zipfile.ZipInfo(item.filename, TIME)
            member.compress_type, member.external_attr = item.compress_type, READABLE
            archive.writestr(member, content)
    written.replace(path)


def rewrite_all(app: Sphinx) -> None:
    gallery = Path(app.srcdir, app.config.sphinx_gallery_conf["gallery_dirs"])
    # The next build makes the archives again, and keeps those that come out the same.
    moment = time.mktime((*TIME, 0, 0, -1))
    for path in (*gallery.rglob("*.py"), *gallery.rglob("*.ipynb")):
        os.utime(path, (moment, moment))
    for path in sorted(gallery.rglob("*.zip")):
        rewrite(path)


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", rewrite_all, priority=510)  # after the gallery
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
