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
    """What to find once in every page of the theme, and what to put in its place."""
    return [
        # landmark-unique: two <aside> need names
        ('<aside class="sidebar-drawer">', f'<aside class="sidebar-drawer" aria-label="{_("Site navigation")}">'),
        ('<aside class="toc-drawer', f'<aside aria-label="{_("On this page")}" class="toc-drawer'),
        # region: all content is in a landmark, the floating link to the top included
        ('<div class="content-icon-container">', ""),
        (
            '<a href="#" class="back-to-top',
            f'<div class="content-icon-container" role="region" aria-label="{_("Page tools")}"><a href="#" class="back-to-top',
        ),
        # Furo leaves these in English
        ('aria-label="Toggle site navigation sidebar"', f'aria-label="{_("Toggle site navigation sidebar")}"'),
        ('aria-label="Toggle table of contents sidebar"', f'aria-label="{_("Toggle table of contents sidebar")}"'),
    ]


THEME_BUTTON = "Toggle Light / Dark / Auto color theme"
# The branch of the table of contents that is being read stays open (site.css), so that it needs no switch.
BRANCH_SWITCH = re.compile(r'<input[^>]*class="toctree-checkbox"[^>]*><label.*?</label>', re.DOTALL)
CARD_IN_ENGLISH = re.compile(
    r'<div class="sphx-glr-thumbnail-title">.*?</div>|(?<=<div class="sphx-glr-thumbcontainer") tooltip="[^"]*"', re.DOTALL
)


def accessible(body: str) -> str:
    """The body of a page with names, levels and landmarks for screen readers, and a way for the keyboard."""
    for old, new in replacements():
        if body.count(old) != 1:
            raise ExtensionError(f"accessibility.py: the theme has {old!r} {body.count(old)} times, not once; mend replacements()")
        body = body.replace(old, new)
    body = body.replace(f'aria-label="{THEME_BUTTON}"', f'aria-label="{_(THEME_BUTTON)}"')
    body = BRANCH_SWITCH.sub("", body)
    # aria-required-attr: Sphinx gives captions the role of a heading without its level
    body = body.replace('role="heading"', 'role="heading" aria-level="2"')
    # scrollable-region-focusable: a box that scrolls sideways takes the keyboard's focus
    body = body.replace('<div class="table-wrapper', '<div tabindex="0" class="table-wrapper')
    body = body.replace('<div class="highlight"><pre>', '<div class="highlight"><pre tabindex="0">')
    # empty-table-header: the corner of a table is no heading
    body = body.replace('<th class="head"><p></p></th>', "<td></td>")
    # duplicate-id: the gallery repeats its empty list of tags
    body = body.replace("<div id='sg-tag-list' class='sphx-glr-tag-list'></div>", "")
    # link-name: a card of the gallery shows the title in its link (site.css), not this copy, which is never translated
    return CARD_IN_ENGLISH.sub("", body)


def add_filter(app: Sphinx) -> None:
    if app.builder.format == "html" and hasattr(app.builder, "templates"):
        app.builder.templates.environment.filters["accessible"] = accessible


def setup(app: Sphinx) -> dict:
    app.connect("builder-inited", add_filter)
    app.add_js_file("drawers.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
