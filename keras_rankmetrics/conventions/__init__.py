"""Named conventions: the options that give the numbers of other sources.

>>> from keras_rankmetrics.conventions import trec_eval
>>> print(trec_eval.NDCG(k=10).signature)
NDCG@10|gain:linear|discount:log2|ideal:relevant|ties:average|empty:zero|list_weight:relevance|inputs:scores|keras_rankmetrics:0.1.0
>>> trec_eval.F1AtK  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
AttributeError: The convention `trec_eval` has no F1AtK: ...

`python -m keras_rankmetrics.conventions` prints all of them. They take any form
of input, and state nothing that is a fault of the source: tied items have the
exact average over their orders, unless the source says in which order they
stand; masks and weights mean what they mean here.
"""

from __future__ import annotations

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.gains import linear_gain, original_discount
from keras_rankmetrics.metrics import (
    AUC,
    DCG,
    NDCG,
    F1AtK,
    FallOutAtK,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RankBiasedPrecision,
    RecallAtK,
    RPrecision,
)

keras_rs = Convention(
    "keras_rs",
    "Keras Recommenders; the defaults here.",
    "keras_rs.metrics, version 0.4",
    {
        DCG: {},
        NDCG: {},
        PrecisionAtK: {},
        RecallAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
    },
)

tf_ranking = Convention(
    "tf_ranking",
    "TensorFlow Ranking, and Rax, which defines no hit rate.",
    "tensorflow_ranking/python/metrics_impl.py, version 0.5; rax/_src/"
    "metrics.py, version 0.4",
    {
        DCG: {},
        NDCG: {},
        PrecisionAtK: {},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
    },
)

trec_eval = Convention(
    "trec_eval",
    "The tool of the TREC conferences, and so pytrec_eval and ir_measures.",
    "usnistgov/trec_eval: m_ndcg_cut.c, m_P.c, m_recall.c, m_success.c, "
    "m_map_cut.c, m_recip_rank.c, m_Rprec.c",
    {
        NDCG: {"gain_fn": linear_gain},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
        RPrecision: {},
    },
    without={
        "F1AtK": "it has the F1 of whole lists only, `set_F`, which is "
        "`F1AtK()`",
    },
)

sklearn = Convention(
    "sklearn",
    "scikit-learn: `dcg_score`, `ndcg_score`, `roc_auc_score` of each list "
    "and, where no scores tie, `label_ranking_average_precision_score`.",
    "sklearn/metrics/_ranking.py, version 1.9",
    {
        DCG: {"gain_fn": linear_gain},
        NDCG: {"gain_fn": linear_gain},
        MeanAveragePrecision: {"empty": "one"},
        AUC: {},
    },
)

ranx = Convention(
    "ranx",
    "ranx: the metrics by their plain names (`ndcg_burges` is `gain_fn="
    "exponential_gain`).",
    "ranx/metrics, version 0.3",
    {
        DCG: {"gain_fn": linear_gain},
        NDCG: {"gain_fn": linear_gain},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        F1AtK: {"denominator": "k"},
        HitRateAtK: {},
        MeanAveragePrecision: {},
        MeanReciprocalRank: {},
        RPrecision: {},
        RankBiasedPrecision: {},
    },
)

torchmetrics = Convention(
    "torchmetrics",
    "torchmetrics' retrieval metrics, for scores above 0.",
    "torchmetrics/functional/retrieval, version 1.9",
    {
        NDCG: {"gain_fn": linear_gain},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {"denominator": "hits"},
        MeanReciprocalRank: {},
        RPrecision: {},
        FallOutAtK: {"empty": "zero"},
        AUC: {"empty": "zero"},
    },
)

mllib = Convention(
    "mllib",
    "Spark's `RankingMetrics`, with relevant items that have no grades.",
    "org.apache.spark.mllib.evaluation.RankingMetrics, version 4.0",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        MeanAveragePrecision: {"denominator": "min"},
    },
)

recommenders = Convention(
    "recommenders",
    "Microsoft's Recommenders, with relevant items that have no grades; AP is "
    "`map_at_k`.",
    "recommenders/evaluation/python_evaluation.py, version 1.2",
    {
        NDCG: {"empty": "skip"},
        PrecisionAtK: {"denominator": "k", "empty": "skip"},
        RecallAtK: {"empty": "skip"},
        MeanAveragePrecision: {"denominator": "min", "empty": "skip"},
    },
)

replay = Convention(
    "replay",
    "RePlay, with relevant items that have no grades.",
    "replay/metrics/torch_metrics_builder.py, version 0.22",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {},
        HitRateAtK: {},
        MeanAveragePrecision: {"denominator": "min"},
        MeanReciprocalRank: {},
    },
)

rectools = Convention(
    "rectools",
    "RecTools, with relevant items that have no grades.",
    "rectools/metrics, version 0.19",
    {
        PrecisionAtK: {"denominator": "k", "empty": "skip"},
        RecallAtK: {"empty": "skip"},
        F1AtK: {"denominator": "k", "empty": "skip"},
        HitRateAtK: {"empty": "skip"},
        MeanAveragePrecision: {"empty": "skip"},
        MeanReciprocalRank: {"empty": "skip"},
    },
    without={
        "NDCG": "its ideal takes k items to be relevant however many are, "
        "which no other source does; with `divide_by_achievable=True` it is "
        "that of `recommenders`",
    },
)

lenskit = Convention(
    "lenskit",
    "LensKit, with relevant items that have no grades.",
    "lenskit/metrics/ranking, version 2025.8",
    {
        NDCG: {"rank_discount_fn": original_discount},
        PrecisionAtK: {},
        RecallAtK: {"denominator": "min"},
        HitRateAtK: {},
        MeanReciprocalRank: {},
    },
    without={
        "DCG": "its DCG has not been compared yet",
        "MeanAveragePrecision": "it divides by the smallest of k, the relevant "
        "and the recommended items, which no other source does; where k items "
        "or more are recommended, it is that of `kaggle`",
    },
)

merlin = Convention(
    "merlin",
    "NVIDIA Merlin Models, with relevant items that have no grades.",
    "merlin/models/tf/metrics/topk.py, version 23.8",
    {
        NDCG: {},
        PrecisionAtK: {"denominator": "k"},
        RecallAtK: {"denominator": "min"},
        MeanAveragePrecision: {"denominator": "min"},
        MeanReciprocalRank: {},
    },
)

kaggle = Convention(
    "kaggle",
    "MAP@k of Kaggle's competitions.",
    "kaggle.com, Mean Average Precision at K; benhamner/Metrics, "
    "average_precision.py",
    {MeanAveragePrecision: {"denominator": "min"}},
)

recsys = Convention(
    "recsys",
    "What is retrieved is all there is: users without relevant items are left "
    "out, AP is over the hits, the ideal over the first k.",
    "the five users in `tests/test_ids.py`",
    {
        NDCG: {"ideal": "retrieved", "empty": "skip"},
        PrecisionAtK: {"denominator": "k", "empty": "skip"},
        RecallAtK: {"empty": "skip"},
        F1AtK: {"denominator": "k", "empty": "skip"},
        HitRateAtK: {"empty": "skip"},
        MeanAveragePrecision: {"denominator": "hits", "empty": "skip"},
        MeanReciprocalRank: {"empty": "skip"},
    },
)


def names() -> list[str]:
    """The names of all conventions."""
    return [convention.name for convention in all_of_them()]


def all_of_them() -> list[Convention]:
    """All conventions, in the order of this file."""
    return [x for x in globals().values() if isinstance(x, Convention)]


def table() -> str:
    """All conventions, in words."""
    return "\n\n".join(map(_described, all_of_them()))


def _described(convention: Convention) -> str:
    return "\n".join(
        [
            f"{convention.name}: {convention.about}",
            f"  source: {convention.source}",
            *(f"  {preset!r}" for preset in convention.presets.values()),
            *(
                f"  no {metric}: {reason}"
                for metric, reason in convention.without.items()
            ),
        ]
    )
