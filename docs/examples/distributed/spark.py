"""Evaluate a log of recommendations with Spark, without collecting it.

    python distributed/spark.py                  # on a log it generates
    python distributed/spark.py --lists 1000000 --master local[8]

Each row of the log is a user: the items that were shown, by two recommenders,
the items that the user took, and the market. All of it is computed where it
lies; the driver gets the states of the metrics.

It needs `pip install "keras_rankmetrics[spark]"`, a backend of Keras, and Java.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

MARKETS = ["home", "away"]


def generate(spark: Any, lists: int, items: int) -> Any:
    """A log that Spark makes: ids are strings, and some users took nothing."""
    from pyspark.sql import functions as sql

    names = (f"item {item}" for item in range(items))
    ids = sql.array(*map(sql.lit, names))
    taken = sql.slice(sql.shuffle(ids), 1, 3)
    log = spark.range(lists).withColumn("taken", taken)
    # The new recommender shows something that the user took more often.
    kept = sql.slice(sql.col("taken"), 1, 1)
    others = sql.slice(sql.shuffle(ids), 1, 9)
    return (
        log.withColumn("old", sql.slice(sql.shuffle(ids), 1, 10))
        .withColumn("new", sql.shuffle(sql.concat(kept, others)))
        .withColumn(
            "market", sql.when(sql.col("id") % 3 == 0, "away").otherwise("home")
        )
        .withColumn("taken", sql.when(sql.col("id") % 10 > 0, sql.col("taken")))
    )


def report(log: Any) -> None:
    """Prints three kinds of metrics of the log."""
    import keras_rankmetrics as krm
    from keras_rankmetrics.adapters import spark

    metrics = krm.MetricCollection(
        [krm.NDCG(10, inputs="ids"), krm.RecallAtK(10, inputs="ids")]
    )
    print(spark.evaluate(log, metrics, "taken", "new"), end="\n\n")

    by_market = krm.Sliced(krm.NDCG(10, inputs="ids"), groups=MARKETS)
    print(
        spark.evaluate(log, by_market, "taken", "new", group="market").table()
    )
    print()

    comparison = krm.Comparison(krm.NDCG(10, inputs="ids"), ["old", "new"])
    systems = {"old": "old", "new": "new"}
    print(spark.evaluate(log, comparison, "taken", systems).table())


def main(arguments: list[str] | None = None) -> None:
    """Generates a log, and evaluates it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--lists", type=int, default=2000, help="(default: 2000)"
    )
    parser.add_argument("--items", type=int, default=100, help="(default: 100)")
    parser.add_argument(
        "--master", default="local[2]", help="of Spark (default: local[2])"
    )
    options = parser.parse_args(arguments)

    from pyspark.sql import SparkSession

    # The workers run the Python that runs this.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = SparkSession.builder.master(options.master).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    report(generate(session, options.lists, options.items))
    session.stop()


if __name__ == "__main__":
    main()
