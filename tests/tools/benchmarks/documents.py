"""Batches as the tools of information retrieval take them: dicts of names."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np


class Documents(NamedTuple):
    """Two dicts of dicts, query to document to number.

    Attributes:
        qrels: the gain of each relevant document, 1 and more.
        run: the score of each retrieved document.
    """

    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]


def of_scores(labels: np.ndarray, scores: np.ndarray, depth: int) -> Documents:
    """The relevant items, and the `depth` best of all.

    The gains are 2^label - 1, for sources whose NDCG takes them as they are;
    to other metrics they say no more than that an item is relevant.
    """
    if depth < scores.shape[1]:
        best = np.argpartition(-scores, depth, axis=1)[:, :depth]
    else:
        best = np.broadcast_to(np.arange(depth), scores.shape)
    best_scores = np.take_along_axis(scores, best, axis=1)
    relevant = [np.flatnonzero(row) for row in labels]
    gains = [
        (2 ** row[items] - 1).astype(int)
        for row, items in zip(labels, relevant, strict=True)
    ]
    return Documents(_by_name(relevant, gains), _by_name(best, best_scores))


def of_ids(relevant: np.ndarray, recommended: np.ndarray) -> Documents:
    """The relevant ids, and the recommended ones with scores in their order."""
    there = [row[row >= 0] for row in relevant]
    gains = [np.ones(len(row), int) for row in there]
    scores = np.arange(recommended.shape[1], 0.0, -1.0)
    return Documents(
        _by_name(there, gains),
        _by_name(recommended, np.broadcast_to(scores, recommended.shape)),
    )


def _by_name(
    items: Iterable[np.ndarray], numbers: Iterable[np.ndarray]
) -> dict[str, dict[str, float]]:
    return {
        str(query): {
            str(item): number
            for item, number in zip(row.tolist(), of_row.tolist(), strict=True)
        }
        for query, (row, of_row) in enumerate(zip(items, numbers, strict=True))
    }
