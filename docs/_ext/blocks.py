"""Blocks of code: no empty line at the end; long lines wrap, programs fold."""

from __future__ import annotations

import pathlib
import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

# As many characters as fit between the sidebars of a page. A longer line, such
# as a signature, wraps in a block of the class `wraps`: see `site.css`.
LONGEST = 88
# A program of more lines is folded.
MANY = 60
FOLDED = (
    '<details class="program"><summary>Show {name}, {lines} lines</summary>'
)


def trim(app: Sphinx, page: nodes.document) -> None:
    """Strip each block, and mark it if one of its lines is too long."""
    for block in page.findall(nodes.literal_block):
        text = block.astext().rstrip()
        block.rawsource = block.rawsource.rstrip()
        block.children[:] = [nodes.Text(text)]
        if max(map(len, text.splitlines()), default=0) > LONGEST:
            block["classes"].append("wraps")


def fold(app: Sphinx, page: nodes.document) -> None:
    """Fold each long program that a page includes from a file."""
    for block in list(page.findall(nodes.literal_block)):
        lines = block.astext().count("\n") + 1
        if lines > MANY and block.get("source", "").endswith(".py"):
            name = pathlib.PurePath(block["source"]).name
            head = FOLDED.format(name=name, lines=lines)
            block.replace_self(
                [
                    nodes.raw("", head, format="html"),
                    block.deepcopy(),
                    nodes.raw("", "</details>", format="html"),
                ]
            )


# Where a signature, such as `NDCG@10|gain:exponential|...`, and the path of a
# test may break.
BAR = re.compile(r"\|(?=\w+:)")
PATH = re.compile(r'(?<=<span class="pre">)tests/[^<]+')


def break_long_words(
    app: Sphinx,
    page: str,
    template: str,
    context: dict[str, Any],
    doctree: nodes.document | None,
) -> None:
    """Let browsers break signatures and paths after each part."""
    if doctree is not None:
        body = BAR.sub("|<wbr>", context["body"])
        context["body"] = PATH.sub(after_each_part, body)


def after_each_part(path: re.Match[str]) -> str:
    """Return a path that may break after each of its parts."""
    return re.sub("(/|::|_)", r"\1<wbr>", path[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect all."""
    app.connect("doctree-read", trim)
    app.connect("doctree-read", fold)
    app.connect("html-page-context", break_long_words)
    return {"parallel_read_safe": True}
