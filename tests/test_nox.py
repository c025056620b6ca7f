"""The commands: what they swap in, when they stop, and that README, CI and the template say what works."""

import re
import subprocess
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest import mock

import pytest

from conftest import ROOT, TinySite

FENCE = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture
def noxfile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """noxfile.py at work in an empty folder; nox itself, which is not installed beside pytest, is played by a stub."""
    nox = mock.MagicMock(session=lambda function: function)
    module = ModuleType("noxfile")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "_build").mkdir()
    with mock.patch.dict("sys.modules", nox=nox):
        exec(compile((ROOT / "noxfile.py").read_text("utf-8"), "noxfile.py", "exec"), module.__dict__)
    return module


class Session:
    """Plays nox's session: a build writes one page, and the build of ``fails`` ends in an error."""

    posargs = ()
    virtualenv = SimpleNamespace(location=".")

    def __init__(self, fails: str = ""):
        self.fails = fails

    def run(self, *command: str, **options: object) -> None:
        if "sphinx-build" not in command:
            return
        language = next(part for part in command if part.startswith("language=")).removeprefix("language=")
        if language == self.fails:
            raise subprocess.CalledProcessError(1, command)
        page = Path(command[-1], "index.html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(f"new {language}")

    def log(self, text: str) -> None: ...

    def install(self, *packages: str) -> None: ...


def site(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def last_good(tmp_path: Path) -> Path:
    """A site that was built before, with a page that has gone since."""
    folder = tmp_path / "_build" / "html"
    (folder / "en").mkdir(parents=True)
    (folder / "en" / "gone.html").write_text("old")
    return folder


def test_docs_swaps_the_whole_site_in(noxfile: ModuleType, last_good: Path):
    noxfile.docs(Session())
    assert site(last_good) == {"en/index.html": "new en", "zh_CN/index.html": "new zh_CN"}
    assert last_good.stat().st_mode & 0o777 == 0o755, "a web server must be able to read it"
    assert [path.name for path in last_good.parent.iterdir() if path.name.startswith("html")] == ["html"]


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_a_failed_build_leaves_the_last_good_site(noxfile: ModuleType, last_good: Path, language: str):
    with pytest.raises(subprocess.CalledProcessError):
        noxfile.docs(Session(fails=language))
    assert site(last_good) == {"en/gone.html": "old"}


def test_a_failed_copy_leaves_the_last_good_site(noxfile: ModuleType, last_good: Path, monkeypatch: pytest.MonkeyPatch):
    def copy_half(source: Path, target: Path, **options: object) -> None:
        Path(target).mkdir(exist_ok=True)
        Path(target, "half.html").write_text("half")
        raise OSError("no space left on device")

    monkeypatch.setattr(noxfile.shutil, "copytree", copy_half)
    with pytest.raises(OSError, match="no space left"):
        noxfile.docs(Session())
    assert site(last_good) == {"en/gone.html": "old"}
    monkeypatch.undo()
    monkeypatch.chdir(last_good.parent.parent)
    noxfile.docs(Session())
    assert site(last_good) == {"en/index.html": "new en", "zh_CN/index.html": "new zh_CN"}
    assert [path.name for path in last_good.parent.iterdir() if path.name.startswith("html")] == ["html"], "half a site takes up space"


def test_tests_need_a_site(noxfile: ModuleType):
    session = mock.MagicMock(posargs=[], error=mock.MagicMock(side_effect=SystemExit))
    with pytest.raises(SystemExit):
        noxfile.tests(session)
    assert "run nox -s docs first" in session.error.call_args.args[0]


def commands(readme: str) -> list[str]:
    """What README tells to run, one ```sh fence a command."""
    return [line for fence in FENCE.findall((ROOT / readme).read_text("utf-8")) for line in fence.splitlines()]


def test_ci_runs_what_readme_says():
    script = (ROOT / ".ci" / "run").read_text("utf-8").splitlines()
    assert len(commands("README.md")) == 3
    assert commands("README.md") == commands("README.zh.md")
    assert script[-3:] == commands("README.md")
    assert "set -euo pipefail" in script
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o100, "make .ci/run executable"


def test_the_template_becomes_a_question(tiny: TinySite):
    text = (ROOT / "docs" / "_templates" / "question.md").read_text("utf-8")
    assert "(slug)=" in text and "`another-slug`" in text
    tiny.question("another-slug")
    tiny.write("docs/questions/topic/slug.md", text)
    built = tiny.build("html", "en", "-q", "-D", "plot_gallery=0")
    assert built.returncode == 0, built.output
    checked = tiny.build("doctest", "en", "-q", "-D", "plot_gallery=0")
    assert checked.returncode == 0, checked.output


def test_the_configuration_stays_short():
    lines = (ROOT / "conf.py").read_text("utf-8").splitlines()
    assert len(lines) <= 140, "conf.py holds values and no logic: move what an extension can do to docs/_ext"


@pytest.mark.parametrize(
    "path", ["docs/page.md", "docs/_ext/module.py", "examples/topic/plot_one.py", "docs/locale/zh_CN/LC_MESSAGES/page.po"]
)
def test_lint_sees_misspelt_words(tmp_path: Path, path: str):
    """With the project's settings, wherever people write."""
    target = tmp_path / path
    target.parent.mkdir(parents=True)
    target.write_text("It is the seperate word.\n")  # codespell:ignore
    command = ["codespell", "--toml", str(ROOT / "pyproject.toml")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode and f"{path}:1: seperate ==> separate" in done.stdout  # codespell:ignore
