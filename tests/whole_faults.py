"""What may befall the build of the whole site: ``nox -s faults``. Each of these takes minutes; ``test_faults.py`` has what takes seconds.

The site is built in a copy of the repository, in a folder with a space and Chinese in its name, by the commands of the noxfile.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bench import copy_repository, load_noxfile
from conftest import TinySite
from reproduce import differences
from test_faults import hook

SEED = random.randrange(10**6)


class Session:
    """Runs commands as nox's session does, without a network; kills sphinx-build after ``seconds`` where they are given."""

    def __init__(self, folder: Path, env: dict[str, str], seconds: float | None = None, posargs: tuple[str, ...] = ()):
        self.folder, self.env, self.seconds, self.posargs = folder, env, seconds, posargs
        self.output = ""

    def run(self, program: str, *arguments: str, env: dict[str, str] | None = None, **options: object) -> None:
        command = [*without_network(), sys.executable, *(["-m", "sphinx"] if program == "sphinx-build" else []), *arguments]
        environment = os.environ | self.env | (env or {})
        with subprocess.Popen(
            command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True
        ) as process:
            try:
                self.output += process.communicate(timeout=self.seconds)[0]
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.output += process.communicate()[0]
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command)

    def log(self, text: str) -> None: ...


def without_network() -> list[str]:
    """A prefix that leaves a command only the loopback device, where the system can do that."""
    prefix = ["unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up 2>/dev/null; exec "$@"', "sh"]
    if shutil.which("unshare") and shutil.which("ip") and not subprocess.run([*prefix, "true"], capture_output=True).returncode:
        return prefix
    return []


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copy_repository(tmp_path_factory.mktemp("site") / "面试 题")
    (folder / "_build").mkdir()
    return folder


@pytest.fixture
def offline(copy: Path) -> dict[str, str]:
    """Python without a network, on every system."""
    return hook(TinySite(copy.parent / "hooks"), "offline")


@pytest.fixture
def session(copy: Path, offline: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.chdir(copy)
    return Session(copy, offline)


def test_every_example_runs_without_a_network_in_an_odd_folder(copy: Path, session: Session):
    load_noxfile(copy).doctest(session)
    assert ", 0 failed" in session.output.splitlines()[-1] or " 0 failed (" in session.output, session.output


def test_the_site_is_built_without_a_network_in_an_odd_folder(copy: Path, session: Session):
    load_noxfile(copy).docs(session)
    shutil.copytree(copy / "_build" / "html", copy.parent / "good")


def test_builds_killed_at_any_time_leave_no_trace(copy: Path, offline: dict[str, str], monkeypatch: pytest.MonkeyPatch):
    """From nothing, killed again and again until one build comes to its end; then the site is that of an undisturbed build."""
    monkeypatch.chdir(copy)
    shutil.rmtree(copy / "docs" / "auto_examples")
    shutil.rmtree(copy / "_build" / "work")
    last_good, draw = copy / "_build" / "html" / "en" / "index.html", random.Random(SEED)
    before = last_good.read_bytes()
    kills = 0
    for _ in range(6):
        try:
            load_noxfile(copy).docs(Session(copy, offline, seconds=draw.uniform(5, 60)))
        except subprocess.CalledProcessError:
            kills += 1
            assert last_good.read_bytes() == before
    assert kills, "no build was killed: this machine is too fast for the times drawn"
    load_noxfile(copy).docs(Session(copy, offline))
    assert differences(copy.parent / "good", copy / "_build" / "html") == [], f"seed {SEED}"
