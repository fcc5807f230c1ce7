"""Train a small listwise ranker with Keras, and compare it to chance level.

    python learning_to_rank.py               # on queries that it generates
    python learning_to_rank.py --data DIR    # on your SVMlight files

The ranker scores each item of a query. It stops when NDCG of the validation
queries no longer grows. On the test queries it is compared to a random scorer
and to a constant one, which gives all items the same score. The constant scorer
is at chance level, because the metrics average over all orders of tied items.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import keras
import numpy as np
from console import EpochLines, add_integers, make_directory
from keras import ops
from learning_curve import draw_learning_curve
from queries import Queries, Splits, add_data, load

import keras_rankmetrics as krm

Tensor = Any  # of the backend that Keras runs on
Logs = dict[str, list[float]]  # losses and metrics by epoch


def listwise_softmax(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Return the softmax cross-entropy of each list, `[batch]`.

    The labels of a list, divided by their sum, are the probabilities to learn.
    Padding has no share in them, and a list without a relevant item has a loss
    of 0.
    """
    valid = y_true >= 0
    labels = ops.where(valid, y_true, 0.0)
    target = ops.divide_no_nan(labels, ops.sum(labels, axis=-1, keepdims=True))
    log_softmax = ops.log_softmax(ops.where(valid, y_pred, -1e9), axis=-1)
    return -ops.sum(target * log_softmax, axis=-1)


def build_model(train: Queries) -> keras.Model:
    """Return a model that scores each item by itself, `[batch, items]`."""
    items = train.features[train.labels >= 0]
    variance = items.var(axis=0, dtype="float64")
    varies = np.ptp(items, axis=0) > 0
    return keras.Sequential(
        [
            keras.Input((None, items.shape[-1])),
            keras.layers.Normalization(
                mean=items.mean(axis=0, dtype="float64"),
                variance=np.where(varies, variance, 1.0),
            ),
            keras.layers.Dense(32, activation="relu"),
            keras.layers.Dropout(0.3),
            keras.layers.Dense(1),
            keras.layers.Reshape((-1,)),  # [batch, items, 1] as the labels
        ]
    )


def make_metrics() -> list[krm.RankingMetric]:
    """Return new metrics, for training and for the comparison."""
    return [krm.NDCG(k=10), krm.MeanAveragePrecision(k=10)]


def train_model(
    splits: Splits,
    epochs: int,
    batch_size: int,
    loss: Callable[[Tensor, Tensor], Tensor] = listwise_softmax,
) -> tuple[keras.Model, Logs]:
    """Train until the validation queries no longer improve.

    Returns:
        The model with the weights of its best epoch, and the logs of all
        epochs.
    """
    model = build_model(splits.train)
    model.compile(
        optimizer=keras.optimizers.AdamW(5e-3, weight_decay=1e-2),
        loss=loss,
        metrics=make_metrics(),
    )
    history = model.fit(
        *splits.train,
        validation_data=tuple(splits.validation),
        epochs=epochs,
        batch_size=batch_size,
        callbacks=[
            EpochLines("loss", "val_loss", "val_ndcg@10"),
            keras.callbacks.EarlyStopping(
                monitor="val_ndcg@10", patience=5, restore_best_weights=True
            ),
        ],
        verbose=0,
    )
    return model, history.history


def compare(
    model: keras.Model, test: Queries, rng: np.random.Generator
) -> krm.Compared:
    """Compare the model to scorers that know nothing of the items."""
    scorers = {
        "constant": np.zeros_like(test.labels),
        "random": rng.random(test.labels.shape),
        "model": model.predict(test.features, verbose=0),
    }
    with warnings.catch_warnings():
        # The equal scores of the constant scorer are no mistake.
        warnings.filterwarnings("ignore", ".* of the system 'constant' should")
        return krm.compare(
            test.labels, scorers, make_metrics(), baseline="constant"
        )


def save(
    directory: Path, model: keras.Model, logs: Logs, compared: krm.Compared
) -> None:
    """Write the model and its results into the directory."""
    model.save(directory / "ranker.keras")
    with (directory / "history.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["epoch", *logs])
        for epoch, values in enumerate(zip(*logs.values(), strict=True), 1):
            rows.writerow([epoch, *values])
    curve = draw_learning_curve("val_ndcg@10", logs["val_ndcg@10"])
    (directory / "learning_curve.svg").write_text(curve)
    (directory / "comparison.md").write_text(
        compared.to_markdown() + "\n", encoding="utf-8"
    )


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0]
    )
    add_data(parser)
    parser.add_argument(
        "--output",
        type=Path,
        metavar="DIR",
        default="learning_to_rank_output",
        help="where to write the model and its results (default: %(default)s)",
    )
    add_integers(
        parser,
        [
            ("--epochs", 12, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 64, 1, "queries per training step"),
            ("--queries", 3000, 5, "queries to generate, without --data"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Train the ranker, compare it, and save it with its results."""
    args = parse_args(argv)
    make_directory(args.output)
    keras.utils.set_random_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    splits = load(args, rng)

    model, logs = train_model(splits, args.epochs, args.batch_size)
    compared = compare(model, splits.test, rng)
    print("The test queries, which the model has not seen:\n")
    print(compared)

    save(args.output, model, logs, compared)
    print(f"\nWritten to {args.output}:")
    print("  ranker.keras        the model; load it with compile=False")
    print("  history.csv         losses and metrics by epoch")
    print("  learning_curve.svg  val_ndcg@10 by epoch")
    print("  comparison.md       the table above")


if __name__ == "__main__":
    main()
