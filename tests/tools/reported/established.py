"""Tools that evaluate rankings and little else, and those of embeddings."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from tests.tools.reported.draws import Data
from tests.tools.reported.tool import Tool

CUTOFFS = (1, 3, 5, 10)


def lists(data: Data) -> Iterable[tuple[np.ndarray, np.ndarray]]:
    """Yield the labels and the scores of each list, in the order of the run."""
    for query, scores in data.run.items():
        labels = [data.truth[query][item] for item in scores]
        yield np.array(labels), np.array([*scores.values()])


def padded(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels and the scores of all lists; padding is -1 and 0."""
    width = max(map(len, data.run.values()))
    rows = [
        (
            np.pad(labels, (0, width - len(labels)), constant_values=-1),
            np.pad(scores, (0, width - len(scores))),
        )
        for labels, scores in lists(data)
    ]
    labels, scores = map(np.stack, zip(*rows, strict=True))
    return labels.astype("float32"), scores.astype("float32")


def at_each(*names: str) -> list[str]:
    """Return each name with each cutoff; `{}` is the place of the cutoff."""
    return [name.format(k) for name in names for k in CUTOFFS]


def at(name: str, k: int | None) -> str:
    """Return a name with its cutoff."""
    return name if k is None else f"{name}@{k}"


def _trec_eval(data: Data) -> Mapping[str, float]:
    """Return the means over the queries that it has values for.

    As its README does: `pytrec_eval.compute_aggregated_measure`. Levels of
    recall are left out: it is trec_eval 9, which rounds them otherwise.
    """
    import pytrec_eval

    cut = ("ndcg_cut", "P", "recall", "relative_P", "success", "map_cut")
    whole = [
        "ndcg",
        "map",
        "recip_rank",
        "Rprec",
        "set_F",
        "set_P",
        "set_recall",
        "bpref",
        "gm_map",
        "num_q",
        "num_ret",
        "num_rel",
        "num_rel_ret",
    ]
    asked = {f"{name}.{','.join(map(str, CUTOFFS))}" for name in cut}
    judge = pytrec_eval.RelevanceEvaluator(data.truth, {*asked, *whole})
    found = judge.evaluate(data.run)
    return {
        name: pytrec_eval.compute_aggregated_measure(
            name, [values[name] for values in found.values()]
        )
        for name in next(iter(found.values()))
    }


def _ir_measures(*names: str) -> Callable[[Data], Mapping[str, float]]:
    """Return a function for some measures, by `calc_aggregate`."""

    def values(data: Data) -> Mapping[str, float]:
        import ir_measures

        measures = [ir_measures.parse_measure(name) for name in names]
        # Its Perl script takes no other names of queries.
        truth, run = (
            {query.removeprefix("q"): values for query, values in of.items()}
            for of in data
        )
        found = ir_measures.calc_aggregate(measures, truth, run)
        return {
            name: found[measure]
            for name, measure in zip(names, measures, strict=True)
        }

    return values


_OF_TREC_EVAL = [
    "AP",
    "AP(rel=2)",
    "nDCG",
    "RR",
    "RR(rel=2)",
    "RPrec",
    "Rprec",
    "Bpref",
    "SetF",
    "SetF(beta=0.5)",
    "SetP",
    "SetR",
    "SetP(rel=2)",
    "SetR(rel=2)",
    "AP(judged_only=True)",
    "nDCG(judged_only=True)",
]
# `NumRet` next to others may count judged items alone, if one of them does.
_COUNTS = "NumRet", "NumRelRet", "NumRet(rel=2)"
_OF_TREC_EVAL_AT_K = [
    "nDCG@{}",
    "AP@{}",
    "P@{}",
    "R@{}",
    "Success@{}",
    "P(rel=2)@{}",
    "R(rel=2)@{}",
    "P(judged_only=True)@{}",
]
# Those of other providers than trec_eval, which have their own orders of tied
# items: cwl_eval that of the run, MS MARCO's and its own ascending ids.
_OF_OTHERS = (
    "RBP(rel=1)",
    "RBP(rel=2,p=0.5)",
    *at_each("RR@{}", "RR(rel=2)@{}", "Judged@{}"),
)
_OF_GDEVAL = at_each("ERR@{}", "nDCG(dcg='exp-log2')@{}")


def _sklearn(data: Data) -> Mapping[str, float]:
    """Return the means over the lists.

    Over those with labels of both kinds, for areas under the curve.
    """
    from sklearn import metrics

    pairs = [(labels[None], scores[None]) for labels, scores in lists(data)]
    found: dict[str, float] = {}
    for name, function in (
        ("DCG", metrics.dcg_score),
        ("NDCG", metrics.ndcg_score),
    ):
        for k in (*CUTOFFS, None):
            found[at(name, k)] = np.mean([function(*x, k=k) for x in pairs])
    found["AUC"] = np.mean(
        [
            metrics.roc_auc_score(labels[0] > 0, scores[0])
            for labels, scores in pairs
            if 0 < np.mean(labels > 0) < 1
        ]
    )
    return found


def _sklearn_without_ties(data: Data) -> Mapping[str, float]:
    from sklearn import metrics

    pairs = [(labels[None], scores[None]) for labels, scores in lists(data)]
    of_pair = metrics.label_ranking_average_precision_score
    return {"MAP": np.mean([of_pair(*pair) for pair in pairs])}


def _ranx_values(data: Data, ours_by_name: Mapping[str, str]) -> dict[str, Any]:
    """Return the values by our names; queries without a run are 0 there."""
    import ranx

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numba, of casts within ranx
        found = ranx.evaluate(
            ranx.Qrels(data.truth),
            ranx.Run(data.run),
            [*ours_by_name],
            make_comparable=True,
        )
    return {ours: float(found[name]) for name, ours in ours_by_name.items()}


def _ranx(data: Data) -> Mapping[str, float]:
    """Return all but BPref, which divides by 0 in lists of one kind."""
    whole = ["dcg", "ndcg", "recall", "hit_rate", "map", "mrr"]
    names = at_each(*(f"{each}@{{}}" for each in [*whole, "precision", "f1"]))
    return _ranx_values(
        data,
        {
            **{name: name for name in [*whole, *names]},
            "r-precision": "RPrec",
            "ndcg_burges@10": "NDCG(gain_fn=exponential)@10",
        },
    )


def _ranx_of_binary(data: Data) -> Mapping[str, float]:
    """Return those that take grades for gains."""
    return _ranx_values(data, {"rbp.80": "RBP", "rbp.50": "RBP(p=0.5)"})


def evaluator_of(
    queries: Mapping[str, str],
    corpus: Mapping[str, str],
    relevant: Mapping[str, set[str]],
    **options: Any,
) -> Any:
    """Return the evaluator of Sentence Transformers with all its metrics."""
    from sentence_transformers.sentence_transformer import evaluation

    return evaluation.InformationRetrievalEvaluator(
        queries,
        corpus,
        relevant,
        mrr_at_k=CUTOFFS,
        ndcg_at_k=CUTOFFS,
        map_at_k=CUTOFFS,
        precision_recall_at_k=CUTOFFS,
        accuracy_at_k=CUTOFFS,
        write_csv=False,
        **options,
    )


def values_of_hits(
    evaluator: Any, run: Mapping[str, Mapping[str, float]]
) -> dict[str, float]:
    """Return what `compute_metrics` makes of the items of each query."""
    hits = [
        [
            {"corpus_id": item, "score": score}
            for item, score in run.get(query, {}).items()
        ]
        for query in evaluator.queries_ids
    ]
    return {
        name.replace("@k", f"@{k}"): float(value)
        for name, values in evaluator.compute_metrics(hits).items()
        for k, value in values.items()
    }


def _sentence_transformers(data: Data) -> Mapping[str, float]:
    """Return its values; its judgements are sets: each judged item counts."""
    evaluator = evaluator_of(
        {query: query for query in data.truth},
        {item: item for scores in data.run.values() for item in scores},
        {query: set(labels) for query, labels in data.truth.items()},
    )
    return values_of_hits(evaluator, data.run)


def _beir(data: Data) -> Mapping[str, float]:
    """Return the means that it reports, which have five digits."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    run = copy.deepcopy(data.run)  # it drops items from it
    found = EvaluateRetrieval.evaluate(data.truth, run, [*CUTOFFS])
    return {name: value for each in found for name, value in each.items()}


def _custom_of_beir(data: Data) -> Mapping[str, float]:
    """Return its others, which order tied items as the run does."""
    from beir.retrieval.evaluation import EvaluateRetrieval

    found: dict[str, float] = {}
    for metric in ("mrr", "recall_cap", "accuracy"):
        found |= EvaluateRetrieval.evaluate_custom(
            data.truth, data.run, [*CUTOFFS], metric
        )
    return found


def mteb_evaluator(top_k: int) -> Any:
    """Return the evaluator of retrieval tasks, without a task."""
    from mteb._evaluators.retrieval_evaluator import RetrievalEvaluator

    return RetrievalEvaluator(
        corpus=None,
        queries=None,
        task_metadata=None,
        hf_split="test",
        hf_subset="default",
        top_k=top_k,
        timer=None,
    )


def scores_of_mteb(scores: Any) -> dict[str, float]:
    """Return all scores that measure rankings, by the names of results."""
    from mteb._evaluators import retrieval_metrics

    names = ["ndcg", "recall", "precision", "mrr", "naucs", "naucs_mrr"]
    found = retrieval_metrics.make_score_dict(
        **{name: getattr(scores, name) for name in [*names, "hit_rate"]},
        _map=scores.map,
        task_scores={},
    )
    return {n: float(x) for n, x in found.items() if not n.startswith("nauc")}


def _mteb(data: Data) -> Mapping[str, float]:
    """Return the scores of a retrieval task, which have five digits."""
    from mteb._evaluators import retrieval_metrics

    run = copy.deepcopy(data.run)
    scores = mteb_evaluator(max(CUTOFFS)).evaluate(data.truth, run, [*CUTOFFS])
    of_some = retrieval_metrics.recall_cap(data.truth, run, [*CUTOFFS])
    return scores_of_mteb(scores) | {
        name: float(np.mean([value for value in values if value is not None]))
        for name, values in of_some.items()
    }


def _of_torchmetrics(
    data: Data, names: Mapping[str, str], cutoffs: Iterable[int | None]
) -> dict[str, float]:
    """Return the values of classes, of scores between 0 and 1.

    Items with scores up to 0 are not retrieved there.
    """
    import torch
    from torchmetrics import retrieval

    labels, scores = padded(data)
    there = labels >= 0
    found = {}
    for name, ours in names.items():
        for k in cutoffs:
            metric = getattr(retrieval, name)(
                empty_target_action="neg", **({} if k is None else {"top_k": k})
            )
            value = metric(
                torch.tensor(scores[there]).double().sigmoid(),
                torch.tensor(labels[there].astype(int)),
                indexes=torch.tensor(np.nonzero(there)[0]),
            )
            found[at(ours, k)] = float(value)
    return found


def _torchmetrics_of_grades(data: Data) -> Mapping[str, float]:
    """Return NDCG, which alone takes grades, and averages over ties."""
    names = {"RetrievalNormalizedDCG": "NDCG"}
    return _of_torchmetrics(data, names, (*CUTOFFS, None))


def _torchmetrics(data: Data) -> Mapping[str, float]:
    """Return all others.

    Without k, precision divides by the length of the list there; with k, AUC
    cuts off the list.
    """
    at_k = {"RetrievalPrecision": "P"}
    both = {
        "RetrievalRecall": "Recall",
        "RetrievalHitRate": "HitRate",
        "RetrievalMAP": "MAP",
        "RetrievalMRR": "RR",
        "RetrievalFallOut": "FallOut(empty=zero)",
    }
    whole = {"RetrievalRPrecision": "RPrec", "RetrievalAUROC": "AUC"}
    return {
        **_of_torchmetrics(data, {**at_k, **both}, CUTOFFS),
        **_of_torchmetrics(data, {**both, **whole}, [None]),
    }


_SIX = {
    "DCG": "DCG",
    "NDCG": "NDCG",
    "PrecisionAtK": "P",
    "RecallAtK": "Recall",
    "MeanAveragePrecision": "MAP",
    "MeanReciprocalRank": "RR",
}


def _keras_rs(data: Data) -> Mapping[str, float]:
    """Return the results of one batch.

    Its mask is the score min(score) - 1e-7, which is below others only if they
    are small.
    """
    import keras_rs

    labels, scores = padded(data)
    batch = {"labels": np.maximum(labels, 0), "mask": labels >= 0}
    found = {}
    for name, ours in _SIX.items():
        for k in (*CUTOFFS, None):
            metric = getattr(keras_rs.metrics, name)(k=k)
            metric.update_state(batch, scores / 1024)
            found[at(ours, k)] = float(metric.result())
    return found


def _rax(data: Data) -> Mapping[str, float]:
    import jax.numpy as jnp
    import rax

    labels, scores = padded(data)
    batch = jnp.array(scores), jnp.array(labels)
    where = jnp.array(labels >= 0)
    functions = ["dcg", "ndcg", "precision", "recall", "ap", "mrr"]
    return {
        at(ours, k): float(
            getattr(rax, f"{name}_metric")(*batch, where=where, topn=k)
        )
        for name, ours in zip(functions, _SIX.values(), strict=True)
        for k in (*CUTOFFS, None)
    }


def _ranks(data: Data, columns: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return columns of the lists, best items first.

    Args:
        columns: the name of each of the columns user, item, rank and score.
    """
    rows = [
        (query, item, rank, data.run[query][item])
        for query in data.run
        for rank, item in enumerate(data.best_first(query), 1)
    ]
    names = "user", "item", "rank", "score"
    every = dict(zip(names, zip(*rows, strict=True), strict=True))
    return {name: [*every[of]] for of, name in columns.items()}


def _interactions(
    data: Data, user: str, item: str, rating: str
) -> dict[str, list[Any]]:
    """Return columns of the truth, a test set with ratings."""
    rows = [
        (query, x, label)
        for query, labels in data.truth.items()
        for x, label in labels.items()
    ]
    return dict(
        zip(
            (user, item, rating),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )


def _rectools(data: Data) -> Mapping[str, float]:
    """Return what `calc_metrics` says: users without interactions are none."""
    import pandas as pd
    from rectools import Columns, metrics

    user, item = Columns.User, Columns.Item
    names = {"user": user, "item": item, "rank": Columns.Rank}
    shown = pd.DataFrame(_ranks(data, names))
    relevant = pd.DataFrame(_interactions(data, user, item, Columns.Weight))
    asked = {
        f"{ours}@{k}": make(k=k)
        for k in CUTOFFS
        for ours, make in {
            "P": metrics.Precision,
            "Recall": metrics.Recall,
            "F1": metrics.F1Beta,
            "HitRate": metrics.HitRate,
            "MAP": metrics.MAP,
            "RR": metrics.MRR,
        }.items()
    }
    asked["F(beta=2.0)@5"] = metrics.F1Beta(k=5, beta=2.0)
    found = metrics.calc_metrics(asked, shown, relevant)
    return {name: float(value) for name, value in found.items()}


def _pykeen(data: Data) -> Mapping[str, float]:
    """Return the metrics of the rank of each list's first relevant item.

    It ranks one relevant item at a time, without the others in the list, which
    are below the first one.
    """
    import torch
    from pykeen.evaluation.ranks import Ranks
    from pykeen.metrics import ranking

    labels, scores = map(torch.tensor, padded(data))
    best = scores.where(labels > 0, -torch.inf).amax(1, keepdim=True)
    others = scores.where(labels == 0, torch.nan)
    candidates = torch.cat([best, others], dim=1)
    ranks = Ranks.from_scores(best, candidates).realistic.numpy()
    asked = {"RR": ranking.InverseHarmonicMeanRank()}
    asked |= {f"HitRate@{k}": ranking.HitsAtK(k) for k in CUTOFFS}
    return {name: float(metric(ranks)) for name, metric in asked.items()}


def _of_recommenders(
    data: Data, names: Mapping[str, str], **options: str
) -> dict[str, float]:
    """Return the values of functions by our names."""
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    columns = {"user": "userID", "item": "itemID", "score": "prediction"}
    shown = pd.DataFrame(_ranks(data, columns))
    relevant = pd.DataFrame(_interactions(data, "userID", "itemID", "rating"))
    return {
        f"{ours}@{k}": float(
            getattr(python_evaluation, name)(relevant, shown, k=k, **options)
        )
        for name, ours in names.items()
        for k in CUTOFFS
    }


def _recommenders(data: Data) -> Mapping[str, float]:
    """Return NDCG, which counts users without a list as 0."""
    found = _of_recommenders(data, {"ndcg_at_k": "NDCG"})
    for score_type, gain in (("raw", "linear"), ("exp", "exponential")):
        names = {"ndcg_at_k": f"NDCG(gain_fn={gain})"}
        found |= _of_recommenders(data, names, score_type=score_type)
    return found


def _recommenders_of_common_users(data: Data) -> Mapping[str, float]:
    """Return all others, which leave out users without a list."""
    names = {"precision_at_k": "P", "recall_at_k": "Recall", "map_at_k": "MAP"}
    return _of_recommenders(data, names)


def _replay(data: Data) -> Mapping[str, float]:
    """Return what its metrics say of dictionaries, also of empty ones."""
    shown = {
        query: [(item, scores[item]) for item in data.best_first(query)]
        for query, scores in data.run.items()
    }
    relevant = {query: [*labels] for query, labels in data.truth.items()}
    return _of_replay(shown, relevant)


def _replay_of_ratings(data: Data) -> Mapping[str, float]:
    """Return what its metrics say of tables, whose ratings they do not read."""
    import pandas as pd

    columns = {"user": "query_id", "item": "item_id", "score": "rating"}
    relevant = _interactions(data, "query_id", "item_id", "rating")
    return _of_replay(
        pd.DataFrame(_ranks(data, columns)), pd.DataFrame(relevant)
    )


def _of_replay(shown: Any, relevant: Any) -> Mapping[str, float]:
    from replay import metrics

    names = {
        "NDCG": "NDCG",
        "Precision": "P",
        "Recall": "Recall",
        "HitRate": "HitRate",
        "MAP": "MAP",
        "MRR": "RR",
    }
    return {
        f"{ours}@{k}": float(found)
        for name, ours in names.items()
        for k in CUTOFFS
        for found in getattr(metrics, name)(k)(shown, relevant).values()
    }


TOOLS = [
    Tool(
        "trec_eval_without_c", "pytrec_eval-terrier", "retrieved", 4, _trec_eval
    ),
    Tool(
        "ir_measures",
        "ir_measures",
        "retrieved",
        4,
        _ir_measures(*_OF_TREC_EVAL, *at_each(*_OF_TREC_EVAL_AT_K)),
    ),
    Tool(
        "ir_measures",
        "ir_measures",
        "retrieved",
        4,
        _ir_measures(*_COUNTS),
    ),
    Tool(
        "ir_measures",
        "ir_measures",
        "retrieved",
        4,
        _ir_measures(*_OF_OTHERS),
        are_tied=False,
    ),
    Tool(
        "ir_measures",
        "ir_measures",
        "retrieved",
        4,
        _ir_measures(*_OF_GDEVAL),
        tolerance=1e-5,
    ),
    Tool("sklearn", "scikit-learn", "lists", 4, _sklearn),
    Tool(
        "sklearn",
        "scikit-learn",
        "lists",
        1,
        _sklearn_without_ties,
        are_tied=False,
    ),
    Tool("ranx", "ranx", "retrieved", 4, _ranx, are_tied=False),
    Tool("ranx", "ranx", "retrieved", 1, _ranx_of_binary, are_tied=False),
    Tool(
        "sentence_transformers",
        "sentence-transformers",
        "retrieved",
        4,
        _sentence_transformers,
    ),
    Tool("beir", "beir", "retrieved", 4, _beir, tolerance=1e-5),
    Tool(
        "beir",
        "beir",
        "lists",
        4,
        _custom_of_beir,
        are_tied=False,
        have_empty=False,
        tolerance=1e-5,
    ),
    Tool("mteb", "mteb", "retrieved", 4, _mteb, tolerance=1e-5),
    Tool(
        "torchmetrics",
        "torchmetrics",
        "lists",
        4,
        _torchmetrics_of_grades,
        tolerance=1e-5,
    ),
    Tool(
        "torchmetrics",
        "torchmetrics",
        "lists",
        1,
        _torchmetrics,
        are_tied=False,
        tolerance=1e-5,
    ),
    Tool(
        "keras_rs",
        "keras-rs",
        "lists",
        4,
        _keras_rs,
        are_tied=False,
        tolerance=1e-5,
    ),
    Tool("tf_ranking", "rax", "lists", 4, _rax, are_tied=False, tolerance=1e-5),
    Tool("rectools", "RecTools", "interactions", 4, _rectools, are_tied=False),
    Tool(
        "pykeen",
        "pykeen",
        "lists",
        4,
        _pykeen,
        are_tied=False,
        have_empty=False,
    ),
    Tool(
        "recommenders",
        "recommenders",
        "interactions",
        4,
        _recommenders,
        are_tied=False,
    ),
    Tool(
        "recommenders",
        "recommenders",
        "shown",
        4,
        _recommenders_of_common_users,
        are_tied=False,
    ),
    Tool("replay", "replay-rec", "interactions", 1, _replay, are_tied=False),
    Tool(
        "replay",
        "replay-rec",
        "interactions",
        4,
        _replay_of_ratings,
        are_tied=False,
        have_empty=False,
    ),
]
