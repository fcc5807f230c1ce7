"""Trains the ranker of the examples, and notes its error bars."""

import pathlib
import sys

import keras
import numpy as np

from keras_rankmetrics import NDCG
from tests.tools.pictures.training import Epoch, store

EXAMPLES = pathlib.Path(__file__).parents[3] / "docs" / "examples"
QUERIES, EPOCHS = 480, 20


def train() -> None:
    """Trains on generated queries, and stores an `Epoch` of each."""
    sys.path.append(str(EXAMPLES))
    from learning_to_rank import build_model, listwise_softmax
    from queries import generate

    keras.utils.set_random_seed(0)
    splits = generate(QUERIES, np.random.default_rng(0))
    model = build_model(splits.train)
    model.compile(keras.optimizers.AdamW(2e-3), loss=listwise_softmax)
    features, labels = splits.validation
    chance = float(NDCG(k=10)(labels, np.zeros_like(labels)))
    epochs = []

    def note(epoch: int, _: object) -> None:
        metric = NDCG(k=10)
        metric.update_state(labels, model.predict(features, verbose=0))
        value = float(metric.result())
        interval = metric.confidence_interval()
        epochs.append(Epoch(epoch + 1, value, *interval, chance, len(labels)))

    model.fit(
        *splits.train,
        epochs=EPOCHS,
        verbose=2,
        callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=note)],
    )
    store(epochs)
