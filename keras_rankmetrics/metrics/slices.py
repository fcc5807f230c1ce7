"""A metric for each group of lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import keras

from keras_rankmetrics.engine.aggregates import Estimate
from keras_rankmetrics.engine.aggregates.mean import Grouped
from keras_rankmetrics.engine.backend.operations import as_integer
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.metric.accumulator import on_host
from keras_rankmetrics.engine.metric.configured import RankingMetric
from keras_rankmetrics.engine.naming.saving import serialized
from keras_rankmetrics.engine.naming.signature import (
    as_table,
    as_text,
    signature_of,
)
from keras_rankmetrics.gains import PACKAGE
from keras_rankmetrics.metrics.bases import MultiValueMetric, check_mean
from keras_rankmetrics.types import GroupFn

__all__ = ["Sliced"]


@keras.saving.register_keras_serializable(package=PACKAGE)
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
    """

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
        number = as_integer(groups)
        self.groups = tuple(names) if number is None else number
        self.by = by
        self._names = names

    @property
    def signature(self) -> str:
        """The signature of the metric, with the groups."""
        by = "" if self.by is None else f"|by:{signature_of(self.by)}"
        return f"{super().signature}|groups:{as_text(self._names)}{by}"

    def estimates(self) -> dict[str, Estimate]:
        """Return the results with their standard errors and numbers of lists.

        The groups are taken as fixed: the standard errors ignore that the
        number of lists in a group is itself random.
        """
        sums = on_host(self._seen())
        bounded = self.aggregate.mean.bounded
        return {
            name: Estimate.of_sums(of_name, bounded)
            for name, of_name in zip(self.results, sums, strict=True)
        }

    def table(self, level: float = 0.95) -> str:
        """Return the estimates as a table, with confidence intervals."""
        return as_table(
            ("", "value", "±", "lists"),
            [
                (
                    name,
                    f"{e.value:.4f}",
                    f"{e.margin(level):.4f}",
                    f"{e.lists:,}",
                )
                for name, e in self.estimates().items()
            ],
        )

    def get_config(self) -> dict[str, Any]:
        """Return the config from which `from_config` rebuilds the metric."""
        by = None if self.by is None else serialized(self.by, "by")
        return {**super().get_config(), "by": by}

    def _own_config(self) -> dict[str, Any]:
        # A copy, unlike a saved file, needs no registered function.
        return {
            "metric": self._metric(),
            "groups": self.groups,
            "by": self.by,
            "name": self.name,
        }

    @property
    def results(self) -> list[str]:
        """The name of the total, and of each group."""
        return [self.name, *(f"{self.name}/{name}" for name in self._names)]


def _names(groups: Any) -> list[str]:
    number = as_integer(groups)
    if number is not None and number > 0:
        return list(map(str, range(number)))
    names = list(groups) if isinstance(groups, list | tuple) else []
    are_texts = all(isinstance(name, str) for name in names)
    if not names or not are_texts or len(set(names)) < len(names):
        raise ValueError(
            "`groups` should be a list of different names, or the number of "
            f"groups. Received: {groups!r}."
        )
    return names
