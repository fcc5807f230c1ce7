"""`Suffixed`: a convention whose source writes `ndcg_cut_10`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.shells.metric import RankingMetric

CUTOFF = "k"


class Suffix(NamedTuple):
    """A measure of the source.

    Args:
        metric: the name of the metric in the convention.
        parameter: the option that the number after the name is.
        options: what the measure sets beyond the preset.
        required: whether there must be a number.
    """

    metric: str
    parameter: str | None = None
    options: Mapping[str, Any] = {}
    required: bool = False

    def options_of(self, number: str) -> dict[str, Any] | None:
        """What it sets with this number behind it; None if none may be there.

        Args:
            number: digits, or "" for no number.
        """
        if not number:
            return None if self.required else dict(self.options)
        is_cutoff = self.parameter == CUTOFF
        if self.parameter is None or (is_cutoff and not number.isdecimal()):
            return None
        value = int(number) if is_cutoff else float(number)
        return {**self.options, self.parameter: value}


class Suffixed(Convention):
    """A convention whose source writes numbers behind the names of measures.

    Args:
        *args: as for any `Convention`.
        measures: what each measure of the source is, by its name there without
            the number.
        **options: as for any `Convention`.

    >>> from keras_rankmetrics.conventions import trec_eval
    >>> trec_eval.of_source("ndcg_cut_10").name
    'ndcg@10'
    """

    def __init__(
        self, *args: Any, measures: Mapping[str, Suffix], **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.measures = dict(measures)

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """The metric that the source calls so, None if it has none.

        Args:
            text: as the source writes it, such as `"ndcg_cut_10"`,
                `"ndcg_cut.10"` or `"rbp.p=0.8"`.
            **options: further options of the metric.
        """
        for name, measure in self.measures.items():
            number = _number(text, name, measure.parameter)
            given = None if number is None else measure.options_of(number)
            if given is not None:
                preset = self.presets[measure.metric]
                metric: RankingMetric = preset(**{**given, **options})
                return metric
        return None


def _number(text: str, name: str, parameter: str | None) -> str | None:
    """Return the number after the name, "" without one, None of other names."""
    rest = text.removeprefix(name)
    if not text.startswith(name) or not rest:
        return "" if text == name else None
    number = rest[1:].removeprefix(f"{parameter}=")
    is_number = number.replace(".", "", 1).isdecimal()
    return number if rest[0] in "_.@" and is_number else None
