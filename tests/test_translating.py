"""English that changes without its Chinese is caught, and what the message says to do mends it: the commands of nox, one after another."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polib
import pytest
from bs4 import BeautifulSoup

from bench import load_noxfile
from conftest import ROOT, question_pages


class Shell:
    """Plays nox's session: really runs what it is given, in a folder, and keeps what is printed."""

    posargs = ()

    def __init__(self, folder: Path):
        self.folder, self.output = folder, ""

    def run(self, program: str, *arguments: str, **options: object) -> None:
        if program in ("codespell", "pymarkdown", "ruff"):  # they read no catalog
            return
        modules = {"sphinx-build": ["-m", "sphinx"], "sphinx-intl": ["-m", "sphinx_intl"]}
        command = [sys.executable, *modules.get(program, []), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.output += done.stdout + done.stderr
        done.check_returncode()

    def log(self, text: str) -> None: ...


class Repository:
    """The project with a single page and a single script, and its own commands."""

    def __init__(self, folder: Path):
        self.folder = folder
        for name in (".autocorrectrc", "conf.py", "docutils.conf", "noxfile.py", "pyproject.toml"):
            self.write(name, (ROOT / name).read_text("utf-8"))
        (folder / "docs").mkdir()
        for name in ("_ext", "_static", "_templates"):
            (folder / "docs" / name).symlink_to(ROOT / "docs" / name, target_is_directory=True)
        self.write("docs/index.md", "# Home\n\nIt prints one.\n\n```{toctree}\nauto_examples/index\n```\n")
        self.write("examples/GALLERY_HEADER.rst", "Examples\n========\n")
        self.write("examples/topic/GALLERY_HEADER.rst", "Topic\n-----\n")
        self.write("examples/topic/plot_one.py", '"""\nScript\n======\n\nThe script prints.\n"""\n\nprint(1)\n')

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def nox(self, session: str) -> tuple[int, str]:
        """Run a session's commands; return how it ended and what it printed."""
        shell = Shell(self.folder)
        noxfile = load_noxfile(self.folder)
        noxfile.shutil.rmtree(self.folder / "_build" / "gettext", ignore_errors=True)
        try:
            getattr(noxfile, session)(shell)
        except subprocess.CalledProcessError as error:
            return error.returncode, shell.output
        return 0, shell.output

    def fill(self, chinese: dict[str, str]) -> None:
        """Do as translators do: fill or mend each msgstr, and delete the word fuzzy."""
        for path in (self.folder / "docs" / "locale").rglob("*.po"):
            catalog = polib.pofile(str(path), wrapwidth=0)
            for entry in catalog:
                if entry.msgid in chinese:
                    entry.msgstr, entry.flags = chinese[entry.msgid], []
            catalog.save()


CHINESE = {
    "Home": "首页",
    "It prints one.": "它打印一。",
    "It prints two.": "它打印二。",
    "Examples": "示例",
    "Topic": "主题",
    "Script": "脚本",
    "The script prints.": "脚本打印。",
    "The script prints more.": "脚本打印更多。",
}


def test_what_the_messages_say_mends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    repository = Repository(tmp_path)
    monkeypatch.chdir(tmp_path)

    def said(*parts: str) -> bool:
        return any(all(part in line for part in parts) for line in output.splitlines())

    status, output = repository.nox("lint")
    assert status and said("/index.po:1:", "no Chinese catalog: run nox -s translate, then fill it"), output
    assert said("/plot_one.po:1:", "no Chinese catalog"), output

    status, output = repository.nox("translate")
    assert not status, output
    status, output = repository.nox("lint")
    assert status and said("/index.po:", "not translated: fill its msgstr (msgid 'It prints one.')"), output
    assert said("/plot_one.po:", "not translated: fill its msgstr (msgid 'The script prints.')"), output

    repository.fill(CHINESE)
    status, output = repository.nox("lint")
    assert not status, output

    # The English moves on.
    repository.write("docs/index.md", (tmp_path / "docs/index.md").read_text("utf-8").replace("prints one", "prints two"))
    script = tmp_path / "examples/topic/plot_one.py"
    repository.write("examples/topic/plot_one.py", script.read_text("utf-8").replace("script prints", "script prints more"))
    status, output = repository.nox("lint")
    assert status and said("/index.po:1:", "the English is new or has changed: run nox -s translate", "'It prints two.'"), output
    assert said("/plot_one.po:1:", "the English is new or has changed", "'The script prints more.'"), output

    status, output = repository.nox("translate")
    assert not status, output
    status, output = repository.nox("lint")
    assert status and said("/index.po:", "(msgid 'It prints two.')"), output
    assert said("/plot_one.po:", "(msgid 'The script prints more.')"), output

    repository.fill(CHINESE)
    status, output = repository.nox("lint")
    assert not status, output


@pytest.mark.parametrize("question", question_pages())
def test_code_and_formulas_are_the_same_in_both_languages(read: Callable[[str], BeautifulSoup], question: str):
    """Were code translated, as gettext_additional_targets offers, MyST would turn it into ``::``."""
    english, chinese = (read(f"{language}/{question}.html").find(id="furo-main-content") for language in ("en", "zh_CN"))
    for selector in ("div.highlight", "math", "math[display=block]"):
        assert len(english.select(selector)) == len(chinese.select(selector)), selector
    blocks = [[block.get_text() for block in page.select("div.highlight")] for page in (english, chinese)]
    assert blocks[0] == blocks[1]
    formulas = [sorted(re.sub(r"\s+", " ", str(formula)) for formula in page.select("math")) for page in (english, chinese)]
    assert formulas[0] == formulas[1]
