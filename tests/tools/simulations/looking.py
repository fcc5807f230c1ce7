"""Intervals that are read after each list: how often is one of them wrong?

Each run draws 3,000 lists one after the other and reads an interval of the mean
after each of them, from the 30th on. The run is wrong if any of these intervals
lacks the true mean. "Fixed" is the 95% interval by Student's t, "sequence" the
`anytime_interval` of the package, and "unguarded" the same sequence without
what it adds to the variance for values that are rare.
"""

import numpy as np

from keras_rankmetrics.engine.aggregates.distributions import (
    margin,
    sequence,
    t_quantile,
)
from tests.tools.simulations.intervals import discrete

FIRST, LAST, RUNS = 30, 3000, 2000
LEVEL, PLANNED = 0.95, 500
CHUNK = 250  # runs at once
WIDTHS = (100, 500, 3000)


def bernoulli(share):
    return lambda rng, shape: (rng.random(shape) < share).astype(float), share


UNIT, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
# The values of lists by name, with their mean and their limits.
CELLS = {
    "0 or 1, mean .5": (*bernoulli(0.5), UNIT),
    "0 or 1, mean .9": (*bernoulli(0.9), UNIT),
    "0 or 1, mean .95": (*bernoulli(0.95), UNIT),
    "0 or 1, mean .99": (*bernoulli(0.99), UNIT),
    "0 or 1, mean .02": (*bernoulli(0.02), UNIT),
    "1/rank, mostly 1": (
        *discrete(
            [1, 1 / 2, 1 / 3, 1 / 5, 1 / 10], [0.8, 0.1, 0.05, 0.03, 0.02]
        ),
        UNIT,
    ),
    "mostly 0, some .2, .5, 1": (
        *discrete([0, 0.2, 0.5, 1], [0.9, 0.04, 0.03, 0.03]),
        UNIT,
    ),
    "Beta(8, 1), mean .89": (
        lambda rng, shape: rng.beta(8, 1, shape),
        8 / 9,
        UNIT,
    ),
    "uniform": (lambda rng, shape: rng.random(shape), 0.5, UNIT),
    "differences, mostly 0": (
        *discrete([0, 0.37, -0.37, 1, -0.5], [0.9, 0.05, 0.03, 0.01, 0.01]),
        DIFFERENCE,
    ),
    "differences, 1 of 50": (
        *discrete([0, 0.5, -1], [0.98, 0.01, 0.01]),
        DIFFERENCE,
    ),
}


def rows(runs=None):
    """Return a row for each kind of values."""
    times = np.arange(FIRST, LAST + 1)
    # Between these, the quantile is all but linear in 1 / freedom.
    some = np.geomspace(FIRST, LAST, 30)
    quantiles = [t_quantile((1 + LEVEL) / 2, n - 1) for n in some]
    t = np.interp(-1 / times, -1 / some, quantiles)
    return [
        _row(name, np.random.default_rng([5, place]), times, t, runs or RUNS)
        for place, name in enumerate(CELLS)
    ]


def _row(name, rng, times, t, runs):
    draw, true, limits = CELLS[name]
    wrong = dict.fromkeys(("fixed", "unguarded", "sequence"), 0)
    widths = {(kind, n): 0.0 for kind in wrong for n in WIDTHS}
    for start in range(0, runs, CHUNK):
        shape = min(CHUNK, runs - start), LAST
        mean, error = _so_far(draw(rng, shape))
        half = margin(error * np.sqrt(times), times, 1 - LEVEL, PLANNED)
        intervals = {
            "fixed": (mean - t * error, mean + t * error),
            "unguarded": (mean - half, mean + half),
            "sequence": sequence(mean, error, times, LEVEL, PLANNED, limits),
        }
        for kind, (low, high) in intervals.items():
            wrong[kind] += ((low > true) | (high < true)).any(axis=1).sum()
            for n in WIDTHS:
                widths[kind, n] += (high - low)[:, n - FIRST].sum()
    return {
        "values": name,
        "runs": runs,
        **{f"wrong_{kind}": round(x / runs, 4) for kind, x in wrong.items()},
        **{
            f"width_{kind}_{n}": round(float(widths[kind, n] / runs), 4)
            for kind in ("fixed", "sequence")
            for n in WIDTHS
        },
    }


def _so_far(values):
    """Return the mean and the standard error after each list from `FIRST`."""
    n = np.arange(1, LAST + 1)
    mean = values.cumsum(axis=1) / n
    squares = (values**2).cumsum(axis=1) / n
    variance = np.maximum(squares - mean**2, 0.0) / np.maximum(n - 1, 1)
    variance[variance < 1e-15] = 0.0  # of values that are all equal
    return mean[:, FIRST - 1 :], np.sqrt(variance)[:, FIRST - 1 :]
