"""`Job`: metrics over the lists of a table, and the states that they end in."""

from __future__ import annotations

import dataclasses
import functools
import operator
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.from_text import options_by_name, source_of
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.inputs import share_in
from keras_rankmetrics.engine.inputs.tensors import dtype_of_doubles
from keras_rankmetrics.engine.metric.accumulator import (
    Accumulator,
    has_code_of_user,
    own_methods,
)
from keras_rankmetrics.engine.metric.collection import MetricCollection
from keras_rankmetrics.metrics import Comparison, Sliced
from keras_rankmetrics.tables.item_rows import are_equal_in_lists
from keras_rankmetrics.tables.members import (
    Sums,
    check_share,
    members_of,
    value_names,
    with_named,
    with_states,
)
from keras_rankmetrics.tables.ragged import (
    Lists,
    Ragged,
    chunks,
    computing,
    group_numbers,
    have_one_weight,
    in_int32_or_floats,
    padded,
    refuse_beyond,
    refuse_first,
    refuse_nan,
    refuse_unaligned,
    refuse_unequal,
)
from keras_rankmetrics.tables.single_precision import (
    in_float64,
    rows_in_float32,
    ties_some,
)

LISTS_PER_UPDATE = 4096

# What metrics read that has no columns of its own.
_WITHOUT_COLUMNS = {"counts", "subtopics", "two_rankings", "clicks"}

# The column with the number of each list in its table.
_PLACE = "keras_rankmetrics place"

_Slicing = tuple[str, tuple[str, ...] | int]
"""A column of groups, and the names of the groups or their number."""
_Slicings = list[tuple[Any, _Slicing | None]]
"""Metrics, and what each is sliced by."""


@dataclasses.dataclass(eq=False)
class Job:
    """Metrics, and the columns that they are computed from.

    Attributes:
        metrics: the metrics as they were passed, names as a collection.
        y_true: labels, or indices or ids of relevant items.
        y_pred: scores, or recommended ids; for a `Comparison`, the column of
            each system.
        query: the query of each row, if a row is an item; None if a row is a
            list.
        lists_per_update: the number of lists in one call of `update_state`.
        sample_weight: weights of lists, or None; with `query`, of items.
        group: the groups of `Sliced` metrics, or None; or a dict of columns by
            the names of the metrics.
        exclude: indices or ids of items that are not ranked, or None.
        num_relevant: the number of relevant items of each list, or None.
        convention: the convention that defines metrics passed by name, or None.
        members: the metrics one by one, in the order of their states.
        by_query: the metrics if the rows of each query have the same weight,
            which is that of the query; without weights of rows, `metrics`.
        form: the `inputs` of the metrics: `"scores"`, `"sparse"` or `"ids"`.
        slicings: the column of groups of each `Sliced` metric, by its name.

    Raises:
        ValueError: if the arguments do not fit together.
        TypeError: if a metric or the name of a column has the wrong type.
    """

    metrics: Any
    y_true: str
    y_pred: str | Mapping[str, str]
    query: str | None = None
    lists_per_update: int = LISTS_PER_UPDATE
    sample_weight: str | None = None
    group: str | Mapping[str, str] | None = None
    exclude: str | None = None
    num_relevant: str | None = None
    convention: dataclasses.InitVar[str | Convention | None] = None

    def __post_init__(self, convention: str | Convention | None) -> None:
        source = None if convention is None else source_of(convention)
        has_weights = self.sample_weight is not None
        of_lists = has_weights and self.query is None
        passed = self.metrics
        options = options_by_name(source, of_lists)
        self.metrics = with_named(passed, source, **options)
        self.members: list[Any] = members_of(self.metrics)
        self.by_query: Any = self.metrics
        if has_weights and not of_lists:
            options = options_by_name(source, True)
            self.by_query = with_named(passed, source, **options)
        self.form: str = _form(self.members)
        self.slicings: dict[str, _Slicing] = {
            member.name: self._slicing(member)
            for member in self.members
            if isinstance(member, Sliced) and member.by is None
        }
        for _, name in self.columns:
            if not isinstance(name, str):
                raise TypeError(
                    "The name of a column should be a string. Received: "
                    f"{name!r}."
                )
        self._check_form()
        for member in self.members:
            self._check_systems(member)
        group, sliced = self.group, self.slicings.keys()
        named = group.keys() if isinstance(group, Mapping) else sliced
        if group is not None and not (sliced and named <= sliced):
            raise ValueError(
                "`group` is for `Sliced` metrics. Received: "
                f"`group={group!r}` and {[m.name for m in self.members]}."
            )
        number = self.lists_per_update
        if type(number) is not int or number < 1:
            raise ValueError(
                "`lists_per_update` should be a positive integer. Received: "
                f"{number!r}."
            )

    @property
    def groups(self) -> list[str]:
        """The columns that lists are sliced by, each once."""
        return list(
            dict.fromkeys(column for column, _ in self.slicings.values())
        )

    @property
    def predictions(self) -> list[str]:
        """The columns of `y_pred`."""
        found = self.y_pred
        return [*found.values()] if isinstance(found, Mapping) else [found]

    @property
    def columns(self) -> list[tuple[str, str]]:
        """The name of each argument with the column that it names."""
        named = [("y_true", self.y_true)]
        named += [("y_pred", name) for name in self.predictions]
        named += [("group", name) for name in self.groups]
        for argument in ("sample_weight", "exclude", "num_relevant", "query"):
            if getattr(self, argument) is not None:
                named.append((argument, getattr(self, argument)))
        return named

    @property
    def names(self) -> list[str]:
        """The names of all columns, each once."""
        return list(dict.fromkeys(name for _, name in self.columns))

    @property
    def ids(self) -> list[str]:
        """The columns of ids; none unless the form is `"ids"`."""
        if self.form != "ids":
            return []
        return _present(self.y_true, *self.predictions, self.exclude)

    @property
    def needs_indices(self) -> bool:
        """True if ids must be the indices of items."""
        return any(member.definition.catalogue for member in self.members)

    @property
    def backends(self) -> list[str]:
        """The backends to prefer in another process, the first one most.

        That is numpy, which is imported and runs fast. Functions of the user
        may need the backend of this process, and so may `dtype="float64"`.
        """
        own = keras.config.backend()
        for member in self.members:
            if has_code_of_user(member) or member.definition.dtype != "float32":
                return [own]
        return ["numpy", own]

    @property
    def _of_lists(self) -> list[str]:
        """The columns with one value for each list, even if rows are items."""
        weight = self.sample_weight if self.query is None else None
        return _present(*self.groups, self.num_relevant, weight)

    def _slicing(self, member: Any) -> _Slicing:
        """Return the column of groups of a metric, and its groups."""
        column = group = self.group
        if isinstance(group, Mapping):
            column = group.get(member.name)
        if not isinstance(column, str):
            raise ValueError(
                "`group` should be the name of the column with the group of "
                "each list, or a dict of such names by the names of the "
                f"metrics. Received: {group!r}, for {member.name!r}."
            )
        return column, member.groups

    def _check_systems(self, member: Any) -> None:
        y_pred, several = self.y_pred, isinstance(self.y_pred, Mapping)
        if not isinstance(member, Comparison):
            if several:
                raise ValueError(
                    "`y_pred` should be the name of one column; only a "
                    f"`Comparison` takes several. Received: {y_pred!r} for "
                    f"{member.name!r}."
                )
        elif not several or sorted(y_pred) != sorted(member.systems):
            raise ValueError(
                "`y_pred` should be a dict with the column of each system, by "
                f"the names {list(member.systems)}. Received: {y_pred!r}."
            )

    def _check_form(self) -> None:
        """Raise ValueError if the form of input does not fit the columns."""
        form, query = self.form, self.query
        if self.num_relevant is not None and form != "scores":
            raise ValueError(
                '`num_relevant` is for metrics of `inputs="scores"`. Received: '
                f'`num_relevant={self.num_relevant!r}` and `inputs="{form}"`.'
            )
        if query is None:
            return
        if form != "scores":
            raise ValueError(
                "With `query`, each row should be an item with a label and a "
                'score, for metrics of `inputs="scores"`. Received: '
                f'`inputs="{form}"`.'
            )
        about_items = [
            m.name for m in self.members if m.definition.traits.of_catalogue
        ]
        if about_items:
            raise ValueError(
                "With `query`, a row does not contain the index of its item, "
                "which metrics about a catalogue need. Received: "
                f"{about_items}. Pass lists of ids instead, to metrics of "
                '`inputs="ids"`.'
            )
        if self.exclude is not None:
            raise ValueError(
                "`exclude` is for rows that are lists. Received: "
                f"`exclude={self.exclude!r}` and `query={query!r}`. Leave out "
                "the rows of these items, or let their score be -inf."
            )

    # The lists of a table.

    def lists_of_items(
        self, values: Mapping[str, np.ndarray], starts: np.ndarray
    ) -> Lists:
        """Return the lists of a table in which each row is an item.

        Args:
            values: the columns. The rows of a list follow each other.
            starts: the first row of each list.

        Raises:
            ValueError: if a value of the whole list differs between its items.
        """
        lengths = np.diff(starts, append=len(values[self.y_true]))
        lists = {name: Ragged(rows, lengths) for name, rows in values.items()}
        for name in self._of_lists:
            rows = values[name]
            lists[name] = Ragged.of_single(rows[starts])
            refuse_nan(name, rows)
            if not are_equal_in_lists(rows, starts):
                raise ValueError(
                    "The items of a list should have the same value in "
                    f"{name!r}. Received: lists with several values."
                )
        return lists

    def as_read(self, lists: Lists) -> Lists:
        """Return checked lists; raise ValueError if some are invalid."""
        self._check_lists(lists)
        return lists

    def _check_lists(self, lists: Lists) -> None:
        """Raise ValueError if values or lengths of lists are invalid."""
        for name in _present(self.sample_weight, self.num_relevant):
            values = lists[name].values
            refuse_first(
                values,
                (values < 0) | np.isinf(values),
                f"The numbers in {name!r} should be finite, and not negative.",
            )
        for name in self._of_lists:
            nulls = (lists[name].lengths != 1).sum()
            if nulls:
                raise ValueError(
                    f"The column {name!r} should hold no null. Received: "
                    f"{nulls} of them."
                )
        for name in self.predictions:
            if self.form == "scores":
                refuse_unaligned(lists, self.y_true, name)
            if self.form == "sparse":
                refuse_unequal(lists[name].lengths, name)
                refuse_beyond(lists, self.y_true, name)
            if self.form != "ids" and self.exclude is not None:
                refuse_beyond(lists, self.exclude, name)

    def _collected(self, lists: Lists) -> list[checks.Facts]:
        """Return the facts that sums have: none if somebody else says them."""
        return []

    def facts_of(
        self, lists: Lists, spoken: str = "the column {!r}"
    ) -> list[checks.Facts]:
        """Return what labels and scores show, once for each column of scores.

        Args:
            lists: the lists of a table.
            spoken: how to speak of a column, with a place for its name.
        """
        found: list[checks.Facts] = []
        if self.form != "scores":
            run = next(iter(self.predictions))
            facts = checks.Facts(spoken.format(self.y_true), spoken.format(run))
            there = {"relevant": lists[self.y_true].values >= 0}
            if self.form == "ids":
                there["recommended"] = lists[run].values >= 0
            facts.add_sides(**there)
            return [facts]
        labels, lengths = lists[self.y_true]
        numbers = np.repeat(np.arange(len(lengths)), lengths)
        truth = spoken.format(self.y_true)
        for name in self.predictions:
            facts = checks.Facts(
                truth[0].upper() + truth[1:],
                spoken.format(name),
                remedies=checks.COLUMNS,
            )
            facts.add_scores(numbers, lists[name].values, labels)
            facts.add_whole(numbers, lists[name].values, labels)
            facts.see(tied_scores=self._tied(numbers, lists[name].values))
            facts.are_integers = lists[name].values.dtype.kind in "iu"
            if not found:
                counted = labels
                if self.sample_weight and not self._of_lists:
                    weights = lists[self.sample_weight].values
                    counted = labels[(weights != 0) | (labels < 0)]
                    columns = {
                        "the labels": labels,
                        "the scores": lists[name].values,
                    }
                    facts.add_weights(weights, columns)
                facts.add_labels(counted)
                if self.query is not None:
                    facts.add_lists(lengths)
            found.append(facts)
        return found

    def _batches(self, tables: Iterable[Lists]) -> Iterator[Mapping[Any, Any]]:
        """Yield padded columns; those of groups by their `_Slicing`."""
        slicings = self.slicings.values()
        fills: dict[Any, float] = {
            **dict.fromkeys(
                self.predictions, -1 if self.form == "ids" else 0.0
            ),
            **dict.fromkeys(slicings, 0),
            self.sample_weight: 0.0,
            self.num_relevant: 0.0,
            self.exclude: -1,
            self.y_true: -1,
            _PLACE: -1,
        }
        fills.pop(None, None)
        all_items = self.predictions if self.form == "sparse" else []
        unpadded: set[Any] = {*slicings, *self._of_lists, *all_items, _PLACE}
        definitions = [member.definition for member in self.members]
        for lists in tables:
            known: dict[Any, Ragged] = dict(self._in_range(lists))
            for slicing in slicings:
                values = lists[slicing[0]].values
                known[slicing] = group_numbers(values, *slicing)
            used = {name: known[name] for name in fills if name in known}
            for chunk in chunks(used, self.lists_per_update):
                arrays = self._rankable(padded(chunk, fills, unpadded))
                labels = arrays[self.y_true]
                if self.form == "scores" and labels.dtype.kind not in "iu":
                    share = share_in(ops.convert_to_tensor(labels))
                    check_share(definitions, share)
                yield arrays

    def _in_range(self, lists: Lists) -> Lists:
        """Return the lists with floats for integers that no backend may hold.

        Scores stay in their order. Ids and indices are integers.
        """
        if self.form == "ids":
            return lists
        amounts = _present(self.sample_weight, self.num_relevant)
        if self.form == "scores":
            amounts.append(self.y_true)
        of_scores = in_int32_or_floats if self._reading_scores else in_float64
        read = {
            **dict.fromkeys(amounts, in_int32_or_floats),
            **dict.fromkeys(self.predictions, of_scores),
        }
        return {
            name: x._replace(values=read[name](x.values)) if name in read else x
            for name, x in lists.items()
        }

    @functools.cached_property
    def _reading_scores(self) -> list[str]:
        """The metrics with methods of their own, which may read the scores."""
        return [
            member.name
            for member in self.members
            if type(member) is not Comparison
            and own_methods(member, Accumulator)
        ]

    def _tied(self, numbers: np.ndarray, scores: np.ndarray) -> str | None:
        """Return a sentence if metrics that read scores see them as tied.

        Args:
            numbers: the number of the list of each score.
            scores: the scores.
        """
        own, dtype = self._reading_scores, dtype_of_doubles()
        if not own or not ties_some(dtype, scores, numbers):
            return None
        some = f", for metrics with methods of their own, {own}"
        return checks.of_ties(dtype, some)

    def _rankable(self, arrays: dict[Any, np.ndarray]) -> dict[Any, Any]:
        """Return the columns with scores that the backend keeps in order.

        A metric with methods of its own may read the scores themselves, so they
        stay as they are.
        """
        if dtype_of_doubles() == "float64" or self._reading_scores:
            return arrays
        doubles = {
            name: arrays[name]
            for name in self.predictions
            if arrays[name].dtype == np.float64
        }
        ranked = {name: rows_in_float32(x) for name, x in doubles.items()}
        return {**arrays, **ranked}

    def _arguments(
        self, slicing: _Slicing | None, arrays: Mapping[Any, Any]
    ) -> tuple[Any, Any, Any]:
        """Return the arguments of `update_state` for a batch."""
        labels = "labels" if self.form == "scores" else "target"
        y_true = {labels: arrays[self.y_true]}
        if slicing is not None:
            y_true["group"] = arrays[slicing]
        if self.exclude is not None:
            y_true["exclude"] = arrays[self.exclude]
        if self.num_relevant is not None:
            y_true["num_relevant"] = arrays[self.num_relevant][:, 0]
        y_pred: Any = (
            arrays[self.y_pred]
            if isinstance(self.y_pred, str)
            else {system: arrays[x] for system, x in self.y_pred.items()}
        )
        return y_true, y_pred, arrays.get(self.sample_weight)

    def _passed(
        self, arrays: Mapping[Any, Any], metrics: _Slicings
    ) -> list[tuple[Any, Any, Any]]:
        """Return the arguments of metrics for a batch."""
        return [self._arguments(slicing, arrays) for _, slicing in metrics]

    # The metrics while they run, compiled on JAX.

    def sums(self, tables: Iterable[Lists]) -> Sums | None:
        """Return the sums after all lists, or None if there are no lists."""
        has_lists, are_of_queries = False, True
        facts: list[checks.Facts] = []
        # An executor may call it from several threads.
        with self._lock, computing():
            for metric, _ in self._summed:
                metric.reset_state()
            for lists in tables:
                of_lists = self._collected(lists)
                facts = [*map(operator.add, facts, of_lists)] or of_lists
                if self._others and are_of_queries:
                    are_of_queries = self._are_of_queries(lists)
                for arrays in self._batches([lists]):
                    self._update(arrays, are_of_queries)
                    has_lists = True
            others = self._others.values()
            states = [x.state for x in (*self.members, *others)]
        return Sums(states, are_of_queries, facts) if has_lists else None

    def with_sums(self, sums: Sums | None) -> Any:
        """Return copies of the metrics after these sums; None means no lists.

        They are those of `by_query` if the rows of each query had one weight.
        """
        if sums is None:
            return with_states(self.by_query, None)
        number = len(self.members)
        states, others = sums.states[:number], sums.states[number:]
        if not sums.are_of_queries:
            return with_states(self.metrics, states)
        for place, state in zip(self._others, others, strict=True):
            states[place] = state
        return with_states(self.by_query, states)

    def refuse(self, found: Iterable[checks.Facts]) -> None:
        """Raise ValueError if rows cannot be what they should be."""
        for facts in found:
            checks.doubts(facts, self.members)

    def say(self, sums: Sums | None) -> None:
        """Warn of what the rows have shown; raise ValueError if it is wrong."""
        for facts in sums.facts if sums is not None else ():
            checks.say(facts, self.members)

    def _are_of_queries(self, lists: Lists) -> bool:
        """Return True if the items of each list have the same weight."""
        weights, lengths = lists[self.sample_weight or ""]
        starts = np.cumsum(lengths) - lengths
        labels = lists[self.y_true].values
        return have_one_weight(weights, starts, labels, lambda: self.members)

    def per_list(self, lists: Lists) -> dict[str, np.ndarray]:
        """Return the values of each list by name, NaN for excluded lists."""
        number = len(lists[self.y_true].lengths)
        found = {name: np.empty(number) for name in value_names(self.members)}
        places = Ragged.of_single(np.arange(number))
        with self._lock, computing():
            for arrays in self._batches([{**lists, _PLACE: places}]):
                place = arrays[_PLACE][:, 0]  # -1 in rows of padding
                values = self._values_of(self._passed(arrays, self._valued))
                for name, column in found.items():
                    of_batch = ops.convert_to_numpy(values[name])
                    column[place[place >= 0]] = of_batch[place >= 0]
        return found

    @functools.cached_property
    def _lock(self) -> threading.Lock:
        return threading.Lock()

    @functools.cached_property
    def _others(self) -> dict[int, Any]:
        """The metrics of `by_query` that differ, by their place."""
        by_query = members_of(self.by_query)
        pairs = zip(by_query, self.members, strict=True)
        # With a name of its own, each is in one collection with the others.
        return {
            place: type(other).from_config(
                {**other.get_config(), "name": f"{other.name} by query"}
            )
            for place, (other, one) in enumerate(pairs)
            if other.signature != one.signature
        }

    @functools.cached_property
    def _valued(self) -> _Slicings:
        """The metrics that values are computed from: no weight changes them."""
        return self._together(self.members)

    @functools.cached_property
    def _summed(self) -> _Slicings:
        """The metrics that are updated, with the slicing of each."""
        if not self._others:
            return self._valued
        return self._together([*self.members, *self._others.values()])

    def _together(self, members: Iterable[Any]) -> _Slicings:
        """Return metrics, as few as can be, with the slicing of each.

        A collection reads and sorts a batch once for all its members. So all
        metrics of a slicing are in one, except those with methods of their own,
        which a collection does not accept.
        """
        updated: _Slicings = []
        together: dict[_Slicing | None, list[Any]] = {}
        for member in members:
            slicing = self.slicings.get(member.name)
            if own_methods(member, Accumulator):
                updated.append((member, slicing))
            else:
                together.setdefault(slicing, []).append(member)
        updated += [
            (MetricCollection(x), slicing) for slicing, x in together.items()
        ]
        for metric, _ in updated:  # the job warns, of whole tables
            metric._warn_once.has_warned = True
            metric._batch_cache.is_watched = False
        return updated

    @functools.cached_property
    def _values_of(self) -> Callable[[Any], dict[str, Any]]:
        """`_values`, compiled on JAX."""
        if keras.config.backend() != "jax":
            return self._values
        import jax

        return jax.jit(self._values)

    def _values(self, passed: Any) -> dict[str, Any]:
        """Return the values of the lists of a batch by name, `[rows]`."""
        found: dict[str, Any] = {}
        for (metric, _), arguments in zip(self._valued, passed, strict=True):
            values = metric.per_list(*arguments)
            if isinstance(metric, Comparison):
                names = metric.results
                values = dict(zip(names, values.values(), strict=False))
            elif not isinstance(metric, MetricCollection):
                values = {metric.name: values}
            found |= values
        return found

    @functools.cached_property
    def _compiled(self) -> Callable[[bool, Any, Any], Any]:
        import jax

        return jax.jit(self._updated_values, static_argnums=0)

    def _update(self, arrays: Mapping[Any, Any], by_query: bool) -> None:
        """Update the metrics, and with `by_query` the `_others` too."""
        slicings = self._summed if by_query else self._valued
        metrics = [metric for metric, _ in slicings]
        passed = self._passed(arrays, slicings)
        if keras.config.backend() != "jax":
            for metric, arguments in zip(metrics, passed, strict=True):
                metric.update_state(*arguments)
            return
        values = [[each.value for each in m.variables] for m in metrics]
        updated = self._compiled(by_query, values, passed)
        for metric, new in zip(metrics, updated, strict=True):
            for variable, value in zip(metric.variables, new, strict=True):
                variable.assign(value)

    def _updated_values(
        self, by_query: bool, values: Any, passed: Any
    ) -> list[Any]:
        """Return the values of the variables after a batch, for `jax.jit`."""
        slicings = self._summed if by_query else self._valued
        each = zip(slicings, values, passed, strict=True)
        return [
            metric.stateless_update_state(own, *arguments)
            for (metric, _), own, arguments in each
        ]


def _present(*names: str | None) -> list[str]:
    return [name for name in names if name is not None]


def _form(members: list[Any]) -> str:
    """Return the form of input that all metrics take."""
    forms = {member.definition.inputs for member in members}
    readings = {member.definition.reading[0] for member in members}
    if len(forms) > 1 or readings & _WITHOUT_COLUMNS:
        raise ValueError(
            'The metrics should all take labels and scores, `inputs="scores"`, '
            'or all take `inputs="ids"`, or all "sparse"; none labels by '
            "subtopic, reference scores or clicks. Received: "
            f"{ {m.name: m.definition.inputs for m in members} }."
        )
    return str(forms.pop())
