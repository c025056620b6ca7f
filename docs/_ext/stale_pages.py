"""Delete the HTML of a page that is gone. Sphinx leaves it, so an incremental build would go on publishing it."""

from pathlib import Path

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def delete(app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    if app.builder.format == "html":
        for docname in removed:
            Path(app.builder.get_output_path(docname)).unlink(missing_ok=True)
    return []


def setup(app: Sphinx) -> dict:
    app.connect("env-get-outdated", delete)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
