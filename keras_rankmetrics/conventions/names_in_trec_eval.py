"""Which metric each measure of trec_eval is, by its name there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.shells.metric import RankingMetric

_CUTOFF = "k"


class Named(NamedTuple):
    """A measure of trec_eval.

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


MEASURES = {
    "11pt_avg": Named("ElevenPointPrecision"),
    "P": Named("PrecisionAtK", _CUTOFF, required=True),
    "Rprec": Named("RPrecision"),
    "bpref": Named("BPref"),
    "iprec_at_recall": Named("InterpolatedPrecision", "recall", required=True),
    "map": Named("MeanAveragePrecision"),
    "map_cut": Named("MeanAveragePrecision", _CUTOFF, required=True),
    "ndcg": Named("NDCG"),
    "ndcg_cut": Named("NDCG", _CUTOFF, required=True),
    "recall": Named("RecallAtK", _CUTOFF, required=True),
    "recip_rank": Named("MeanReciprocalRank"),
    "set_F": Named("FBetaAtK"),
    "set_P": Named("PrecisionAtK", options={"denominator": "retrieved"}),
    "set_recall": Named("RecallAtK"),
    "success": Named("HitRateAtK", _CUTOFF, required=True),
}


def parsed(
    convention: Convention, text: str, **options: Any
) -> RankingMetric | None:
    """The metric of that name in trec_eval, None if it has none.

    Args:
        convention: that of trec_eval.
        text: as trec_eval writes it, such as `"ndcg_cut_10"` or
            `"ndcg_cut.10"`.
        **options: further options of the metric.
    """
    for name, measure in MEASURES.items():
        number = _number(text, name)
        if number is None or (number == "" and measure.required):
            continue
        given = dict(measure.options)
        if number:
            if measure.parameter is None:
                continue
            is_cutoff = measure.parameter == _CUTOFF
            if is_cutoff and not number.isdigit():
                continue
            given[measure.parameter] = (int if is_cutoff else float)(number)
        preset = convention.presets[measure.metric]
        metric: RankingMetric = preset(**{**given, **options})
        return metric
    return None


def _number(text: str, name: str) -> str | None:
    """The number after the name, "" if there is none; None of other names."""
    rest = text.removeprefix(name)
    if not text.startswith(name) or not rest:
        return "" if text == name else None
    number = rest[1:]
    is_number = number.replace(".", "", 1).isdigit()
    return number if rest[0] in "_.@" and is_number else None
