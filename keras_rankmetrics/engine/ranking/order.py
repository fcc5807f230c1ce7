"""`Order`: how the items of a list are to be ordered, and how far down."""

from __future__ import annotations

from typing import NamedTuple

from keras_rankmetrics.types import Tensor, TiePolicy


class Order(NamedTuple):
    """How lists are to be ranked.

    Attributes:
        k: how many ranks count, or None for all.
        ties: what becomes of items of equal score.
        seed: for `ties="shuffle"`.
        draw: the number of the draw, for `ties="shuffle"`.
    """

    k: int | None
    ties: TiePolicy = "average"
    seed: int = 0
    draw: Tensor | int = 0
