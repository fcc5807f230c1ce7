"""Sampled metrics: estimate values over all items from ranks among a sample."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import (
    concrete,
    concrete_floats,
    loop,
)
from keras_rankmetrics.types import Tensor


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
    """Return buckets of ranks that a sample cannot tell apart.

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
    gamma: float,
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
        gamma: γ, above 0 and at most 1.
    """
    weighted = prior[:, None] * probabilities
    squares = (1.0 - gamma) * (probabilities.T @ weighted)
    squares += gamma * np.diag(weighted.sum(axis=0))
    found: np.ndarray = np.linalg.solve(squares, weighted.T @ values)
    return found


@dataclasses.dataclass(frozen=True, eq=False)
class Mixture:
    """An estimator that maximises the likelihood of the sampled ranks.

    Expectation maximisation starts from the prior p. Each step replaces p(r) by

        p(r) Σ_s P(s | r) h(s) / Σ_r p(r) P(s | r)

    for the distribution h of the sampled ranks. Jin et al., AAAI (2021).

    Attributes:
        probabilities: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, with sum 1.
        values: f, `[ranks]`.
        steps: the number of steps.
    """

    probabilities: np.ndarray
    prior: np.ndarray
    values: np.ndarray
    steps: int

    def value(self, histogram: Tensor) -> Tensor:
        """Return Σ_r p(r) f(r), a scalar; 0 for an empty histogram.

        Args:
            histogram: `[negatives + 1]`, with any sum. A tensor, or a numpy
                array, which is computed without a backend.
        """
        by = _ON_HOST if isinstance(histogram, np.ndarray) else _IN_BACKEND
        xp, p = by.xp, self.probabilities
        by_rank, by_sampled_rank, prior, values = (
            xp.array(x, dtype=histogram.dtype)
            for x in (p, p.T, self.prior, self.values)
        )
        total = xp.sum(histogram)
        seen = histogram / xp.where(total == 0, 1.0, total)

        def step(_: Any, ranks: Any) -> Any:
            expected = by.times(by_sampled_rank, ranks)
            some = expected > 0
            ratios = xp.where(some, seen / xp.where(some, expected, 1.0), 0.0)
            return ranks * by.times(by_rank, ratios)

        return xp.sum(by.repeated(self.steps, step, prior) * values)


class _Arithmetic(NamedTuple):
    """The operations of numpy or of a backend.

    Attributes:
        xp: the module of operations.
        times: the product of a matrix and a vector.
        repeated: `(times, step, x)`, like `loop`.
    """

    xp: Any
    times: Callable[[Any, Any], Any]
    repeated: Callable[..., Any]


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    # No matrix product, since accelerators round its operands.
    return ops.sum(matrix * vector, axis=-1)


def _repeated(times: int, step: Callable[[int, Any], Any], x: Any) -> Any:
    for i in range(times):
        x = step(i, x)
    return x


_ON_HOST = _Arithmetic(np, np.matmul, _repeated)
_IN_BACKEND = _Arithmetic(ops, _times, loop)


_MEAN = WeightedMean(bounded=False)
_SUMS = _MEAN.shape[0]


def fits(ranking: Any, negatives: int) -> Tensor:
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
        worths: `[means, negatives + 1]`, the value of each sampled rank in each
            mean.
        mixture: the estimator from the histogram.
    """

    worths: np.ndarray
    mixture: Mixture

    @property
    def negatives(self) -> int:
        """The number of negatives in a list."""
        return self.worths.shape[1] - 1

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the sums of one metric."""
        return (self._means * _SUMS + self.negatives + 1,)

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
        split = self._means * _SUMS
        means = _MEAN.result(ops.reshape(sums[:split], (self._means, _SUMS)))
        histogram = sums[split:]
        numbers = concrete_floats(histogram)
        value = self.mixture.value(
            histogram if numbers is None else np.array(numbers)
        )
        value = ops.convert_to_tensor(value, sums.dtype)
        return ops.concatenate([means, ops.reshape(value, (1,))])

    def estimates(self, sums: np.ndarray) -> list[Estimate]:
        """Return the means with their standard errors."""
        of_means = sums[: self._means * _SUMS].reshape(self._means, _SUMS)
        return [Estimate.of_sums(of_mean, False) for of_mean in of_means]

    def histogram(self, sums: np.ndarray) -> np.ndarray:
        """Return the weights of the lists by their sampled rank."""
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
        """Return each list's share at each rank, `[lists, negatives + 1]`."""
        start, size = (x[:, None] for x in ranking.place())
        above = ops.arange(self.negatives + 1, dtype=dtype)
        there = (above >= start) & (above < start + size)
        return ops.cast(there, dtype) / ops.maximum(size, 1.0)


def _with_values(x: PerList, values: Tensor) -> PerList:
    """Return the lists with the values of several means."""
    repeated = {
        name: ops.broadcast_to(getattr(x, name), ops.shape(values))
        for name in ("weights", "has_own_weight", "counts")
    }
    return x._replace(values=values, **repeated)


def _unfit_error(negatives: int, ranking: Any, unfit: Tensor) -> ValueError:
    def of_first(x: Tensor) -> float:
        place = ops.argmax(ops.cast(unfit, "int32"))
        return float(ops.take(x, place))

    _, size = ranking.place()
    relevant = of_first(ranking.as_binary().overall())
    others = of_first(ranking.all_others())
    received = f"with {relevant:g} relevant items and {others:g} others"
    if relevant == 1 and others == negatives:
        received = (
            "whose relevant item is not retrieved"
            if of_first(size) == 0
            else "whose relevant item has another label"
        )
    return ValueError(
        "Each list should hold one relevant item with the label 1 that is "
        f"retrieved, and {negatives} sampled others. Received: a list "
        f"{received}."
    )
