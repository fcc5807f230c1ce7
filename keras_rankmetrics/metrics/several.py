"""`Several`: the base of what says several numbers of one metric."""

from __future__ import annotations

from typing import Any, Self

import keras

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.naming.saving import deserialized
from keras_rankmetrics.engine.shells.accumulator import Accumulator, is_known
from keras_rankmetrics.engine.shells.metric import RankingMetric
from keras_rankmetrics.types import Tensor


class Several(Accumulator):
    """Several numbers of one metric, by their names, and as a table.

    Args:
        metric: the metric. It is not updated itself.
        definition: what is computed of each list.
        aggregate: which sums are kept. It makes as many numbers of them as
            there are `results`.
        name: the metric's name by default.
    """

    def __init__(
        self,
        metric: RankingMetric,
        definition: Definition,
        aggregate: Aggregate,
        name: str | None,
    ) -> None:
        name = name or metric.name
        super().__init__(name, metric.dtype)
        self.definition = definition
        self.aggregate = aggregate
        self._metric = metric.remade
        self._direction = "up"
        self._keep_sums(name)

    def named(self, result: Tensor) -> dict[str, Tensor]:
        """The numbers by name."""
        numbers = ops.unstack(result, len(self.results))
        return dict(zip(self.results, numbers, strict=True))

    def table(self, level: float = 0.95) -> str:
        """The numbers as a table, with confidence intervals."""
        raise NotImplementedError

    def __str__(self) -> str:
        """The table, where the numbers are known."""
        return self.table() if is_known(self._seen()) else repr(self)

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same one."""
        metric = keras.saving.serialize_keras_object(self._metric())
        return {**self._own_config(), "metric": metric}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """What `get_config` describes."""
        return cls(**deserialized(config))
