"""What pages give to the lists made from all of them, kept by page in Sphinx's environment.

Pages are read in several processes and, on the next build, only where they have changed; so what is found must be merged, and
forgotten with its page: https://www.sphinx-doc.org/en/master/extdev/event_callbacks.html
"""

from collections.abc import Callable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def found(env: BuildEnvironment, name: str) -> dict[str, Any]:
    """What was found under ``name``, by document."""
    if not hasattr(env, name):
        setattr(env, name, {})
    return getattr(env, name)


def collect(app: Sphinx, name: str, find: Callable[[str, nodes.document], Any]) -> None:
    """Keep ``find(docname, doctree)`` for each document that is read. The result is pickled: hold no node of the page in it."""

    def read(app: Sphinx, doctree: nodes.document) -> None:
        found(app.env, name)[app.env.docname] = find(app.env.docname, doctree)

    def merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
        found(env, name).update({docname: value for docname, value in found(other, name).items() if docname in docnames})

    def purge(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        found(env, name).pop(docname, None)

    app.connect("doctree-read", read)
    app.connect("env-merge-info", merge)
    app.connect("env-purge-doc", purge)
