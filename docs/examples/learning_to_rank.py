"""Train a small listwise ranker with Keras, and measure what it learned.

    python learning_to_rank.py               # on queries it generates
    python learning_to_rank.py --data DIR    # on your SVMlight files

Each epoch prints a line. At the end the metrics on the test queries stand
beside the same metrics of a random and of a constant scorer. The constant one
gives every item the same score, so it knows nothing: its row is chance level,
exactly, because the metrics average over the orders of tied items. A ranker
has learned what it has above that row.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import keras
import numpy as np
from console import EpochLines, add_integers, print_closing, print_table
from datafile import DataError
from keras import ops
from svmlight import Row, read_queries

import keras_rankmetrics as krm

Tensor = Any  # of the backend that Keras runs on
PADDING = -1.0  # a negative label: no item here, for the loss and the metrics


class Queries(NamedTuple):
    """Queries padded to one length: zero features and the label PADDING."""

    features: np.ndarray  # [queries, items, features]
    labels: np.ndarray  # [queries, items]

    def take(self, indices: np.ndarray) -> Queries:
        """The queries at `indices`, in that order."""
        return Queries(self.features[indices], self.labels[indices])


class Splits(NamedTuple):
    """The queries to learn from, to stop by, and to report on."""

    train: Queries
    validation: Queries
    test: Queries


# The metrics, the model and its loss


def build_metrics() -> list[keras.metrics.Metric]:
    """The metrics, new: each keeps the sums of its own evaluation."""
    return [
        *krm.NDCG.at(1, 5, 10),
        krm.MeanAveragePrecision(k=10),
        krm.MeanReciprocalRank(k=10),
        krm.PrecisionAtK(k=5),
    ]


def listwise_softmax(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The softmax cross-entropy of each list: `[batch, items]` to `[batch]`.

    The labels of a list, as shares of their sum, are the probabilities that
    the softmax of the scores should give. Padding takes no part, and a list
    without a relevant item has nothing to teach: its loss is 0.
    """
    valid = y_true >= 0
    labels = ops.where(valid, y_true, 0.0)
    shares = ops.divide_no_nan(labels, ops.sum(labels, axis=-1, keepdims=True))
    log_softmax = ops.log_softmax(ops.where(valid, y_pred, -1e9), axis=-1)
    return -ops.sum(ops.where(valid, shares * log_softmax, 0.0), axis=-1)


def build_model(train: Queries) -> keras.Model:
    """A ranker that scores each item by itself: `[batch, items]` scores."""
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


def train_model(splits: Splits, epochs: int, batch_size: int) -> keras.Model:
    """Trains until the validation queries are ranked no better."""
    model = build_model(splits.train)
    model.compile(
        optimizer=keras.optimizers.AdamW(1e-2, weight_decay=1e-2),
        loss=listwise_softmax,
        metrics=build_metrics(),
    )
    model.fit(
        *splits.train,
        validation_data=tuple(splits.validation),
        epochs=epochs,
        batch_size=batch_size,
        callbacks=[
            EpochLines("loss", "val_loss", "val_ndcg@10", "val_map@10"),
            keras.callbacks.EarlyStopping(
                monitor="val_ndcg@10", patience=5, restore_best_weights=True
            ),
        ],
        verbose=0,
    )
    return model


# Measuring, and the tables


def measure(labels: np.ndarray, scores: np.ndarray) -> dict[str, float]:
    """The metrics of any scores, a model's or not: no `compile` needed."""
    results = {}
    for metric in build_metrics():
        metric.update_state(labels, scores)
        results[metric.name] = float(metric.result())
    return results


def measure_baselines(
    queries: Queries, rng: np.random.Generator
) -> dict[str, dict[str, float]]:
    """The metrics of two scorers that know nothing of the items."""
    shape = queries.labels.shape
    return {
        "random": measure(queries.labels, rng.random(shape, "float32")),
        "constant": measure(queries.labels, np.zeros(shape, "float32")),
    }


# The data: generated, or read from SVMlight files


def generate(
    num_queries: int, rng: np.random.Generator, max_items: int = 30
) -> Splits:
    """Queries of 5 to `max_items` items, whose grades are noisy but learnable.

    Grades run from 0 to 4, most of them low; some queries have nothing
    relevant at all.
    """
    features = rng.normal(size=(num_queries, max_items, 8))
    noise = rng.normal(size=(num_queries, max_items))
    query = rng.normal(size=(num_queries, 1))  # good queries, and bad ones
    signal = features[..., 0] + features[..., 1] * features[..., 2]
    grades = np.clip(np.floor(signal + query + 0.5 * noise), 0, 4)
    sizes = rng.integers(5, max_items + 1, size=(num_queries, 1))
    valid = np.arange(max_items) < sizes
    queries = Queries(
        np.where(valid[..., None], features, 0.0).astype("float32"),
        np.where(valid, grades, PADDING).astype("float32"),
    )
    rest, test = hold_out(queries, num_queries // 5, rng)
    return Splits(*hold_out(rest, num_queries // 5, rng), test)


def hold_out(
    queries: Queries, count: int, rng: np.random.Generator
) -> tuple[Queries, Queries]:
    """Takes `count` whole queries out at random: the rest, and those."""
    order = rng.permutation(len(queries.labels))
    return queries.take(order[count:]), queries.take(order[:count])


def read_splits(directory: Path, rng: np.random.Generator) -> Splits:
    """Reads train and test, and validation or else a fifth of train."""
    train_path = find_train(directory)
    train = read_queries(train_path)
    test = read_queries(sibling(train_path, "test"))
    ids = sorted({i for rows in train for row in rows for i in row.features})
    if not ids:
        raise DataError(train_path, None, "no row has a feature")
    # Features that occur in no training row have no weight: they are left out.
    columns = {feature: column for column, feature in enumerate(ids)}
    validation_path = sibling(train_path, "vali")
    if validation_path.exists():
        validation = pad(read_queries(validation_path), columns)
        return Splits(pad(train, columns), validation, pad(test, columns))
    if len(train) < 2:
        raise DataError(
            train_path, None, "a single query: none is left for validation"
        )
    fifth = max(1, len(train) // 5)
    train_and_validation = hold_out(pad(train, columns), fifth, rng)
    return Splits(*train_and_validation, pad(test, columns))


def find_train(directory: Path) -> Path:
    """The file of the training rows, by its name."""
    if not directory.is_dir():
        raise DataError(directory, None, "no such directory")
    named = sorted(directory.glob("*.train"))
    if len(named) > 1:
        names = ", ".join(path.name for path in named)
        raise DataError(directory, None, f"which one to train on: {names}?")
    path = named[0] if named else directory / "train.txt"
    if not path.exists():
        raise DataError(path, None, "no such file, nor a NAME.train beside it")
    return path


def sibling(train_path: Path, split: str) -> Path:
    """The file of another split: by rank.train rank.test, say."""
    if train_path.suffix == ".train":
        return train_path.with_suffix(f".{split}")
    return train_path.with_name(f"{split}.txt")


def pad(queries: list[list[Row]], columns: dict[int, int]) -> Queries:
    """Puts rows into arrays; `columns` says where each feature goes."""
    shape = len(queries), max(len(rows) for rows in queries)
    features = np.zeros((*shape, len(columns)), "float32")
    labels = np.full(shape, PADDING, "float32")
    for q, rows in enumerate(queries):
        for i, row in enumerate(rows):
            labels[q, i] = row.label
            for feature, value in row.features.items():
                if feature in columns:
                    features[q, i, columns[feature]] = value
    return Queries(features, labels)


# The command


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="directory of SVMlight rows, `label [qid:query] feature:value "
        "...`: NAME.train and NAME.test, or train.txt and test.txt. Queries "
        "are told apart by a file beside, such as NAME.train.query, that has "
        "the number of rows of each query, one per line; where there is none, "
        "by qid:. NAME.vali or vali.txt is for validation; without it a fifth "
        "of the training queries is. (default: queries are generated)",
    )
    add_integers(
        parser,
        [
            ("--epochs", 20, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 32, 1, "queries per training step"),
            ("--queries", 480, 5, "queries to generate, without --data"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def load(args: argparse.Namespace, rng: np.random.Generator) -> Splits:
    """Reads or generates the queries, and says which."""
    if args.data is None:
        source = f"generated from seed {args.seed}, not real (see --data)"
        splits = generate(args.queries, rng)
    else:
        source = f"read from {args.data}"
        splits = read_splits(args.data, rng)
    train, validation, test = (len(queries.labels) for queries in splits)
    print(f"Queries: {source}")
    print(f"{train} to train on, {validation} for validation, {test} to test\n")
    return splits


def main(argv: Sequence[str] | None = None) -> None:
    """Trains the ranker, and prints how it compares."""
    args = parse_args(argv)
    keras.utils.set_random_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    try:
        splits = load(args, rng)
    except DataError as error:
        sys.exit(str(error))

    model = train_model(splits, args.epochs, args.batch_size)

    test = splits.test
    ranker = measure(test.labels, model.predict(test.features, verbose=0))
    baselines = measure_baselines(test, rng)
    print("The test queries, which the model has not seen:\n")
    print_table("test", {"model": ranker, **baselines})
    print_closing(krm.NDCG(k=10))


if __name__ == "__main__":
    main()
