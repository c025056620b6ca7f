"""Mend what axe-core finds in Furo's and Sphinx's own markup.

Furo's templates have no blocks around these elements, so the rendered body passes through a Jinja filter,
``accessible``, that ``_templates/page.html`` applies. An element that is no longer found means that the theme
has changed: the build stops and says which.
"""

import re

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.locale import _


def replacements() -> list[tuple[str, str]]:
    """What to find in every page of the theme, and what to put in its place."""
    return [
        # landmark-unique: two <aside> need names
        ('<aside class="sidebar-drawer">', f'<aside class="sidebar-drawer" aria-label="{_("Site navigation")}">'),
        ('<aside class="toc-drawer', f'<aside aria-label="{_("On this page")}" class="toc-drawer'),
        # region: all content is in a landmark
        ('<div class="content-icon-container">', f'<div class="content-icon-container" role="group" aria-label="{_("Page tools")}">'),
    ]


def accessible(body: str) -> str:
    """The body of a page with names, levels and landmarks for screen readers."""
    for old, new in replacements():
        if body.count(old) != 1:
            raise ExtensionError(f"accessibility.py: the theme has {old!r} {body.count(old)} times, not once; mend replacements()")
        body = body.replace(old, new)
    # aria-required-attr: Sphinx gives captions the role of a heading without its level
    body = body.replace('role="heading"', 'role="heading" aria-level="2"')
    # scrollable-region-focusable: a box that scrolls sideways takes the keyboard's focus
    body = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    return re.sub(r'<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">', body)


def add_filter(app: Sphinx) -> None:
    if app.builder.format == "html" and hasattr(app.builder, "templates"):
        app.builder.templates.environment.filters["accessible"] = accessible


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", add_filter)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
