"""`Flips`: the queries that one system wins and loses against another."""

from __future__ import annotations

from typing import Any

import numpy as np

from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.engine.aggregates.paired import ROUNDING
from keras_rankmetrics.engine.messages import as_table, as_text

_SHOWN = 10  # queries on each side


class Flips(dict[str, dict[Any, tuple[float, float]]]):
    """The queries that are `"won"`, `"lost"` and `"tied"`, with both values.

    `Compared.flips` returns it: for each query the value of the baseline and
    that of the system, those that change most first. `print` shows the first.

    Stability: provisional.
    """

    metric: str = ""
    systems: tuple[str, str] = ("", "")

    def __str__(self) -> str:
        """Return the numbers of queries, and the first that are not tied."""
        old, new = self.systems
        counts = ", ".join(f"{len(x):,} {name}" for name, x in self.items())
        lines = [f"{self.metric} of {new} against {old}: {counts}."]
        for name in ("won", "lost"):
            rows = [
                [as_text(str(query)), *(f"{x:.4f}" for x in values)]
                for query, values in self[name].items()
            ]
            table = as_table([name, *self.systems], rows[:_SHOWN])
            more = len(rows) - _SHOWN
            lines += ["", table] * bool(rows)
            lines += [f"and {more:,} more"] * (more > 0)
        return "\n".join(lines)


def flips_of(measured: Measured, metric: str) -> Flips:
    """Return the queries that the second of two systems wins and loses.

    Args:
        measured: the values of the baseline and of the system.
        metric: the name of a metric.
    """
    place = [x.name for x in measured.metrics].index(metric)
    one, other = measured.systems.values()
    old, new = one.values[place], other.values[place]
    change = new - old if measured.metrics[place].more_is_better else old - new
    change = np.where(one.valid[place] & other.valid[place], change, np.nan)
    found, order = Flips(), np.argsort(-np.abs(change), kind="stable")
    for name, which in (
        ("won", change > ROUNDING),
        ("lost", change < -ROUNDING),
        ("tied", np.abs(change) <= ROUNDING),
    ):
        found[name] = {
            measured.lists[i]: (float(old[i]), float(new[i]))
            for i in order[which[order]].tolist()
        }
    baseline, system = measured.systems
    found.metric, found.systems = metric, (baseline, system)
    return found
