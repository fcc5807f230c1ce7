"""`MetricCollection`: many metrics from one look at each batch."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.engine.aggregates import two_floats as summation
from keras_rankmetrics.engine.aggregates.mean import Evaluation, mean_of
from keras_rankmetrics.engine.backend.autograph import unconverted
from keras_rankmetrics.engine.evaluation import Reading, evaluate, read
from keras_rankmetrics.engine.inputs import Lists
from keras_rankmetrics.engine.inputs.doubts import Doubts
from keras_rankmetrics.engine.metric import RankingMetric
from keras_rankmetrics.gains import PACKAGE
from keras_rankmetrics.types import Tensor

State = Mapping[str, Sequence[np.ndarray]]


@keras.saving.register_keras_serializable(package=PACKAGE)
class MetricCollection(keras.metrics.Metric):
    """Several ranking metrics, computed together.

    They give the numbers that they give one by one (those of `ties="shuffle"`
    and the same seed share their draws), and cost not much more than one of
    them: a batch is read once for all that take the same `inputs`, and ranked
    once, to the largest k, for all that settle `ties` alike. (Metrics without
    `k` rank whole lists, and share that among themselves.)

    Use it where nothing is compiled, as on torch or in loops of your own, or to
    handle many metrics as one object. In a program compiled by TensorFlow or
    jax the plain list of metrics takes longer to compile, and then runs as fast
    if all k are at most 10, or all from 11 to 100, and so on.

    In `compile`, Keras puts the values into its logs under the names of the
    members, without the prefix of an output or of `weighted_metrics`: of two
    that have the same name one is lost. Give one collection a `prefix`. And
    callbacks must be told what is better:
    `EarlyStopping("val_ndcg@10", mode="max")`.

    Args:
        metrics: metrics of this package or your own subclasses of
            `RankingMetric`, each of another name. They are not copied: one that
            is updated elsewhere too counts that as well.
        prefix: what the names in the results begin with, before those of the
            metrics.
        name: of the collection itself, which no result has.

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

    def __init__(
        self,
        metrics: Iterable[RankingMetric],
        prefix: str = "",
        name: str = "metric_collection",
    ) -> None:
        members = _members(metrics)
        if not isinstance(prefix, str):
            raise TypeError(
                f"`prefix` should be a string. Received: {prefix!r}."
            )
        super().__init__(name=name)
        self.metrics = members
        self.prefix = prefix
        groups: dict[Reading, list[RankingMetric]] = {}
        for metric in members:
            groups.setdefault(metric._reading, []).append(metric)
        self._groups = list(groups.values())
        self._doubts = Doubts()

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
        evaluated = self._evaluate(y_true, y_pred, sample_weight)
        for members, _, evaluation in evaluated:
            sums = summation.add(_sums(members), evaluation.sums())
            for metric, its_sums in _unstacked(sums, members):
                metric._advance(its_sums)

    @unconverted
    def result(self) -> dict[str, Tensor]:
        """The weighted mean of each metric, by prefix and name."""
        return self._by_name(
            (metric, mean)
            for members in self._groups
            for metric, mean in _unstacked(
                mean_of(summation.rounded(_sums(members))), members
            )
        )

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Tensor]:
        """The value of each list under each metric; no state changes.

        In the leading shape, NaN for a list that does not count.
        """
        return self._by_name(
            (metric, lists.leading.as_passed(values))
            for members, lists, evaluation in self._evaluate(
                y_true, y_pred, sample_weight
            )
            for metric, values in _unstacked(evaluation.per_list(), members)
        )

    def get_state(self) -> dict[str, list[np.ndarray]]:
        """The states of the metrics by their names, as plain arrays.

        A `prefix` is no part of these names.
        """
        return {metric.name: metric.get_state() for metric in self.metrics}

    def set_state(self, state: State) -> None:
        """Replaces the states by those that `get_state` returned."""
        for metric, its_state in self._checked(state):
            metric.set_state(its_state)

    def merge_state(self, others: Sequence[MetricCollection | State]) -> None:
        """Adds what other collections, or states from `get_state`, have seen.

        The others must be of the same metrics: have the same signatures under
        the same names. A plain state does not say what it is of: compare the
        `signatures` of both sides yourself.
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
        for metric, state in checked:
            metric.merge_state([state])

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by prefix and name."""
        return self._by_name((m, m.signature) for m in self.metrics)

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
        cls, config: dict[str, Any], metrics: Sequence[RankingMetric]
    ) -> Self:
        return cls(**{**config, "metrics": metrics})

    def _config(self) -> dict[str, Any]:
        return {"name": self.name, "prefix": self.prefix}

    def __copy__(self) -> Self:
        """A collection of copies: of the same metrics, both would count."""
        return copy.deepcopy(self)

    def _evaluate(
        self, y_true: Any, y_pred: Any, sample_weight: Any
    ) -> list[tuple[list[RankingMetric], Lists, Evaluation]]:
        """What the metrics that read the same make of it."""
        evaluated = []
        for members in self._groups:
            reading = members[0]._reading
            try:
                lists = read(reading, y_true, y_pred, sample_weight)
            except (TypeError, ValueError) as error:
                names = ", ".join(metric.name for metric in members)
                form = f'`inputs="{reading.inputs}"`'
                error.add_note(f"The metrics with {form} are: {names}.")
                raise
            self._doubts.utter(lists.doubt, self.name)
            questions = [metric._question() for metric in members]
            evaluation = evaluate(lists, questions)
            evaluated.append((members, lists, evaluation))
        return evaluated

    def _by_name(
        self, values: Iterable[tuple[RankingMetric, Any]]
    ) -> dict[str, Any]:
        """The values by prefix and name, in the order of the metrics."""
        found = {metric.name: value for metric, value in values}
        return {
            self.prefix + metric.name: found[metric.name]
            for metric in self.metrics
        }

    def _checked(
        self, state: Any
    ) -> list[tuple[RankingMetric, list[np.ndarray]]]:
        """Each metric with its state."""
        names = [metric.name for metric in self.metrics]
        received = list(state) if isinstance(state, Mapping) else state
        if not isinstance(state, Mapping) or set(state) != set(names):
            raise ValueError(
                "The state of a `MetricCollection` is a dict, as `get_state` "
                f"returns it, with the names {names}. Received: {received!r}."
            )
        return [(m, m._state_of(state[m.name])) for m in self.metrics]


def _members(metrics: Iterable[RankingMetric]) -> tuple[RankingMetric, ...]:
    if isinstance(metrics, Mapping) or not isinstance(metrics, Iterable):
        raise TypeError(
            "`metrics` should be a list: `MetricCollection([NDCG(k=10)])`. "
            "What a value is called is the `name` of its metric. Received: "
            f"{metrics!r}."
        )
    members = tuple(metrics)
    if not members:
        raise ValueError("`metrics` should hold a metric. Received: none.")
    for metric in members:
        _check_member(metric)
    [(name, times)] = Counter(m.name for m in members).most_common(1)
    if times > 1:
        raise ValueError(
            "The metrics of a collection should have different names, by "
            f"which its result has their values. Received: {times} of the "
            f'name "{name}". Give one a name of its own: '
            f'`NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def _check_member(metric: Any) -> None:
    if isinstance(metric, list | tuple | MetricCollection):
        raise TypeError(
            "`metrics` should be a flat list of metrics. Received in it: "
            f"{metric!r}. Unpack a list with a star, "
            "`[*NDCG.at(1, 10), ...]`, and a collection too, "
            "`[*collection.metrics, ...]`."
        )
    if not isinstance(metric, RankingMetric):
        advice = "Keep other metrics beside the collection."
        if callable(metric) and not isinstance(metric, keras.metrics.Metric):
            advice = "If it is the class of one, call it: `NDCG(k=10)`."
        raise TypeError(
            "`metrics` should hold ranking metrics, instances of "
            f"`RankingMetric`. Received: {metric!r}. {advice}"
        )
    for method in ("update_state", "result", "per_list"):
        if getattr(type(metric), method) is not getattr(RankingMetric, method):
            raise TypeError(
                f"{type(metric).__name__} has its own `{method}`, which a "
                "collection does not call. Keep it beside the collection."
            )


def _sums(metrics: Sequence[RankingMetric]) -> Tensor:
    """`[metrics, SUMS, 2]`."""
    return ops.stack([metric._sums.value for metric in metrics])


def _unstacked(
    x: Tensor, metrics: Sequence[RankingMetric]
) -> Iterable[tuple[RankingMetric, Tensor]]:
    return zip(metrics, ops.unstack(x, len(metrics)), strict=True)
