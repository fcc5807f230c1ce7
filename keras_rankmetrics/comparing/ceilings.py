"""`ceilings`: the highest values that a run could reach."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np

from keras_rankmetrics.comparing import variants
from keras_rankmetrics.comparing.compare import of_members_for
from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.measured import ALL, Measured, Values
from keras_rankmetrics.comparing.measuring import measured_by
from keras_rankmetrics.comparing.reading import HowToRead, Reading, reads
from keras_rankmetrics.comparing.report import gaps
from keras_rankmetrics.comparing.values import ListsSoFar
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.types import TiePolicy

_NAMES = "value", "reranked", "highest"
_EACH = len(_NAMES)


class Ceilings(dict[str, dict[str, float]]):
    """The `"value"` of each metric, `"reranked"` and `"highest"`, by name.

    `print` shows them as a table.

    Stability: provisional.
    """

    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the table, and what it shows."""
        rows = [
            [name, *(f"{x:.4f}" for x in found.values())]
            for name, found in self.items()
        ]
        return "\n".join([as_table(["", *_NAMES], rows), *self.notes])


@reads()
def ceilings(
    truth: Any,
    run: Any = None,
    metrics: Any = None,
    *,
    convention: str | Convention | None = None,
    sample_weight: Any = None,
    **how: Unpack[HowToRead],
) -> Ceilings:
    """Return the highest values that a run could reach.

    For each metric, it returns the mean over the lists of the value v, and of
    its highest value over two sets of rankings:

        reranked = m(max over orders of the retrieved items of v)
        highest = m(max over rankings of these and all relevant items of v)

    A reranker can gain `reranked - value`, and a better search the rest. With
    more relevant items than the cutoff, recall cannot reach 1: of 100 true
    neighbours, the ten best are a recall of 0.1. For metrics where lower is
    better, these are the lowest values.

    Args:
        truth: the labels of the items, with ids, or one table, as for
            `evaluate`. All items of a table are retrieved.
        run: the scores of the items, or their order; None for one table.
        metrics: metrics of labels, or their names, as for `tie_range`.
        convention: the name of a tool, as for `evaluate`.
        sample_weight: a weight for each query, as for `evaluate`.
        **how: how to read the inputs, as for `evaluate`.

    Returns:
        A dict of `"value"`, `"reranked"` and `"highest"` for each metric, by
        name. `print` shows a table.

    Raises:
        ValueError: if the best order of a metric is not known, if the inputs
            are arrays without ids, or as `evaluate` does.

    Example:
        >>> import keras_rankmetrics as krm
        >>> qrels = {"q1": {"d1": 1, "d2": 1, "d3": 1}, "q2": {"d4": 1}}
        >>> run = {"q1": ["d5", "d1"], "q2": ["d6", "d7"]}
        >>> print(krm.ceilings(qrels, run, "Recall@2 RR"))
                   value  reranked  highest
        Recall@2  0.1667    0.1667   0.8333
        RR        0.2500    0.5000   1.0000
        reranked: by the best order of the retrieved items.
        highest: by the best ranking of these and all relevant items.

    Stability: provisional.
    """
    reading = Reading.of(ceilings, how, takes=("weight",))
    of_members = of_members_for(truth, run, metrics, reading)
    of_all = functools.partial(_with_ceilings, of_members)
    asked = reading, convention, None, sample_weight
    measured = measured_by(metrics, truth, {ALL: run}, *asked, of_all)
    means = variants.means_of_each(measured, _EACH)
    of_names = variants.first_of_each(measured, _EACH)
    found = Ceilings(
        (statistic.name, dict(zip(_NAMES, of_metric, strict=True)))
        for statistic, of_metric in zip(of_names.metrics, means, strict=True)
    )
    found.notes = (
        "reranked: by the best order of the retrieved items.",
        "highest: by the best ranking of these and all relevant items.",
        *gaps(of_names),
    )
    return found


def _with_ceilings(
    of_members: Callable[..., Measured],
    members: Sequence[RankingMetric],
    *asked: Any,
    **how: Any,
) -> Measured:
    """Return the values of each metric, and those of its ceilings."""
    kept: list[_WithCeilings] = []

    def collect(definitions: Sequence[Definition]) -> _WithCeilings:
        kept.append(_WithCeilings(definitions))
        return kept[-1]

    def policies(metric: RankingMetric) -> tuple[TiePolicy | None, ...]:
        return metric.ties, "optimistic", "optimistic"

    found = variants.in_variants(
        of_members, policies, members, *asked, collect=collect, **how
    )
    if not kept:
        raise ValueError(
            "The inputs should have ids. Received: arrays of labels and "
            "scores, of which the labels are the best scores. Pass these: "
            "`evaluate(labels, labels, metrics)`."
        )
    of_run = found.systems[ALL]
    values = of_run.values.reshape(len(members), _EACH, -1).copy()
    for metric, of_metric in zip(members, values, strict=True):
        # A ceiling that adds items may not be the better one for a list.
        sign = -1 if metric._direction == "down" else 1
        of_metric[:] = sign * np.maximum.accumulate(sign * of_metric)
    systems = {
        ALL: of_run._replace(values=values.reshape(-1, values.shape[-1]))
    }
    return found._replace(systems=systems)


class _WithCeilings(ListsSoFar):
    """The values of metrics, each followed by those of its two ceilings."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._of = [ListsSoFar(definitions[x::_EACH]) for x in range(_EACH)]

    def add(self, chunk: Joined, weights: np.ndarray | None = None) -> None:
        """Evaluate a chunk as it is, and with equal scores of two sets."""
        retrieved = chunk.scores > -np.inf
        equal = (
            np.where(there, 0.0, -np.inf).astype(chunk.scores.dtype)
            for there in (retrieved, retrieved | (chunk.labels > 0))
        )
        chunks = chunk, *(chunk._replace(scores=scores) for scores in equal)
        for found, each in zip(self._of, chunks, strict=True):
            found.add(each, weights)

    def values(self) -> Values:
        """Return the values of all lists, by their places."""
        found = [x.values() for x in self._of]
        columns = zip(*(x[:3] for x in found), strict=True)
        values, valid, weights = (
            np.stack(x, axis=1).reshape(-1, x[0].shape[-1]) for x in columns
        )
        return Values(values, valid, weights)
