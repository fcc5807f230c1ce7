"""Random lists for metrics about items, in all three forms of input."""

import functools

import numpy as np
import oracle_of_items as oracle

ITEMS = 6
FORMS = ("scores", "sparse", "ids")


@functools.cache
def lists_in(form, number, seed=0):
    """What a metric is given, and the same lists for the oracle.

    Scores of few values tie, some are -inf, and items are masked or excluded.
    """
    rng = np.random.default_rng([77, seed, FORMS.index(form)])
    weights = rng.integers(0, 3, number).astype("float32") / 2
    exclude = rng.integers(-1, ITEMS, (number, 1))
    if form == "ids":
        recommended = rng.integers(-1, ITEMS, (number, 5))
        relevant = rng.integers(-1, ITEMS, (number, 3))
        relevant[:, 0] = np.abs(relevant[:, 0])
        given = {"target": relevant, "exclude": exclude}, recommended
        lists = [
            oracle.List(
                [
                    [i]
                    for i in dict.fromkeys(row.tolist())
                    if i >= 0 and i != no
                ],
                frozenset(of.tolist()) - {-1},
                float(weight),
            )
            for row, of, no, weight in zip(
                recommended, relevant, exclude[:, 0], weights, strict=True
            )
        ]
        return (*given, weights), lists
    scores = rng.integers(0, 4, (number, ITEMS)).astype("float32")
    scores[rng.random((number, ITEMS)) < 0.05] = -np.inf
    scores[rng.random(number) < 0.02] = 1.0
    mask = rng.random((number, ITEMS)) < 0.9
    mask[:, 0] = True
    there = mask & (np.arange(ITEMS) != exclude)
    if form == "scores":
        labels = (rng.random((number, ITEMS)) < 0.4).astype("float32")
        relevant = [
            np.flatnonzero(row == 1) for row in np.where(mask, labels, 0)
        ]
        main = {"labels": labels}
    else:
        targets = rng.integers(-1, ITEMS, (number, 2))
        targets[:, 0] = 0
        relevant = [
            [i for i in row if i >= 0 and exists[i]]
            for row, exists in zip(targets, mask, strict=True)
        ]
        main = {"target": targets}
    lists = [
        oracle.List(
            oracle.by_score(of.tolist(), exists),
            frozenset(map(int, good)),
            float(weight),
        )
        for of, exists, good, weight in zip(
            scores, there, relevant, weights, strict=True
        )
    ]
    return ({**main, "mask": mask, "exclude": exclude}, scores, weights), lists


def counting(lists):
    """Those that count: that have a weight, and show an item."""
    return [each for each in lists if each.weight and each.retrieved]
