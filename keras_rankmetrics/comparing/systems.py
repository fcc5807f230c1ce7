"""`Measured`: the values of all systems, metrics and lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.overlap import Overlap
from keras_rankmetrics.comparing.values import Values


class Measure(NamedTuple):
    """A metric as saved values, a column of the table.

    Attributes:
        name: the name of the metric.
        signature: the signature of the metric.
        more_is_better: True if higher values are better.
        bounded: True if values are in [0, 1].
    """

    name: str
    signature: str
    more_is_better: bool
    bounded: bool


class Gaps(NamedTuple):
    """The numbers of queries that only one side has.

    Attributes:
        missing: the queries of the truth that the system lacks.
        unknown: the queries of the system that the truth lacks.
    """

    missing: int = 0
    unknown: int = 0


class System(NamedTuple):
    """The measurements of a system.

    Attributes:
        values: the value of each metric and list.
        gaps: the queries that the system or the truth lacks.
        overlap: the items that the system and the truth have in common.
    """

    values: Values
    gaps: Gaps = Gaps()
    overlap: Overlap = Overlap()


@dataclasses.dataclass(frozen=True)
class Measured:
    """The values of all systems, metrics and lists.

    Attributes:
        measures: the metrics.
        lists: the ids of the queries, or the numbers of the lists.
        truth: a fingerprint of the truth.
        systems: the values of each system, by name.
    """

    measures: tuple[Measure, ...]
    lists: tuple[Any, ...]
    truth: str
    systems: Mapping[str, System]

    def joined(self, other: Measured) -> Measured:
        """Return the values of the systems of both.

        Raises:
            ValueError: if metrics, lists or the truth differ, or a system is in
                both.
        """
        _check_same(self, other)
        place = {name: i for i, name in enumerate(other.lists)}
        order = np.array([place[name] for name in self.lists], np.int64)
        moved = {
            name: system._replace(values=system.values.taken(order))
            for name, system in other.systems.items()
        }
        return dataclasses.replace(self, systems={**self.systems, **moved})


def _check_same(one: Measured, other: Measured) -> None:
    names = [[m.name for m in x.measures] for x in (one, other)]
    if names[0] != names[1]:
        raise ValueError(
            "Comparisons that are joined should have the same metrics. "
            f"Received: {names[0]} and {names[1]}."
        )
    for mine, theirs in zip(one.measures, other.measures, strict=True):
        if mine.signature != theirs.signature:
            raise ValueError(
                "A column should have one signature. Received for "
                f"{mine.name!r}: {mine.signature} and {theirs.signature}. "
                "Measure both with the same metric."
            )
    only = set(one.lists) ^ set(other.lists)
    if only:
        some = ", ".join(sorted(map(repr, only))[:3])
        raise ValueError(
            "Comparisons that are joined should be of the same lists. "
            f"Received: {len(one.lists)} lists and {len(other.lists)}, of "
            f"which {len(only)} are in one of them only, as {some}."
        )
    twice = len(one.lists) - len(set(one.lists))
    if twice or len(one.lists) != len(other.lists):
        raise ValueError(
            "Comparisons that are joined should have lists of different ids. "
            f"Received: {twice} of {len(one.lists)} ids twice."
        )
    if one.truth != other.truth:
        raise ValueError(
            "Comparisons that are joined should have the same truth. Received: "
            "other labels of the same lists."
        )
    per_row = [
        {s.values.lists_of_row for s in x.systems.values()}
        for x in (one, other)
    ]
    if per_row[0] != per_row[1]:
        raise ValueError(
            "Comparisons that are joined should have the same number of lists "
            "in each row. "
            f"Received: {per_row[0]} and {per_row[1]}."
        )
    both = sorted(set(one.systems) & set(other.systems))
    if both:
        raise ValueError(
            "Systems that are joined should have different names. Received "
            f"twice: {both}."
        )
