"""Train two towers with Keras, and rank the whole catalogue without its scores.

    python two_tower.py                   # on sessions that it generates
    python two_tower.py --ratings FILE    # on a ratings file of MovieLens

One tower returns a vector for a user, the other one for an item. Their inner
product is the score. The last item of each user is the test target, and the one
before it the validation target.

The rank of a target follows from two numbers: how many items score higher, and
how many the same. `count_ranks` counts them in chunks of the catalogue, so the
scores of all users for all items are never in memory. The callback
`EvaluateCatalogue` does this after each epoch, before `EarlyStopping` reads the
metrics.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
from console import EpochLines, add_integers, print_closing, print_table
from datafile import DataError
from keras import ops
from movielens import add_ratings
from next_item import (
    PADDING,
    HeldOut,
    Sessions,
    count_items,
    hold_out,
    last_items,
    load,
    pad,
)

import keras_rankmetrics as krm

STEPS = 20  # items of a user that the model sees

# The vectors of users, `[users, d]`, and of all items, `[items, d]`.
Towers = Callable[[HeldOut], tuple[np.ndarray, np.ndarray]]


def build_metrics() -> list[keras.metrics.Metric]:
    """Return new metrics."""
    return [
        krm.HitRateAtK(k=10, inputs="counts"),
        krm.NDCG(k=10, inputs="counts"),
        krm.MeanReciprocalRank(inputs="counts"),
    ]


def measure(
    held_out: HeldOut, towers: Towers, batch_size: int = 512
) -> dict[str, float]:
    """Return the metrics over all items that a user has not seen."""
    queries, items = towers(held_out)
    metrics = build_metrics()
    longest = max(len(seen) for seen in held_out.seen)
    for start in range(0, len(queries), batch_size):
        batch = slice(start, start + batch_size)
        targets = held_out.targets[batch]
        counts = krm.count_ranks(
            queries[batch],
            items,
            targets,
            exclude=pad(held_out.seen[batch], longest),
        )
        for metric in metrics:
            metric.update_state(targets, counts)
    return {metric.name: float(metric.result()) for metric in metrics}


# The model


@keras.saving.register_keras_serializable("two_tower")
class OthersOfTheBatch(keras.layers.Layer):
    """Add the loss of the items in the batch, as negatives of each other."""

    def call(self, queries: Any, items: Any) -> Any:
        """Return the scores of all items of the batch for each user."""
        scores = ops.matmul(queries, ops.transpose(items))
        own = ops.arange(ops.shape(scores)[0])
        losses = keras.losses.sparse_categorical_crossentropy(
            own, scores, from_logits=True
        )
        self.add_loss(ops.mean(losses))
        return scores


def build_model(items: int, width: int = 32) -> keras.Model:
    """Return the model to train; `.query` and `.item` are its towers.

    They share the vectors of items. PADDING has a vector without weight.
    """
    vectors = keras.layers.Embedding(items + 1, width)
    seen = keras.Input((STEPS,), dtype="int32", name="seen")
    there = ops.cast(ops.expand_dims(seen != PADDING, -1), "float32")
    # What was seen last says most of what comes next.
    weights = there * ops.exp(-ops.flip(ops.cumsum(ops.flip(there, 1), 1), 1))
    mean = ops.sum(weights * vectors(seen + 1), 1) / ops.sum(weights, 1)
    query = keras.Model(seen, keras.layers.Dense(width)(mean), name="query")
    item = keras.Input((), dtype="int32", name="item")
    item_tower = keras.Model(item, vectors(item + 1), name="item_tower")
    scores = OthersOfTheBatch()(query(seen), item_tower(item))
    model = keras.Model({"seen": seen, "item": item}, scores)
    model.query, model.item = query, item_tower
    return model


def towers_of(model: keras.Model, items: int) -> Towers:
    """Return the vectors of users and items."""

    def towers(held_out: HeldOut) -> tuple[np.ndarray, np.ndarray]:
        return (
            model.query.predict(last_items(held_out.seen, STEPS), verbose=0),
            model.item.predict(np.arange(items, dtype="int32"), verbose=0),
        )

    return towers


def train_model(
    sessions: Sessions, epochs: int, batch_size: int
) -> keras.Model:
    """Train until the validation targets no longer improve."""
    model = build_model(sessions.items)
    model.compile(optimizer=keras.optimizers.Adam(1e-2))
    validation = hold_out(sessions.histories, -2)
    longest = max(len(seen) for seen in validation.seen)
    model.fit(
        training_pairs(validation.seen),
        epochs=epochs,
        batch_size=batch_size,
        verbose=0,
        callbacks=[
            krm.callbacks.EvaluateCatalogue(
                build_metrics(),
                queries=last_items(validation.seen, STEPS),
                items=np.arange(sessions.items, dtype="int32"),
                targets=validation.targets,
                exclude=pad(validation.seen, longest),
                query_tower=model.query,
                item_tower=model.item,
            ),
            EpochLines("loss", "val_hit_rate@10", "val_ndcg@10"),
            keras.callbacks.EarlyStopping(
                "val_ndcg@10",
                mode="max",
                patience=3,
                restore_best_weights=True,
            ),
        ],
    )
    return model


def training_pairs(histories: list[np.ndarray]) -> dict[str, np.ndarray]:
    """Return each item but the first of a user, and the items before it."""
    pairs = [
        (items[max(place - STEPS, 0) : place], items[place])
        for items in histories
        for place in range(1, len(items))
    ]
    seen, item = zip(*pairs, strict=True)
    return {"seen": pad(list(seen), STEPS), "item": np.array(item, "int32")}


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
            ("--epochs", 10, 1, "epochs, fewer where training stops early"),
            ("--batch-size", 128, 2, "pairs per training step"),
            ("--users", 1024, 1, "users to generate, without --ratings"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Train the towers, and print how they compare."""
    args = parse_args(argv)
    keras.utils.set_random_seed(args.seed)
    try:
        sessions = load(args, np.random.default_rng(args.seed))
    except DataError as error:
        sys.exit(str(error))
    model = train_model(sessions, args.epochs, args.batch_size)

    def alike(vectors: np.ndarray) -> Towers:
        """Return scores by item, the same for all users."""
        return lambda held_out: (
            np.ones((len(held_out.seen), 1), "float32"),
            vectors[:, None],
        )

    test = hold_out(sessions.histories, -1)
    scorers = {
        "model": towers_of(model, sessions.items),
        "popularity": alike(count_items(sessions)),
        "constant": alike(np.zeros(sessions.items, "float32")),
    }
    print("The last item of each user, ranked among all not seen before:\n")
    print_table(
        "test", {name: measure(test, each) for name, each in scorers.items()}
    )
    print_closing(krm.NDCG(k=10, inputs="counts"))


if __name__ == "__main__":
    main()
