"""Train a model of single ratings with Keras, and evaluate it user by user.

    python pointwise.py                   # on ratings that it generates
    python pointwise.py --ratings FILE    # on a ratings file of MovieLens

The model is point-wise: a row is a user and an item, and the model predicts the
rating. The order of the items of one user matters, but a batch has rows of many
users. So the callback `EvaluateByQuery` collects the validation rows of each
user after each epoch, and `EarlyStopping` stops by the NDCG of these lists.

The last fifth of the ratings of each user, by time, is for the test, the fifth
before it for validation. The grade of an item is its rating.

On the test rows the model is compared to the mean rating of each item, to
random scores, and to one score for all items. The last one is at chance level,
because the metrics average over all orders of tied items.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import keras
import numpy as np
from console import EpochLines, add_integers, print_closing, print_table
from datafile import DataError
from keras import ops
from movielens import add_ratings, read_by_user

import keras_rankmetrics as krm

FEWEST = 10  # ratings of a user: with fewer there is little to put in order


class Rows(NamedTuple):
    """Ratings, one in each row, sorted by user and time."""

    users: np.ndarray  # [rows], the numbers of the users, from 0
    items: np.ndarray  # [rows]
    ratings: np.ndarray  # [rows]

    @property
    def features(self) -> dict[str, np.ndarray]:
        """The inputs of the model."""
        return {"user": self.users, "item": self.items}

    def take(self, which: np.ndarray) -> Rows:
        """Return some of the rows."""
        return Rows(*(column[which] for column in self))


class Splits(NamedTuple):
    """The rows to train on, to stop by, and to report on."""

    train: Rows
    validation: Rows
    test: Rows


# The metrics and the model


def build_metrics() -> list[keras.metrics.Metric]:
    """Return new metrics."""
    return [*krm.NDCG.at(3, 10), krm.OrderedPairAccuracy()]


def build_model(rows: Rows, width: int = 16) -> keras.Model:
    """Return a model that factorizes the matrix of ratings, with biases."""
    inputs = {
        "user": keras.Input((), dtype="int32", name="user"),
        "item": keras.Input((), dtype="int32", name="item"),
    }

    def of_each(name: str, numbers: np.ndarray, width: int, scale: float):
        layer = keras.layers.Embedding(
            int(numbers.max()) + 1,
            width,
            embeddings_initializer=keras.initializers.RandomNormal(
                stddev=scale
            ),
            embeddings_regularizer=keras.regularizers.L2(1e-5),
        )
        return layer(inputs[name])

    user = of_each("user", rows.users, width, 0.1)
    item = of_each("item", rows.items, width, 0.1)
    product = ops.sum(user * item, axis=-1, keepdims=True)
    biases = of_each("user", rows.users, 1, 0.0) + of_each(
        "item", rows.items, 1, 0.0
    )
    mean = float(rows.ratings.mean())
    return keras.Model(inputs, product + biases + mean)


def train_model(
    everything: Rows, splits: Splits, epochs: int, batch_size: int
) -> keras.Model:
    """Train until the order of the validation items no longer improves."""
    model = build_model(everything)
    model.compile(optimizer=keras.optimizers.Adam(1e-2), loss="mse")
    by_user = krm.callbacks.EvaluateByQuery(
        build_metrics(),
        splits.validation.features,
        splits.validation.ratings,
        query="user",
    )
    stop = keras.callbacks.EarlyStopping(
        "val_ndcg@10", mode="max", patience=3, restore_best_weights=True
    )
    model.fit(
        splits.train.features,
        splits.train.ratings,
        epochs=epochs,
        batch_size=batch_size,
        verbose=0,
        # In this order: the other two read what `by_user` adds to the logs.
        callbacks=[by_user, EpochLines("loss", "val_ndcg@10"), stop],
    )
    return model


def measure(rows: Rows, scores: np.ndarray) -> dict[str, float]:
    """Return the metrics of scores of the rows."""
    return krm.evaluate_rows(rows.users, rows.ratings, scores, build_metrics())


def item_means(splits: Splits) -> np.ndarray:
    """Return the mean training rating of each item in the test.

    Ten ratings of the overall mean are added to those of each item.
    """
    train, test = splits.train, splits.test
    size = max(int(rows.items.max()) for rows in splits) + 1
    counts = np.bincount(train.items, minlength=size)
    sums = np.bincount(train.items, train.ratings, minlength=size)
    means = (sums + 10 * train.ratings.mean()) / (counts + 10)
    return means[test.items].astype("float32")


# The data: generated, or read from a file


def generate(users: int, rng: np.random.Generator, items: int = 120) -> Rows:
    """Return ratings, 1 to 5, by the quality of items and users' tastes."""
    tastes = rng.normal(size=(users, 2))
    kinds = rng.normal(size=(items, 2))
    quality = rng.normal(size=items)
    opinion = 3 + 0.4 * quality + 0.8 * tastes @ kinds.T
    noisy = opinion + rng.normal(scale=0.6, size=opinion.shape)
    ratings = np.clip(np.round(noisy), 1, 5)
    chosen = [
        rng.choice(items, rng.integers(FEWEST, items // 2 + 1), replace=False)
        for _ in range(users)
    ]
    user = np.repeat(np.arange(users), [len(each) for each in chosen])
    item = np.concatenate(chosen)
    return Rows(
        user.astype("int32"),
        item.astype("int32"),
        ratings[user, item].astype("float32"),
    )


def read(path: Path) -> Rows:
    """Read the ratings of users with enough of them; number users and items."""
    users = [user for user in read_by_user(path) if len(user) >= FEWEST]
    if not users:
        raise DataError(path, None, f"no user has rated {FEWEST} items")
    ratings = [rating for user in users for rating in user]
    _, items = np.unique([r.item for r in ratings], return_inverse=True)
    sizes = [len(user) for user in users]
    return Rows(
        np.repeat(np.arange(len(users)), sizes).astype("int32"),
        items.astype("int32"),
        np.array([r.rating for r in ratings], "float32"),
    )


def split(rows: Rows) -> Splits:
    """Split the rows of each user by time."""
    sizes = np.bincount(rows.users)
    firsts = np.cumsum(sizes) - sizes
    place = np.arange(len(rows.users)) - firsts[rows.users]
    left = sizes[rows.users] - place  # with this row
    fifth = sizes[rows.users] // 5
    test = left <= fifth
    validation = ~test & (left <= 2 * fifth)
    return Splits(*map(rows.take, (~test & ~validation, validation, test)))


# The command


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0]
    )
    add_ratings(
        parser,
        f"Users with fewer than {FEWEST} ratings are left out. (default: "
        "ratings are generated)",
    )
    add_integers(
        parser,
        [
            ("--epochs", 20, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 256, 1, "rows per training step"),
            ("--users", 400, 1, "users to generate, without --ratings"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def load(args: argparse.Namespace, rng: np.random.Generator) -> Rows:
    """Return the ratings that the options choose, and print their source."""
    if args.ratings is None:
        source = f"generated from seed {args.seed}, not real (see --ratings)"
        rows = generate(args.users, rng)
    else:
        source = f"read from {args.ratings}"
        rows = read(args.ratings)
    print(f"Ratings: {source}")
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """Train the model, and print how it compares."""
    args = parse_args(argv)
    keras.utils.set_random_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    try:
        rows = load(args, rng)
    except DataError as error:
        sys.exit(str(error))
    splits = split(rows)
    sizes = [len(part.users) for part in splits]
    print("{} to train on, {} for validation, {} to test\n".format(*sizes))

    model = train_model(rows, splits, args.epochs, args.batch_size)

    test = splits.test
    scorers = {
        "model": model.predict(test.features, batch_size=1024, verbose=0),
        "item means": item_means(splits),
        "random": rng.random(len(test.users)),
        "constant": np.zeros(len(test.users)),
    }
    print("\nThe test ratings of each user, put in order:\n")
    print_table(
        "test", {name: measure(test, each) for name, each in scorers.items()}
    )
    print_closing(*build_metrics())


if __name__ == "__main__":
    main()
