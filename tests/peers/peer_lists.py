"""The lists that packages are compared on, and how their values are."""

import dataclasses
import functools

import numpy as np
from in_forms import values
from pytest import approx

from keras_rankmetrics import Count

LISTS, ITEMS = 2_000, 24
CUTOFFS = (1, 3, 10, 40, None)
EXACT, SINGLE = 1e-6, 1e-5  # for peers that compute in double, in single


@dataclasses.dataclass(frozen=True)
class Data:
    """Lists of unequal lengths: labels below 0 are padding."""

    labels: np.ndarray
    scores: np.ndarray

    def lists(self):
        """The labels and the scores of each list, without padding."""
        for labels, scores in zip(self.labels, self.scores, strict=True):
            there = labels >= 0
            yield labels[there], scores[there]

    @property
    def binary(self):
        """Whether there are relevant items or not, and no grades."""
        return dataclasses.replace(self, labels=np.minimum(self.labels, 1))

    def where(self, kept):
        """Without some of the lists, and others in their place."""
        index = np.resize(np.flatnonzero(kept), LISTS)
        return Data(self.labels[index], self.scores[index])


@functools.cache
def lists():
    """Scores above 0 that do not tie, and -inf for what is not retrieved."""
    rng = np.random.default_rng(17)
    labels = rng.integers(0, 5, (LISTS, ITEMS)) * (
        rng.random((LISTS, ITEMS)) < rng.random((LISTS, 1))
    )
    labels[:100], labels[100:200] = 0, rng.integers(1, 5, (100, ITEMS))
    lengths = rng.integers(1, ITEMS + 1, (LISTS, 1))
    lengths[200:300] = 1
    labels[np.arange(ITEMS) >= lengths] = -1
    scores = rng.permuted(
        np.tile(np.arange(1.0, 1 + ITEMS), (LISTS, 1)), axis=1
    )
    return Data(labels.astype("float32"), scores.astype("float32"))


@functools.cache
def cut_off_lists():
    """The same, where some items, or all, are not retrieved."""
    data = lists()
    rng = np.random.default_rng(18)
    scores = data.scores.copy()
    scores[rng.random(scores.shape) < rng.random((LISTS, 1))] = -np.inf
    scores[300:400] = -np.inf
    return Data(data.labels, scores)


@functools.cache
def tied_lists():
    """The same as the first, where some scores tie."""
    data = lists()
    return Data(data.labels, np.ceil(data.scores / 4))


def compare(metric, data, theirs, tolerance=EXACT):
    """Asserts that the values of all lists agree, and prints how closely."""
    ours = values(metric, data.labels, data.scores)
    theirs = np.asarray(theirs, "float64")
    assert ours.shape == theirs.shape == (LISTS,)
    np.testing.assert_array_equal(np.isnan(ours), np.isnan(theirs))
    add_up = np.nansum if isinstance(metric, Count) else np.nanmean
    result = float(metric(data.labels, data.scores))
    assert result == approx(add_up(theirs), rel=1e-5)
    there = ~np.isnan(theirs)
    gap = np.abs(ours - theirs) / np.maximum(1, np.abs(theirs))
    gap = np.where(there, gap, 0.0)
    worst = int(np.argmax(gap))
    print(f"{metric.signature}: {gap[worst]:.1e}")
    assert gap[worst] <= tolerance, (
        f"{metric.signature}, list {worst}: {ours[worst]}, theirs "
        f"{theirs[worst]}, labels {data.labels[worst]}, scores "
        f"{data.scores[worst]}"
    )


def as_documents(data, first="d000"):
    """Labels and scores by the names of queries and documents.

    The first item has the name `first`, and the names of the others go up from
    there, or down to 0.
    """
    start = int(first[1:])
    step = 1 if start == 0 else -1
    qrels, run = {}, {}
    for query, (labels, scores) in enumerate(data.lists()):
        names = [f"d{start + step * item:03}" for item in range(len(labels))]
        qrels[f"{query:05}"] = dict(zip(names, map(int, labels), strict=True))
        run[f"{query:05}"] = {
            name: float(score)
            for name, score in zip(names, scores, strict=True)
            if score > -np.inf
        }
    return qrels, run


def by_query(found):
    """Values by the names of queries; one that is not there has no value."""
    return [found.get(f"{query:05}", 0.0) for query in range(LISTS)]
