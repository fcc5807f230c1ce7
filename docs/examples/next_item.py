"""Train a small recommender of the next item with Keras, and measure it.

    python next_item.py                   # on sessions that it generates
    python next_item.py --ratings FILE    # on a ratings file of MovieLens

The last item of each user is the test target, the one before it the validation
target, the rest trains. A metric with `inputs="sparse"` takes the index of the
target and the scores of the whole catalogue, so no label is ever made for the
items that are not the target.

On the test targets the model is compared to scorers by popularity, at random
and constant. The constant scorer gives all items the same score. It is at
chance level, because the metrics average over all orders of tied items.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import keras
import numpy as np
from console import EpochLines, add_integers, print_closing, print_table
from datafile import DataError
from keras import ops
from movielens import add_ratings, read_histories

import keras_rankmetrics as krm

PADDING = -1  # no item here: for the loss, the metrics and the exclusion
SHORTEST = 3  # items of a user: one each to learn from, to stop by, to test

# Scores all items for each user, `[users, items]`, from the items that the
# user has seen, by time.
Scorer = Callable[[list[np.ndarray]], np.ndarray]


class Sessions(NamedTuple):
    """The items that each user has seen, by time, as indices."""

    histories: list[np.ndarray]
    items: int


class HeldOut(NamedTuple):
    """One target of each user, and all that the user has seen before it."""

    seen: list[np.ndarray]
    targets: np.ndarray  # [users]


class Windows(NamedTuple):
    """Parts of histories, of one length, with PADDING at the end."""

    inputs: np.ndarray  # [windows, steps]
    targets: np.ndarray  # [windows, steps], the next item at each step


# The metrics and the model


def build_metrics() -> list[keras.metrics.Metric]:
    """Return new metrics."""
    return [
        krm.HitRateAtK(k=10, inputs="sparse"),
        krm.NDCG(k=10, inputs="sparse"),
        krm.MeanReciprocalRank(k=10, inputs="sparse"),
    ]


def build_model(items: int, steps: int) -> keras.Model:
    """Return a model of scores `[batch, steps, items]` for the next item.

    A step sees itself and those before it. Padding comes behind all items, so
    it needs no mask: no item sees it, and its own steps have no targets.
    """
    inputs = keras.Input((steps,), dtype="int32")
    x = keras.layers.Embedding(items, 64)(ops.maximum(inputs, 0))
    x = keras.layers.Dropout(0.2)(x)
    x = keras.layers.GRU(64, return_sequences=True)(x)
    x = keras.layers.Dropout(0.2)(x)
    return keras.Model(inputs, keras.layers.Dense(items)(x))


def train_model(
    sessions: Sessions, steps: int, epochs: int, batch_size: int
) -> keras.Model:
    """Train until the validation targets no longer improve.

    The metrics of `compile` rank all items, seen or not. `measure` excludes
    those that a user has seen.
    """
    model = build_model(sessions.items, steps)
    model.compile(
        optimizer=keras.optimizers.Adam(5e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(
            from_logits=True, ignore_class=PADDING
        ),
        metrics=build_metrics(),
    )
    model.fit(
        *training_windows(sessions.histories, steps),
        validation_data=tuple(
            last_windows(hold_out(sessions.histories, -2), steps)
        ),
        epochs=epochs,
        batch_size=batch_size,
        callbacks=[
            EpochLines("loss", "val_loss", "val_ndcg@10"),
            keras.callbacks.EarlyStopping(
                monitor="val_ndcg@10", patience=3, restore_best_weights=True
            ),
        ],
        verbose=0,
    )
    return model


# Leave-one-out by time


def hold_out(histories: list[np.ndarray], place: int) -> HeldOut:
    """Hold out the item at `place` of each user; -1 is the last one."""
    return HeldOut(
        [history[:place] for history in histories],
        np.array([history[place] for history in histories], "int32"),
    )


def training_windows(histories: list[np.ndarray], steps: int) -> Windows:
    """Return windows over all items except the two that are held out."""
    inputs, targets = [], []
    for history in hold_out(histories, -2).seen:
        for start in range(0, len(history) - 1, steps):
            inputs.append(history[:-1][start : start + steps])
            targets.append(history[1:][start : start + steps])
    return Windows(pad(inputs, steps), pad(targets, steps))


def last_windows(held_out: HeldOut, steps: int) -> Windows:
    """Return the items before each target."""
    inputs = last_items(held_out.seen, steps)
    targets = np.full_like(inputs, PADDING)
    targets[last_steps(inputs)] = held_out.targets
    return Windows(inputs, targets)


def last_items(seen: list[np.ndarray], steps: int) -> np.ndarray:
    """Return the last items of each user, `[users, steps]`."""
    return pad([items[-steps:] for items in seen], steps)


def last_steps(inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the row and the step of the last item of each row."""
    lengths = np.sum(inputs != PADDING, axis=1)
    return np.arange(len(inputs)), lengths - 1


def pad(rows: list[np.ndarray], length: int) -> np.ndarray:
    """Put rows of items into one array, with PADDING at the end."""
    padded = np.full((len(rows), length), PADDING, "int32")
    for to, row in zip(padded, rows, strict=True):
        to[: len(row)] = row
    return padded


# Measuring: the model and the baselines alike


def measure(
    held_out: HeldOut, score: Scorer, batch_size: int = 128
) -> dict[str, float]:
    """Return the metrics of a scorer, without the items seen before."""
    metrics = build_metrics()
    # One length for all batches: JAX compiles anew for each shape.
    longest = max(len(seen) for seen in held_out.seen)
    for start in range(0, len(held_out.seen), batch_size):
        batch = slice(start, start + batch_size)
        seen = held_out.seen[batch]
        y_true = {
            "target": held_out.targets[batch],
            "exclude": pad(seen, longest),
        }
        scores = score(seen)
        for metric in metrics:
            metric.update_state(y_true, scores)
    return {metric.name: float(metric.result()) for metric in metrics}


def build_scorers(
    model: keras.Model, sessions: Sessions, rng: np.random.Generator
) -> dict[str, Scorer]:
    """Return the model and its baselines."""
    popularity = count_items(sessions)

    def random(seen: list[np.ndarray]) -> np.ndarray:
        return rng.random((len(seen), sessions.items), "float32")

    return {
        "model": lambda seen: score_next(model, seen),
        "popularity": lambda seen: np.tile(popularity, (len(seen), 1)),
        "random": random,
        "constant": lambda seen: np.zeros((len(seen), sessions.items)),
    }


def score_next(model: keras.Model, seen: list[np.ndarray]) -> np.ndarray:
    """Return the scores of the model at the last step of each user."""
    inputs = last_items(seen, model.input_shape[1])
    return model.predict_on_batch(inputs)[last_steps(inputs)]


def count_items(sessions: Sessions) -> np.ndarray:
    """Return how often each item occurs, without held-out ones."""
    seen = np.concatenate(hold_out(sessions.histories, -2).seen)
    return np.bincount(seen, minlength=sessions.items).astype("float32")


# The data: generated, or read from a ratings file


def generate(
    num_users: int, rng: np.random.Generator, items: int = 300
) -> Sessions:
    """Return sessions of 5 to 20 items, whose order predicts the next one.

    Each item has a few successors of its own, one of which mostly comes next:
    that is to be learned. The other times it is any item, by its popularity.
    No item comes twice.
    """
    successors = rng.integers(items, size=(items, 4))
    likely = np.zeros((items, items))
    np.put_along_axis(likely, successors, 0.6 / 4, axis=1)
    popularity = 1 / np.arange(5, items + 5)
    chances = np.log(likely + 0.4 * popularity / popularity.sum())
    users = np.arange(num_users)
    histories = rng.integers(items, size=(num_users, 20))
    unseen = np.zeros((num_users, items))  # and -inf for what was seen
    for step in range(1, histories.shape[1]):
        last = histories[:, step - 1]
        unseen[users, last] = -np.inf
        # The largest sum with Gumbel noise is a draw by these chances.
        noise = rng.gumbel(size=unseen.shape)
        histories[:, step] = np.argmax(chances[last] + unseen + noise, axis=1)
    lengths = rng.integers(5, histories.shape[1] + 1, size=num_users)
    return Sessions(
        [
            history[:length]
            for history, length in zip(histories, lengths, strict=True)
        ],
        items,
    )


def number_items(histories: list[list[int]]) -> Sessions:
    """Number the items from 0, in the order of their ids."""
    catalogue = sorted({item for history in histories for item in history})
    indices = {item: index for index, item in enumerate(catalogue)}
    return Sessions(
        [np.array([indices[item] for item in items]) for items in histories],
        len(catalogue),
    )


def read_sessions(path: Path) -> tuple[Sessions, int]:
    """Read a file; return the sessions and the number of users left out."""
    histories = read_histories(path)
    kept = [items for items in histories if len(items) >= SHORTEST]
    # Without the held-out two, one item is left, and no next one to learn.
    if max(len(items) for items in histories) <= SHORTEST:
        raise DataError(
            path,
            None,
            f"no user has more than {SHORTEST} ratings: none to train on",
        )
    return number_items(kept), len(histories) - len(kept)


# The command


def parse_args(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0]
    )
    add_ratings(parser)
    add_integers(
        parser,
        [
            ("--epochs", 15, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 32, 1, "windows per training step"),
            ("--steps", 50, 1, "items before the next one that the model sees"),
            ("--users", 1024, 1, "users to generate, without --ratings"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def load(args: argparse.Namespace, rng: np.random.Generator) -> Sessions:
    """Return the sessions that the options choose, and print their numbers."""
    if args.ratings is None:
        source = f"generated from seed {args.seed}, not real (see --ratings)"
        sessions, left_out = generate(args.users, rng), 0
    else:
        source = f"read from {args.ratings}"
        sessions, left_out = read_sessions(args.ratings)
    print(f"Sessions: {source}")
    print(
        f"{len(sessions.histories)} users, {sessions.items} items; users left "
        f"out, with fewer than {SHORTEST} items: {left_out}\n"
    )
    return sessions


def main(argv: Sequence[str] | None = None) -> None:
    """Train the recommender, and print how it compares."""
    args = parse_args(argv)
    keras.utils.set_random_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    try:
        sessions = load(args, rng)
    except DataError as error:
        sys.exit(str(error))

    test = hold_out(sessions.histories, -1)
    # No more steps than there are items: short sessions train faster so.
    steps = min(args.steps, max(len(seen) for seen in test.seen))
    model = train_model(sessions, steps, args.epochs, args.batch_size)

    scorers = build_scorers(model, sessions, rng)
    print("The last item of each user, ranked among all not seen before")
    print("(the lines above rank targets among all items):\n")
    print_table(
        "test", {name: measure(test, score) for name, score in scorers.items()}
    )
    print_closing(krm.NDCG(k=10, inputs="sparse"))


if __name__ == "__main__":
    main()
