"""The terms that a batch adds to the sums of a metric, and of its peers.

Many metrics at once cost little more than one. So the first metric of a batch
computes the terms of its peers too, and stores them in the batch. If a peer
raises, each metric computes its own terms, and the error comes from the metric
that causes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.evaluation.batch_cache import Batch, is_shareable
from keras_rankmetrics.engine.evaluation.evaluate import evaluate
from keras_rankmetrics.types import Tensor


def terms_of(
    definition: Definition,
    aggregate: Aggregate,
    batch: Batch,
    inputs: Sequence[Any],
    draw: Tensor | int,
) -> Tensor:
    """Return the terms that the batch adds to the sums, `[*shape]`.

    Args:
        definition: the definition of the metric.
        aggregate: the sums that it keeps.
        batch: the batch, with the results of peers.
        inputs: `y_true`, `y_pred` and `sample_weight`.
        draw: the number of the batch, for `ties="shuffle"`.
    """
    if not is_shareable(definition):
        return _terms([definition], aggregate, batch, inputs, draw)[0]
    terms = batch.terms(definition, aggregate)
    if terms is None:
        _precompute(definition, aggregate, batch, inputs)
        terms = batch.terms(definition, aggregate)
    if terms is None:
        terms = _terms([definition], aggregate, batch, inputs)[0]
        batch.add_terms(definition, aggregate, terms)
    return terms


def _precompute(
    definition: Definition,
    aggregate: Aggregate,
    batch: Batch,
    inputs: Sequence[Any],
) -> None:
    """Store the terms of this metric and its peers, unless one raises."""
    others = [
        other
        for other, its_aggregate in batch.expected.sharing
        if its_aggregate == aggregate
        and other != definition
        and other.reading == definition.reading
        and batch.terms(other, aggregate) is None
    ]
    if not others or batch.fails_together:
        return
    together = [definition, *others]
    try:
        terms = _terms(together, aggregate, batch, inputs)
    except Exception:  # functions of users may raise anything
        batch.fails_together = True
        return
    for row, each in enumerate(together):
        batch.add_terms(each, aggregate, terms[row])


def _terms(
    definitions: Sequence[Definition],
    aggregate: Aggregate,
    batch: Batch,
    inputs: Sequence[Any],
    draw: Tensor | int = 0,
) -> Tensor:
    """Return `[metrics, *shape]` for metrics that read the same lists."""
    draws = [draw] * len(definitions)
    [evaluated] = evaluate(definitions, inputs, batch, draws)
    return aggregate.of_batch(evaluated.per_list)
