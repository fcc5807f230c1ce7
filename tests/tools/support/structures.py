"""Scores with each of the structures that ties can have."""

from collections.abc import Iterable
from typing import Any

import numpy as np

INF = np.inf


def tie_structures(rng: Any, n: int) -> np.ndarray:
    """Return scores with ties of many kinds, `[structures, n]`."""
    distinct = rng.permutation(n).astype("float32")
    ranks = np.argsort(np.argsort(-distinct)) + 1

    def straddling(*cutoffs: int, width: int) -> np.ndarray:
        """Return ties that reach from above each cutoff to below it."""
        scores = distinct.copy()
        for k in cutoffs:
            scores[(ranks > k - width) & (ranks <= k + width)] = n - k
        return scores

    def with_block(value: float, share: float) -> np.ndarray:
        return np.where(rng.random(n) < share, value, distinct)

    return np.stack(
        [
            distinct,
            rng.normal(size=n),
            rng.integers(0, 3, n),
            rng.integers(0, max(n // 3, 1), n),
            np.full(n, 0.1),
            straddling(1, 10, 20, width=2),
            straddling(3, 15, 127, width=1),
            straddling(16, 128, 500, width=3),
            straddling(16, 128, 1024, width=20),
            with_block(-INF, 0.5),
            with_block(-INF, 1.0),
            with_block(INF, 0.3),
            rng.choice([0.0, -0.0, 1.0, -1.0], n),
            np.where(distinct % 2 == 0, 1e8, 1e8 + 64),
        ]
    ).astype("float32")


def tied_at(
    rng: Any, n: int, spans: Iterable[tuple[int, int]]
) -> tuple[np.ndarray, np.ndarray]:
    """Return scores of which only those within a span of ranks tie.

    Returns:
        The scores, `[spans, n]`, and which of them tie, bool.
    """
    spans = np.array([*spans])[:, :, None]
    ranks = rng.permuted(np.tile(np.arange(1, n + 1), (len(spans), 1)), axis=1)
    tied = (spans[:, 0] <= ranks) & (ranks <= spans[:, 1])
    scores = np.where(tied, -spans[:, 0], -ranks)
    return scores.astype("float32"), tied


def spans_around(
    k: int, n: int, widths: Iterable[int]
) -> list[tuple[int, int]]:
    """Return spans of ranks next to `k` or across it, in a list of `n`.

    Each width at each place from just above the cutoff to just below it, and
    groups that reach to an end of the list.
    """
    spans = [
        (first, first + width - 1)
        for width in widths
        for first in range(k - width + 1, k + 2)
    ]
    spans += [(1, n), (2, n), (k, n), (k + 1, n), (1, k), (1, k + 1)]
    possible = [(max(a, 1), min(b, n)) for a, b in spans]
    return sorted({(a, b) for a, b in possible if a < b})
