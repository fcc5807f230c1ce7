"""How long item rows take on Spark, against `collect_list` by hand.

    python -m tests.tools.benchmarks.item_logs
    python -m tests.tools.benchmarks.item_logs --queries 3000 --rounds 5

All ways take turns in one session, so that they meet the same load. A query has
100 rows, in random order. It needs the extra [spark], a backend of Keras, and
Java. The first round starts the workers, which import Keras.
"""

import argparse
import math
import os
import tempfile
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.tools.benchmarks.logs import PARTITIONS, session

ITEMS, K = 100, 10
_GAINS = (
    f"aggregate(transform(slice({{}}, 1, {K}), (label, i) -> "
    "(pow(2, label) - 1) / log2(i + 2)), 0D, (sum, x) -> sum + x)"
)
_BY_SCORE = "transform(sort_array(items, false), item -> item.label)"
_BY_LABEL = "sort_array(transform(items, item -> item.label), false)"


def main(arguments: list[str] | None = None) -> None:
    """Prints the seconds of each way in each round."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.benchmarks.item_logs", description=__doc__
    )
    parser.add_argument("--queries", type=int, default=30_000)
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        write(folder, options.queries)
        log = session().read.parquet(folder)
        for number in range(1, options.rounds + 1):
            timed = {name: _timed(way, log) for name, way in WAYS.items()}
            seconds = {name: found[0] for name, found in timed.items()}
            assert len({round(value, 5) for _, value in timed.values()}) == 1
            fastest = min(seconds["udf"], seconds["sql"])
            shown = "  ".join(f"{n} {s:.2f} s" for n, s in seconds.items())
            ratio, load = seconds["spark"] / fastest, os.getloadavg()[0]
            print(
                f"round {number}: {shown}  spark is {ratio:.2f} of the faster "
                f"by hand, load {load:.1f}",
                flush=True,
            )


def write(folder: str, queries: int) -> None:
    """Rows as Parquet, with a column that no metric reads."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    rows = queries * ITEMS
    query = rng.permutation(np.repeat(np.arange(queries), ITEMS))
    label = rng.choice(5, rows, p=[0.55, 0.25, 0.12, 0.05, 0.03])
    table = pa.table(
        {
            "query": query,
            "label": label.astype("int32"),
            "score": rng.normal(size=rows),
            "text": [f"item {row}" for row in range(rows)],
        }
    )
    size = -(-rows // PARTITIONS)
    for part in range(PARTITIONS):
        path = f"{folder}/{part}.parquet"
        pq.write_table(table.slice(part * size, size), path)


def ours(log: Any) -> float:
    """The adapter."""
    import keras_rankmetrics as krm
    from keras_rankmetrics.adapters import spark

    found = spark.evaluate(log, krm.NDCG(K), "label", "score", query="query")
    return float(found.result())


def udf(log: Any) -> float:
    """A Python function of the items of each query."""
    from pyspark.sql import functions as sql

    def ndcg(items: list[Any]) -> float:
        def total(labels: list[int]) -> float:
            gains = enumerate(labels[:K], 2)
            return sum((2**label - 1) / math.log2(i) for i, label in gains)

        items.sort(key=lambda item: -item.score)
        labels = [item.label for item in items]
        best = total(sorted(labels, reverse=True))
        return total(labels) / best if best else 0.0

    value = sql.udf(ndcg, "double")("items")
    return float(_collected(log).select(sql.avg(value)).first()[0])


def in_sql(log: Any) -> float:
    """Functions of arrays in SQL, without Python."""
    from pyspark.sql import functions as sql

    of_all, best = (_GAINS.format(x) for x in (_BY_SCORE, _BY_LABEL))
    value = sql.expr(f"coalesce(try_divide({of_all}, {best}), 0)")
    return float(_collected(log).select(sql.avg(value)).first()[0])


def _collected(log: Any) -> Any:
    from pyspark.sql import functions as sql

    items = sql.collect_list(sql.struct("score", "label"))
    return log.groupBy("query").agg(items.alias("items"))


WAYS: dict[str, Callable[[Any], float]] = {
    "spark": ours,
    "udf": udf,
    "sql": in_sql,
}


def _timed(way: Callable[[Any], float], log: Any) -> tuple[float, float]:
    start = time.monotonic()
    value = way(log)
    return time.monotonic() - start, value


if __name__ == "__main__":
    main()
