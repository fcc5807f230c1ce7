"""Blocks of code without the empty line that ends a doctest."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx


def trimmed(app: Sphinx, page: nodes.document) -> None:
    """Takes empty lines from the end of each block."""
    for block in page.findall(nodes.literal_block):
        block.rawsource = block.rawsource.rstrip()
        block.children[:] = [nodes.Text(block.astext().rstrip())]


def setup(app: Sphinx) -> dict[str, Any]:
    """Connects it."""
    app.connect("doctree-read", trimmed)
    return {"parallel_read_safe": True}
