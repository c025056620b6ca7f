"""Wrong versions of what a page or a script says is printed; a guard must catch every one.

A mutant changes one thing: a digit, a sign, a dtype, a shape, an exception's type, a word of its message, a line dropped … :data:`KINDS`
lists them. ``mutate.py`` makes them of every example, ``test_mutants.py`` of a few.
"""

import doctest
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from checked_examples import TRACEBACK, faults

WIDTHS = {"8": "16", "16": "32", "32": "64", "64": "32", "128": "64"}
DTYPE = re.compile(r"\b(?P<name>b?float|complex|u?int)(?P<width>8|16|32|64|128)(?=\b|_)|\b(?P<tensor>Float|Double|Long|Int)(?=Tensor\b)")
NUMBER = re.compile(r"(?<![\w.])(?P<sign>-?)\d|(?<=\de)(?P<exponent>[+-])(?=\d)")
SHAPE = re.compile(r"(?<=Size\(\[)(?=[\d\]])|(?<=\()(?=\d+(?:, ?\d+)*,?\))")
EXCEPTION = re.compile(r"[\w.]+(?=:|$)", re.MULTILINE)
WORD = re.compile(r"[A-Za-z_]\w*")
TRUTH = re.compile(r"\b(?:True|False|None)\b")
OTHER_TRUTH = {"True": "False", "False": "True", "None": "False"}
PROMPTS = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)
LOOSE = ("SKIP", "NORMALIZE_WHITESPACE", "IGNORE_EXCEPTION_DETAIL")


def spliced(text: str, match: re.Match, new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def digits(text: str) -> Iterator[str]:
    """Each digit, one higher."""
    for match in re.finditer(r"\d", text):
        yield spliced(text, match, str((int(match[0]) + 1) % 10))


def signs(text: str) -> Iterator[str]:
    """Each number, negated, and each exponent."""
    for match in NUMBER.finditer(text):
        if match["exponent"]:
            yield spliced(text, match, "-" if match["exponent"] == "+" else "+")
        else:
            yield spliced(text, match, ("" if match["sign"] else "-") + match[0][-1])


def dtypes(text: str) -> Iterator[str]:
    """Each dtype, of another width."""
    for match in DTYPE.finditer(text):
        tensor = match["tensor"]
        yield spliced(text, match, ("Long" if tensor != "Long" else "Int") if tensor else match["name"] + WIDTHS[match["width"]])


def shapes(text: str) -> Iterator[str]:
    """Each shape, with one dimension more."""
    for match in SHAPE.finditer(text):
        yield spliced(text, match, "1, " if text[match.start()] != "]" else "1")


def truths(text: str) -> Iterator[str]:
    """Each True, False and None, turned."""
    for match in TRUTH.finditer(text):
        yield spliced(text, match, OTHER_TRUTH[match[0]])


def words(text: str) -> Iterator[str]:
    """Each word or name, misspelt."""
    for match in WORD.finditer(text):
        yield spliced(text, match, match[0] + "s")


def dropped_words(text: str) -> Iterator[str]:
    """Each word, left out."""
    for match in re.finditer(r"\S+ ?", text):
        if mutant := spliced(text, match, "").strip("\n"):
            yield mutant + "\n"


def dropped_lines(text: str) -> Iterator[str]:
    """Each line, left out; of a single line nothing stays."""
    lines = text.splitlines(keepends=True)
    for number in range(len(lines)):
        yield "".join(lines[:number] + lines[number + 1 :])


def swapped_lines(text: str) -> Iterator[str]:
    """Each pair of lines, swapped."""
    lines = text.splitlines(keepends=True)
    for number, (first, second) in enumerate(pairwise(lines)):
        if first != second:
            yield "".join([*lines[:number], second, first, *lines[number + 2 :]])


def added_line(text: str) -> Iterator[str]:
    """The last line, twice."""
    if text:
        yield text + text.splitlines(keepends=True)[-1]


def spaces(text: str) -> Iterator[str]:
    """Each blank between words, doubled."""
    for match in re.finditer(r"(?<=\S) (?=\S)", text):
        yield spliced(text, match, "  ")


def dots(text: str) -> Iterator[str]:
    """The middle of each line, as three dots."""
    for match in re.finditer(r"(?m)(?<=^..).+(?=.$)", text):
        if match[0] != "...":
            yield spliced(text, match, "...")


def bare_blank_lines(text: str) -> Iterator[str]:
    """Each ``<BLANKLINE>``, as an empty line, which ends the output for doctest."""
    for match in re.finditer(doctest.BLANKLINE_MARKER, text):
        yield spliced(text, match, "")


def other_types(message: str) -> Iterator[str]:
    """An exception of another type, and of the same name in another module."""
    if match := EXCEPTION.match(message):
        yield spliced(message, match, "KeyError" if match[0] != "KeyError" else "IndexError")
        yield spliced(message, match, match[0].rpartition(".")[2] if "." in match[0] else f"torch.{match[0]}")


# What becomes of an output, or of an exception's type and message
OUTPUT: dict[str, Callable[[str], Iterator[str]]] = {
    "digit": digits,
    "sign": signs,
    "dtype": dtypes,
    "shape": shapes,
    "truth": truths,
    "word": words,
    "line dropped": dropped_lines,
    "lines swapped": swapped_lines,
    "line added": added_line,
    "space": spaces,
    "dots": dots,
    "blank line": bare_blank_lines,
}
MESSAGE = {"exception": other_types, "message": dropped_words}
# What becomes of an example otherwise
FORM = ("traceback", "flag", "prompt", "prompts")
KINDS = (*OUTPUT, *MESSAGE, *FORM)


def of_text(text: str) -> Iterator[tuple[str, str]]:
    """Pairs of a kind and another version of a plain output, such as a script's ``.out`` file."""
    for kind, change in OUTPUT.items():
        yield from ((kind, new) for new in change(text) if new != text)


class Mutant(NamedTuple):
    """A fence that is wrong in one place."""

    kind: str
    line: int  # the page's line of the example that was changed, counted from 1
    old: str  # the changed part before
    new: str  # and after
    fence: str  # the whole fence after

    def __str__(self) -> str:
        return f"{self.kind}: {self.old!r} became {self.new!r}"


class Fence(NamedTuple):
    """The text of a ```` ```pycon ```` fence and the page's line of its first line, counted from 1."""

    text: str
    line: int

    def examples(self) -> list[doctest.Example]:
        return doctest.DocTestParser().get_examples(self.text)

    def mutants(self) -> Iterator[Mutant]:
        """Every mutant of every example of the fence."""
        lines = self.text.splitlines(keepends=True)
        lines[-1] = lines[-1].rstrip("\n") + "\n"

        def mutant(kind: str, start: int, length: int, new: str) -> Mutant:
            fence = "".join(lines[:start]) + new + "".join(lines[start + length :])
            return Mutant(kind, self.line + example.lineno, "".join(lines[start : start + length]), new, fence)

        for example in self.examples():
            source = example.lineno, example.source.count("\n")
            output = sum(source), example.want.count("\n")
            for kind, new in self.outputs(example):
                yield mutant(kind, *output, new)
            if example.exc_msg:
                for new in ("Traceback (innermost last):\n  ...\n", 'Traceback (most recent call last):\n  File "a.py", line 1\n'):
                    yield mutant("traceback", *output, new + example.exc_msg)
            code = "".join(lines[source[0] : sum(source)])
            for flag in LOOSE:
                yield mutant("flag", *source, f"{code.rstrip()}  # doctest: +{flag}\n")
            yield mutant("prompt", *source, PROMPTS.sub("", code))
        example = self.examples()[0]
        yield mutant("prompts", 0, len(lines), PROMPTS.sub("", "".join(lines)))

    @staticmethod
    def outputs(example: doctest.Example) -> Iterator[tuple[str, str]]:
        """Pairs of a kind and another output for an example."""
        if not example.exc_msg:
            yield from of_text(example.want)
            return
        kept = example.exc_msg.partition("...")[0] if example.options else None
        for kind, change in (OUTPUT | MESSAGE).items():
            for new in change(example.exc_msg):
                # A message that an ellipsis cuts short may be cut shorter: what it says stays true.
                if kept is None or not kept.startswith(new.partition("...")[0].rstrip()):
                    yield kind, TRACEBACK + new
        for kind in ("line dropped", "lines swapped"):
            yield from ((kind, new) for new in OUTPUT[kind](example.want))


class Printed(NamedTuple):
    """What an example printed when its page was run, and whether that was an exception's message."""

    text: str
    raised: bool
    flags: int


def caught(mutant: Mutant, fence: Fence, printed: dict[int, Printed], checker: doctest.OutputChecker) -> bool:
    """Whether the doctest session would fail: at reading the fence, or at comparing it with what was printed, by page line.

    This is doctest's own comparison without running the examples again; from one whose code has changed on, nothing counts.
    """
    if any(True for _ in faults(mutant.fence)):
        return True
    for before, after in zip(fence.examples(), doctest.DocTestParser().get_examples(mutant.fence), strict=False):
        if before.source != after.source:
            return False
        got = printed[fence.line + before.lineno]
        if got.raised and after.exc_msg is None:
            return True
        if not checker.check_output(after.exc_msg if got.raised else after.want, got.text, got.flags):
            return True
    return False


def sample(mutants: Iterator[Mutant], seed: str) -> dict[str, Mutant]:
    """One mutant of each kind, drawn by ``seed``."""
    by_kind = defaultdict(list)
    for mutant in mutants:
        by_kind[mutant.kind].append(mutant)
    return {kind: random.Random(f"{seed} {kind}").choice(found) for kind, found in by_kind.items()}
