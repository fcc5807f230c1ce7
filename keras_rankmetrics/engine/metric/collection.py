"""`MetricCollection`: many metrics, computed together from each batch."""

from __future__ import annotations

import collections
import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Self

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.backend import processes
from keras_rankmetrics.engine.backend.keras_internals import keras_config
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.processes import Slot
from keras_rankmetrics.engine.backend.tracing import unconverted
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.evaluation.batch_cache import Batch, BatchCache
from keras_rankmetrics.engine.evaluation.evaluate import (
    PerReading,
    evaluate_batch,
    same_reading,
)
from keras_rankmetrics.engine.messages import WarnOnce, as_html_table
from keras_rankmetrics.engine.metric import accumulator
from keras_rankmetrics.engine.metric.accumulator import (
    Accumulator,
    states_of_all,
)
from keras_rankmetrics.gains import PACKAGE
from keras_rankmetrics.types import Tensor

States = Mapping[str, State | Sequence[np.ndarray]]


@keras.saving.register_keras_serializable(package=PACKAGE)
class MetricCollection(keras.metrics.Metric):
    """Several ranking metrics, computed together.

    Each metric has the value that it has alone, and all together take little
    more time than one. (Those with `ties="shuffle"` and the same seed share
    their draws.) A batch is read once for all metrics with the same `inputs`,
    and ranked once, to the largest `k`, for all with the same `ties`. Metrics
    without `k` rank whole lists, and share that ranking among themselves.

    Use a collection to handle many metrics as one object. A list of metrics
    that are updated with the same tensors shares its work too, but a collection
    compiles sooner.

    In `compile`, Keras logs the values under the names of the metrics, without
    the prefix of an output or of `weighted_metrics`: if two values share a
    name, one silently overwrites the other. Give one collection a `prefix`.
    Callbacks need the direction: `EarlyStopping("val_ndcg@10", mode="max")`.

    Args:
        metrics: metrics of this package, `Sliced` ones too, or your own
            subclasses of `RankingMetric`, all with different names. They are
            not copied: updates of a metric outside the collection count too.
        prefix: a prefix for the names in the results.
        name: the name of the collection itself, which no result has.
        errors: whether the results include the standard error of each value,
            under its name and `_se`. NaN for fewer than two lists.

    Example:
        >>> from keras_rankmetrics import MetricCollection, NDCG, RecallAtK
        >>> metrics = MetricCollection(NDCG.at(1, 3) + [RecallAtK(k=1)])
        >>> metrics.update_state([[0, 1, 0], [1, 0, 0]], [[3, 2, 1], [3, 2, 1]])
        >>> {name: round(float(x), 4) for name, x in metrics.result().items()}
        {'ndcg@1': 0.5, 'ndcg@3': 0.8155, 'recall@1': 0.5}

    Raises:
        ValueError: if two metrics have the same name, or there is no metric.
        TypeError: if one is not a `RankingMetric`, or overrides `update_state`,
            `result` or `per_list`.

    Stability: stable.
    """

    @checks_names
    def __init__(
        self,
        metrics: Iterable[Accumulator],
        prefix: str = "",
        name: str = "metric_collection",
        errors: bool = False,
    ) -> None:
        members = _members(metrics, bool(errors))
        if not isinstance(prefix, str):
            raise TypeError(
                f"`prefix` should be a string. Received: {prefix!r}."
            )
        super().__init__(name=name)
        self.metrics = members
        self.prefix = prefix
        self.errors = bool(errors)
        self._definitions = [metric.definition for metric in members]
        self._batch_cache = BatchCache(self._definitions)
        self._kinds = _kinds_of(members)
        self._warn_once = WarnOnce()
        self._share_variables()

    @property
    def variables(self) -> list[keras.Variable]:
        """The variables of the metrics, most of them shared."""
        found = {id(v): v for m in self.metrics for v in m.variables}
        return list(found.values())

    def reset_state(self) -> None:
        """Reset the states of all metrics."""
        self._batch_cache.restart()
        for metric in self.metrics:
            metric.reset_state()

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add a batch of lists to the states of all metrics.

        Args:
            y_true: as for the metrics.
            y_pred: as for the metrics.
            sample_weight: as for the metrics.

        Raises:
            ValueError: if one of the metrics raises it. No state changes.
        """
        inputs = y_true, y_pred, sample_weight
        evaluated = self._evaluate(inputs, self._batch_cache.open(inputs))
        terms = [
            kind.aggregate.of_batch(
                evaluated[kind.reading].per_list.of(kind.rows)
            )
            for kind in self._kinds
        ]
        for kind, of_kind in zip(self._kinds, terms, strict=True):
            sums = processes.read_all(kind.sums)
            processes.write_all(kind.sums, processes.add_terms(sums, of_kind))
        draws = [m._draws for m in self.metrics if m._draws is not None]
        if draws:
            processes.write_all(draws, processes.read_all(draws) + 1)

    @unconverted
    def result(self) -> dict[str, Tensor]:
        """Return the result of each metric, by prefix and name."""
        return self._results(self.errors)

    def _results(self, errors: bool) -> dict[str, Tensor]:
        """Return the results, and their standard errors with `errors`."""
        BatchCache.drop()
        found: dict[str, dict[str, Tensor]] = {m.name: {} for m in self.metrics}
        for kind in self._kinds:
            sums = processes.rounded_sums(processes.read_all(kind.sums))
            results = {"": kind.aggregate.result(sums)}
            if errors and hasattr(kind.aggregate, "errors"):
                results["_se"] = kind.aggregate.errors(sums)
            for suffix, of_kind in results.items():
                numbers = ops.unstack(of_kind, len(kind.members))
                for metric, number in zip(kind.members, numbers, strict=True):
                    named = metric.named(number)
                    if not isinstance(named, dict):
                        named = {metric.name: named}
                    for name, x in named.items():
                        found[metric.name][name + suffix] = x
        return {
            self.prefix + name: number
            for named in found.values()
            for name, number in named.items()
        }

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Tensor]:
        """Return the value of each list by metric, without changing a state.

        Args:
            y_true: as for the metrics.
            y_pred: as for the metrics.
            sample_weight: as for the metrics.

        Returns:
            By prefix and name the values in the leading shape of the inputs,
            NaN for an excluded list.
        """
        inputs = y_true, y_pred, sample_weight
        found = dict.fromkeys(self.signatures)
        for places, lists, per_list in self._evaluate(inputs, Batch()):
            rows = ops.unstack(per_list.per_list(), len(places))
            for place, values in zip(places, rows, strict=True):
                name = self.prefix + self.metrics[place].name
                found[name] = lists.leading.as_passed(values)
        return found

    @property
    def state(self) -> dict[str, State]:
        """The states of the metrics by name, without the prefix.

        Raises:
            ValueError: if the states of other metrics are assigned.
        """
        return {metric.name: metric.state for metric in self.metrics}

    @state.setter
    def state(self, state: States) -> None:
        self.set_state(state)

    def get_state(self) -> dict[str, list[np.ndarray]]:
        """Return the states by name, without the prefix, as NumPy arrays."""
        return {metric.name: metric.get_state() for metric in self.metrics}

    def set_state(self, state: States) -> None:
        """Replace the states with those from `get_state` or `state`.

        Raises:
            ValueError: if they belong to other metrics.
        """
        for metric, its_state in self._checked(state):
            metric.set_state(its_state)

    def merge_state(self, others: Sequence[MetricCollection | States]) -> None:
        """Add the states of other collections, as if this had seen all lists.

        Args:
            others: a list of collections or states, with the same signatures
                under the same names. Arrays from `get_state` carry no
                signature: compare the `signatures` yourself.

        Raises:
            TypeError: if `others` is not a list.
            ValueError: if one belongs to other metrics.
        """
        if not isinstance(others, list | tuple):
            raise TypeError(
                "`merge_state` takes a list of collections or states. "
                f"Received: {others!r}. Wrap a single one in a list."
            )
        checked = [pair for other in others for pair in self._checked(other)]
        for metric, its_state in checked:
            metric.merge_state([its_state])

    def sync(self) -> Self:
        """Return a copy with the states of all processes added up.

        See `sync` of a metric. All metrics share one exchange.

        Raises:
            ValueError: in all processes, if they do not have the same metrics.
        """
        BatchCache.drop()
        total = copy.deepcopy(self)
        states = states_of_all(
            [metric.signature for metric in self.metrics],
            [metric._base_slots for metric in self.metrics],
        )
        for metric, state in zip(total.metrics, states, strict=True):
            metric.state = state
        return total

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by prefix and name."""
        return {self.prefix + m.name: m.signature for m in self.metrics}

    def get_config(self) -> dict[str, Any]:
        """Return the config for `from_config`."""
        metrics = map(keras_config, self.metrics)
        return {**self._config(), "metrics": list(metrics)}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return a collection with a config from `get_config`."""
        load = keras.saving.deserialize_keras_object
        return cls._with_metrics(config, list(map(load, config["metrics"])))

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what a pickle needs: the config and the metrics."""
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
        """Return a deep copy: a shared metric would count for both."""
        return copy.deepcopy(self)

    def __str__(self) -> str:
        """Return a line for each metric, with its value and error."""
        return "\n".join(map(str, self.metrics))

    def _repr_html_(self) -> str:
        """Return a table of the results with their errors, for a notebook."""
        found = {n: f"{float(x):.4f}" for n, x in self._results(True).items()}
        names = [self.prefix + n for m in self.metrics for n in m.results]
        return as_html_table(
            ("", "value", "standard error"),
            [(n, found[n], found.get(f"{n}_se", "")) for n in names],
            (),
            self.signatures,
        )

    def _share_variables(self) -> None:
        """Move the states of the metrics to one variable for each kind."""
        drawn = [m for m in self.metrics if m._draws is not None]
        draws: dict[int, Slot] = {}
        if drawn:
            variable = accumulator.zeros(self, "draws", (len(drawn),), "int32")
            draws = {id(m): Slot(variable, i) for i, m in enumerate(drawn)}
        for kind in self._kinds:
            shape = (len(kind.members), *kind.aggregate.shape, 2)
            dtype = kind.members[0].definition.dtype
            variable = accumulator.zeros(self, "sums", shape, dtype)
            for row, metric in enumerate(kind.members):
                metric._move(Slot(variable, row), draws.get(id(metric)))

    def _evaluate(
        self, inputs: Sequence[Any], batch: Batch
    ) -> list[PerReading]:
        draws = [metric._draw() for metric in self.metrics]
        evaluated = evaluate_batch(self._definitions, inputs, batch, draws)
        repeated = accumulator.repeated_in_compile(self)
        for metric in self.metrics:
            warning = batch.warning(metric)
            self._warn_once(repeated or warning, self.name)
        return evaluated

    def _checked(self, state: Any) -> list[tuple[Accumulator, Any]]:
        """Return each metric with its state.

        Raises:
            ValueError: if a state belongs to another metric.
        """
        if isinstance(state, MetricCollection):
            state = {metric.name: metric for metric in state.metrics}
        names = [metric.name for metric in self.metrics]
        if not isinstance(state, Mapping) or set(state) != set(names):
            received = (
                f"{list(state)}."
                if isinstance(state, Mapping)
                else f"a {type(state).__name__}. What `stateless_update_state` "
                "returns are values of `variables`: `assign` one to each."
            )
            raise ValueError(
                "The state of a `MetricCollection` should be a dict, as "
                f"`get_state` returns it, with the names {names}. Received: "
                f"{received}"
            )
        for metric in self.metrics:
            metric._state_of(state[metric.name])
        return [(metric, state[metric.name]) for metric in self.metrics]


class _Kind(NamedTuple):
    """Metrics that read the same lists and keep the same sums.

    Attributes:
        aggregate: the sums that they keep.
        reading: the position of their lists among all that are read.
        rows: their positions among the metrics that read these lists.
        members: the metrics.
    """

    aggregate: Any
    reading: int
    rows: list[int]
    members: list[Accumulator]

    @property
    def sums(self) -> list[Slot]:
        """The slots of their sums."""
        return [metric._sums for metric in self.members]


def _kinds_of(metrics: Sequence[Accumulator]) -> list[_Kind]:
    """Return the kinds of metrics, in the order of the lists they read."""
    kinds = []
    definitions = [metric.definition for metric in metrics]
    for reading, places in enumerate(same_reading(definitions)):
        rows: dict[Any, list[int]] = {}
        for row, place in enumerate(places):
            rows.setdefault(metrics[place].aggregate, []).append(row)
        for aggregate, its_rows in rows.items():
            members = [metrics[places[row]] for row in its_rows]
            kinds.append(_Kind(aggregate, reading, its_rows, members))
    return kinds


def _members(
    metrics: Iterable[Accumulator], errors: bool
) -> tuple[Accumulator, ...]:
    """Return the metrics, if a collection can contain them together.

    Args:
        metrics: the argument of the collection.
        errors: whether the collection reports standard errors.

    Raises:
        TypeError: if one is not a metric, or not one that a collection can
            contain.
        ValueError: if there is no metric, or two have the same name.
    """
    if isinstance(metrics, Mapping) or not isinstance(metrics, Iterable):
        raise TypeError(
            "`metrics` should be a list: `MetricCollection([NDCG(k=10)])`. "
            f"Received: {metrics!r}. Values are named after their metrics: "
            '`NDCG(k=10, name="my_ndcg@10")`.'
        )
    is_text = isinstance(metrics, str)
    members: tuple[Any, ...] = (metrics,) if is_text else tuple(metrics)
    if not members:
        raise ValueError("`metrics` should hold a metric. Received: none.")
    for metric in members:
        _check_member(metric, errors)
    names = collections.Counter(
        name for metric in members for name in metric.results
    )
    if errors:
        names.update([f"{name}_se" for name in names])
    [(name, times)] = names.most_common(1)
    if times > 1:
        raise ValueError(
            "The metrics of a collection should have different names, which "
            f"are the keys of its result. Received: {times} with the name "
            f'"{name}". Rename one: `NDCG(k=10, name="my_ndcg@10")`.'
        )
    return members


def _check_member(metric: Any, errors: bool) -> None:
    if isinstance(metric, list | tuple) or hasattr(metric, "signatures"):
        raise TypeError(
            "`metrics` should be a flat list of metrics. Received in it: "
            f"{metric!r}. Unpack a list with a star, "
            "`[*NDCG.at(1, 10), ...]`, and a collection too, "
            "`[*collection.metrics, ...]`."
        )
    if not isinstance(metric, Accumulator):
        received = repr(metric)
        advice = "Keep other metrics outside the collection."
        if callable(metric) and not isinstance(metric, keras.metrics.Metric):
            advice = "If it is the class of one, call it: `NDCG(k=10)`."
        elif isinstance(metric, str):
            received = f"the text {metric!r}"
            advice = (
                "Construct them, as in `NDCG(k=10)`; `evaluate` takes text."
            )
        raise TypeError(
            "`metrics` should hold ranking metrics, instances of "
            f"`RankingMetric`. Received: {received}. {advice}"
        )
    for method in accumulator.own_methods(metric, Accumulator):
        raise TypeError(
            "A collection does not call the methods of its metrics. Received: "
            f"{type(metric).__name__}, which has its own `{method}`. Keep it "
            "outside the collection."
        )
    if errors and not hasattr(metric.aggregate, "errors"):
        raise TypeError(
            "With `errors=True`, each metric should have a standard error. "
            f"Received: {metric!r}, whose `aggregate` has no `errors`."
        )
