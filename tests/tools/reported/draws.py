"""Judgements and a run, drawn from a seed, in the forms that tools take."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Data(NamedTuple):
    """Judgements and a run by ids of queries and items, both text.

    Attributes:
        truth: the labels; whole numbers from 0 on.
        run: the scores, exact in float32. The order of the items is drawn.
    """

    truth: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]

    def best_first(self, query: str) -> list[str]:
        """Return the items of a list by score; tied ones as in the run."""
        scores = self.run.get(query, {})
        return sorted(scores, key=lambda item: -scores[item])

    def relevant(self, query: str) -> list[str]:
        """Return the items with a label above 0, in the order of the truth."""
        return [item for item, label in self.truth[query].items() if label > 0]


def drawn(
    seed: int,
    form: str,
    grades: int,
    queries: int = 50,
    items: int = 20,
    are_tied: bool = True,
    have_empty: bool = True,
) -> Data:
    """Return data for a tool.

    Args:
        seed: of the generator.
        form: `"lists"` if each item has a label and a score; `"retrieved"` if
            some judged items are not retrieved, some retrieved ones are not
            judged, and a run lacks some queries; `"interactions"` if the truth
            is a test set of ratings from 0 on, so that empty lists have none;
            `"shown"` if in addition the run has all queries, or `"ratings"` if
            each list that is not empty has a rating above 0.
        grades: the highest label.
        queries: the number of queries.
        items: the most items of a list.
        are_tied: True if some scores are equal.
        have_empty: True if some lists have no relevant item.
    """
    rng = np.random.default_rng([seed, grades, len(form)])
    truth: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for number in range(queries):
        n = int(rng.integers(2, items + 1))
        labels = rng.integers(1, grades + 1, n) * (rng.random(n) < 0.4)
        if have_empty and number % 11 == 3:
            labels[:] = 0
        elif not labels.any():
            labels[rng.integers(n)] = 1
        noise = rng.normal(size=n) + labels / grades
        scores = np.float32(np.round(noise, 1) if are_tied else noise)
        names = [f"d{x}" for x in rng.permutation(10 * items)[:n]]
        judged, retrieved = np.ones((2, n), bool)
        if form == "retrieved":
            judged = (rng.random(n) < 0.8) | (labels > 0)
            judged[0] = True
        if form in ("interactions", "shown", "ratings"):
            is_empty = have_empty and number % 11 == 3
            judged = (rng.random(n) < 0.5) & (not is_empty)
            judged[0] |= not is_empty
            labels = rng.integers(0, grades + 1, n)
            labels[0] = max(labels[0], form == "ratings")
        if form != "lists":
            retrieved = rng.random(n) < 0.8
            retrieved[rng.integers(n)] = True
        query = f"q{number}"
        truth[query] = {
            names[i]: int(labels[i]) for i in np.flatnonzero(judged)
        }
        if form in ("lists", "shown") or number % 13 != 5:
            run[query] = {
                names[i]: float(scores[i])
                for i in rng.permutation(np.flatnonzero(retrieved))
            }
    return Data(truth, run)
