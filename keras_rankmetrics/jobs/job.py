"""`Job`: which metrics are computed of which columns, and how."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.shells.collection import MetricCollection
from keras_rankmetrics.engine.shells.metric import RankingMetric
from keras_rankmetrics.jobs.chunks import Lists, chunks, padded
from keras_rankmetrics.jobs.columns import Columns
from keras_rankmetrics.jobs.counting import Counting, Part
from keras_rankmetrics.jobs.slicing import Slicing

Arrays = Mapping[str, np.ndarray]


@dataclasses.dataclass(frozen=True, eq=False)
class Job:
    """Metrics, and the columns that they are computed from.

    Attributes:
        members: the metrics, in the order of their states.
        columns: which are read.
        slicings: of each member that is sliced by a column, else None.
        lists_per_update: how many lists the metrics see at once.
    """

    members: Sequence[Any]
    columns: Columns
    slicings: Sequence[Slicing | None]
    lists_per_update: int

    def states(self, parts: Iterable[Lists]) -> list[State] | None:
        """The states of the metrics after all lists; None if there are none.

        Args:
            parts: of the lists, what the columns hold of them.
        """
        return self._counting.states_of(self._batches(parts))

    @functools.cached_property
    def _counting(self) -> Counting:
        return Counting(list(self._parts()), self.members)

    def _batches(self, parts: Iterable[Lists]) -> Iterator[Arrays]:
        slicings = {s for s in self.slicings if s is not None}
        fills = self._fills()
        for lists in parts:
            numbers = {s.name: s.numbers(lists[s.column]) for s in slicings}
            named = {k: x for k, x in lists.items() if k in fills}
            for chunk in chunks({**named, **numbers}, self.lists_per_update):
                yield padded(
                    chunk,
                    {**fills, **dict.fromkeys(numbers, 0)},
                    {*numbers, *self.columns.as_long},
                )

    def _fills(self) -> dict[str, float]:
        """What stands where there is no item, which makes it none."""
        c = self.columns
        fills = dict.fromkeys(c.predictions, -1 if c.form == "ids" else 0.0)
        for name in (c.sample_weight, c.num_relevant):
            if name is not None:
                fills[name] = 0.0
        if c.exclude is not None:
            fills[c.exclude] = -1
        return {**fills, c.y_true: -1}

    def _parts(self) -> Iterator[Part]:
        """Those that can share, together; each of the others apart."""
        together: dict[Slicing | None, list[Any]] = {}
        for member, slicing in zip(self.members, self.slicings, strict=True):
            if _shares(member):
                together.setdefault(slicing, []).append(member)
            else:
                yield Part(member, functools.partial(self._passed, slicing))
        for slicing, members in together.items():
            yield Part(
                MetricCollection(members),
                functools.partial(self._passed, slicing),
            )

    def _passed(
        self, slicing: Slicing | None, arrays: Arrays
    ) -> tuple[Any, Any, Any]:
        c = self.columns
        y_true = {
            "labels" if c.form == "scores" else "target": arrays[c.y_true]
        }
        if slicing is not None:
            y_true["group"] = arrays[slicing.name]
        if c.exclude is not None:
            y_true["exclude"] = arrays[c.exclude]
        if c.num_relevant is not None:
            y_true["num_relevant"] = arrays[c.num_relevant][:, 0]
        y_pred: Any = (
            arrays[c.y_pred]
            if isinstance(c.y_pred, str)
            else {system: arrays[x] for system, x in c.y_pred.items()}
        )
        weights = None if c.sample_weight is None else arrays[c.sample_weight]
        return y_true, y_pred, weights


def _shares(member: Any) -> bool:
    """Whether a collection takes it: whether it has no ways of its own."""
    return all(
        getattr(type(member), way) is getattr(RankingMetric, way)
        for way in ("update_state", "result", "per_list")
    )
