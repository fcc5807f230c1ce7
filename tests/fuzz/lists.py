"""`One`: a list of a case, as oracles take it."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import oracle
from in_forms import scored, scores_of_ids

from .case import Case

NORMAL = float(np.finfo("float32").tiny)


@dataclasses.dataclass(frozen=True)
class One:
    """A list as the oracle takes it, and what else is to be known of it."""

    labels: list[float]
    scores: list[float]
    mask: list[bool]
    weights: list[float] | float
    lost: int | None = None  # `num_relevant`
    by_subtopic: list[list[float]] = dataclasses.field(default_factory=list)

    def there(self, condenses: bool = False) -> list[bool]:
        """Which items nothing removes."""
        weights = np.broadcast_to(self.weights, len(self.labels)).tolist()
        return [
            kept
            and not weight <= 0
            and (not label < 0 or (label == oracle.UNJUDGED and not condenses))
            for kept, label, weight in zip(
                self.mask, self.labels, weights, strict=True
            )
        ]


def flushed(one: One) -> One:
    """With 0 for what has no normal float32, as XLA and TensorFlow have it."""

    def normal(x: Any) -> Any:
        x = np.asarray(x, "float64")
        return np.where(np.abs(x) < NORMAL, 0.0, x).tolist()

    return dataclasses.replace(
        one,
        labels=normal(one.labels),
        scores=normal(one.scores),
        weights=normal(one.weights),
    )


def lists_of(case: Case) -> Iterator[One]:
    """The lists of a case, as labels and scores of the same items."""
    seen = {n: part.seen(case.how) for n, part in case.parts.items()}
    name = "ids" if case.form == "ids" else "scores"
    leading = seen[name].shape[:-1]
    number = math.prod(leading)
    rows = {
        n: x.reshape((number, *x.shape[len(leading) :]))
        for n, x in seen.items()
        if n not in ("weights",)
    }
    weights = of_each_list(seen.get("weights"), leading, seen[name].shape[-1])
    for i in range(number):
        yield one_of(case.form, {n: x[i] for n, x in rows.items()}, weights[i])


def of_each_list(
    weights: np.ndarray | None, leading: tuple[int, ...], items: int
) -> np.ndarray:
    if weights is None or weights.shape == ():
        only = 1.0 if weights is None else float(weights)
        return np.full(math.prod(leading), only)
    if weights.shape == (*leading, 1):
        weights = weights[..., 0]
    if weights.shape == leading:
        return weights.reshape(-1)
    return weights.reshape(math.prod(leading), items)


def one_of(form: str, row: dict[str, np.ndarray], weights: Any) -> One:
    mask, there = row.get("mask"), True
    if mask is not None and mask.ndim == 0:
        mask, there = None, bool(mask)
    weights = np.asarray(weights, "float64")
    if form == "ids":
        return of_ids(row, mask, there, weights)
    scores = row["scores"].astype("float64")
    items, by_subtopic = len(scores), np.zeros((0, 0))
    mask = np.ones(items, bool) if mask is None else mask
    named = there
    if form == "sparse":
        target = row["target"]
        labels = scored(target[None], items)[0].astype("float64")
        named = named and bool((labels * mask).any())
        scores = np.where(mask, scores, 0)
    else:
        labels, by_subtopic = of_items(row["labels"].astype("float64"))
        if "judged" in row:
            unjudged = ~(labels < 0) & ~row["judged"]
            labels = np.where(unjudged, oracle.UNJUDGED, labels)
            by_subtopic[unjudged] = oracle.UNJUDGED
    excluded = row.get("exclude", np.array([], int))
    scores[excluded[excluded >= 0]] = -math.inf
    lost = int(row["num_relevant"]) if "num_relevant" in row else None
    return One(
        labels.tolist(),
        scores.tolist(),
        mask.tolist() if named else [False] * items,
        weights.tolist(),
        lost,
        by_subtopic.tolist(),
    )


def of_items(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The labels of items, and of each of their subtopics if there are any.

    An item is worth what it is to the subtopic to which it is worth most.
    """
    if labels.ndim == 1:
        return labels, np.zeros((len(labels), 0))
    found = labels.max(axis=-1)
    unjudged = (labels == oracle.UNJUDGED).any(axis=-1) & (found < 0)
    return np.where(unjudged, oracle.UNJUDGED, found), labels


def of_ids(
    row: dict[str, np.ndarray], mask: Any, there: bool, weights: np.ndarray
) -> One:
    """Over the catalogue of all ids that are named."""
    ids, target = row["ids"].astype(int), row["target"].astype(int)
    if mask is not None:
        ids = np.where(mask, ids, -1)
    named = there and bool((ids >= 0).any() or (target >= 0).any())
    excluded = row.get("exclude", np.array([], int))
    ids = np.where(np.isin(ids, excluded[excluded >= 0]), -1, ids)
    items = int(max([9, *ids, *target])) + 1
    return One(
        scored(target[None], items)[0].tolist(),
        scores_of_ids(ids[None], items)[0].tolist(),
        [named] * items,
        weights.tolist(),
    )
