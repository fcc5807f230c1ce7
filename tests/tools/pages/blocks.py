"""The generated parts of a page: picture, edge cases, libraries."""

import math
import textwrap
from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from keras_rankmetrics import RankingMetric, conventions
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import Preset
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.gains import binary_gain
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.examples import Edge, examples_of, usual, values_of

COMPARED = "The same lists under each [convention](../conventions.md):"
RULES = "See [the rules](../what_is_measured.md)."
name_of = attrgetter("name")
# The signs in lists, in the order of the legend.
SIGNS = {
    "(": "`( )` tied scores",
    "–": "`–` a masked item",
    "?": "`?` an unjudged item (`UNJUDGED`)",
    ";": "`;` between two lists",
    "/": "`/` before items not retrieved (score `-inf`)",
    " of ": '`a b of c` recommended and relevant ids (`inputs="ids"`)',
}


def shown(metric: type[RankingMetric]) -> str:
    """Return the picture and its legend."""
    name, file = metric.__name__, f"{metric.short_name}.svg"
    legend = textwrap.fill(examples_of(metric).drawn_legend, 84)
    return f"![Rankings and their {name} values]({file})\n\n{legend}"


def edge_cases(metric: type[RankingMetric]) -> str:
    """Return the table of edge cases and its legend."""
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
    legend = textwrap.fill(legend_of(examples.legend, edges), 84)
    return f"{legend}\n\n{table(header, rows, left=(0, 1))}"


def legend_of(legend: str, edges: Sequence[Edge]) -> str:
    """Return the legend and the signs that these lists use."""
    used = "".join(edge.text for edge in edges)
    signs = "; ".join(text for sign, text in SIGNS.items() if sign in used)
    return f"{legend} Signs: {signs}. {RULES}" if signs else legend


def k_of(edge: Edge, metric: type[RankingMetric]) -> int | None:
    """Return the cutoff of the row: the usual one unless it sets its own."""
    return edge.k if edge.is_about_k else usual(metric, edge.k)


def libraries(metric: type[RankingMetric]) -> str:
    """Return a table of the same lists under each convention."""
    compared = dict.fromkeys(
        (text, usual(metric, k)) for text, k in examples_of(metric).compared
    )
    groups: dict[tuple, list[Convention]] = {}
    for convention in with_options_of_their_own():
        if metric.__name__ in convention.presets:
            missing = sum(not knows(convention, text) for text, _ in compared)
            options = options_of(convention, metric)
            groups.setdefault((missing, options), []).append(convention)
    if not groups:
        return "No [convention](../conventions.md) defines this metric."
    rows = [
        [
            f"{', '.join(map(name_of, alike))}<br>{options or 'the defaults'}",
            *values_under(alike[0], metric, compared),
        ]
        for (_, options), alike in sorted(groups.items())
    ]
    lists = [
        f"`{text}`" if k is None else f"`{text}` at {k}" for text, k in compared
    ]
    values = table(["conventions, options", *lists], rows, left=(0,))
    return f"{COMPARED}\n\n:::{{div}} values\n{values}\n:::"


def with_options_of_their_own() -> list[Convention]:
    """Return the first convention of each source; others differ in rules."""
    every = conventions.all_of_them()
    return [*{each.source: each for each in reversed(every)}.values()][::-1]


def knows(convention: Convention, text: str) -> bool:
    """Return True if the source accepts such a list, grades included."""
    grades = set(filter(str.isdigit, text.split()))
    return accepts_grades(convention) or grades <= {"0", "1"}


def accepts_grades(convention: Convention) -> bool:
    """Return False if the source has labels of 0 and 1 only.

    Conventions say so in their gains, or in their description.
    """
    is_binary = any(
        preset.options.get("gain_fn") is binary_gain
        for preset in convention.presets.values()
    )
    return not is_binary and "binary relevance" not in convention.about


def options_of(convention: Convention, metric: type[RankingMetric]) -> str:
    """Return the options that the convention sets, as code."""
    return ", ".join(
        f"`{name}={getattr(value, '__name__', repr(value))}`".replace("'", '"')
        for name, value in chosen(convention.presets[metric.__name__]).items()
    )


def chosen(preset: Preset) -> dict[str, Any]:
    """Return the options of a preset but the cutoff, which each cell has.

    Where a call must choose how lists without a value count, they count as 0.
    """
    empty = {"empty": "zero"} if "empty" in preset.required else {}
    return {n: x for n, x in preset.options.items() if n != "k"} | empty


def values_under(
    convention: Convention,
    metric: type[RankingMetric],
    compared: Iterable[tuple[str, int | None]],
) -> list[str]:
    """Return the values of the lists, or that the source has no grades."""
    known = [cell for cell in compared if knows(convention, cell[0])]
    options = chosen(convention.presets[metric.__name__])
    values = values_of(metric, known, **options)
    return [
        in_digits(values[cell]) if cell in values else "binary only"
        for cell in compared
    ]


def in_digits(value: float) -> str:
    """Return the value with four decimals, or that the list is excluded."""
    # Adding 0 avoids "-0.0000".
    digits = f"{round(value, 4) + 0.0:.4f}"
    return "excluded" if math.isnan(value) else digits
