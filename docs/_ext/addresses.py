"""Absolute addresses, which search engines need: canonical link, ``hreflang``, sitemap.

They start with ``site_url`` (the environment's ``SITE_URL``, as ``https://example.org/pytorch-interview/``). Where it is empty
they are left out; the switcher's relative links work all the same.
"""

from xml.etree import ElementTree

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ConfigError

from languages import LANGUAGES

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"
XHTML = "http://www.w3.org/1999/xhtml"


def configure(app: Sphinx, config: Config) -> None:
    if not config.site_url:
        return
    if not config.site_url.startswith(("http://", "https://")):
        raise ConfigError(f"SITE_URL must begin with https:// or http://, not {config.site_url!r}")
    config.site_url = config.site_url.rstrip("/") + "/"
    config.html_baseurl = f"{config.site_url}{config.language}/"


def alternates(app: Sphinx, pagename: str) -> dict[str, str]:
    """The page's address by language tag; ``x-default`` is the English one. Empty without ``site_url``."""
    if not app.config.site_url:
        return {}
    uri = app.builder.get_target_uri(pagename)
    addresses = {language.tag: f"{app.config.site_url}{code}/{uri}" for code, language in LANGUAGES.items()}
    return addresses | {"x-default": addresses["en"]}


def context(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    context["alternates"] = alternates(app, pagename) if doctree is not None else {}
    context["site_url"] = app.config.site_url


def sitemap(app: Sphinx, exception: Exception | None) -> None:
    """Write ``sitemap.xml`` with every page of this language and its alternates."""
    if exception or app.builder.name != "html" or not app.config.site_url:
        return
    ElementTree.register_namespace("", SITEMAP)
    ElementTree.register_namespace("xhtml", XHTML)
    urls = ElementTree.Element(f"{{{SITEMAP}}}urlset")
    for docname in sorted(app.env.found_docs):
        url = ElementTree.SubElement(urls, f"{{{SITEMAP}}}url")
        addresses = alternates(app, docname)
        ElementTree.SubElement(url, f"{{{SITEMAP}}}loc").text = addresses[LANGUAGES[app.config.language].tag]
        for tag, address in addresses.items():
            ElementTree.SubElement(url, f"{{{XHTML}}}link", rel="alternate", hreflang=tag, href=address)
    ElementTree.ElementTree(urls).write(app.outdir / "sitemap.xml", encoding="utf-8", xml_declaration=True)


def setup(app: Sphinx) -> dict:
    app.add_config_value("site_url", "", "html", types=frozenset({str}))
    app.connect("config-inited", configure)
    app.connect("html-page-context", context)
    app.connect("build-finished", sitemap)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
