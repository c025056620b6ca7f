"""The front door: ``{numbers}``, what the site holds, counted when it is built, and ``{examples}``, a picture for each part of the gallery.

Each number leads to what it counts. Examples executed are those of pages whose record matches their source (``stamp.py``); where
there is none, as in a preview, that number is left out.
"""

import re
from html import escape
from importlib.metadata import version

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.locale import _

from page_rules import is_question
from per_page import found
from question_list import ListDirective, env_title

GALLERY = "auto_examples/index"
SCRIPT = re.compile(r"auto_examples/[^/]+/plot_\w+")


class NumberList(nodes.General, nodes.Element):
    """Stands for the numbers until all pages have been read."""


class Numbers(ListDirective):
    """``{numbers}``, without arguments."""

    placeholder = NumberList


class ExampleCards(nodes.General, nodes.Element):
    """Stands for the cards until all pages have been read."""


class Examples(ListDirective):
    """``{examples}``, without arguments."""

    placeholder = ExampleCards


def numbers(app: Sphinx, docname: str) -> list[tuple[str, str, str]]:
    """What is counted: number, noun, and address (empty where there is none)."""
    env = app.env
    verified = [stamp for stamp in getattr(env, "stamps", {}).values() if stamp.verified]
    torch = verified[0].torch if verified else version("torch")
    errors = {(each.type, each.message) for page in found(env, "errors").values() for each in page if each.message}
    counted = [
        (sum(map(is_question, env.found_docs)), _("questions"), "#questions"),
        (sum(stamp.outputs for stamp in verified), _("examples executed"), ""),
        (sum(map(len, found(env, "myths").values())), _("myths refuted"), "myths"),
        (len(errors), _("error messages explained"), "errors"),
        (len([name for name in env.found_docs if SCRIPT.fullmatch(name)]), _("scripts with figures"), GALLERY),
    ]
    entries = [(str(count), noun, address(app, docname, target)) for count, noun, target in counted if count]
    return [*entries, (torch.partition("+")[0], _("the torch they ran on") if verified else _("the torch of this build"), "")]


def address(app: Sphinx, docname: str, target: str) -> str:
    """Where a number leads: a page that exists, or a place on this one."""
    if target.startswith("#") or not target:
        return target
    return app.builder.get_relative_uri(docname, target) if target in app.env.found_docs else ""


def number_list(app: Sphinx, docname: str) -> nodes.bullet_list:
    items = nodes.bullet_list(classes=["numbers"])
    for count, noun, uri in numbers(app, docname):
        words = [nodes.strong("", count), nodes.Text(" "), nodes.inline("", noun)]
        items += nodes.list_item(
            "", nodes.paragraph("", "", *([nodes.reference("", "", *words, refuri=uri, internal=True)] if uri else words))
        )
    return items


def cards(app: Sphinx, docname: str) -> list[nodes.Node]:
    """The first script of each part of the gallery, with its picture, and a link to all."""
    env = app.env
    scripts = [name for part in env.toctree_includes.get(GALLERY, []) for name in env.toctree_includes.get(part, [])[:1]]
    entries = []
    for name in scripts:
        picture = thumbnail(app, name)
        image = f'<img src="{escape(picture)}" alt="" loading="lazy" width="400" height="280">' if picture else ""
        title = escape("".join(node.astext() for node in env_title(env, name)))
        entries.append(f'<li><a href="{escape(app.builder.get_relative_uri(docname, name))}">{image}<span>{title}</span></a></li>')
    return [nodes.raw("", f'<ul class="example-cards">{"".join(entries)}</ul>', format="html")] if entries else []


def thumbnail(app: Sphinx, name: str) -> str:
    """The address of a script's small picture among the built site's images; empty where it has none."""
    folder, _slash, script = name.rpartition("/")
    image = app.env.images.get(f"{folder}/images/thumb/sphx_glr_{script}_thumb.png")
    return f"{app.builder.imagedir}/{image[1]}" if image else ""


def resolve(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    for placeholder in list(doctree.findall(NumberList)):
        placeholder.replace_self(number_list(app, docname))
    for placeholder in list(doctree.findall(ExampleCards)):
        placeholder.replace_self(cards(app, docname) if app.builder.name == "html" else [])


def setup(app: Sphinx) -> dict:
    for node, name, directive in ((NumberList, "numbers", Numbers), (ExampleCards, "examples", Examples)):
        app.add_node(node)
        app.add_directive(name, directive)
    app.connect("doctree-resolved", resolve)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
