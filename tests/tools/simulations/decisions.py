"""Verdicts and marks with few losses, noise, weights and sessions.

"Passes" is the share of gates that pass a system whose true loss exceeds the
tolerance by a hair, or that is as far from the baseline as `equivalent` allows:
at most 2.5%. "Marked" is the share of systems with a mark that are as good as
the baseline: about 5%. "Covered" is that of intervals with the true difference.
"""

import numpy as np

from keras_rankmetrics import Verdict
from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.aggregates.paired import Statistic, means
from tests.tools.benchmarks.markdown import table
from tests.tools.simulations.intervals import by_kind, in_cell

RUNS, LISTS = 2000, 400
EXPECTED, NOISE = (4, 6, 10), (0.0, 0.02, 0.1)
STATISTIC = Statistic("m", "m", more_is_better=True, bounded=True)


def zipf(rng, lists):
    return 1.0 / rng.permutation(np.arange(1.0, lists + 1.0))


# The weights of lists by name, and of those that lose, as a multiple.
WEIGHTS = {
    "no weights": (lambda rng, lists: np.ones(lists), 1.0),
    "log-normal weights, σ = .7": (
        lambda rng, lists: rng.lognormal(0.0, 0.7, lists),
        1.0,
    ),
    "twice the weight for lists that lose": (
        lambda rng, lists: np.ones(lists),
        2.0,
    ),
    "the same times log-normal, σ = .4": (
        lambda rng, lists: rng.lognormal(0.0, 0.4, lists),
        2.0,
    ),
}
SESSIONS = "200 users, log-normal sessions, σ = 1"
MARKED = {
    "no weights": WEIGHTS["no weights"][0],
    "log-normal weights, σ = 1": lambda rng, lists: rng.lognormal(0, 1, lists),
    "Zipf weights": zipf,
}
FEW, MANY = (10, 20, 50, 400), (200, 1000)  # lists of marks, of equivalence
MARGIN = 0.02
# The differences of lists whose mean is the margin.
SAME = {
    "like NDCG, none ties": lambda rng, n: rng.normal(-MARGIN, 0.1, n),
    "like NDCG, 40% tie": lambda rng, n: np.where(
        rng.random(n) < 0.4, 0.0, rng.normal(-MARGIN / 0.6, 0.2, n)
    ),
    "2% lose 1, others ± .02": lambda rng, n: np.where(
        rng.random(n) < MARGIN, -1.0, rng.normal(0.0, 0.02, n)
    ),
    "2% win 1": lambda rng, n: 1.0 * (rng.random(n) < MARGIN),
}


def difference_of(values, weights=None, users=None):
    """Return the `Difference` of lists; those of a user are dependent.

    Args:
        values: the difference of each list.
        weights: the weight of each list; None for 1.
        users: the user of each list, ascending; None if lists are independent.
    """
    valid, rows = np.ones(len(values), bool), None
    weights = np.ones(len(values)) if weights is None else weights
    if users is not None:
        number = np.bincount(users)
        place = np.arange(len(users)) - (np.cumsum(number) - number)[users]
        rows = len(number), number.max()
        places = users * rows[1] + place
        valid = np.zeros(rows[0] * rows[1], bool)
        valid[places] = True
        values, weights = (
            np.bincount(places, x, len(valid)) for x in (values, weights)
        )
    both, ones = np.stack([0.0 * values, values]), np.ones((2, 1))
    x = PerList(both, ones * weights, both == both, ones * valid > 0, rows)
    _, [found], _ = means(STATISTIC, ["old", "new"], x)
    return found


def losses(rng, lists, share, noise):
    """Draw differences of which a share loses 1, among noise."""
    return np.where(
        rng.random(lists) < share, -1.0, rng.normal(0.0, noise, lists)
    )


def sessions(rng, share, noise):
    """Draw the sessions of users, which are mostly alike."""
    number = np.ceil(3.0 * rng.lognormal(0.0, 1.0, 200)).astype(int)
    users = np.repeat(np.arange(200), number)
    alike = losses(rng, 200, share, noise)[users]
    own = losses(rng, len(users), share, noise)
    return np.where(rng.random(len(users)) < 0.9, alike, own), users


def row_of_gates(kind, expected, noise, runs):
    """Return a row of gates with so many expected losses among the lists."""
    rng, passes, covered = np.random.default_rng([59, expected]), 0, 0
    lists = 200 if kind == SESSIONS else LISTS
    share, factor = expected / lists, 1.0
    draw = None
    if kind != SESSIONS:
        draw, factor = WEIGHTS[kind]
    mean = -factor * share / (1.0 + (factor - 1.0) * share)
    for _ in range(runs):
        if draw is None:
            values, users = sessions(rng, share, noise)
            found = difference_of(values, users=users)
        else:
            values = losses(rng, lists, share, noise)
            weights = draw(rng, lists) * np.where(values == -1.0, factor, 1.0)
            found = difference_of(values, weights)
        low, high = found.interval()
        covered += low <= mean <= high
        passes += Verdict("m", found, -mean - 1e-6).outcome == "pass"
    names = {"gates": kind, "expected": expected, "noise": noise}
    return {**names, "covered": covered / runs, "passes": passes / runs}


def row_of_marks(kind, lists, runs):
    """Return how many systems as good as the baseline have a mark."""
    rng, marked, by_t = np.random.default_rng([60, lists]), 0, 0
    for _ in range(runs):
        found = difference_of(
            rng.normal(0.0, 0.1, lists), MARKED[kind](rng, lists)
        )
        marked += found.alpha < 0.05
        by_t += found.p < 0.05
    names = {"marks": kind, "lists": lists}
    return {**names, "marked": marked / runs, "by_t": by_t / runs}


def row_of_same(kind, lists, runs):
    """Return how many systems at the margin are called the same."""
    rng, passes = np.random.default_rng([61, lists]), 0
    for _ in range(runs):
        values = SAME[kind](rng, lists)
        found = difference_of(values)
        verdict = Verdict("m", found, MARGIN - 1e-6, equivalent=True)
        passes += verdict.outcome == "pass"
    return {"same": kind, "lists": lists, "passes": passes / runs}


def rows(runs=None):
    """Return the rows of gates, of marks and of equivalence.

    Args:
        runs: the number of samples of each row; None for all.
    """
    runs = runs or RUNS
    return [
        *(
            row_of_gates(kind, expected, noise, runs)
            for kind in (*WEIGHTS, SESSIONS)
            for expected in EXPECTED
            for noise in NOISE
        ),
        *(row_of_marks(kind, lists, runs) for kind in MARKED for lists in FEW),
        *(row_of_same(kind, lists, runs) for kind in SAME for lists in MANY),
    ]


def as_table(stored):
    """Return the gates as the table of the docs, by expected losses."""
    head = ["400 lists", *(f"{n} expected to lose 1" for n in EXPECTED)]
    lines = [
        [
            f"{kind}, noise {noise:g}",
            *(
                in_cell(row["covered"], row["passes"])
                for row in stored
                if (row.get("gates"), row.get("noise")) == (kind, noise)
            ),
        ]
        for kind in (*WEIGHTS, SESSIONS)
        for noise in NOISE
    ]
    return table(head, lines)


def as_table_of_marks(stored):
    """Return the shares with a mark, and with a significant t, as a table."""
    head = ["a mark / p < .05", *(f"{n} lists" for n in FEW)]
    return by_kind(stored, head, "marks", MARKED, "marked", "by_t")


def as_table_of_same(stored):
    """Return the shares that are called the same, as a table."""
    head = ["differences of lists", *(f"{n:,} lists" for n in MANY)]
    return by_kind(stored, head, "same", SAME, "passes")
