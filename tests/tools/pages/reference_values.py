"""`python -m tests.tools.pages.reference_values`: metrics of small lists.

The values are those of `tests/tools/support/oracle.py`, which shares no code
with the package. So whoever tests a library against them does not test it
against ours.
"""

from __future__ import annotations

import inspect
import json
import math
import pathlib
import sys

import keras_rankmetrics as krm
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.page import METRICS

ROOT = pathlib.Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "tests" / "tools" / "support"))
import oracle  # noqa: E402

DOCS = ROOT / "docs"
DATA = DOCS / "reference_values.json"
PAGE = DOCS / "reference_values.md"
BEGIN = "<!-- made by `python -m tests.tools.pages.reference_values` -->"
END = "<!-- end -->"

# Labels and scores of each list.
LISTS: dict[str, tuple[list[int], list[float]]] = {
    "binary": ([0, 1, 0, 1, 1], [0.9, 0.8, 0.7, 0.6, 0.5]),
    "graded": ([1, 0, 3, 0, 2], [0.9, 0.8, 0.7, 0.6, 0.5]),
    "best": ([3, 2, 1, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5]),
    "worst": ([0, 0, 1, 2, 3], [0.9, 0.8, 0.7, 0.6, 0.5]),
    "unordered": ([2, 0, 1, 3], [0.1, 0.7, -2.0, 0.4]),
    "one item": ([2], [0.5]),
    "two tie": ([0, 2, 1, 0], [0.9, 0.5, 0.5, 0.1]),
    "all tie": ([1, 0, 0, 0], [0.0, 0.0, 0.0, 0.0]),
    "nothing relevant": ([0, 0, 0], [0.3, 0.2, 0.1]),
}
CUTOFFS = (1, 3, None)
# The metrics of relevance, by their names in the oracle.
OF_RELEVANCE = {
    metric.short_name: metric
    for metric in METRICS
    if metric.short_name in oracle.DEFAULTS
}


def ties_of(metric: str) -> str:
    """The default of the package, which has no average of some metrics."""
    return "stable" if metric in oracle.STRICT else "average"


def empty_of(metric: str) -> str:
    """What the package does by default with lists without relevance."""
    return str(OF_RELEVANCE[metric]().empty)


def cutoffs_of(metric: str) -> tuple[int | None, ...]:
    """Those that the metric takes; some have none."""
    takes_k = "k" in inspect.signature(OF_RELEVANCE[metric]).parameters
    return CUTOFFS if takes_k else (None,)


def value(metric: str, name: str, k: int | None) -> float | None:
    """What the oracle says of a list, None if it does not count."""
    labels, scores = LISTS[name]
    found = oracle.value(
        metric,
        labels,
        scores,
        k=k,
        ties=ties_of(metric),
        empty=empty_of(metric),
    )
    return None if math.isnan(found) else found


def data() -> dict[str, object]:
    """What the file holds."""
    return {
        "version": krm.__version__,
        "lists": {
            name: {"labels": labels, "scores": scores}
            for name, (labels, scores) in LISTS.items()
        },
        "values": [
            {
                "metric": kind.__name__,
                "k": k,
                "ties": ties_of(metric),
                "empty": empty_of(metric),
                "of": {name: value(metric, name, k) for name in LISTS},
            }
            for metric, kind in OF_RELEVANCE.items()
            for k in cutoffs_of(metric)
        ],
    }


def cell(number: float | None) -> str:
    """A value as the page shows it."""
    return "–" if number is None else f"{number:.4f}"


def tables() -> str:
    """The lists, and a table for each cutoff."""
    rows = [[name, f"`{y}`", f"`{x}`"] for name, (y, x) in LISTS.items()]
    parts = [table(["list", "labels", "scores"], rows, left=(0, 1, 2))]
    for k in CUTOFFS:
        title = "no cutoff" if k is None else f"k = {k}"
        rows = [
            [f"`{kind.__name__}`", *(cell(value(metric, x, k)) for x in LISTS)]
            for metric, kind in OF_RELEVANCE.items()
            if k in cutoffs_of(metric)
        ]
        parts += [f"## Values, {title}", table(["metric", *LISTS], rows)]
    return "\n\n".join(parts)


def page(text: str) -> str:
    """The page with what is made between its markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{after}"


def written() -> str:
    """The file as text."""
    return json.dumps(data(), indent=1) + "\n"


if __name__ == "__main__":
    DATA.write_text(written())
    PAGE.write_text(page(PAGE.read_text()))
