"""The table that answers what a user asks first: a column for each mode."""

import statistics
from collections.abc import Sequence

from tests.tools.benchmarks.contenders import KERAS_RS, OURS
from tests.tools.benchmarks.markdown import bullets, table
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.scenarios import SCENARIOS
from tests.tools.benchmarks.scenarios.fit import WITHOUT
from tests.tools.benchmarks.units import MILLISECONDS

WORDS = (
    "The table shows what nine ranking metrics add to training and "
    "evaluation.\n\n"
) + bullets(
    [
        "**Nine metrics**: NDCG at 1, 5 and 10, MAP and MRR at 10, precision "
        "and recall at 5 and 10, as a plain list in `compile(metrics=[...])` "
        "with all defaults. Bold is this package; keras_rs is Keras "
        "Recommenders with the same nine.",
        "**One batch**: 1,024 queries with 100 scored items, already on the "
        "device. The time ends when all nine results are numbers on the host.",
        "**One epoch** of `fit`: a small ranker, 6,000 queries of up to 100 "
        "items, in batches of 32.",
        "**The first call** in a process: one batch, with tracing and "
        "compiling.",
    ]
)

# What a row asks, its scenario, its contenders and what they are called.
_ROWS = (
    ("One batch", "ltr", {OURS: "", KERAS_RS: "keras_rs"}),
    (
        "One epoch of `fit`",
        "fit",
        {OURS: "", KERAS_RS: "keras_rs", WITHOUT: "without metrics"},
    ),
    ("The first call", "first-call", {OURS: "", KERAS_RS: "keras_rs"}),
)


def answers(runs: Sequence[Run]) -> str:
    """The table; a dash stands for what was not measured."""
    by_place = {(run.scenario, run.mode): run for run in runs}
    modes = [mode for mode in MODES if any(run.mode == mode for run in runs)]
    rows = (
        [title, *(_cell(by_place.get((name, mode)), shown) for mode in modes)]
        for title, name, shown in _ROWS
    )
    return table(
        ["time of nine metrics", *(MODES[mode].title for mode in modes)], rows
    )


def _cell(run: Run | None, shown: dict[str, str]) -> str:
    if run is None:
        return "–"
    texts = []
    for name, title in shown.items():
        if values := run.values(name):
            text = _with_unit(run, statistics.median(values))
            texts.append(f"{title} {text}" if title else f"**{text}**")
    return "<br>".join(texts) or "–"


def _with_unit(run: Run, value: float) -> str:
    unit = SCENARIOS[run.scenario].unit
    return f"{unit.text(value)} {'ms' if unit is MILLISECONDS else 's'}"
