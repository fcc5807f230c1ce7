"""Search the hyperparameters of a ranker with KerasTuner, by `val_ndcg@10`.

    pip install keras-tuner
    python tuner_by_ndcg.py

KerasTuner does not know the direction of a metric, so the objective names it:
`"max"`. On TensorFlow it also needs the package `tensorboard`.

Runs on each Keras backend: set KERAS_BACKEND to tensorflow, jax or torch.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np
from console import add_integers
from learning_to_rank import listwise_softmax
from queries import generate

import keras_rankmetrics as krm


def build_model(hp: Any) -> keras.Model:
    """Return a ranker with hyperparameters that the tuner chooses."""
    model = keras.Sequential(
        [
            keras.Input((None, 8)),
            keras.layers.Dense(
                hp.Choice("width", [4, 16, 64]), activation="relu"
            ),
            keras.layers.Dense(1),
            keras.layers.Reshape((-1,)),
        ]
    )
    rate = hp.Float("learning_rate", 1e-4, 1e-1, sampling="log")
    model.compile(
        keras.optimizers.Adam(rate),
        loss=listwise_softmax,
        metrics=[krm.NDCG(k=10)],
    )
    return model


def main(argv: Sequence[str] | None = None) -> None:
    """Search, and print the trials, the best one first."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_integers(
        parser,
        [
            ("--trials", 5, 1, "hyperparameters to try"),
            ("--epochs", 3, 1, "epochs of each trial"),
            ("--queries", 480, 5, "queries to generate"),
            ("--seed", 0, 0, "seed of everything random"),
        ],
    )
    args = parser.parse_args(argv)
    needed = ["keras_tuner"]
    if keras.config.backend() == "tensorflow":
        needed.append("tensorboard")
    for name in needed:
        if importlib.util.find_spec(name) is None:
            package = name.replace("_", "-")
            sys.exit(f"{package} is missing: pip install {package}")
    import keras_tuner

    keras.utils.set_random_seed(args.seed)
    splits = generate(args.queries, np.random.default_rng(args.seed))
    with tempfile.TemporaryDirectory() as folder:
        tuner = keras_tuner.RandomSearch(
            build_model,
            objective=keras_tuner.Objective("val_ndcg@10", direction="max"),
            max_trials=args.trials,
            seed=args.seed,
            directory=folder,
        )
        tuner.search(
            *splits.train,
            validation_data=tuple(splits.validation),
            epochs=args.epochs,
            verbose=0,
        )
        trials = tuner.oracle.get_best_trials(args.trials)
    print(f"{'val_ndcg@10':11} {'width':>5} learning_rate")
    for trial in trials:
        values = trial.hyperparameters.values
        print(
            f"{trial.score:11.4f} {values['width']:5} "
            f"{values['learning_rate']:13.5f}"
        )


if __name__ == "__main__":
    main()
