"""`python -m tests.tools.pages.play`: metrics and conventions of a page.

`docs/play.md` computes the metrics of one list in the browser. Their options,
and those of the conventions, come from this file.
"""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

from keras_rankmetrics import PFound, RankingMetric
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.metrics import bases, two_rankings
from tests.tools.pages.blocks import (
    accepts_grades,
    chosen,
    with_options_of_their_own,
)
from tests.tools.pages.page import FOLDER, METRICS, Page

# A script, which a page may load from a folder as well as from a server.
FILE = pathlib.Path(__file__).parents[3] / "docs/_static/conventions.js"
BEGIN = "// Made by `python -m tests.tools.pages.play`.\nconst CONVENTIONS = "
# Options that no single list with labels and scores depends on.
LEFT_OUT = {
    "adjusted",
    "dtype",
    "inputs",
    "k",
    "labels",
    "list_weight",
    "name",
    "seed",
    "shuffle_ties",
}
# The modules of metrics that one list of labels and scores has a value of.
MODULES = (
    "average_precision",
    "discounted",
    "hits",
    "pairwise",
    "two_rankings",
    "unjudged",
)
# Of these modules, but the labels of the page are grades.
OF_PROBABILITIES = (PFound,)
# In the order of the pages.
_PAGES = (FOLDER / "index.md").read_text().splitlines()
OF_ONE_LIST = sorted(
    (
        each
        for each in METRICS
        if each.__module__.endswith(MODULES) and each not in OF_PROBABILITIES
    ),
    key=lambda metric: _PAGES.index(metric.short_name),
)
ELSEWHERE = [metric for metric in METRICS if metric not in OF_ONE_LIST]


def data() -> dict[str, Any]:
    """Return the metrics of one list, and the conventions that define them."""
    return {
        "metrics": {each.__name__: entry(each) for each in OF_ONE_LIST},
        "conventions": {
            each.name: convention_entry(each)
            for each in with_options_of_their_own()
        },
    }


def entry(metric: type[RankingMetric]) -> dict[str, Any]:
    """Return the traits of a metric, and the defaults of its options."""
    heading = Page(metric).file.read_text().partition("\n")[0]
    title = heading.removeprefix("# ").partition(": ")[0]
    return {
        "page": metric.short_name,
        "title": title.removesuffix("@k"),
        "group": group_of(metric),
        "takes_k": takes(metric, "k"),
        "more_is_better": metric.more_is_better,
        "range": range_of(metric),
        "options": options_of(metric()),
    }


def group_of(metric: type[RankingMetric]) -> str:
    """Return the group of metrics to which the page adds a metric."""
    if issubclass(metric, two_rankings.TwoRankingMetric):
        return "two_rankings"
    if issubclass(metric, bases.JudgementMetric):
        return "judgements"
    return "at_k" if takes(metric, "k") else "whole_list"


def range_of(metric: type[RankingMetric]) -> list[int] | None:
    """Return the lowest and the highest value, None if there is no highest."""
    if metric.has_upper_bound and metric.aggregate.bounded:
        return [0, 1]
    return [-1, 1] if metric.has_upper_bound else None


def options_of(metric: RankingMetric) -> dict[str, Any]:
    """Return the options on which the value of a list depends."""
    values = {
        name: getattr(metric, name)
        for name in metric.get_config()
        if name not in LEFT_OUT
    }
    return {
        name: getattr(value, "__name__", value)
        for name, value in values.items()
    }


def convention_entry(convention: Convention) -> dict[str, Any]:
    """Return the options of each metric that differ from its defaults."""
    found = {}
    for metric in OF_ONE_LIST:
        preset = convention.presets.get(metric.__name__)
        if preset is not None:
            k = {"k": 1} if takes(metric, "k") else {}
            options = options_of(metric(**k, **chosen(preset)))
            usual = options_of(metric())
            found[metric.__name__] = {
                name: value
                for name, value in options.items()
                if value != usual[name]
            }
    return {
        "grades": accepts_grades(convention),
        "metrics": found,
    }


def written() -> str:
    """Return the text of the file, with a line for each metric."""
    text = json.dumps(data(), indent=1)
    # Arrays and innermost objects, which hold few values.
    for innermost in (r"\[[^][{}]*\]", r"\{[^{}]*\}"):
        text = re.sub(innermost, on_one_line, text)
    return f"{BEGIN}{text};\n"


def on_one_line(match: re.Match[str]) -> str:
    """Return JSON without its line breaks."""
    return json.dumps(json.loads(match[0]))


if __name__ == "__main__":
    FILE.write_text(written())
