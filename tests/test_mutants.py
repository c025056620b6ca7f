"""The mutants that ``nox -s mutate`` makes of every page, and a drawn sample of them through the real doctest builder.

A guard made weak on purpose must leave survivors, or the session would prove nothing.
"""

import doctest
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

import machines
from bench import load_noxfile
from conftest import ROOT, TinySite, question_pages
from mutants import KINDS, OUTPUT, Fence, Mutant, Printed, caught, of_text
from mutate import Page, judge, sweep

FENCE = Fence(
    ">>> import torch\n>>> x = torch.zeros(2, dtype=torch.int64)\n>>> print(x.shape, -1.5, 'a b', True)\n"
    "torch.Size([2]) -1.5 a b True\n>>> x\ntensor([0, 0])\n>>> for name in 'ab':\n...     print(name)\na\nb\n"
    ">>> print('1\\n\\n2')\n1\n<BLANKLINE>\n2\n>>> x.dtype\ntorch.int64\n"
    ">>> x[5]\nTraceback (most recent call last):\n  ...\nIndexError: index 5 is out of bounds for dimension 0 with size 2\n",
    10,
)
PRINTED = {
    10: Printed("", False, 0),
    11: Printed("", False, 0),
    12: Printed("torch.Size([2]) -1.5 a b True\n", False, 0),
    14: Printed("tensor([0, 0])\n", False, 0),
    16: Printed("a\nb\n", False, 0),
    20: Printed("1\n\n2\n", False, 0),
    24: Printed("torch.int64\n", False, 0),
    26: Printed("IndexError: index 5 is out of bounds for dimension 0 with size 2\n", True, 0),
}
# kind: (line of the example, the change in its text), one of those that must be among the mutants
EXPECTED = {
    "digit": (14, "tensor([1, 0])"),
    "sign": (12, "torch.Size([2]) 1.5 a b True"),
    "dtype": (24, "torch.int32"),
    "shape": (12, "torch.Size([1, 2]) -1.5 a b True"),
    "truth": (12, "torch.Size([2]) -1.5 a b False"),
    "word": (16, "as\nb"),
    "line dropped": (16, "b"),
    "lines swapped": (16, "b\na"),
    "line added": (16, "a\nb\nb"),
    "space": (14, "tensor([0,  0])"),
    "dots": (14, "te...)"),  # codespell:ignore
    "blank line": (20, "1\n\n2"),
    "exception": (26, "Traceback (most recent call last):\n  ...\nKeyError: index 5 is out of bounds for dimension 0 with size 2"),
    "message": (26, "Traceback (most recent call last):\n  ...\nIndexError: index 5 is out of for dimension 0 with size 2"),
    "traceback": (
        26,
        'Traceback (most recent call last):\n  File "a.py", line 1\nIndexError: index 5 is out of bounds for dimension 0 with size 2',
    ),
    "flag": (14, ">>> x  # doctest: +SKIP"),
    "prompt": (16, "for name in 'ab':\n    print(name)"),
    "prompts": (26, FENCE.text.replace(">>> ", "").replace("... ", "").strip("\n")),
}


def test_every_kind_is_made():
    made = {(mutant.kind, mutant.line, mutant.new.strip("\n")) for mutant in FENCE.mutants()}
    assert set(EXPECTED) == set(KINDS)
    assert {(kind, *change) for kind, change in EXPECTED.items() if kind != "prompts"} <= made
    assert any(kind == "prompts" and ">>>" not in text for kind, _, text in made)


def test_each_mutant_changes_its_example_alone():
    lines = FENCE.text.splitlines()
    for mutant in FENCE.mutants():
        assert mutant.fence != FENCE.text
        if mutant.kind != "prompts":
            before = lines[: mutant.line - FENCE.line]
            assert mutant.fence.splitlines()[: len(before)] == before, mutant


def test_every_mutant_is_caught():
    assert [str(mutant) for mutant in FENCE.mutants() if not caught(mutant, FENCE, PRINTED, doctest.OutputChecker())] == []


@pytest.mark.parametrize(
    ("flags", "kinds"),
    [
        (doctest.ELLIPSIS, {"dots"}),
        (doctest.NORMALIZE_WHITESPACE, {"space", "line dropped", "lines swapped"}),  # lines that are blank
        (doctest.DONT_ACCEPT_TRUE_FOR_1, set()),
    ],
)
def test_a_loose_comparison_leaves_survivors(tmp_path: Path, flags: int, kinds: set[str]):
    page = Page(tmp_path / "page.md")
    page.fences, page.printed = [FENCE], {line: printed._replace(flags=flags) for line, printed in PRINTED.items()}
    counts, survivors = sweep({"page": page}, doctest.OutputChecker())
    assert counts.total() == len(list(FENCE.mutants()))
    assert {survivor.split(": ")[1] for survivor in survivors} == kinds
    assert all(re.match(rf"{re.escape(str(page.path))}:\d+: ", survivor) for survivor in survivors)


def test_what_a_run_does_not_name_has_survived():
    def mutant(kind: str) -> Mutant:
        return Mutant(kind, 12, "old", "new", "")

    planted = {"digit/page": mutant("digit"), "sign/page": mutant("sign"), "flag/page": mutant("flag"), "unchanged/page": None}
    output = (
        'File "digit/page.md", line 12, in default\nFile "docs/sign/page.md", line 7, in default\n'
        "/tmp/site/docs/flag/page.md:10: WARNING: the flag SKIP [checked_examples]\n"
    )
    assert judge(planted, output) == ["sign/page.md:12: sign: 'old' became 'new' is caught, but at line 7"]
    assert judge(planted, "")[0] == "digit/page.md:12: digit: 'old' became 'new'"
    assert len(judge(planted, "")) == 3
    assert "fails at line 3 though nothing was changed" in judge(planted, output + 'File "unchanged/page.md", line 3, in default\n')[-1]


def test_mutants_of_a_script_s_output():
    kinds = {kind for kind, _ in of_text("torch.Size([2]) -1.5 True\ntorch.int64 ok\n")}
    assert kinds == set(OUTPUT) - {"blank line"}


def test_a_drawn_sample_really_runs():
    """Three pages, every example and one mutant of each kind a page; all pages in ``nox -s mutate``."""
    command = load_noxfile(ROOT).doctest_command()
    pages = [page for page in question_pages() if ">>> import tensorflow" not in (ROOT / "docs" / f"{page}.md").read_text("utf-8")]
    drawn = random.Random(2026).sample(pages, 3)
    options = ["--seed", "2026", "--pages", *drawn, "--", *command]
    done = subprocess.run([sys.executable, str(ROOT / "tests" / "mutate.py"), *options], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    compared, run = re.findall(r"^.*?(\d+) mutants, (\d+) survived$", done.stdout, re.MULTILINE)
    assert int(compared[0]) > 500 and int(run[0]) > 30
    assert compared[1] == run[1] == "0"


# Other machines


def test_pages_run_in_the_drawn_order_so_many_times(tiny: TinySite):
    for name in "abcdefgh":
        tiny.write(f"docs/{name}.md", "# T\n\n```pycon\n>>> 1\n1\n```\n")
    orders = []
    for seed in ("1", "1", "2"):
        built = tiny.build("doctest", "en", "-q", "-D", "plot_gallery=0", "-D", f"doctest_seed={seed}", "-D", "doctest_times=2")
        assert built.returncode == 0, built.output
        built.line("8 pages, 16 examples attempted, 0 failed")
        orders.append(json.loads((tiny.folder / "doctest.json").read_text("utf-8"))["run"]["order"])
    first, again, other = orders
    assert first == again != other
    assert Counter(first) == dict.fromkeys("abcdefgh", 2)
    assert list("abcdefgh") not in (first[:8], first[8:], other[:8])
    assert first[:8] != first[8:]


PAGES = {
    "order": "# T\n\n```pycon\n>>> import sys\n>>> hasattr(sys, 'mark')\nFalse\n>>> sys.mark = 1\n```\n",
    "threads": "# T\n\n```pycon\n>>> import torch\n>>> torch.get_num_threads() == 4\nFalse\n```\n",
}


@pytest.mark.parametrize(("name", "machine", "line"), [("order", 0, 5), ("threads", -1, 5)])
def test_what_depends_on_the_machine_is_named(tiny: TinySite, name: str, machine: int, line: int):
    """A page that differs when it is run again, and one that differs with four threads."""
    for other in ("a", "b", "c"):
        tiny.write(f"docs/{other}.md", "# T\n\n```pycon\n>>> 1\n1\n```\n")
    tiny.write(f"docs/{name}.md", PAGES[name])
    tiny.write("docs/index.md", f"# Home\n\n```{{toctree}}\na\nb\nc\n{name}\nauto_examples/index\n```\n")
    folders = ["-d", str(tiny.folder / "doctrees"), str(tiny.folder / "docs"), str(tiny.folder / "out")]
    command = ["sphinx-build", "-c", str(ROOT), "-W", "--keep-going", "-b", "doctest", "-q", "-D", "plot_gallery=0", *folders]
    faults, summary = machines.run(machines.MACHINES[machine], command, 7, tiny.folder / "record.json")
    assert f"{name}.md:{line}: prints something else" in faults, summary
    assert not [fault for fault in faults if f"{name}.md" not in fault]


def test_a_setting_without_effect_is_named():
    machine = machines.Machine("future", {"ATEN_CPU_CAPABILITY": "nonsense"}, ("NONSENSE",))
    assert machines.refusals(machine) == ["torch does not say 'NONSENSE': the setting has no effect"]
    assert machines.refusals(machines.MACHINES[1]) == []


def test_a_run_that_dies_is_named(tiny: TinySite):
    faults, _ = machines.run(SimpleNamespace(times=1, env={}), ["sphinx-build", "nonsense"], 1, tiny.folder / "record.json")
    assert faults == ["the run did not come to its end"]
