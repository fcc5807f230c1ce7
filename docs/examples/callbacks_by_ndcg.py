"""Train with callbacks of Keras that monitor `val_ndcg@10`.

    python callbacks_by_ndcg.py --output FOLDER

`EarlyStopping` stops, `ModelCheckpoint` keeps the best model in a file,
`ReduceLROnPlateau` lowers the learning rate, and `CSVLogger` writes a row for
each epoch. None of them needs a `mode`, because Keras knows the direction of
the metric. The model is then loaded from its file, and measured on queries that
it has not seen.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import keras
import numpy as np
from console import EpochLines, add_integers, make_directory
from learning_to_rank import build_model, listwise_softmax
from queries import Splits, generate

import keras_rankmetrics as krm

WATCHED = "val_ndcg@10"


def make_callbacks(folder: Path) -> list[keras.callbacks.Callback]:
    """Return the callbacks."""
    callbacks = keras.callbacks
    return [
        EpochLines("loss", "val_loss", WATCHED),
        callbacks.ModelCheckpoint(
            folder / "best.keras", monitor=WATCHED, save_best_only=True
        ),
        callbacks.ReduceLROnPlateau(WATCHED, factor=0.5, patience=2),
        callbacks.EarlyStopping(WATCHED, patience=4),
        callbacks.CSVLogger(str(folder / "epochs.csv")),
    ]


def train(splits: Splits, folder: Path, epochs: int) -> keras.Model:
    """Train, and load the best model from its file."""
    model = build_model(splits.train)
    model.compile(
        keras.optimizers.AdamW(1e-2),
        loss=listwise_softmax,
        metrics=[krm.NDCG(k=10), krm.MeanAveragePrecision(k=10)],
    )
    model.fit(
        *splits.train,
        validation_data=tuple(splits.validation),
        epochs=epochs,
        callbacks=make_callbacks(folder),
        verbose=0,
    )
    return keras.saving.load_model(
        folder / "best.keras",
        custom_objects={"listwise_softmax": listwise_softmax},
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Train, load the best model and measure it."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="where to write best.keras and epochs.csv "
        "(default: a new folder for temporary files)",
    )
    add_integers(
        parser,
        [
            ("--epochs", 15, 1, "epochs, fewer where training stops early"),
            ("--queries", 480, 5, "queries to generate"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    args = parser.parse_args(argv)
    folder = args.output or Path(tempfile.mkdtemp())
    make_directory(folder)
    keras.utils.set_random_seed(args.seed)
    splits = generate(args.queries, np.random.default_rng(args.seed))
    model = train(splits, folder, args.epochs)
    print(f"Written: {folder / 'best.keras'}, {folder / 'epochs.csv'}\n")
    print("The best model, from its file, on the test queries:\n")
    metric = krm.NDCG(k=10)
    scores = model.predict(splits.test.features, verbose=0)
    metric.update_state(splits.test.labels, scores)
    print(metric)


if __name__ == "__main__":
    main()
