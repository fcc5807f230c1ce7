"""Coverage of the intervals of IPS and SNIPS on simulated click logs.

Users look at position j of the old ranking with probability 1/j or 1/j², and
click a relevant item that they look at. The old ranking has little to do with
relevance. The naive value takes clicks for labels.
"""

import numpy as np

from keras_rankmetrics import IPS, SNIPS, EffectiveClicks
from tests.tools.benchmarks.markdown import table
from tests.tools.simulations.intervals import in_cell

RUNS, ITEMS = 400, 10
NUMBERS = (200, 1000, 5000)
SHARES, POWERS = (0.3, 0.1, 0.03), (1, 2)
POSITIONS = np.arange(1, ITEMS + 1)
DISCOUNTS = 1.0 / np.log2(POSITIONS + 1)


def world(rng, lists, share):
    """Return whether items are relevant, as shown, and their new scores."""
    relevant = rng.random((lists, ITEMS)) < share
    # The new ranking prefers what the old one showed last.
    scores = relevant + 0.3 * np.arange(ITEMS)
    scores = scores + rng.normal(0.0, 1.0, relevant.shape)
    return relevant, scores


def truth_of(relevant, scores):
    """Return Σ λ over the relevant items, and their number, `[lists]`."""
    rank = (-scores).argsort(1).argsort(1)
    return (relevant * DISCOUNTS[rank]).sum(1), relevant.sum(1)


def rows(runs=None):
    """Return the coverage of 95% intervals, and the naive value.

    Args:
        runs: the number of simulated logs; None for all.
    """
    return [
        row
        for share in SHARES
        for power in POWERS
        for lists in NUMBERS
        for row in _rows(share, power, lists, runs or RUNS)
    ]


def _rows(share, power, lists, runs):
    rng = np.random.default_rng([27, power, lists])
    found, number = truth_of(*world(rng, 1_000_000, share))
    truths = {"ips": found.mean(), "snips": found.sum() / number.sum()}
    propensities = 1.0 / POSITIONS**power
    size = EffectiveClicks(propensities=propensities)
    kinds = [(kind(propensities=propensities), kind) for kind in (IPS, SNIPS)]
    hits, naive, told = (dict.fromkeys(truths, 0.0) for _ in range(3))
    effective = []
    for _ in range(runs):
        relevant, scores = world(rng, lists, share)
        looked = rng.random(relevant.shape) < propensities
        clicks = (relevant & looked).astype("float32")
        scores = scores.astype("float32")
        size.reset_state()
        effective.append(float(size(clicks, scores)))
        for metric, kind in kinds:
            metric.reset_state()
            metric.update_state(clicks, scores)
            estimate = metric.estimate()
            low, high = estimate.interval()
            hits[metric.name] += low <= truths[metric.name] <= high
            told[metric.name] += estimate.rests_on_few
            plain = kind(propensities=np.ones(ITEMS))
            if len(effective) <= 20:
                naive[metric.name] += float(plain(clicks, scores)) / 20
    for name, truth in truths.items():
        yield {
            "metric": name,
            "relevant": share,
            "propensities": f"1/j{'²' if power == 2 else ''}",
            "lists": lists,
            "effective_clicks": np.median(effective),
            "truth": truth,
            "naive": naive[name],
            "coverage": hits[name] / runs,
            "told": told[name] / runs,
        }


def as_table(stored):
    """Return the rows by effective clicks, as the table of the docs."""
    head = ["relevant", "propensities", "lists", "effective clicks"]
    pairs = sorted(
        zip(stored[::2], stored[1::2], strict=True),
        key=lambda pair: pair[0]["effective_clicks"],
    )
    lines = [
        [
            f"{ips['relevant']:.0%}",
            ips["propensities"],
            f"{ips['lists']:,}",
            f"{ips['effective_clicks']:,.0f}",
            *(in_cell(x["coverage"]) for x in (ips, snips)),
        ]
        for ips, snips in pairs
    ]
    return table([*head, "IPS", "SNIPS"], lines, left=())
