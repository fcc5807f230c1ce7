"""A description of each page for search engines: its first paragraph."""

from __future__ import annotations

import html
import textwrap
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

LENGTH = 160


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
    # Text in boxes and tables makes no sense by itself.
    first = next(
        (
            paragraph
            for paragraph in doctree.findall(nodes.paragraph)
            if isinstance(paragraph.parent, nodes.section)
        ),
        None,
    )
    if first is not None:
        text = textwrap.shorten(first.astext(), LENGTH, placeholder=" ...")
        context["metatags"] += (
            '\n<meta name="description" '
            f'content="{html.escape(text.rstrip(":"))}">'
        )


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect it."""
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
