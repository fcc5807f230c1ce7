"""Metrics with several values: for groups of lists, or for several systems."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from keras_rankmetrics.engine import naming
from keras_rankmetrics.engine.aggregates import Aggregate, Estimate, PerList
from keras_rankmetrics.engine.aggregates.estimate import spread_as_text
from keras_rankmetrics.engine.aggregates.mean import Grouped
from keras_rankmetrics.engine.aggregates.paired import (
    Difference,
    Paired,
    differences,
    with_holm,
    with_parts,
)
from keras_rankmetrics.engine.backend.keras_internals import keras_config
from keras_rankmetrics.engine.backend.operations import as_integer, ops
from keras_rankmetrics.engine.backend.tracing import unconverted
from keras_rankmetrics.engine.definition import Definition, checks_names
from keras_rankmetrics.engine.definition.options import invalid
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.engine.metric.accumulator import Accumulator
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean, register
from keras_rankmetrics.types import GroupFn, Tensor

__all__ = ["Comparison", "Sliced"]


class MultiValueMetric(Accumulator):
    """The base of metrics with several values, computed from one metric.

    Args:
        metric: the metric. It is not updated itself.
        definition: defines the value of each list.
        aggregate: the sums to keep, and the `results` computed from them.
        name: the name; by default that of the metric.
    """

    _parameters: ClassVar[tuple[str, ...]]
    """The parameters in the config, besides `metric` and `name`."""

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
        self._create_variables(name)

    @property
    def metric(self) -> RankingMetric:
        """A copy of the metric, without state."""
        return self._metric()

    def named(self, result: Tensor) -> dict[str, Tensor]:
        """Return the values by name."""
        names = self.results
        numbers = ops.unstack(result[: len(names)], len(names))
        return dict(zip(names, numbers, strict=True))

    def estimates(self) -> dict[str, Estimate]:
        """Return the values that have a standard error, by name."""
        raise NotImplementedError

    def _estimates_of(self, names: Sequence[str]) -> dict[str, Estimate]:
        """Return the estimates for the first rows of the sums, by name."""
        sums, bounded = self._sums_on_host(), self.aggregate.mean.bounded
        return {
            name: Estimate.of_sums(row, bounded)
            for name, row in zip(names, sums, strict=False)
        }

    def table(self, level: float = 0.95) -> str:
        """Return the values as a table, with confidence intervals."""
        estimates = self.estimates()
        first = estimates[self.results[0]]
        rows = []
        result = self.result()
        values = result if isinstance(result, dict) else {self.name: result}
        for name, value in values.items():
            spread = self._spread(name, estimates, level)
            lists = estimates.get(name, first).lists
            rows.append((name, f"{float(value):.4f}", spread, f"{lists:,}"))
        return as_table(("", "value", "interval", "lists"), rows)

    def _spread(
        self, name: str, estimates: Mapping[str, Estimate], level: float
    ) -> str:
        """Return the confidence interval of a value, "" if it has none."""
        found = estimates.get(name)
        return "" if found is None else _with_spread(found, level)[1]

    def __str__(self) -> str:
        """Return the table, or the repr while the values are traced."""
        return self.table() if self._is_concrete() else repr(self)

    def get_config(self) -> dict[str, Any]:
        """Return the config from which `from_config` rebuilds the metric."""
        metric = keras_config(self._metric())
        return {**self._own_config(), "metric": metric}

    def _own_config(self) -> dict[str, Any]:
        # A copy, unlike a saved file, needs no registered function.
        own = {name: getattr(self, name) for name in self._parameters}
        return {"metric": self._metric(), **own, "name": self.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return the metric that a config from `get_config` describes."""
        return cls(**naming.deserialized(config))


class OneValueMetric(MultiValueMetric):
    """The base of metrics with one value that has a standard error."""

    def __init__(self, metric: RankingMetric, *arguments: Any) -> None:
        super().__init__(metric, *arguments)
        self._direction = metric._direction

    def named(self, result: Tensor) -> Any:
        """Return the result of the metric, a number."""
        return result

    def estimate(self) -> Estimate:
        """Return the result with its standard error."""
        raise NotImplementedError

    def estimates(self) -> dict[str, Estimate]:
        """Return the estimate by name."""
        return {self.name: self.estimate()}

    def __str__(self) -> str:
        """Return the estimate, or why there is none; the repr if traced."""
        if not self._is_concrete():
            return repr(self)
        try:
            return f"{self.name} = {self.estimate()}"
        except ValueError as error:
            return f"{self.name}: {error}"


@register
class Sliced(MultiValueMetric):
    """A metric over all lists, and over each group of lists.

    A group is a slice of the data: head and tail queries, new and returning
    users, one market. Each list belongs to one group, an integer from 0. In
    direct calls, pass it as `y_true["group"]`, one per list, or one per row if
    there are several leading dimensions. Alternatively the function `by`
    computes it, in `fit` as well.

    Results are named after the metric and the group: `"ndcg@10"` for all lists,
    `"ndcg@10/tail"` for one group. The value of a group without lists is 0.

    A list whose value is NaN makes its group and the total NaN, but no other
    group. A valid list with a group out of range is an error where the check is
    possible. In compiled programs it counts in no group, and the total is NaN.

    Args:
        metric: the metric. It is not updated itself.
        groups: the names of the groups, or their number.
        by: a function from `(y_true, y_pred)` to the group of each list, see
            `keras_rankmetrics.types.GroupFn`. Register it with Keras to save
            the metric.
        name: the prefix of the result names; by default the metric's name.

    Example:
        >>> from keras_rankmetrics import PrecisionAtK, Sliced
        >>> sliced = Sliced(PrecisionAtK(k=1), groups=["head", "tail"])
        >>> labels, scores = [[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3
        >>> sliced.update_state({"labels": labels, "group": [0, 1, 1]}, scores)
        >>> {name: float(value) for name, value in sliced.result().items()}
        ... # doctest: +NORMALIZE_WHITESPACE
        {'precision@1': 0.6666666865348816, 'precision@1/head': 1.0,
         'precision@1/tail': 0.5}

    Stability: stable.
    """

    _parameters = ("groups", "by")

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        groups: Sequence[str] | int,
        by: GroupFn | None = None,
        name: str | None = None,
    ) -> None:
        check_mean(metric)
        if by is not None and not callable(by):
            raise TypeError(f"`by` should be a function. Received: {by!r}.")
        names = _names(groups)
        super().__init__(
            metric,
            dataclasses.replace(metric.definition, by=by),
            Grouped(len(names), metric.aggregate),
            name,
        )
        self.groups: int | tuple[str, ...] = as_integer(groups) or tuple(names)
        self.by = by
        self._names = names

    @property
    def signature(self) -> str:
        """The signature of the metric, with the groups."""
        by = "" if self.by is None else f"|by:{naming.signature_of(self.by)}"
        return f"{super().signature}|groups:{naming.as_line(self._names)}{by}"

    def estimates(self) -> dict[str, Estimate]:
        """Return the results with their standard errors and numbers of lists.

        The groups are taken as fixed: the standard errors ignore that the
        number of lists in a group is itself random.
        """
        return self._estimates_of(self.results)

    def get_config(self) -> dict[str, Any]:
        """Return the config from which `from_config` rebuilds the metric."""
        by = None if self.by is None else naming.serialized(self.by, "by")
        return {**super().get_config(), "by": by}

    @property
    def results(self) -> list[str]:
        """The name of the total, and of each group."""
        return [self.name, *(f"{self.name}/{name}" for name in self._names)]


def _names(groups: Any) -> list[str]:
    number = as_integer(groups)
    if number is not None and number > 0:
        return list(map(str, range(number)))
    names = _distinct_names(groups)
    if not names:
        expected = "a list of different names, or the number of groups"
        raise invalid("groups", expected, groups)
    return names


@register
class Comparison(MultiValueMetric):
    """A metric of several systems on the same lists, compared with a baseline.

    A system is anything that scores items: a model, or a version of one. All
    systems face the same easy and hard lists, so their differences list by list
    are far more informative than two separate means. Each system is compared
    with the baseline by a paired t test,

        t = mean(d) / standard error(d),   d = value(system) - value(baseline)

    weighted by the weights of the lists. The p value is that of Student's
    distribution with one degree of freedom less than there are independent
    rows, corrected for the number of systems by Holm's method. A small p value
    means that there is a difference, not that it matters: look at the effect
    size.

    Everything is computed in one pass, from sums, and states merge like those
    of any metric. Results are named after the metric: `"ndcg@10/new"` is the
    value of a system, `"ndcg@10/new-old"` its difference from the baseline.

    A list counts towards a difference only if it counts for both systems.

    Args:
        metric: the metric. It is not updated itself.
        systems: the names of the systems, including the baseline.
        baseline: the system that the others are compared with; by default the
            first one.
        name: the prefix of the result names; by default the metric's name.

    Example:
        >>> from keras_rankmetrics import Comparison, MeanReciprocalRank
        >>> comparison = Comparison(MeanReciprocalRank(), ["old", "new"])
        >>> labels = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
        >>> old, new = [[3, 2, 1]] * 4, [[3, 2, 1], [1, 3, 2]] * 2
        >>> comparison.update_state(labels, {"old": old, "new": new})
        >>> print(comparison.table())  # doctest: +NORMALIZE_WHITESPACE
        mrr   value          interval
            diff           interval  p of t  effect  wins  ties  losses
        old  0.5833  [0.1179, 0.9640]
        new  0.8333  [0.0775, 1.0000]
            0.2500  [-0.6956, 0.8409]  0.1817    0.87     2     2       0

    Smucker, Allan and Carterette, CIKM (2007); Urbano, Lima and Hanjalic, SIGIR
    (2019); Holm, Scandinavian Journal of Statistics 6 (1979).

    Stability: stable.
    """

    _parameters = ("systems", "baseline")

    @checks_names
    def __init__(
        self,
        metric: RankingMetric,
        systems: Sequence[str],
        baseline: str | None = None,
        name: str | None = None,
    ) -> None:
        check_mean(metric)
        _check_systems(systems, baseline)
        super().__init__(
            metric,
            metric.definition,
            Paired.of(len(systems), metric.aggregate),
            name,
        )
        self._more_is_better = metric._direction == "up"
        self.systems: tuple[str, ...] = tuple(systems)
        self.baseline: str = self.systems[0] if baseline is None else baseline

    @property
    def signature(self) -> str:
        """The signature of the metric, with the systems."""
        systems = naming.as_line(self.systems)
        return f"{super().signature}|systems:{systems}|baseline:{self.baseline}"

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add a batch of lists for each system.

        Args:
            y_true: as for the metric.
            y_pred: a dict from the name of each system to its predictions, or a
                list of predictions in the order of `systems`.
            sample_weight: as for the metric.

        Raises:
            ValueError: if the metric raises it, or if `y_pred` does not hold
                exactly these systems. The state is then unchanged.
        """
        predictions = self._by_system(y_pred)
        found = {
            system: self._of_system(system, y_true, of_system, sample_weight)
            for system, of_system in predictions.items()
        }
        baseline = found[self.baseline]
        others = [
            baseline._replace(
                values=found[system].values - baseline.values,
                valid=found[system].valid & baseline.valid,
            )
            for system in self._others
        ]
        against = PerList.joined(others)
        if self.aggregate.mean.bounded:
            against = with_parts(against)
        rows = [*found.values(), against]
        self._add(self.aggregate.of_batch(PerList.joined(rows))[0])

    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Tensor]:
        """Return the value of each list by system, without changing the state.

        Values have the leading shape of the input. Excluded lists are NaN.
        """
        per_list = super().per_list
        return {
            system: per_list(y_true, of_system, sample_weight)
            for system, of_system in self._by_system(y_pred).items()
        }

    @property
    def results(self) -> list[str]:
        """The names of the values and of the differences."""
        return [
            *(f"{self.name}/{system}" for system in self.systems),
            *(f"{self.name}/{s}-{self.baseline}" for s in self._others),
        ]

    def estimates(self) -> dict[str, Estimate]:
        """Return the value of each system, with its standard error."""
        return self._estimates_of(self.systems)

    def differences(self) -> list[Difference]:
        """Return the comparison of each other system with the baseline."""
        sums = self._sums_on_host()[len(self.systems) :]
        found = differences(
            sums,
            self._others,
            self.baseline,
            bounded=self.aggregate.mean.bounded,
            more_is_better=self._more_is_better,
        )
        return with_holm(found)

    def table(self, level: float = 0.95) -> str:
        """Return values and differences as a table.

        The intervals are ± half their width, or [low, high].
        """
        head = ("value", "interval", "diff", "interval", "p of t", "effect")
        differences = {x.system: x for x in self.differences()}
        rows = []
        for system, estimate in self.estimates().items():
            cells = [""] * 7
            if x := differences.get(system):
                cells = [
                    *_with_spread(x.estimate, level),
                    f"{x.p_holm:.4f}",
                    f"{x.effect_size:.2f}",
                    *(f"{n:,}" for n in (x.wins, x.ties, x.losses)),
                ]
            rows.append((system, *_with_spread(estimate, level), *cells))
        return as_table(
            (self.name, *head, "wins", "ties", "losses"),
            rows,
        )

    def _of_system(self, system: str, *batch: Any) -> PerList:
        try:
            return self._evaluate(*batch).per_list
        except (TypeError, ValueError) as error:
            error.add_note(f"The error is in the input of system {system!r}.")
            raise

    def _by_system(self, y_pred: Any) -> dict[str, Any]:
        """Return the predictions of each system, in the order of `systems`."""
        systems, predictions = self.systems, y_pred
        if isinstance(y_pred, list | tuple) and len(y_pred) == len(systems):
            predictions = dict(zip(systems, y_pred, strict=True))
        if isinstance(predictions, Mapping):
            if set(predictions) == set(systems):
                return {system: predictions[system] for system in systems}
            received = f"the keys {sorted(map(str, predictions))}"
        else:
            received = type(y_pred).__name__
            if hasattr(y_pred, "__len__"):
                received += f" of {len(y_pred)}"
        raise ValueError(
            "`y_pred` should be a dict of predictions with the keys "
            f"{list(systems)}, or a list of predictions in that order. "
            f"Received: {received}."
        )

    @property
    def _others(self) -> list[str]:
        return [system for system in self.systems if system != self.baseline]


def _with_spread(estimate: Estimate, level: float) -> tuple[str, str]:
    spread = spread_as_text(estimate.value, *estimate.interval(level))
    return f"{estimate.value:.4f}", spread


def _check_systems(systems: Any, baseline: Any) -> None:
    names = _distinct_names(systems)
    if len(names) < 2:
        expected = "a list of at least two different names"
        raise invalid("systems", expected, systems)
    against = names[0] if baseline is None else baseline
    if {f"{name}-{against}" for name in names} & set(names):
        raise ValueError(
            "No system should have the result name of a difference from the "
            f"baseline, such as `new-{against}`. Received: {systems!r}."
        )
    if baseline is not None and baseline not in names:
        raise invalid("baseline", f"one of the systems {names}", baseline)


def _distinct_names(names: Any) -> list[str]:
    """Return a list of different texts, or an empty list for anything else."""
    found = list(names) if isinstance(names, list | tuple) else []
    are_texts = all(isinstance(name, str) for name in found)
    return found if are_texts and len(set(found)) == len(found) else []
