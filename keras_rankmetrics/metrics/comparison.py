"""Systems on the same lists, beside a baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import keras

from keras_rankmetrics.engine.aggregates import (
    Estimate,
    PerList,
)
from keras_rankmetrics.engine.aggregates.paired import (
    Difference,
    Paired,
    differences,
    estimate_of,
)
from keras_rankmetrics.engine.backend.tracing import unconverted
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.metric.accumulator import on_host
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.naming.signature import as_table, as_text
from keras_rankmetrics.gains import PACKAGE
from keras_rankmetrics.metrics.bases import MultiValueMetric, check_mean
from keras_rankmetrics.types import Tensor


@keras.saving.register_keras_serializable(package=PACKAGE)
class Comparison(MultiValueMetric):
    """A metric of several systems on the same lists, beside a baseline.

    A system is what scores the items: a model, or a version of one. The same
    lists are easy or hard for all of them, so the differences list by list tell
    much more than the two means. For each system and the baseline these are

        t = mean(d) / standard error(d),   d = value(system) - value(baseline)

    with the weights of the lists, and p from Student's distribution with as
    many degrees of freedom as there are independent rows, less one. It is
    corrected for the number of systems after Holm. A small p says that there is
    a difference, not that it matters: look at the effect size.

    All is computed in one pass, from sums: states merge, as those of any
    metric. The results are named after the metric: `"ndcg@10/new"` is the value
    of a system, `"ndcg@10/new-old"` its difference to the baseline.

    A list counts for a difference where it counts for both systems.

    Args:
        metric: the metric. It is not updated itself.
        systems: the names of the systems, the baseline among them.
        baseline: to which the others are compared; the first one by default.
        name: what names of results begin with; by default the metric's name.

    Example:
        >>> from keras_rankmetrics import Comparison, MeanReciprocalRank
        >>> comparison = Comparison(MeanReciprocalRank(), ["old", "new"])
        >>> labels = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]]
        >>> old, new = [[3, 2, 1]] * 4, [[3, 2, 1], [1, 3, 2]] * 2
        >>> comparison.update_state(labels, {"old": old, "new": new})
        >>> print(comparison.table())
        mrr   value       ±    diff       ±       p  effect  wins  ties  losses
        old  0.5833  0.4593
        new  0.8333  0.5304  0.2500  0.4593  0.1817    0.87     2     2       0

    Smucker, Allan and Carterette, CIKM (2007); Urbano, Lima and Hanjalic, SIGIR
    (2019); Holm, Scandinavian Journal of Statistics 6 (1979).
    """

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
            Paired(2 * len(systems) - 1, metric.aggregate),
            name,
        )
        self._more_is_better = metric._direction == "up"
        self.systems = tuple(systems)
        self.baseline = self.systems[0] if baseline is None else baseline

    @property
    def signature(self) -> str:
        """That of the metric, with the systems."""
        systems = as_text(self.systems)
        return f"{super().signature}|systems:{systems}|baseline:{self.baseline}"

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Adds a batch of lists, as the metric would, for each system.

        Args:
            y_true: as for the metric.
            y_pred: a dict with what each system predicts, by its name; or a
                list of it, in the order of `systems`.
            sample_weight: as for the metric.

        Raises:
            ValueError: what the metric would, or if `y_pred` does not hold
                these systems. The state is then as before.
        """
        predictions = self._by_system(y_pred)
        found = {
            system: self._of_system(system, y_true, of_system, sample_weight)
            for system, of_system in predictions.items()
        }
        baseline = found[self.baseline]
        others = [
            found[system]._replace(
                values=found[system].values - baseline.values,
                weights=baseline.weights,
                has_own_weight=baseline.has_own_weight,
                counts=found[system].counts & baseline.counts,
            )
            for system in self._others
        ]
        rows = [*found.values(), *others]
        self._add(self.aggregate.of_batch(PerList.joined(rows))[0])

    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Tensor]:
        """The value of each list under each system; no state changes.

        In the leading shape, NaN for a list that does not count.
        """
        found = {}
        for system, of_system in self._by_system(y_pred).items():
            _, lists, per_list = self._evaluate(
                y_true, of_system, sample_weight
            )
            values = per_list.per_list()[0]
            found[system] = lists.leading.as_passed(values)
        return found

    @property
    def results(self) -> list[str]:
        """The names of the values, and of the differences."""
        return [
            *(f"{self.name}/{system}" for system in self.systems),
            *(f"{self.name}/{s}-{self.baseline}" for s in self._others),
        ]

    def estimates(self) -> dict[str, Estimate]:
        """The value of each system, with its standard error."""
        sums = on_host(self._seen())[: len(self.systems)]
        bounded = self.aggregate.mean.bounded
        return {
            system: estimate_of(of_system, bounded)
            for system, of_system in zip(self.systems, sums, strict=True)
        }

    def differences(self) -> list[Difference]:
        """How each system but the baseline compares to it."""
        sums = on_host(self._seen())[len(self.systems) :]
        return differences(
            sums,
            self._others,
            self.baseline,
            bounded=self.aggregate.mean.bounded,
            more_is_better=self._more_is_better,
        )

    def table(self, level: float = 0.95) -> str:
        """All of it as a table, ± being half the confidence interval."""
        head = ("value", "±", "diff", "±", "p", "effect")
        differences = {x.system: x for x in self.differences()}
        return as_table(
            (self.name, *head, "wins", "ties", "losses"),
            [
                _row(system, estimate, differences.get(system), level)
                for system, estimate in self.estimates().items()
            ],
        )

    def _own_config(self) -> dict[str, Any]:
        return {
            "metric": self._metric(),
            "systems": list(self.systems),
            "baseline": self.baseline,
            "name": self.name,
        }

    def _of_system(self, system: str, *batch: Any) -> PerList:
        try:
            return self._evaluate(*batch).per_list
        except (TypeError, ValueError) as error:
            error.add_note(f"That is what the system {system!r} predicts.")
            raise

    def _by_system(self, y_pred: Any) -> dict[str, Any]:
        """What each system predicts, in the order of the systems."""
        given: Any = y_pred
        if isinstance(y_pred, list | tuple):
            given = dict(zip(self.systems, y_pred, strict=False))
        if (
            not isinstance(given, Mapping)
            or set(given) != set(self.systems)
            or len(y_pred) != len(self.systems)
        ):
            received = (
                f"the keys {sorted(map(str, y_pred))}"
                if isinstance(y_pred, Mapping)
                else f"{type(y_pred).__name__} of {len(y_pred)}"
                if hasattr(y_pred, "__len__")
                else type(y_pred).__name__
            )
            raise ValueError(
                "`y_pred` should be a dict with what each system predicts, by "
                f"the names {list(self.systems)}, or a list of it in that "
                f"order. Received: {received}."
            )
        return {system: given[system] for system in self.systems}

    @property
    def _others(self) -> list[str]:
        return [system for system in self.systems if system != self.baseline]


def _row(
    system: str, estimate: Estimate, difference: Difference | None, level: float
) -> tuple[str, ...]:
    value = f"{estimate.value:.4f}", f"{estimate.margin(level):.4f}"
    if difference is None:
        return system, *value, *[""] * 7
    d = difference
    return (
        system,
        *value,
        f"{d.estimate.value:.4f}",
        f"{d.estimate.margin(level):.4f}",
        f"{d.p_holm:.4f}",
        f"{d.effect_size:.2f}",
        *(f"{count:,}" for count in (d.wins, d.ties, d.losses)),
    )


def _check_systems(systems: Any, baseline: Any) -> None:
    names = list(systems) if isinstance(systems, list | tuple) else []
    texts = all(isinstance(name, str) for name in names)
    if len(names) < 2 or not texts or len(set(names)) < len(names):
        raise ValueError(
            "`systems` should be a list of two or more different names. "
            f"Received: {systems!r}."
        )
    against = names[:1] if baseline is None else [baseline]
    if {f"{name}-{other}" for name in names for other in against} & set(names):
        raise ValueError(
            "The name of a system should not be that of a difference to the "
            f"baseline, as `new-{against[0]}` is. Received: {systems!r}."
        )
    if baseline is not None and baseline not in names:
        raise ValueError(
            f"`baseline` should be one of the systems {names}. Received: "
            f"{baseline!r}."
        )
