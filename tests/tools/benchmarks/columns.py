"""NDCG@1, 5 and 10 of flat columns, against tools that take such columns.

    python -m tests.tools.benchmarks.columns
    python -m tests.tools.benchmarks.columns --queries 1000 --backends torch

Ours starts from columns, with the rows of a query together, or in random order.
XGBoost starts from a `DMatrix`, LightGBM from a `Dataset`, CatBoost, polars,
polars_ds and DuckDB from columns of theirs, which are built before timing
starts. The queries in polars and SQL are by hand. pyndeval has no graded NDCG.

A cell is the median time of the processor, of all threads, and its ratio to
XGBoost: other jobs on the machine disturb it less than elapsed time.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tests.tools.benchmarks.backends import (
    BACKENDS,
    print_table,
    ratio_of,
    times_of,
)

ITEMS, CUTOFFS = 100, (1, 5, 10)
Call = Callable[[], Sequence[float]]


class Data:
    """Random grades and scores, sorted by query."""

    def __init__(self, queries: int) -> None:
        rng = np.random.default_rng(0)
        rows = queries * ITEMS
        self.query = np.repeat(np.arange(queries), ITEMS)
        self.label = rng.choice(5, rows, p=[0.55, 0.25, 0.12, 0.05, 0.03])
        self.label[::ITEMS] = 1  # so that all agree: no list is empty
        self.score = rng.normal(size=rows).astype("float32")
        self.order = rng.permutation(rows)

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The columns by name."""
        return {"q": self.query, "y": self.label, "s": self.score}


def ours(data: Data) -> Call:
    """The call of this package, of sorted rows."""
    return _ours(data.columns.values())


def shuffled(data: Data) -> Call:
    """The call of this package, of rows in random order."""
    return _ours(x[data.order] for x in data.columns.values())


def _ours(columns: Iterable[np.ndarray]) -> Call:
    import keras_rankmetrics as krm

    columns, metrics = [*columns], [*krm.NDCG.at(*CUTOFFS)]
    return lambda: [*krm.evaluate_rows(*columns, metrics).values()]


def xgboost(data: Data) -> Call:
    """The evaluation of a model without trees, on scores as its margin."""
    import xgboost as xgb

    matrix = xgb.DMatrix(
        np.zeros((len(data.query), 1), "float32"),
        label=data.label,
        qid=data.query,
        base_margin=data.score,
    )
    options = {
        "objective": "rank:ndcg",
        "eval_metric": [f"ndcg@{k}" for k in CUTOFFS],
    }
    model = xgb.train(options, matrix, num_boost_round=0)

    def call() -> Sequence[float]:
        found = model.eval_set([(matrix, "")])
        return [float(x.rpartition(":")[2]) for x in found.split("\t")[1:]]

    return call


def lightgbm(data: Data) -> Call:
    """The evaluation of a model whose only score is its initial one."""
    import lightgbm as lgb

    options = {
        "objective": "lambdarank",
        "eval_at": list(CUTOFFS),
        "verbosity": -1,
    }
    dataset = lgb.Dataset(
        np.arange(len(data.query), dtype="float32")[:, None],
        label=data.label,
        group=np.full(len(data.query) // ITEMS, ITEMS),
        init_score=data.score.astype("float64"),
    )
    model = lgb.Booster(options, dataset)
    return lambda: [found[2] for found in model.eval_train()]


def catboost(data: Data) -> Call:
    """Its metrics of arrays."""
    from catboost.utils import eval_metric

    columns = data.label, data.score.astype("float64")

    def call() -> Sequence[float]:
        return [
            eval_metric(
                *columns,
                f"NDCG:top={k};type=Exp;denominator=LogPosition",
                group_id=data.query,
            )[0]
            for k in CUTOFFS
        ]

    return call


def polars(data: Data) -> Call:
    """A query in polars, by hand."""
    import polars as pl

    frame = pl.DataFrame(data.columns)
    gain = 2.0 ** pl.col("y") - 1

    def dcg(column: str, k: int) -> Any:
        rank = pl.col(column).rank("ordinal", descending=True).cast(pl.Float64)
        return (gain / (rank + 1).log(2)).filter(rank <= k).sum()

    means = [(dcg("s", k) / dcg("y", k)).alias(str(k)) for k in CUTOFFS]

    def call() -> Sequence[float]:
        by_query = frame.lazy().group_by("q").agg(means).drop("q")
        return by_query.mean().collect().row(0)

    return call


def polars_ds(data: Data) -> Call:
    """Its expression, on gains, since it has no exponent."""
    import polars as pl
    import polars_ds as pds

    gain = 2.0**data.label - 1
    frame = pl.DataFrame({**data.columns, "y": gain})
    frame = frame.cast({"s": pl.Float64})
    each = [pds.query_ndcg_score("y", "s", k=k).alias(str(k)) for k in CUTOFFS]

    def call() -> Sequence[float]:
        by_query = frame.lazy().group_by("q").agg(each).drop("q")
        return by_query.mean().collect().row(0)

    return call


def duckdb(data: Data) -> Call:
    """A query in SQL, by hand."""
    import duckdb as db
    import pyarrow as pa

    connection = db.connect()
    connection.register("columns", pa.table(data.columns))
    connection.execute("create table rows as from columns")
    rank = "row_number() over (partition by q order by {} desc)"
    dcg = "sum(g / log2({0} + 1)) filter ({0} <= {1})"
    each = [f"{dcg.format('r', k)} / {dcg.format('b', k)}" for k in CUTOFFS]
    query = (
        f"select {', '.join(f'avg(n[{i}])' for i in range(1, len(each) + 1))} "
        f"from (select [{', '.join(each)}] as n from (select q, 2 ** y - 1 as "
        f"g, {rank.format('s')} as r, {rank.format('y')} as b from rows) "
        "group by q)"
    )
    return lambda: connection.execute(query).fetchall()[0]


CALLS = (
    *(xgboost, ours, shuffled),
    *(lightgbm, catboost, polars, polars_ds, duckdb),
)


def measured(options: argparse.Namespace) -> list[str]:
    """The cells of the backend of this process."""
    data = Data(options.queries)
    calls: dict[Callable[[Data], Call], Call] = {}
    found, cells = {}, {}
    for contender in CALLS:
        try:
            calls[contender] = contender(data)
            found[contender] = [*calls[contender]()]
        except (ImportError, AttributeError) as error:  # or of another version
            cells[contender] = type(error).__name__
            calls.pop(contender, None)
    for values in found.values():
        np.testing.assert_allclose(values, found[xgboost], rtol=1e-5)
    times = times_of(calls, options.rounds, time.process_time)
    for contender, own in times.items():
        median = 1000 * statistics.median(own)
        cells[contender] = (
            f"{median:.0f} ms, {ratio_of(own, times[xgboost]):.2f}"
        )
    return [cells[contender] for contender in CALLS]


if __name__ == "__main__":
    print_table(
        *("columns", __doc__, measured, [x.__name__ for x in CALLS]),
        backends=["numpy", *BACKENDS],
        queries=10_000,
        rounds=9,
    )
