"""The figures of an example script, looked at before they are saved.

sphinx-gallery calls ``scrape`` after each cell. A figure that shows nothing, that cuts a label off at its edge, or that prints boxes
for characters missing from its font is a warning, so an error; the script then counts as failed and runs again in the next build.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure
from matplotlib.text import Text
from sphinx_gallery.scrapers import matplotlib_scraper

import gallery

SLACK = 1  # pixels that antialiasing may paint outside a glyph's box


def scrape(block: tuple, block_vars: dict, gallery_conf: dict) -> str:
    """sphinx-gallery's scraper of Matplotlib figures, which names faults as it goes: https://sphinx-gallery.github.io/stable/advanced.html"""
    for number in plt.get_fignums():
        for fault in faults(plt.figure(number)):
            gallery.blame(block_vars["src_file"], f"figure {number} {fault}")
    return matplotlib_scraper(block, block_vars, gallery_conf)


def faults(figure: Figure) -> list[str]:
    """What is wrong with a figure, a sentence each, without its subject."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.canvas.draw()
    found = [f"warns when it is drawn: {warning.message}" for warning in caught]
    pixels = np.asarray(figure.canvas.buffer_rgba()).reshape(-1, 4)
    if (pixels == pixels[0]).all():
        found.append("is blank: draw something, or don't open it")
    found += [f"cuts off {text!r}: enlarge it, or use layout='constrained'" for text in cut_off(figure)]
    return found


def cut_off(figure: Figure) -> list[str]:
    """Texts that reach over the figure's edge; ``"…"`` where something else does."""
    renderer = figure.canvas.get_renderer()
    edge, drawn = figure.bbox.padded(SLACK), figure.get_tightbbox(renderer)
    drawn = drawn.transformed(figure.dpi_scale_trans)
    if edge.x0 <= drawn.x0 and edge.y0 <= drawn.y0 and drawn.x1 <= edge.x1 and drawn.y1 <= edge.y1:
        return []
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text().strip()]
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts]
    over = [text for text, box in boxes if box.x0 < edge.x0 or box.y0 < edge.y0 or box.x1 > edge.x1 or box.y1 > edge.y1]
    return over or ["…"]
