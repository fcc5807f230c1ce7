"""Aggregates that users write: other sums than those of the mean."""

import dataclasses

import keras
from keras import ops

import keras_rankmetrics as krm


@dataclasses.dataclass(frozen=True)
class ShareAbove:
    """The share of lists whose value is above a threshold."""

    threshold: float
    shape: tuple[int, ...] = (2,)

    def of_batch(self, x):
        above = x.valid & (x.values > self.threshold)
        sums = [
            ops.sum(ops.cast(lists, x.values.dtype), axis=-1)
            for lists in (above, x.valid)
        ]
        return ops.stack(sums, axis=-1)

    def result(self, sums):
        return ops.divide_no_nan(sums[..., 0], sums[..., 1])


@dataclasses.dataclass(frozen=True)
class SumOfSquares:
    """Σ v², one sum without a dimension, whose error is made up."""

    shape: tuple[int, ...] = ()

    def of_batch(self, x):
        values = ops.where(x.valid, x.values, 0)
        return ops.sum(values * values, axis=-1)

    def result(self, sums):
        return sums

    def errors(self, sums):
        return ops.sqrt(sums)


@keras.saving.register_keras_serializable("own_aggregates")
class Squares(krm.RankingMetric):
    aggregate = SumOfSquares()

    @staticmethod
    def measure(ranking, k):
        return ranking.hits(k)
