"""The mean of a metric in each group of lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import keras

from keras_rankmetrics.engine.aggregates import Estimate
from keras_rankmetrics.engine.aggregates.grouped import Grouped
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


@keras.saving.register_keras_serializable(package=PACKAGE)
class Sliced(MultiValueMetric):
    """A metric over all lists, and over each group of them.

    A group is a slice of the lists that is looked at apart: head and tail
    queries, new and old users, one market. Each list belongs to one group, an
    integer from 0. In direct calls it is `y_true["group"]`, one for each list;
    with several leading dimensions, one for each row does. Or the function `by`
    finds it, in `fit` as well.

    The results are named after the metric and the group: `"ndcg@10"` for all
    lists, `"ndcg@10/tail"` for one group. A group without lists is 0.

    A list whose value is NaN makes that of its group and of all NaN, and of no
    other group. A list that counts and whose group is none of these is an error
    where that is seen. In compiled programs it counts in no group, and the
    value of all is NaN.

    Args:
        metric: the metric. It is not updated itself.
        groups: the names of the groups, or how many there are.
        by: `(y_true, y_pred)` to the group of each list, see
            `keras_rankmetrics.types.GroupFn`. To be saved it must be registered
            with Keras.
        name: what names of results begin with; by default the metric's name.

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
        """That of the metric, with the groups."""
        by = "" if self.by is None else f"|by:{signature_of(self.by)}"
        return f"{super().signature}|groups:{as_text(self._names)}{by}"

    def estimates(self) -> dict[str, Estimate]:
        """The results with their standard errors, and the lists they rest on.

        The group of a list is taken as given, so that the number of lists of a
        group is no part of the error.
        """
        sums = on_host(self._seen())
        bounded = self.aggregate.mean.bounded
        return {
            name: Estimate.of_sums(of_name, bounded)
            for name, of_name in zip(self.results, sums, strict=True)
        }

    def table(self, level: float = 0.95) -> str:
        """The estimates as a table, with confidence intervals."""
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
        """What `from_config` needs to make the same metric."""
        by = None if self.by is None else serialized(self.by, "by")
        return {**super().get_config(), "by": by}

    def _own_config(self) -> dict[str, Any]:
        # Functions need not be registered to be copied.
        return {
            "metric": self._metric(),
            "groups": self.groups,
            "by": self.by,
            "name": self.name,
        }

    @property
    def results(self) -> list[str]:
        """The name of the metric, and with that of each group."""
        return [self.name, *(f"{self.name}/{name}" for name in self._names)]


def _names(groups: Any) -> list[str]:
    number = as_integer(groups)
    if number is not None and number > 0:
        return list(map(str, range(number)))
    names = list(groups) if isinstance(groups, list | tuple) else []
    texts = all(isinstance(name, str) for name in names)
    if not names or not texts or len(set(names)) < len(names):
        raise ValueError(
            "`groups` should be a list of different names, or how many groups "
            f"there are. Received: {groups!r}."
        )
    return names
