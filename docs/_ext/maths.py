r"""Maths as MathML, typeset when the site is built.

Sphinx's own renderer sends the reader's browser to a CDN for MathJax. This one, chosen in ``conf.py`` by
``html_math_renderer = "mathml"``, runs Temml (vendored, see ``vendor/README.md``) inside Python and writes
MathML, which browsers and e-readers set by themselves: no script, no request, nothing that moves while a page loads.

Pages with maths, and only these, load ``_static/maths/maths.css`` and the font it names.
"""

from __future__ import annotations

import atexit
import os
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from py_mini_racer import MiniRacer
from sphinx.locale import _
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number, wrap_displaymath

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.util.typing import ExtensionMetadata
    from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

TEMML = Path(__file__).parent / "vendor" / "temml.min.js"

TYPESET = """
const typeset = (tex, options) => {
    try { return {mathml: temml.renderToString(tex, options)} }
    catch (error) { return {error: error.message} }
}
"""

NUMBERED = re.compile(r"^\\begin\{(\w+)\}(.*)\\end\{\1\}$", re.DOTALL)
ENVIRONMENT = re.compile(r"\\begin\{(\w+\*?)\}.*?\\end\{\1\}", re.DOTALL)
# Temml sets a thin space between y and \log, but none between y_i and \log, or p(x) and \log. (A sum has its own.)
TIGHT = re.compile(
    r"(<(msub|msup|msubsup)><m(?!o\b)(?:(?!</?\2>).)*</\2>|form=\"postfix\"[^>]*>[^<]*</mo></mrow>)"
    r"(<mrow>)?(?=<mi>[^<]{2,}</mi><mo>\u2061</mo>)"
)
THIN_SPACE = '<mspace width="0.1667em"></mspace>'
OPENING = re.compile(r"[(\[{“‘（「《]*$")


@cache
def engine(pid: int) -> MiniRacer:
    """The JavaScript engine of process *pid*, with Temml loaded.

    Sphinx forks to write in parallel. A fork inherits the engine but not the thread that serves it, so each process
    asks for its own (0.05 s). It must be closed before Python takes its threads down, or Python waits for ever.
    """
    js = MiniRacer()
    atexit.register(js.close)
    js.eval(TEMML.read_text("utf-8") + TYPESET)
    return js


@cache
def mathml(tex: str, display: bool) -> str:
    r"""Typeset a formula.

    *tex* is LaTeX without its dollars; *display* sets it on a line of its own, with limits above and below. Without
    *display*, a formula too long for its line may break after ``=`` and ``+``, as in TeX. What Temml understands is
    listed at https://temml.org/docs/en/supported.html. Without ``annotate: False`` the TeX would stand in the page
    and fill search results. The namespace (``xml``) is for EPUB, which is XHTML.

    Raises `ValueError`, mostly in Temml's words, if *tex* is not sound.

    >>> mathml("x", display=False)
    '<math xmlns="http://www.w3.org/1998/Math/MathML"><mi>x</mi></math>'
    """
    if re.search(r"(?<!\\)%", tex):
        raise ValueError(r"TeX drops what follows a bare %: write \%")
    options = {"displayMode": display, "wrap": "none" if display else "tex", "throwOnError": True, "annotate": False, "xml": True}
    result = engine(os.getpid()).call("typeset", tex, options)
    if "error" in result:
        raise ValueError(" ".join(result["error"].replace("\N{COMBINING LOW LINE}", "").split()))
    return TIGHT.sub(rf"\1\3{THIN_SPACE}", result["mathml"])


def block_tex(node: nodes.math_block) -> str:
    r"""The TeX of a displayed formula, as Sphinx means it.

    An amsmath environment (``no-wrap``) stands as written, without numbers of its own, since Sphinx numbers it. In
    anything else ``\\`` and blank lines part equations that align at ``&``.
    """
    tex = node.astext().strip()
    if node.get("no-wrap", node.get("nowrap")):
        return NUMBERED.sub(r"\\begin{\1*}\2\\end{\1*}", tex)
    several = r"\\" in ENVIRONMENT.sub("", tex) or "\n\n" in tex
    return wrap_displaymath(tex, None, numbering=False) if several else tex


def typeset(node: nodes.Element, tex: str, display: bool) -> str:
    """The HTML of a formula; unsound TeX becomes a warning at the formula's line, and code on the page."""
    try:
        return mathml(tex, display)
    except ValueError as error:
        logger.warning(
            "cannot typeset the formula %s: %s. Correct it, or use what https://temml.org/docs/en/supported.html lists.",
            node.astext().strip(),
            error,
            location=node,
            type="maths",
        )
        return f"<code>{escape(tex)}</code>"


def visit_inline(self: HTML5Translator, node: nodes.math) -> None:
    """Write a formula that stands in a line of text, in a span that holds it to the bracket before it.

    Chromium would break a line there; the stylesheet forbids it in the span.
    """
    text = self.body.pop() if self.body else ""
    start = OPENING.search(text).start()
    self.body += [
        text[:start],
        '<span class="math notranslate nohighlight">',
        text[start:],
        typeset(node, node.astext().strip(), display=False),
        "</span>",
    ]
    raise nodes.SkipNode


def visit_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """Write a displayed formula: a box that scrolls when the screen is narrow, reached with Tab, then its number."""
    wrapped = node.parent.get("ids") == node["ids"]  # by Furo, in a container that has the ids already
    self.body.append(self.starttag(nodes.Element() if wrapped else node, "div", CLASS="math notranslate nohighlight"))
    self.body.append(
        f'<div class="formula" role="group" tabindex="0" aria-label="{escape(_("Formula"))}">'
        f"{typeset(node, block_tex(node), display=True)}</div>"
    )
    if node["number"]:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})')
        self.add_permalink_ref(node, _("Link to this equation"))
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def add_stylesheet(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the stylesheet on a page that has maths, if this renderer made it."""
    if context.get("has_maths_elements") and app.builder.math_renderer_name == "mathml":
        app.add_css_file("maths/maths.css")


def setup(app: Sphinx) -> ExtensionMetadata:
    """Register the renderer ``mathml``."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    app.connect("html-page-context", add_stylesheet)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
