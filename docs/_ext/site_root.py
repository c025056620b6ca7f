"""Write what stands above both languages: the redirect, the 404 page, robots.txt, and the worker for reading offline.

Not a Sphinx extension: ``nox -s docs`` runs ``python docs/_ext/site_root.py FOLDER`` after both languages are built. The
templates are in ``docs/_templates/root/``. GitHub Pages serves the one 404 page for every address, at any
depth, so its links start with the path of ``SITE_URL``, or with ``/`` where that is unset.

The worker, ``sw.js``, carries a version made from every file that readers may keep, which ``offline-files.json`` lists with its size
in bytes; so each deployed change, a rollback too, brings another worker. ``OFFLINE=off`` in the environment writes a worker that deletes
what readers' browsers have kept and removes itself: for a site that is to stop working offline.
"""

import hashlib
import json
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from languages import LANGUAGES

TEMPLATES = Path(__file__).parent.parent / "_templates" / "root"
# What reading and practising needs; scripts and notebooks to download are not among it.
KEPT = {".html", ".js", ".css", ".svg", ".png", ".woff2"}
LEFT_OUT = {"_downloads", "_sources"}
WORKER = "sw.js"
NEVER = {WORKER, "404.html"}


def files(folder: Path) -> list[Path]:
    """The files that a reader may keep, in order."""
    paths = (path for path in folder.rglob("*") if path.suffix in KEPT and not LEFT_OUT & set(path.relative_to(folder).parts))
    return sorted(path for path in paths if path.relative_to(folder).as_posix() not in NEVER)


def digest(folder: Path, paths: list[Path]) -> str:
    """A version that changes with any name or content."""
    whole = hashlib.sha256()
    for path in paths:
        whole.update(f"{path.relative_to(folder).as_posix()} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:12]


def write(folder: Path, site_url: str, offline: bool = True) -> None:
    """Render each template into ``folder``, with ``site_url`` empty or an absolute address."""
    address = site_url.rstrip("/") + "/" if site_url else ""
    base = urlsplit(address).path or "/"
    environment = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True)

    def render(name: str, **values: object) -> None:
        text = environment.get_template(name).render(site_url=address, base=base, languages=LANGUAGES, **values)
        (folder / name).write_text(text, "utf-8")

    for template in TEMPLATES.iterdir():
        if template.name != WORKER:
            render(template.name)
    # Last: its version covers the others.
    kept = files(folder)
    version = digest(folder, kept)
    render(WORKER, version=version, offline=offline)
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in kept}
    (folder / "offline-files.json").write_text(json.dumps({"version": version, "files": sizes}, indent=0) + "\n", "utf-8")
    # Without it GitHub Pages leaves out every folder whose name begins with an underscore.
    (folder / ".nojekyll").touch()


if __name__ == "__main__":
    write(Path(sys.argv[1]), os.environ.get("SITE_URL", ""), offline=os.environ.get("OFFLINE") != "off")
