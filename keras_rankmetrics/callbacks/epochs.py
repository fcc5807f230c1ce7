"""The base class of callbacks that evaluate a model after each epoch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import keras

from keras_rankmetrics.callbacks.batches import Batch, Data
from keras_rankmetrics.tables.members import checked_metrics


class EvaluateEpochs(keras.callbacks.Callback):
    """Log the metrics that `evaluate` returns after each epoch.

    Args:
        metrics: a metric, a `MetricCollection`, names such as `"NDCG@10 RR"`,
            or a list of these.
        prefix: the prefix of the names in the logs.
        verbose: 1 for a progress bar, 0 for none; by default as in `fit`.
    """

    def __init__(self, metrics: Any, prefix: str, verbose: int | None) -> None:
        super().__init__()
        self.metrics = checked_metrics(metrics)
        self.prefix, self.verbose = prefix, verbose

    def evaluate(self, model: keras.Model) -> dict[str, float]:
        """Return the metrics of the validation data under a model, by name.

        Args:
            model: the model, trained or not.
        """
        raise NotImplementedError

    def on_epoch_end(
        self, epoch: int, logs: dict[str, Any] | None = None
    ) -> None:
        """Write the metrics into the logs."""
        logs = {} if logs is None else logs
        if self._is_verbose():
            print()  # the progress bar of the epoch has not ended its line
        found = {
            f"{self.prefix}{name}": value
            for name, value in self.evaluate(self.model).items()
        }
        taken = sorted(found.keys() & logs.keys())
        if taken:
            raise ValueError(
                "The names of the values should be new to the logs. Received: "
                f"{taken}, which the logs already contain, from a metric in "
                "`compile` or from an earlier callback. Rename the metrics, or "
                "give this callback another `prefix`."
            )
        logs.update(found)

    def _is_verbose(self) -> bool:
        verbose = self.verbose
        if verbose is None:
            verbose = (self.params or {}).get("verbose", 0)
        return verbose == 1

    def _shown(self, data: Data) -> Iterator[Batch]:
        """Yield the batches, under a progress bar if it is wanted."""
        bar = keras.utils.Progbar(
            data.number, verbose=int(self._is_verbose()), unit_name="batch"
        )
        seen = 0
        for seen, batch in enumerate(data.batches(), start=1):
            yield batch
            bar.update(seen)
        if data.number is None:
            bar.update(seen, finalize=True)
