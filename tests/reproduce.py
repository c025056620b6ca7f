"""Build the site twice from nothing and compare every byte: ``nox -s reproduce``.

The two checkouts lie in different folders, one with a space and Chinese in its name, and are built one after the other, in other
time zones and with other hash seeds. A file that differs is printed with the first place where it does.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from bench import copy_repository, load_noxfile
from conftest import ROOT

PLACES = {
    "first": {"TZ": "UTC", "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8"},
    "第二 处": {"TZ": "Asia/Shanghai", "PYTHONHASHSEED": "2", "LC_ALL": "C"},
}


class Session:
    """Runs commands as nox's session does, with other environment variables, and shows what they print if they fail."""

    posargs = ()

    def __init__(self, folder: Path, env: dict[str, str]):
        self.folder, self.env = folder, env

    def run(self, program: str, *arguments: str, **options: object) -> None:
        command = [sys.executable, *(["-m", "sphinx"] if program == "sphinx-build" else []), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, env=os.environ | self.env)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}\nThe site does not build in {self.folder}: sphinx-build ended with {done.returncode}")

    def log(self, text: str) -> None: ...


def build(folder: Path, env: dict[str, str]) -> Path:
    """Build the whole site in a clean copy of the repository; return the site's folder. What doctest has found is taken along."""
    copy = copy_repository(folder)
    for path in copy.rglob("*"):  # a checkout gives every file its own time
        os.utime(path)
    (copy / "_build").mkdir()
    if (ROOT / "_build" / "doctest.json").exists():
        shutil.copy(ROOT / "_build" / "doctest.json", copy / "_build")
    os.chdir(copy)
    load_noxfile(copy).docs(Session(copy, env))
    os.chdir(ROOT)
    return copy / "_build" / "html"


def differences(first: Path, second: Path) -> list[str]:
    """What differs between two folders, a line a file."""
    names = [{path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} for folder in (first, second)]
    found = [f"{name}: only in the first build" for name in sorted(names[0] - names[1])]
    found += [f"{name}: only in the second build" for name in sorted(names[1] - names[0])]
    for name in sorted(names[0] & names[1]):
        one, other = (first / name).read_bytes(), (second / name).read_bytes()
        if one != other:
            found.append(f"{name}: {where(one, other)}{in_archive(first / name, second / name)}")
    return found


def where(one: bytes, other: bytes) -> str:
    """The first place at which two contents differ: a line of a text, an offset otherwise."""
    offset = next((number for number, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    if b"\0" in one[:8000]:
        return f"offset {offset} of {len(one)} and {len(other)} bytes"
    line = one.count(b"\n", 0, offset) + 1
    excerpts = [content[max(offset - 30, 0) : offset + 50].decode("utf-8", "replace") for content in (one, other)]
    return f"line {line}: {excerpts[0]!r} and {excerpts[1]!r}"


def in_archive(one: Path, other: Path) -> str:
    """The first member of two zip files that differs, with its time, checksum and attributes."""
    if not (zipfile.is_zipfile(one) and zipfile.is_zipfile(other)):
        return ""
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(other) as second:
        members = [
            [f"{item.filename} {item.date_time} {item.CRC:x} {item.external_attr:x}" for item in archive.infolist()]
            for archive in (first, second)
        ]
    return next((f"; {a}, not {b}" for a, b in zip(*members, strict=False) if a != b), "")


def main() -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        sites = []
        for name, env in PLACES.items():
            print(f"Building in the folder {name!r}", flush=True)
            sites.append(build(Path(place, name), env))
        files = sum(path.is_file() for path in sites[0].rglob("*"))
        found = differences(*sites)
        for line in found:
            print(f"DIFFERS {line}", flush=True)
        if found:
            sys.exit(f"{len(found)} of {files} files differ between two builds of the same sources")
        print(f"{files} files, the same byte for byte")


if __name__ == "__main__":
    main()
