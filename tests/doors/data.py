"""Data with two readings, and ordinary data, as rows of a table."""

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Data:
    """Rows, each of which is an item of a query.

    Attributes:
        columns: `query`, `item`, `label`, `score`, and others.
        reading: the other reading, of which a door has to say something; ""
            for ordinary data, of which it should say nothing.
        of_items: whether only ids of items show it, or columns without a role.
        in_dicts: whether a dict can hold it.
        right_in: the doors that may be quiet, if their value is right by the
            documentation: `"none"`, those `"without notes"`, or `"all"`.
        metric: the metric to compute.
        explained: whether `explain` should say it, which finds by which labels
            items are relevant, and what these gain.
        in_batches: whether a batch of a model shows it. Its items have no order
            of their own, its scores may all be equal before training, its
            labels may be shares, and a filler has no judged items.
        has_ties: whether items tie, which `diagnose` counts.
    """

    columns: Mapping[str, Sequence[Any]]
    reading: str = ""
    of_items: bool = False
    in_dicts: bool = True
    right_in: str = "none"
    metric: str = "NDCG@10"
    explained: bool = True
    in_batches: bool = True
    has_ties: bool = False

    @property
    def others(self) -> list[str]:
        """The columns without a role."""
        roles = ("query", "item", "label", "score")
        return [name for name in self.columns if name not in roles]

    @property
    def value(self) -> float:
        """NDCG@10, by its formula."""
        lists = by_query(self.columns, "label", "score")
        return math.fsum(map(ndcg, lists.values())) / len(lists)


def by_query(columns: Mapping[str, Sequence[Any]], *names: str) -> dict:
    """Return the values of columns of each query, in the order of the rows."""
    found: dict[Any, list[tuple]] = {}
    rows = zip(*(columns[name] for name in names), strict=True)
    for query, row in zip(columns["query"], rows, strict=True):
        found.setdefault(query, []).append(row)
    return found


def ndcg(rows: Sequence[tuple[float, float]], k: int = 10) -> float:
    """Return NDCG@k of labels and scores, with gains 2**label - 1.

    Items with one score have their mean gain.
    """
    there = [row for row in rows if row[1] > -math.inf]
    of_score: dict[float, list[float]] = {}
    for label, score in sorted(there, key=lambda x: -x[1]):
        of_score.setdefault(score, []).append(2.0 ** max(label, 0) - 1)
    ranked = [
        sum(gains) / len(gains) for gains in of_score.values() for _ in gains
    ]
    gains = (2.0 ** max(label, 0) - 1 for label, _ in rows)
    ideal = sorted(gains, reverse=True)

    def dcg(gains):
        return sum(
            gain / math.log2(rank + 1) for rank, gain in enumerate(gains[:k], 1)
        )

    return dcg(ranked) / dcg(ideal) if dcg(ideal) else 0.0


def drawn(queries: int = 6, items: int = 12, seed: int = 0) -> dict[str, list]:
    """Return ordinary rows: grades, and scores of a model that has learnt."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, (queries, items))
    labels[:, 0] = 1  # each query has a relevant item, and an irrelevant one
    labels[:, 1] = 0
    scores = labels + rng.normal(0.0, 1.0, labels.shape)
    return {
        "query": [f"q{i}" for i in range(queries) for _ in range(items)],
        "item": [
            f"d{11 * i + j}" for i in range(queries) for j in range(items)
        ],
        "label": labels.ravel().tolist(),
        "score": scores.round(4).ravel().tolist(),
    }


def changed(**columns: Any) -> dict[str, list]:
    """Return ordinary rows with other columns: lists, or functions of rows.

    A function takes a dict of the values of a row, and the number of the row.
    """
    return changed_of(drawn(), **columns)


def changed_of(table: dict[str, list], **columns: Any) -> dict[str, list]:
    """Return rows with other columns, as `changed` does."""
    number = len(table["query"])
    rows = [{x: table[x][i] for x in table} for i in range(number)]
    return table | {
        name: [make(row, i) for i, row in enumerate(rows)]
        if callable(make)
        else list(make)
        for name, make in columns.items()
    }


def first(values: Mapping[int, Any], name: str) -> Any:
    """Return a function for `changed`: other values in some rows."""
    return lambda row, i: values.get(i, row[name])


def again(rows: Mapping[str, list], **columns: Any) -> dict[str, list]:
    """Return rows twice, the second time with other values of columns."""
    twice = {name: [*values, *values] for name, values in rows.items()}
    number = len(rows["query"])
    for name, (one, other) in columns.items():
        values = twice.get(name, [None] * 2 * number)
        twice[name] = [
            *(one(x) if callable(one) else one for x in values[:number]),
            *(other(x) if callable(other) else other for x in values[number:]),
        ]
    return twice


def parted(
    rows: Mapping[str, list], labels: Callable[[int, int], list[int]]
) -> dict[str, list]:
    """Return rows in parts, each an item of its own with the same score.

    Args:
        rows: the rows.
        labels: returns the labels of the parts, from that of the row and its
            number.
    """
    found: dict[str, list] = {name: [] for name in rows}
    for i, values in enumerate(zip(*rows.values(), strict=True)):
        row = dict(zip(rows, values, strict=True))
        for part, label in enumerate(labels(row["label"], i)):
            own = {**row, "item": f"{row['item']}{part}", "label": label}
            for name, column in found.items():
                column.append(own[name])
    return found


ROW = drawn()
MANY = drawn(queries=24, items=8, seed=3)
MANY["label"] = [int(x == 1) for x in MANY["label"]]
LISTS = drawn(queries=24, items=16, seed=4)
LISTS["label"] = [int(x == 1) for x in LISTS["label"]]
SAME = 12  # items of a query


def rescored(rows: Mapping[str, list], score: Callable) -> dict[str, list]:
    """Return rows with other scores, a function of a row and its number.

    The row has the rank of its item, from 0 on, and its place in the list, too.
    """
    found = []
    for values in by_query(rows, "label", "score").values():
        for place, (label, x) in enumerate(values):
            rank = sum(other > x for _, other in values)
            row = {"label": label, "score": x, "rank": rank, "place": place}
            found.append(score(row, len(found)))
    return {**rows, "score": found}


def longer(rows: Mapping[str, list], score: float) -> dict[str, list]:
    """Return rows with more relevant items in each list, of one score."""
    found = {name: [*values] for name, values in rows.items()}
    for number, query in enumerate(dict.fromkeys(rows["query"])):
        for i in range(1 + number % 4):
            row = query, f"{query}-{i}", 1, score
            for values, x in zip(found.values(), row, strict=True):
                values.append(x)
    order = sorted(range(len(found["query"])), key=found["query"].__getitem__)
    return {name: [values[i] for i in order] for name, values in found.items()}


_ORDER = np.argsort(np.argsort(-np.array(ROW["score"]).reshape(-1, SAME), 1), 1)
RANKS = (_ORDER + 1).ravel().tolist()

_LETTERS = [chr(65 + (5 * i) % SAME) for i in range(len(RANKS))]
_POPULAR = 31, 8, 12, 55, 3, 21, 7, 40, 5, 18, 2, 9


def with_last(total: Callable[[list], float]) -> dict[str, list]:
    """Return ordinary rows, of which the last of each list sum up the others.

    Args:
        total: returns the total of values.
    """
    found = {name: [*values] for name, values in ROW.items()}
    for name in ("label", "score"):
        for end in range(SAME - 1, len(RANKS), SAME):
            found[name][end] = total(found[name][end - SAME + 1 : end])
    return found


def rounded(**ranks: Sequence[int]) -> dict[str, list]:
    """Return ordinary rows whose scores are rounded so that most tie."""
    scores = [round(x / 2) + 0.5 for x in ROW["score"]]
    return ROW | {"score": scores} | ranks


# Counts, and the same with a point that marks thousands.
_COUNTS = np.random.default_rng(1).integers(100, 2000, len(RANKS)).tolist()
_POINTS = [float(f"{x:,}".replace(",", ".")) for x in _COUNTS]

ORDINARY = {
    "grades and scores": Data(ROW),
    "binary labels": Data(changed(label=lambda row, i: min(row["label"], 1))),
    "labels as floats": Data(changed(label=lambda row, i: float(row["label"]))),
    "grades up to 4": Data(changed(label=lambda row, i: 2 * row["label"])),
    "scores below 0": Data(changed(score=lambda row, i: row["score"] - 9.0)),
    "probabilities": Data(
        changed(score=lambda row, i: 1 / (1 + math.exp(-row["score"])))
    ),
    "integer ids": Data(
        changed(
            query=lambda row, i: i // SAME + 10,
            item=lambda row, i: 3 * i + 100,
        )
    ),
    "integers as scores, the best highest": Data(
        changed(
            score=lambda row, i: (
                20 * (row["label"] + (i * 7) % 3) + (i * 5) % SAME
            )
        )
    ),
    "scores from 1 on, the best highest": Data(
        changed(score=[SAME + 1 - x for x in RANKS])
    ),
    "ids with digits and letters": Data(
        changed(item=lambda row, i: f"doc_{i:04}/a-b")
    ),
    "long lists and short ones": Data(
        {x: [*ROW[x], *drawn(1, 30, 5)[x]] for x in ROW}
        | {"query": [*ROW["query"], *["long"] * 30]}
    ),
    "a query without relevant items": Data(
        changed(label=lambda row, i: row["label"] if i >= SAME else 0)
    ),
    "countries": Data(
        changed(
            item=lambda row, i: "NA" if i % SAME == 7 else f"{_LETTERS[i]}X"
        )
    ),
    "one catalogue for all queries": Data(
        changed(item=lambda row, i: f"product-{i % SAME}")
    ),
    "popular items first, for all queries": Data(
        changed(
            item=lambda row, i: i % SAME + 1,
            score=lambda row, i: float(_POPULAR[i % SAME]),
        )
    ),
    "ids that look like names of columns": Data(
        changed(
            query=lambda row, i: "qid" if i < SAME else row["query"],
            item=lambda row, i: f"did{i}",
        )
    ),
    "counts as scores": Data(changed(score=_COUNTS)),
    "weights with three decimals": Data(
        changed(score=lambda row, i: round(9 + row["score"], 3 * (i % 3 > 0))),
        has_ties=True,
    ),
    "ids of 16 digits": Data(changed(item=lambda row, i: 10**15 + 7 * i)),
    "addresses": Data(
        changed(
            query=lambda row, i: f"who+is+{i // SAME}",
            item=lambda row, i: f"https://a.org/{i % 7}/page?id={i}",
        )
    ),
    "ids of two servers": Data(changed(item=lambda row, i: 20_000_000 + 2 * i)),
    "ids in steps of 10, more than float32 has": Data(
        changed(item=lambda row, i: 200_000_000 + 10 * i)
    ),
    "times as ids": Data(changed(item=lambda row, i: 1_700_000_000 + 60 * i)),
    "scores with one digit": Data(
        changed(score=lambda row, i: round(row["score"], 1)),
        has_ties=True,
    ),
    "whole percent as scores": Data(
        changed(score=lambda row, i: 40 + round(12 * row["score"])),
        has_ties=True,
    ),
    "cosines": Data(changed(score=lambda row, i: math.tanh(row["score"]))),
    "logarithms of probabilities": Data(
        changed(
            score=lambda row, i: -math.log1p(math.exp(-row["score"])),
        )
    ),
    "terms that most documents lack": Data(
        changed(
            score=lambda row, i: (
                0.0 if (row["label"] < 1) & (i % 7 > 1) else 3 + row["score"]
            )
        ),
        has_ties=True,
    ),
    "one relevant item a query": Data(
        changed(label=lambda row, i: int(i % SAME == (5 * (i // SAME)) % SAME))
    ),
    "grades by a judge, 0 to 5": Data(
        changed(label=lambda row, i: min(5, 2 * row["label"] + i % 2))
    ),
    "lists of two samples with the relevant item first": Data(
        changed_of(
            drawn(48),
            label=lambda row, i: int(i % SAME == 0),
            score=lambda row, i: (i % SAME == 0) + row["score"],
        )
    ),
    "items of a score on top, some of them relevant": Data(
        rescored(LISTS, lambda row, i: min(1.5, row["score"])),
        has_ties=True,
    ),
    "relevant items alone at distance 0": Data(
        rescored(
            LISTS,
            lambda row, i: (
                0.0
                if row["label"] and row["place"] in (1, 3, 4)
                else row["score"] - 9
            ),
        ),
        has_ties=True,
    ),
    "relevant items that others have not found, at some ranks": Data(
        longer(LISTS, 0.6), has_ties=True
    ),
    "grades of relevant items from 3 to 5": Data(
        changed(label=lambda row, i: row["label"] and row["label"] + 3)
    ),
    "large scores of both signs": Data(
        rescored(LISTS, lambda row, i: 1e7 * math.sinh(row["score"]))
    ),
    "a toy that is perfect": Data(
        {
            x: values[: 3 * SAME]
            for x, values in changed(
                score=lambda row, i: row["label"] + 0.01 * ((5 * i) % SAME)
            ).items()
        }
    ),
}

_NAN, _INF = float("nan"), float("inf")

# A check of the one list each.
CHECKED = {
    "two systems in a column": Data(
        again(ROW, model=("a", "b"), score=(float, lambda x: x / 2)),
        "the rows of two systems",
        of_items=True,
        in_dicts=False,
    ),
    "ranks that contradict the scores": Data(
        changed(rank=[SAME + 1 - x for x in RANKS]),
        "scores are distances",
        of_items=True,
    ),
    "scores that ascend": Data(
        changed(score=lambda row, i: 0.1 * (i % SAME)),
        "scores are distances",
        in_batches=False,
    ),
    "equal scores": Data(
        changed(score=lambda row, i: 0.5),
        "another column orders the items",
        in_batches=False,
    ),
    "labels below 1": Data(
        changed(label=lambda row, i: 0.3 * row["label"]),
        "labels are shares",
        in_batches=False,
    ),
    "ids that are nan": Data(
        changed(item=first({0: "nan", 9: "nan", 18: "nan"}, "item")),
        "ids are missing",
        of_items=True,
    ),
    "queries that are nan": Data(
        changed(query=lambda row, i: "nan" if i < SAME else row["query"]),
        "queries are missing",
    ),
    "ids that lost digits": Data(
        changed(item=lambda row, i: f"1.23E+1{i % SAME}"),
        "a spreadsheet has rounded the ids",
        of_items=True,
    ),
    "labels that are times": Data(
        changed(label=lambda row, i: 1_700_000_000 + i), "labels are times"
    ),
    "infinite labels": Data(
        changed(label=first({3: _INF}, "label")), "a gain overflowed"
    ),
    "one query a row": Data(
        changed(query=lambda row, i: f"q{i}"),
        "queries are numbers of rows",
    ),
    "a score of -inf": Data(
        changed(score=first({0: -_INF, 12: -_INF}, "score")),
        "the item is not retrieved",
        right_in="without notes",
    ),
    "a score that is nan": Data(
        changed(score=first({3: _NAN}, "score")), "the model failed"
    ),
    "a label that is nan": Data(
        changed(label=first({3: _NAN}, "label")), "the item is not judged"
    ),
    "integers above 2**53": Data(
        changed(score=lambda row, i: 2**53 + 2 * (i % SAME) + i % 2),
        "scores that float64 ties",
        right_in="all",
    ),
    "an item twice": Data(
        changed(item=first({1: ROW["item"][0]}, "item")),
        "one of both rows is wrong",
        of_items=True,
        in_dicts=False,
    ),
    "all labels below 0": Data(
        changed(label=lambda row, i: -1),
        "no item is judged",
        in_batches=False,
    ),
    "labels and scores swapped": Data(
        changed(
            label=lambda row, i: row["score"], score=lambda row, i: row["label"]
        ),
        "arguments are swapped",
    ),
    "a query that is missing": Data(
        changed(query=first({0: None}, "query")), "queries are missing"
    ),
    "an item that is missing": Data(
        changed(item=first({0: None}, "item")),
        "the row has an item",
        of_items=True,
    ),
    "ranks as scores": Data(changed(score=RANKS), "ranks, 1 the best"),
    "positions from 0 as scores": Data(
        changed(score=[x - 1 for x in RANKS]),
        "positions, 0 the best",
    ),
    "ranks as floats": Data(
        changed(score=[float(x) for x in RANKS]),
        "ranks, 1 the best",
    ),
    "all items relevant": Data(
        changed(label=lambda row, i: row["label"] + 1),
        "ratings from 1 to 3",
        metric="P@3",
        explained=False,
    ),
    "two parts in a column": Data(
        again(ROW, is_train=(False, True), score=(float, lambda x: x + 1)),
        "rows for training, too",
        of_items=True,
        in_dicts=False,
    ),
    "rows that occur twice": Data(
        again(ROW), "a join has repeated rows", in_dicts=False
    ),
    "rows that occur three times": Data(
        {name: [*values] * 3 for name, values in ROW.items()},
        "a join has repeated rows",
        in_dicts=False,
    ),
    "distances in rows of any order": Data(
        changed(score=lambda row, i: -row["score"]),
        "scores are distances",
        in_batches=False,
    ),
    "ranks of which some are missing": Data(
        {
            name: [x for i, x in enumerate(values) if i % 5]
            for name, values in (ROW | {"score": RANKS}).items()
        },
        "scores are ranks",
        in_batches=False,
    ),
    "what argsort returned, as integers": Data(
        changed(
            score=np.random.default_rng(1)
            .permuted(np.tile(np.arange(SAME), (6, 1)), axis=1)
            .ravel()
            .tolist()
        ),
        "scores are places",
        right_in="without notes",
    ),
    "a join by the query alone": Data(
        {
            name: [
                {"label": y, "score": x, "item": f"{d}{e}", "query": q}[name]
                for q, rows in by_query(ROW, "item", "label", "score").items()
                for d, _, x in rows
                for e, y, _ in rows
            ]
            for name in ROW
        },
        "all items have all labels",
        in_batches=False,
    ),
    "scores of relevant items alone": Data(
        changed(score=lambda row, i: (5 + row["score"]) * (row["label"] > 0)),
        "irrelevant items have no scores",
        in_batches=False,
    ),
    "ranks of the best eight, 0 for the rest": Data(
        changed(score=[x * (x < 9) for x in RANKS]),
        "scores are ranks",
    ),
    "a join that repeats items with other labels": Data(
        parted(ROW, lambda label, i: [label, 0]),
        "each row is there twice",
        in_batches=False,
        right_in="all",  # if ids tell the items apart
    ),
    "relevant items that are among all others again": Data(
        parted(MANY, lambda label, i: [label, 0][: 1 + label]),
        "a relevant item is there twice",
        right_in="all",  # if ids tell the items apart
    ),
    "gains as labels": Data(
        changed(label=lambda row, i: (0, 1, 3, 0, 7, 0, 1)[i % 7]),
        "labels are gains",
        explained=False,
    ),
    "relevant items alone that are judged": Data(
        changed(label=lambda row, i: 1 if row["label"] else -2),
        "nothing irrelevant is judged",
        metric="NDCG(unjudged=condense)@10",
        in_batches=False,
        explained=False,
    ),
    "labels as scores": Data(
        {
            name: 2 * values if name != "query" else values + more
            for more in [[f"{q}b" for q in ROW["query"]]]
            for name, values in {**ROW, "score": ROW["label"]}.items()
        },
        "labels passed twice",
        right_in="without notes",
        in_batches=False,
    ),
    "grades as scores": Data(
        changed(score=lambda row, i: i % 3),
        "scores are labels",
        right_in="without notes",
        in_batches=False,
    ),
    "ranks as labels": Data(
        changed(
            label=np.random.default_rng(2)
            .permuted(np.tile(np.arange(SAME) + 1, (6, 1)), axis=1)
            .ravel()
            .tolist()
        ),
        "labels are ranks",
        right_in="without notes",
        in_batches=False,
    ),
    "the id of the query first in most lists": Data(
        changed(
            item=lambda row, i: (
                row["query"] if i % SAME == 1 and i > SAME else row["item"]
            ),
            score=lambda row, i: (
                9 + i % 7 / 10 if i % SAME == 1 else row["score"]
            ),
        ),
        "queries find themselves",
        of_items=True,
    ),
    "a code as a label": Data(
        changed(label=first({2: 999, 20: 999}, "label")), "999 is no grade"
    ),
    "a code as a label, of which none gains more": Data(
        changed(label=first({2: 999, 20: 999}, "label")),
        "999 is no grade",
        metric="RR",
    ),
    "grades from -2 to 2": Data(
        changed(label=lambda row, i: (i * 7) % 5 - 2),
        "grades around 0",
    ),
    "percent as labels": Data(
        changed(label=lambda row, i: 50 * row["label"]),
        "labels are percent",
        explained=False,
    ),
    "queries in two spellings": Data(
        changed(query=lambda row, i: f"{i // SAME + 10}" + ".0" * (i % 2)),
        "two queries are one",
    ),
    "its own id first": Data(
        changed(
            item=lambda row, i: row["query"] if i % SAME == 0 else row["item"],
            score=lambda row, i: 9.0 if i % SAME == 0 else row["score"],
        ),
        "items find themselves",
        of_items=True,
    ),
    "its own id first, irrelevant": Data(
        changed(
            item=lambda row, i: row["query"] if i % SAME == 0 else row["item"],
            score=lambda row, i: 9.0 if i % SAME == 0 else row["score"],
            label=lambda row, i: row["label"] if i % SAME else 0,
        ),
        "items find themselves",
        of_items=True,
    ),
    "scores that float32 ties": Data(
        changed(score=lambda row, i: 1.7e9 + 0.1 * row["score"]),
        "scores of another precision",
        right_in="all",
    ),
    "an infinite score": Data(
        changed(score=first({3: _INF}, "score")),
        "the model failed",
    ),
    "an infinite score that nan_to_num has replaced": Data(
        changed(score=first({3: float(np.finfo("float32").max)}, "score")),
        "the model failed",
    ),
    "ids that floats have rounded": Data(
        changed(item=lambda row, i: f"1.7{i}e+18"),
        "ids went through floats",
        of_items=True,
    ),
    "a code below 0 for irrelevant items": Data(
        changed(label=lambda row, i: 1 if row["label"] else -100),
        "-100 is irrelevant",
        right_in="all",  # as it is in tables
    ),
    "a code below 0 for irrelevant items of grades": Data(
        changed(label=lambda row, i: row["label"] or -1),
        "-1 is irrelevant",
        right_in="all",  # as it is in tables
    ),
    "scores of one relevant item alone": Data(
        changed(
            label=lambda row, i: int(i % SAME == 3),
            score=lambda row, i: row["score"] + 0.5 if i % SAME == 3 else 0.0,
        ),
        "irrelevant items have no scores",
        in_batches=False,
    ),
    "relevant items alone are retrieved": Data(
        changed(
            label=lambda row, i: int(i % SAME < 5),
            score=lambda row, i: row["score"] if i % SAME < 5 else -math.inf,
        ),
        "the run was made of the judgements",
        in_batches=False,
        right_in="without notes",
    ),
    "half of the lists without relevant items": Data(
        changed_of(
            drawn(24), label=lambda row, i: row["label"] * (i // SAME % 2)
        ),
        "lists without relevant items should not count",
        in_batches=False,
        right_in="all",  # the words are tested in test_advice
    ),
    "seeds as further lists": Data(
        again(
            drawn(24),
            query=(str, lambda x: f"{x}-b"),
            score=(float, lambda x: x + math.sin(9 * x)),
        ),
        "the labels are there for each seed",
        in_batches=False,
        right_in="without notes",
    ),
    "lists that are there again": Data(
        again(ROW, query=(str, lambda x: f"{x}-again")),
        "the data set was repeated",
        in_batches=False,
    ),
    "two systems in a column, without an item of both": Data(
        again(
            ROW,
            item=(str, lambda x: f"{x}-b"),
            score=(float, lambda x: math.sin(9 * x)),
        ),
        "the rows of two systems",
        in_batches=False,
    ),
    "what argsort returned for all rows": Data(
        changed(score=np.argsort(np.sin(np.arange(72) ** 2)).tolist()),
        "scores are places",
    ),
    "one label above 0 for all items of a list": Data(
        changed(label=lambda row, i: 1 + i // SAME % 3),
        "the labels are those of the query",
        in_batches=False,
    ),
    "lists with one score": Data(
        changed(score=lambda row, i: row["score"] if i < 3 * SAME else 0.5),
        "half of the lists were not scored",
        in_batches=False,
        right_in="without notes",
    ),
    "scores of other lists": Data(
        changed(score=ROW["score"][: 2 * SAME] * 3),
        "a batch was used again",
        in_batches=False,
        right_in="without notes",
    ),
    "scores that were rounded": Data(
        changed(score=lambda row, i: round(row["score"])),
        "the scores are classes",
        in_batches=False,
        right_in="without notes",
    ),
    "a query that is empty": Data(
        changed(query=first({0: ""}, "query")), "queries are missing"
    ),
    "a query that is the code -1": Data(
        changed(query=lambda row, i: i // SAME - 1), "queries are missing"
    ),
    "a query that was nan": Data(
        changed(query=lambda row, i: i // SAME or -(2**63)),
        "queries are missing",
    ),
    "an item that was nan": Data(
        changed(item=lambda row, i: i or -(2**63)),
        "an item is missing",
        of_items=True,
    ),
    "ids that were in an array of float32": Data(
        changed(item=lambda row, i: 2**26 + 8 * i + 8),
        "ids have lost digits",
        of_items=True,
    ),
    "a row of sums in each list": Data(
        with_last(sum),
        "the row is a total",
        metric="NDCG(gain_fn=linear_gain)@10",
    ),
    "a row of means in each list": Data(
        with_last(lambda x: sum(x) / len(x)), "the row is a mean"
    ),
    "ranks that order rounded scores": Data(
        rounded(rank=RANKS),
        "the ranks are the order",
        of_items=True,
    ),
    "a point that marks thousands": Data(
        changed(score=_POINTS),
        "1.234 is 1234",
        explained=False,
        in_batches=False,
        right_in="without notes",
    ),
    "a header as a row": Data(
        changed(
            query=first({0: "query_id"}, "query"),
            item=first({0: "docid"}, "item"),
        ),
        "the header is a query",
        of_items=True,
    ),
    "ranks of relevant items alone": Data(
        rescored(LISTS, lambda row, i: row["rank"] * (row["label"] > 0)),
        "scores are ranks",
        in_batches=False,
    ),
    "seen items on top, which were filled with 0": Data(
        rescored(
            LISTS,
            lambda row, i: (
                0.0
                if not row["label"] and row["place"] in (1, 4, 5, 7, 9, 11)
                else row["score"] - 9
            ),
        ),
        "seen items were to be left out",
    ),
    "seen items times -1e9": Data(
        rescored(
            LISTS,
            lambda row, i: (
                (row["score"] - 1)
                * (-1e9 if row["place"] in (2, 5, 6, 8) else 1)
            ),
        ),
        "seen items were to be left out",
    ),
    "relevant items that an outer join has filled with 0, on top": Data(
        longer(rescored(LISTS, lambda row, i: row["score"] - 9), 0.0),
        "relevant items are not retrieved",
        in_batches=False,
    ),
    "relevant items that an outer join has filled with 0, last": Data(
        longer(rescored(LISTS, lambda row, i: math.exp(row["score"])), 0.0),
        "relevant items are not retrieved",
        in_batches=False,
    ),
    "labels from 85 to 99 with a linear gain": Data(
        changed(label=lambda row, i: 85 + 7 * row["label"]),
        "labels are no gains",
        metric="NDCG(gain_fn=linear_gain)@10",
        explained=False,
    ),
    "probabilities of which many are 1": Data(
        changed(score=lambda row, i: min(1, 0.4 + row["score"] / 4)),
        "scores are limited",
        in_batches=False,
        right_in="without notes",
    ),
    "commas in numbers": Data(
        changed(item=lambda row, i: f"{i},5"),
        "ids with decimal commas",
        of_items=True,
    ),
}
ALL = {**ORDINARY, **CHECKED}
