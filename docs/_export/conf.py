"""Sphinx configuration of the exports: the site's, and what differs. ``nox -s export`` uses it.

https://www.sphinx-doc.org/en/master/usage/configuration.html
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from conf import *  # noqa: E402, F403
from conf import ROOT, extensions  # noqa: E402

# https://pypi.org/project/sphinx-markdown-builder/
extensions = [*extensions, "sphinx_markdown_builder"]
markdown_bullet = "-"

# Ours: a module a format
extensions += ["export_questions"]

# https://www.sphinx-doc.org/en/master/usage/configuration.html#options-for-html-output
# Nothing of the theme: these pages have no navigation.
html_theme = "basic"
templates_path = [str(ROOT / "docs" / "_export")]
html_static_path = []
html_css_files = []
html_favicon = None
html_sidebars = {}
html_permalinks = False
html_theme_options = {"nosidebar": True}
