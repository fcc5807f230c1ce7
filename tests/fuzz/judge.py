"""What the oracle says of a case, and whether that is what was found."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import oracle
from catalogue import Cell
from in_forms import scored, scores_of_ids

from .case import Case
from .outcomes import Outcome

NAN = float("nan")
NORMAL = float(np.finfo("float32").tiny)


@dataclasses.dataclass(frozen=True)
class Failure:
    """What must not be.

    Attributes:
        kind: of failure.
        cell: the metric.
        detail: what was found, and what was expected.
    """

    kind: str
    cell: Cell
    detail: str


@dataclasses.dataclass(frozen=True)
class One:
    """A list as the oracle takes it, and what else is to be known of it."""

    labels: list[float]
    scores: list[float]
    mask: list[bool]
    weights: list[float] | float
    lost: int | None = None  # `num_relevant`
    counts: bool = True


def failures_of(case: Case, outcomes: list[Outcome]) -> Iterator[Failure]:
    """What is wrong with what the package did."""
    lists = None if case.broken else list(lists_of(case))
    for outcome in outcomes:
        if not is_told(case, outcome.cell):
            continue
        found = (
            of_broken(case, outcome)
            if lists is None
            else of_lists(case, outcome, lists)
        )
        for kind, detail in found:
            yield Failure(kind, outcome.cell, detail)


def is_told(case: Case, cell: Cell) -> bool:
    """Whether the oracle knows: lost items have no gain if all have one."""
    lost = "num_relevant" in case.parts
    return not (lost and "plus_one_gain" in str(cell.row))


Found = Iterator[tuple[str, str]]


def of_broken(case: Case, outcome: Outcome) -> Found:
    """What is no batch is an error, or NaN in a program."""
    if outcome.error is not None:
        yield from of_error(outcome)
    elif not case.is_compiled:
        yield "a number", f"{case.broken}: {outcome.result}"
    elif not math.isnan(outcome.result):
        yield "a number in a program", f"{case.broken}: {outcome.result}"


def of_error(outcome: Outcome) -> Found:
    if not is_ours(outcome.error):
        yield "a crash", f"{type(outcome.error).__name__}: {outcome.error}"
    if outcome.changed:
        yield "a changed state", f"after {outcome.error}"


def is_ours(error: Exception | None) -> bool:
    return isinstance(error, ValueError | TypeError) and "eceived" in str(error)


def of_lists(case: Case, outcome: Outcome, lists: list[One]) -> Found:
    if outcome.error is not None:
        yield from of_error(outcome)
        if not may_be_refused(outcome.cell, lists):
            yield "refused", str(outcome.error)
        return
    if outcome.differs:
        yield "other bits", "the second time"
    if len(outcome.values) != len(lists):
        yield "another shape", f"{outcome.values} of {len(lists)} lists"
        return
    strict = not may_be_refused(outcome.cell, lists)
    ways = [lists, list(map(flushed, lists))]
    for place, found in enumerate(outcome.values.tolist()):
        right = [value(outcome.cell, way[place]) for way in ways]
        if not any(same(found, x, outcome.cell, strict) for x in right):
            yield "a value", f"list {place}: {found}, expected {right}"
    right = [result(outcome.cell, way) for way in ways]
    if not any(same(outcome.result, x, outcome.cell, strict) for x in right):
        yield "a result", f"{outcome.result}, expected {right}"


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


def same(found: float, right: float, cell: Cell, strict: bool) -> bool:
    """Whether it is right; where values are huge, NaN is right too."""
    if math.isnan(found):
        return math.isnan(right) or not strict
    if not (math.isfinite(found) and math.isfinite(right)):
        return not strict and not math.isfinite(found)
    least, squared = cell.margins
    margin = max(least * max(1.0, abs(right)), squared * right * right)
    return abs(found - right) <= margin


def may_be_refused(cell: Cell, lists: list[One]) -> bool:
    """Whether there are numbers of which single precision has no sums."""
    highest = min(cell.row.options.get("max_grade", 4.0), 60.0)
    if cell.row.oracle != "err":
        highest = 60.0
    return any(label > highest for one in lists for label in one.labels) or any(
        weight > 1e12 or 0 < weight < 1e-12
        for one in lists
        for weight in np.ravel(one.weights)
    )


# The lists


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
    items = len(scores)
    mask = np.ones(items, bool) if mask is None else mask
    named = there
    if form == "sparse":
        target = row["target"]
        labels = scored(target[None], items)[0].astype("float64")
        named = named and bool((labels * mask).any())
        scores = np.where(mask, scores, 0)
    else:
        labels = row["labels"].astype("float64")
        if "judged" in row:
            labels = np.where(
                (labels < 0) | row["judged"], labels, oracle.UNJUDGED
            )
    excluded = row.get("exclude", np.array([], int))
    scores[excluded[excluded >= 0]] = -math.inf
    lost = int(row["num_relevant"]) if "num_relevant" in row else None
    return One(
        labels.tolist(),
        scores.tolist(),
        mask.tolist() if named else [False] * items,
        weights.tolist(),
        lost,
    )


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
    items = 10
    return One(
        scored(target[None], items)[0].tolist(),
        scores_of_ids(ids[None], items)[0].tolist(),
        [named] * items,
        weights.tolist(),
    )


def given_to_oracle(cell: Cell, one: One) -> dict[str, Any]:
    if cell.row.oracle == "gap":  # beyond the highest grade, all is the same
        grades = [100.0 if x > 100.0 else x for x in one.labels]
        one = dataclasses.replace(one, labels=grades)
    labels, scores, mask = [*one.labels], [*one.scores], [*one.mask]
    weights = one.weights
    if one.lost is not None and any(there(cell, one)):
        for _ in range(one.lost - relevant(cell, one)):
            labels.append(cell.row.options.get("relevance_threshold", 1.0))
            scores.append(-math.inf)
            mask.append(True)
    if cell.row.oracle == "bpref" and cell.policies["inputs"] != "scores":
        # Who is not relevant is known of retrieved items only.
        mask = [
            there and (label > 0 or score != -math.inf)
            for there, label, score in zip(mask, labels, scores, strict=True)
        ]
    return {
        "labels": labels,
        "scores": scores,
        "mask": mask,
        "weights": weights,
    }


def there(cell: Cell, one: One) -> list[bool]:
    options = oracle.complete(cell.row.oracle, cell.row.for_oracle)
    condensed = options["unjudged"] == "condense"
    weights = np.broadcast_to(one.weights, len(one.labels)).tolist()
    return [
        kept
        and not weight <= 0
        and (not label < 0 or (label == oracle.UNJUDGED and not condensed))
        for kept, label, weight in zip(
            one.mask, one.labels, weights, strict=True
        )
    ]


def relevant(cell: Cell, one: One) -> int:
    """How many items with a gain the list holds."""
    options = oracle.complete(cell.row.oracle, cell.row.for_oracle)
    gain = oracle.relevance(cell.row.oracle, options)
    return sum(
        kept
        and not math.isnan(label)  # a list that holds one is NaN anyway
        and gain(oracle.Item(label, 0.0, 1.0)) > 0
        for kept, label in zip(there(cell, one), one.labels, strict=True)
    )


def value(cell: Cell, one: One) -> float:
    """Of a list; NaN where the gains are more than Python holds."""
    try:
        return oracle.value(
            cell.row.oracle,
            **given_to_oracle(cell, one),
            k=cell.cutoff,
            ties=cell.ties,
            empty=cell.policies["empty"],
            **cell.row.for_oracle,
        )
    except OverflowError:
        return NAN


def result(cell: Cell, lists: list[One]) -> float:
    """Of all lists."""
    try:
        return oracle.result(
            cell.row.oracle,
            [given_to_oracle(cell, one) for one in lists],
            k=cell.cutoff,
            ties=cell.ties,
            empty=cell.policies["empty"],
            list_weight=cell.policies["list_weight"],
            **cell.row.for_oracle,
        )
    except OverflowError:
        return NAN
