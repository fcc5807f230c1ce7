"""What a user asks of rows, as a job that is made once."""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.jobs.arguments import job_of, members_of
from keras_rankmetrics.jobs.job import Job
from keras_rankmetrics.metrics import Sliced

# At most so many lists are padded together, if they have but few items.
_LISTS_PER_UPDATE = 2**18

Names = str | tuple[tuple[str, str], ...] | None


class Given(NamedTuple):
    """The columns that a user passed.

    Attributes:
        columns: by the names that errors call them.
        y_pred: the name of the scores, or those of systems.
        sample_weight: the name of the weights, if there are any.
        group: the name of the groups, or those of metrics.
    """

    columns: Mapping[str, Any]
    y_pred: Names
    sample_weight: Names
    group: Names

    @classmethod
    def of(
        cls, y_true: Any, y_pred: Any, sample_weight: Any, group: Any
    ) -> Given:
        """The columns, each of which has a name."""
        if isinstance(y_true, Mapping):
            raise ValueError(
                "`y_true` should be a column of labels. Received: a dict with "
                f"the keys {sorted(map(str, y_true))}. Give rows that do not "
                "count the label -1, those that nobody has judged the label "
                "`UNJUDGED`, and groups by `group`. For all else that a dict "
                "may hold, update the metrics with lists."
            )
        columns = {"y_true": y_true}
        names: list[Names] = []
        optional = ("sample_weight", sample_weight), ("group", group)
        for argument, given in (("y_pred", y_pred), *optional):
            parts = {argument: given}
            if isinstance(given, Mapping):
                parts = {f'{argument}["{key}"]': x for key, x in given.items()}
                names.append(tuple(zip(given, parts, strict=True)))
            else:
                names.append(None if given is None else argument)
            if given is not None:
                columns.update(parts)
        return cls(columns, *names)


def collected(metrics: Any) -> list[Any]:
    """The metrics and the collections, one by one.

    Raises:
        TypeError: if something is no metric.
        ValueError: if two numbers would have the same name.
    """
    given = list(metrics) if isinstance(metrics, list | tuple) else [metrics]
    members_of(members_in(given))
    return given


def members_in(given: Sequence[Any]) -> list[Any]:
    """The metrics, those of collections among them."""
    return list(_opened(given))


def job_of_rows(members: Sequence[Any], given: Given) -> Job:
    """The job, the same for the same metrics and names of columns."""
    for member in members:
        of_data = isinstance(member, Sliced) and member.by is None
        if of_data and given.group is None:
            raise ValueError(
                f"`{member.name}` is sliced: `group` should be a column with "
                f"the group of each row, one of {member.results[1:]} without "
                "the name of the metric, or its number. Received: None."
            )
    return _made(tuple(map(_Known, members)), *given[1:])


def _opened(given: Sequence[Any]) -> Iterator[Any]:
    for each in given:
        if isinstance(each, MetricCollection):
            yield from each.metrics
        else:
            yield each


class _Known:
    """A metric, equal to all that compute the same."""

    def __init__(self, metric: Any) -> None:
        self.metric = metric
        self._key = (
            type(metric),
            metric.name,
            metric.signature,
            metric.definition,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


# What is compiled for a job is compiled once, however often rows come.
@functools.lru_cache(maxsize=16)
def _made(
    known: tuple[_Known, ...], y_pred: Names, sample_weight: Any, group: Names
) -> Job:
    return job_of(
        [copy.deepcopy(each.metric) for each in known],
        "y_true",
        dict(y_pred) if isinstance(y_pred, tuple) else str(y_pred),
        sample_weight,
        dict(group) if isinstance(group, tuple) else group,
        query="query",
        lists_per_update=_LISTS_PER_UPDATE,
    )
