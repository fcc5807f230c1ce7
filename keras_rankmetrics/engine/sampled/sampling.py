"""`Sampling`: how likely each sampled rank is, by the rank among all items."""

from __future__ import annotations

import dataclasses

import numpy as np


@dataclasses.dataclass(frozen=True)
class Sampling:
    """Items drawn from those of a catalogue, all with the same chance.

    Attributes:
        catalogue: how many items there are, the relevant one among them.
        negatives: how many others are drawn.
        replacement: whether one may be drawn twice.
    """

    catalogue: int
    negatives: int
    replacement: bool

    @property
    def others(self) -> int:
        """How many items the sample is drawn from."""
        return self.catalogue - 1

    def chances(self, ranks: np.ndarray) -> np.ndarray:
        """`[ranks, negatives + 1]`, of 0, 1, ... negatives above the item.

        Hypergeometric, or with replacement binomial. Each chance is that of one
        negative less times a ratio, so that none is a quotient of factorials.

        Args:
            ranks: of the item among all, `[ranks]`.
        """
        above = np.asarray(ranks, "float64")[:, None] - 1.0
        below, drawn = self.others - above, self.negatives
        found = np.arange(drawn, dtype="float64")
        if self.replacement:
            more, less = above, below
            least = np.where(below > 0.0, 0.0, drawn)
        else:
            more, less = above - found, below - drawn + found + 1.0
            least = np.maximum(drawn - below, 0.0)
        more, less = more * (drawn - found), less * (found + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.log(np.maximum(more, 0.0) / less)
        steps = np.where(less > 0.0, steps, 0.0)
        logs = np.pad(np.cumsum(steps, axis=1), [(0, 0), (1, 0)])
        logs = np.where(np.arange(drawn + 1) < least, -np.inf, logs)
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares: np.ndarray = chances / chances.sum(axis=1, keepdims=True)
        return shares

    def resolution(self, above: float) -> float:
        """How many ranks make one standard deviation of the sampled rank.

        Args:
            above: how many items stand above.
        """
        share = above / self.others
        variance = self.negatives * share * (1.0 - share)
        if not self.replacement:
            left = self.others - self.negatives
            variance *= left / max(self.others - 1, 1)
        deviation = max(variance, 1.0) ** 0.5
        return self.others / self.negatives * deviation
