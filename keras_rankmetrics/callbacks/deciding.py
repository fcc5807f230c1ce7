"""The callback `StopWhenDecided`."""

from __future__ import annotations

import math
from typing import Any, Literal

import keras

from keras_rankmetrics.engine.aggregates.distributions import (
    check_level,
    is_number,
    sequence,
)
from keras_rankmetrics.metrics.bases import check_mean


class StopWhenDecided(keras.callbacks.Callback):
    """Stop `model.evaluate` as soon as the lists seen so far are enough.

    After each batch the callback reads the `anytime_interval` of a metric. It
    stops the evaluation once the interval excludes a threshold, such as the
    value of the model in production, or is narrow enough. Since all these
    intervals together contain the true value with the probability `level`,
    stopping early does not make the answer less certain.

    The lists must be in random order: the first ones stand for all others.

    In `fit` it stops each validation pass, so the logged values are those of
    the lists up to there. With `steps_per_execution` it looks once for each
    execution. It reads the state on the host after each batch, which on jax
    attaches the variables of the model.

    Args:
        metric: a ranking metric that is compiled into the model, alone or in a
            `MetricCollection`.
        threshold: stop if the interval is above or below this value.
        precision: stop if the interval is no wider than ± this value. With a
            threshold, too, the first of both stops the evaluation.
        level: the probability that the interval contains the true value at all
            times.
        planned: the number of lists at which the interval is narrowest compared
            to others.
        at_least: the number of independent lists before which it does not stop.
            The interval is asymptotic: do not go far below 30.

    Attributes:
        decided: `"above"` or `"below"` the threshold, `"precise"`, or None if
            the lists were not enough.
        interval: the last interval, `(low, high)`.
        lists: the number of valid lists seen.

    Raises:
        TypeError: if the metric is not a mean over lists.
        ValueError: if an argument is invalid, or the values of the metric have
            no known limits, as those of DCG; after a pass, if no batch has
            updated the metric.

    Example:
        >>> import keras
        >>> import numpy as np
        >>> import keras_rankmetrics as krm
        >>> labels = np.eye(4)[np.arange(2000) % 4]
        >>> model = keras.Sequential([keras.Input((4,)), keras.layers.ReLU()])
        >>> metric = krm.HitRateAtK(k=1)
        >>> model.compile(loss="mse", metrics=[metric])
        >>> stop = krm.callbacks.StopWhenDecided(metric, threshold=0.9)
        >>> _ = model.evaluate(labels, labels, verbose=0, callbacks=[stop])
        >>> stop.decided, stop.lists
        ('above', 64)

    Waudby-Smith et al., arXiv 2103.06476.

    Stability: stable.
    """

    decided: Literal["above", "below", "precise"] | None
    interval: tuple[float, float]
    lists: int

    def __init__(
        self,
        metric: Any,
        threshold: float | None = None,
        precision: float | None = None,
        level: float = 0.95,
        planned: int = 500,
        at_least: int = 30,
    ) -> None:
        super().__init__()
        check_mean(metric)
        if not metric.aggregate.bounded:
            raise ValueError(
                "`metric` should have values in [0, 1], as NDCG has: without "
                "limits, the first lists say nothing of rare values. Received: "
                f"{metric.name}. Evaluate all lists."
            )
        values = [x for x in (threshold, precision) if x is not None]
        are_in_units = all(is_number(x) and 0.0 <= x <= 1.0 for x in values)
        if not values or not are_in_units or precision in (0.0, 1.0):
            raise ValueError(
                "Pass `threshold`, a number from 0 to 1, `precision`, a number "
                "above 0 and below 1, or both, in units of the metric: 5 "
                f"percent is 0.05. Received: threshold={threshold!r}, "
                f"precision={precision!r}."
            )
        check_level("level", level, lowest=0.5)
        sequence(0.0, 0.0, at_least, level, planned)  # raises for bad options
        self.metric = metric
        self.threshold = threshold
        self.precision = precision
        self.level = level
        self.planned = planned
        self.at_least = at_least
        self._clear()

    def on_test_begin(self, logs: dict[str, Any] | None = None) -> None:
        """Forget the last pass."""
        self._clear()
        # The lists of an earlier use must not decide. Keras resets only the
        # metrics of a model that is built: not one of another model, and on
        # tensorflow not before the first batch.
        self.metric.reset_state()

    def on_test_batch_end(
        self, batch: int, logs: dict[str, Any] | None = None
    ) -> None:
        """Stop the evaluation if the lists so far are enough."""
        # On jax, the metric has no state before the model is accessed.
        model = self.model
        estimate = self.metric.estimate()
        low, high = estimate.anytime_interval(self.level, self.planned)
        self.interval, self.lists = (low, high), estimate.lists
        if estimate.rows < self.at_least:
            return
        if self.threshold is not None and not low <= self.threshold <= high:
            self.decided = "above" if low > self.threshold else "below"
        elif self.precision is not None and high - low <= 2.0 * self.precision:
            self.decided = "precise"
        if self.decided:
            model.stop_evaluating = True

    def on_test_end(self, logs: dict[str, Any] | None = None) -> None:
        """Raise ValueError if the metric has seen no list."""
        if not self.lists:
            raise ValueError(
                "`metric` should be compiled into the model, alone or in a "
                f"`MetricCollection`. Received: {self.metric.name}, which no "
                "batch has updated. Pass the same object to `compile`."
            )

    def _clear(self) -> None:
        self.decided, self.interval, self.lists = None, (math.nan, math.nan), 0
