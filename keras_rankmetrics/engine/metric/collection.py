"""`MetricCollection`: many metrics from one look at each batch."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.backend import compensated_sums
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.processes import Slot, read_all, write_all
from keras_rankmetrics.engine.backend.tracing import unconverted
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.evaluation.batch_cache import (
    Batch,
    Looker,
    forget,
)
from keras_rankmetrics.engine.evaluation.evaluate import Evaluated, evaluate
from keras_rankmetrics.engine.inputs.warn_once import Doubts
from keras_rankmetrics.engine.metric.accumulator import Accumulator
from keras_rankmetrics.engine.metric.members import kinds_of, members_of
from keras_rankmetrics.engine.metric.sync import states_of_all
from keras_rankmetrics.gains import PACKAGE
from keras_rankmetrics.types import Tensor

States = Mapping[str, State | Sequence[np.ndarray]]


@keras.saving.register_keras_serializable(package=PACKAGE)
class MetricCollection(keras.metrics.Metric):
    """Several ranking metrics, computed together.

    They give the numbers that they give one by one (those of `ties="shuffle"`
    and the same seed share their draws), and cost not much more than one of
    them: a batch is read once for all that take the same `inputs`, and ranked
    once, to the largest k, for all that settle `ties` alike. (Metrics without
    `k` rank whole lists, and share that among themselves.)

    Use it to handle many metrics as one object. A list of metrics that are
    updated with the same tensors shares all this too; programs with a
    collection compile sooner.

    In `compile`, Keras puts the values into its logs under the names of the
    members, without the prefix of an output or of `weighted_metrics`: of two
    that have the same name one is lost. Give one collection a `prefix`. And
    callbacks must be told what is better:
    `EarlyStopping("val_ndcg@10", mode="max")`.

    Args:
        metrics: metrics of this package, `Sliced` ones too, or your own
            subclasses of `RankingMetric`, each of another name. They are not
            copied: one that is updated elsewhere too counts that as well.
        prefix: what the names in the results begin with, before those of the
            metrics.
        name: of the collection itself, which no result has.
        errors: whether the results have the standard error of each value too,
            under its name and `_se`. NaN for fewer than two lists.

    Example:
        >>> from keras_rankmetrics import MetricCollection, NDCG, RecallAtK
        >>> metrics = MetricCollection(NDCG.at(1, 3) + [RecallAtK(k=1)])
        >>> metrics.update_state([[0, 1, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]])
        >>> {name: round(float(x), 4) for name, x in metrics.result().items()}
        {'ndcg@1': 0.5, 'ndcg@3': 0.8155, 'recall@1': 0.5}

    Raises:
        ValueError: if two metrics have the same name, or there is none.
        TypeError: if one is no `RankingMetric`, or has its own way to update
            its state or to make a result of it.
    """

    @checks_names
    def __init__(
        self,
        metrics: Iterable[Accumulator],
        prefix: str = "",
        name: str = "metric_collection",
        errors: bool = False,
    ) -> None:
        members = members_of(metrics, bool(errors))
        if not isinstance(prefix, str):
            raise TypeError(
                f"`prefix` should be a string. Received: {prefix!r}."
            )
        super().__init__(name=name)
        self.metrics = members
        self.prefix = prefix
        self.errors = bool(errors)
        self._definitions = [metric.definition for metric in members]
        self._looker = Looker(self._definitions)
        self._kinds = kinds_of(members)
        self._doubts = Doubts()
        self._share_variables()

    @property
    def variables(self) -> list[keras.Variable]:
        """Those of the members, which most of them share."""
        found = {id(v): v for m in self.metrics for v in m.variables}
        return list(found.values())

    def reset_state(self) -> None:
        """Forgets all lists."""
        for metric in self.metrics:
            metric.reset_state()

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Adds a batch of lists, as each of the metrics would.

        Args:
            y_true: as for the metrics.
            y_pred: as for the metrics.
            sample_weight: as for the metrics.

        Raises:
            ValueError: what any of the metrics would. All states are then as
                before.
        """
        passed = y_true, y_pred, sample_weight
        evaluated = self._evaluate(passed, self._looker.look(passed))
        terms = [
            kind.aggregate.of_batch(
                evaluated[kind.reading].per_list.of(kind.rows)
            )
            for kind in self._kinds
        ]
        for kind, of_kind in zip(self._kinds, terms, strict=True):
            sums = read_all(kind.sums)
            write_all(kind.sums, compensated_sums.add(sums, of_kind))
        draws = [m._draws for m in self.metrics if m._draws is not None]
        if draws:
            write_all(draws, read_all(draws) + 1)

    @unconverted
    def result(self) -> dict[str, Tensor]:
        """The weighted mean of each metric, by prefix and name."""
        forget()
        found: dict[str, dict[str, Tensor]] = {}
        for kind in self._kinds:
            sums = compensated_sums.rounded(read_all(kind.sums))
            values = kind.unstacked(kind.aggregate.result(sums))
            for metric, value in zip(kind.members, values, strict=True):
                found[metric.name] = _by_name(metric, value)
            if self.errors:
                errors = kind.unstacked(kind.aggregate.errors(sums))
                for metric, error in zip(kind.members, errors, strict=True):
                    found[metric.name].update(_by_name(metric, error, "_se"))
        return {
            self.prefix + name: number
            for metric in self.metrics
            for name, number in found[metric.name].items()
        }

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Tensor]:
        """The value of each list under each metric; no state changes.

        In the leading shape, NaN for a list that does not count.
        """
        found = {
            place: lists.leading.as_passed(values)
            for places, lists, per_list in self._evaluate(
                (y_true, y_pred, sample_weight), Batch()
            )
            for place, values in zip(
                places,
                ops.unstack(per_list.per_list(), len(places)),
                strict=True,
            )
        }
        return {
            self.prefix + metric.name: found[place]
            for place, metric in enumerate(self.metrics)
        }

    @property
    def state(self) -> dict[str, State]:
        """What each metric has seen, by its name, without the prefix.

        Raises:
            ValueError: when it is set, if it is of other metrics.
        """
        return {metric.name: metric.state for metric in self.metrics}

    @state.setter
    def state(self, state: States) -> None:
        self.set_state(state)

    def get_state(self) -> dict[str, list[np.ndarray]]:
        """The states of the metrics by their names, as plain arrays.

        A `prefix` is no part of these names.
        """
        return {metric.name: metric.get_state() for metric in self.metrics}

    def set_state(self, state: States) -> None:
        """Replaces the states by those that `get_state` or `state` returned."""
        for metric, its_state in self._checked(state):
            metric.set_state(its_state)

    def merge_state(self, others: Sequence[MetricCollection | States]) -> None:
        """Adds what other collections, or their states, have seen.

        The others must be of the same metrics: have the same signatures under
        the same names. A plain state, as `get_state` returns it, does not say
        what it is of: compare the `signatures` of both sides yourself.
        """
        if not isinstance(others, list | tuple):
            raise TypeError(
                "`merge_state` takes a list of collections or states. "
                f"Received: {others!r}. If that is one of them, wrap it in a "
                "list."
            )
        states = [
            {metric.name: metric for metric in other.metrics}
            if isinstance(other, MetricCollection)
            else other
            for other in others
        ]
        checked = [pair for state in states for pair in self._checked(state)]
        for metric, its_state in checked:
            metric.merge_state([its_state])

    def sync(self) -> Self:
        """A copy that has seen what this one has in all processes.

        As `sync` of a metric, with one exchange for all metrics.
        """
        forget()
        total = copy.deepcopy(self)
        states = states_of_all(
            [metric.signature for metric in self.metrics],
            [metric._kept for metric in self.metrics],
        )
        for metric, state in zip(total.metrics, states, strict=True):
            metric.state = state
        return total

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by prefix and name."""
        return {self.prefix + m.name: m.signature for m in self.metrics}

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same collection."""
        return {
            **self._config(),
            "metrics": [
                keras.saving.serialize_keras_object(metric)
                for metric in self.metrics
            ],
        }

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The collection that `get_config` describes."""
        metrics = [
            keras.saving.deserialize_keras_object(metric)
            for metric in config["metrics"]
        ]
        return cls(**{**config, "metrics": metrics})

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is pickled: with its metrics, which have their states."""
        config = self._config()
        if type(self).get_config is not MetricCollection.get_config:
            config = self.get_config()
        return self._with_metrics, (config, self.metrics)

    @classmethod
    def _with_metrics(
        cls, config: dict[str, Any], metrics: Sequence[Accumulator]
    ) -> Self:
        return cls(**{**config, "metrics": metrics})

    def _config(self) -> dict[str, Any]:
        config = {"name": self.name, "prefix": self.prefix}
        return {**config, "errors": True} if self.errors else config

    def __copy__(self) -> Self:
        """A collection of copies: of the same metrics, both would count."""
        return copy.deepcopy(self)

    def __str__(self) -> str:
        """A line for each metric, with its value and error."""
        return "\n".join(map(str, self.metrics))

    def _share_variables(self) -> None:
        """Moves the states of the members into one variable for each kind."""
        drawn = [m for m in self.metrics if m._draws is not None]
        draws: dict[int, Slot] = {}
        if drawn:
            variable = self._variable("draws", (len(drawn),), "int32")
            draws = {id(m): Slot(variable, i) for i, m in enumerate(drawn)}
        for kind in self._kinds:
            shape = (len(kind.members), *kind.aggregate.shape, 2)
            dtype = kind.members[0].definition.dtype
            variable = self._variable("sums", shape, dtype)
            for row, metric in enumerate(kind.members):
                metric._move(Slot(variable, row), draws.get(id(metric)))

    def _variable(
        self, name: str, shape: tuple[int, ...], dtype: str
    ) -> keras.Variable:
        return self.add_variable(
            shape=shape, initializer="zeros", dtype=dtype, name=name
        )

    def _evaluate(self, passed: Sequence[Any], batch: Batch) -> list[Evaluated]:
        draws = [metric._draw() for metric in self.metrics]
        evaluated = evaluate(self._definitions, passed, batch, draws)
        for each in evaluated:
            self._doubts.utter(each.lists.doubt, self.name)
        return evaluated

    def _checked(self, state: Any) -> list[tuple[Accumulator, Any]]:
        """Each metric with its state."""
        names = [metric.name for metric in self.metrics]
        received = list(state) if isinstance(state, Mapping) else state
        if not isinstance(state, Mapping) or set(state) != set(names):
            raise ValueError(
                "The state of a `MetricCollection` is a dict, as `get_state` "
                f"returns it, with the names {names}. Received: {received!r}."
            )
        for metric in self.metrics:
            metric._state_of(state[metric.name])
        return [(metric, state[metric.name]) for metric in self.metrics]


def _by_name(
    metric: Accumulator, result: Tensor, suffix: str = ""
) -> dict[str, Tensor]:
    """The numbers of a metric by name, one or several."""
    named = metric.named(result)
    if not isinstance(named, dict):
        named = {metric.name: named}
    return {name + suffix: number for name, number in named.items()}
