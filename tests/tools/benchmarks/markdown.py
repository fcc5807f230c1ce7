"""Tables in Markdown."""

from collections.abc import Iterable, Sequence


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: Sequence[int] = (0,),
) -> str:
    """A table, its columns to the right but for those named in `left`."""
    ruler = ["---" if i in left else "--:" for i in range(len(header))]
    lines = [header, ruler, *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(f"- {line}" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
