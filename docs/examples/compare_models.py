"""Train rankers with three losses, and test which loss is better.

    python compare_models.py                      # on queries that it generates
    python compare_models.py --data DIR           # on your SVMlight files
    python compare_models.py --format latex       # a table for a paper

All rankers have the same layers. The first one learns each grade by itself, the
second which of two items is better, and the third the order of a whole list. On
the test queries, the second and the third are compared to the first. The table
goes to stdout, and the lines about training to stderr.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence

import keras
import numpy as np
from console import add_integers
from keras import ops
from learning_to_rank import (
    Tensor,
    listwise_softmax,
    make_metrics,
    train_model,
)
from queries import Splits, add_data, load

import keras_rankmetrics as krm

FORMATS: dict[str, Callable[[krm.Compared], str]] = {
    "text": str,
    "markdown": krm.Compared.to_markdown,
    "latex": krm.Compared.to_latex,
    "csv": krm.Compared.to_csv,
    "json": krm.Compared.to_json,
}


def squared_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Return the mean squared error of each list, without padding."""
    valid = ops.cast(y_true >= 0, y_pred.dtype)
    errors = ops.sum(valid * ops.square(y_pred - y_true), axis=-1)
    return ops.divide_no_nan(errors, ops.sum(valid, axis=-1))


def pairwise_logistic(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Return the mean logistic loss of the pairs of each list.

    A pair is a better item and a worse one. Padding is in no pair.
    """
    better, worse = y_true[:, :, None], y_true[:, None, :]
    is_pair = ops.cast((better > worse) & (worse >= 0), y_pred.dtype)
    losses = ops.softplus(y_pred[:, None, :] - y_pred[:, :, None])
    sums = ops.sum(is_pair * losses, axis=(1, 2))
    return ops.divide_no_nan(sums, ops.sum(is_pair, axis=(1, 2)))


LOSSES = {
    "pointwise": squared_error,
    "pairwise": pairwise_logistic,
    "listwise": listwise_softmax,
}


def compare(splits: Splits, epochs: int, batch_size: int) -> krm.Compared:
    """Train a ranker with each loss, and compare them on the test queries."""
    rankers = {}
    for name, loss in LOSSES.items():
        print(f"Training with the {name} loss:\n")
        model, _ = train_model(splits, epochs, batch_size, loss)
        rankers[name] = model.predict(splits.test.features, verbose=0)
    return krm.compare(
        splits.test.labels, rankers, make_metrics(), baseline="pointwise"
    )


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0]
    )
    add_data(parser)
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="of the table (default: text)",
    )
    add_integers(
        parser,
        [
            ("--epochs", 8, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 64, 1, "queries per training step"),
            ("--queries", 3000, 5, "queries to generate, without --data"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Train the rankers, and print the table."""
    args = parse_args(argv)
    keras.utils.set_random_seed(args.seed)
    with contextlib.redirect_stdout(sys.stderr):
        splits = load(args, np.random.default_rng(args.seed))
        compared = compare(splits, args.epochs, args.batch_size)
    print(FORMATS[args.format](compared))


if __name__ == "__main__":
    main()
