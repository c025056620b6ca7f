"""Each downloaded notebook of a single process, executed as it is: it prints what its script must print, and shows as many figures.

Over a minute, so a session of its own: ``nox -s notebooks``.
"""

from collections.abc import Callable
from pathlib import Path

import nbclient
import nbformat
import pytest

from conftest import example_scripts
from test_gallery import EXAMPLES, difference, page_of

SEVERAL = "is_torchelastic_launched"  # such a script starts processes, which its notebook cannot


def single() -> list[Path]:
    return [script for script in example_scripts() if SEVERAL not in (EXAMPLES / script).read_text("utf-8")]


def executed(path: Path, folder: Path) -> nbformat.NotebookNode:
    """The notebook after every cell ran in an empty folder; fails with the cell and its traceback."""
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    try:
        return client.execute()
    except nbclient.exceptions.CellExecutionError as error:
        pytest.fail(f"{path.name} fails as downloaded:\n{error}")


def outputs(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def test_there_are_notebooks_of_both_kinds():
    assert 0 < len(single()) < len(example_scripts())


@pytest.mark.parametrize("script", single(), ids=str)
def test_notebook_prints_what_its_script_prints(site: Path, read: Callable, tmp_path: Path, script: Path):
    [path] = (site / "en" / "_downloads").glob(f"*/{script.with_suffix('.ipynb').name}")
    found = outputs(executed(path, tmp_path))
    streams = {name: "".join(output.text for output in found if output.get("name") == name) for name in ("stdout", "stderr")}
    assert not streams["stderr"]
    if text := difference((EXAMPLES / script).with_suffix(".out").read_text("utf-8"), streams["stdout"]):
        pytest.fail(f"{path.name} prints something else:\n{text}")
    pictures = [output for output in found if "image/png" in output.get("data", {})]
    shown = read(page_of(script, "en")).select("img.sphx-glr-single-img, img.sphx-glr-multi-img")
    assert len(pictures) == len(shown) > 0
