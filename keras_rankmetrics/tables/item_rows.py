"""`Rows`: columns by role, chunks of whole queries, and matching of ids."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.tables.ids import (
    exact,
    first_equal,
    joint,
    keys_of,
    twins,
)


class Rows(NamedTuple):
    """A chunk of a table of queries, items, and labels or scores.

    Attributes:
        query: `[rows]`, the ids of queries: integers, str or bytes.
        item: `[rows]`, the ids of items: integers, str or bytes.
        value: `[rows]`, floats: the labels of the items, or their scores.

    Example:
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> queries, items = np.array(["q1", "q1"]), np.array([7, 8])
        >>> truth = krm.Rows(queries, items, np.array([0.0, 1.0]))
        >>> run = krm.Rows(queries, items, np.array([0.9, 0.8]))
        >>> compared = krm.compare(truth, {"run": run}, krm.HitRateAtK(k=1))
        >>> compared.per_list()["hit_rate@1"]
        [0.0]

    Stability: stable.
    """

    query: np.ndarray
    item: np.ndarray
    value: np.ndarray


# The names of columns in common data and tools: those of the first tuple, and
# if there are none, those of the next, since the names of ids may be next to
# texts and to other numbers. Case and punctuation do not matter.
COLUMN_NAMES = {
    "query": (
        ("query_id", "qid"),
        ("query",),
        ("user_id", "uid", "session_id"),
        ("user", "session"),
    ),
    "item": (
        (
            *("item_id", "iid", "doc_id", "docno", "pid", "corpus_id"),
            *("movie_id", "product_id"),
        ),
        ("item", "doc", "movie", "product"),
    ),
    "score": (("score", "sim", "prediction", "pred", "est"), ("rating",)),
    "label": (
        ("label", "relevance", "rel", "grade", "rating", "r_ui"),
        ("score",),
    ),
    "subtopic": (("subtopic_id", "subtopic"), ("iteration",)),
}


# What to do if a run is read as judgements, or the reverse.
IN_ORDER = "Pass the judgements first, then the runs."
_OTHERS = {"score": ("label", "judgements"), "label": ("score", "a run")}
# Columns that are not proposed for a role. Others might have one, under a name
# of their own.
_NO_ROLE = {"timestamp", "time", "date", "datetime", "ts", "rank", "iter"}
_LOWER_IS_BETTER = re.compile(
    "(?!neg|minus|inv|page|reciprocal).*(dist(ances?)?|rank|position)"
)


def candidates(
    role: str, header: Sequence[Any], chosen: Mapping[str, str | None]
) -> list[str]:
    """Return the columns that may have a role; several are ambiguous.

    Args:
        role: a key of `COLUMN_NAMES`.
        header: the names of all columns.
        chosen: the names that the user chose, by role. Runs and judgements may
            call their queries and items differently, so a name that is not in
            the header counts only for the other roles.
    """
    name = chosen.get(role)
    if name is not None and name in header:
        return [each for each in header if each == name]
    if role in chosen and role not in ("query", "item"):
        return []
    for names in COLUMN_NAMES[role]:
        plain = set(map(plain_name, names))
        found = [name for name in header if plain_name(name) in plain]
        if found:
            return found
    return []


# The names of columns by role; and None if there are all, otherwise what the
# table should have, what was received, and the remedy.
_Columns = tuple[dict[str, Any], tuple[str, list[Any], str] | None]


def columns_of_roles(
    roles: tuple[str, str, str],
    header: Sequence[Any],
    chosen: Mapping[str, str | None],
    hints: Mapping[str, str],
) -> _Columns:
    """Return the column of each role that has one, and what is wrong.

    Args:
        roles: `"query"`, `"item"` or `"subtopic"`, and the role of the values,
            `"score"` or `"label"`.
        header: the names of all columns.
        chosen: the names that the user chose, by role.
        hints: what else to do if a role has no column, by role.
    """
    found = {role: candidates(role, header, chosen) for role in roles}
    return _one_of_each(found, header, chosen, hints)


def columns_of_both(
    header: Sequence[Any], chosen: Mapping[str, Any]
) -> _Columns:
    """Return the columns of a table that has both labels and scores.

    No column has labels and scores, whatever its name. Several columns of
    scores have roles of their own, such as "score `new`". There may be no
    items; if the user chose None for them, their column is left out.

    Args:
        header: the names of all columns.
        chosen: the names that the user chose, by role; for scores also a list.
    """
    scores, several = chosen.get("score"), {}
    if isinstance(scores, list | tuple):
        several = {f"score `{name}`": name for name in scores}
    without = {"score"} if several else set()
    without |= {"item"} if chosen.get("item", "") is None else set()
    single = {role: x for role, x in chosen.items() if role not in without}
    for each in (single, *({"score": name} for name in several.values())):
        check_chosen(each, [header])
    known = [*several.values()] or candidates("score", header, single)
    named = [*several.values(), single.get("score")]
    if single.get("label") is not None and single["label"] in named:
        expected = "should have labels and scores in different columns."
        names = argument({"label": "...", "score": "..."})
        return {}, (expected, [single["label"]], f"Name them: {names}.")
    rest = header
    if "label" not in single:
        rest = [name for name in header if name not in known]
    labels = candidates("label", rest, single)
    rest = [name for name in header if name not in labels]
    found = {
        "query": candidates("query", header, single),
        "item": candidates("item", header, single),
        "label": labels,
        "score": [*several.values()][:1] or candidates("score", rest, single),
    }
    if not found["item"] or "item" in without:
        del found["item"]
    columns, wrong = _one_of_each(found, header, single, {})
    if wrong and "query" in columns and "item" in found.keys() - columns:
        expected, received, remedy = wrong
        remedy += f" Or leave them out: {argument({'item': None})}."
        return columns, (expected, received, remedy)
    if wrong or not several:
        return columns, wrong
    del columns["score"]
    twice = [name for name in several.values() if [*header].count(name) > 1]
    if twice:
        expected = "should have one column for each system."
        return columns, (expected, twice, "Rename or remove one of them.")
    return columns | several, None


# Columns by which rows of several tables may be in one.
_PARTS = {"split", "fold", "subset", "model", "system"}


def parting(
    header: Sequence[Any], columns: Mapping[str, Any], chosen: Mapping[str, Any]
) -> list[Any]:
    """Return the columns by which rows may belong to several tables.

    There are none if the user chose all columns.

    Args:
        header: the names of all columns.
        columns: those with a role.
        chosen: the names that the user chose, by role.
    """
    if {role.partition(" ")[0] for role in columns} <= set(chosen):
        return []
    free = [name for name in header if name not in columns.values()]
    return [name for name in free if plain_name(name) in _PARTS]


def _one_of_each(
    found: Mapping[str, list[Any]],
    header: Sequence[Any],
    chosen: Mapping[str, str | None],
    hints: Mapping[str, str],
) -> _Columns:
    """Return the columns of roles, and what is wrong if some is not one."""
    columns = {role: x[0] for role, x in found.items() if len(x) == 1}
    for role in (role for role in found if role not in columns):
        kind = role.partition(" ")[0]
        names, known = found[role], itertools.chain(*COLUMN_NAMES[kind])
        shown = f"`{chosen[role]}`" if role in chosen else ", ".join(known)
        remedy = f"Choose one: {_choices(role, names)}."
        if len(set(names)) == 1:
            remedy = "Rename or remove one of them."
        elif not names:
            remedy = _remedy(role, found, header, chosen, hints.get(role, ""))
        expected = f"should have one column for the {role} ({shown})."
        return columns, (expected, names or [*header], remedy)
    return columns, None


def _remedy(
    role: str,
    found: Mapping[str, Sequence[Any]],
    header: Sequence[Any],
    chosen: Mapping[str, str | None],
    hint: str,
) -> str:
    """Return the columns to choose, as far as it can, and what else to do.

    Args:
        role: a role that has no column.
        found: the columns of each role.
        header: the names of all columns.
        chosen: the names that the user chose, by role.
        hint: what else to do.
    """
    *_, value = found
    usual = candidates(role, header, {})
    if role in chosen and usual:
        return f"Correct the name: {_choices(role, usual)}."
    other, looks = _OTHERS[value]
    of_others = candidates(other, header, {})
    items = candidates("item", header, chosen)  # no subtopics
    taken = {*itertools.chain(*found.values()), *of_others, *items}
    free = [x for x in header if x not in taken and may_have_role(x)]
    # Columns such as `item_1`, `item_2` are none of a role each.
    stems = {plain_name(x).rstrip("0123456789") for x in free}
    if len(free) > 1 and len(stems) == 1 and role != "query":
        if role == value:
            return f"Choose one: {_choices(role, free)}."
        return "Give each item a row of its own, as by `melt` of pandas."
    lower = [x for x in header if role == "score" and is_lower_better(x)]
    if lower:
        hint = f" For {lower[0]!r}, pass `higher_is_better=False`."
    rest = iter([*lower, *free])
    filled = {
        each: names[0] if names else next(rest, "...")
        for each, names in found.items()
    }
    start = "Name them"
    if not found[value] and of_others and not candidates(value, header, {}):
        start = f"This looks like {looks}. {IN_ORDER} If it is not, name them"
    return f"{start}: {argument(filled)}.{hint}"


def _choices(role: str, names: Iterable[Any]) -> str:
    return " or ".join(argument({role: name}) for name in names)


def may_have_role(column: Any) -> bool:
    """Return True for a name that a column of any role may have."""
    name = str(column).strip()
    is_index = not name or name.startswith("Unnamed")
    return not is_index and plain_name(column) not in _NO_ROLE


def check_chosen(
    chosen: Mapping[str, str | None], tables: Sequence[Sequence[str]]
) -> None:
    """Raise ValueError if a chosen column is in none of several tables.

    Args:
        chosen: the names that the user chose, by role.
        tables: the columns of each input; none for one without columns.
    """
    for role, name in chosen.items():
        if name is not None and not any(name in table for table in tables):
            shown = [table for table in tables if table]
            raise ValueError(
                f"{argument({role: name})} should name a column. Received: "
                f"{name!r} for the {role}, and "
                f"{f'the columns {shown}' if shown else 'inputs without names'}"
                ". Correct the name, or leave it out."
            )


def argument(columns: Mapping[str, Any]) -> str:
    """Return the argument that names columns, which the command rewrites."""
    return f"`columns={json.dumps(columns, default=str)}`"


def is_lower_better(column: Any) -> bool:
    """Return True for the usual names of distances and ranks."""
    return bool(_LOWER_IS_BETTER.fullmatch(plain_name(column)))


@functools.lru_cache(1024)
def plain_name(column: Any) -> str:
    """Return the name of a column without case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", str(column).lower())


def whole(chunks: Iterable[Rows]) -> Rows:
    """Return all chunks as one."""
    columns = list(zip(*chunks, strict=True))
    if not columns:
        none = np.zeros(0, np.int64)
        return Rows(none, none, np.zeros(0))
    return Rows(*(x[0] if len(x) == 1 else np.concatenate(x) for x in columns))


def query_chunks(rows: Rows, size: int) -> Iterator[Rows]:
    """Yield chunks of whole queries.

    More rows are sorted by query first, unless those of each are contiguous.

    Args:
        rows: the rows of all queries.
        size: the number of rows of a chunk, which continues to the end of a
            query.
    """
    total = len(rows.query)
    if total <= size:
        yield rows
        return
    _, rows = in_order_of(numbered(rows.query)[0], rows)
    starts = run_starts(rows.query)
    at = np.searchsorted(starts, np.arange(size, total, size))
    cuts = np.unique(starts[at[at < len(starts)]])
    for begin, end in itertools.pairwise([0, *cuts.tolist(), total]):
        yield Rows(*(column[begin:end] for column in rows))


def run_starts(values: np.ndarray) -> np.ndarray:
    """Return the index of the first value of each run of equal values."""
    changes = np.flatnonzero(values[1:] != values[:-1])
    return np.concatenate([[0], changes + 1])


def numbered(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each id, in the order of their first occurrences.

    Also return the index of the first occurrence of each number.
    """
    starts = run_starts(ids)[: len(ids)]
    runs = ids[starts]
    first = first_equal(keys_of(runs))
    if (runs[first] != runs).any():  # different ids may have the same key
        codes = np.unique(runs, return_inverse=True)[1]
        first = first_equal(codes.astype(np.uint64))
    are_first = first == np.arange(len(runs))
    numbers = (np.cumsum(are_first) - 1)[first]
    lengths = np.diff(starts, append=len(ids))
    return np.repeat(numbers, lengths), starts[are_first]


def in_order_of(numbers: np.ndarray, rows: Rows) -> tuple[np.ndarray, Rows]:
    """Return small numbers of the queries of rows in order, and the rows."""
    if (numbers[1:] >= numbers[:-1]).all():
        return numbers, rows
    order = order_of(numbers)
    numbers = numbers[order]
    starts = run_starts(numbers)
    # To repeat a text takes less than to look it up for each row.
    lengths = np.diff(starts, append=len(numbers))
    query = np.repeat(rows.query[order[starts]], lengths)
    return numbers, Rows(query, rows.item[order], rows.value[order])


# The bits that numpy sorts without comparing values, in linear time.
_DIGIT = 16


def order_of(numbers: np.ndarray) -> np.ndarray:
    """Return the indices that sort integers; equal ones keep their order.

    They are sorted by the last digits first, since few are large.
    """
    if not len(numbers):
        return np.zeros(0, np.int64)
    above = numbers - numbers.min()
    above = above.view(f"u{above.itemsize}")  # of a difference that overflows
    order = np.argsort(above.astype(np.uint16), kind="stable")
    for shift in range(_DIGIT, int(above.max()).bit_length(), _DIGIT):
        digits = (above >> shift).astype(np.uint16)
        order = order[np.argsort(digits[order], kind="stable")]
    return order


# Joins by list and item.


class ListItems(NamedTuple):
    """Rows that are identified by a list and an item.

    Attributes:
        lists: `[rows]`, the number of the list.
        items: `[rows]`, the id of the item.
        keys: `[rows]`, a 64-bit key of the pair.
    """

    lists: np.ndarray
    items: np.ndarray
    keys: np.ndarray

    @classmethod
    def of(cls, lists: np.ndarray, items: np.ndarray, number: int) -> ListItems:
        """Return the rows of a number of lists with their keys."""
        return cls(lists, items, joint(lists, keys_of(items), number))

    def equal(
        self, at: np.ndarray, other: ListItems, other_at: np.ndarray
    ) -> bool:
        """Return True if all rows at some indices equal those of another."""
        same_list = self.lists[at] == other.lists[other_at]
        return bool(
            (same_list & (self.items[at] == other.items[other_at])).all()
        )


_Twins = tuple[np.ndarray, np.ndarray]


def match(
    rows: ListItems, others: ListItems
) -> tuple[np.ndarray, np.ndarray, _Twins]:
    """Look up each of the others among the rows.

    The keys are compared first. If different pairs have the same key, exact
    keys are computed, which takes longer.

    Returns:
        The indices of the rows that equal one of the others; True for the
        others that equal a row; and the indices of pairs of equal rows.
    """
    matched, found, (first, second) = _match(rows.keys, others.keys)
    if rows.equal(matched, others, found) and rows.equal(first, rows, second):
        return matched, found, (first, second)
    keys = exact(
        np.concatenate([rows.lists, others.lists]),
        np.concatenate([rows.items, others.items]),
    )
    return _match(*np.split(keys, [len(rows.lists)]))


def _match(
    rows: np.ndarray, keys: np.ndarray
) -> tuple[np.ndarray, np.ndarray, _Twins]:
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    found = ordered[at] == keys
    return order[at[found]], found, twins(order, ordered)


def duplicates(rows: ListItems) -> _Twins:
    """Return the indices of pairs of equal rows."""
    order = np.argsort(rows.keys, kind="stable")
    found = twins(order, rows.keys[order])
    if len(found[0]):  # different pairs may have the same key
        keys = exact(rows.lists, rows.items)
        order = np.argsort(keys)
        found = twins(order, keys[order])
    return found
