"""Metrics on sampled items, corrected for the sampling."""

from __future__ import annotations

import dataclasses
import functools
from typing import Any, Literal

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate
from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.definition import Definition, checks_names
from keras_rankmetrics.engine.definition.options import (
    check_choice,
    checked_options,
)
from keras_rankmetrics.engine.evaluation.evaluate import values_at_ranks
from keras_rankmetrics.engine.metric.accumulator import on_host
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.sampling import (
    Mixture,
    Sampled,
    Sampling,
    bias_variance,
    buckets_of,
    fits,
)
from keras_rankmetrics.metrics.bases import (
    MultiValueMetric,
    check_mean,
    register,
)
from keras_rankmetrics.types import Tensor

__all__ = ["SampledRanks"]

# Steps of expectation maximisation. Further ones fit the noise of the sample.
_STEPS = 100

# Without `k`, the values at all ranks are held in memory.
_MOST_ITEMS = 10**8


@register
class SampledRanks(MultiValueMetric):
    """A metric on lists of sampled items, estimated for the whole catalogue.

    Each list holds its one relevant item and `negatives` others, drawn from all
    other items of the catalogue with equal probability. The value of a metric
    on such lists differs from its value on the whole catalogue, and may even
    order two models differently. So there are three results:

    - `"sampled_ndcg@10/naive"`: the mean of the values on the lists as they
      are, which papers often publish. It is no estimate of the metric.
    - `"sampled_ndcg@10/bv"`: an estimate of the metric on the whole catalogue,
      the mean of f^(r~) for the sampled rank r~ of each list. f^ minimises

          Σ_r p(r) {(E[f^ | r] - f(r))² + gamma · Var[f^ | r]}

      where f(r) is the value at rank r of the whole catalogue, and p(r) is
      equal for all ranks.
    - `"sampled_ndcg@10/em"`: another estimate, Σ_r p(r) f(r), where p(r) makes
      the sampled ranks likely: 100 steps of expectation maximisation, starting
      from equal p(r).

    If the last two disagree, the sample cannot decide. No estimate resolves
    ranks better than catalogue / negatives. Exact ranks need no estimate: rank
    all items for a sample of the users rather than a sample of the items for
    all users.

    `bv` is a mean over lists and has a standard error, which covers lists and
    sampling but not its bias. `em` has none.

    The relevant item has the label 1, or at least the `relevance_threshold`. A
    valid list of any other composition is an error where the check is possible.
    In compiled programs it makes the results NaN. If items tie, a list is
    counted at each of the ranks they share, in equal parts; with other `ties`
    of the metric it has one rank. Lists count by their weights. `per_list`
    returns the sampled rank of each list, the mean one if items tie, and 0 for
    a list of another composition.

    Args:
        metric: a ranking metric whose value depends only on the rank of the one
            relevant item. It is not updated itself.
        catalogue: the number of items in the catalogue, including the relevant
            one.
        negatives: the number of items that each list holds besides the relevant
            one. Papers that count the relevant one have one more.
        replacement: whether an item may be drawn more than once for a list.
        sampling: `"uniform"`. Items drawn by their popularity allow no such
            estimate.
        gamma: the weight of the variance relative to the bias, from 0.0001 to
            1. With 1, f^(r~) is the mean of f over the ranks that r~ may stand
            for.
        name: the prefix of the result names; by default `sampled_` and the
            metric's name.

    Raises:
        TypeError: if the metric is not a mean over lists.
        ValueError: if the metric depends on more than the rank of a relevant
            item, or if a number is out of range.

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

    _parameters = ("catalogue", "negatives", "replacement", "gamma")

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
        if sampling != "uniform":
            raise ValueError(
                f'`sampling` should be "uniform". Received: {sampling!r}. The '
                "relation between ranks among other samples, such as popular "
                "items, and among all items depends on the model, so no "
                "formula can correct for it. Draw negatives uniformly, or rank "
                "all items."
            )
        sample = _sampling_of(catalogue, negatives, replacement)
        gamma = checked_options(bias_variance, {"gamma": gamma})["gamma"]
        self._of_metric = metric.definition
        super().__init__(
            metric,
            _of_sampled_rank(metric.definition, sample.negatives),
            _aggregate_of(metric.definition, sample, gamma),
            name or f"sampled_{metric.name}",
        )
        self.catalogue, self.negatives = sample.catalogue, sample.negatives
        self.replacement, self.gamma = sample.replacement, gamma

    @property
    def signature(self) -> str:
        """The signature of the metric, with the sampling."""
        own = [f"{name}:{getattr(self, name)}" for name in self._parameters]
        return "|".join([self._of_metric.signature, *own, f"steps:{_STEPS}"])

    @property
    def results(self) -> list[str]:
        """The names of the results."""
        return [f"{self.name}/{estimate}" for estimate in ("naive", "bv", "em")]

    def estimates(self) -> dict[str, Estimate]:
        """Return the results that are means over lists, with their errors."""
        found = self.aggregate.estimates(on_host(self._seen()))
        return dict(zip(self.results, found, strict=False))

    def histogram(self) -> np.ndarray:
        """Return the total weight of the lists at sampled rank 1, 2, ...

        As float64, `[negatives + 1]`.
        """
        return self.aggregate.histogram(on_host(self._seen()))


def sampled_rank(ranking: Ranking, k: int | None, negatives: int = 0) -> Tensor:
    """Return the mean rank of the relevant item, 0 for lists of wrong form."""
    start, size = ranking.place()
    middle = start + (size + 1.0) / 2.0
    return ops.where(fits(ranking, negatives), middle, 0)


def _of_sampled_rank(metric: Definition, negatives: int) -> Definition:
    """Return the definition with the rank in place of the metric's value."""
    traits = dataclasses.replace(
        metric.traits,
        measure=sampled_rank,
        has_value=RankingMetric.has_value,
        needs_whole_lists=True,
    )
    options = {**metric.options, "negatives": negatives}
    return dataclasses.replace(
        metric, traits=traits, options=options, adjusted=None
    )


@functools.lru_cache(maxsize=32)
def _aggregate_of(
    metric: Definition, sampling: Sampling, gamma: float
) -> Sampled:
    """Return the aggregate of a metric; equal metrics share one."""
    start, stop = buckets_of(sampling, metric.depth)
    values = values_at_ranks(metric, start, stop, sampling.catalogue)
    probabilities = sampling.probabilities((start + 1 + stop) / 2)
    prior = (stop - start) / sampling.catalogue
    ranks = np.arange(sampling.negatives + 1)
    naive = values_at_ranks(metric, ranks, ranks + 1, len(ranks))
    corrected = bias_variance(probabilities, prior, values, gamma)
    return Sampled(
        np.stack([naive, corrected]),
        Mixture(probabilities, prior, values, _STEPS),
    )


def _check_is_of_ranks(metric: RankingMetric) -> None:
    """Raise ValueError unless the rank of a relevant item decides the value."""
    kind, reason = type(metric), ""
    if kind.needs_labels:
        reason = f"{kind.__name__} needs {kind.needs_labels}"
    elif kind.of_catalogue is not None:
        reason = f"{kind.__name__} depends on which items a list shows"
    else:
        relevance = metric.definition.relevance
        labels = ops.array([relevance.unseen_label, 0.0])
        relevant, other = ops.convert_to_numpy(relevance(labels))
        if not relevant > 0 or other > 0:
            reason = (
                f"{kind.__name__} with these options has the gain {relevant:g} "
                f"for a relevant item and {other:g} for any other"
            )
    if reason:
        raise ValueError(
            "`metric` should depend only on the rank of the relevant item, "
            f"such as `NDCG(k=10)`. Received: {metric!r}; {reason}."
        )


def _sampling_of(catalogue: Any, negatives: Any, replacement: Any) -> Sampling:
    items, drawn = as_integer(catalogue), as_integer(negatives)
    check_choice("replacement", replacement, (False, True))
    if items is None or not 2 <= items <= _MOST_ITEMS:
        raise ValueError(
            "`catalogue` should be the number of items, an integer from 2 to "
            f"{_MOST_ITEMS:,}. Received: {catalogue!r}."
        )
    if drawn is None or drawn < 1 or (drawn >= items and not replacement):
        raise ValueError(
            "`negatives` should be the number of items in each list besides "
            "the relevant one: an integer of at least 1, and below "
            "`catalogue` unless `replacement=True`. Received: "
            f"{negatives!r} with a catalogue of {items}."
        )
    return Sampling(items, drawn, replacement)
