"""Coverage of intervals from few human labels and many of a biased judge."""

import numpy as np

from keras_rankmetrics.metrics.judge_corrected import (
    JudgeCorrectedEstimate,
    sums_of,
)

RUNS, HUMAN, JUDGE_ONLY = 4000, 100, 2000


def drawn(rng, lists):
    """Values of lists in [0, 1] by humans, and by a judge that is too kind."""
    quality = rng.normal(0.3, 1.0, lists)
    human = 1 / (1 + np.exp(-(quality + rng.normal(0, 0.4, lists)) * 2))
    judge = 1 / (1 + np.exp(-(quality + 0.5 + rng.normal(0, 0.5, lists)) * 2))
    return human, judge


def rows(runs=None):
    """How often each interval contains the mean by human labels, and its width.

    Args:
        runs: the number of simulated evaluations; None for all.
    """
    rng = np.random.default_rng(26)
    truth = drawn(rng, 4_000_000)[0].mean()
    has_judge = np.full(HUMAN + JUDGE_ONLY, True)
    has_human = np.arange(HUMAN + JUDGE_ONLY) < HUMAN
    found = {"corrected": [], "humans only": [], "judge only": []}
    correlations = []
    for _ in range(runs or RUNS):
        y, f = drawn(rng, HUMAN + JUDGE_ONLY)
        correlations.append(np.corrcoef(y, f)[0, 1])
        sums = sums_of(y, has_human, f, has_judge)
        for name, weight in (("corrected", None), ("humans only", 0.0)):
            estimate = JudgeCorrectedEstimate.of_sums(sums, weight=weight)
            found[name].append(estimate.interval())
        margin = 1.96 * f.std() / np.sqrt(len(f))
        found["judge only"].append((f.mean() - margin, f.mean() + margin))
    made = []
    for name, each in found.items():
        low, high = np.transpose(each)
        coverage = np.mean((low <= truth) & (truth <= high))
        made.append(
            {
                "interval": name,
                "human labels": HUMAN,
                "judge's labels alone": JUDGE_ONLY,
                "correlation": round(float(np.mean(correlations)), 3),
                "coverage": round(float(coverage), 4),
                "width": round(float(np.mean(high - low)), 4),
            }
        )
    return made
