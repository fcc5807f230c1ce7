"""Mathematics as MathML: browsers draw it without a script or a network."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError


def converted(latex: str, display: str) -> str:
    """The formula as MathML; what cannot be converted stops the build."""
    try:
        return convert(latex, display=display)
    except Exception as error:
        raise ExtensionError(f"No formula: {latex!r}. {error}") from error


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Writes a formula within a line."""
    translator.body.append(converted(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Writes a formula that has lines of its own."""
    formula = converted(node.astext(), "block")
    translator.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Adds the renderer `mathml`."""
    app.add_html_math_renderer(
        "mathml", (visit_inline, None), (visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
