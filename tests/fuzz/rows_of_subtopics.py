"""The metrics of subtopics."""

import functools
from typing import Any

import oracle_of_subtopics as oracle

import keras_rankmetrics as krm

from .rows import Row


@functools.cache
def rows() -> tuple[Row, ...]:
    """Each metric, with options."""
    given: list[tuple[type, str, dict[str, Any]]] = [
        (krm.AlphaDCG, "alpha_dcg", {}),
        (krm.AlphaDCG, "alpha_dcg", {"alpha": 0.2}),
        (krm.AlphaNDCG, "alpha_ndcg", {}),
        (krm.AlphaNDCG, "alpha_ndcg", {"alpha": 0.9}),
        (krm.AlphaNDCG, "alpha_ndcg", {"unjudged": "condense"}),
        (krm.ERRIA, "err_ia", {}),
        (krm.ERRIA, "err_ia", {"normalized": True}),
        (krm.NRBP, "nrbp", {}),
        (krm.NRBP, "nrbp", {"p": 0.8, "alpha": 0.3}),
        (krm.NRBP, "nrbp", {"normalized": True}),
        (krm.PrecisionIA, "precision_ia", {}),
        (krm.PrecisionIA, "precision_ia", {"denominator": "k"}),
        (krm.PrecisionIA, "precision_ia", {"relevance_threshold": 2.0}),
        (krm.MeanAveragePrecisionIA, "map_ia", {}),
        (krm.SubtopicRecall, "subtopic_recall", {}),
        (krm.SubtopicRecall, "subtopic_recall", {"unjudged": "condense"}),
    ]
    return tuple(
        Row(
            "-".join([metric.__name__, *map(str, options.values())]),
            metric,
            options,
            functools.partial(oracle.MEASURES[name], **_own(options)),
            needs_k=options.get("denominator") == "k",
        )
        for metric, name, options in given
    )


def _own(options: dict[str, Any]) -> dict[str, Any]:
    common = ("unjudged", "relevance_threshold")
    return {name: x for name, x in options.items() if name not in common}
