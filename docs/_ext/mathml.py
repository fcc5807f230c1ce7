r"""Mathematics as MathML: browsers draw it without a script or a network.

A formula that is wider than a phone breaks at `\quad`, and before an equals
sign or a plus. Browsers break no line within `<math>`, so each part is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}()=+]|[^\\{}()=+]+", re.DOTALL)
OPENS = {"{", "(", r"\{", r"\left", r"\begin"}
CLOSES = {"}", ")", r"\}", r"\right", r"\end"}
SPACES = {r"\quad", r"\qquad"}


def converted(latex: str, display: str) -> str:
    """Return the formula as MathML, or stop the build."""
    try:
        return convert(latex, display=display)
    except Exception as error:
        raise ExtensionError(f"No formula: {latex!r}. {error}") from error


def split(latex: str, before: set[str], keep: bool) -> Iterator[str]:
    """Yield the parts of a formula that such tokens begin.

    Tokens within brackets and environments begin none.

    Args:
        latex: the formula.
        before: the tokens.
        keep: whether the part contains the token.
    """
    depth, part, last = 0, "", ""
    for token in TOKEN.findall(latex):
        # `\left(` opens one bracket, not two.
        if last not in {r"\left", r"\right"}:
            depth += (token in OPENS) - (token in CLOSES)
        last = token
        if depth == 0 and token in before:
            if part.strip():
                yield part
            part = token if keep else ""
        else:
            part += token
    if part.strip():
        yield part


def in_parts(latex: str) -> str:
    """Return the formula as elements between which a line may break."""
    formulas = []
    for formula in split(latex, SPACES, keep=False):
        parts = [
            # As large as in a block, on the line of the other parts. A sign
            # at the beginning has the spaces of one between two terms.
            converted(part.strip(), "block")
            .replace('display="block"', 'display="inline" displaystyle="true"')
            .replace("<mrow><mo>&#x0002B;", '<mrow><mo form="infix">+', 1)
            for part in split(formula, {"=", "+"}, keep=True)
        ]
        formulas.append(f"<span>{'<wbr>'.join(parts)}</span>")
    return "".join(formulas)


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    translator.body.append(converted(node.astext(), "inline"))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula that has lines of its own."""
    formula = in_parts(node.astext())
    translator.body.append(f'<div class="formula">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the renderer `mathml`."""
    app.add_html_math_renderer(
        "mathml", (visit_inline, None), (visit_block, None)
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True}
