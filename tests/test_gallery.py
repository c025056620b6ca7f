"""What the gallery shows is what its scripts printed; and a script that goes wrong stops the build and leaves nothing running."""

import ast
import doctest
import io
import os
import re
import subprocess
import sys
import tokenize
import uuid
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from bs4 import BeautifulSoup

from conftest import LANGUAGES, ROOT, Build, TinySite, example_scripts

EXAMPLES = ROOT / "examples"


def page_of(script: Path, language: str) -> str:
    """The page of a script, relative to the site."""
    return f"{language}/auto_examples/{script.with_suffix('.html').as_posix()}"


def output(page: BeautifulSoup) -> str:
    """What a gallery page shows as printed."""
    return "".join(block.get_text() for block in page.select(".sphx-glr-script-out pre"))


def difference(want: str, got: str) -> str:
    """How ``got`` differs from ``want`` for doctest, strictly: no ellipsis, each blank counts. Empty where it does not."""
    checker, flags = doctest.OutputChecker(), doctest.DONT_ACCEPT_TRUE_FOR_1
    if checker.check_output(want, got, flags):
        return ""
    example = doctest.Example("", re.sub(r"^ *$(?=\n)", doctest.BLANKLINE_MARKER, want, flags=re.MULTILINE))
    return checker.output_difference(example, got, flags | doctest.REPORT_UDIFF)


# The built site


@pytest.mark.parametrize("script", example_scripts(), ids=str)
def test_output_is_the_committed_one(read: Callable, request: pytest.FixtureRequest, script: Path):
    committed = EXAMPLES / script.with_suffix(".out")
    shown = {language: output(read(page_of(script, language))) for language in LANGUAGES}
    assert shown["en"], f"examples/{script} prints nothing, or was not executed"
    if request.config.getoption("rewrite_out"):
        committed.write_text(shown["en"], "utf-8")
    assert committed.exists(), f"{committed} is missing: nox -s tests -- --rewrite-out writes it; read it, then commit it"
    want = committed.read_text("utf-8")
    for language, got in shown.items():
        if found := difference(want, got):
            pytest.fail(f"{page_of(script, language)} differs from {committed}; if it is right, run nox -s tests -- --rewrite-out\n{found}")


@pytest.mark.parametrize("script", example_scripts(), ids=str)
def test_the_site_executed_the_script_as_it_is(site: Path, read: Callable, script: Path):
    for language in LANGUAGES:
        path = page_of(script, language)
        [link] = read(path).select(f'a[href*="_downloads/"][href$="/{script.name}"]')
        text = (site / path).parent.joinpath(link["href"]).resolve().read_text("utf-8")
        if text != (EXAMPLES / script).read_text("utf-8"):
            pytest.fail(f"{path} was built from another version of examples/{script}: run nox -s docs")


def test_every_script_is_executed_and_no_output_is_left_over():
    scripts = set(example_scripts())
    assert scripts, "no scripts in examples/"
    others = [path for path in EXAMPLES.rglob("*.py") if path.relative_to(EXAMPLES) not in scripts]
    assert not others, "only scripts named plot_NAME.py are executed"
    assert not [str(script) for script in scripts if not re.fullmatch(r"[a-z0-9_/]+\.py", script.as_posix())], "small letters, digits and _"
    outputs = {path.relative_to(EXAMPLES).with_suffix(".py") for path in EXAMPLES.rglob("*.out")}
    assert outputs <= scripts, "an .out file without its script"


MAXIMUM_LINES = 90
WHITE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(text: str) -> int:
    """The lines of a script that hold code: no docstring of the module, no comment, no blank."""
    lines = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in WHITE
        for line in range(token.start[0], token.end[0] + 1)
    }
    docstring = ast.parse(text).body[0]
    return len(lines - set(range(docstring.lineno, docstring.end_lineno + 1)))


@pytest.mark.parametrize("script", example_scripts(), ids=str)
def test_a_script_is_short(script: Path):
    count = code_lines((EXAMPLES / script).read_text("utf-8"))
    assert count <= MAXIMUM_LINES, f"examples/{script} has {count} lines of code: one idea a script, in {MAXIMUM_LINES} at most"


def test_lines_of_code_are_counted():
    assert code_lines('"""\nTitle\n=====\n"""\n\n# %%\n# Prose\nx = [\n    1,\n\n]  # why\ny = """\n\n"""\n') == 6


def links(read: Callable, page: str, to: str) -> set[str]:
    """The pages under ``to`` that the text of a page links to, such as ``layers/batchnorm``."""
    found = (re.search(rf"{to}/([\w-]+/[\w-]+)\.html", link.get("href", "")) for link in read(page).select("article a"))
    return {match[1] for match in found if match and not match[1].endswith("/index")}


def test_scripts_and_questions_link_to_each_other(read: Callable, site: Path):
    names = [script.with_suffix("").as_posix() for script in example_scripts()]
    questions = [path.relative_to(site / "en/questions").with_suffix("").as_posix() for path in (site / "en/questions").glob("*/*.html")]
    there = {(name, question) for name in names for question in links(read, f"en/auto_examples/{name}.html", "questions")}
    back = {(name, question) for question in questions for name in links(read, f"en/questions/{question}.html", "auto_examples")}
    assert there <= back, "these questions don't link to the script that links to them"
    assert set(names) == {name for name, _ in there}, "a script links to its question"


def test_outputs_are_never_rewritten_in_ci():
    command = [sys.executable, "-m", "pytest", "--rewrite-out", "--collect-only", __file__]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"CI": "true"})
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--rewrite-out would make every output right" in done.stderr


# The comparison


@pytest.mark.parametrize(
    ("want", "got"),
    [
        ("tensor([0., 1.])\n", "tensor([0., 2.])\n"),
        ("tensor([0., ..., 2.])\n", "tensor([0., 1., 2.])\n"),
        ("1\n", "True\n"),
        ("a  b\n", "a b\n"),
        ("a\n", "a\n\nb\n"),
        ("", "a\n"),
        ("a\n", ""),
    ],
)
def test_other_output_is_a_difference(want: str, got: str):
    assert difference(want, got)


@pytest.mark.parametrize("text", ["1\n", "tensor([[[0.]],\n\n        [[1.]]])\n", "a ... b\n", ">>> 1\n"])
def test_same_output_is_none(text: str):
    assert not difference(text, text)


# Faults planted in tiny sites

HEAD = '"""\nScript\n======\n\nText.\n"""\n\n'  # seven lines
MARK = f"left-by-{uuid.uuid4()}"
CHILD = f"subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)', '{MARK}'])"
SCRIPTS = {
    # Scripts run in the order of their names: what the first changes the second must not see.
    "plot_a_changes_state": "import torch\n\ntorch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\nprint(1)\n",
    "plot_b_sees_fresh_state": "import torch\n\nprint(torch.ones(1).dtype, torch.is_grad_enabled())\n",
    "plot_raises": "x = 1\n\nx / 0\n",
    "plot_hangs": f"import subprocess\nimport sys\n\n{CHILD}\nwhile True:\n    pass\n",
    "plot_leaves_child": f"import subprocess\nimport sys\n\n{CHILD}\n",
    "plot_leaves_orphan": (
        f"import subprocess\nimport sys\n\nsubprocess.run([sys.executable, '-c', \"import subprocess, sys; {CHILD}\"], check=True)\n"
    ),
    "plot_blank_figure": "import matplotlib.pyplot as plt\n\nplt.figure()\n",
    "plot_clipped_label": "import matplotlib.pyplot as plt\n\nplt.figure()\nplt.text(0.9, 0.5, 'a label that reaches over the edge')\n",
    "plot_missing_glyph": "import matplotlib.pyplot as plt\n\nplt.figure()\nplt.text(0, 0.5, '卷积')\n",
    "plot_whole_figure": "import matplotlib.pyplot as plt\n\nplt.plot([1, 2])\nplt.xlim(0, 0.5)\nplt.xlabel('a label')\n",
    "plot_waits": f"import subprocess\nimport sys\n\nsubprocess.run([sys.executable, '-c', 'print(1)', '{MARK}'], check=True)\n",
}


def running() -> list[psutil.Process]:
    """Processes that a planted script started."""
    return [process for process in psutil.process_iter(["cmdline"]) if MARK in (process.info["cmdline"] or ())]


@pytest.fixture(scope="module")
def planted(tiny_module: TinySite) -> TinySite:
    for name, code in SCRIPTS.items():
        tiny_module.write(f"examples/topic/{name}.py", HEAD + code)
    return tiny_module


@pytest.fixture(scope="module")
def built(planted: TinySite) -> Build:
    """All scripts in one build: each is judged by itself."""
    return planted.build("html", "en", "-q", env={"EXAMPLE_SECONDS": "3"})


def test_the_build_fails(built: Build):
    assert built.returncode != 0


def test_script_that_raises_is_named(built: Build):
    built.line("plot_raises.py", "unexpectedly failed to execute correctly")
    built.line('plot_raises.py", line 10, in <module>')
    built.line("ZeroDivisionError")


def test_script_that_hangs_is_interrupted(built: Build):
    assert re.search(r"plot_hangs\.py:1[23] is where the script was after 3 s", built.output), built.output


def test_left_processes_are_named_and_killed(built: Build):
    built.line("plot_leaves_child.py left 1 processes running", sys.executable, MARK)
    if sys.platform == "linux":
        built.line("plot_leaves_orphan.py left 1 processes running", MARK)
    assert not running()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("plot_blank_figure", "figure 1 is blank"),
        ("plot_clipped_label", "figure 1 cuts off 'a label that reaches over the edge'"),
        ("plot_missing_glyph", "figure 1 warns when it is drawn: Glyph 21367"),
    ],
)
def test_figure_that_nobody_can_read_is_named(built: Build, script: str, message: str):
    built.line(f"{script}.py {message}")


def test_state_of_one_script_does_not_reach_the_next(built: Build):
    page = BeautifulSoup((built.folder / "auto_examples" / "topic" / "plot_b_sees_fresh_state.html").read_text("utf-8"), "html.parser")
    assert output(page) == "torch.float32 True\n"


def test_right_scripts_pass(built: Build):
    for name in ("plot_a_changes_state", "plot_b_sees_fresh_state", "plot_waits", "plot_whole_figure", "plot_one"):
        assert f"{name}.py" not in built.output


def test_the_next_build_fails_again(planted: TinySite, built: Build):
    again = planted.build("html", "en", "-q", env={"EXAMPLE_SECONDS": "3"})
    assert again.returncode != 0
    again.line("plot_leaves_child.py left 1 processes running")
    again.line("plot_blank_figure.py", "is blank")
    again.line("ZeroDivisionError")


@pytest.mark.skipif(sys.platform != "linux", reason="needs glibc's lock that no signal ends")
@pytest.mark.parametrize(("library", "message"), [("CDLL", "the script hangs outside Python"), ("PyDLL", "Timeout (0:00:03)")])
def test_hang_outside_python_ends_the_build(tiny: TinySite, library: str, message: str):
    """A lock that the thread has itself is never had. With PyDLL Python's own lock is held meanwhile."""
    code = f"import ctypes\nimport subprocess\nimport sys\n\nlock, libc = ctypes.create_string_buffer(64), ctypes.{library}(None)\n"
    code += (CHILD + "\n") * (library == "CDLL") + "libc.pthread_mutex_lock(lock)\nlibc.pthread_mutex_lock(lock)\n"
    tiny.write("examples/topic/plot_deaf.py", HEAD + code)
    built = tiny.build("html", "en", "-q", env={"EXAMPLE_SECONDS": "1", "EXAMPLE_GRACE": "1"})
    assert built.returncode != 0
    built.line(message)
    assert re.search(r'plot_deaf\.py", line 1[45] in <module>', built.output), built.output
    assert not running()


DEADLOCK = f"""\
import os
import sys
from datetime import timedelta
from subprocess import run

import torch
import torch.distributed as dist

if dist.is_torchelastic_launched():
    dist.init_process_group("gloo", timeout=timedelta(seconds=4))
    if dist.get_rank() == 1:
        dist.all_reduce(torch.ones(1))
    dist.barrier()
    sys.exit(dist.destroy_process_group())

torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", sys.argv[0], "{MARK}"]
ranks = run(torchrun, env=os.environ | {{"OMP_NUM_THREADS": "1"}}, timeout=60, check=False, capture_output=True, text=True)
if ranks.returncode:
    raise RuntimeError(ranks.stderr)
"""


def test_collective_that_waits_for_ever_ends_and_is_named(tiny: TinySite):
    """One rank calls a collective that the other does not: the group's timeout ends both."""
    tiny.write("examples/topic/plot_deadlock.py", HEAD + DEADLOCK)
    built = tiny.build("html", "en", "-q")
    assert built.returncode != 0
    built.line("[rank1]", "dist.all_reduce(torch.ones(1))")
    built.line("[rank1]", "Timed out")
    assert not running()


def test_every_wait_for_other_processes_has_an_end():
    """A script that starts processes limits how long their group waits, and how long it waits for them."""
    for script in example_scripts():
        text = (EXAMPLES / script).read_text("utf-8")
        if "torch.distributed.run" not in text:
            continue
        for call in re.findall(r"^.*\b(?:init_process_group|run)\(.*$", text, flags=re.MULTILINE):
            assert "timeout=" in call, f"examples/{script}: no timeout in: {call.strip()}"
