"""Load the script that lets pages be read without a connection. ``site_root.py`` writes its worker, ``sw.js``, above both languages."""

from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict:
    app.add_js_file("offline.js", loading_method="defer")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
