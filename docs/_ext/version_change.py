"""``{versionchanged} torch 0.4``: the version is a package with its number. Sphinx takes the first word alone.

It also writes a colon of its own after the label, which Chinese sets in full width: ``sphinx.po`` has it.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains.changeset import VersionChange
from sphinx.locale import _


class PackageVersionChange(VersionChange):
    """Sphinx's directive, but the whole argument is the version; an explanation goes into the content."""

    optional_arguments = 0

    def run(self) -> list[nodes.Node]:
        result = super().run()
        label = next(node for node in result[0].findall(nodes.inline) if "versionmodified" in node["classes"])
        text = label.astext()
        if text.endswith(": "):
            label[:] = [nodes.Text(_("%s: ") % text.removesuffix(": "))]
        return result


def setup(app: Sphinx) -> dict:
    for name in ("versionadded", "versionchanged", "deprecated", "versionremoved"):
        app.add_directive(name, PackageVersionChange, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
