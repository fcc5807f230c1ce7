"""Each structure of ties, for the metrics of items and of subtopics."""

import keras
import numpy as np
import pytest
from catalogue import STRICT_TIES, Cell
from structures import spans_around, tied_at

from . import judge, outcomes, rows_of_items, rows_of_subtopics
from .case import Case
from .parts import Part

ITEMS, SUBTOPICS = 14, 3
KS = (1, 9, 10, None)
ROWS = {
    "items": rows_of_items.rows(ITEMS),
    "subtopics": rows_of_subtopics.rows(),
}


def told(case):
    failures = list(judge.failures_of(case, outcomes.outcomes_of(case)))
    return "\n".join(f"{x.kind}: {x.cell}: {x.detail}" for x in failures[:8])


def cells_of(rows, form, ties, turn=0):
    """Return each metric once; cutoffs, ties and policies take turns."""
    cells = []
    for place, row in enumerate(rows, start=turn):
        policies = {
            "empty": ("zero", "skip")[place % 2],
            "list_weight": ("relevance", "mean")[place % 2],
            "inputs": form,
        }
        ks = KS[place % 4], KS[(place + 1) % 4]
        of_row = [Cell(row, k, ties[place % len(ties)], policies) for k in ks]
        cells.append(next(cell for cell in of_row if cell.exists()))
    return tuple(cells)


def batch(family, form, spans):
    """Return lists with these ties; items are masked, excluded, or missing."""
    rng = np.random.default_rng(len(spans))
    scores, tied = tied_at(rng, ITEMS, spans)
    shape = scores.shape
    scores[~tied & (rng.random(shape) < 0.05)] = -np.inf
    exclude = rng.integers(-2, ITEMS, (len(scores), 1))
    weights = rng.choice([0.5, 1.0, 2.0, 0.0], len(scores))
    parts = {
        "scores": Part.of(scores, "float32"),
        "mask": Part.of(tied | (rng.random(shape) < 0.95), "bool"),
        "exclude": Part.of(exclude, "int32"),
        "weights": Part.of(weights, "float32"),
    }
    if form == "sparse":
        target = rng.integers(-1, ITEMS, (len(scores), 3))
        return {**parts, "target": Part.of(target, "int32")}
    of_each = (SUBTOPICS,) if family == "subtopics" else ()
    labels = rng.integers(1, 3, (*shape, *of_each))
    labels = labels * (rng.random(labels.shape) < 0.3)
    return {**parts, "labels": Part.of(labels, "float32")}


@pytest.mark.long
@pytest.mark.parametrize(
    "family, form",
    [("items", "scores"), ("items", "sparse"), ("subtopics", "scores")],
)
def test_ties_of_few_items(family, form):
    """The referee tries all orders of the items that tie."""
    spans = [*spans_around(1, ITEMS, (2, 3)), *spans_around(10, ITEMS, (2, 3))]
    spans = [span for span in set(spans) if span[1] - span[0] < 3]
    parts, rows = batch(family, form, spans), ROWS[family]
    cells = cells_of(rows, form, STRICT_TIES)
    if keras.config.backend() == "jax":  # compiles each of them
        cells = cells_of(rows[:3], form, ("average",))
    else:
        for turn in (
            range(4) if (family, form) == ("items", "scores") else (1, 2)
        ):
            cells += cells_of(rows, form, ("average",), turn)
    assert not told(Case(form, cells, parts, family=family))
