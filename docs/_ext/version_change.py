"""``{versionchanged} torch 0.4``: the version is a package with its number. Sphinx takes the first word alone."""

from sphinx.application import Sphinx
from sphinx.domains.changeset import VersionChange


class PackageVersionChange(VersionChange):
    """Sphinx's directive, but the whole argument is the version; an explanation goes into the content."""

    optional_arguments = 0


def setup(app: Sphinx) -> dict:
    for name in ("versionadded", "versionchanged", "deprecated", "versionremoved"):
        app.add_directive(name, PackageVersionChange, override=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
