"""Saved comparisons: `Measured` as values that JSON can contain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.measured import (
    Measure,
    Measured,
    Overlap,
    System,
    Values,
    with_none,
)


def saved(measured: Measured) -> dict[str, Any]:
    """Return everything as values that JSON can contain."""
    return {
        "metrics": [measure._asdict() for measure in measured.measures],
        "lists": list(measured.lists),
        "groups": list(measured.groups),
        "truth": measured.truth,
        "systems": {
            name: {
                **overlap._asdict(),
                "lists_of_row": values.lists_of_row,
                "values": [
                    list(map(_as_json, row)) for row in values.of_lists()
                ],
                "weights": _weights(values.weights),
            }
            for name, (values, overlap) in measured.systems.items()
        },
    }


def loaded(values: Mapping[str, Any]) -> Measured:
    """Return the `Measured` that `saved` was called on."""
    return Measured(
        measures=tuple(Measure(**measure) for measure in values["metrics"]),
        lists=tuple(values["lists"]),
        groups=tuple(values.get("groups", ())),
        truth=values["truth"],
        systems={
            name: _system(of_name)
            for name, of_name in values["systems"].items()
        },
    )


def _as_json(x: float | None) -> float | str | None:
    """Return NaN and infinity as strings, since JSON has neither."""
    return x if x is None or math.isfinite(x) else str(x)


def _weights(weights: np.ndarray) -> Any:
    """Return rows with None for NaN; None if all weights are 1."""
    if (weights == 1).all():
        return None
    return with_none(weights, ~np.isnan(weights))


def _system(of_system: Mapping[str, Any]) -> System:
    rows = of_system["values"]
    values, weights = np.array(rows, np.float64), of_system["weights"]
    counts = np.array([[x is not None for x in row] for row in rows])
    weights = np.ones_like(values) if weights is None else weights
    return System(
        Values(
            values,
            counts,
            np.array(weights, np.float64),
            of_system["lists_of_row"],
        ),
        # Files of earlier versions have fewer numbers.
        Overlap(**{x: of_system[x] for x in Overlap._fields if x in of_system}),
    )
