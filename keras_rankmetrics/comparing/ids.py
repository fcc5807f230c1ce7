"""Ids as they are shown and saved."""

from __future__ import annotations

from typing import Any


def as_text(query: Any) -> Any:
    r"""Bytes as str, which JSON has; different ids stay different.

    A byte that is not UTF-8 becomes `\xff`. An id in which that is written in
    letters gets twice as many backslashes.
    """
    if not isinstance(query, bytes):
        return query
    text = query.decode(errors="backslashreplace")
    if "\\x" not in text:
        return text
    return query.replace(b"\\", b"\\\\").decode(errors="backslashreplace")
