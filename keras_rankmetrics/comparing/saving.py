"""`Measured` as plain values, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.overlap import Overlap
from keras_rankmetrics.comparing.systems import (
    Gaps,
    Measure,
    Measured,
    System,
)
from keras_rankmetrics.comparing.values import Values


def as_plain(measured: Measured) -> dict[str, Any]:
    """All of it; None stands for what is not known."""
    return {
        "metrics": [measure._asdict() for measure in measured.measures],
        "lists": list(measured.lists),
        "truth": measured.truth,
        "systems": {
            name: {
                **system.gaps._asdict(),
                **system.overlap._asdict(),
                "lists_of_row": system.values.lists_of_row,
                "values": _values(system.values),
                "weights": _weights(system.values.weights),
            }
            for name, system in measured.systems.items()
        },
    }


def from_plain(given: Mapping[str, Any]) -> Measured:
    """What `as_plain` made."""
    return Measured(
        measures=tuple(Measure(**measure) for measure in given["metrics"]),
        lists=tuple(given["lists"]),
        truth=given["truth"],
        systems={
            name: _system(system) for name, system in given["systems"].items()
        },
    )


def _system(given: Mapping[str, Any]) -> System:
    values = np.array(given["values"], np.float64)
    weights = given["weights"]
    return System(
        Values(
            values,
            np.array([[x is not None for x in row] for row in given["values"]]),
            np.ones_like(values)
            if weights is None
            else np.array(weights, np.float64),
            given["lists_of_row"],
        ),
        Gaps(given["missing"], given["unknown"]),
        Overlap(**{x: given[x] for x in Overlap._fields if x in given}),
    )


def _values(values: Values) -> list[list[float | str | None]]:
    """None for what does not count; JSON has no number for NaN."""
    return [
        [
            (x if math.isfinite(x) else str(x)) if counts else None
            for x, counts in zip(*row, strict=True)
        ]
        for row in zip(
            values.values.tolist(), values.counts.tolist(), strict=True
        )
    ]


def _weights(array: np.ndarray) -> list[list[float | None]] | None:
    """None where lists weigh alike."""
    if (array == 1).all():
        return None
    rows: list[list[float]] = array.tolist()
    return [[None if x != x else x for x in row] for row in rows]
