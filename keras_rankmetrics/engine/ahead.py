"""What a batch adds to the sums of a metric, and of others that will ask too.

Where nothing is compiled, many metrics at once cost little more than one. So
the first that looks at a batch computes for all that are likely to look at it,
and each of these finds its part. A wrong guess changes no number, and what
others raise is not raised here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.evaluation import evaluate
from keras_rankmetrics.engine.sharing import Batch
from keras_rankmetrics.types import Tensor


def terms_of(
    definition: Definition,
    aggregate: Aggregate,
    batch: Batch,
    passed: Sequence[Any],
    draw: Tensor | int,
) -> Tensor:
    """What the batch adds to the sums, `[*shape]`.

    Args:
        definition: of the metric.
        aggregate: which sums it keeps.
        batch: what others have made of it already.
        passed: `y_true`, `y_pred` and `sample_weight`.
        draw: for `ties="shuffle"` the number of the batch.
    """
    me = definition, aggregate
    if me not in batch.terms:
        others = _others(definition, aggregate, batch)
        if others:
            with contextlib.suppress(Exception):
                _compute([definition, *others], aggregate, batch, passed)
    if me not in batch.terms:
        _compute([definition], aggregate, batch, passed, draw)
    terms: Tensor = batch.terms[me]
    return terms


def _others(
    definition: Definition, aggregate: Aggregate, batch: Batch
) -> list[Definition]:
    """Those that can be computed together with this one."""
    if definition.ties == "shuffle" or definition.by is not None:
        return []
    return [
        other
        for other, its_aggregate in batch.expected.members
        if its_aggregate == aggregate
        and other != definition
        and other.reading == definition.reading
        and other.ties != "shuffle"
        and other.by is None
    ]


def _compute(
    definitions: Sequence[Definition],
    aggregate: Aggregate,
    batch: Batch,
    passed: Sequence[Any],
    draw: Tensor | int = 0,
) -> None:
    draws = [draw] * len(definitions)
    y_true, y_pred, sample_weight = passed
    [evaluated] = evaluate(
        definitions, batch, y_true, y_pred, sample_weight, draws
    )
    terms = aggregate.of_batch(evaluated.per_list)
    for row, definition in enumerate(definitions):
        batch.terms[definition, aggregate] = terms[row]
