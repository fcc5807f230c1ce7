"""Coverage of the intervals of IPS and SNIPS on simulated click logs.

Users look at position j of the old ranking with probability 1/j, and click a
relevant item that they look at. The old ranking has little to do with
relevance. The naive value takes clicks for labels.
"""

import numpy as np

from keras_rankmetrics import IPS, SNIPS

RUNS, ITEMS, NUMBERS = 2000, 10, (200, 1000)
CHANCES = 1.0 / np.arange(1, ITEMS + 1)
DISCOUNTS = 1.0 / np.log2(np.arange(2, ITEMS + 2))


def world(rng, lists):
    """Return whether items are relevant, as shown, and their new scores."""
    relevant = rng.random((lists, ITEMS)) < 0.3
    # The new ranking prefers what the old one showed last.
    scores = relevant + 0.3 * np.arange(ITEMS)
    scores = scores + rng.normal(0.0, 1.0, relevant.shape)
    return relevant, scores


def truth_of(relevant, scores):
    """Return Σ λ over the relevant items, and their number, `[lists]`."""
    rank = (-scores).argsort(1).argsort(1)
    return (relevant * DISCOUNTS[rank]).sum(1), relevant.sum(1)


def log_of(rng, relevant):
    return (relevant & (rng.random(relevant.shape) < CHANCES)).astype("float32")


def rows(runs=None):
    """The coverage of 95% intervals, and the naive value beside the true one.

    Args:
        runs: the number of simulated logs; None for all.
    """
    rng, made = np.random.default_rng(27), []
    found, number = truth_of(*world(rng, 1_000_000))
    truths = {"ips": found.mean(), "snips": found.sum() / number.sum()}
    for lists in NUMBERS:
        for metric, unweighted in (
            (IPS(propensities=CHANCES), IPS(propensities=np.ones(ITEMS))),
            (SNIPS(propensities=CHANCES), SNIPS(propensities=np.ones(ITEMS))),
        ):
            truth, hits, naive = truths[metric.name], 0, 0.0
            for _ in range(runs or RUNS):
                relevant, scores = world(rng, lists)
                clicks = log_of(rng, relevant)
                for each in (metric, unweighted):
                    each.reset_state()
                    each.update_state(clicks, scores.astype("float32"))
                low, high = metric.estimate().interval()
                hits += low <= truth <= high
                naive += float(unweighted.result())
            made.append(
                {
                    "metric": metric.name,
                    "lists": lists,
                    "truth": truth,
                    "naive": naive / (runs or RUNS),
                    "coverage": hits / (runs or RUNS),
                }
            )
    return made
