"""Sphinx configuration of the exports: the site's, and what differs. ``nox -s export`` uses it.

https://www.sphinx-doc.org/en/master/usage/configuration.html
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from conf import *  # noqa: F403
from conf import ROOT, extensions

# https://pypi.org/project/sphinx-markdown-builder/
extensions = [*extensions, "sphinx_markdown_builder"]
markdown_bullet = "-"

# Ours: a module a format
extensions += ["export_book", "export_ebook", "export_questions"]

# https://www.sphinx-doc.org/en/master/usage/configuration.html#options-for-html-output
# Pages without navigation, whose whole text stands in the templates beside this file.
html_theme = "basic"
templates_path = [str(ROOT / "docs" / "_export")]
pygments_style = "a11y-high-contrast-light"
html_static_path = []
html_css_files = []
html_favicon = None
html_sidebars = {}
html_permalinks = False

# https://www.sphinx-doc.org/en/master/usage/configuration.html#options-for-epub-output
epub_theme = "basic"
epub_show_urls = "no"
epub_use_index = False
epub_tocdup = False
epub_tocscope = "includehidden"
