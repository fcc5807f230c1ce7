"""Sampled metrics: what ranks among sampled negatives say of all items."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean
from keras_rankmetrics.engine.backend import host_floats
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, loop
from keras_rankmetrics.types import Tensor

# `Sampling`: how likely each sampled rank is, by the rank among all items.


@dataclasses.dataclass(frozen=True)
class Sampling:
    """Items drawn from those of a catalogue, all with the same chance.

    Attributes:
        catalogue: how many items there are, the relevant one among them.
        negatives: how many others are drawn.
        replacement: whether one may be drawn twice.
    """

    catalogue: int
    negatives: int
    replacement: bool

    @property
    def others(self) -> int:
        """How many items the sample is drawn from."""
        return self.catalogue - 1

    def chances(self, ranks: np.ndarray) -> np.ndarray:
        """`[ranks, negatives + 1]`, of 0, 1, ... negatives above the item.

        Hypergeometric, or with replacement binomial. Each chance is that of one
        negative less times a ratio, so that none is a quotient of factorials.

        Args:
            ranks: of the item among all, `[ranks]`.
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
        chances = np.exp(logs - logs.max(axis=1, keepdims=True))
        shares: np.ndarray = chances / chances.sum(axis=1, keepdims=True)
        return shares

    def resolution(self, above: float) -> float:
        """How many ranks make one standard deviation of the sampled rank.

        Args:
            above: how many items stand above.
        """
        share = above / self.others
        variance = self.negatives * share * (1.0 - share)
        if not self.replacement:
            left = self.others - self.negatives
            variance *= left / max(self.others - 1, 1)
        deviation = max(variance, 1.0) ** 0.5
        return self.others / self.negatives * deviation


# Ranks that a sample cannot tell apart, taken together.

# A bucket is no wider than this part of what the sample resolves, and of the
# ranks above it. What the estimates lose by it is below 2e-4.
_OF_RESOLUTION = 0.1
_OF_RANK = 0.125


def buckets_of(
    sampling: Sampling, cutoff: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """`(start, stop)` of each: the ranks `start + 1` to `stop`.

    Each has an odd number of ranks as a rule, so that one is in the middle.

    Args:
        sampling: how items are drawn.
        cutoff: a bucket ends there, None without one.
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


# Estimates of a metric among all items, from sampled ranks.
#
# With the chance P(s | r) of s negatives above an item of the rank r, and the
# value f(r) of the metric there.


def bias_variance(
    chances: np.ndarray, prior: np.ndarray, values: np.ndarray, gamma: float
) -> np.ndarray:
    """What each sampled rank is worth, `[negatives + 1]`.

    The f^ that makes Σ_r p(r) {(E[f^ | r] - f(r))² + γ Var[f^ | r]} smallest:

        f^ = ((1 - γ) AᵀA + γ diag(c))⁻¹ Aᵀb

    with A_rs = √p(r) P(s | r), b_r = √p(r) f(r) and c_s = Σ_r p(r) P(s | r).
    Krichene and Rendle, KDD (2020).

    Args:
        chances: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, of sum 1.
        values: f, `[ranks]`.
        gamma: γ, above 0 and at most 1.
    """
    weighted = prior[:, None] * chances
    squares = (1.0 - gamma) * (chances.T @ weighted)
    squares += gamma * np.diag(weighted.sum(axis=0))
    found: np.ndarray = np.linalg.solve(squares, weighted.T @ values)
    return found


@dataclasses.dataclass(frozen=True, eq=False)
class Mixture:
    """The most likely distribution of the ranks, as far as it was followed.

    Expectation maximisation, from the prior p on: each step takes p to

        p(r) Σ_s P(s | r) h(s) / Σ_r p(r) P(s | r)

    for the distribution h of the sampled ranks. Jin et al., AAAI (2021).

    Attributes:
        chances: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, of sum 1.
        values: f, `[ranks]`.
        steps: how many.
    """

    chances: np.ndarray
    prior: np.ndarray
    values: np.ndarray
    steps: int

    def value(self, histogram: Tensor) -> Tensor:
        """Σ_r p(r) f(r), a scalar; 0 where nothing has been counted.

        Args:
            histogram: `[negatives + 1]`, of any sum. A tensor, or an array of
                numpy, for which nothing of a backend is used.
        """
        if isinstance(histogram, np.ndarray):
            return self._value(histogram, _ON_HOST)
        return self._value(histogram, _IN_BACKEND)

    def _value(self, histogram: Any, by: _Arithmetic) -> Any:
        xp = by.xp
        chances, back, prior, values = (
            xp.array(x, dtype=histogram.dtype)
            for x in (self.chances, self.chances.T, self.prior, self.values)
        )
        total = xp.sum(histogram)
        seen = histogram / xp.where(total == 0, 1.0, total)

        def step(_: Any, ranks: Any) -> Any:
            expected = by.times(back, ranks)
            some = expected > 0
            ratios = xp.where(some, seen / xp.where(some, expected, 1.0), 0.0)
            return ranks * by.times(chances, ratios)

        return xp.sum(by.repeated(self.steps, step, prior) * values)


class _Arithmetic(NamedTuple):
    """How to compute.

    Attributes:
        xp: has the operations.
        times: a matrix times a vector.
        repeated: `(times, step, x)`, as `loop`.
    """

    xp: Any
    times: Callable[[Any, Any], Any]
    repeated: Callable[..., Any]


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    # No product of matrices, which accelerators round.
    return ops.sum(matrix * vector, axis=-1)


def _repeated(times: int, step: Callable[[int, Any], Any], x: Any) -> Any:
    for i in range(times):
        x = step(i, x)
    return x


_ON_HOST = _Arithmetic(np, np.matmul, _repeated)
_IN_BACKEND = _Arithmetic(ops, _times, loop)


# `Sampled`: how often each sampled rank comes, and means over lists.

_MEAN = WeightedMean(bounded=False)
_SUMS = _MEAN.shape[0]


def fits(ranking: Any, negatives: int) -> Tensor:
    """Which lists are one relevant item among so many others, bool `[lists]`.

    The item must be retrieved, and be worth what the label 1 is; with a
    `relevance_threshold`, what labels from there on are.
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
    """The means of what sampled ranks are worth, and how often each comes.

    The sums are those of the means, then the weights of the lists by their
    sampled rank, spread evenly over the ranks that tied items share.

    Attributes:
        worths: `[means, negatives + 1]`, what a sampled rank is worth to each.
        mixture: makes a number of how often each comes.
    """

    worths: np.ndarray
    mixture: Mixture

    @property
    def negatives(self) -> int:
        """How many negatives a list has."""
        return self.worths.shape[1] - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the sums of one metric."""
        return (self._means * _SUMS + self.negatives + 1,)

    def of_batch(self, x: PerList) -> Tensor:
        """`[metrics, *shape]`, what the batch adds.

        A list that counts and is none of those that are expected is an error
        where that is seen. Elsewhere it makes the sums NaN.
        """
        return ops.stack(
            [
                self._of_metric(x.of([row]), ranking)
                for row, ranking in enumerate(x.rankings)
            ]
        )

    def result(self, sums: Tensor) -> Tensor:
        """The means, and what the mixture says, `[..., means + 1]`."""
        if len(sums.shape) > 1:
            return ops.stack([self.result(each) for each in ops.unstack(sums)])
        split = self._means * _SUMS
        means = _MEAN.result(ops.reshape(sums[:split], (self._means, _SUMS)))
        histogram = sums[split:]
        numbers = host_floats.concrete_floats(histogram)
        value = self.mixture.value(
            histogram if numbers is None else np.array(numbers)
        )
        value = ops.convert_to_tensor(value, sums.dtype)
        return ops.concatenate([means, ops.reshape(value, (1,))])

    def estimates(self, sums: np.ndarray) -> list[Estimate]:
        """The means with their standard errors."""
        of_means = sums[: self._means * _SUMS].reshape(self._means, _SUMS)
        return [Estimate.of_sums(of_mean, False) for of_mean in of_means]

    def histogram(self, sums: np.ndarray) -> np.ndarray:
        """The weights of the lists by their sampled rank."""
        return sums[self._means * _SUMS :]

    @property
    def _means(self) -> int:
        return self.worths.shape[0]

    def _of_metric(self, x: PerList, ranking: Any) -> Tensor:
        counts = x.counts[0]
        unfit = counts & ~fits(ranking, self.negatives)
        undefined = counts & ops.isnan(x.values[0])
        if concrete(ops.any(unfit & ~undefined)):
            raise _unfit_error(self.negatives, ranking, unfit)
        shares = self._shares(ranking, x.values.dtype)
        values = ops.sum(
            shares[None] * ops.array(self.worths, shares.dtype)[:, None], -1
        )
        lost = unfit | undefined
        values = ops.where(lost, float("nan"), values)
        means = _MEAN.of_batch(_with_values(x, values))
        weights = ops.where(counts, x.weights[0], 0)
        histogram = ops.sum(shares * weights[:, None], axis=0)
        histogram = ops.where(ops.any(lost), float("nan"), histogram)
        return ops.concatenate([ops.reshape(means, (-1,)), histogram])

    def _shares(self, ranking: Any, dtype: Any) -> Tensor:
        """`[lists, negatives + 1]`, which part of a list has which rank."""
        start, size = (x[:, None] for x in ranking.place())
        above = ops.arange(self.negatives + 1, dtype=dtype)
        there = (above >= start) & (above < start + size)
        return ops.cast(there, dtype) / ops.maximum(size, 1.0)


def _with_values(x: PerList, values: Tensor) -> PerList:
    """The same lists with other values, of several means."""

    def repeated(row: Tensor) -> Tensor:
        return ops.broadcast_to(row, ops.shape(values))

    return x._replace(
        values=values,
        weights=repeated(x.weights),
        has_own_weight=repeated(x.has_own_weight),
        counts=repeated(x.counts),
    )


def _unfit_error(negatives: int, ranking: Any, unfit: Tensor) -> ValueError:
    def of_first(x: Tensor) -> float:
        place = ops.argmax(ops.cast(unfit, "int32"))
        return float(ops.take(x, place))

    _, size = ranking.place()
    relevant = of_first(ranking.as_binary().overall())
    others = of_first(ranking.all_others())
    received = f"{relevant:g} relevant items and {others:g} others"
    if relevant == 1 and others == negatives:
        received = (
            "one whose relevant item is not retrieved"
            if of_first(size) == 0
            else "one whose relevant item has another label"
        )
    return ValueError(
        "Each list should hold one relevant item, of the label 1, that is "
        f"retrieved, and {negatives} sampled others. Received: a list of "
        f"{received}."
    )
