"""Warnings, suggestions for misspelt names, and tables, as users read them."""

from __future__ import annotations

import difflib
import functools
import html
import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import keras

# Warnings point at the line of the user, not of Keras or a backend.

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_LIBRARIES = os.path.dirname(os.path.dirname(keras.__file__))
_INSIDE = (
    _PACKAGE + os.sep,
    functools.__file__,  # of a cached property
    *(
        os.path.join(_LIBRARIES, name, "")
        for name in ("keras", "jax", "tensorflow", "torch")
    ),
)


def warn(text: str) -> None:
    """Warn of a mistake, at the first line outside of the libraries.

    Args:
        text: what was expected, what was received, and what to do.
    """
    frame, depth = sys._getframe(), 0
    while frame.f_back and frame.f_code.co_filename.startswith(_INSIDE):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth + 1)


class WarnOnce:
    """The warnings of one metric: the first one is shown, others are not.

    Attributes:
        has_warned: True if no more warnings are to be shown.
    """

    def __init__(self) -> None:
        self.has_warned: bool = False

    def __call__(self, message: str | None, name: str) -> None:
        """Warn, unless the message is None or a warning was given before.

        Args:
            message: the text of the warning.
            name: the name of the metric.
        """
        if message is not None and not self.has_warned:
            self.has_warned = True
            warn(f"{name}: {message}")


# Suggestions for names that do not exist.


@functools.lru_cache(maxsize=1024)  # each lookup of a metric asks for all
def plain(name: str) -> str:
    """Return the name without case, hyphens and underscores."""
    return name.lower().replace("_", "").replace("-", "")


def closest(name: str, names: Iterable[str], least: float = 0.5) -> list[str]:
    """Return up to three similar names, the most similar first.

    Args:
        name: a name that does not exist.
        names: the names that exist.
        least: the lowest similarity, from 0 to 1.
    """
    by_plain = {plain(each): each for each in names}
    for cutoff in (1.0, 0.9, 0.7, least):
        found = difflib.get_close_matches(plain(name), by_plain, 3, cutoff)
        if found:
            return [by_plain[each] for each in found]
    return []


def nearest(name: str, names: Iterable[str], least: float = 0.5) -> str:
    """Return "Did you mean ...?" for the most similar names, or "".

    Args:
        name: a name that does not exist.
        names: the names that exist.
        least: the lowest similarity, from 0 to 1.
    """
    return did_you_mean(*closest(name, names, least))


def did_you_mean(*names: str) -> str:
    """Return " Did you mean ...?" for the names, or "" without names."""
    if not names:
        return ""
    quoted = " or ".join(f'"{name}"' for name in names)
    return f" Did you mean {quoted}?"


def no_attribute(module: str, name: str, hint: str) -> AttributeError:
    """Return the AttributeError for a module's `__getattr__`.

    Args:
        module: the name of the module.
        name: the name that the module does not have.
        hint: a sentence that starts with a space, or "".
    """
    # With `name` but no `obj`, Python adds no second suggestion.
    return AttributeError(
        f'module "{module}" has no attribute "{name}".{hint}', name=name
    )


# Rows as a table.


def as_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows under their headings; the first column is left-aligned."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [
        [
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        for row in (head, *rows)
    ]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def as_html_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    notes: Iterable[str],
    signatures: Mapping[str, str],
) -> str:
    """Return rows as HTML, with sentences and folded signatures below them.

    Args:
        head: the headings.
        rows: the cells of each row: a name, then HTML.
        notes: the sentences.
        signatures: the signature of each metric, by its name.
    """
    names = "</th><th>".join(map(html.escape, head))
    body = "\n".join(
        f"<tr><th>{html.escape(name)}</th><td>{'</td><td>'.join(cells)}</td></tr>"
        for name, *cells in rows
    )
    folded = html.escape("\n".join(map(": ".join, signatures.items())))
    # Notebooks set text between dollar signs as math without these classes.
    return (
        '<div class="tex2jax_ignore mathjax_ignore">\n'
        f"<table>\n<thead><tr><th>{names}</th></tr></thead>\n"
        f"<tbody>\n{body}\n</tbody>\n</table>\n"
        f"<p>{html.escape(' '.join(notes))}</p>\n<details><summary>Signatures"
        f'</summary>\n<pre style="white-space: pre-wrap">{folded}</pre>\n'
        "</details>\n</div>"
    )


def as_text(id_: Any) -> Any:
    r"""Return bytes as str, so that JSON can contain them.

    Different ids stay different: a byte that is not UTF-8 becomes `\xff`, and
    the backslashes of an id that contains these letters are doubled.
    """
    if not isinstance(id_, bytes):
        return id_
    text = id_.decode(errors="backslashreplace")
    if "\\x" not in text:
        return text
    return id_.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
