"""Each way in which an example could go unverified is planted on a page of its own, and must stop the build by name and line."""

import json

import pytest

from conftest import Build, TinySite

# page: (its text, what the command must say, the line it must name)
FAULTS = {
    "wrong_output": ("# T\n\n```pycon\n>>> 1 + 1\n3\n```\n", "FAILED", None),
    "wrong_message": (
        "# T\n\n```pycon\n>>> int('x')\nTraceback (most recent call last):\n  ...\nValueError: something else\n```\n",
        "FAILED",
        None,
    ),
    "wrong_exception_number": (
        "# T\n\n```pycon\n>>> import torch\n>>> torch.zeros(2)[5]\nTraceback (most recent call last):\n  ...\n"
        "IndexError: index 6 is out of bounds for dimension 0 with size 2\n```\n",
        "FAILED",
        None,
    ),
    "dots_in_tensor": ("# T\n\n```pycon\n>>> import torch\n>>> torch.arange(3.)\ntensor([0., ..., 2.])\n```\n", "FAILED", None),
    "true_for_one": ("# T\n\n```pycon\n>>> True\n1\n```\n", "FAILED", None),
    "no_prompt": ("# T\n\n```pycon\nprint(1)\n```\n", "a ```pycon fence without a prompt", 3),
    "no_blank": ("# T\n\n```pycon\n>>>1\n1\n```\n", "doctest cannot read this example", 3),
    "tail_of_tensor": (
        "# T\n\n```pycon\n>>> import torch\n>>> torch.zeros(2, 1, 1)\ntensor([[[0.]],\n\n        [[9.]]])\n```\n",
        "doctest does not compare this text: '[[9.]]])'",
        3,
    ),
    "testoutput": ("# T\n\n```{testoutput}\n1\n```\n", "{testoutput} is not used here", 3),
    "testcode": ("# T\n\n```{testcode}\nprint(1)\n```\n", "{testcode} is not used here", 3),
    "testsetup": ("# T\n\n```{testsetup}\nx = 1\n```\n", "{testsetup} is not used here", 3),
    "doctest_directive": ("# T\n\n```{doctest}\n>>> 1\n1\n```\n", "{doctest} is not used here", 3),
    "swallowed_fence": (
        "# T\n\n````pycon\n>>> 1\n1\n```\n\nProse.\n\n```pycon\n>>> 2\n2\n````\n",
        "doctest does not compare this text",
        3,
    ),
    "python_block": ("# T\n\n```python\nprint(1)\n```\n", "Python that nothing runs (python)", 3),
    "py_block": ("# T\n\n```py\nprint(1)\n```\n", "Python that nothing runs (py)", 3),
    "code_block": ("# T\n\n```{code-block} python\nprint(1)\n```\n", "Python that nothing runs (python)", 3),
    "prompts_in_text": ("# T\n\n```text\n>>> 1\n2\n```\n", "Python that nothing runs (text)", 3),
    "prompts_indented": ("# T\n\nText:\n\n    >>> 1\n    2\n", "Python that nothing runs (none)", 5),
    "literalinclude": ("# T\n\n```{literalinclude} ../conf.txt\n:language: python\n```\n", "Python that nothing runs (python)", 3),
    "rest_doctest_block": ("# T\n\n```{eval-rst}\n>>> 1\n2\n```\n", "Python that nothing runs", None),
    "html_comment": (
        "# T\n\n<!--\n```pycon\n>>> 1\n2\n```\n-->\n\n```pycon\n>>> 1\n1\n```\n",
        "2 prompts in the source, but 1 examples ran",
        None,
    ),
    "myst_comment": ("# T\n\n% >>> 1\n% 2\n\n```pycon\n>>> 1\n1\n```\n", "an example in a comment never runs", None),
    "skip_flag": ("# T\n\n```pycon\n>>> 1  # doctest: +SKIP\n2\n```\n", "the flag SKIP makes the comparison loose", 3),
    "whitespace_flag": ("# T\n\n```pycon\n>>> 1  # doctest: +NORMALIZE_WHITESPACE\n1\n```\n", "the flag NORMALIZE_WHITESPACE", 3),
    "ellipsis_flag": ("# T\n\n```pycon\n>>> 12  # doctest: +ELLIPSIS\n1...\n```\n", "the flag ELLIPSIS makes the comparison loose", 3),
    "invented_call": (
        "# T\n\n```pycon\n>>> int('x')\nTraceback (most recent call last):\n  File \"parse.py\", line 3\n"
        "ValueError: invalid literal for int() with base 10: 'x'\n```\n",
        "doctest does not compare the calls of a traceback",
        3,
    ),
    "other_header": (
        "# T\n\n```pycon\n>>> int('x')\nTraceback (innermost last):\n  ...\nValueError: invalid literal for int() with base 10: 'x'\n```\n",
        "doctest does not compare the calls of a traceback",
        3,
    ),
    "no_reason": ("# T\n\n{.no-run}\n```pycon\n>>> 1\n```\n", "say why it can't run", 4),
    "reason_of_what_runs": ('# T\n\n{reason="why"}\n```pycon\n>>> 1\n1\n```\n', "belongs to a {.no-run} fence", 4),
    "no_tensorflow": ("# T\n\n```pycon\n>>> import tensorflow as tf\n```\n", "not verified: this page needs TensorFlow", None),
}

# Pages that are right, and so must not be named. The second would fail if the first one's state leaked into it.
RIGHT = {
    "right_a": (
        "# T\n\n```pycon\n>>> import torch\n>>> torch.set_default_dtype(torch.float64)\n>>> _ = torch.set_grad_enabled(False)\n"
        ">>> torch.set_printoptions(precision=1)\n>>> torch.use_deterministic_algorithms(True)\n>>> torch.ones(1).dtype\ntorch.float64\n```\n"
    ),
    "right_b": (
        "# T\n\n:::{admonition} In a box\n\n```pycon\n>>> import torch\n>>> (torch.tensor([0.12345], requires_grad=True) * 1).requires_grad\nTrue\n"
        ">>> torch.tensor([0.12345])\ntensor([0.1235])\n>>> torch.are_deterministic_algorithms_enabled()\nFalse\n>>> 'reset' in dir()\nFalse\n```\n\n:::\n"
    ),
    "right_c": '# T\n\n{.no-run reason="needs two GPUs"}\n```pycon\n>>> torch.zeros(1, device="cuda:1")\n```\n\n```pycon\n>>> 1\n1\n```\n',
    "right_d": (
        "# T\n\n```pycon\n>>> int('x')  # doctest: +ELLIPSIS\nTraceback (most recent call last):\n  ...\nValueError: invalid literal ...\n```\n"
    ),
}


def without_tensorflow(site: TinySite) -> dict[str, str]:
    """An environment in which Python finds no TensorFlow, installed or not."""
    hook = site.write("python/sitecustomize.py", 'import sys\n\nsys.modules["tensorflow"] = None\n')
    return {"PYTHONPATH": str(hook.parent)}


@pytest.fixture(scope="module")
def built(tiny_module: TinySite) -> Build:
    """All faults in one build: each page is judged by itself."""
    tiny_module.write("conf.txt", "print(1)\n")
    for name, (text, _, _) in FAULTS.items():
        tiny_module.write(f"docs/{name}.md", text)
    for name, text in RIGHT.items():
        tiny_module.write(f"docs/{name}.md", text)
    return tiny_module.build("doctest", "en", "-q", "-D", "plot_gallery=0", env=without_tensorflow(tiny_module))


def test_the_build_fails(built: Build):
    assert built.returncode != 0


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_named(built: Build, name: str):
    _, message, line = FAULTS[name]
    place = f"{name}.md:{line}:" if line else f"{name}.md"
    built.line(place, message)


@pytest.mark.parametrize("name", RIGHT)
def test_right_page_passes(built: Build, name: str):
    assert f"{name}.md" not in built.output


def test_failure_names_the_exact_line(tiny: TinySite):
    tiny.write("docs/page.md", "# T\n\n:::{admonition} Box\n\nText.\n\n```pycon\n>>> 1\n1\n>>> 2\n3\n```\n\n:::\n")
    built = tiny.build("doctest", "en", "-q", "-D", "plot_gallery=0")
    assert built.returncode != 0
    built.line('File "page.md", line 10, in default')


def test_record_and_closing_line(tiny: TinySite):
    tiny.write("docs/good.md", "# T\n\n```pycon\n>>> 1\n1\n>>> 2\n2\n```\n")
    tiny.write("docs/bad.md", "# T\n\n```pycon\n>>> 1\n2\n```\n")
    built = tiny.build("doctest", "en", "-q", "-D", "plot_gallery=0")
    built.line("2 pages, 3 examples attempted, 1 failed")
    record = json.loads((tiny.folder / "doctest.json").read_text("utf-8"))
    assert record["versions"]["torch"] == "2.13.0"
    assert (record["pages"]["good"]["attempted"], record["pages"]["good"]["failed"]) == (2, 0)
    assert (record["pages"]["bad"]["attempted"], record["pages"]["bad"]["failed"]) == (1, 1)


def test_pages_without_tensorflow_can_be_left_out(tiny: TinySite):
    tiny.write("docs/page.md", "# T\n\n```pycon\n>>> import tensorflow as tf\n```\n")
    options = ["-q", "-D", "plot_gallery=0", "-D", "doctest_without_tensorflow=1"]
    built = tiny.build("doctest", "en", *options, env=without_tensorflow(tiny))
    assert built.returncode == 0, built.output
    built.line("NOT VERIFIED (no TensorFlow)", "page.md")
