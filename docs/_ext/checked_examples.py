"""Every Python example on a page runs, and its output is compared. Nothing else may hold Python.

An example is a ```` ```pycon ```` fence with prompts and output. GitHub highlights it, and
:class:`CheckedExamples`, a strict version of `Sphinx's doctest builder
<https://www.sphinx-doc.org/en/master/usage/extensions/doctest.html>`_, verifies it.

The stock builder skips much in silence: a fence without prompts, text after a blank line, an
unpaired ``testoutput``, a fence swallowed by another. Here each of these is a warning, so an error
under ``-W``, and at the end the prompts in the source of a page are counted against the
examples that ran.

What truly can't run says why, and is counted::

    {.no-run reason="needs two GPUs"}
    ```pycon
    >>> model.to("cuda:1")
    ```

Configuration: ``doctest_record`` (str), the file that gets the result of each page, read by
``stamp.py``; ``doctest_without_tensorflow`` (bool), name the pages that need TensorFlow instead
of failing where it can't be imported; ``doctest_seed`` (int), run the pages in an order drawn by it,
0 for that of their names; ``doctest_times`` (int), run every page so many times, each time in another order.
"""

import doctest
import hashlib
import importlib.util
import json
import os
import platform
import random
import re
import time
from collections.abc import Iterator, Set
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.ext.doctest import DocTestBuilder, DoctestDirective
from sphinx.locale import _
from sphinx.util import logging

logger = logging.getLogger(__name__)

PROMPT = re.compile(r"^[ \t]*>>>", re.MULTILINE)
TENSORFLOW = re.compile(r"^[ \t]*>>> (?:import|from) (?:tensorflow|keras)\b", re.MULTILINE)
PYTHON = {"python", "python3", "py", "py3", "pycon", "pycon3", "ipython", "ipython3", "pytb", "default"}
GALLERY = "auto_examples/"
TRACEBACK = "Traceback (most recent call last):\n  ...\n"  # what stands above an exception, always


def warn(node: nodes.Node, message: str, *arguments: object) -> None:
    """Warn of ``node`` with the line of the page that holds it."""
    logger.warning(message, *arguments, location=node, type="checked_examples")


class Pycon(DoctestDirective):
    """A ```` ```pycon ```` fence: an example that runs, or with the class ``no-run`` a reason why not."""

    optional_arguments = 0
    option_spec: ClassVar = {"class": directives.class_option, "reason": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        classes = self.options.pop("class", [])
        reason = self.options.pop("reason", None)
        if "no-run" in classes:
            return self.unrun(reason)
        if reason:
            raise self.error('reason="…" belongs to a {.no-run} fence; this one runs')
        self.name = "doctest"
        [node] = super().run()
        node["classes"] += classes
        # Where the first line of code stands in the page. docutils' node.line is off inside a container.
        node["first_line"] = self.lineno + self.content_offset
        return [node]

    def unrun(self, reason: str | None) -> list[nodes.Node]:
        if not reason:
            raise self.error('say why it can\'t run: {.no-run reason="needs two GPUs"}')
        text = "\n".join(self.content)
        block = nodes.literal_block(text, text, language="pycon", classes=["no-run"])
        note = nodes.paragraph(reason, reason, classes=["no-run-reason"])
        self.set_source_info(block)
        self.set_source_info(note)
        return [block, note]


def label_reasons(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Write before each reason what it is the reason of; only now, since translation replaces the whole paragraph."""
    for note in doctree.findall(nodes.paragraph):
        if "no-run-reason" in note["classes"]:
            note.insert(0, nodes.Text(_("Not run here:") + " "))


def gate(app: Sphinx, doctree: nodes.document) -> None:
    """Warn of each block that looks like Python and is not verified, and of each that doctest would skip."""
    generated = app.env.docname.startswith(GALLERY)
    for node in doctree.findall(nodes.Element):
        if isinstance(node, nodes.comment) and "testnodetype" not in node and PROMPT.search(node.astext()):
            warn(node, "an example in a comment never runs: make it a ```pycon fence, or delete it")
        # An error message quotes the block that it is about.
        if ("testnodetype" not in node and not is_code(node)) or isinstance(node.parent, nodes.system_message):
            continue
        kind, language = node.get("testnodetype"), (node.get("language") or "").lower()
        if kind == "doctest" and "first_line" in node:
            check_example(node)
        elif kind:
            warn(node, "{%s} is not used here: write a ```pycon fence", kind)
        elif (
            "no-run" in node["classes"]
            or (generated and "sphx-glr-script-out" in node.parent.get("classes", ()) + node["classes"])
            or (generated and node.get("language") == "Python")
        ):
            continue
        elif language in PYTHON or PROMPT.search(node.astext()):
            warn(node, "Python that nothing runs (%s): write a ```pycon fence with prompts and output", language or "no language")


def is_code(node: nodes.Node) -> bool:
    return isinstance(node, nodes.literal_block | nodes.doctest_block)


def check_example(node: nodes.Element) -> None:
    """Warn where doctest would pass over part of an example, or compare it loosely."""
    for fault in faults(node.get("test", node.astext())):
        warn(node, "%s", fault)


def faults(source: str) -> Iterator[str]:
    """What doctest would pass over, or compare loosely, in the text of a fence."""
    try:
        parts = doctest.DocTestParser().parse(source)
    except ValueError as error:
        yield f"doctest cannot read this example: {error}"
        return
    examples = [part for part in parts if isinstance(part, doctest.Example)]
    if not examples:
        yield "a ```pycon fence without a prompt: start each line of code with >>> and a space"
    for part in parts:
        if isinstance(part, str) and part.strip():
            yield (
                f"doctest does not compare this text: {part.strip().splitlines()[0]!r}. Write <BLANKLINE> for an empty line of output, "
                "put a prompt before code, and close the fence before prose"
            )
    for example in examples:
        if example.exc_msg and example.want != TRACEBACK + example.exc_msg:
            yield f"doctest does not compare the calls of a traceback: write {TRACEBACK!r} and then the exception"
        for flag in example.options:
            if flag != doctest.ELLIPSIS or not example.exc_msg:
                name = next(name for name, value in doctest.OPTIONFLAGS_BY_NAME.items() if value == flag)
                yield (
                    f"the flag {name} makes the comparison loose: print something exact. "
                    "Only ELLIPSIS is allowed, and only on an exception's message"
                )


class CheckedExamples(DocTestBuilder):
    """Sphinx's doctest builder, which also counts, records and names what it ran."""

    def init(self) -> None:
        super().init()
        self.pages: dict[str, dict] = {}
        self.skipped_pages: list[str] = []
        self.order: list[str] = []

    @staticmethod
    def get_line_number(node: nodes.Node) -> int | None:
        return node.get("first_line") or DocTestBuilder.get_line_number(node)

    def write_documents(self, docnames: Set[str]) -> None:
        order, draw = sorted(docnames), random.Random(self.config.doctest_seed)
        for _time in range(self.config.doctest_times):
            if self.config.doctest_seed:
                draw.shuffle(order)
            for docname in order:
                super().write_documents({docname})

    def test_doc(self, docname: str, doctree: nodes.Node) -> bool:
        if docname.startswith(GALLERY):
            return True
        source = Path(self.env.doc2path(docname)).read_text("utf-8-sig")
        if not PROMPT.search(source):
            return super().test_doc(docname, doctree)
        if TENSORFLOW.search(source) and not importlib.util.find_spec("tensorflow"):
            if docname not in self.skipped_pages:
                self.skipped_pages.append(docname)
            if not self.config.doctest_without_tensorflow:
                logger.warning(
                    "not verified: this page needs TensorFlow, which is not installed here. "
                    "Pass --without-tensorflow to leave such pages unverified",
                    location=docname,
                    type="checked_examples",
                )
            return True
        self.order.append(docname)
        attempted, failed = self.total_tries, self.total_failures
        started = time.monotonic()
        success = super().test_doc(docname, doctree)
        attempted, failed = self.total_tries - attempted, self.total_failures - failed
        logger.info("%s: %d examples, %.1f s", self.path(docname), attempted, time.monotonic() - started)
        unrun = [node for node in doctree.findall(nodes.literal_block) if "no-run" in node["classes"]]
        prompts = len(PROMPT.findall(source)) - sum(len(PROMPT.findall(node.astext())) for node in unrun)
        if prompts != attempted:
            logger.warning(
                "%d prompts in the source, but %d examples ran: an example is hidden in a comment, "
                "swallowed by the fence before it, or follows >>> without a space",
                prompts,
                attempted,
                location=docname,
                type="checked_examples",
            )
            failed = max(failed, 1)
        self.pages[docname] = {
            "source": digest(source),
            "attempted": attempted,
            "failed": failed + self.pages.get(docname, {"failed": 0})["failed"],  # of an earlier time
            "ellipses": len(re.findall(r"#\s*doctest:\s*\+ELLIPSIS", source)),
            "not_run": [node.line for node in unrun],
        }
        return success

    def path(self, docname: str) -> str:
        """The page's path as one would type it."""
        return os.path.relpath(self.env.doc2path(docname))

    def finish(self) -> None:
        super().finish()
        record = Path(self.config.doctest_record)
        versions = {name: installed(name) for name in ("torch", "tensorflow")} | {"python": platform.python_version()}
        epoch = os.environ.get("SOURCE_DATE_EPOCH")
        date = datetime.fromtimestamp(int(epoch) if epoch else time.time(), UTC).date().isoformat()
        pages = read(record).get("pages", {}) if read(record).get("versions") == versions else {}
        known = {name: result for name, result in pages.items() if name in self.env.found_docs}
        fresh = {name: result | {"date": date} for name, result in self.pages.items()}
        record.parent.mkdir(parents=True, exist_ok=True)
        result = {"versions": versions, "pages": dict(sorted((known | fresh).items())), "run": self.circumstances()}
        text = json.dumps(result, indent=1)
        record.write_text(text + "\n", "utf-8")

    def circumstances(self) -> dict:
        """The order in which the pages were run, and what torch was running on, as it says itself."""
        import torch

        capability, threads = torch.backends.cpu.get_cpu_capability(), torch.get_num_threads()
        return {"order": self.order, "attempted": self.total_tries, "capability": capability, "threads": threads}

    def closing_lines(self) -> None:
        """Print the page of each failure, what was left out, and one line that counts it all."""
        for docname, result in self.pages.items():
            if result["failed"]:
                print(f"FAILED {self.path(docname)}: {result['failed']} of {result['attempted']} examples")
        for docname in self.skipped_pages:
            print(f"NOT VERIFIED (no TensorFlow) {self.path(docname)}")
        unrun = sum(len(result["not_run"]) for result in self.pages.values())
        loose = sum(result["ellipses"] for result in self.pages.values())
        print(
            f"{len(self.pages)} pages, {self.total_tries} examples attempted, {self.total_failures} failed"
            f" ({unrun} blocks not run, {loose} with an ellipsis)"
        )


def digest(source: str) -> str:
    """The hash of a page's text that ties a record to it; line endings don't count."""
    return hashlib.sha256(source.encode()).hexdigest()


def installed(package: str) -> str | None:
    """The version of a package without its local part, or None; ``tensorflow-cpu`` counts as TensorFlow."""
    for name in (package, f"{package}-cpu"):
        try:
            return version(name).partition("+")[0]
        except PackageNotFoundError:
            continue
    return None


def read(record: Path) -> dict:
    """What ``doctest_record`` holds; empty where there is none or it can't be read."""
    try:
        return json.loads(record.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def finished(app: Sphinx, exception: Exception | None) -> None:
    if isinstance(app.builder, CheckedExamples) and hasattr(app.builder, "pages"):
        app.builder.closing_lines()


def setup(app: Sphinx) -> dict:
    app.setup_extension("sphinx.ext.doctest")
    app.add_config_value("doctest_record", "", "", types=frozenset({str}))
    app.add_config_value("doctest_without_tensorflow", False, "", types=frozenset({bool}))
    app.add_config_value("doctest_seed", 0, "", types=frozenset({int}))
    app.add_config_value("doctest_times", 1, "", types=frozenset({int}))
    app.add_directive("pycon", Pycon)
    app.add_builder(CheckedExamples, override=True)
    app.connect("doctree-read", gate)
    app.connect("doctree-resolved", label_reasons)
    app.connect("build-finished", finished, priority=999)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
