"""What a batch adds to the sums of a metric, and of others that will ask too.

Many metrics at once cost little more than one. So the first that looks at a
batch computes for those that are likely to look at it too, and each of these
finds its part. What others raise is raised when they look themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.evaluation.batch_cache import (
    Batch,
    can_be_computed_by_others,
)
from keras_rankmetrics.engine.evaluation.evaluate import evaluate
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
    if not can_be_computed_by_others(definition):
        return _terms([definition], aggregate, batch, passed, draw)[0]
    terms = batch.terms(definition, aggregate)
    if terms is None:
        _compute_ahead(definition, aggregate, batch, passed)
        terms = batch.terms(definition, aggregate)
    if terms is None:
        terms = _terms([definition], aggregate, batch, passed)[0]
        batch.keep_terms(definition, aggregate, terms)
    return terms


def _compute_ahead(
    definition: Definition,
    aggregate: Aggregate,
    batch: Batch,
    passed: Sequence[Any],
) -> None:
    """Computes for this metric and for others, unless one of them raises."""
    others = [
        other
        for other, its_aggregate in batch.expected.members
        if its_aggregate == aggregate
        and other != definition
        and other.reading == definition.reading
        and batch.terms(other, aggregate) is None
    ]
    if not others or batch.fails_together:
        return
    together = [definition, *others]
    try:
        terms = _terms(together, aggregate, batch, passed)
    except Exception:  # whatever functions of users do
        batch.fails_together = True
        return
    for row, each in enumerate(together):
        batch.keep_terms(each, aggregate, terms[row])


def _terms(
    definitions: Sequence[Definition],
    aggregate: Aggregate,
    batch: Batch,
    passed: Sequence[Any],
    draw: Tensor | int = 0,
) -> Tensor:
    """`[metrics, *shape]`, of metrics that read the same."""
    draws = [draw] * len(definitions)
    [evaluated] = evaluate(definitions, passed, batch, draws)
    return aggregate.of_batch(evaluated.per_list)
