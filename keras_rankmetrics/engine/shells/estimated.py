"""`Estimated`: a number with its error, and what it rests on."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.engine.aggregates import Estimate, WeightedMean
from keras_rankmetrics.engine.aggregates.aggregate import check_aggregate
from keras_rankmetrics.engine.shells.accumulator import (
    Accumulator,
    is_known,
    on_host,
)


class Estimated(Accumulator):
    """A metric whose number is a mean, and so has a standard error."""

    aggregate: Any = WeightedMean()
    """Which sums are kept of the values of the lists, an `Aggregate`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Raise TypeError if the class has an `aggregate` that is none."""
        super().__init_subclass__(**kwargs)
        if not hasattr(cls.aggregate, "__get__"):  # a property, of an object
            check_aggregate(cls.__name__, cls.aggregate)

    def estimate(self) -> Estimate:
        """The result with its standard error and what it rests on.

        It is computed in double precision, from the state as it is: not in a
        compiled program, where `MetricCollection(..., errors=True)` has the
        standard errors among its results.
        """
        if type(self.aggregate) is not WeightedMean:
            raise TypeError(
                f"{type(self).__name__} has an `aggregate` of its own, of "
                "which no standard error is known."
            )
        return Estimate.of_sums(on_host(self._seen()), self.aggregate.bounded)

    def standard_error(self) -> float:
        """The standard error of the result; NaN for fewer than two lists.

        For lists with the values v and the weights w it is

            √(n / (n - 1) · Σ w² (v - result)²) / Σ w

        linearised for lists that take the mean weight of the others. Lists of
        one row of the batch, as in `[batch, time]`, are not independent: n is
        the number of rows, and w (v - result) is summed over each before it is
        squared.

        >>> from keras_rankmetrics import PrecisionAtK
        >>> metric = PrecisionAtK(k=2)
        >>> metric.update_state([[1, 0], [1, 1], [0, 0]], [[2, 1]] * 3)
        >>> float(metric.result()), round(metric.standard_error(), 4)
        (0.5, 0.2887)

        Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992),
        section 5.5.
        """
        return self.estimate().standard_error

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval result ± t · standard error, by Student's t.

        It holds the mean of all lists, of which those seen are a sample, in so
        many cases. With few lists and values close to 0 or 1 it is too short,
        and may go beyond them.

        Args:
            level: the chance, between 0 and 1.
        """
        return self.estimate().interval(level)

    def count(self) -> int:
        """How many lists counted."""
        return self.estimate().lists

    def effective_count(self) -> float:
        """How many lists of equal weight tell as much: (Σ w)² / Σ w².

        Kish, Survey Sampling (1965).
        """
        return self.estimate().effective_lists

    def __str__(self) -> str:
        """`ndcg@10 = 0.7719 ± 0.0123 (95%, 1,204 lists)`."""
        is_mean = type(self.aggregate) is WeightedMean
        if not is_mean or not is_known(self._seen()):
            return repr(self)
        return f"{self.name} = {self.estimate()}"
