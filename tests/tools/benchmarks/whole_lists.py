"""Metrics of whole lists, in units of one sort.

    python -m tests.tools.benchmarks.whole_lists
    python -m tests.tools.benchmarks.whole_lists --items 1000000 --lists 1
    taskset -c 0 python -m tests.tools.benchmarks.whole_lists --backends torch

A sort is `argsort` of the scores and one gather of the labels. NDCG, MAP and
AUC have no cutoff; "all" computes the three together. The last columns are NDCG
of Keras Recommenders, if it is installed, and sixty cutoffs of NDCG in units of
`top_k` of the scores and of the labels at the deepest cutoff. Times are minima
over the rounds, in which all take turns.

Scores are normal float32 numbers, which tie by accident in long lists; distinct
numbers; distinct but for one pair in the first list; and of 8 bits.
"""

from __future__ import annotations

import argparse
import importlib.util
from collections.abc import Iterator, Sequence

import numpy as np

from tests.tools.benchmarks.backends import print_rows, top_k
from tests.tools.benchmarks.contenders import keras_metrics
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.modes import MODES, Mode, Step, Tensor
from tests.tools.benchmarks.suites import Suite
from tests.tools.benchmarks.turns import seconds_of, take_turns
from tests.tools.benchmarks.units import MILLISECONDS, rounded

SHAPES = ((1024, 100), (128, 1_000), (16, 10_000), (4, 100_000))
THREE: Suite = (("NDCG", None), ("MeanAveragePrecision", None), ("AUC", None))
SIXTY: Suite = tuple(("NDCG", k) for k in range(1, 61))
COLUMNS = ("NDCG", "MAP", "AUC", "all", "keras_rs NDCG", "60 NDCG@k")
# Checks look at the first batches only, which are not timed.
FIRST_BATCHES = 17
ENOUGH_SECONDS = 5.0


def labels_and_scores(
    lists: int, items: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Return labels 0 to 3, and scores by their kind."""
    rng = np.random.default_rng(0)
    labels = rng.choice(4, size=(lists, items), p=(0.7, 0.15, 0.1, 0.05))
    normal = rng.normal(size=labels.shape) + 0.3 * labels
    order = np.argsort(normal, axis=1)
    distinct = np.argsort(order, axis=1).astype("float32")
    one_pair = distinct.copy()
    one_pair[0, order[0, items // 2]] += 1.0
    scores = {
        "normal": normal.astype("float32"),
        "distinct": distinct,
        "one pair": one_pair,
        "8 bits": np.clip(np.round(normal * 32), -128, 127).astype("float32"),
    }
    return labels.astype("float32"), scores


def sort(y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
    """Return the labels, the lowest score first."""
    from keras import ops

    order = ops.argsort(y_pred, axis=-1)
    return [ops.take_along_axis(y_true, order, axis=-1)]


def best(y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
    """Return the best scores and labels, to the deepest of the cutoffs."""
    depth = min(len(SIXTY), y_pred.shape[-1])
    return [*top_k(y_pred, depth), *top_k(y_true, depth)]


def steps_of(mode: Mode) -> dict[str, Step]:
    """Return what is timed: the columns, and what they are in units of."""
    metrics = {
        **dict(zip(COLUMNS, zip(THREE, strict=True), strict=False)),
        "all": THREE,
    }
    steps = {
        name: mode.metrics(keras_metrics.plain(suite), suite)
        for name, suite in metrics.items()
    }
    if importlib.util.find_spec("keras_rs"):
        theirs = keras_metrics.keras_rs(THREE[:1])
        steps["keras_rs NDCG"] = mode.metrics(theirs, THREE[:1])
    sixty = keras_metrics.collection(SIXTY)
    steps["60 NDCG@k"] = mode.metrics(sixty, SIXTY)
    return {
        **steps,
        **{f.__name__: mode.function(f, ()) for f in (sort, best)},
    }


def row(steps: dict[str, Step], rounds: int) -> list[str]:
    """Return the milliseconds of a sort, and the columns in their units."""
    measurements = [Measurement(name) for name in steps]
    take_turns(
        measurements,
        lambda name: seconds_of(steps[name].run),
        rounds,
        now=lambda name: None,
        is_enough=lambda values: sum(values) > ENOUGH_SECONDS,
    )
    times = {m.contender: min(m.values, default=0.0) for m in measurements}
    units = {"60 NDCG@k": times["best"]}
    ratios = (
        rounded(times[name] / units.get(name, times["sort"]))
        if name in times
        else ""
        for name in COLUMNS
    )
    return [MILLISECONDS.text(times["sort"]), *ratios]


def measured(options: argparse.Namespace) -> Iterator[list[str]]:
    """Return the rows of the table of the backend of this process."""
    import keras

    given = options.lists, options.items
    of_backend = (
        mode
        for mode in MODES.values()
        if mode.backend == keras.config.backend()
    )
    for kind in of_backend:
        for lists, items in [given] if all(given) else SHAPES:
            labels, scores = labels_and_scores(lists, items)
            mode = kind(labels, scores["normal"])
            steps = steps_of(mode)
            for name, step in steps.items():
                is_ours = name in COLUMNS and name != "keras_rs NDCG"
                for _ in range(FIRST_BATCHES if is_ours else 1):
                    step.run()
            for title, found in scores.items():
                mode.batch = mode.on(labels, found).batch  # compiled once
                cells = [mode.title, f"{lists:,} x {items:,}", title]
                yield cells + row(steps, options.rounds)


def main(argv: Sequence[str] | None = None) -> None:
    """Measures each backend in a process of its own."""
    print_rows(
        "whole_lists",
        __doc__,
        measured,
        ["mode", "lists x items", "scores", "sort, ms", *COLUMNS],
        left=(0, 1, 2),
        argv=argv,
        lists=None,
        items=None,
        rounds=15,
    )


if __name__ == "__main__":
    main()
