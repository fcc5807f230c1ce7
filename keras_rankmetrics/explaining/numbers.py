"""Numbers as somebody has printed them, and values that have their digits."""

from __future__ import annotations

import decimal
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.explaining.settings import DIGITS, Recipe

_PRECISION = 1e-6  # of tools that compute in single precision
_NEAR = 0.05  # values within this distance show how dense they are
_LIKELY = 10  # metrics that a sample keeps in any case, as the nearest ones


class Number(NamedTuple):
    """A number as somebody has printed it.

    Attributes:
        text: the number as text.
        value: the number.
        unit: that of the last digit.
    """

    text: str
    value: float
    unit: float

    @classmethod
    def of(cls, x: Any) -> Number:
        """Return a number from a float, or text such as `"83.30%"`.

        Raises:
            ValueError: if it is no finite number.
        """
        is_scalar = not isinstance(x, str) and np.ndim(x) == 0
        text = str(float(x) if is_scalar and hasattr(x, "ndim") else x).strip()
        scale = 100 if text.endswith("%") else 1
        try:
            found = decimal.Decimal(text.removesuffix("%"))
            digits = int(found.as_tuple().exponent)
            unit = float(decimal.Decimal(1).scaleb(digits)) / scale
            value = float(found) / scale
        except (decimal.InvalidOperation, ValueError, TypeError):
            value, unit = math.nan, math.nan
        if not math.isfinite(value) or not unit > 0:
            raise ValueError(
                "The value should be a finite number, such as `0.8333`, "
                f'`"0.8330"` or `"83.3%"`. Received: {x!r}.'
            )
        return cls(text, value, unit)


class Distance(NamedTuple):
    """Values minus a number, like the values of a grid.

    Attributes:
        values: the differences.
        units: the unit of the last digit.
        slack: the precision of tools that compute in single precision.
    """

    values: np.ndarray
    units: np.ndarray
    slack: np.ndarray

    @classmethod
    def of(
        cls, values: np.ndarray, recipes: Sequence[Recipe], number: Number
    ) -> Distance:
        """Return the differences.

        A number above 1 is in percent for metrics of at most 1.

        Args:
            values: `[..., recipes, queries, empty, decimals]`.
            recipes: the recipes.
            number: the number.
        """
        bounded = np.array([x.metric.has_upper_bound for x in recipes], bool)
        scales = np.where(bounded & (abs(number.value) > 1), 100.0, 1.0)
        scales = scales[:, None, None, None]
        units = np.broadcast_to(number.unit / scales, values.shape)
        targets = np.abs(number.value / scales)
        slack = _PRECISION * np.maximum(1.0, targets)
        differences = values - number.value / scales
        return cls(differences, units, np.broadcast_to(slack, units.shape))

    @property
    def rounded(self) -> np.ndarray:
        """True for values that have the digits of the number."""
        found: np.ndarray = np.abs(self.values) <= self.units / 2 + self.slack
        return found

    @property
    def cut(self) -> np.ndarray:
        """True for values that have the digits if they are cut off."""
        values, units, slack = self
        found: np.ndarray = (
            ~self.rounded & (values >= 0) & (values < units - slack)
        )
        return found

    def coincidences(self, number: Number, some: np.ndarray) -> float:
        """Return how many different values a number nearby matches on average.

        Args:
            number: the number.
            some: the settings that count, bool like the values.
        """
        values, units, slack = self
        expected = 0.0
        for unit in np.unique(units).tolist():
            is_one = units == unit
            target = number.value * unit / number.unit
            near = max(_NEAR * max(1.0, abs(target)), 10 * unit)
            among = values[some & is_one & (np.abs(values) <= near)]
            # Few metrics have values below 0, and none of those above 0 does.
            span = near + (min(near, target) if target > 0 else near)
            # Of a number that is cut off, half of it.
            width = 1.5 * unit + 2 * float(slack[is_one][0])
            expected += len(np.unique(np.round(among, DIGITS))) * width / span
        return expected


def may_match(
    recipes: Sequence[Recipe],
    numbers: Sequence[Number],
    means: np.ndarray,
    errors: np.ndarray,
) -> np.ndarray:
    """Return True for recipes that may have one of the numbers, `[recipes]`.

    Some others are included if they come closest to a number.

    Args:
        recipes: the recipes.
        numbers: the numbers.
        means: the means over a sample, `[recipes, queries, empty, decimals]`.
        errors: how far they may be from those over all lists.
    """
    found = np.zeros(len(recipes), bool)
    for number in numbers:
        values, units, slack = Distance.of(means, recipes, number)
        distances = np.abs(values) - units - slack - errors
        found |= ~(distances > 0).all(axis=(1, 2, 3))
        least = np.where(np.isnan(values), np.inf, np.abs(values))
        found[np.argsort(least.min(axis=(1, 2, 3)))[:_LIKELY]] = True
    return found
