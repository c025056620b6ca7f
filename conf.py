"""Sphinx configuration: https://www.sphinx-doc.org/en/master/usage/configuration.html

Only values that differ from the defaults. What depends on the language is set by
``docs/_ext/languages.py``, because ``-D language=…`` is applied after this file is read.
"""

import doctest
import os
import sys
from pathlib import Path

ROOT = Path(__file__).parent
sys.path.insert(0, str(ROOT / "docs" / "_ext"))

project = "PyTorch Interview"
author = "the PyTorch Interview authors"
copyright = "2026, the PyTorch Interview authors"
exclude_patterns = ["_export", "_ext", "_templates", "locale", "auto_examples/**/*.ipynb"]
templates_path = ["docs/_templates"]
nitpicky = True

# Ours: one small module a concern, each explained at its top
extensions = [
    "accessibility", "addresses", "archives", "catalogs", "checked_examples", "downloads", "encoding",
    "error_list", "gallery_index", "home", "languages", "maths", "myth_list", "navigation", "offline",
    "one_document", "page_assets", "page_head", "page_rules", "practice", "question", "question_list",
    "search_index", "side_by_side", "stale_pages", "stamp", "study_marks", "unfinished", "version_change",
]  # fmt: skip

# https://myst-parser.readthedocs.io/en/latest/configuration.html
extensions += ["myst_parser"]
myst_enable_extensions = ["amsmath", "attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_fence_as_directive = ["pycon"]
highlight_language = "none"

# https://www.sphinx-doc.org/en/master/usage/extensions/doctest.html
# The default flags let a wrong message and any number pass: ELLIPSIS, IGNORE_EXCEPTION_DETAIL.
extensions += ["sphinx.ext.doctest"]
doctest_default_flags = doctest.DONT_ACCEPT_TRUE_FOR_1
doctest_global_setup = doctest_global_cleanup = "__import__('torch_state').reset()"
doctest_test_doctest_blocks = ""
doctest_record = str(ROOT / "_build" / "doctest.json")

# https://www.sphinx-doc.org/en/master/usage/extensions/extlinks.html
extensions += ["sphinx.ext.extlinks"]
extlinks = {
    "torch": ("https://docs.pytorch.org/docs/2.13/%s", "%s"),
    "torch-src": ("https://github.com/pytorch/pytorch/blob/v2.13.0/%s", "%s"),
}
extlinks_detect_hardcoded_links = True

# https://sphinx-gallery.github.io/stable/configuration.html
# No timings: they differ at every build and would change the translation catalogs with it.
extensions += ["sphinx_gallery.gen_gallery"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "capture_repr": (),
    "image_scrapers": ("figures.scrape",),
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "reset_modules": ("matplotlib", "gallery.around_script"),
    "reset_modules_order": "both",
    "first_notebook_cell": (
        "# An example that starts several processes runs as a script, not as a notebook:\n"
        "# download the .py file and run `python plot_NAME.py`.\n"
        "%matplotlib inline"
    ),
}

# It warns where the repository lies in a folder with a space, which does no harm; tests refuse one in a script's name.
suppress_warnings = ["sphinx_gallery.space_in_filename"]

# https://sphinx-copybutton.readthedocs.io/en/latest/use.html
extensions += ["sphinx_copybutton"]
# Of a session at the prompt: the lines with a prompt, without it.
copybutton_prompt_text = r">>> |\.\.\. |\.\.\.$"
copybutton_prompt_is_regexp = True
copybutton_copy_empty_lines = False

# https://www.sphinx-doc.org/en/master/usage/advanced/intl.html
# Absolute: Sphinx looks for sphinx.js relative to the working directory.
locale_dirs = [str(ROOT / "docs" / "locale")]
gettext_compact = False
gettext_location = False

# https://www.sphinx-doc.org/en/master/usage/configuration.html#options-for-html-output
# https://pradyunsg.me/furo/customisation/
html_theme = "furo"
pygments_dark_style = "a11y-dark"
html_static_path = ["docs/_static"]
html_favicon = "docs/_static/favicon.svg"
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
html_sidebars = {
    "**": [
        "sidebar/scroll-start.html",
        "sidebar/brand.html",
        "sidebar/languages.html",
        "sidebar/search.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_theme_options = {
    "source_repository": "https://github.com/every-answer-runs/pytorch-interview/",
    "top_of_page_buttons": [],
}

# Where the site is served, such as https://example.org/pytorch-interview/; see addresses.py
site_url = os.environ.get("SITE_URL", "")

# https://www.sphinx-doc.org/en/master/usage/configuration.html#options-for-the-linkcheck-builder
# GitHub draws line anchors with JavaScript, so they are not in the HTML.
linkcheck_anchors_ignore_for_url = [r"https://github\.com/.*"]
linkcheck_timeout = 30
