"""Find a Chromium to drive, or install one: for the tests, and for printing the PDFs.

Not a Sphinx extension.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def apt_install(*packages: str) -> bool:
    """Install Debian packages where that can be done without asking: as root, with apt-get at hand. Whether it was tried."""
    if not (shutil.which("apt-get") and is_root()):
        return False
    subprocess.run(["apt-get", "update", "-qq"], check=False, stdout=subprocess.DEVNULL)
    subprocess.run(["apt-get", "install", "-y", "-qq", *packages], check=False, stdout=subprocess.DEVNULL)
    return True


def find_chromium(purpose: str = "The tests drive Chromium", session: str = "tests") -> str | None:
    """The path of an installed Chromium or Chrome; None means Playwright's own, which is installed where it can be.

    Raises RuntimeError, saying what to install, where there is none to be had.
    """
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")
    system = [path for name in names if (path := shutil.which(name))]
    mac = [path for path in ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",) if Path(path).exists()]
    if system or mac:
        return (system + mac)[0]
    if shutil.which("apt-get") and is_root():
        print("Installing Debian's chromium, about 300 MB …", file=sys.__stderr__)
        apt_install("chromium")
        if path := shutil.which("chromium"):
            return path
    print("Installing Playwright's Chromium, about 170 MB …", file=sys.__stderr__)
    done = subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{purpose}, and none could be installed: install Chromium or Chrome, then run nox -s {session} again")
    return None


def arguments() -> list[str]:
    """How to start it: quiet, and in a container too."""
    return ["--disable-background-networking", "--disable-component-update", "--disable-gpu"] + (["--no-sandbox"] if is_root() else [])
