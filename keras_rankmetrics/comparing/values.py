"""The value of each metric for each list, computed batch by batch."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.measured import Overlap, Values
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.evaluation.batch_cache import Batch
from keras_rankmetrics.engine.evaluation.evaluate import (
    PerReading,
    evaluate_batch,
)
from keras_rankmetrics.engine.inputs import Lists, share_in
from keras_rankmetrics.engine.messages import WarnOnce
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.tables.members import check_share
from keras_rankmetrics.tables.ragged import (
    FEW_SHAPES,
    PADDING,
    Ragged,
    by_length,
    by_width,
    computing,
)

# The fields of lists that are ids, or numbers of them; below 0 for padding.
_SIDES = {
    "targets": "relevant",
    "relevant_ids": "relevant",
    "above": "relevant",
    "recommended": "recommended",
}
_ITEMS = 2**17  # of a batch of few shapes, unless one list has more


def of_arrays(
    metrics: Sequence[RankingMetric], passed: Sequence[Any]
) -> tuple[Values, tuple[str, ...]]:
    """Return the values for the arguments of `update_state`, and notes.

    Input that looks like a mistake causes a warning.

    Args:
        metrics: the metrics.
        passed: `y_true`, `y_pred` and `sample_weight`.

    Raises:
        ValueError: if a metric would misread the labels.
    """
    definitions, batch = [metric.definition for metric in metrics], Batch()
    evaluated = evaluate_batch(definitions, passed, batch)
    hidden = max(_hidden(each.lists) for each in evaluated)
    warn_once = WarnOnce()
    for definition in definitions:
        misreadings = batch.misreadings[definition.reading]
        check_share([definition], misreadings.share)
        warn_once(misreadings.warning, definition.name)
    notes: tuple[str, ...] = ()
    for each in evaluated:
        reading = definitions[each.places[0]].reading
        facts = batch.facts.get(reading)
        if reading[0] != "scores" and facts is not None:  # see `check_arrays`
            facts.add_sides(**_sides_of(each.lists.content))
            notes += checks.say(facts, metrics)
    found = _simplest(_values(evaluated))
    return found._replace(overlap=Overlap(hidden=hidden)), notes


def _sides_of(content: Any) -> dict[str, bool]:
    """Return True for each side that has an id, if some name items by ids."""
    return {
        side: bool(ops.any(getattr(content, name) >= 0))
        for name, side in _SIDES.items()
        if hasattr(content, name)
    }


def _hidden(lists: Lists) -> int:
    """Return the number of relevant items that cannot be retrieved."""
    hidden = lists.content.hidden()
    if hidden is None:
        return 0
    return int(ops.convert_to_numpy(lists.present[:, None] & hidden).sum())


class ListsSoFar:
    """The values of lists that come in chunks.

    Args:
        definitions: the definitions of the metrics.
    """

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._fills = {"labels": -1.0, "scores": 0.0}
        if self._definitions[0].traits.reads == "two_rankings":
            self._fills = dict.fromkeys(self._fills, -np.inf)
        # Chunks that are not evaluated yet, with the weights of their lists.
        self._held: list[tuple[Joined, np.ndarray | None]] = []
        # Of each batch: the places of its lists, and their values.
        self._found: list[tuple[np.ndarray, Values]] = []
        # `ties="shuffle"` has other orders in each batch.
        self._draw = itertools.count()

    def add(self, chunk: Joined, weights: np.ndarray | None = None) -> None:
        """Evaluate a chunk, or hold it if few shapes need more lists.

        On jax, chunks are evaluated in groups of at least `PADDING` items, so
        that the padding of each group but the last is at most that many, too.

        Args:
            chunk: the lists, none of which came before.
            weights: `[lists]`, their weights, or None.

        Raises:
            ValueError: if a metric would misread the labels.
        """
        self._held.append((chunk, weights))
        items = sum(len(each.labels) for each, _ in self._held)
        if not FEW_SHAPES or items >= PADDING:
            self._evaluate()

    def values(self) -> Values:
        """Return the values of all lists, by their places."""
        if self._held:
            self._evaluate()
        order = np.argsort(np.concatenate([at for at, _ in self._found]))
        columns = zip(*(found[:3] for _, found in self._found), strict=True)
        values, valid, weights = (
            np.concatenate(x, axis=1)[:, order] for x in columns
        )
        return _simplest(Values(values, valid, weights))

    def _evaluate(self) -> None:
        """Evaluate the lists that are held, and let go of them."""
        chunks, of_chunks = zip(*self._held, strict=True)
        self._held = []
        joined = Joined(*map(np.concatenate, zip(*chunks, strict=True)))
        weights = None if of_chunks[0] is None else np.concatenate(of_chunks)
        lists = {
            "labels": Ragged(joined.labels, joined.lengths),
            "scores": Ragged(joined.scores, joined.lengths),
        }
        batches = (
            by_width(lists, self._fills, _ITEMS)
            if FEW_SHAPES
            else by_length(lists, self._fills)
        )
        with computing():
            for taken, arrays in batches:
                weight = None
                if weights is not None:
                    weight = np.ones(len(arrays["labels"]), np.float32)
                    weight[: len(taken)] = weights[taken]
                passed = arrays["labels"], arrays["scores"], weight
                check_share(self._definitions, share_in(ops.array(passed[0])))
                draws = [next(self._draw)] * len(self._definitions)
                batch = Batch(is_watched=False)
                found = evaluate_batch(self._definitions, passed, batch, draws)
                some = _values(found).taken(np.s_[:, : len(taken)])
                self._found.append((joined.places[taken], some))


def _values(evaluated: Sequence[PerReading]) -> Values:
    """Return the values in the order of the metrics."""
    places = [place for each in evaluated for place in each.places]
    parts = zip(*(_of(each.per_list) for each in evaluated), strict=True)
    values, valid, weights = (
        np.concatenate(part)[np.argsort(places)] for part in parts
    )
    rows = evaluated[0].per_list.rows
    return Values(values, valid, weights, 1 if rows is None else int(rows[1]))


def _of(per_list: PerList) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return values, which of them count, and weights, `[metrics, lists]`."""
    values = ops.convert_to_numpy(per_list.per_list()).astype(np.float64)
    valid = ops.convert_to_numpy(per_list.valid)
    weights = ops.convert_to_numpy(per_list.weights).astype(np.float64)
    has_own = ops.convert_to_numpy(per_list.has_own_weight) & valid
    values = np.where(has_own & np.isnan(weights), np.nan, values)
    return values, valid, np.where(has_own, weights, np.nan)


def _simplest(values: Values) -> Values:
    """Return the values with weights of 1, if no list has another weight."""
    if ((values.weights == 1) | ~values.valid).all():
        return values._replace(weights=np.ones_like(values.values))
    return values
