"""`Sampled`: how often each sampled rank comes, and means over lists."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList, WeightedMean
from keras_rankmetrics.engine.backend import plain
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.sampled.estimators import Mixture
from keras_rankmetrics.types import Tensor

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
        numbers = plain.floats_at_hand(histogram)
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
        if known(ops.any(unfit & ~undefined)):
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
