"""What is made of a page: the picture, edge cases, libraries compared."""

import math
import textwrap
from collections.abc import Iterable

from keras_rankmetrics import RankingMetric, conventions
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.definition import takes
from tests.benchmarks.markdown import table
from tests.pages.examples import Edge, examples_of, usual, values_of

COMPARED = "What [conventions](../conventions.md) make of the same lists:"


def shown(metric: type[RankingMetric]) -> str:
    """The picture, and how to read it."""
    name, file = metric.__name__, f"{metric.short_name}.svg"
    legend = textwrap.fill(examples_of(metric).drawn_legend, 84)
    return f"![Rankings, and what {name} says of them]({file})\n\n{legend}"


def edge_cases(metric: type[RankingMetric]) -> str:
    """What the metric says of lists at the edge."""
    examples, has_k = examples_of(metric), takes(metric, "k")
    edges = [edge for edge in examples.edges if has_k or not edge.is_about_k]
    cells = [(edge.text, k_of(edge, metric)) for edge in edges]
    values = values_of(metric, cells)
    rows = [
        [
            edge.name,
            f"`{edge.text.strip()}`",
            *([str(k or "all")] if has_k else []),
            in_digits(values[text, k]),
        ]
        for edge, (text, k) in zip(edges, cells, strict=True)
    ]
    header = ["case", "list", *(["k"] if has_k else []), "value"]
    legend = textwrap.fill(examples.legend, 84)
    return f"{legend}\n\n{table(header, rows, left=(0, 1))}"


def k_of(edge: Edge, metric: type[RankingMetric]) -> int | None:
    """The cutoff of the row; the usual one, if it is not about another."""
    return edge.k if edge.is_about_k else usual(metric, edge.k)


def libraries(metric: type[RankingMetric]) -> str:
    """What the conventions that have the metric make of the same lists."""
    compared = dict.fromkeys(
        (text, usual(metric, k)) for text, k in examples_of(metric).compared
    )
    groups: dict[tuple, list[Convention]] = {}
    for convention in conventions.all_of_them():
        if metric.__name__ in convention.presets:
            missing = sum(not knows(convention, text) for text, _ in compared)
            options = options_of(convention, metric)
            groups.setdefault((missing, options), []).append(convention)
    if not groups:
        return "None of the [conventions](../conventions.md) has it."
    rows = [
        [
            ", ".join(convention.name for convention in alike),
            options or "the defaults",
            *values_under(alike[0], metric, compared),
        ]
        for (_, options), alike in sorted(groups.items())
    ]
    lists = [
        f"`{text}`" if k is None else f"`{text}` at {k}" for text, k in compared
    ]
    values = table(["conventions", "options", *lists], rows, left=(0, 1))
    return f"{COMPARED}\n\n{values}"


def knows(convention: Convention, text: str) -> bool:
    """Whether the source takes such a list: some know of no grades."""
    grades = set(filter(str.isdigit, text.split()))
    return "binary relevance" not in convention.about or grades <= {"0", "1"}


def options_of(convention: Convention, metric: type[RankingMetric]) -> str:
    """What the convention sets, as one writes it."""
    return ", ".join(
        f"`{name}={getattr(value, '__name__', repr(value))}`".replace("'", '"')
        for name, value in convention.presets[metric.__name__].options.items()
    )


def values_under(
    convention: Convention,
    metric: type[RankingMetric],
    compared: Iterable[tuple[str, int | None]],
) -> list[str]:
    """The values of the lists, and where the source knows no grades."""
    known = [cell for cell in compared if knows(convention, cell[0])]
    options = convention.presets[metric.__name__].options
    values = values_of(metric, known, **options)
    return [
        in_digits(values[cell]) if cell in values else "no grades"
        for cell in compared
    ]


def in_digits(value: float) -> str:
    """Four digits behind the point, or that there is no value."""
    # Nothing but 0 is added, so that there is no "-0.0000".
    digits = f"{round(value, 4) + 0.0:.4f}"
    return "does not count" if math.isnan(value) else digits
