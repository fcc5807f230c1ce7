"""Metrics on sampled items, corrected for the sampling."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean
from keras_rankmetrics.engine.aggregates.mean import over
from keras_rankmetrics.engine.backend import tracing
from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.definition import Definition, checks_names
from keras_rankmetrics.engine.definition.options import (
    check_choice,
    checked_options,
    invalid,
)
from keras_rankmetrics.engine.evaluation.batch_cache import Batch
from keras_rankmetrics.engine.evaluation.evaluate import evaluate_batch
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.metrics.bases import check_mean, register
from keras_rankmetrics.metrics.multi_value import MultiValueMetric
from keras_rankmetrics.types import Tensor, Within

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
      are, which papers often publish. It does not estimate the metric.
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
    sampling but not its bias. `em` has none. If at equally likely ranks a
    relevant item above all negatives loses more than half of the range of f
    compared to rank 1, the sample does not identify the metric. Then the
    constructor warns, and in place of the standard error the table has the
    `bounds`, which hold for all ranks.

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
                                 value  interval  lists
        sampled_recall@2/naive  0.5000  ± 6.3531      2
        sampled_recall@2/bv     0.4302  ± 7.9318      2
        sampled_recall@2/em     0.4800                2

    Krichene and Rendle, On Sampled Metrics for Item Recommendation, KDD (2020);
    Jin et al., On Estimating Recommendation Evaluation Metrics under Sampling,
    AAAI (2021).

    Stability: stable.
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
        if not self.aggregate.is_identified:
            warn(
                f"{metric.name} should depend on ranks that the sample can "
                "distinguish. Received: samples in which a relevant item above "
                "all negatives is at any of the first "
                f"{catalogue / (negatives + 1):,.0f} ranks. Use `bounds`, a "
                "larger `k`, more negatives, or all items of some lists."
            )
        self.catalogue: int = sample.catalogue
        self.negatives: int = sample.negatives
        self.replacement: bool = sample.replacement
        self.gamma: float = gamma

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
        """Return the results that are means over lists, with their errors.

        `bv` is left out if the sample does not identify the metric.
        """
        found = self.aggregate.estimates(self._sums_on_host())
        return dict(zip(self.results, found, strict=False))

    def bounds(self, level: float = 0.95) -> tuple[float, float]:
        """Return bounds of the metric on the whole catalogue.

        They hold for any ranks of the relevant items, with at least the given
        probability over lists and samples.

        Args:
            level: the probability, between 0 and 1.
        """
        shares = self.histogram() / max(self.histogram().sum(), 1e-30)
        of_lists = self.estimates()[self.results[0]]
        rows = of_lists.independent
        ends = []
        for end, worths in enumerate(self.aggregate.bounds):
            least, span = worths.min(), max(np.ptp(worths), 1e-30)
            scaled = (worths - least) / span
            mean = shares @ scaled
            variance = max(shares @ scaled**2 - mean**2, 0.0)
            error = (variance / max(rows - 1, 1)) ** 0.5
            found = Estimate(
                mean, error, of_lists.lists, rows, of_lists.rows, True
            )
            ends.append(least + span * found.interval(level)[end])
        values = self.aggregate.values
        low, high = np.clip(ends, values.min(), values.max()).tolist()
        return low, high

    def _spread(
        self, name: str, estimates: Mapping[str, Estimate], level: float
    ) -> str:
        if self.aggregate.is_identified or name in estimates:
            return super()._spread(name, estimates, level)
        return "[{:.4f}, {:.4f}]".format(*self.bounds(level))

    def histogram(self) -> np.ndarray:
        """Return the total weight of the lists at sampled rank 1, 2, ...

        As float64, `[negatives + 1]`.
        """
        return self._sums_on_host()[_OF_MEANS:]


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
    first = prior * probabilities[:, 0]
    lost = abs(values[0] - first @ values / first.sum())
    return Sampled(
        np.stack([naive, corrected]),
        probabilities,
        prior,
        values,
        bounding(sampling.probabilities(stop), prior, values),
        is_identified=bool(lost <= np.ptp(values) / 2.0),
    )


def values_at_ranks(
    definition: Definition, start: np.ndarray, stop: np.ndarray, items: int
) -> np.ndarray:
    """Return the mean values of lists with one relevant item, float64.

    The relevant item is at one of the ranks `start + 1` to `stop`. Nothing is
    ranked, so the time does not depend on the size of the catalogue. A metric
    that needs a strict order is evaluated at the rank in the middle.

    Args:
        definition: the definition of the metric.
        start: integers `[ranges]`.
        stop: integers `[ranges]`. A range that starts within the cutoff should
            end within it.
        items: the number of items in each list.

    Returns:
        `[ranges]`.
    """
    size, relevance = stop - start, definition.relevance
    if definition.depth is not None:
        # All ranks beyond the cutoff are equal, even where the lists end.
        size = np.where(start >= definition.depth, 1, size)
    if definition.traits.needs_order(definition.options):
        start, size = start + (size - 1) // 2, np.ones_like(size)

    def of_counted(label: Tensor) -> Tensor:
        """Return the gain of the lowest relevant label for the label 1."""
        return relevance.gain(label * relevance.unseen_label)

    counted = dataclasses.replace(
        definition,
        traits=dataclasses.replace(
            definition.traits,
            relevance=of_counted,
            has_value=RankingMetric.has_value,
        ),
        inputs="counts",
        ties="stable" if np.all(size == 1) else "average",
    )
    above, tied = start[:, None], size[:, None] - 1
    counts = {"above": above, "tied": tied, "num_items": items}
    batch = Batch(is_watched=False)
    [found] = evaluate_batch(
        [counted], (np.zeros_like(above), counts, None), batch
    )
    return ops.convert_to_numpy(found.per_list.values[0]).astype("float64")


def _check_is_of_ranks(metric: RankingMetric) -> None:
    """Raise ValueError unless the rank of a relevant item decides the value."""
    kind, reason = type(metric), ""
    if kind.needs_labels:
        reason = f"{kind.__name__} needs {kind.needs_labels}"
    elif kind.reads == "two_rankings":
        reason = f"{kind.__name__} compares two rankings"
    elif kind.of_catalogue is not None:
        reason = f"{kind.__name__} depends on which items a list shows"
    elif metric.labels == "probabilities":
        reason = "probabilities make any item the relevant one"
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
        expected = f"the number of items, an integer from 2 to {_MOST_ITEMS:,}"
        raise invalid("catalogue", expected, catalogue)
    if drawn is None or drawn < 1 or (drawn >= items and not replacement):
        raise ValueError(
            "`negatives` should be the number of items in each list besides "
            "the relevant one: an integer of at least 1, and below "
            "`catalogue` unless `replacement=True`. Received: "
            f"{negatives!r} with a catalogue of {items}."
        )
    if drawn == items - 1:
        warn(
            "`catalogue` should be the number of all items. Received: "
            f"{items:,}, which a list of {drawn:,} negatives has, so that "
            "nothing was sampled. Pass the size of the catalogue; if these "
            "are all items, the metric itself needs no correction."
        )
    return Sampling(items, drawn, replacement)


@dataclasses.dataclass(frozen=True)
class Sampling:
    """A uniform sample of a catalogue.

    Attributes:
        catalogue: the number of items, including the relevant one.
        negatives: the number of other items that are drawn.
        replacement: whether an item may be drawn twice.
    """

    catalogue: int
    negatives: int
    replacement: bool

    @property
    def others(self) -> int:
        """The number of items that the sample is drawn from."""
        return self.catalogue - 1

    def probabilities(self, ranks: np.ndarray) -> np.ndarray:
        """Return P(0, 1, ... negatives above the item), `[ranks, negatives+1]`.

        The distribution is hypergeometric, or binomial with replacement. Each
        probability is the previous one times a ratio, which avoids quotients of
        factorials.

        Args:
            ranks: ranks of the item among all items, `[ranks]`.
        """
        above = np.asarray(ranks, "float64")[:, None] - 1.0
        below, drawn = self.others - above, self.negatives
        found = np.arange(drawn, dtype="float64")
        if self.replacement:
            more, less = above, below
            least = np.where(below > 0.0, 0.0, drawn)
        else:
            more, less = above - found, below - drawn + found + 1.0
            least = np.maximum(drawn - below, 0.0)
        more, less = more * (drawn - found), less * (found + 1.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.log(np.maximum(more, 0.0) / less)
        steps = np.where(less > 0.0, steps, 0.0)
        logs = np.pad(np.cumsum(steps, axis=1), [(0, 0), (1, 0)])
        logs = np.where(np.arange(drawn + 1) < least, -np.inf, logs)
        scaled = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares: np.ndarray = scaled / scaled.sum(axis=1, keepdims=True)
        return shares

    def resolution(self, above: float) -> float:
        """Return the number of ranks in one standard deviation of the sample.

        Args:
            above: the number of items above the relevant one.
        """
        share = above / self.others
        variance = self.negatives * share * (1.0 - share)
        if not self.replacement:
            left = self.others - self.negatives
            variance *= left / max(self.others - 1, 1)
        deviation = max(variance, 1.0) ** 0.5
        return self.others / self.negatives * deviation


# A bucket is at most this fraction of the sample's resolution and of the ranks
# above it. It changes the estimates by less than 2e-4.
_OF_RESOLUTION = 0.1
_OF_RANK = 0.125


def buckets_of(
    sampling: Sampling, cutoff: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return buckets of ranks that a sample cannot distinguish.

    A bucket usually has an odd number of ranks, so that one is in the middle.

    Args:
        sampling: the sampling of the items.
        cutoff: a rank at which a bucket must end, or None.

    Returns:
        `(start, stop)`, two arrays; a bucket has the ranks `start + 1` to
        `stop`.
    """
    stops, start = [], 0
    while start < sampling.catalogue:
        widest = min(
            _OF_RESOLUTION * sampling.resolution(start), _OF_RANK * start
        )
        width = int(max(widest, 1.0))
        stop = min(start + width - 1 + width % 2, sampling.catalogue)
        if cutoff is not None and start < cutoff < stop:
            stop = cutoff
        stops.append(stop)
        start = stop
    return np.array([0, *stops[:-1]]), np.array(stops)


# Both estimators use the probability P(s | r) of s negatives above an item at
# rank r of the catalogue, and the value f(r) of the metric at that rank.


def bias_variance(
    probabilities: np.ndarray,
    prior: np.ndarray,
    values: np.ndarray,
    gamma: Annotated[float, Within(1e-4, 1.0)] = 0.1,
) -> np.ndarray:
    """Return the estimated value f^ of each sampled rank, `[negatives + 1]`.

    f^ minimises Σ_r p(r) {(E[f^ | r] - f(r))² + γ Var[f^ | r]}:

        f^ = ((1 - γ) AᵀA + γ diag(c))⁻¹ Aᵀb

    with A_rs = √p(r) P(s | r), b_r = √p(r) f(r) and c_s = Σ_r p(r) P(s | r).
    Krichene and Rendle, KDD (2020).

    Args:
        probabilities: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, with sum 1.
        values: f, `[ranks]`.
        gamma: γ. With less than the lowest value allowed, single lists have
            values in the thousands, and the result is noise.
    """
    weighted = prior[:, None] * probabilities
    squares = (1.0 - gamma) * (probabilities.T @ weighted)
    squares += gamma * np.diag(weighted.sum(axis=0))
    found: np.ndarray = np.linalg.solve(squares, weighted.T @ values)
    return found


def bounding(
    probabilities: np.ndarray, prior: np.ndarray, values: np.ndarray
) -> np.ndarray:
    """Return values of sampled ranks with means below and above that of f.

    With [...] for 1 if a condition holds and 0 otherwise, f(r) at n ranks is

        f(n) + Σ_j (f(j) - f(j + 1)) [r <= j],
        0 <= [r <= j] <= E[[s <= t] | r] / P(s <= t | j)  for any t

    since a sample is less likely to have few negatives above a lower rank. For
    each j, the t is used whose bound is lowest for equally likely ranks.

    Args:
        probabilities: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, with sum 1.
        values: f, `[ranks]`.

    Returns:
        `[2, negatives + 1]`.
    """
    below = np.cumsum(probabilities, axis=1)
    with np.errstate(divide="ignore"):
        factors = 1.0 / below
    best = np.argmin((prior @ below) * factors, axis=1)[:, None]
    is_below = np.arange(below.shape[1]) <= best
    steps = is_below * np.take_along_axis(factors, best, axis=1)
    drops = -np.diff(values, append=values[-1])
    parts = np.stack([np.minimum(drops, 0.0), np.maximum(drops, 0.0)])
    found: np.ndarray = values[-1] + parts @ steps
    return found


def mixture(
    probabilities: np.ndarray,
    prior: np.ndarray,
    values: np.ndarray,
    histogram: Tensor,
    steps: int = _STEPS,
) -> Tensor:
    """Return Σ_r p(r) f(r) for the p that makes the sampled ranks likely.

    Expectation maximisation starts from the prior p. Each step replaces p(r) by

        p(r) Σ_s P(s | r) h(s) / Σ_r p(r) P(s | r)

    for the distribution h of the sampled ranks. Jin et al., AAAI (2021).

    Args:
        probabilities: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, with sum 1.
        values: f, `[ranks]`.
        histogram: `[negatives + 1]`, with any sum. A tensor, or a numpy array,
            which is computed without a backend.
        steps: the number of steps.

    Returns:
        A scalar; 0 for an empty histogram.
    """
    on_host = isinstance(histogram, np.ndarray)
    xp: Any = np if on_host else ops
    times = np.matmul if on_host else _times
    by_rank, by_sampled_rank, first, values = (
        xp.array(x, dtype=histogram.dtype)
        for x in (probabilities, probabilities.T, prior, values)
    )
    seen = over(histogram, xp.sum(histogram), xp)

    def step(_: Any, ranks: Any) -> Any:
        expected = times(by_sampled_rank, ranks)
        some = expected > 0
        ratios = xp.where(some, seen / xp.where(some, expected, 1.0), 0.0)
        return ranks * times(by_rank, ratios)

    ranks = first
    if on_host:
        for number in range(steps):
            ranks = step(number, ranks)
    else:
        ranks = tracing.loop(steps, step, first)
    return xp.sum(ranks * values)


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    # No matrix product, since accelerators round its operands.
    return ops.sum(matrix * vector, axis=-1)


_MEAN = WeightedMean(bounded=False)
_SUMS = _MEAN.shape[0]
_OF_MEANS = 2 * _SUMS  # before the sums of the histogram


def fits(ranking: Ranking, negatives: int) -> Tensor:
    """Return True for lists of one relevant item and `negatives` others.

    The item must be retrieved and have the gain of the label 1, or with a
    `relevance_threshold` the gain of a label from there on. bool `[lists]`.
    """
    gain, one = ranking.overall(), ranking.gain.of_unseen(ranking.items.highest)
    _, size = ranking.place()
    return (
        (ranking.as_binary().overall() == 1)
        & (ops.abs(gain - one) <= 1e-5 * one)
        & (size > 0)
        & (ranking.all_others() == negatives)
    )


@dataclasses.dataclass(frozen=True, eq=False)
class Sampled:
    """Means of the values of sampled ranks, and a histogram of the ranks.

    The sums are those of the means, then the weights of the lists by sampled
    rank. A list is spread evenly over the ranks that its tied items share.

    Attributes:
        worths: `[2, negatives + 1]`, the value of each sampled rank: as it is,
            and corrected.
        probabilities: P(s | r) of s negatives above an item at rank r of the
            catalogue, `[ranks, negatives + 1]`. A rank is a bucket of ranks.
        prior: the share of the catalogue in each rank, `[ranks]`.
        values: the value of the metric at each rank, `[ranks]`.
        bounds: `[2, negatives + 1]`, values of each sampled rank whose means
            are bounds of the metric.
        is_identified: True if the sample distinguishes the ranks that matter.
    """

    worths: np.ndarray
    probabilities: np.ndarray
    prior: np.ndarray
    values: np.ndarray
    bounds: np.ndarray
    is_identified: bool

    @property
    def negatives(self) -> int:
        """The number of negatives in a list."""
        return self.worths.shape[1] - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sums of one metric."""
        return (_OF_MEANS + self.negatives + 1,)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sums."""
        means = (f"{x}/{name}" for x in ("naive", "bv") for name in _MEAN.names)
        ranks = (f"above={above}" for above in range(self.negatives + 1))
        return (*means, *ranks)

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[metrics, *shape]`.

        In a compiled program, a valid list that does not fit makes them NaN.

        Raises:
            ValueError: if a valid list does not fit and values are concrete.
        """
        return ops.stack(
            [
                self._of_metric(x.of([row]), ranking)
                for row, ranking in enumerate(x.rankings)
            ]
        )

    def result(self, sums: Tensor) -> Tensor:
        """Return the means and the mixture's estimate, `[..., means + 1]`."""
        if len(sums.shape) > 1:
            return ops.stack([self.result(each) for each in ops.unstack(sums)])
        means = _MEAN.result(ops.reshape(sums[:_OF_MEANS], (2, _SUMS)))
        histogram = sums[_OF_MEANS:]
        numbers = tracing.concrete_floats(histogram)
        if numbers is not None:
            histogram = np.array(numbers)
        value = mixture(self.probabilities, self.prior, self.values, histogram)
        value = ops.convert_to_tensor(value, sums.dtype)
        return ops.concatenate([means, ops.reshape(value, (1,))])

    def estimates(self, sums: np.ndarray) -> list[Estimate]:
        """Return the means that the lists identify, with standard errors."""
        of_means = sums[:_OF_MEANS].reshape(2, _SUMS)[: 1 + self.is_identified]
        return [Estimate.of_sums(of_mean, False) for of_mean in of_means]

    def _of_metric(self, x: PerList, ranking: Ranking) -> Tensor:
        valid = x.valid[0]
        unfit = valid & ~fits(ranking, self.negatives)
        undefined = valid & ops.isnan(x.values[0])
        if tracing.concrete(ops.any(unfit & ~undefined)):
            raise _unfit_error(self.negatives, ranking, unfit)
        shares = self._shares(ranking, x.values.dtype)
        values = ops.sum(
            shares[None] * ops.array(self.worths, shares.dtype)[:, None], -1
        )
        lost = unfit | undefined
        values = ops.where(lost, float("nan"), values)
        naive, corrected = ops.unstack(values[:, None], 2)
        lists = [x._replace(values=naive), x._replace(values=corrected)]
        means = _MEAN.of_batch(PerList.joined(lists))
        weights = ops.where(valid, x.weights[0], 0)
        histogram = ops.sum(shares * weights[:, None], axis=0)
        histogram = ops.where(ops.any(lost), float("nan"), histogram)
        return ops.concatenate([ops.reshape(means, (-1,)), histogram])

    def _shares(self, ranking: Ranking, dtype: Any) -> Tensor:
        """Return each list's share at each rank, `[lists, negatives + 1]`."""
        start, size = (x[:, None] for x in ranking.place())
        above = ops.arange(self.negatives + 1, dtype=dtype)
        there = (above >= start) & (above < start + size)
        return ops.cast(there, dtype) / ops.maximum(size, 1.0)


def _unfit_error(negatives: int, ranking: Ranking, unfit: Tensor) -> ValueError:
    first = ops.argmax(ops.cast(unfit, "int32"))
    counts = ranking.as_binary().overall(), ranking.all_others()
    relevant, others, retrieved = (
        float(ops.take(x, first)) for x in (*counts, ranking.place()[1])
    )
    received = f"with {relevant:g} relevant items and {others:g} others"
    if relevant == 1 and others == negatives:
        is_wrong = "has another label" if retrieved else "is not retrieved"
        received = f"whose relevant item {is_wrong}"
    return ValueError(
        "Each list should hold one relevant item with the label 1 that is "
        f"retrieved, and {negatives} sampled others. Received: a list "
        f"{received}."
    )
