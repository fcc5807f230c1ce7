"""`Identity`: an object as a key, told apart from every other object."""

from __future__ import annotations

from typing import Any


class Identity:
    """Equal to that of the same object alone.

    Whether the object can be hashed or compared, and what it then says, does
    not matter.
    """

    def __init__(self, of: Any) -> None:
        self._of = of  # which also keeps its identity from being given away

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identity) and self._of is other._of

    def __hash__(self) -> int:
        return id(self._of)
