"""Cards of pages, made from the titles of the pages: `wall` and `pages`.

A title has a name and, after a colon, an answer, as in "NDCG: are the best
items first?". The entries of the sidebar are the names alone.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
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
CARDS = """\
::::{{grid}} {columns}
:gutter: 3
:class-container: {style}

{cards}
::::

```{{toctree}}
:hidden:
{caption}

{entries}
```
"""
PICTURE = """\
:::{{grid-item-card}}
:link: {page}
:link-type: doc
:img-bottom: ../pictures/thumbnails/{page}_small.svg
:img-alt: Five lists and their values of {name}

**{name}**\\
{text}
:::
"""
CARD = """\
:::{{grid-item-card}} {name}
:link: {page}
:link-type: doc

{text}
:::
"""


def title_of(file: pathlib.Path) -> tuple[str, str]:
    """Return the name and the answer in the title of a page."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            # Sphinx leaves the apostrophes of the sidebar as they are.
            line = line.replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
            name, _, answer = line[2:].partition(": ")
            return name.strip(), answer.strip()
    raise ValueError(f"{file} has no title.")


class Cards(SphinxDirective):
    """A card for each page of the content, and an entry of the sidebar."""

    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"caption": directives.unchanged}
    card, columns, style = CARD, "1 1 2 2", "pages"

    def run(self) -> list[nodes.Node]:
        """Return the cards and the entries."""
        pages = list(self.pages())
        caption = self.options.get("caption")
        text = CARDS.format(
            columns=self.columns,
            style=self.style,
            cards="\n".join(self.card.format(**page) for page in pages),
            caption=f":caption: {caption}" if caption else "",
            entries="\n".join("{name} <{page}>".format(**p) for p in pages),
        )
        found = nodes.container()
        lines = StringList(text.splitlines(), self.get_source_info()[0])
        self.state.nested_parse(lines, 0, found)
        return found.children

    def pages(self) -> Iterator[dict[str, str]]:
        """Yield the page, its name and the text of its card."""
        folder = pathlib.Path(self.get_source_info()[0]).parent
        for line in filter(None, map(str.strip, self.content)):
            page, _, text = line.partition(": ")
            file = folder / f"{page}.md"
            # Another title makes this page outdated.
            self.env.note_dependency(str(file))
            name, answer = title_of(file)
            yield {
                "page": page,
                "name": name,
                "text": text or self.text_of(page, answer),
            }

    def text_of(self, page: str, answer: str) -> str:
        """Return the text of a card that has none of its own."""
        return answer[:1].upper() + answer[1:]


class Wall(Cards):
    """The cards of metrics, with their thumbnails."""

    card, columns, style = PICTURE, "", "wall"

    def text_of(self, page: str, answer: str) -> str:
        """Return the answer, and a note if lower is better."""
        note = "" if METRICS[page].more_is_better else " *(lower is better)*"
        return f"{super().text_of(page, answer)}{note}"


def setup(app: Sphinx) -> dict[str, Any]:
    """Add both directives."""
    app.add_directive("pages", Cards)
    app.add_directive("wall", Wall)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
