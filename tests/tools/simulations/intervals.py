"""Coverage of the 95% interval of a mean, by the default and by other methods.

Each cell draws samples of lists with a known mean, and counts how often each
interval contains it. "default" is `Estimate.interval`. The others are Student's
t, and three intervals for a share of hits at the effective number of lists k =
m (1 - m) / SE²: Wilson's with the quantile of t, the logit interval, and
Clopper-Pearson without the factor (z / t)² of the default.
"""

import functools

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean
from keras_rankmetrics.engine.aggregates.distributions import t_quantile
from keras_rankmetrics.engine.backend.operations import ops
from tests.tools.benchmarks.markdown import table

SAMPLES, LEVEL = 20_000, 0.95
NUMBERS = (10, 20, 50, 200)


def discrete(values, shares):
    def draw(rng, shape):
        return rng.choice(values, shape, p=shares)

    return draw, float(np.dot(values, shares))


def reciprocal(ranks):
    """Return 1 / rank for ranks that are equally likely."""
    return discrete(1 / np.arange(1.0, ranks + 1), np.full(ranks, 1 / ranks))


# Rare lists have other values. Most samples lack some, so the interval fails.
HEAVY = {
    "1/rank, ranks 1 to 100": reciprocal(100),
    "1/rank, ranks 1 to 1,000": reciprocal(1000),
    "NDCG, ranks 1 to 1,000": discrete(
        1 / np.log2(np.arange(2.0, 1002)), np.full(1000, 1e-3)
    ),
    ".9 ± .03, but 2% are 0": (
        lambda rng, shape: np.where(
            rng.random(shape) < 0.02, 0.0, rng.normal(0.9, 0.03, shape)
        ),
        0.98 * 0.9,
    ),
}

# The values of lists by name, with their mean.
VALUES = {
    "0 or 1, mean .95": discrete([0, 1], [0.05, 0.95]),
    "0 or 1, mean .99": discrete([0, 1], [0.01, 0.99]),
    "0 or 1, mean .02": discrete([0, 1], [0.98, 0.02]),
    "0 or 1, mean .5": discrete([0, 1], [0.5, 0.5]),
    "1/rank, mostly 1": discrete(
        [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5, 0], [0.8, 0.1, 0.04, 0.03, 0.02, 0.01]
    ),
    "mostly 0, some .2, .5, 1": discrete(
        [0, 0.2, 0.5, 1], [0.9, 0.04, 0.03, 0.03]
    ),
    "Beta(8, 1), mean .89": (lambda rng, shape: rng.beta(8, 1, shape), 8 / 9),
}
# Of these, the interval is too short below 50 lists.
SKEWED = {
    "1/rank, ranks 1 to 10": reciprocal(10),
    "a tenth Beta(2, 4), others Beta(20, 4)": (
        lambda rng, shape: np.where(
            rng.random(shape) < 0.1,
            rng.beta(2, 4, shape),
            rng.beta(20, 4, shape),
        ),
        0.1 * 2 / 6 + 0.9 * 20 / 24,
    ),
    "15% zeros, others Beta(20, 4)": (
        lambda rng, shape: np.where(
            rng.random(shape) < 0.15, 0.0, rng.beta(20, 4, shape)
        ),
        0.85 * 20 / 24,
    ),
}
VALUES |= SKEWED


def weighted(values, rng, deviation=0.7):
    """Lists of unequal weight."""
    weights = rng.lognormal(0.0, deviation, values.shape)
    return values, weights, np.ones(values.shape, bool), None


def very_unequal(values, rng):
    """Lists of very unequal weight, log-normal with σ = 1."""
    return weighted(values, rng, 1.0)


def clustered(values, rng):
    """Rows of three lists that are alike: 50 rows."""
    is_same = rng.random((*values.shape, 3)) < 0.8
    other = rng.permuted(np.repeat(values, 3, axis=1), axis=1)
    own = np.repeat(values, 3, axis=1)
    flat = np.where(is_same.reshape(own.shape), own, other)
    shape = (values.shape[1], 3)
    return flat, np.ones(flat.shape), np.ones(flat.shape, bool), shape


def sessions(values, rng):
    """Rows of 1 to 64 lists that are alike, log-normal with σ = 1.5."""
    number = np.ceil(3 * rng.lognormal(0.0, 1.5, values.shape)).clip(1, 64)
    own = np.repeat(values, 64, axis=1)
    place = np.tile(np.arange(64), values.shape)
    valid = place < np.repeat(number, 64, axis=1)
    shape = (values.shape[1], 64)
    return own, np.ones(own.shape), np.ones(own.shape, bool), shape, valid


def some_without_weight(values, rng):
    """A third of the lists takes the mean weight of the others."""
    weights = rng.lognormal(0.0, 0.7, values.shape)
    return values, weights, rng.random(values.shape) < 2 / 3, None


def estimates_of(values, weights, has_own, shape, valid=None):
    """Return the estimate of each sample by the sums of the package."""
    aggregate = WeightedMean()
    found = []
    valid = np.ones(values.shape, bool) if valid is None else valid
    samples = zip(values, weights, has_own, valid, strict=True)
    for value, weight, own, counts in samples:
        per_list = PerList(
            ops.convert_to_tensor(value[None], "float32"),
            ops.convert_to_tensor(weight[None], "float32"),
            ops.convert_to_tensor(own[None]),
            ops.convert_to_tensor(counts[None]),
            shape,
        )
        sums = ops.convert_to_numpy(aggregate.of_batch(per_list))[0]
        found.append(Estimate.of_sums(sums.astype("float64")))
    return found


@functools.lru_cache(maxsize=2**16)
def default(value, error, skewness, lists):
    counts = lists, float(lists), lists
    estimate = Estimate(value, error, *counts, True, skewness=skewness)
    return estimate.interval(LEVEL)


def ends_of(values):
    """Return the mean, error and ends of the default for each sample."""
    lists, means = values.shape[1], values.mean(axis=1)
    errors = values.std(axis=1, ddof=1) / lists**0.5
    errors[errors < 1e-12] = 0.0
    third = ((values - means[:, None]) ** 3).mean(axis=1)
    cubes = values.std(axis=1) ** 3
    skewness = third / np.where(errors > 0, cubes, np.inf)
    numbers = (x.round(12) for x in (means, errors, skewness))
    ends = [default(*x, lists) for x in zip(*numbers, strict=True)]
    return means, errors, np.array(ends).T


def others(mean, error, lists):
    """Return the ends of the intervals by other methods, for arrays."""
    from scipy import stats  # the tests of the README have none

    t = stats.t.ppf(0.5 + LEVEL / 2, lists - 1)
    positive = np.where(error > 0, error, 1.0)
    k = np.where(error > 0, mean * (1 - mean) / positive**2, lists)
    centre = (mean + t**2 / (2 * k)) / (1 + t**2 / k)
    half = np.sqrt(mean * (1 - mean) / k + t**2 / (4 * k**2))
    half *= t / (1 + t**2 / k)
    hits, misses = k * mean, k * (1 - mean)
    tail = (1 - LEVEL) / 2
    inside = np.clip(mean, 1e-9, 1 - 1e-9)
    slope = t * error / (inside * (1 - inside))
    logit = np.log(inside / (1 - inside))
    least = np.maximum([hits, misses], 1e-12)
    return {
        "t": (mean - t * error, mean + t * error),
        "wilson": (centre - half, centre + half),
        "logit": (
            1 / (1 + np.exp(slope - logit)),
            1 / (1 + np.exp(-slope - logit)),
        ),
        "clopper_pearson": (
            np.where(hits > 0, stats.beta.ppf(tail, least[0], misses + 1), 0),
            np.where(
                misses > 0, stats.beta.ppf(1 - tail, hits + 1, least[1]), 1
            ),
        ),
    }


def as_table(stored):
    """Return the stored rows as the table of the docs."""
    methods = {
        "t": "t",
        "wilson": "Wilson",
        "logit": "logit",
        "clopper_pearson": "Clopper-Pearson",
        "default": "default",
    }
    lines = [
        [
            each["values"],
            f"{each['lists']}",
            *(
                in_cell(each[m], each[f"{m}_width"]) if m in each else ""
                for m in methods
            ),
        ]
        for each in stored
    ]
    return table(["values", "lists", *methods.values()], lines)


def in_cell(*numbers):
    """Return numbers of at most 1 in a cell, without a leading 0."""
    return " / ".join(f"{x:.3f}".removeprefix("0") for x in numbers)


def by_kind(stored, head, name, kinds, *shares):
    """Return a table of some shares, with a row for each kind.

    Args:
        stored: the rows; those without the first share are left out.
        head: the header.
        name: the key of the kind.
        kinds: the kinds.
        shares: the keys of the shares, of which some rows lack the last.
    """
    rows = [row for row in stored if shares[0] in row]
    lines = (
        [
            kind,
            *(
                in_cell(*(row[x] for x in shares if x in row))
                for row in rows
                if row.get(name) == kind
            ),
        ]
        for kind in kinds
    )
    return table(head, lines)


def covered(ends, mean):
    low, high = ends
    return np.mean((low <= mean + 1e-6) & (high >= mean - 1e-6))


def rows(runs=None):
    """Return coverage and mean width of each method in each cell."""
    samples, rng, found = runs or SAMPLES, np.random.default_rng(6), []
    for name, (draw, mean) in VALUES.items():
        for lists in NUMBERS:
            means, errors, ends = ends_of(draw(rng, (samples, lists)))
            methods = {"default": ends, **others(means, errors, lists)}
            found.append(row(name, lists, methods, mean))
    for name, (draw, mean) in HEAVY.items():
        for lists in (*NUMBERS, 1000):
            values = draw(rng, (samples // 10, lists))
            _, _, ends = ends_of(values)
            found.append(row(name, lists, {"default": ends}, mean))
    changes = (
        *(weighted, very_unequal, clustered, sessions),
        some_without_weight,
    )
    cases = [("0 or 1, mean .95", change) for change in changes]
    cases += [("mostly 0, some .2, .5, 1", very_unequal)]
    for name, change in cases:
        draw, mean = VALUES[name]
        values = draw(rng, (samples // 10, 50))
        estimates = estimates_of(*change(values, rng))
        ends = np.array([e.interval(LEVEL) for e in estimates]).T
        t = t_quantile(0.5 + LEVEL / 2, 49)
        means = np.array([e.value for e in estimates])
        margins = t * np.array([e.standard_error for e in estimates])
        methods = {"default": ends, "t": (means - margins, means + margins)}
        case = change.__doc__.rstrip(".").lower()
        found.append(row(f"{name}: {case}", 50, methods, mean))
    return found


def row(values, lists, methods, mean):
    numbers = {"values": values, "lists": lists}
    for method, ends in methods.items():
        numbers[method] = covered(ends, mean)
        numbers[f"{method}_width"] = np.mean(ends[1] - ends[0])
    return numbers
