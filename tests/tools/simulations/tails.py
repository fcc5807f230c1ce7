"""Errors of binned quantiles, and coverage of intervals of the worst users."""

import numpy as np

from keras_rankmetrics.metrics import tails
from tests.tools.simulations.intervals import by_kind

RUNS, VALUES, LISTS = 2000, 20_000, (50, 200, 1000)
LEVELS = (0.01, 0.1, 0.25, 0.5, 0.9)
RANKS = np.append(1 / np.log2(np.arange(2, 12)), 0.0)


def zeros(share):
    """Draw values of which a share is 0, and the others are in [.3, 1]."""

    def draw(rng, n):
        return np.where(rng.random(n) < share, 0.0, rng.uniform(0.3, 1.0, n))

    return draw


DRAWS = {
    "uniform": lambda rng, n: rng.random(n),
    "Beta(2, 1)": lambda rng, n: rng.beta(2, 1, n),
    "Beta(8, 1)": lambda rng, n: rng.beta(8, 1, n),
    "NDCG of one item": lambda rng, n: rng.choice(RANKS, n),
    **{f"{x:.0%} zeros": zeros(x) for x in (0.02, 0.05, 0.09, 0.1, 0.11, 0.15)},
}


def binned(values):
    """The bins of sorted values, as `Binned` keeps them."""
    place = np.minimum(np.floor(values * tails.BINS), tails.BINS - 1)
    weights = np.bincount(place.astype(int), minlength=tails.BINS)
    totals = np.bincount(place.astype(int), values, minlength=tails.BINS)
    return totals / np.maximum(weights, 1), weights.astype(float)


def rows(runs=None):
    """The errors of quantiles, and the coverage of each 95% interval.

    Args:
        runs: the number of simulated evaluations; None for all.
    """
    rng, made = np.random.default_rng(26), []
    for name, draw in DRAWS.items():
        values = np.sort(draw(rng, VALUES))
        exact = np.quantile(values, LEVELS, method="inverted_cdf")
        found = [tails.quantile(*binned(values), level) for level in LEVELS]
        error = float(np.abs(found - exact).max())
        made.append({"values": name, "lists": VALUES, "error": error})
    for name, draw in DRAWS.items():
        whole = np.sort(draw(rng, 1_000_000))
        ones = np.ones(len(whole))
        quantile = tails.quantile(whole, ones, 0.1)
        lowest = tails.lower_mean(whole, ones, 0.1)
        for lists in LISTS:
            ones, hits = np.ones(lists), np.zeros(2)
            for _ in range(runs or RUNS):
                pair = np.sort(draw(rng, lists)), ones
                low, high = tails.quantile_interval(*pair, 0.1, lists, 0.95)
                hits[0] += low - 1e-9 <= quantile <= high + 1e-9
                low, high = tails.LowerMeanEstimate(
                    tails.lower_mean(*pair, 0.1),
                    tails.lower_mean_error(*pair, 0.1, float(lists)),
                    lists,
                    lists,
                    tails.rows_in_tail(lists, 0.1),
                    bounded=True,
                    sample=(*pair, 0.1),
                ).interval()
                hits[1] += low - 1e-9 <= lowest <= high + 1e-9
            coverage = np.round(hits / (runs or RUNS), 4).tolist()
            both = zip(("quantile", "lower mean"), coverage, strict=True)
            made += [
                {"values": name, "lists": lists, "interval": of, "coverage": c}
                for of, c in both
            ]
    return made


def as_table(stored):
    """Return the coverage of the lower mean as the table of the docs."""
    head = ["values", *(f"{n:,} lists" for n in LISTS)]
    found = [x for x in stored if x.get("interval") == "lower mean"]
    return by_kind(found, head, "values", DRAWS, "coverage")
