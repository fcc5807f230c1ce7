"""Load queries with graded items: generated, or read from SVMlight files."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
from datafile import DataError
from svmlight import Row, read_queries

PADDING = -1.0  # the label where a list has no item


class Queries(NamedTuple):
    """Lists of items, padded to one length.

    Padding has the label `PADDING` and features of 0.
    """

    features: np.ndarray  # [queries, items, features]
    labels: np.ndarray  # [queries, items]

    def take(self, indices: np.ndarray) -> Queries:
        """Return the queries at `indices`, in that order."""
        return Queries(self.features[indices], self.labels[indices])


class Splits(NamedTuple):
    """The queries to train on, to stop by, and to report on."""

    train: Queries
    validation: Queries
    test: Queries


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the option of a directory to read."""
    parser.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="read NAME.train and NAME.test, or train.txt and test.txt, in "
        "the SVMlight format: `label [qid:query] feature:value ...`. A file "
        "such as NAME.train.query may replace qid:. It has the number of rows "
        "of each query, one per line. NAME.vali or vali.txt is for validation; "
        "without it, a fifth of the training queries is. (default: queries "
        "are generated)",
    )


def load(args: argparse.Namespace, rng: np.random.Generator) -> Splits:
    """Return the queries that the options choose, and print their numbers."""
    if args.data is None:
        source = f"generated from seed {args.seed}, not real (see --data)"
        splits = generate(args.queries, rng)
    else:
        source = f"read from {args.data}"
        try:
            splits = read_splits(args.data, rng)
        except DataError as error:
            sys.exit(str(error))
    train, validation, test = (len(queries.labels) for queries in splits)
    print(f"Queries: {source}")
    print(f"{train} to train on, {validation} for validation, {test} to test\n")
    return splits


def generate(
    num_queries: int, rng: np.random.Generator, max_items: int = 30
) -> Splits:
    """Return queries of 5 to `max_items` items with noisy grades, 0 to 4.

    Most grades are low, and some queries have no relevant item.
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
    """Take `count` queries out at random; return the others, and those."""
    order = rng.permutation(len(queries.labels))
    return queries.take(order[count:]), queries.take(order[:count])


def read_splits(directory: Path, rng: np.random.Generator) -> Splits:
    """Read the files of a directory; see `--data`."""
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
    """Return the file with the training rows."""
    if not directory.is_dir():
        raise DataError(directory, None, "no such directory")
    named = sorted(directory.glob("*.train"))
    if len(named) > 1:
        names = ", ".join(path.name for path in named)
        raise DataError(directory, None, f"which one to train on: {names}?")
    path = named[0] if named else directory / "train.txt"
    if not path.exists():
        raise DataError(path, None, "no such file, and no NAME.train either")
    return path


def sibling(train_path: Path, split: str) -> Path:
    """Return the file of another split, such as rank.test by rank.train."""
    if train_path.suffix == ".train":
        return train_path.with_suffix(f".{split}")
    return train_path.with_name(f"{split}.txt")


def pad(queries: list[list[Row]], columns: dict[int, int]) -> Queries:
    """Put rows into arrays; `columns` is the column of each feature."""
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
