"""The directive `wall`: a card with picture and answer for each metric.

The names and the answers are those of the titles of the pages, as in "NDCG: are
the best items first?". The entries of the sidebar are the names alone.
"""

from __future__ import annotations

import pathlib
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import keras_rankmetrics as krm

METRICS = {
    value.short_name: value
    for value in map(vars(krm).get, krm.__all__)
    if getattr(value, "short_name", None)
}
PICTURES = "../pictures/thumbnails"
CARD = """\
:::{{grid-item-card}}
:link: {page}
:link-type: doc
:img-bottom: {pictures}/{page}_small.svg
:img-alt: {name}: five lists and their values
:class-item: wall-item

**{name}**\\
{answer}{note}
:::
"""


def title_of(file: pathlib.Path) -> tuple[str, str]:
    """Return the name of a metric and its answer, from the title of a page."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            name, _, answer = line[2:].partition(": ")
            return name.strip(), answer.strip()
    raise ValueError(f"{file} has no title.")


class Wall(SphinxDirective):
    """The cards of the pages in the content, a page a line."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"caption": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Return the cards, and the entries of the sidebar."""
        folder = pathlib.Path(self.get_source_info()[0]).parent
        cards, entries = [], []
        for page in filter(None, map(str.strip, self.content)):
            file = folder / f"{page}.md"
            self.env.note_dependency(str(file))
            name, answer = title_of(file)
            less = "" if METRICS[page].more_is_better else " *(less is better)*"
            cards.append(
                CARD.format(
                    page=page,
                    pictures=PICTURES,
                    name=name,
                    note=less,
                    answer=answer[:1].upper() + answer[1:],
                )
            )
            entries.append(f"{name} <{page}>")
        text = "\n".join(
            [
                "::::{grid}",
                ":class-container: wall",
                "",
                *cards,
                "::::",
                "",
                "```{toctree}",
                ":hidden:",
                f":caption: {self.options['caption']}",
                "",
                *entries,
                "```",
            ]
        )
        found = nodes.container()
        self.state.nested_parse(
            StringList(text.splitlines(), str(folder)), 0, found
        )
        return found.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("wall", Wall)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
