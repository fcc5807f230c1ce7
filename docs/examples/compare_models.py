"""Train two rankers with Keras, and test which of them is better.

    python compare_models.py                      # on queries it generates
    python compare_models.py --data DIR           # on your SVMlight files
    python compare_models.py --format latex       # a table for a paper

Both rankers have the same layers. One learns each grade by itself, the other
which items of a list are better. On the test queries they stand beside a scorer
that gives every item the same score, which is chance level. The differences to
the first ranker are tested query by query.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import keras
import numpy as np
from console import add_integers
from datafile import DataError
from keras import ops
from learning_to_rank import (
    Splits,
    Tensor,
    build_model,
    listwise_softmax,
    load,
)

import keras_rankmetrics as krm

FORMATS: dict[str, Callable[[krm.Compared], str]] = {
    "text": str,
    "markdown": krm.Compared.to_markdown,
    "latex": krm.Compared.to_latex,
    "csv": krm.Compared.to_csv,
    "json": krm.Compared.to_json,
}


def squared_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean squared error of the items of each list, without padding."""
    valid = ops.cast(y_true >= 0, y_pred.dtype)
    errors = ops.sum(valid * ops.square(y_pred - y_true), axis=-1)
    return ops.divide_no_nan(errors, ops.sum(valid, axis=-1))


def train(
    splits: Splits,
    loss: Callable[[Tensor, Tensor], Tensor],
    epochs: int,
    batch_size: int,
) -> keras.Model:
    """A ranker that has learned by the loss, stopped where it is best."""
    model = build_model(splits.train)
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-2, weight_decay=1e-2),
        loss=loss,
        metrics=[krm.NDCG(k=10)],
    )
    model.fit(
        *splits.train,
        validation_data=tuple(splits.validation),
        epochs=epochs,
        batch_size=batch_size,
        verbose=0,
        callbacks=[
            keras.callbacks.EarlyStopping(
                monitor="val_ndcg@10", patience=5, restore_best_weights=True
            )
        ],
    )
    return model


def compare(splits: Splits, epochs: int, batch_size: int) -> krm.Compared:
    """Trains both rankers, and compares them on the test queries."""
    test = splits.test
    systems = {
        name: train(splits, loss, epochs, batch_size).predict(
            test.features, verbose=0
        )
        for name, loss in (
            ("pointwise", squared_error),
            ("listwise", listwise_softmax),
        )
    }
    systems["constant"] = np.zeros_like(test.labels)
    metrics = [krm.NDCG(k=10), krm.MeanReciprocalRank()]
    return krm.compare(systems, test.labels, metrics, baseline="pointwise")


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="directory of SVMlight rows, as learning_to_rank.py reads it "
        "(default: queries are generated)",
    )
    parser.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="of the table (default: text)",
    )
    add_integers(
        parser,
        [
            ("--epochs", 15, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 32, 1, "queries per training step"),
            ("--queries", 480, 5, "queries to generate, without --data"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table."""
    args = parse_args(argv)
    keras.utils.set_random_seed(args.seed)
    try:
        with contextlib.redirect_stdout(sys.stderr):  # the table goes alone
            splits = load(args, np.random.default_rng(args.seed))
    except DataError as error:
        sys.exit(str(error))
    print(FORMATS[args.format](compare(splits, args.epochs, args.batch_size)))


if __name__ == "__main__":
    main()
