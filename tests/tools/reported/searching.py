"""Search engines: their formulas in Python, as they need a server to run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from tests.tools.reported.draws import Data
from tests.tools.reported.established import CUTOFFS
from tests.tools.reported.tool import Tool

# The ratings of a query, and its hits up to the cutoff, the best one first.
_Ratings = Mapping[str, int]
_Hits = Sequence[str]
_Of_Query = Callable[[_Ratings, _Hits], float]


def _dcg(ratings: Iterable[int | None]) -> float:
    return sum(
        (2.0**rating - 1) / math.log2(rank + 1)
        for rank, rating in enumerate(ratings, start=1)
        if rating is not None
    )


def rank_eval_precision(
    ratings: _Ratings, hits: _Hits, threshold: int = 1
) -> float:
    """Return precision by the formula of `PrecisionAtK.evaluate`."""
    good = sum(ratings.get(hit, -1) >= threshold for hit in hits)
    return good / len(hits) if hits else 0.0


def rank_eval_recall(
    ratings: _Ratings, hits: _Hits, threshold: int = 1
) -> float:
    """Return recall by the formula of `RecallAtK.evaluate`."""
    relevant = sum(rating >= threshold for rating in ratings.values())
    good = sum(ratings.get(hit, -1) >= threshold for hit in hits)
    return good / relevant if relevant else 0.0


def rank_eval_reciprocal_rank(
    ratings: _Ratings, hits: _Hits, threshold: int = 1
) -> float:
    """Return 1 / rank by the formula of `MeanReciprocalRank.evaluate`."""
    for rank, hit in enumerate(hits, start=1):
        if ratings.get(hit, -1) >= threshold:
            return 1 / rank
    return 0.0


def rank_eval_dcg(
    ratings: _Ratings, hits: _Hits, normalize: bool = False
) -> float:
    """Return DCG by the formula of `DiscountedCumulativeGain.evaluate`.

    The ideal order is that of all rated items, cut off at the number of hits.
    """
    found = _dcg([ratings.get(hit) for hit in hits])
    if not normalize:
        return found
    ideal = _dcg(sorted(ratings.values(), reverse=True)[: len(hits)])
    return found / ideal if ideal else 0.0


def rank_eval_err(
    ratings: _Ratings, hits: _Hits, maximum_relevance: int
) -> float:
    """Return ERR by the formula of `ExpectedReciprocalRank.evaluate`."""
    reach, found = 1.0, 0.0
    for rank, hit in enumerate(hits, start=1):
        stop = (2.0 ** ratings.get(hit, 0) - 1) / 2.0**maximum_relevance
        found += reach * stop / rank
        reach *= 1 - stop
    return found


def _rank_eval(
    data: Data, measures: Mapping[str, _Of_Query]
) -> dict[str, float]:
    """Return the means over all rated queries by the formula of `combine`.

    Without a cutoff, k is 10.
    """
    found = {}
    for name, of_query in measures.items():
        for at, k in (("", 10), *((f"@{k}", k) for k in CUTOFFS)):
            values = [
                of_query(ratings, data.best_first(query)[:k])
                for query, ratings in data.truth.items()
            ]
            found[name + at] = sum(values) / len(values)
    return found


def _elasticsearch(data: Data) -> Mapping[str, float]:
    """Return all but normalised DCG."""
    at_least = "relevant_rating_threshold=2"
    return _rank_eval(
        data,
        {
            "precision": rank_eval_precision,
            f"precision({at_least})": lambda *x: rank_eval_precision(*x, 2),
            "recall": rank_eval_recall,
            f"recall({at_least})": lambda *x: rank_eval_recall(*x, 2),
            "mean_reciprocal_rank": rank_eval_reciprocal_rank,
            f"mean_reciprocal_rank({at_least})": (
                lambda *x: rank_eval_reciprocal_rank(*x, 2)
            ),
            "dcg": rank_eval_dcg,
            "expected_reciprocal_rank(maximum_relevance=4)": (
                lambda *x: rank_eval_err(*x, 4)
            ),
        },
    )


def _elasticsearch_of_whole_lists(data: Data) -> Mapping[str, float]:
    """Return normalised DCG; a short list has a short ideal order there."""
    return _rank_eval(data, {"ndcg": lambda *x: rank_eval_dcg(*x, True)})


def workbench_threshold(ratings: _Ratings) -> float:
    """Return T = max(Jmax / 2, P90), as `JudgmentThresholdCalculator` does."""
    ordered = sorted(ratings.values())
    if not ordered or not ordered[-1]:
        return 0.0
    of_rank = ordered[math.ceil(0.9 * len(ordered)) - 1]
    return max(ordered[-1] / 2, of_rank)


def workbench_values(
    ratings: _Ratings, hits: _Hits, k: int
) -> dict[str, float]:
    """Return the metrics of a query by the formulas of `Evaluation`."""
    least = workbench_threshold(ratings)
    relevant = {x for x, rating in ratings.items() if rating >= least > 0}
    shown = hits[:k]
    good = np.array([hit in relevant for hit in shown])
    ranks = np.arange(1, len(shown) + 1)
    precisions = np.cumsum(good) / ranks
    total = max(len(relevant), 1)
    ideal = _dcg(sorted(ratings.values(), reverse=True)[:k])
    found = _dcg([ratings.get(hit) for hit in shown])
    values = {
        f"Coverage@{k}": np.mean([hit in ratings for hit in shown]),
        f"Precision@{k}": good.mean(),
        f"MAP@{k}": (precisions * good).sum() / total,
        f"NDCG@{k}": found / ideal if ideal else 0.0,
        f"Recall@{k}": good.sum() / total,
        f"DCG@{k}": found,
        f"MRR@{k}": (good / ranks).max(),
    }
    return {
        name: math.floor(float(value) * 100 + 0.5) / 100
        for name, value in values.items()
    }


def _workbench(data: Data) -> dict[str, float]:
    """Return the means that the dashboard shows, before it rounds these.

    Values of a query have two digits. Queries without hits have no values.
    """
    found: dict[str, list[float]] = {}
    for query in data.run:
        for k in CUTOFFS:
            values = workbench_values(
                data.truth[query], data.best_first(query), k
            )
            for name, value in values.items():
                found.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def _workbench_of_grades(data: Data) -> Mapping[str, float]:
    """Return those that take grades for gains, and coverage."""
    names = "NDCG", "DCG", "Coverage"
    return {
        name: value
        for name, value in _workbench(data).items()
        if name.startswith(names)
    }


TOOLS = [
    Tool(
        "elasticsearch",
        "",
        "retrieved",
        4,
        _elasticsearch,
        are_tied=False,
    ),
    Tool(
        "elasticsearch",
        "",
        "lists",
        4,
        _elasticsearch_of_whole_lists,
        are_tied=False,
    ),
    Tool(
        "search_relevance",
        "",
        "retrieved",
        4,
        _workbench_of_grades,
        are_tied=False,
        tolerance=1e-6,
    ),
]
