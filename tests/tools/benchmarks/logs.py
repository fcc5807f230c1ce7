"""How long a log takes on Spark, beside one process and other packages.

    python -m tests.tools.benchmarks.logs

Each way of doing it is measured in a process of its own. It needs the extra
[spark], a backend of Keras, and Java; RePlay is measured where it is installed.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from tests.tools.benchmarks.resident import rise_in

ITEMS, SHOWN, TAKEN = 10_000, 10, 5
ROUNDS = 3
PARTITIONS = 8


def main(arguments: list[str] | None = None) -> None:
    """Prints a line for each way."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.benchmarks.logs", description=__doc__
    )
    parser.add_argument("--lists", type=int, default=1_000_000)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--here", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--data", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.here:
        print(json.dumps(WAYS[options.here](options.data)))
        return
    with tempfile.TemporaryDirectory() as folder:
        write(folder, options.lists)
        load = os.getloadavg()[0]
        print(f"{options.lists:,} lists, load {load:.1f}", flush=True)
        for way in options.ways:
            print(f"{way:12} {_apart(way, folder)}", flush=True)


def _apart(way: str, folder: str) -> str:
    command = [sys.executable, "-m", "tests.tools.benchmarks.logs"]
    ran = subprocess.run(
        [*command, "--here", way, "--data", folder],
        capture_output=True,
        text=True,
    )
    if ran.returncode:
        return f"failed: {ran.stderr.strip().splitlines()[-1]}"
    found = json.loads(ran.stdout.splitlines()[-1])
    times = " ".join(f"{seconds:.1f}" for seconds in found["seconds"])
    driver = found.get("driver_bytes")
    memory = "" if driver is None else f"  driver {driver / 1e6:+.0f} MB"
    return f"{times} s  {found['name']} {found['value']:,.8g}{memory}"


def write(folder: str, lists: int) -> None:
    """Relevant and recommended ids as Parquet, a file for each partition."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    for part in range(PARTITIONS):
        number = lists // PARTITIONS
        shown = rng.integers(0, ITEMS, (number, SHOWN))
        shown = (shown[:, :1] + np.arange(SHOWN) * 7) % ITEMS
        lengths = rng.integers(1, TAKEN + 1, number)
        offset = rng.integers(0, 40, (number, TAKEN))
        taken = (shown[:, :1] + 7 * np.cumsum(1 + offset // 8, axis=1)) % ITEMS
        held = np.arange(TAKEN) < lengths[:, None]
        table = pa.table(
            {
                "taken": pa.ListArray.from_arrays(
                    np.concatenate([[0], np.cumsum(lengths)]).astype("int32"),
                    taken[held].astype("int64"),
                ),
                "shown": pa.ListArray.from_arrays(
                    np.arange(0, number * SHOWN + 1, SHOWN, dtype="int32"),
                    shown.astype("int64").ravel(),
                ),
            }
        )
        pq.write_table(table, f"{folder}/{part}.parquet")


def one_process(folder: str) -> dict[str, object]:
    """The job of a worker, in this process."""
    import pyarrow.parquet as pq

    from keras_rankmetrics.adapters.worker import sums_of_tables
    from keras_rankmetrics.tables.jobs import Job

    metrics = _metrics()
    job = Job(metrics, "taken", "shown")

    def run() -> float:
        tables = (
            pq.read_table(f"{folder}/{part}.parquet")
            for part in range(PARTITIONS)
        )
        found = job.with_sums(sums_of_tables(job, tables))
        return float(found.result()["ndcg@10"])

    return _timed(run)


def on_spark(folder: str) -> dict[str, object]:
    """The adapter, on two workers."""
    from keras_rankmetrics.adapters import spark

    metrics = _metrics()
    log = session().read.parquet(folder)
    log.limit(1).collect()

    def run() -> float:
        found = spark.evaluate(log, metrics, "taken", "shown")
        return float(found.result()["ndcg@10"])

    timed: dict[str, object] = {}
    rise = rise_in(lambda: timed.update(_timed(run)))
    return {**timed, "driver_bytes": rise}


def counting(folder: str) -> dict[str, object]:
    """The least that Spark can take: its workers only count the rows."""
    log = session().read.parquet(folder)
    log.limit(1).collect()

    def count(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        rows = pa.array([sum(batch.num_rows for batch in batches)])
        yield pa.RecordBatch.from_arrays([rows], names=["rows"])

    def run() -> float:
        counted = log.mapInArrow(count, "rows long").collect()
        return float(sum(row.rows for row in counted))

    return _timed(run, name="rows")


def mllib(folder: str) -> dict[str, object]:
    """What Spark itself has: a pass for each metric."""
    from pyspark.mllib.evaluation import RankingMetrics

    log = session().read.parquet(folder)
    pairs = log.select("shown", "taken").rdd.map(tuple)

    def run() -> float:
        ranking = RankingMetrics(pairs)
        ndcg = [ranking.ndcgAt(k) for k in (5, 10)]
        _ = ranking.recallAt(10), ranking.meanAveragePrecisionAt(10)
        return float(ndcg[1])

    return _timed(run, rounds=1)


def replay(folder: str) -> dict[str, object]:
    """RePlay, which takes a row for each item."""
    from pyspark.sql import functions as sql
    from replay.metrics import MAP, NDCG, OfflineMetrics, Recall

    log = session().read.parquet(folder)
    log = log.withColumn("query_id", sql.monotonically_increasing_id())
    shown = log.select("query_id", sql.posexplode("shown"))
    shown = shown.select(
        "query_id",
        sql.col("col").alias("item_id"),
        (-sql.col("pos")).cast("double").alias("rating"),
    )
    taken = log.select("query_id", sql.explode("taken").alias("item_id"))
    metrics = OfflineMetrics([NDCG([5, 10]), Recall(10), MAP(10)])
    return _timed(lambda: metrics(shown, taken)["NDCG@10"], rounds=1)


def _metrics() -> object:
    import keras_rankmetrics as krm

    options = {"inputs": "ids", "gain_fn": krm.linear_gain}
    return krm.MetricCollection(
        [
            *krm.NDCG.at(5, 10, **options),
            krm.RecallAtK(10, inputs="ids"),
            krm.MeanAveragePrecision(10, inputs="ids"),
        ]
    )


def session() -> Any:
    """A session with two workers."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    return (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "4g")
        .getOrCreate()
    )


def _timed(
    run: Callable[[], float], rounds: int = ROUNDS, name: str = "ndcg@10"
) -> dict[str, object]:
    seconds, value = [], 0.0
    for _ in range(rounds):
        start = time.monotonic()
        value = run()
        seconds.append(time.monotonic() - start)
    return {"seconds": seconds, "name": name, "value": value}


WAYS = {
    "one process": one_process,
    "counting": counting,
    "spark": on_spark,
    "mllib": mllib,
    "replay": replay,
}


if __name__ == "__main__":
    main()
