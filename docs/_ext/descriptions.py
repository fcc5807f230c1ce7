"""A description of each page for search engines: its first paragraph."""

from __future__ import annotations

import html
import textwrap
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

LENGTH = 160
# Text in boxes and tables makes no sense by itself.
AROUND = nodes.section | addnodes.desc_content


def description_of(page: nodes.document) -> str:
    """Return the description that a page has, or its first paragraph."""
    for meta in page.findall(nodes.meta):
        if meta.get("name") == "description":
            return meta["content"]
    for paragraph in page.findall(nodes.paragraph):
        if isinstance(paragraph.parent, AROUND):
            text = paragraph.astext()
            text = textwrap.shorten(text, LENGTH, placeholder=" ...")
            return text.rstrip(":")
    return ""


def describe(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Add the description, unless the page has one of its own."""
    if doctree is None or 'name="description"' in context["metatags"]:
        return
    text = description_of(doctree)
    if text:
        context["metatags"] += (
            f'\n<meta name="description" content="{html.escape(text)}">'
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it."""
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
