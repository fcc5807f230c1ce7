"""XGBoost, LightGBM and CatBoost, on scores that no model of theirs made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tests.tools.reported.draws import Data
from tests.tools.reported.established import CUTOFFS
from tests.tools.reported.tool import Tool


class _Rows(NamedTuple):
    """A row for each item: its query, by number, its label and its score."""

    queries: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


def _rows(data: Data) -> _Rows:
    """Return the items of all queries in the order of the run."""
    rows = [
        (number, data.truth[query][item], score)
        for number, query in enumerate(data.truth)
        for item, score in data.run[query].items()
    ]
    return _Rows(*map(np.array, zip(*rows, strict=True)))


def _xgboost(data: Data, names: Sequence[str]) -> Mapping[str, float]:
    """Evaluate the margins of a booster without trees."""
    import xgboost

    rows = _rows(data)
    features = np.zeros((len(rows.labels), 1))
    matrix = xgboost.DMatrix(
        features, rows.labels, base_margin=rows.scores, qid=rows.queries
    )
    options = {"objective": "rank:pairwise", "eval_metric": names}
    found = xgboost.train(options, matrix, num_boost_round=0).eval(matrix)
    pairs = (text.rpartition(":") for text in found.split("\t")[1:])
    return {name.removeprefix("eval-"): float(x) for name, _, x in pairs}


def _xgboost_graded(data: Data) -> Mapping[str, float]:
    """Return NDCG, the one measure that takes grades and reads them."""
    stems = ["ndcg", *(f"ndcg@{k}" for k in CUTOFFS)]
    return _xgboost(data, [*stems, *(f"{stem}-" for stem in stems)])


def _xgboost_binary(data: Data) -> Mapping[str, float]:
    """Return the measures that refuse labels other than 0 and 1."""
    stems = ["map", *(f"map@{k}" for k in CUTOFFS)]
    precision = ["pre", *(f"pre@{k}" for k in CUTOFFS)]
    return _xgboost(data, [*stems, *(f"{x}-" for x in stems), *precision])


def _lightgbm(data: Data) -> Mapping[str, float]:
    """Evaluate the initial scores of a booster that has not been trained."""
    import lightgbm

    rows = _rows(data)
    features = np.zeros((len(rows.labels), 1))
    lists = lightgbm.Dataset(
        features,
        rows.labels,
        group=np.bincount(rows.queries),
        init_score=rows.scores,
        params={"verbosity": -1},
    )
    options = {
        "objective": "lambdarank",
        "metric": ["ndcg", "map"],
        "eval_at": list(CUTOFFS),
        "verbosity": -1,
    }
    found = lightgbm.Booster(options, lists).eval_train()
    return {name: float(value) for _, name, value, _ in found}


def _catboost(data: Data, names: Sequence[str]) -> Mapping[str, float]:
    """Evaluate scores by the function for this, which needs no model."""
    from catboost.utils import eval_metric

    rows = _rows(data)
    return {
        name: eval_metric(
            rows.labels, rows.scores, name, group_id=rows.queries
        )[0]
        for name in names
    }


def _catboost_graded(data: Data) -> Mapping[str, float]:
    """Return the measures that take any labels; a border makes some binary."""
    names = [
        f"{measure}{':' if options else ''}{options}"
        for measure in ("NDCG", "DCG")
        for options in (
            "",
            "type=Base",
            "type=Exp",
            "denominator=Position",
            *(f"top={k}" for k in CUTOFFS),
            *(f"top={k};type=Exp" for k in CUTOFFS),
            *(f"top={k};type=Base;denominator=Position" for k in CUTOFFS),
            *(f"top={k};type=Exp;denominator=Position" for k in CUTOFFS),
        )
    ]
    for measure in ("MAP", "MRR", "PrecisionAt", "RecallAt"):
        names += [measure, f"{measure}:border=1"]
        names += [f"{measure}:top={k}" for k in CUTOFFS]
        names += [f"{measure}:top={k};border=2" for k in CUTOFFS]
    return _catboost(data, names)


def _catboost_binary(data: Data) -> Mapping[str, float]:
    """Return the measures that take labels as probabilities, or 0 and 1."""
    names = ["QueryAUC", "QueryAUC:type=Classic", "PFound", "PFound:decay=0.5"]
    return _catboost(data, [*names, *(f"PFound:top={k}" for k in CUTOFFS)])


TOOLS = [
    Tool("xgboost", "xgboost", "lists", 4, _xgboost_graded),
    Tool("xgboost", "xgboost", "lists", 1, _xgboost_binary),
    Tool("lightgbm", "lightgbm", "lists", 4, _lightgbm),
    Tool("catboost", "catboost", "lists", 4, _catboost_graded),
    Tool("catboost", "catboost", "lists", 1, _catboost_binary),
]
