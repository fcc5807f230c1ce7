"""Differences of two systems: coverage, gates and what is detectable.

"Coverage" is the share of samples whose 95% interval contains the true mean
difference, "t" that of Student's t. "Passes" is the share of gates that pass,
where the true loss exceeds the tolerance by a hair: it should be at most 2.5%.
The rankings differ, although the values of most lists are equal.

"Power" is the share of samples in which the interval excludes 0, where the true
difference is what `detectable` says of another sample.
"""

import math

import numpy as np

from keras_rankmetrics import Verdict
from keras_rankmetrics.engine.aggregates import Estimate
from tests.tools.simulations.decisions import difference_of
from tests.tools.simulations.intervals import by_kind, discrete

RUNS, NUMBERS = 1000, (10, 20, 50, 200, 1000)


def normal(mean, deviation, ties=0.0):
    """Draw differences of NDCG: some lists tie."""

    def draw(rng, lists):
        found = rng.normal(mean / (1.0 - ties), deviation, lists)
        found = np.where(rng.random(lists) < ties, 0.0, found)
        return found.clip(-1.0, 1.0)

    return draw, mean


def alone(draw, mean):
    """Add small differences, so that no list ties."""

    def noisy(rng, lists):
        small = rng.normal(0.0, 0.02, lists).clip(-0.1, 0.1)
        rare = draw(rng, lists)
        return np.where(rare == 0.0, small, rare)

    return noisy, mean


# The differences of lists by name, with their mean.
VALUES = {
    "5% lose 1": discrete([0, -1], [0.95, 0.05]),
    "2% lose 1": discrete([0, -1], [0.98, 0.02]),
    "1% lose 1": discrete([0, -1], [0.99, 0.01]),
    "2% win 1": discrete([0, 1], [0.98, 0.02]),
    "10% win, 15% lose 1": discrete([0, 1, -1], [0.75, 0.10, 0.15]),
    "ranks, 90% tie": discrete(
        [0, 0.5, -0.5, -0.9, -1], [0.9, 0.04, 0.02, 0.02, 0.02]
    ),
    "all win .01, but 2% lose 1": discrete([0.01, -1], [0.98, 0.02]),
    "2% lose 1, others ± .02": alone(*discrete([0, -1], [0.98, 0.02])),
    "like NDCG, 40% tie": normal(-0.01, 0.2, ties=0.4),
    "like NDCG, none ties": normal(-0.01, 0.1),
}
# Losses that are unlike all that the sample has, if it has none.
UNSEEN = {"all win .01, but 2% lose 1", "2% lose 1, others ± .02"}


def rows(runs=None):
    """Return the rows of all kinds of differences, then those of power.

    Args:
        runs: the number of samples of each row; None for all.
    """
    runs = runs or RUNS
    return [*of_intervals(runs), *of_power(runs)]


def of_intervals(runs):
    """Yield the coverage, and how many gates pass, for each number of lists."""
    for name in VALUES:
        for lists in NUMBERS:
            yield row_of(name, lists, runs)


def row_of(name, lists, runs):
    """Return the row of some differences and a number of lists."""
    (draw, mean), rng = VALUES[name], np.random.default_rng(3)
    hits, by_t, passes = 0, 0, 0
    for _ in range(runs):
        found = difference_of(draw(rng, lists))
        estimate = found.estimate
        low, high = estimate.interval()
        hits += low - 1e-9 <= mean <= high + 1e-9
        counts = (lists, float(lists), lists)
        numbers = estimate.value, estimate.standard_error, *counts
        low, high = Estimate(*numbers).interval()
        by_t += low - 1e-9 <= mean <= high + 1e-9
        if mean < 0:
            verdict = Verdict("m", found, -mean - 1e-6)
            passes += verdict.outcome == "pass"
    row = {"values": name, "lists": lists, "coverage": hits / runs}
    row["t"] = by_t / runs
    return row | ({"passes": passes / runs} if mean < 0 else {})


def of_power(runs):
    """Yield the share of samples that detect what is called detectable."""
    families = {
        "10% win or lose 1": lambda delta: (
            discrete([0, 1, -1], [0.9, 0.05 + delta / 2, 0.05 - delta / 2])
            if delta <= 0.1
            else discrete([0, 1], [1.0 - delta, delta])
        ),
        "like NDCG, 40% tie": lambda delta: normal(delta, 0.2, ties=0.4),
        "like NDCG, none ties": lambda delta: normal(delta, 0.1),
    }
    for name, family in families.items():
        for lists in (20, 50, 200, 1000):
            rng, powers = np.random.default_rng(4), []
            for _ in range(runs // 10):
                pilot, _ = family(0.0)
                size = difference_of(pilot(rng, lists)).detectable()
                if math.isnan(size):
                    continue
                draw, _ = family(size)
                ends = [
                    difference_of(draw(rng, lists)).interval()
                    for _ in range(10)
                ]
                powers.append(np.mean([low > 0.0 for low, _ in ends]))
            row = {"values": name, "lists": lists}
            row["told"] = len(powers) / (runs // 10)
            yield row | ({"power": np.mean(powers)} if powers else {})


def as_table(stored):
    """Return the stored rows as the table of the docs."""
    head = ["differences", *(f"{n:,} lists" for n in NUMBERS)]
    shares = "coverage", "t", "passes"
    return by_kind(stored, head, "values", VALUES, *shares)
