"""A metric on samples of a catalogue, corrected for it."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Literal

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate
from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.definition import Definition, checks_names
from keras_rankmetrics.engine.definition.options import check_choice
from keras_rankmetrics.engine.evaluation.evaluate import values_at_ranks
from keras_rankmetrics.engine.metric.accumulator import on_host
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.naming.signature import as_table
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.memo import Identity
from keras_rankmetrics.engine.sampled import (
    Mixture,
    Sampled,
    Sampling,
    bias_variance,
    buckets_of,
    fits,
)
from keras_rankmetrics.gains import PACKAGE
from keras_rankmetrics.metrics.bases import MultiValueMetric, check_mean
from keras_rankmetrics.types import Tensor

# From there on, more steps fit the noise of the sample.
_STEPS = 100

# With less, single lists are worth thousands, and the number is all noise.
_LEAST_GAMMA = 1e-4

# The values at so many ranks are looked up in memory, where there is no `k`.
_MOST_ITEMS = 10**8

_ESTIMATES = ("naive", "bv", "em")


@keras.saving.register_keras_serializable(package=PACKAGE)
class SampledRanks(MultiValueMetric):
    """A metric of lists that hold a sample of the items, estimated for all.

    Each list holds its one relevant item and `negatives` others, drawn from all
    others of the catalogue with the same chance. The value of a metric on such
    a list is not that on the whole catalogue, and not even the order of two
    models need be the same. So there are three numbers:

    - `"sampled_ndcg@10/naive"`: the mean of the values on the lists as they
      are, which others publish. It is no estimate of the metric.
    - `"sampled_ndcg@10/bv"`: an estimate of the metric on the whole catalogue,
      the mean of f^(r~) for the sampled rank r~ of each list. f^ makes

          Σ_r p(r) {(E[f^ | r] - f(r))² + gamma · Var[f^ | r]}

      smallest, where f(r) is the value at rank r of the whole catalogue, and
      p(r) the same for all of its ranks.
    - `"sampled_ndcg@10/em"`: another one, Σ_r p(r) f(r) for a p(r) that makes
      the sampled ranks likely, by 100 steps of expectation maximisation from
      the same for all ranks.

    Where the last two disagree, the sample does not tell. No estimate sees much
    of ranks above catalogue / negatives. Exact ranks need no estimate: rank all
    items for a sample of the users rather than a sample of the items for all
    users.

    `bv` is a mean over lists, and has a standard error: that of the lists and
    of the sampling, without its bias. `em` has none.

    The relevant item has the label 1; with a `relevance_threshold`, at least
    that. A list that counts and is not as described is an error where that is
    seen. In compiled programs it makes the results NaN. Where items tie, the
    list counts at each of the ranks that they share, in equal parts; with
    another `ties` of the metric it has one rank. A list counts by its weight.
    `per_list` gives the sampled rank of each list, the mean one where items
    tie, and 0 of a list that is not as described.

    Args:
        metric: a ranking metric whose value depends on the rank of the relevant
            item, where there is one. It is not updated itself.
        catalogue: how many items are ranked in truth, the relevant one among
            them.
        negatives: how many others each list holds. The relevant one is none of
            these: papers that count it have one more.
        replacement: whether an item may be drawn for a list more than once.
        sampling: `"uniform"`. There is no such estimate for items drawn by
            their popularity.
        gamma: how much the variance counts beside the bias, from 0.0001 to 1.
            With 1, f^(r~) is the mean of f over the ranks that r~ may come
            from.
        name: what names of results begin with; by default that of the metric
            behind `sampled_`.

    Raises:
        TypeError: if the metric is no mean over lists.
        ValueError: if it looks at more than the rank of a relevant item, or a
            number is none that it can be.

    Example:
        >>> from keras_rankmetrics import RecallAtK, SampledRanks
        >>> sampled = SampledRanks(RecallAtK(k=2), catalogue=10, negatives=4)
        >>> labels = [[1, 0, 0, 0, 0]] * 2
        >>> sampled.update_state(labels, [[5, 4, 3, 2, 1], [3, 5, 4, 2, 1]])
        >>> print(sampled)
                                 value       ±  lists
        sampled_recall@2/naive  0.5000  6.3531      2
        sampled_recall@2/bv     0.4302  7.9318      2
        sampled_recall@2/em     0.4800              2

    Krichene and Rendle, On Sampled Metrics for Item Recommendation, KDD (2020);
    Jin et al., On Estimating Recommendation Evaluation Metrics under Sampling,
    AAAI (2021).
    """

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        catalogue: int,
        negatives: int,
        replacement: bool = False,
        sampling: Literal["uniform"] = "uniform",
        gamma: float = 0.1,
        name: str | None = None,
    ) -> None:
        check_mean(metric)
        _check_is_of_ranks(metric)
        _check_sampling(sampling)
        self._sampling = _sampling_of(catalogue, negatives, replacement)
        self.gamma = _checked_gamma(gamma)
        self._of_metric = metric.definition
        super().__init__(
            metric,
            _of_sampled_rank(metric.definition, self._sampling.negatives),
            _aggregate_of(metric.definition, self._sampling, self.gamma),
            name or f"sampled_{metric.name}",
        )

    @property
    def catalogue(self) -> int:
        """How many items are ranked in truth."""
        return self._sampling.catalogue

    @property
    def negatives(self) -> int:
        """How many items a list holds besides the relevant one."""
        return self._sampling.negatives

    @property
    def replacement(self) -> bool:
        """Whether one of them may be drawn more than once."""
        return self._sampling.replacement

    @property
    def signature(self) -> str:
        """That of the metric, with how items are drawn."""
        parts = {**self._parameters(), "steps": _STEPS}
        return "|".join(
            [
                self._of_metric.signature,
                *(f"{name}:{value}" for name, value in parts.items()),
            ]
        )

    @property
    def results(self) -> list[str]:
        """The names of the numbers."""
        return [f"{self.name}/{estimate}" for estimate in _ESTIMATES]

    def estimates(self) -> dict[str, Estimate]:
        """The results that are means over lists, with their standard errors."""
        found = self.aggregate.estimates(on_host(self._seen()))
        return dict(zip(self.results, found, strict=False))

    def histogram(self) -> np.ndarray:
        """The weights of the lists at sampled rank 1, 2, ...

        As float64, `[negatives + 1]`.
        """
        return self.aggregate.histogram(on_host(self._seen()))

    def table(self, level: float = 0.95) -> str:
        """The results as a table, with confidence intervals."""
        estimates = self.estimates()
        return as_table(
            ("", "value", "±", "lists"),
            [
                (
                    name,
                    f"{float(value):.4f}",
                    f"{estimates[name].margin(level):.4f}"
                    if name in estimates
                    else "",
                    f"{estimates[self.results[0]].lists:,}",
                )
                for name, value in self.result().items()
            ],
        )

    def _own_config(self) -> dict[str, Any]:
        return {
            "metric": self._metric(),
            **self._parameters(),
            "name": self.name,
        }

    def _parameters(self) -> dict[str, Any]:
        return {**dataclasses.asdict(self._sampling), "gamma": self.gamma}


def sampled_rank(ranking: Ranking, k: int | None, negatives: int = 0) -> Tensor:
    """The mean rank of the relevant item, 0 of a list that does not fit."""
    start, size = ranking.place()
    middle = start + (size + 1.0) / 2.0
    return ops.where(fits(ranking, negatives), middle, 0)


def _of_sampled_rank(metric: Definition, negatives: int) -> Definition:
    """The same reading and relevance, and the rank in place of the value."""
    return dataclasses.replace(
        metric,
        metric=_by_relevance(Identity(metric.metric.relevance)),
        options={**metric.options, "negatives": negatives},
        adjusted=None,
    )


@functools.cache
def _by_relevance(relevance: Identity) -> type[RankingMetric]:
    """One class for each, so that equal metrics have equal definitions."""
    return type(
        "SampledRank",
        (RankingMetric,),
        {
            "measure": staticmethod(sampled_rank),
            "relevance": staticmethod(relevance.of),
            "needs_whole_lists": True,
            "__module__": __name__,
        },
    )


@functools.lru_cache(maxsize=32)
def _aggregate_of(
    metric: Definition, sampling: Sampling, gamma: float
) -> Sampled:
    """What sampled ranks are worth, found once for equal metrics."""
    start, stop = buckets_of(sampling, metric.depth)
    values = values_at_ranks(metric, start, stop, sampling.catalogue)
    chances = sampling.chances((start + 1 + stop) / 2)
    prior = (stop - start) / sampling.catalogue
    ranks = np.arange(sampling.negatives + 1)
    naive = values_at_ranks(metric, ranks, ranks + 1, len(ranks))
    corrected = bias_variance(chances, prior, values, gamma)
    return Sampled(
        np.stack([naive, corrected]), Mixture(chances, prior, values, _STEPS)
    )


def _check_is_of_ranks(metric: RankingMetric) -> None:
    """Raises where the rank of a relevant item does not tell the value."""
    kind, reason = type(metric), ""
    if kind.needs_labels:
        reason = f"{kind.__name__} needs {kind.needs_labels}"
    elif kind.of_catalogue is not None:
        reason = f"{kind.__name__} looks at which items a list shows"
    else:
        relevance = metric.definition.relevance
        labels = ops.array([relevance.unseen_label, 0.0])
        relevant, other = ops.convert_to_numpy(relevance(labels))
        if not relevant > 0 or other > 0:
            reason = (
                f"to {kind.__name__} with these options a relevant item is "
                f"worth {relevant:g}, and any other {other:g}"
            )
    if reason:
        raise ValueError(
            "`metric` should be one whose value depends on the rank of the "
            f"relevant item, such as `NDCG(k=10)`. Received: {metric!r}; "
            f"{reason}."
        )


def _check_sampling(sampling: Any) -> None:
    if sampling == "popularity":
        raise ValueError(
            '`sampling` should be "uniform". Received: "popularity". How the '
            "rank among popular items relates to that among all items depends "
            "on the model, so that no formula corrects for it. Draw negatives "
            "with the same chance, or rank all items."
        )
    check_choice("sampling", sampling, ("uniform",))


def _sampling_of(catalogue: Any, negatives: Any, replacement: Any) -> Sampling:
    items, drawn = as_integer(catalogue), as_integer(negatives)
    if items is None or not 2 <= items <= _MOST_ITEMS:
        raise ValueError(
            "`catalogue` should be how many items there are, an integer of at "
            f"least 2 and at most {_MOST_ITEMS:,}. Received: {catalogue!r}."
        )
    if not isinstance(replacement, bool | np.bool_):
        raise TypeError(
            f"`replacement` should be True or False. Received: {replacement!r}."
        )
    if drawn is None or drawn < 1:
        raise ValueError(
            "`negatives` should be how many items each list holds besides the "
            f"relevant one, an integer of at least 1. Received: {negatives!r}."
        )
    if drawn >= items and not replacement:
        raise ValueError(
            "`negatives` should be below `catalogue`, of which the relevant "
            f"item is one, or `replacement` True. Received: {drawn} negatives "
            f"of a catalogue of {items}."
        )
    return Sampling(items, drawn, bool(replacement))


def _checked_gamma(gamma: Any) -> float:
    is_number = isinstance(gamma, int | float | np.number)
    if (
        not is_number
        or isinstance(gamma, bool)
        or not _LEAST_GAMMA <= gamma <= 1.0
    ):
        raise ValueError(
            f"`gamma` should be a number from {_LEAST_GAMMA} to 1. Received: "
            f"{gamma!r}. With 0 the estimate has the smallest bias, and a "
            "variance without bounds."
        )
    return float(gamma)
