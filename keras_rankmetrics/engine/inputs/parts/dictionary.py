"""`y_true` as a dict: what belongs to the lists besides their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def entries_of(
    y_true: Any, main: Sequence[str], others: Sequence[str]
) -> dict[str, Any]:
    """The entries of a dict `y_true`, or what is no dict as its main entry.

    Args:
        y_true: what the user passed.
        main: the names that the main entry may go by, the first one preferred.
        others: the names of further entries.

    Returns:
        The entries, the main one under the first of its names, and None where
        there is none.
    """
    missing = dict.fromkeys((main[0], *others))
    if not isinstance(y_true, dict):
        return {**missing, main[0]: y_true}
    given = [name for name in main if y_true.get(name) is not None]
    if len(given) != 1 or set(y_true) - {*main, *others}:
        raise ValueError(
            "A dict `y_true` should have the key "
            f"{' or '.join(map(_quoted, main))} and may have the "
            f"key{'s' * (len(others) > 1)} "
            f"{', '.join(map(_quoted, others))}. Received the keys: "
            f"{sorted(map(str, y_true))}."
        )
    entries = {**missing, **y_true}
    return {**entries, main[0]: entries.pop(given[0])}


def _quoted(name: str) -> str:
    return f'"{name}"'
