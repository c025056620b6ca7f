"""Change every expected output of every page and script in turn, and see that each change is caught: ``nox -s mutate``.

1. Every page is run once, as ``nox -s doctest`` runs it, and what each example prints is kept. Every mutant (``mutants.py``) is read by the
   page rules, then compared with that by doctest's checker, with the flags of the run.
2. Of every kind, one mutant a page, drawn by the seed, really goes through ``nox -s doctest``: copies of all pages, a folder a kind, in one
   run, beside copies that stay as they are and must pass.
3. Every mutant of every ``.out`` file is compared by the tests' own ``difference``; then each file, changed in one place, goes through the
   test that compares it with the built gallery.

A survivor is printed with its page, line and change, and ends the session with an error.
"""

import argparse
import doctest
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import sphinx.ext.doctest
from docutils import nodes
from sphinx.cmd.build import main as sphinx_build

from bench import copy_repository
from checked_examples import CheckedExamples
from conftest import ROOT, example_scripts
from mutants import FORM, KINDS, Fence, Mutant, Printed, caught, of_text, sample
from test_gallery import difference

UNCHANGED = "unchanged"
FAILED = re.compile(r'^(?:WARNING: )?File "(?P<path>.+)\.md", line (?P<line>\d+), in default', re.MULTILINE)
WARNED = re.compile(r"^(?P<path>.+)\.md:(?P<line>\d+): WARNING: .*\[checked_examples\]$", re.MULTILINE)


class Page:
    """A page as its run saw it: the fences in its text, and what each of their examples printed, by line."""

    def __init__(self, path: Path):
        self.path = path
        self.fences: list[Fence] = []
        self.printed: dict[int, Printed] = {}

    def mutants(self) -> Iterator[tuple[Fence, Mutant]]:
        for fence in self.fences:
            yield from ((fence, mutant) for mutant in fence.mutants())

    def text(self, fence: Fence, mutant: Mutant) -> str:
        """The page with this fence changed. Raises ValueError where the fence does not stand where it should."""
        lines, text = self.path.read_text("utf-8-sig").splitlines(keepends=True), fence.text.splitlines()
        start, end = fence.line - 1, fence.line - 1 + len(text)
        indent = re.match(r" *", lines[start])[0]
        if [line.rstrip("\n").removeprefix(indent) for line in lines[start:end]] != text:
            raise ValueError(f"{self.path}:{fence.line}: not the text of the fence")
        changed = "".join(indent + line if line.strip() else line for line in mutant.fence.splitlines(keepends=True))
        return "".join([*lines[:start], changed, *lines[end:]])


def keep(pages: list[str], docs: Path) -> None:
    """Leave only some pages in a copy of ``docs``, and name them on its home page."""
    for path in docs.rglob("*.md"):
        if path.relative_to(docs).with_suffix("").as_posix() not in pages and "_templates" not in path.parts:
            path.unlink()
    (docs / "index.md").write_text("\n".join(["# Home\n", "```{toctree}", *pages, "auto_examples/index", "```\n"]), "utf-8")


def record(folder: Path, arguments: list[str]) -> dict[str, Page]:
    """Run sphinx-build's doctest in ``folder``, in this process, and keep what every example printed, by document.

    Raises SystemExit where the run fails: only what is right can be made wrong.
    """
    pages: dict[str, Page] = {}
    current: list[Page] = []

    class Checker(doctest.OutputChecker):
        def __init__(self, runner: doctest.DocTestRunner):
            self.runner = runner

        def check_output(self, want: str, got: str, optionflags: int) -> bool:
            line, example = self.runner.example
            current[-1].printed[line] = Printed(got, want == example.exc_msg, optionflags)
            return super().check_output(want, got, optionflags)

    class Runner(sphinx.ext.doctest.SphinxDocTestRunner):
        def __init__(self, **options: object):
            super().__init__(checker=Checker(self), **options)

        def report_start(self, out: object, test: doctest.DocTest, example: doctest.Example) -> None:
            self.example = test.lineno + example.lineno + 1, example  # doctest counts from 0
            super().report_start(out, test, example)

    def test_doc(builder: CheckedExamples, docname: str, doctree: nodes.document) -> bool:
        page = pages[docname] = Page(builder.env.doc2path(docname))
        current.append(page)
        blocks = doctree.findall(lambda node: isinstance(node, nodes.literal_block) and "first_line" in node)
        page.fences = [Fence(block.get("test", block.astext()), block["first_line"] + 1) for block in blocks]
        return run(builder, docname, doctree)

    run = CheckedExamples.test_doc
    here = Path.cwd()
    os.chdir(folder)
    with mock.patch.object(sphinx.ext.doctest, "SphinxDocTestRunner", Runner), mock.patch.object(CheckedExamples, "test_doc", test_doc):
        status = sphinx_build(arguments)
    os.chdir(here)
    if status:
        sys.exit("The pages do not pass as they are: mend what is named above, then run nox -s mutate again")
    return {docname: page for docname, page in pages.items() if page.fences}


def sweep(pages: dict[str, Page], checker: doctest.OutputChecker) -> tuple[Counter, list[str]]:
    """Judge every mutant of every page; return how many of each kind there are, and the survivors."""
    counts, survivors = Counter(), []
    for page in pages.values():
        for fence, mutant in page.mutants():
            counts[mutant.kind] += 1
            if not caught(mutant, fence, page.printed, checker):
                survivors.append(f"{page.path}:{mutant.line}: {mutant}")
    return counts, survivors


def plant(pages: dict[str, Page], docs: Path, seed: int) -> dict[str, Mutant | None]:
    """Write one mutant of every kind of every page to ``docs/KIND/PAGE``, and each page as it is; return them by document."""
    planted: dict[str, Mutant | None] = {}
    for docname, page in pages.items():
        fences = {mutant: fence for fence, mutant in page.mutants()}
        chosen = {kind.replace(" ", "-"): mutant for kind, mutant in sample(iter(fences), f"{seed} {docname}").items()}
        for kind, mutant in [*chosen.items(), (UNCHANGED, None)]:
            planted[f"{kind}/{docname}"] = mutant
            target = docs / kind / f"{docname}.md"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(page.text(fences[mutant], mutant) if mutant else page.path.read_text("utf-8-sig"), "utf-8")
    return planted


def judge(planted: dict[str, Mutant | None], output: str) -> list[str]:
    """The planted documents that the output of a doctest run does not name, and those that it names though they are right.

    A fence that reads wrongly is named by its own line, an example that prints something else by its.
    """
    failed, warned = ({docname: set() for docname in planted} for _ in range(2))
    for found, pattern in ((failed, FAILED), (warned, WARNED)):
        for place in pattern.finditer(output):
            docname = place["path"].rpartition("docs/")[2] if place["path"].startswith("/") else place["path"].removeprefix("docs/")
            if docname in found:
                found[docname].add(int(place["line"]))
    survivors = []
    for docname, mutant in planted.items():
        lines = failed[docname] | warned[docname]
        if mutant is None and lines:
            survivors.append(f"{docname}.md: fails at line {min(lines)} though nothing was changed")
        elif mutant and not lines:
            survivors.append(f"{docname}.md:{mutant.line}: {mutant}")
        elif mutant and not warned[docname] and mutant.kind not in FORM and min(lines) != mutant.line:
            survivors.append(f"{docname}.md:{mutant.line}: {mutant} is caught, but at line {min(lines)}")
    return survivors


def run_really(folder: Path, arguments: list[str], pages: dict[str, Page], seed: int) -> tuple[int, list[str]]:
    planted = plant(pages, folder / "docs", seed)
    command = [sys.executable, "-m", "sphinx", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    survivors = judge(planted, done.stdout + done.stderr)
    if not done.returncode:
        survivors.append("nox -s doctest ended without an error")
    return len(planted), survivors


def sweep_outputs() -> tuple[Counter, list[str]]:
    """Judge every mutant of every ``.out`` file."""
    counts, survivors = Counter(), []
    for script in example_scripts():
        path = ROOT / "examples" / script.with_suffix(".out")
        printed = path.read_text("utf-8")
        for kind, new in of_text(printed):
            counts[kind] += 1
            if not difference(new, printed):
                survivors.append(f"{path}: {kind}: {new!r}")
    return counts, survivors


def run_test(folder: Path, seed: int) -> list[str]:
    """Change each ``.out`` file of the copy in one place, and run the test that compares it with the built gallery."""
    scripts = example_scripts()
    for script in scripts:
        path = folder / "examples" / script.with_suffix(".out")
        kinds = list(of_text(path.read_text("utf-8")))
        path.write_text(random.Random(f"{seed} {script}").choice(kinds)[1], "utf-8")
    (folder / "_build" / "html").symlink_to(ROOT / "_build" / "html")
    command = [sys.executable, "-m", "pytest", "-q", "-rA", "--tb=no", "tests/test_gallery.py", "-k", "test_output_is_the_committed_one"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=os.environ | {"NO_COLOR": "1"})
    failed = [script for script in scripts if re.search(rf"^FAILED .*\[{re.escape(str(script))}\]", done.stdout, re.MULTILINE)]
    return [f"examples/{script.with_suffix('.out')}: tests/test_gallery.py does not fail" for script in scripts if script not in failed]


def report(what: str, number: int, survivors: list[str]) -> int:
    print(f"{what}: {number} mutants, {len(survivors)} survived", flush=True)
    for survivor in survivors:
        print(f"  SURVIVED {survivor}", flush=True)
    return len(survivors)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", nargs="+", help="after --: the command of nox -s doctest")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="draws the mutants that really run")
    parser.add_argument("--pages", nargs="+", help="only these pages, such as questions/autograd/detach, and no scripts", metavar="PAGE")
    options = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # the same output, sooner where others work too
    seed, arguments = options.seed, options.command[1:]
    print(f"seed {seed}")
    if not options.pages and not (ROOT / "_build" / "html" / "index.html").exists():
        sys.exit("The built gallery is needed: run nox -s docs first")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as place:
        folder = copy_repository(Path(place))
        if options.pages:
            keep(options.pages, folder / "docs")
        pages = record(folder, arguments)
        counts, survivors = sweep(pages, doctest.OutputChecker())
        alive = report(f"Every example of {len(pages)} pages, compared", counts.total(), survivors)
        print("  " + ", ".join(f"{kind} {counts[kind]}" for kind in KINDS), flush=True)
        alive += report("One of each kind a page, really run", *run_really(folder, arguments, pages, seed))
        if not options.pages:
            counts, survivors = sweep_outputs()
            alive += report("Every .out file, compared", counts.total(), survivors)
            alive += report("Every .out file, really tested", len(example_scripts()), run_test(folder, seed))
    if alive:
        sys.exit(f"{alive} mutants survived: mend the guard, or the page. nox -s mutate -- --seed {seed} draws the same")


if __name__ == "__main__":
    main()
