"""Coverage of intervals from few human labels and many of a biased judge.

Values by human labels are hits, or in [0, 1] as of NDCG. A "good" judge is
wrong on a tenth of the lists, a "blind" one never but on 3%, which humans may
not have seen, a "generous" one finds most misses to be hits, and a "useless"
one has nothing to do with the lists.
"""

import numpy as np

from keras_rankmetrics import Estimate
from keras_rankmetrics.metrics.judge_corrected import (
    JudgeCorrectedEstimate,
    sums_of,
)
from tests.tools.benchmarks.markdown import table
from tests.tools.simulations.intervals import in_cell

RUNS, NUMBERS, JUDGE_ONLY = 1000, (10, 20, 30, 60, 100), (100, 2000)
JUDGES = ("good", "blind", "generous", "useless")
VALUES = (0.5, 0.8, 0.9, 0.97, "like NDCG")
RARE = "4% zeros, others .7 to 1"  # of which few human labels have no zero


def hits(rng, rate, judge, lists):
    """Return hits by humans and by a judge."""
    human, chance = rng.random(lists) < rate, rng.random(lists)
    found = {
        "good": human ^ (chance < 0.1),
        "blind": human ^ (chance < 0.03),
        "generous": human | (chance < 0.8),
        "useless": chance < 0.7,
    }[judge]
    return human.astype(float), found.astype(float)


def logistic(x):
    return 1 / (1 + np.exp(-2 * x))


def drawn(rng, lists, judge="generous"):
    """Return values of lists in [0, 1] by humans, and by a judge."""
    quality = rng.normal(0.3, 1.0, lists)
    human = logistic(quality + rng.normal(0, 0.4, lists))
    if judge == "blind":
        return np.where(rng.random(lists) < 0.03, 0.0, human), human
    seen = {
        "good": quality + rng.normal(0, 0.3, lists),
        "generous": quality + 0.5 + rng.normal(0, 0.5, lists),
        "useless": rng.normal(0.3, 1.0, lists),
    }[judge]
    return human, logistic(seen)


def with_zeros(rng, lists):
    """Return values of which few are 0, and those by a judge that is close."""
    zero = rng.random(lists) < 0.04
    human = np.where(zero, 0.0, rng.uniform(0.7, 1.0, lists))
    return human, (human + rng.normal(0.0, 0.05, lists)).clip(0.0, 1.0)


def rows(runs=None):
    """Return how often each interval contains the mean by human labels.

    Args:
        runs: the number of simulated evaluations of each row; None for all.
    """
    return [
        row_of(values, judge, human, more, runs or RUNS)
        for values in VALUES
        for judge in JUDGES
        for more in JUDGE_ONLY
        for human in NUMBERS
    ] + [row_of(RARE, "close", n, 2000, runs or RUNS) for n in NUMBERS]


def row_of(values, judge, human, more, runs):
    """Return a row: the coverage and the width, and those by humans alone."""
    rng, lists = np.random.default_rng([26, human, more]), human + more
    truth = values
    if values == "like NDCG":
        truth = drawn(np.random.default_rng(26), 2_000_000, judge)[0].mean()
    if values == RARE:
        truth = 0.96 * 0.85
    has_judge, has_human = np.full(lists, True), np.arange(lists) < human
    ends = {"corrected": [], "humans": []}
    for _ in range(runs):
        if values == "like NDCG":
            y, f = drawn(rng, lists, judge)
        elif values == RARE:
            y, f = with_zeros(rng, lists)
        else:
            y, f = hits(rng, values, judge, lists)
        sums = sums_of(y, has_human, f, has_judge)
        found = JudgeCorrectedEstimate.of_sums(sums)
        ends["corrected"].append(found.interval())
        alone = y[:human]
        error = alone.std(ddof=1) / human**0.5
        counts = (human, float(human), human)
        plain = Estimate(alone.mean(), error, *counts, bounded=True)
        ends["humans"].append(plain.interval())
    row = {"values": values, "judge": judge, "human": human, "judge_only": more}
    for name, each in ends.items():
        low, high = np.transpose(each)
        row[name] = np.mean((low <= truth) & (truth <= high))
        row[f"{name}_width"] = np.mean(high - low)
    return row


def as_table(stored):
    """Return the lowest coverage and the mean widths for each judge."""
    head = ["judge", *(f"{n} human lists" for n in NUMBERS)]
    lines = []
    for judge in (*JUDGES, "close"):
        cells = [judge if judge in JUDGES else f"{judge}: {RARE}"]
        for human in NUMBERS:
            found = [
                x for x in stored if (x["judge"], x["human"]) == (judge, human)
            ]
            widths = (
                np.mean([x[f"{kind}_width"] for x in found])
                for kind in ("corrected", "humans")
            )
            least = min(x["corrected"] for x in found)
            cells.append(in_cell(least, *widths))
        lines.append(cells)
    return table(head, lines)
