"""What ``nox -s reproduce`` says of two sites that differ, and that the gallery's archives hold no time."""

import os
import zipfile
from pathlib import Path

from conftest import TinySite
from reproduce import differences


def two_sites(folder: Path, first: dict[str, bytes], second: dict[str, bytes]) -> list[str]:
    for name, files in (("first", first), ("second", second)):
        for path, content in files.items():
            target = folder / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    return differences(folder / "first", folder / "second")


def test_the_same_sites_do_not_differ(tmp_path: Path):
    assert two_sites(tmp_path, {"en/a.html": b"a"}, {"en/a.html": b"a"}) == []


def test_each_difference_is_named_with_its_place(tmp_path: Path):
    first = {"a.html": b"one\ntwo\nthree\n", "b.png": b"\x89\0abc", "c.js": b"1", "same": b"", "longer": b"ab\n"}
    second = {"a.html": b"one\ntwo!\nthree\n", "b.png": b"\x89\0abd", "d.js": b"1", "same": b"", "longer": b"ab\ncd\n"}
    assert two_sites(tmp_path, first, second) == [
        "c.js: only in the first build",
        "d.js: only in the second build",
        r"a.html: line 2: 'one\ntwo\nthree\n' and 'one\ntwo!\nthree\n'",
        "b.png: offset 4 of 5 and 5 bytes",
        r"longer: line 2: 'ab\n' and 'ab\ncd\n'",
    ]


def test_the_member_of_an_archive_that_differs_is_named(tmp_path: Path):
    for name, year in (("first", 2000), ("second", 2001)):
        (tmp_path / name).mkdir()
        with zipfile.ZipFile(tmp_path / name / "all.zip", "w") as archive:
            archive.writestr(zipfile.ZipInfo("plot.py", (year, 1, 1, 0, 0, 0)), "x")
    [line] = differences(tmp_path / "first", tmp_path / "second")
    assert line.startswith("all.zip: offset ") and "plot.py (2000, 1, 1, 0, 0, 0)" in line and "not plot.py (2001, 1, 1, 0, 0, 0)" in line


def test_archives_hold_no_time_and_are_written_once(tiny: TinySite):
    """Else each build would differ from the last, and read every page of the gallery again."""
    archives = []
    for umask in (0o022, 0o077):
        before = os.umask(umask)
        built = tiny.build("html", "en", "-q")
        os.umask(before)
        assert built.returncode == 0, built.output
        found = sorted((tiny.folder / "docs/auto_examples").rglob("*.zip"))
        assert [path.name for path in found] == ["auto_examples_jupyter.zip", "auto_examples_python.zip", "plot_one.zip"]
        archives.append([path.read_bytes() for path in found])
        for path in found:
            with zipfile.ZipFile(path) as archive:
                assert {(item.date_time, item.external_attr) for item in archive.infolist()} == {((1980, 1, 3, 0, 0, 0), 0o100644 << 16)}
                assert archive.testzip() is None
    assert archives[0] == archives[1]
    again = tiny.build("html", "en")
    assert again.returncode == 0, again.output
    again.line("updating environment: 0 added, 1 changed, 0 removed")  # the home page, which is written anew for each of these builds
