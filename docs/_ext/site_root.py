"""Write what stands above both languages: the redirect, the 404 page and robots.txt.

Not a Sphinx extension: ``nox -s docs`` runs ``python docs/_ext/site_root.py FOLDER`` after both languages are built. The
templates are in ``docs/_templates/root/``. GitHub Pages serves the one 404 page for every address, at any
depth, so its links start with the path of ``SITE_URL``, or with ``/`` where that is unset.
"""

import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from languages import LANGUAGES

TEMPLATES = Path(__file__).parent.parent / "_templates" / "root"


def write(folder: Path, site_url: str) -> None:
    """Render each template into ``folder``, with ``site_url`` empty or an absolute address."""
    address = site_url.rstrip("/") + "/" if site_url else ""
    base = urlsplit(address).path or "/"
    environment = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, keep_trailing_newline=True)
    for template in TEMPLATES.iterdir():
        text = environment.get_template(template.name).render(site_url=address, base=base, languages=LANGUAGES)
        (folder / template.name).write_text(text, "utf-8")
    # Without it GitHub Pages leaves out every folder whose name begins with an underscore.
    (folder / ".nojekyll").touch()


if __name__ == "__main__":
    write(Path(sys.argv[1]), os.environ.get("SITE_URL", ""))
