"""Lists that hold a sample of a catalogue, by the rank among all items."""

import numpy as np


def lists_at(sampled_ranks, negatives):
    """Labels and scores of lists whose relevant item, the first, stands there.

    The rank may be one between two others: 1.5 is below the first negative, and
    1.0 ties with nothing.
    """
    ranks = np.asarray(sampled_ranks, "float32")[:, None]
    others = np.arange(1, negatives + 1, dtype="float32")
    scores = np.concatenate(
        [0.5 - ranks, -np.broadcast_to(others, (len(ranks), negatives))], axis=1
    )
    labels = np.zeros_like(scores)
    labels[:, 0] = 1
    return labels, scores


def sampled(rng, ranks, catalogue, negatives):
    """A sampled rank for each, without replacement."""
    return 1 + rng.hypergeometric(ranks - 1, catalogue - ranks, negatives)


def two_models(rng, lists=20_000, catalogue=1000):
    """The ranks of items by a model of a few hits, and by one of near misses.

    A has a tenth of them at the ranks 1 to 3, and all others far down. B has
    few of them so high, and most above the 200th.
    """
    far = rng.integers(200, catalogue + 1, lists)
    high = rng.integers(1, 4, lists)
    near = np.exp(rng.normal(np.log(60), 1.33, lists)).round()
    return {
        "A": np.where(rng.random(lists) < 0.1, high, far),
        "B": np.clip(near, 1, catalogue).astype("int64"),
    }
