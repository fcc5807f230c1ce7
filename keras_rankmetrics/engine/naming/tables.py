"""Tables of text."""

from __future__ import annotations

import json
from collections.abc import Sequence


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Rows under their headings, the first column to the left."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        [
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in (head, *rows)
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def as_text(names: Sequence[str]) -> str:
    """Names in one line, told apart whatever they hold."""
    text = json.dumps(list(names), ensure_ascii=False)
    return text.replace("|", r"\u007c")  # which parts a signature
