"""`LogJob`: a job on a log, whose rows are in no order, and how doors make one.

A convention reads the rows by its rules, those of `evaluate` for one table of
labels and scores. One that orders tied items by their ids finds these in the
column of `order`.
"""

from __future__ import annotations

import dataclasses
import inspect
import reprlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypedDict

import numpy as np

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import asked_in, source_of
from keras_rankmetrics.conventions.rules import ORDERS, SIGNS, Rules
from keras_rankmetrics.engine.checks import Facts
from keras_rankmetrics.engine.definition import check_names
from keras_rankmetrics.engine.messages import nearest
from keras_rankmetrics.tables import ids
from keras_rankmetrics.tables.jobs import Job
from keras_rankmetrics.tables.members import (
    members_of,
    metrics_in,
    warn_of_objects,
)
from keras_rankmetrics.tables.ragged import Lists, Ragged
from keras_rankmetrics.tables.single_precision import in_float64
from keras_rankmetrics.types import UNJUDGED


class JobOptions(TypedDict, total=False):
    """The arguments that any job may have after `y_true` and `y_pred`."""

    sample_weight: str | None
    group: str | Mapping[str, str] | None
    exclude: str | None
    num_relevant: str | None
    order: str | None
    convention: str | Convention | None


@dataclasses.dataclass(eq=False)
class LogJob(Job):
    """A job whose rows arrive in any order, as partitions and shuffles do.

    Attributes:
        order: the column whose values order the rows of a list, ascending; or
            None. If the rules order tied items by id, it has these ids.
        rules: the rules of the convention, or those of none.

    Raises:
        ValueError: if the arguments do not fit together, or the metrics need an
            order of rows that there is not.
    """

    order: str | None = None

    def __post_init__(self, convention: str | Convention | None) -> None:
        passed = self.metrics
        source = None if convention is None else source_of(convention)
        super().__post_init__(source)
        self.rules = Rules()
        if source is not None:
            warn_of_objects(passed)
            self.rules = _rules_of(source, passed)
        if self.order is not None and self.query in (None, self.order):
            raise ValueError(
                "`order` should be a column that differs between the items of "
                f"a `query`. Received: `order={self.order!r}` and "
                f"`query={self.query!r}`. Rows that are lists keep the order "
                "of their arrays: leave `order` out."
            )
        if self.rules.drop_same_id and self.query is None:
            raise ValueError(
                "This convention drops items with the id of their query. "
                "Received: rows that are lists, without ids of queries. Pass "
                "rows of items, with `query` and `order`."
            )
        ordered = [m.name for m in self.members if self._needs_order(m)]
        if self.query is not None and self.order is None:
            needs = _needs_of_ids(self.rules, bool(ordered))
            if needs:
                raise ValueError(
                    f"This convention {needs}. Received: rows of items without "
                    '`order`. Name the column of their ids: `order="item"`.'
                )
        if ordered and self.query is not None and self.order is None:
            raise ValueError(
                "Metrics whose value depends on the order of tied items should "
                "have a column of that order, since rows are in none after a "
                f"shuffle. Received: {ordered} without `order`. Name a column "
                "such as the position or the id of the item, "
                '`order="position"`; or create the metrics with '
                '`ties="average"`.'
            )

    def _needs_order(self, member: Any) -> bool:
        """Return True if the order of tied rows may change a value."""
        ties = member.definition.ties
        of_items = self.sample_weight is not None
        # The best and the worst order leave items with equal labels as they
        # come, which may have different weights.
        by_label = ties in ("optimistic", "pessimistic")
        return ties == "stable" or (by_label and of_items)

    def _collected(self, lists: Lists) -> list[Facts]:
        """Return what the rows show, which the driver says."""
        found = self.facts_of(lists)
        if self.query is not None:
            found[0].add_ids(lists[self.query].values)
            found[0].add_queries(lists[self.query].values)
        return found

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The name of each argument with the column that it names."""
        named = super().columns
        return named if self.order is None else [*named, ("order", self.order)]

    def lists_of_items(
        self, values: Mapping[str, np.ndarray], starts: np.ndarray
    ) -> Lists:
        """Return the lists of items, each in the order of the column.

        Args:
            values: as for `Job.lists_of_items`.
            starts: as for `Job.lists_of_items`.

        Raises:
            ValueError: if a value of the whole list differs between its items,
                or two items have the same place in the order.
        """
        if self.order is not None:
            keys = _keys(values[self.order], self.rules)
            values = _ordered(values, starts, self.order, keys)
        return super().lists_of_items(values, starts)

    def as_read(self, lists: Lists) -> Lists:
        """Return checked lists as the convention reads them.

        Raises:
            ValueError: if a value or a length is invalid, or the source does
                not take a label.
        """
        lists = dict(super().as_read(lists))
        if self.form != "scores" or self.rules == Rules():
            return lists
        rules, (labels, lengths) = self.rules, lists[self.y_true]
        labels = rules.read_labels_of_lists(labels)
        scores = {x: in_float64(lists[x].values) for x in self.predictions}
        if rules.score_dtype is not None:
            dtype = rules.score_dtype
            with np.errstate(over="ignore"):
                scores = {name: x.astype(dtype) for name, x in scores.items()}
        if (
            rules.drop_same_id
            and self.query is not None
            and self.order is not None
        ):
            queries = np.repeat(lists[self.query].values, lengths)
            same = ids.are_same(queries, lists[self.order].values)
            scores = {
                name: np.where(same, -np.inf, x) for name, x in scores.items()
            }
            if rules.same_id_in_truth == "dropped":
                labels = np.where(same, UNJUDGED, labels)
        read: Mapping[str, np.ndarray] = {**scores, self.y_true: labels}
        return {
            **lists,
            **{name: Ragged(x, lengths) for name, x in read.items()},
        }


def _keys(values: np.ndarray, rules: Rules) -> np.ndarray:
    """Return numbers, dates or times in the order of the rows of a list.

    Raises:
        TypeError: if the rules order items by their ids, and these are none.
    """
    if rules.ties in SIGNS:
        if values.dtype.kind not in ids.KINDS:
            raise TypeError(ids.refusal(values, "`order`"))
        return SIGNS[rules.ties] * ids.text_order(values)
    if values.dtype.kind == "U":
        return np.unique(values, return_inverse=True)[1]
    return values


def _ordered(
    values: Mapping[str, np.ndarray],
    starts: np.ndarray,
    by: str,
    keys: np.ndarray,
) -> dict[str, np.ndarray]:
    """Return the columns with the rows of each list in order.

    Args:
        values: the columns.
        starts: the first row of each list.
        by: the column of the order.
        keys: its values as numbers, dates or times.

    Raises:
        ValueError: if a value of that column occurs twice in a list.
    """
    lengths = np.diff(starts, append=len(keys))
    lists = np.repeat(np.arange(len(starts)), lengths)
    order = np.lexsort((keys, lists))
    keys = keys[order]
    again = (keys[1:] == keys[:-1]) & (lists[1:] == lists[:-1])
    for place in order[1:][again][:1]:
        raise ValueError(
            "The items of a list should have different values in the column "
            f"{by!r} of `order`. Received: {values[by][place]} twice. Name a "
            "column such as the ids of the items."
        )
    return {name: column[order] for name, column in values.items()}


def _rules_of(convention: Convention, metrics: Any) -> Rules:
    """Return the rules by which a convention reads the rows of all metrics.

    Args:
        convention: the convention.
        metrics: the metrics as they were passed.

    Raises:
        ValueError: if it reads the rows of some metrics in another way, or
            rounds values.
    """
    found: dict[Rules, list[str]] = {}
    for name, rules in _by_metric(convention, metrics):
        # All queries of a log have rows.
        of_rows = rules._replace(queries="truth", nothing_retrieved="counts")
        found.setdefault(of_rows, []).append(name)
    if len(found) > 1:
        ways = "; ".join(f"{names}: {x.in_words}" for x, names in found.items())
        raise ValueError(
            "The metrics of one call should be read by the same rules of "
            f"`{convention.name}`. Received: {ways}. Call it once for each of "
            "these."
        )
    [rules] = found
    if rules.decimals is not None:
        raise ValueError(
            f"The convention `{convention.name}` rounds the value of each "
            "list, which sums of many lists do not keep. Received: "
            f'`convention="{convention.name}"` on workers. Call '
            "`keras_rankmetrics.evaluate` on a sample of the queries, or leave "
            "`convention` out."
        )
    return rules


def _by_metric(
    convention: Convention, metrics: Any
) -> Iterator[tuple[str, Rules]]:
    """Yield the name of each metric, and its rules."""
    for each in metrics_in(metrics):
        if isinstance(each, str):
            for metric, given in asked_in(each, convention):
                yield metric.name, convention.rules_of(metric, given)
            continue
        for member in members_of(each):
            is_one = hasattr(member, "reads")  # no `Sliced`, no `Comparison`
            rules = convention.rules_of(member) if is_one else convention.rules
            yield member.name, rules


def _needs_of_ids(rules: Rules, are_ordered: bool) -> str:
    """Return what a convention does with ids of items; "" if it does nothing.

    Args:
        rules: the rules.
        are_ordered: True if a metric reads tied items in an order.
    """
    needs = []
    if are_ordered and rules.ties in SIGNS:
        needs.append(f"orders tied items by {ORDERS[rules.ties]}")
    if rules.drop_same_id:
        needs.append("drops items with the id of their query")
    return ", and ".join(needs)


# What the doors of Spark, Ray and Beam share.

BACKENDS = {
    "jax": "jax",
    "numpy": "jax",
    "tensorflow": "tensorflow",
    "torch": "torch",
}
"""The package that each backend of Keras imports."""


def job_of(
    door: Callable[..., Any],
    engine: str,
    arguments: tuple[Any, ...],
    options: JobOptions,
    backend: str | None = None,
) -> LogJob:
    """Return the job that a door was called for.

    Args:
        door: the function or the class that was called.
        engine: the engine that it runs on.
        arguments: the arguments of `LogJob` that the door names itself.
        options: the arguments that it passes on.
        backend: the backend that workers need, or None.

    Raises:
        TypeError: if the door has no such parameter, or a metric or the name of
            a column has the wrong type.
        ValueError: if Keras has no such backend, or the arguments do not fit
            together.
    """
    own = [x for x in inspect.signature(door).parameters if x != "options"]
    names = [*own, *JobOptions.__annotations__]
    check_names(f"{door.__name__}() on {engine}", options, names)
    if backend not in (None, *BACKENDS):
        raise ValueError(
            "`backend` should be a backend of Keras, one of "
            f"{list(BACKENDS)}, or None. Received: {backend!r}."
            f"{nearest(str(backend), BACKENDS)}"
        )
    return LogJob(*arguments, **options)


def dataset_of(
    argument: str,
    x: Any,
    expected: type,
    called: str,
    remedies: Mapping[str, str],
) -> Any:
    """Return an object that is a data set of the engine of a door.

    Args:
        argument: the name of the argument.
        x: the object.
        expected: the class of data sets.
        called: its name.
        remedies: how to make a data set of another object, by what the full
            name of its class starts with. The first entry that fits is said.

    Raises:
        TypeError: if it is not.
    """
    if isinstance(x, expected):
        return x
    name = f"{type(x).__module__}.{type(x).__qualname__}"
    remedy = next(remedies[x] for x in remedies if name.startswith(x))
    shown = reprlib.repr(x) if isinstance(x, str) else f"`{name}`"
    raise TypeError(
        f"`{argument}` should be a `{called}`. Received: {shown}. {remedy}"
    )
