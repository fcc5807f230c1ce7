"""Share options, epochs and printed lines between the loops."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

import keras
import numpy as np
from console import add_integers
from queries import Queries, generate

import keras_rankmetrics as krm


class Loop(NamedTuple):
    """The functions of a backend for one epoch."""

    train_epoch: Callable[[], float]  # returns the mean loss
    measure: Callable[[Queries], krm.MetricCollection]


def make_metrics() -> krm.MetricCollection:
    """Return new metrics. The collection ranks each batch once for all."""
    return krm.MetricCollection(
        [*krm.NDCG.at(1, 10), krm.MeanAveragePrecision(k=10)]
    )


def run(
    doc: str | None,
    backend: str,
    make_loop: Callable[[Queries, int], Loop],
    argv: Sequence[str] | None,
) -> None:
    """Read the options, train, and print a line for each epoch."""
    parser = argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_integers(
        parser,
        [
            ("--epochs", 5, 1, "epochs"),
            ("--batch-size", 32, 1, "queries per training step"),
            ("--queries", 480, 5, "queries to generate"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    args = parser.parse_args(argv)
    if keras.config.backend() != backend:
        parser.error(f"set KERAS_BACKEND={backend}")
    keras.utils.set_random_seed(args.seed)
    splits = generate(args.queries, np.random.default_rng(args.seed))
    loop = make_loop(splits.train, args.batch_size)
    for epoch in range(args.epochs):
        loss = loop.train_epoch()
        results = loop.measure(splits.validation).result()
        values = "  ".join(
            f"{name} {float(value):.4f}" for name, value in results.items()
        )
        print(f"epoch {epoch + 1}  loss {loss:.4f}  {values}", flush=True)
    print("\nThe test queries, with 95% intervals:\n")
    for metric in loop.measure(splits.test).metrics:
        print(metric)
