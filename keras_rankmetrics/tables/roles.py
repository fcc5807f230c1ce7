"""The columns of a table by role: query, item, label, score and others."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from keras_rankmetrics.engine.messages import nearest, warn

# The names of columns in common data and tools: those of the first tuple, and
# if there are none, those of the next, since the names of ids may be next to
# texts and to other numbers. Case and punctuation do not matter.
COLUMN_NAMES: dict[str, tuple[tuple[str, ...], ...]] = {
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
    # No name is enough for these, which change what counts as a score, or what
    # a mean is.
    "rank": (),
    "weight": (),
    "group": (),
}
# The roles of columns with one value for each query, which the user chooses.
OF_QUERIES = ("weight", "group")


# What to do if a run is read as judgements, or the reverse.
IN_ORDER = "Pass the judgements first, then the runs."
_OTHERS = {"score": ("label", "judgements"), "label": ("score", "a run")}
# Columns that are not proposed for a role. Others might have one, under a name
# of their own.
_NO_ROLE = {"timestamp", "time", "date", "datetime", "ts", "rank", "iter"}
NUMBER = re.compile(r"[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?")  # no name of a column
_LOWER_IS_BETTER = re.compile(
    "(?!neg|minus|inv|page|reciprocal)(l[12](norm)?|.*(dist(ances?)?|rank|"
    "position|euclidean|hamming|manhattan|levenshtein|loss|nll|perplexity|ppl|"
    "cost|energy|entropy|error|latency|penalty|surprisal|r?mse)(score)?)"
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
    plain = [*map(plain_name, header)]
    for names in COLUMN_NAMES[role]:
        meant = set(map(plain_name, names))
        found = [
            x for x, own in zip(header, plain, strict=True) if own in meant
        ]
        if found:
            return found
    return []


# The names of columns by role; and None if there are all, otherwise what the
# table should have, what was received, and the remedy.
_Columns = tuple[dict[str, Any], tuple[str, list[Any], str] | None]


def columns_of_roles(
    roles: Sequence[str],
    header: Sequence[Any],
    chosen: Mapping[str, str | None],
    hints: Mapping[str, str],
) -> _Columns:
    """Return the column of each role that has one, and what is wrong.

    Args:
        roles: `"query"`, `"item"`, others such as `"subtopic"`, and last the
            role of the values, `"score"` or `"label"`.
        header: the names of all columns.
        chosen: the names that the user chose, by role.
        hints: what else to do if a role has no column, by role.
    """
    found = {role: candidates(role, header, chosen) for role in roles}
    return _one_of_each(found, header, chosen, hints)


def with_ranks_as_scores(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that the user chose, with ranks in place of scores."""
    if columns.get("rank") is None:
        return dict(columns)
    others = {role: x for role, x in columns.items() if role != "rank"}
    return {**others, "score": columns["rank"]}


def columns_of_both(
    header: Sequence[Any],
    chosen: Mapping[str, Any],
    others: Sequence[str] = (),
) -> _Columns:
    """Return the columns of a table that has both labels and scores.

    No column has labels and scores, whatever its name. Several columns of
    scores have roles of their own, such as "score `new`", and so have columns
    by which rows may belong to several tables, such as "part model". There may
    be no items; if the user chose None for them, their column is left out.

    Args:
        header: the names of all columns.
        chosen: the names that the user chose, by role; for scores also a list.
        others: further roles of columns that there should be.
    """
    check_chosen(chosen, [header])
    chosen = with_ranks_as_scores(chosen)
    scores, several = chosen.get("score"), {}
    if isinstance(scores, list | tuple):
        several = {f"score `{name}`": name for name in scores}
    label = chosen.get("label")
    if label is not None and label in [*several.values(), scores]:
        expected = "should have labels and scores in different columns."
        names = argument({"label": "...", "score": "..."})
        return {}, (expected, [label], f"Name them: {names}.")
    twice = [name for name in several.values() if [*header].count(name) > 1]
    if twice:
        expected = "should have one column for each system."
        return {}, (expected, twice, "Rename or remove one of them.")
    found = _of_both(header, chosen, [*several.values()], others)
    columns, wrong = _one_of_each(found, header, chosen, {})
    if wrong and "query" in columns and "item" in found.keys() - columns:
        expected, received, remedy = wrong
        remedy += f" Or leave them out: {argument({'item': None})}."
        return columns, (expected, received, remedy)
    if several:
        columns.pop("score", None)
    columns |= several
    columns |= {f"{PART}{name}": name for name in parting(header, columns)}
    return columns, wrong


def _of_both(
    header: Sequence[Any],
    chosen: Mapping[str, Any],
    scores: list[Any],
    others: Sequence[str],
) -> dict[str, list[Any]]:
    """Return the columns that may have each role.

    Args:
        header: the names of all columns.
        chosen: the names that the user chose, by role.
        scores: several columns of scores, or none.
        others: further roles.
    """
    of_scores = scores or candidates("score", header, chosen)
    is_free = "label" not in chosen
    labels = [x for x in header if not (is_free and x in of_scores)]
    of_labels = candidates("label", labels, chosen)
    rest = [name for name in header if name not in of_labels]
    found = {
        "query": candidates("query", header, chosen),
        "item": candidates("item", header, chosen),
        **{role: candidates(role, header, chosen) for role in others},
        "label": of_labels,
        "score": scores[:1] or candidates("score", rest, chosen),
    }
    if not found["item"] or chosen.get("item", "") is None:
        del found["item"]
    return found


# Columns by which rows of several tables may be in one.
_PARTS = {
    *("split", "fold", "subset", "seed", "epoch", "experiment"),
    *("model", "modelname", "modelid", "system", "systemname", "systemid"),
    *("run", "runname", "runid", "method", "algorithm", "algo"),
}
# Begins the roles of these columns, which should have one value.
PART = "part "


# What to do if ranks in place of scores are in the wrong order.
OF_RANKS = dict.fromkeys(
    ("ascend", "descend"),
    "If the highest rank is the best, it is a score: call its column `score`.",
)

# The role of a column of ranks next to scores, which should order rows alike.
RANKS = "ranks next to scores"


def ranks_next_to(
    columns: Mapping[str, Any],
    header: Sequence[Any],
    chosen: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the column of ranks by its role, if there is one to check.

    There is none if the user named the column of scores, or if there are
    several columns of ranks.

    Args:
        columns: the columns that have a role.
        header: the names of all columns.
        chosen: the names that the user chose, by role.
    """
    if "score" not in columns or "score" in chosen:
        return {}
    ranks = ranks_in(header, columns)
    return {RANKS: ranks[0]} if len(ranks) == 1 else {}


def remedies_of_ranks(columns: Mapping[str, Any]) -> dict[str, str]:
    """Return what to do if ranks contradict scores, by the name of the check.

    Args:
        columns: the columns by role.
    """
    if RANKS not in columns:
        return {}
    score, rank = (
        argument({"score": columns["score"]}),
        argument({"rank": columns[RANKS]}),
    )
    return {
        "ranks": f"Choose: {score}, with `higher_is_better=False` for "
        f"distances, or {rank}."
    }


def remedy_of_a_run(
    columns: Mapping[str, Any], chosen: Mapping[str, Any]
) -> str:
    """Return what to do if labels have fractions, as the scores of a run do.

    It is empty unless their column is called a score, and nobody chose it.

    Args:
        columns: the columns by role.
        chosen: the names that the user chose, by role.
    """
    name = columns.get("label")
    if plain_name(name) != "score" or "label" in chosen:
        return ""
    return (
        f"This looks like a run. {IN_ORDER} If it is not, name the labels: "
        f"{argument({'label': name})}."
    )


def ranks_in(header: Sequence[Any], columns: Mapping[str, Any]) -> list[Any]:
    """Return the columns of ranks that have no role."""
    free = without_role(header, columns)
    return [name for name in free if plain_name(name) == "rank"]


def parting(header: Sequence[Any], columns: Mapping[str, Any]) -> list[Any]:
    """Return the columns by which rows may belong to several tables.

    Args:
        header: the names of all columns.
        columns: those with a role.
    """
    free = without_role(header, columns)
    return [name for name in free if plain_name(name) in _PARTS]


def without_role(
    header: Sequence[Any], columns: Mapping[str, Any]
) -> list[Any]:
    """Return the columns that have no role, even if a check reads them.

    Args:
        header: the names of all columns.
        columns: those with a role, or by which rows may belong to several
            tables.
    """
    read = [x for role, x in columns.items() if not role.startswith(PART)]
    return [name for name in header if name not in read]


def _one_of_each(
    found: Mapping[str, list[Any]],
    header: Sequence[Any],
    chosen: Mapping[str, str | None],
    hints: Mapping[str, str],
) -> _Columns:
    """Return the columns of roles, and what is wrong if some is not one."""
    columns = {role: x[0] for role, x in found.items() if len(x) == 1}
    for role in (role for role in found if role not in columns):
        names, known = found[role], itertools.chain(*COLUMN_NAMES[role])
        shown = f"`{chosen[role]}`" if role in chosen else ", ".join(known)
        remedy = f"Choose one: {_choices(role, names)}."
        if len(set(names)) == 1:
            remedy = "Rename or remove one of them."
        elif not names:
            remedy = _remedy(role, found, header, chosen, hints.get(role, ""))
        expected = f"should have one column for the {role} ({shown})."
        return columns, (expected, names or [*header], remedy)
    if _is_row(header) and any(map(_HAS_FRACTION, map(str, columns.values()))):
        warn(
            "A table should have names of columns. Received: "
            f"{[*header]}. {_headless([*found])}"
        )
    return columns, None


# A name such as 0.5 or -3, where `2024` and `1` may be names.
_HAS_FRACTION = re.compile(r"-\d|[+\d]*\.\d").match


def _is_row(header: Sequence[Any]) -> bool:
    """Return True for names of which some are numbers, and none is usual.

    The names 0, 1, 2, ... are the places of columns.
    """
    are_numbers = (
        isinstance(name, str | float)
        and NUMBER.fullmatch(str(name))
        and str(name) != str(place)
        for place, name in enumerate(header)
    )
    return any(are_numbers) and not any(
        candidates(role, header, {}) for role in COLUMN_NAMES
    )


def _headless(roles: Iterable[str]) -> str:
    """Return how to read a table whose first row was read as a header."""
    names = json.dumps([role for role in roles if " " not in role])
    return (
        "They look like the first row: read the table with `header=None, "
        f"names={names}`, in the order of its columns."
    )


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
    if _is_row(header):
        return _headless([*found])
    if role in OF_QUERIES:
        return f"The truth has the {role} of each query: add the column to it."
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
    if len(free) > (3 if role == "query" else 1) and len(stems) == 1:
        if role == value:
            return f"Choose one: {_choices(role, free)}."
        return "Give each item a row of its own, as by `melt` of pandas."
    lower = [x for x in header if role == "score" and is_lower_better(x)]
    ranks = ranks_in(lower, {})
    if lower and not ranks:
        hint = f" For {lower[0]!r}, pass `higher_is_better=False`."
    rest = iter([*ranks, *lower, *free])
    single = {x: y if len(y) < 2 else ["..."] for x, y in found.items()}
    filled = {
        "rank" if ranks and each == "score" else each: (
            names[0] if names else next(rest, "...")
        )
        for each, names in single.items()
    }
    filled |= {x: y for x, y in chosen.items() if isinstance(y, list | tuple)}
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
    named = [
        (role, name)
        for role, x in chosen.items()
        for name in (x if isinstance(x, list | tuple) else [x])
    ]
    for role, name in named:
        if name is not None and not any(name in table for table in tables):
            shown = [table for table in tables if table]
            hint = nearest(str(name), map(str, itertools.chain(*shown)))
            raise ValueError(
                f"{argument({role: name})} should name a column. Received: "
                f"{name!r} for the {role}, and "
                f"{f'the columns {shown}' if shown else 'inputs without names'}"
                f".{hint} Correct the name, or leave it out."
            )


def argument(columns: Mapping[str, Any]) -> str:
    """Return the argument that names columns, which the command rewrites."""
    text = json.dumps(columns, default=str)
    return f"`columns={text.replace(': null', ': None')}`"


def is_lower_better(column: Any) -> bool:
    """Return True for the usual names of distances and ranks."""
    if str(column).strip().startswith("-"):
        return False
    return bool(_LOWER_IS_BETTER.fullmatch(plain_name(column)))


@functools.lru_cache(1024)
def plain_name(column: Any) -> str:
    """Return the name of a column without case and punctuation."""
    return re.sub(r"[^a-z0-9]", "", str(column).lower())
