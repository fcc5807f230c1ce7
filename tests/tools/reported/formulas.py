"""Libraries by the formulas in their source, for sets of relevant items."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from tests.tools.reported.draws import Data
from tests.tools.reported.established import CUTOFFS
from tests.tools.reported.tool import Tool

# A list of 1 for each hit and 0 for each other item, the number of relevant
# items, and the cutoff.
_Of_List = Callable[[Sequence[int], int, int], float]


def _dcg(hits: Sequence[int]) -> float:
    return sum(hit / math.log2(rank + 1) for rank, hit in enumerate(hits, 1))


def _precisions(hits: Sequence[int]) -> float:
    """Return the sum of the precisions at the ranks of hits."""
    return sum(
        hit * sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1)
    )


def precision(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return hits over k."""
    return sum(hits) / k


def recall(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return hits over the relevant items."""
    return sum(hits) / relevant if relevant else 0.0


def capped_recall(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return hits over the relevant items that fit within k."""
    return sum(hits) / min(max(relevant, 1), k)


def average_precision(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return the mean precision over the relevant items that fit within k."""
    return _precisions(hits) / min(max(relevant, 1), k)


def precision_of_hits(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return the mean precision over the hits."""
    return _precisions(hits) / max(sum(hits), 1)


def ndcg(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return DCG over that of as many relevant items as fit within k."""
    ideal = _dcg([1] * min(relevant, k))
    return _dcg(hits) / ideal if ideal else 0.0


def ndcg_of_hits(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return DCG over that of the same items, hits first."""
    ideal = _dcg([1] * sum(hits))
    return _dcg(hits) / ideal if ideal else 0.0


def reciprocal_rank(hits: Sequence[int], relevant: int, k: int) -> float:
    """Return 1 / rank of the first hit."""
    return 1.0 / (hits.index(1) + 1) if 1 in hits else 0.0


def _means(
    measures: Mapping[str, _Of_List], is_membership: bool, skips: bool
) -> Callable[[Data], Mapping[str, float]]:
    """Return a function for the means over the lists of the truth.

    Args:
        measures: the measures by our names.
        is_membership: True if each item of the truth is relevant, else those
            with a label of 1 or more are.
        skips: True if lists without relevant items are left out.
    """

    def values(data: Data) -> Mapping[str, float]:
        found = {}
        for name, measure in measures.items():
            for k in CUTOFFS:
                of_lists = []
                for query, labels in data.truth.items():
                    relevant = {
                        *(labels if is_membership else data.relevant(query))
                    }
                    shown = data.best_first(query)[:k]
                    hits = [int(item in relevant) for item in shown]
                    if relevant or not skips:
                        of_lists.append(measure(hits, len(relevant), k))
                found[f"{name}@{k}"] = sum(of_lists) / len(of_lists)
        return found

    return values


def _din(data: Data) -> Mapping[str, float]:
    """Return the mean area under the curve of users with both kinds."""
    areas = []
    for query, scores in data.run.items():
        clicked = {*data.relevant(query)}
        pairs = [
            (scores[one] > scores[other]) + (scores[one] == scores[other]) / 2
            for one in scores.keys() & clicked
            for other in scores.keys() - clicked
        ]
        if pairs:
            areas.append(sum(pairs) / len(pairs))
    return {"AUC": sum(areas) / len(areas)}


_MLLIB = {
    "P": precision,
    "Recall": recall,
    "MAP": average_precision,
    "NDCG": ndcg,
}
_MERLIN = {
    "P": precision,
    "Recall": capped_recall,
    "MAP": average_precision,
    "NDCG": ndcg,
    "RR": reciprocal_rank,
}
_RECSYS = {
    "P": precision,
    "Recall": recall,
    "MAP": precision_of_hits,
    "NDCG": ndcg_of_hits,
    "RR": reciprocal_rank,
}
_KAGGLE = {"MAP": average_precision}


def _tool(name: str, form: str, measures: Mapping[str, _Of_List]) -> Tool:
    values = _means(measures, form == "interactions", name == "recsys")
    return Tool(name, "", form, 4, values, are_tied=False)


TOOLS = [
    _tool("mllib", "retrieved", _MLLIB),
    _tool("merlin", "interactions", _MERLIN),
    _tool("kaggle", "retrieved", _KAGGLE),
    _tool("recsys", "retrieved", _RECSYS),
    Tool("din", "", "lists", 4, _din),
]
