"""What may befall a build, from a wrong byte to a killed process: a clear error or a right result, never half a site or a silent pass."""

import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest
from bs4 import BeautifulSoup
from filelock import FileLock

from conftest import ROOT, Build, TinySite
from test_catalogs import entry, write_catalog
from test_nox import Session, noxfile  # noqa: F401  (a fixture)

FAST = ("-q", "-D", "plot_gallery=0")
# What Python runs at its start: https://docs.python.org/3/library/site.html#module-sitecustomize
HOOKS = {
    # The process dies when half of two.html is written.
    "killed": """
        import os, pathlib, signal

        def half(path, text, *arguments, real=pathlib.Path.write_text, **options):
            if path.name != "two.html":
                return real(path, text, *arguments, **options)
            real(path, "<html>half a pa", *arguments, **options)
            os.kill(os.getpid(), signal.SIGKILL)

        pathlib.Path.write_text = half
    """,
    # No address can be looked up, and none but this machine's reached.
    "offline": """
        import sys

        def refuse(event, arguments):
            if event == "socket.getaddrinfo" and arguments[0] not in (None, "localhost", "127.0.0.1", "::1"):
                raise OSError(f"offline: {arguments[0]}")
            if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] not in ("127.0.0.1", "::1"):
                raise OSError(f"offline: {arguments[1]}")

        sys.addaudithook(refuse)
    """,
}


def hook(site: TinySite, name: str) -> dict[str, str]:
    """An environment in which each Python starts with a hook."""
    return {"PYTHONPATH": str(site.write(f"hooks/{name}/sitecustomize.py", HOOKS[name]).parent)}


def page(built: Build, name: str) -> str:
    return (built.folder / f"{name}.html").read_text("utf-8")


# Builds that went wrong before


@pytest.mark.parametrize("builder", ["html", "doctest"])
def test_a_fault_is_said_at_every_build_until_it_is_mended(tiny: TinySite, builder: str):
    """Sphinx reads no page twice that has not changed, so a second build would be silent."""
    tiny.write("docs/unrun.md", "# T\n\n```python\nprint(1)\n```\n")
    tiny.write("docs/dead.md", "# T\n\n{ref}`nowhere`\n")
    tiny.write("docs/right.md", "# T\n")
    for _ in range(2):
        built = tiny.build(builder, "en", *FAST)
        assert built.returncode != 0
        built.line("unrun.md:3: WARNING: Python that nothing runs")
        assert builder == "doctest" or built.line("dead.md:3: WARNING: undefined label")
    tiny.write("docs/unrun.md", "# T\n")
    tiny.write("docs/dead.md", "# T\n")
    assert tiny.build(builder, "en", *FAST).returncode == 0
    last = tiny.build(builder, "en", "-D", "plot_gallery=0")
    assert last.returncode == 0
    last.line("0 added, 1 changed, 0 removed")  # the home page, which is written anew for each of these builds


def test_a_killed_build_is_made_good_by_the_next(tiny: TinySite):
    for name in ("one", "two", "three"):
        tiny.write(f"docs/{name}.md", f"# {name}\n\nText.\n")
    killed = tiny.build("html", "en", *FAST, env=hook(tiny, "killed"))
    assert killed.returncode == -signal.SIGKILL
    assert page(killed, "two") == "<html>half a pa"
    built = tiny.build("html", "en", *FAST)
    assert built.returncode == 0, built.output
    for name in ("one", "two", "three", "auto_examples/topic/plot_one"):
        assert page(built, name).rstrip().endswith("</html>")


def test_a_page_that_a_killed_build_should_have_written_again_is_written(tiny: TinySite):
    """Its own text has not changed, only a title that it lists; its file is newer than its source."""
    tiny.write("docs/two.md", "# Before\n")
    assert tiny.build("html", "en", *FAST).returncode == 0
    tiny.write("docs/two.md", "# After\n")
    assert tiny.build("html", "en", *FAST, env=hook(tiny, "killed")).returncode == -signal.SIGKILL
    built = tiny.build("html", "en", *FAST)
    assert built.returncode == 0, built.output
    assert "After" in page(built, "index") and "Before" not in page(built, "index")


def test_a_publication_cut_short_leaves_the_last_good_site(noxfile: ModuleType):  # noqa: F811
    """Killed between the two renames, no site is in its place; the next run puts the old one back before it goes on."""
    old = Path("_build/html.old/en/index.html")
    old.parent.mkdir(parents=True)
    old.write_text("last good")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(noxfile.shutil, "copytree", lambda *_, **__: (_ for _ in ()).throw(OSError("no space left on device")))
        with pytest.raises(OSError, match="no space left"):
            noxfile.docs(Session())
    assert Path("_build/html/en/index.html").read_text() == "last good"


# Builds at the same time


def test_a_build_waits_for_another(tiny: TinySite):
    tiny.write("docs/one.md", "# One\n")
    (tiny.folder / "_build").mkdir()
    lock = FileLock(tiny.folder / "_build" / "building.lock")
    with lock, subprocess.Popen(command(tiny, "html"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            if "another build of these pages is running: waiting for its end" in line:
                break
        assert process.poll() is None
        assert not (tiny.folder / "out" / "html").exists() or not list((tiny.folder / "out" / "html").rglob("*.html"))
        lock.release()
        rest = process.stdout.read()
    assert process.returncode == 0, rest


def command(site: TinySite, builder: str) -> list[str]:
    """A sphinx-build of a tiny site, to be started without waiting for its end."""
    site.write("docs/index.md", "# Home\n\n```{toctree}\none\nauto_examples/index\n```\n")
    folders = ["-d", str(site.folder / "doctrees"), str(site.folder / "docs"), str(site.folder / "out" / builder)]
    return [sys.executable, "-m", "sphinx", "-c", str(ROOT), "-W", "-b", builder, "-D", f"doctest_record={site.folder}/record", *folders]


def test_two_builds_at_once_are_both_right(tiny: TinySite):
    """One of them runs the gallery, which both of them write."""
    tiny.write("docs/one.md", "# One\n\n```pycon\n>>> 1\n1\n```\n")
    processes = [
        subprocess.Popen(command(tiny, builder), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for builder in ("html", "doctest", "html")
    ]
    for process in processes:
        output, _ = process.communicate(timeout=300)
        assert process.returncode == 0, output
    built = BeautifulSoup((tiny.folder / "out/html/auto_examples/topic/plot_one.html").read_text("utf-8"), "html.parser")
    assert built.select_one(".sphx-glr-script-out pre").text == "1\n"


def test_a_site_is_published_by_one_build_at_a_time(noxfile: ModuleType):  # noqa: F811
    class Counting(Session):
        running, most = 0, 0

        def run(self, *command: str, **options: object) -> None:
            Counting.running += 1
            Counting.most = max(Counting.most, Counting.running)
            super().run(*command, **options)
            Counting.running -= 1

    threads = [threading.Thread(target=noxfile.docs, args=(Counting(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counting.most == 1
    assert sorted(path.name for path in Path("_build/html").iterdir()) == ["en", "zh_CN"]


# Odd folders, texts and machines


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> TinySite:
    """A site in a folder with spaces and Chinese; a page, its catalog and a script with Windows' line endings; no network."""
    site = TinySite(tmp_path_factory.mktemp("site") / "面试 题 & more")
    site.write("docs/windows.md", "# Page\n\nIt runs.\n\n$x^2$\n\n```pycon\n>>> 1\n1\n>>> print(2)\n2\n```\n")
    write_catalog(site, "windows", entry("Page", "页面") + entry("It runs.", "它能运行。"))
    for path in (*site.folder.rglob("*.md"), *site.folder.rglob("*.po"), *site.folder.rglob("plot_*.py")):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    return site


def test_odd_folder_line_endings_and_no_network_are_all_one(odd: TinySite):
    checked = odd.build("doctest", "en", *FAST, env=hook(odd, "offline"))
    assert checked.returncode == 0, checked.output
    checked.line("1 pages, 2 examples attempted, 0 failed")
    built = odd.build("html", "en", "-q", env=hook(odd, "offline"))
    assert built.returncode == 0, built.output
    assert "<math" in page(built, "windows")
    gallery = BeautifulSoup(page(built, "auto_examples/topic/plot_one"), "html.parser")
    assert gallery.select_one(".sphx-glr-script-out pre").text == "1\n"
    chinese = odd.build("html", "zh_CN", *FAST, env=hook(odd, "offline"))
    assert "windows" not in chinese.output
    assert "它能运行。" in page(chinese, "windows")


def test_line_endings_do_not_count_for_the_record(tiny: TinySite):
    """Verified with one kind, built with the other."""
    path = tiny.question("one")
    assert tiny.build("doctest", "en", *FAST).returncode == 0
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert "Verified with torch" in page(tiny.build("html", "en", *FAST), "questions/topic/one")


def test_failure_with_windows_line_endings_names_its_line(tiny: TinySite):
    tiny.write("docs/page.md", "").write_bytes(b"# T\r\n\r\n```pycon\r\n>>> 1\r\n1\r\n>>> 2\r\n3\r\n```\r\n")
    tiny.build("doctest", "en", *FAST).line('File "page.md", line 6, in default')


def test_the_offline_hook_cuts_the_network(tiny: TinySite):
    """Else the tests above would prove nothing."""
    code = "import socket; socket.create_connection(('192.0.2.1', 80))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ | hook(tiny, "offline"))
    assert "OSError: offline: " in done.stderr


def test_a_page_of_5000_lines(tiny: TinySite):
    """The last of its examples is wrong, and its line is named."""
    parts = [f"## Part {number}\n\nText.\n\n```pycon\n>>> {number}\n{number}\n```\n" for number in range(624)]
    text = "# Long\n\n" + "\n".join(parts) + "\n```pycon\n>>> 1\n2\n```\n"
    tiny.write("docs/long.md", text)
    line = len(text.splitlines()) - 2
    assert len(text.splitlines()) >= 5000
    checked = tiny.build("doctest", "en", *FAST)
    checked.line("1 pages, 625 examples attempted, 1 failed")
    checked.line(f'File "long.md", line {line}, in default')
    built = tiny.build("html", "en", *FAST)
    assert built.returncode == 0, built.output
    assert page(built, "long").count("<h2>") == 624


FRONT = "---\nlevel: 1\nasked: often\nkeywords:\n  en: [one]\n  zh: [一]\n---\n"
# What is put in place of the front matter of a right question, as bytes, and what the build must say of it
MALFORMED = {
    "unclosed": (b"---\nlevel: 1\n", "front matter: level must be one of 1, 2, 3"),
    "not-yaml": (b"---\nlevel: 1: 2\n---\n", "Malformed YAML"),
    "a-list": (b"---\n- 1\n- 2\n---\n", "YAML is not a dict"),
    "a-tab": (b"---\nlevel:\t1\nkeywords:\n\ten: [a]\n---\n", "Malformed YAML"),
    "keyword-text": (FRONT.replace("[one]", "one").encode(), "keywords must hold a list of texts under 'en'"),
    "empty": (b"---\n---\n", "front matter: level must be one of 1, 2, 3"),
    "none": (b"", "front matter: level must be one of 1, 2, 3"),
    "twice": (FRONT.replace("level: 1", "level: 1\nlevel: 2").encode(), ":2: WARNING: front matter: 'level' is there 2 times"),
}
# Whole pages that are not UTF-8
UNREADABLE = {"gbk": "# 题\n\n中文\n".encode("gbk"), "utf16": "# T\n\nText\n".encode("utf-16"), "nul": b"# T\n\n\0\n"}


@pytest.fixture(scope="module")
def malformed(tiny_module: TinySite) -> Build:
    for name, (front, _) in MALFORMED.items():
        path = tiny_module.question(name)
        path.write_bytes(path.read_bytes().replace(FRONT.encode(), front))
    path = tiny_module.question("bom")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    return tiny_module.build("html", "en", *FAST)


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_front_matter_is_named(malformed: Build, name: str):
    malformed.line(f"/{name}.md", MALFORMED[name][1])


def test_pages_that_are_not_text_are_named(tiny: TinySite):
    """All in one go, and the build writes nothing."""
    for name, content in UNREADABLE.items():
        tiny.write(f"docs/{name}.md", "").write_bytes(content)
    built = tiny.build("html", "en", *FAST)
    assert built.returncode != 0
    for name, line in (("gbk", 1), ("utf16", 1), ("nul", 3)):
        built.line(f"/docs/{name}.md:{line}: this page is not UTF-8: save it as UTF-8")
    assert not list(built.folder.rglob("*.html"))


def test_a_byte_order_mark_before_a_page_is_nothing(malformed: Build):
    assert malformed.returncode != 0
    assert "/bom.md" not in malformed.output
    assert re.search(r'<p class="facts[^"]*">Junior', page(malformed, "questions/topic/bom"))
