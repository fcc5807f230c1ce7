"""From an object to checked rows: `Reading`, the options, and `Input`.

    x --chunks--> columns --checked_rows--> Rows --accepted, as_run--> Rows

A form of input is a subclass of `Input`: `forms` contains them all.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
import datetime
import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Number
from typing import (
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    TypedDict,
    TypeVar,
)

import numpy as np

from keras_rankmetrics.comparing.items_of_runs import (
    Parents,
    are_again,
    check_parents,
    documents_of,
    named_items,
    under_other_ids,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.definition.options import check_choice
from keras_rankmetrics.engine.messages import as_text, nearest, warn
from keras_rankmetrics.files import NOTHING, QueriesReturnError
from keras_rankmetrics.tables import item_rows, roles
from keras_rankmetrics.tables.ids import EXACT, are_same, column_array, ids_of
from keras_rankmetrics.tables.item_rows import NO_OTHERS, Rows

_Read = TypeVar("_Read")
Door = TypeVar("Door", bound=Callable[..., Any])
_ROLES = ("query", "item")
_OF_SYSTEMS = ("score", "rank")  # roles with a column for each system
# The arguments that have the values of queries in place of a column, by role.
ARGUMENTS = {"weight": "sample_weight", "group": "groups"}
_NUMBER = Number, np.number, np.bool_
# How to convert a text that is a number, by its form.
_TEXTS = {
    roles.NUMBER.pattern: "`float(x)`, for a column `x.astype(float)`",
    r"[-+]?[\d.]*,[\d,]+": '`float(x.replace(",", "."))` for decimal commas, '
    '`float(x.replace(",", ""))` for commas between thousands; `read_csv` of '
    "pandas has the options `decimal` and `thousands`",
    r"[-+\d.]+ *%": '`float(x.rstrip("%"))`',
}
ROWS_OF_CHUNK = 2**20  # of a chunk, up to the end of a query


class Columns(NamedTuple):
    """Columns of whole queries, not yet checked.

    Attributes:
        query: the ids of queries, an array or a list.
        item: the ids of items.
        value: the labels or the scores.
        others: `[rows]` each, further columns by role, such as `"weight"`.
    """

    query: Any
    item: Any
    value: Any
    others: Mapping[str, Any] = NO_OTHERS


class HowToRead(TypedDict, total=False):
    """The arguments that say how to read inputs, as `Reading` has them."""

    columns: Mapping[str, Any] | None
    query_ids: Any
    item_ids: Any
    higher_is_better: bool | Mapping[str, bool]
    drop_same_id: bool | None
    duplicates: Literal["error", "best", "unjudged"]
    parents: Parents | None
    worst_score: float | None


def how_to_read(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of some options that say how to read inputs."""
    names = HowToRead.__annotations__
    return {x: options[x] for x in options if x in names}


def reads(*lacking: str) -> Callable[[Door], Door]:
    """Return a decorator for a function that takes `HowToRead` by name.

    It shows them in the signature of the function.

    Args:
        lacking: those that the function does not take.
    """

    def with_signature(door: Door) -> Door:
        signature = inspect.signature(door)
        own = list(signature.parameters.values())[:-1]
        shown = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=getattr(Reading, name),
                annotation=kind.__forward_arg__,
            )
            for name, kind in HowToRead.__annotations__.items()
            if name not in lacking
        ]
        found = signature.replace(parameters=[*own, *shown])
        vars(door)["__signature__"] = found
        return door

    return with_signature


@dataclasses.dataclass(frozen=True)
class Reading:
    """Options for reading the truth and the runs: arguments of `evaluate`.

    Attributes:
        columns: the names of columns by role: `"query"`, `"item"`, `"score"`,
            `"label"`, `"subtopic"`, `"rank"`, `"weight"` and `"group"`. Ranks
            become scores that are lower for better items.
        query_ids: `[queries]`, the ids of inputs that have their queries in
            order only; 0, 1, 2, ... by default.
        item_ids: `[items]`, the ids of items that a run numbers.
        higher_is_better: False if scores are distances, or a dict of these by
            system. Search results in the other order are an error, and other
            runs cause a warning, unless it is None, which means True.
        drop_same_id: True to drop items whose id is that of their query, from
            the run and from the truth; None for the rule of the convention.
        duplicates: `"best"` to keep the best of equal items of a query;
            `"unjudged"` to keep the ranks of the others, too; `"error"` to
            leave them in, for the join to find.
        parents: the documents of a run of chunks; None for a run of items.
        worst_score: items with worse scores are not retrieved; None for all.
        takes: the roles with a value for each query that `columns` may name.
    """

    columns: Mapping[str, Any] | None = None
    query_ids: Any = None
    item_ids: Any = None
    higher_is_better: bool | Mapping[Any, bool] | None = True
    drop_same_id: bool | None = None
    duplicates: Literal["error", "best", "unjudged"] = "error"
    parents: Parents | None = None
    worst_score: float | None = None
    takes: dataclasses.InitVar[tuple[str, ...]] = roles.OF_QUERIES

    @classmethod
    def of(
        cls,
        door: Callable[..., Any],
        how: Mapping[str, Any],
        takes: tuple[str, ...] = roles.OF_QUERIES,
        are_systems: bool = False,
    ) -> Reading:
        """Return how a function was asked to read.

        Args:
            door: a function that `reads`.
            how: its arguments by name, other than those that it names.
            takes: as for `Reading`.
            are_systems: True if there may be several runs.

        Raises:
            TypeError: if the function takes no argument of such a name, or
                `higher_is_better` is not for one run.
        """
        known = inspect.signature(door).parameters
        for name in (x for x in how if x not in known):
            raise TypeError(
                f"`{door.__name__}` should have no argument `{name}`."
                f"{nearest(name, known, 0.6)} Its arguments are: "
                f"{', '.join(known)}. Options of metrics are part of their "
                'names: `"NDCG(labels=probabilities)@10"`.'
            )
        higher = how.get("higher_is_better", True)
        if higher is None or (isinstance(higher, Mapping) and not are_systems):
            raise TypeError(
                "`higher_is_better` should be True or False for one run. "
                f"Received: {higher!r}."
            )
        found = cls(**how, takes=takes)
        for column in filter(roles.is_lower_better, found._taken_as_better()):
            warn(
                f"The column {column!r} should have higher scores for better "
                "items. For distances and ranks, pass "
                "`higher_is_better=False`."
            )
        return found

    def __post_init__(self, takes: tuple[str, ...]) -> None:
        refused = set(roles.OF_QUERIES) - {*takes}
        columns = self.columns or {}
        known = [role for role in roles.COLUMN_NAMES if role not in refused]
        if not isinstance(columns, Mapping) or not set(columns) <= set(known):
            raise ValueError(
                f"`columns` should be a dict from {', '.join(known)} to the "
                f"names of columns. Received: {columns!r}. Write "
                '`columns={"query": "qid"}`.'
            )
        for role, name in columns.items():
            if isinstance(name, list) and role not in _OF_SYSTEMS:
                raise ValueError(
                    "`columns` should name one column for each role but "
                    f"`score` and `rank`. Received: {name!r} for the {role}. "
                    "Pass one name; join several columns to one first."
                )
        for name in ("query_ids", "item_ids"):
            numbers = index_of(getattr(self, name))
            in_order = list(range(len(numbers)))
            if numbers != in_order and (
                sorted(map(str, numbers)) == sorted(map(str, in_order))
            ):
                raise ValueError(
                    f"The index of `{name}` should be in order, since ids are "
                    f"read by position. Received: {numbers[:5]}, ... Pass "
                    "`.sort_index()` to read them by the index, or "
                    "`.tolist()`."
                )
        check_choice(
            "duplicates", self.duplicates, ("error", "best", "unjudged")
        )
        if self.parents is not None:
            check_parents(self.parents)
        worst = self.worst_score
        are_numbers = isinstance(worst, Number) and not isinstance(worst, bool)
        if worst is not None and not (are_numbers and worst == worst):
            raise TypeError(
                "`worst_score` should be the score of the worst item that the "
                f"system would show. Received: {worst!r}. Pass one number."
            )
        higher = self.higher_is_better
        values = higher.values() if isinstance(higher, Mapping) else [higher]
        if not all(isinstance(x, bool | np.bool_ | None) for x in values):
            raise TypeError(
                "`higher_is_better` should be True, False, or a dict of these "
                f"by system. Received: {self.higher_is_better!r}."
            )
        if not self.has_ranks:
            return
        if "score" in columns or isinstance(higher, Mapping):
            raise ValueError(
                "`columns` should name scores or ranks, for all systems. "
                f"Received: {dict(columns)!r}, and `higher_is_better="
                f"{higher!r}`. Name one of both."
            )
        object.__setattr__(self, "higher_is_better", False)

    @property
    def has_ranks(self) -> bool:
        """True if the user chose ranks, which are read as scores."""
        return (self.columns or {}).get("rank") is not None

    @functools.cached_property
    def chosen(self) -> Mapping[str, Any]:
        """The names of columns that the user chose, by role."""
        return roles.with_ranks_as_scores(self.columns or {})

    def _taken_as_better(self) -> list[Any]:
        """Return the chosen columns whose higher scores are for better items.

        A dict names systems, each of which may have the one column.
        """
        chosen = self.chosen.get("score")
        if isinstance(chosen, list | tuple):
            own = [self.of_system(str(x)).higher_is_better for x in chosen]
            return [x for x, higher in zip(chosen, own, strict=True) if higher]
        if chosen is None or self.higher_is_better is not True:
            return []
        return [chosen]

    def column_of_scores(self) -> Any:
        """Return the column of scores that the user chose, or None.

        Raises:
            ValueError: if there are several.
        """
        scores = self.chosen.get("score")
        if isinstance(scores, list | tuple):
            raise ValueError(
                "`columns` should name one column of scores. Received: "
                f"{scores!r}. For several, call `compare(table, metrics=...)`."
            )
        return scores

    @property
    def of_queries(self) -> tuple[str, ...]:
        """The roles with a value for each query whose column the user chose."""
        chosen = self.chosen
        return tuple(x for x in roles.OF_QUERIES if chosen.get(x) is not None)

    def has_column(self, role: str, values: Any) -> bool:
        """Return True if the user chose the column of a value for each query.

        Args:
            role: `"weight"` or `"group"`.
            values: what the user passed in place of a column, or None.

        Raises:
            ValueError: if there are both.
        """
        is_chosen = role in self.of_queries
        if is_chosen and values is not None:
            raise ValueError(
                f"The {role} of a query should be in a column, or in "
                f"`{ARGUMENTS[role]}`. Received: both. Leave one out."
            )
        return is_chosen

    @property
    def sign(self) -> int:
        """The factor that makes scores higher for better items: 1 or -1."""
        return -1 if self.higher_is_better is False else 1

    def of_system(self, name: str | None) -> Reading:
        """Return how to read a system, or the truth if the name is None."""
        higher = self.higher_is_better
        if isinstance(higher, Mapping):
            higher = higher.get(name, True)
        higher = None if higher is None else bool(higher)
        return dataclasses.replace(self, higher_is_better=higher)

    def own(self, rules: Rules) -> Rules:
        """Return rules with what the user chose in their place."""
        if self.drop_same_id is None:
            return rules
        return rules._replace(drop_same_id=self.drop_same_id)

    def candidates(self, role: str, names: Sequence[Any]) -> list[str]:
        """Return the columns that may have a role; several are ambiguous."""
        return roles.candidates(role, names, self.chosen)

    def is_table(self, names: Sequence[Any]) -> bool:
        """Return True if there are columns of queries and items."""
        return all(self.candidates(role, names) for role in _ROLES)

    def keys_of_items(self, keys: Sequence[Any]) -> list[str]:
        """Return the keys of a hit that may name its item."""
        found = self.candidates("item", keys)
        if self.chosen.get("item") in keys:
            return found
        return found + [key for key in keys if key in ("id", "_id")]


def index_of(x: Any) -> list[Any]:
    """Return the index of a pandas object; nothing for other objects."""
    index: Any = getattr(x, "index", None)
    return index.tolist() if hasattr(index, "tolist") else []


def no_ranks(name: Any, argument: str) -> ValueError:
    """Return an error for a run without the column of ranks."""
    return ValueError(
        "Each run should have a column of ranks. Received: the name "
        f"{name!r}, and no such column in {argument}. For ranks in dicts and "
        "arrays, pass `higher_is_better=False`; for those of a run of TREC, "
        '`columns={"rank": "rank"}`.'
    )


def refuse_parts_of_ranks(
    query: np.ndarray, ranks: np.ndarray, argument: str
) -> None:
    """Raise ValueError if ranks do not begin alike in all queries.

    Args:
        query: `[rows]`, of whole queries.
        ranks: `[rows]`.
        argument: the name of the argument, for errors.
    """
    numbers, first = item_rows.numbered(query)
    lowest = np.full(len(first), np.inf)
    np.minimum.at(lowest, numbers, ranks)
    zeros = np.bincount(numbers, ranks == 0)
    if ranks.min(initial=0) < 0:
        wrong, received = ranks < 0, "a rank below 0"
    elif zeros.any() and (
        (zeros != 1).any() or (ranks >= np.bincount(numbers)[numbers]).any()
    ):
        wrong, received = ranks == 0, "0 where ranks have gaps or repeat"
    else:  # tied items may share the mean of their ranks, or the last one
        best = np.bincount(numbers, ranks == lowest[numbers])
        wrong = (lowest > best)[numbers]
        received = "queries without the first rank"
    for at in np.flatnonzero(wrong)[:1].tolist():
        raise ValueError(
            f"{argument} should have the ranks of whole lists, from 1 on. "
            f"Received: {received}, such as {ranks[at]:g} for the query "
            f"{as_text(query[at].item())!r}. Remove rows of items that were "
            "not found; if a list has the ranks of its relevant items alone, "
            'count the items above them for a metric with `inputs="counts"`.'
        )


@dataclasses.dataclass(eq=False)
class Input(abc.ABC):
    """The truth or a run in some form.

    Args:
        x: an object of this form.
        value: the name of the values, `"label"` or `"score"`.
        argument: the name of the argument, for errors.
        reading: how to read it.
        more: the roles of further columns to read, such as `"subtopic"`.

    Attributes:
        unranked: the number of items so far whose score is that of items that
            are not retrieved, `-inf`.
        repeated: the number of items so far that are again in their list.
        too_low: the number of items so far with scores worse than asked for.
        shown: what the scores have shown so far.
        assumed: what is assumed besides the columns of the roles, such as
            `{"relevant": "label>=1 (all labels)"}`.
        looks: how an object of this form looks, for the documentation.
        made_by: what has this form.
        has_ids: True if the items have ids, False for labels or scores, None
            for integers that may be both.
        are_hits: True for results of a search, which has the best items first,
            and -1 as padding.
    """

    x: Any
    value: str
    argument: str
    reading: Reading
    more: tuple[str, ...] = ()
    unranked: int = dataclasses.field(default=0, init=False)
    repeated: int = dataclasses.field(default=0, init=False)
    too_low: int = dataclasses.field(default=0, init=False)
    shown: checks.Facts = dataclasses.field(init=False)
    assumed: dict[str, str] = dataclasses.field(
        default_factory=dict, init=False
    )
    _kept: Rows | None = dataclasses.field(default=None, init=False)
    _columns: list[Columns] = dataclasses.field(init=False)

    looks: ClassVar[str]
    made_by: ClassVar[str]
    has_ids: ClassVar[bool | None] = True
    are_hits = False

    @classmethod
    @abc.abstractmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True if an object has this form."""

    @abc.abstractmethod
    def chunks(self) -> Iterator[Columns]:
        """Yield the columns of whole queries, not yet checked."""

    @property
    def has_scores(self) -> bool:
        """False if a run has an order of its items alone."""
        return True

    @property
    def queries_in_order(self) -> int | None:
        """The number of queries with an order in place of ids, or None."""
        return None

    @property
    def has_row_numbers(self) -> bool:
        """True if queries are numbers of rows, which are ids of no item."""
        return (
            self.queries_in_order is not None and self.reading.query_ids is None
        )

    def queries(self) -> np.ndarray | None:
        """Return all queries, some of which may have no items.

        None for inputs that name queries in their rows only.
        """
        return None

    def names(self) -> list[Any] | None:
        """Return the names that `columns` may choose; None if not known yet."""
        return []

    def roles(self) -> dict[str, Any]:
        """Return what was read as each role, such as the name of a column."""
        return {}

    def unread(self) -> list[Any]:
        """Return the names of the columns that have no role."""
        return []

    def read_as(self, rest: Sequence[Any]) -> dict[str, Any]:
        """Return what was read as each role, and what is `"not_read"`.

        It is empty if no column is left over, and the column of each role has
        its name, or the user chose it.

        Args:
            rest: the columns that neither this input nor another one reads.
        """
        roles, chosen = {**self.roles(), **self.assumed}, self.reading.chosen
        found = {role: str(name) for role, name in roles.items()}
        if self.reading.has_ranks and "score" in found:
            found["score"] = f"-{found['score']}"
        names = dict.fromkeys(map(str, rest))
        names.pop("", None)  # the index of a frame in CSV
        if names:
            return {**found, "not_read": [*names]}
        are_plain = (x in (role, chosen.get(role)) for role, x in roles.items())
        return {} if all(are_plain) and not self.more else found

    def rows(self) -> Iterator[Rows]:
        """Yield chunks of whole queries, checked except for NaN.

        Nothing is said of them until `say` is called.
        """
        for rows in self._checked():
            yield from item_rows.query_chunks(rows, ROWS_OF_CHUNK)

    def all_rows(self) -> Rows:
        """Return all rows in their order; read a scattered file again.

        Nothing is said of them until `say` is called.
        """
        return read_whole(lambda: item_rows.whole(self._checked()))

    def keep(self) -> Rows:
        """Return all rows, and keep them for all that read the input again."""
        self._kept = self.all_rows()
        self.say()
        self.shown = self.facts()
        return self._kept

    def _checked(self) -> Iterator[Rows]:
        """Yield the rows as they are read, checked except for NaN."""
        if self._kept is not None:
            yield self._kept
            return
        self.shown = self.facts()
        # Of a run that is read again.
        self.unranked = self.repeated = self.too_low = 0
        self._columns = []
        for columns in self.chunks():
            rows = self.accepted(
                checked_rows(columns, self.argument, self.value)
            )
            self._columns += [columns] if self.more else []
            if len(rows.query):
                starts = item_rows.run_starts(rows.query)
                self.shown.add_queries(rows.query[starts])
                self.shown.add_rows(rows.query)
            if self.value == "score":
                if self.reading.has_ranks:
                    refuse_parts_of_ranks(rows.query, rows.value, self.argument)
                self.shown.add_scores(rows.query, rows.value)
                ranks = columns.others.get(roles.RANKS)
                self.shown.add_ranks(rows.query, rows.value, ranks)
                rows = self.as_run(rows)
            yield rows

    def say(self) -> None:
        """Warn of what scores have shown, once they are read.

        Raises:
            ValueError: if ranks contradict them.
        """
        checks.say(self.known(), ())

    def known(self) -> checks.Facts:
        """Return what scores have shown, with what to do in this form."""
        remedies = {**self.shown.remedies, **self.remedies()}
        if self.reading.has_ranks:
            remedies |= roles.OF_RANKS
        return dataclasses.replace(
            self.shown, remedies=remedies, are_hits=self.are_hits
        )

    def remedies(self) -> Mapping[str, str]:
        """Return what to do in this form, by the names of checks."""
        return {}

    def facts(self) -> checks.Facts:
        """Return what is known of rows that have not been read yet."""
        return checks.Facts(run=self.argument, higher_is_better=self._higher)

    @property
    def _higher(self) -> bool | None:
        """False for distances; None if the order of scores says nothing."""
        higher = self.reading.higher_is_better
        return higher if isinstance(higher, bool) else None

    def column_of(self, role: str) -> np.ndarray:
        """Return a further column of all rows, which `all_rows` has read.

        Args:
            role: one of `more`.

        Raises:
            ValueError: if the input has no such column.
        """
        if not all(role in x.others for x in self._columns):
            raise ValueError(self._lacks(role))
        columns = [
            other_column(role, x.others[role], self.argument)
            for x in self._columns
        ]
        return np.concatenate(columns) if columns else np.zeros(0)

    def _lacks(self, role: str) -> str:
        """Return the error for an input without the column of a role."""
        if role != "subtopic":
            return (
                f"{self.argument} should have a column for the {role} "
                f"(`{self.reading.chosen[role]}`). Received: an input without "
                "named columns. Pass a table with it, or in place of the "
                f"column a dict by query: `{ARGUMENTS[role]}`."
            )
        return (
            f"{self.argument} should have labels by subtopic. Received: labels "
            "of items alone. Pass a table or a file with a column `subtopic`, "
            "or {query: {item: {subtopic: label}}}."
        )

    def of_queries(self, role: str, values: Any) -> Any:
        """Return a value of each query: those of a column, or as passed.

        Args:
            role: `"weight"` or `"group"`.
            values: what the user passed in place of a column, or None.
        """
        if role not in self.more:
            return values
        column = self.column_of(role)
        queries = [ids_of(x.query, self.argument) for x in self._columns]
        query = np.concatenate(queries) if queries else column
        return item_rows.of_queries(query, column, role, self.argument)

    def as_run(self, rows: Rows) -> Rows:
        """Return the rows of a run with the ids and scores to be ranked."""
        reading, (query, item, score) = self.reading, rows
        if reading.item_ids is not None and item.dtype.kind in "iu":
            item = named_items(item, reading.item_ids, self.argument)
        worst = self._are_too_low(score)
        if score.dtype.kind in "iu":
            score = np.unique(score, return_inverse=True)[1].astype(np.float64)
        rows = Rows(query, item, reading.sign * score)
        low = item[rows.value == -np.inf]
        self.unranked += len(low) - int((low == NOTHING).sum())
        if worst is not None:
            rows.value[worst] = -np.inf
        if reading.parents is None and reading.duplicates == "error":
            return rows
        return self._each_once(rows)

    def _are_too_low(self, score: np.ndarray) -> np.ndarray | None:
        """Return True for scores that are worse than the user asked for."""
        least: Any = self.reading.worst_score
        if least is None:
            return None
        if not self.has_scores:
            raise ValueError(
                f"`worst_score` is for runs with scores. Received: ids in "
                f"order, in {self.argument}. Leave it out, or pass "
                "`{query: {item: score}}`."
            )
        single = score.astype(np.float32)
        if (single == score).all():  # as scores of models are
            score, least = single, np.float32(least)
        found = self.reading.sign * (score - least) < 0
        self.too_low += int(found.sum())
        better = ">=" if self.reading.sign > 0 else "<="
        self.assumed["retrieved"] = (
            f"score{better}{least:g} (left out: {self.too_low:,})"
        )
        return found

    def _each_once(self, rows: Rows) -> Rows:
        """Return rows in which each item, or document, is once in its list."""
        reading = self.reading
        if reading.parents is not None:
            item = documents_of(rows.item, reading.parents, self.argument)
            rows = rows._replace(item=item)
        again = are_again(rows)
        self.repeated += int(again.sum())
        keep_ranks = reading.duplicates == "unjudged"
        if reading.parents is not None:
            what = "unjudged" if keep_ranks else "left out"
            self.assumed["documents"] = (
                f"those of chunks (later ones {what}: {self.repeated:,})"
            )
        elif again.any():
            warn(
                f"{self.argument} has {again.sum():,} repeated items. The best "
                "of each item in the list of a query counts."
            )
        if keep_ranks:
            return rows._replace(item=under_other_ids(rows.item, again))
        return Rows(*(column[~again] for column in rows))

    def dropped(self, rows: Rows) -> np.ndarray:
        """Return True for items of a run that have the id of their query.

        Numbers of rows are ids of no item, so that these stay.
        """
        same = have_same_id(rows)
        if not self.has_row_numbers:
            return same
        if same.any():
            warn(
                f"The queries of {self.argument} should have ids, since the "
                "convention drops the item with the id of its query. Received: "
                f"{same.sum():,} items with the number of their row, which are "
                "kept. Pass `query_ids`."
            )
        return np.zeros(len(same), bool)

    def positions(self, number: int) -> np.ndarray:
        """Return the ids of queries that are in order."""
        if self.reading.query_ids is None:
            return np.arange(number)
        queries = ids_of(self.reading.query_ids, "`query_ids`")
        if len(queries) != number:
            raise ValueError(
                "`query_ids` should have an id for each query of "
                f"{self.argument}, {number:,} in all. Received: "
                f"{len(queries):,}. Pass them in the order of its lists."
            )
        if len(np.unique(queries)) < number:
            raise ValueError(
                "`query_ids` should name each query once. Received: "
                f"{number - len(np.unique(queries)):,} repeated ids. Join the "
                "items of these queries."
            )
        return queries

    def accepted(self, rows: Rows) -> Rows:
        """Return the rows, those of hits without padding.

        A search has its best items first, so scores that ascend are distances.

        Raises:
            ValueError: if the scores of all hits are in the wrong order, or
                ids or values look like others.
        """
        if not self.are_hits:
            return rows
        rows = without_padding(rows)
        steps = checks.steps_of(rows.query, rows.value)
        found = checks.wrong_order(steps, self._higher, 1)
        if self.value == "score" and found is not None:
            right, wrong, _ = found
            raise ValueError(
                f"The best items of {self.argument} should come first, so that "
                f"scores {right}. Received: scores that {wrong} in every "
                f"query. {checks.OPTIONS[wrong]}"
            )
        return rows


def without_padding(rows: Rows) -> Rows:
    """Return the rows of a dense array, in which -1 is no id."""
    if rows.item.dtype.kind != "i":
        return rows
    return Rows(*(column[rows.item != -1] for column in rows))


def have_same_id(rows: Rows) -> np.ndarray:
    """Return True for items whose id is that of their query, bool `[rows]`."""
    return are_same(rows.query, rows.item)


def checked_rows(columns: Columns, argument: str, role: str = "label") -> Rows:
    """Return columns as arrays of ids and floats.

    Args:
        columns: the columns.
        argument: the name of the argument, for errors.
        role: what the values are, `"label"` or `"score"`.

    Raises:
        TypeError: if ids have several types, or values are not numbers.
        ValueError: if the columns have different lengths, or for the values of
            a list that are not numbers.
    """
    query, item = (ids_of(ids, argument) for ids in columns[:2])
    value = checked_values(columns.value, argument, role)
    shapes = query.shape, item.shape, value.shape
    if value.ndim != 1 or len(set(shapes)) > 1:
        raise ValueError(
            f"The queries, items and values of {argument} should be arrays of "
            f"one dimension and one length. Received: {shapes[0]} in the "
            f"queries, {shapes[1]} in the items and {shapes[2]} in the values. "
            "Pass columns with a row for each item."
        )
    return Rows(query, item, value)


def checked_values(
    values: Any, argument: str, role: str = "label"
) -> np.ndarray:
    """Return values as floats, or as integers if floats would tie them.

    Args:
        values: the values.
        argument: the name of the argument, for errors.
        role: as for `checked_rows`.

    Raises:
        TypeError: if an array does not contain numbers.
        ValueError: if a value of a list is not a number.
    """
    try:
        array = column_array(values)
        if array.dtype.kind == "O":  # such as `Decimal`
            array = array.astype(np.float64)
    except (TypeError, ValueError):  # such as lists of unequal lengths
        array = np.zeros(0, object)
    if array.dtype.kind not in "fiub":
        wrong = next((x for x in values if not isinstance(x, _NUMBER)), None)
        wrong = wrong.item() if isinstance(wrong, np.str_) else wrong
        error = TypeError if hasattr(values, "dtype") else ValueError
        raise error(
            f"The values of {argument} should be numbers. Received: {wrong!r}, "
            f"of the type {type(wrong).__name__}. "
            f"{_as_numbers(wrong, role, hasattr(values, 'dtype'))}"
        )
    is_integer = array.dtype.kind in "iu" and array.size > 0
    if is_integer and max(int(array.max()), -int(array.min())) > EXACT:
        return array
    single = np.promote_types(array.dtype, np.float32)
    return array.astype(single, copy=False)


def _as_numbers(x: Any, role: str, is_column: bool) -> str:
    """Return what to do with a value that is no number.

    Args:
        x: the value.
        role: as for `checked_rows`.
        is_column: True if it is in an array or a column of a frame.
    """
    if isinstance(x, datetime.date | np.datetime64):
        return (
            "Pass seconds: for a column, "
            '`(x - x.min()) / numpy.timedelta64(1, "s")`; for a single time, '
            "`x.timestamp()`."
        )
    if isinstance(x, str):
        for form, code in _TEXTS.items():
            if re.fullmatch(form, x.strip()):
                return f"Convert each text: {code}."
    elif hasattr(x, "__len__") and not isinstance(x, bytes | Mapping):
        return (
            "Give each item a row of its own, as `explode` of pandas and "
            "polars does with all columns of lists."
            if is_column
            else f"Pass the part of each that is the {role}, such as `x[0]`."
        )
    return (
        "Convert them to numbers, such as 1 for relevant items and 0 for "
        "others."
        if role == "label"
        else "Pass numbers that are higher for better items; or ids in their "
        "order, best first."
    )


def read_whole(read: Callable[[], _Read]) -> _Read:
    """Return what a reader returns, again if rows of a query were apart.

    Args:
        read: reads all rows, from the beginning each time. The second time,
            those of a query are together.
    """
    while True:
        with contextlib.suppress(QueriesReturnError):
            return read()


def read_as(inputs: Mapping[str, Input]) -> dict[str, dict[str, Any]]:
    """Return what each input was read as, by its name, unless that is empty.

    A column that one of them reads counts as read in all: a table that is both
    the truth and the run has the labels and the scores.
    """
    rest = {name: x.unread() for name, x in inputs.items()}
    read = set[Any]().union(
        *(set(x.names() or ()) - {*rest[name]} for name, x in inputs.items())
    )
    found = {
        name: x.read_as([x for x in rest[name] if x not in read])
        for name, x in inputs.items()
    }
    return {name: columns for name, columns in found.items() if columns}


def other_column(role: str, x: Any, argument: str) -> np.ndarray:
    """Return a column besides those of `Rows` as an array, by its role."""
    if role == "weight":
        return checked_values(x, f"the weights of {argument}")
    return column_array(x) if role == "group" else ids_of(x, argument)


def check_numbers(rows: Rows, argument: str) -> None:
    """Raise ValueError if a value is NaN, or an id is empty."""
    for name, wrong, remedy in (
        ("NaN", np.isnan(rows.value), checks.OF_NAN),
        (
            "an empty id",
            is_empty(rows.query) | is_empty(rows.item),
            checks.OF_NO_ID,
        ),
    ):
        for at in np.flatnonzero(wrong)[:1]:
            item, query = (as_text(ids[at].item()) for ids in rows[1::-1])
            raise ValueError(
                f"{argument} should have an id and a number in each row. "
                f"Received: {name} for the item {item!r} of the query "
                f"{query!r}. {remedy}"
            )


def is_empty(ids: np.ndarray) -> np.ndarray:
    """Return True for ids that are empty or NaN, bool `[ids]`."""
    is_text = ids.dtype.kind in "US"
    found: np.ndarray = ids == ids.dtype.type() if is_text else ids != ids
    return found
