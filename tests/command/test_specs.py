"""Metrics from text."""

import keras
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.from_text import metrics_of

SPECS = [
    ("NDCG@10", krm.NDCG(10)),
    ("ndcg@10", krm.NDCG(10)),
    ("nDCG", krm.NDCG()),
    ("RR", krm.MeanReciprocalRank()),
    ("mrr@5", krm.MeanReciprocalRank(5)),
    ("AP@100", krm.MeanAveragePrecision(100)),
    ("P@10", krm.PrecisionAtK(10)),
    ("Recall@3", krm.RecallAtK(3)),
    ("hit_rate@1", krm.HitRateAtK(1)),
    (
        "MAP(denominator=min)@100",
        krm.MeanAveragePrecision(100, denominator="min"),
    ),
    (
        "MAP@100(denominator=min)",
        krm.MeanAveragePrecision(100, denominator="min"),
    ),
    (
        'MAP(denominator="min",k=7)',
        krm.MeanAveragePrecision(7, denominator="min"),
    ),
    (
        "NDCG(gain_fn=linear_gain, rank_discount_fn=natural_log_discount)@5",
        krm.NDCG(
            5,
            gain_fn=krm.linear_gain,
            rank_discount_fn=krm.natural_log_discount,
        ),
    ),
    ("R(relevance_threshold=2)@5", krm.RecallAtK(5, relevance_threshold=2)),
    ("ERR(normalized=True)", krm.ERR(normalized=True)),
    ("recall_all@2", krm.AllHitAtK(2)),
    (
        "ReciprocalRankOfAll(denominator=hits)@2",
        krm.ReciprocalRankOfAll(2, denominator="hits"),
    ),
    (
        "GAP(probabilities=(0.5,0.25))",
        krm.GradedAveragePrecision(probabilities=(0.5, 0.25)),
    ),
    ("IPrec(recall=0.3)", krm.InterpolatedPrecision(recall=0.3)),
]


@pytest.mark.parametrize("text, metric", SPECS, ids=[text for text, _ in SPECS])
def test_what_a_text_means(text, metric):
    [found] = metrics_of(text, None)
    assert found.signature == metric.signature
    assert found.name == text.replace(" ", "")


def test_several_metrics_and_cutoffs():
    found = metrics_of("NDCG@1,5,10  MAP(denominator=min)@3\tRR", None)
    names = [metric.name for metric in found]
    assert names == [
        "NDCG@1",
        "NDCG@5",
        "NDCG@10",
        "MAP(denominator=min)@3",
        "RR",
    ]
    assert [metric.k for metric in found] == [1, 5, 10, 3, None]


SEPARATED = [
    ("MRR@10,NDCG@10", ["MRR@10", "NDCG@10"]),
    ("MRR@10, NDCG@10", ["MRR@10", "NDCG@10"]),
    ("MRR@10 ,NDCG@10,", ["MRR@10", "NDCG@10"]),
    ("MRR\nNDCG@2,\n  P@1", ["MRR", "NDCG@2", "P@1"]),
    ("NDCG@1,2,MRR", ["NDCG@1", "NDCG@2", "MRR"]),
    ("NDCG@1, 2 , 3 MRR", ["NDCG@1", "NDCG@2", "NDCG@3", "MRR"]),
    (
        "P@1,2(denominator=k),R",
        ["P@1(denominator=k)", "P@2(denominator=k)", "R"],
    ),
    (
        "GAP(probabilities=(0.5, 0.25), empty=skip)@2,RR",
        ["GAP(probabilities=(0.5,0.25),empty=skip)@2", "RR"],
    ),
    (
        "R,IPrec(recall=0.3),R(k=1,empty=one)",
        ["R", "IPrec(recall=0.3)", "R(k=1,empty=one)"],
    ),
]


@pytest.mark.parametrize("text, names", SEPARATED)
def test_spaces_and_commas_separate_metrics(text, names):
    """But not within parentheses, nor before a further cutoff."""
    assert [metric.name for metric in metrics_of(text, None)] == names


def test_a_name_of_a_source_may_begin_with_digits():
    found = metrics_of("map,11pt_avg, P_5,set_recall", conventions.trec_eval)
    assert [m.name for m in found] == ["map", "11pt_avg", "P_5", "set_recall"]
    assert [m.k for m in found] == [None, None, 5, None]


OF_SOURCES = [
    ("trec_eval", "NDCG@10", conventions.trec_eval.NDCG(10)),
    ("trec_eval", "ndcg_cut_10", conventions.trec_eval.NDCG(10)),
    ("trec_eval", "ndcg_cut.10", conventions.trec_eval.NDCG(10)),
    ("trec_eval", "P_5", conventions.trec_eval.PrecisionAtK(5)),
    ("trec_eval", "recip_rank", conventions.trec_eval.MeanReciprocalRank()),
    (
        "trec_eval",
        "iprec_at_recall_0.30",
        conventions.trec_eval.InterpolatedPrecision(recall=0.3),
    ),
    (
        "trec_eval",
        "relative_P_10",
        conventions.trec_eval.RecallAtK(10, denominator="min"),
    ),
    ("trec_eval", "success@1", conventions.trec_eval.HitRateAtK(1)),
    ("ir_measures", "P(rel=2)@5", conventions.ir_measures.parse("P(rel=2)@5")),
    ("ir_measures", "nDCG@20", conventions.ir_measures.parse("nDCG@20")),
    ("kaggle", "MAP@5", conventions.kaggle.MeanAveragePrecision(5)),
    ("catboost", "NDCG@10", conventions.catboost.NDCG(10)),
    ("catboost", "NDCG:top=10", conventions.catboost.NDCG(10)),
    (
        "trec_eval",
        "recall_20(relevance_threshold=3)",
        conventions.trec_eval.RecallAtK(20, relevance_threshold=3),
    ),
    (
        "trec_eval",
        "ndcg_cut_5(gain_fn=exponential)",
        conventions.trec_eval.NDCG(5, gain_fn=krm.exponential_gain),
    ),
    (
        "trec_eval",
        "ndcg(gain_fn={1: 0, 3: 7})",
        conventions.trec_eval.NDCG(gain_fn=krm.GainTable({1: 0, 3: 7})),
    ),
    (
        "mteb",
        "recall_at_5(relevance_threshold=2)",
        conventions.mteb.RecallAtK(5, relevance_threshold=2),
    ),
    (
        "sentence_transformers",
        "cosine_map@20(relevance_threshold=2)",
        conventions.sentence_transformers.MeanAveragePrecision(
            20, relevance_threshold=2
        ),
    ),
    (
        "xgboost",
        "ndcg@4-(gain_fn=linear)",
        conventions.xgboost.NDCG(4, empty="zero", gain_fn=krm.linear_gain),
    ),
    (
        "ranx",
        "recall@20-l3",
        conventions.ranx.RecallAtK(20, relevance_threshold=3),
    ),
    (
        "ranx",
        "ndcg_burges-l3",
        conventions.ranx.NDCG(
            gain_fn=krm.GainTable({1: 0, 2: 0}, krm.exponential_gain)
        ),
    ),
    ("ranx", "r-precision", conventions.ranx.RPrecision()),
    ("ranx", "rbp.95", conventions.ranx.RankBiasedPrecision(p=0.95)),
]


@pytest.mark.parametrize("source, text, metric", OF_SOURCES)
def test_what_a_text_means_elsewhere(source, text, metric):
    [found] = metrics_of(text, conventions.named(source))
    assert found.signature == metric.signature
    [found] = metrics_of(text, conventions.named(source), ties="stable")
    assert found.ties == "stable"


WRONG = [
    ("", None, "There should be a metric"),
    ("NDGC@10", None, 'There is no metric `NDGC`. Did you mean "NDCG"?'),
    ("map_at_k", None, 'Did you mean "map"?'),
    ("recall_at", None, 'Did you mean "recall"?'),
    ("mrr_score", None, 'you mean "reciprocal_rank_of_all" or "mrr"?'),
    ("granular_mrr", None, "a name of the convention llama_index"),
    ("recall@5-lx", "ranx", "should be a positive integer"),
    ("P_5@3", "trec_eval", "is a name of `trec_eval` with its cutoff"),
    (
        "recall@5-l2(relevance_threshold=3)",
        "ranx",
        "lowest relevant label once",
    ),
    ("NDCG(gain_fn={})", None, "should be 0 or more"),
    ("recall_5(k=3)", "trec_eval", "of `trec_eval` with its cutoff"),
    ("ndcg(gain_fn={1: 2, 2: 1})", "trec_eval", "not lower for higher"),
    ("ndcg(gain_fn={1: x})", "trec_eval", "should be"),
    ("NDCG@x", None, "positive integer. Received: 'x'"),
    ("NDCG@0", None, "positive integer. Received: '0'"),
    ("NDCG@1@2", None, "positive integer. Received: '1@2'"),
    ("NDCG@1(k=2)@2", None, "malformed"),
    ("@10", None, "malformed"),
    ("NDCG(k)", None, "should be `name=value`"),
    ("NDCG(k=3,k=4)", None, "`k` occurs twice"),
    ("NDCG(k=)", None, "should be `name=value`"),
    ("NDCG(k=3)+(2)", None, "should be `name=value`"),
    (
        "NDCG(gain=linear)",
        None,
        'no parameter "gain". Its gain function is "gain_fn"',
    ),
    ("NDCG(k=5)@10", None, "A metric has one cutoff"),
    ("NDCG(name=x)@10", None, "Remove `name=x`"),
    ("NDCG@²", None, "positive integer. Received: '²'"),
    ("ndcg_cut_²", "trec_eval", "There is no metric `ndcg_cut_²`"),
    ("MAP(denominator=most)", None, '"relevant", "min", "hits"'),
    ("RPrec@5", None, "has no cutoff"),
    ("F1@5", "trec_eval", "set_F"),
    ("gm_bpref", "trec_eval", "has no gm_bpref: it is a geometric mean"),
    ("Rprec_mult_0.20", "trec_eval", "has no Rprec_mult: it is R-precision"),
    ("recall", "trec_eval", "write `recall_5 recall_10 recall_15 recall_20 "),
    ("success", "trec_eval", "several: write `success_1 success_5 success_10`"),
    ("unj", "trec_eval", "several: write `unj_5 unj_10 unj_20`"),
    ("iprec_at_recall", "trec_eval", "`iprec_at_recall_0.00 iprec_at_recall_"),
    ("NoSuch", "trec_eval", "There is no metric `NoSuch` in `trec_eval`"),
    ("SetAP", "ir_measures", "it is the product of"),
    ("P(rel=2)", "ir_measures", "needs cutoff"),
]


@pytest.mark.parametrize("text, source, message", WRONG)
def test_what_is_wrong_says_so(text, source, message):
    convention = source and conventions.named(source)
    with pytest.raises(ValueError) as error:
        metrics_of(text, convention)
    assert message in str(error.value)


def test_a_name_of_another_tool_says_which_convention_has_it():
    with pytest.raises(ValueError, match="the convention trec_eval"):
        metrics_of("ndcg_cut_10", None)


class Found(krm.RankingMetric):
    short_name = "found_of_mine"

    @staticmethod
    def measure(ranking, k, most: float = 9.0):
        return ranking.hits(k) / most


@pytest.fixture
def registered():
    """Register classes for a test alone."""
    known = keras.saving.get_custom_objects()
    before = dict(known)
    yield keras.saving.register_keras_serializable
    known.clear()
    known.update(before)


@pytest.mark.parametrize("name", ["Found", "found", "found_of_mine"])
def test_a_registered_metric_has_a_name(registered, name):
    registered("test_specs")(Found)
    [one, other] = metrics_of(f"{name}@3 {name}(most=4)@2", None)
    assert (type(one), one.k, one.name) == (Found, 3, f"{name}@3")
    assert (type(other), other.options["most"]) == (Found, 4)
    found = krm.evaluate([[1, 0]], [[0.9, 0.1]], f"{name}@1")
    assert found[f"{name}@1"] == pytest.approx(1 / 9)


def test_a_metric_that_is_not_registered_has_none(registered):
    with pytest.raises(ValueError, match="Register your own metric with Keras"):
        metrics_of("found_of_mine@3", None)
    registered("test_specs")(Found)
    with pytest.raises(ValueError, match="no metric `Found` in `sklearn`"):
        metrics_of("Found@3", conventions.named("sklearn"))


def test_two_registered_metrics_of_one_name_are_refused(registered):
    registered("test_specs")(Found)
    registered("another")(type("Found", (Found,), {}))
    with pytest.raises(ValueError, match=r"another>Found, test_specs>Found\."):
        metrics_of("Found@3", None)


def test_a_metric_of_the_package_keeps_its_name(registered):
    registered("test_specs")(type("NDCG", (Found,), {}))
    [found] = metrics_of("NDCG@3", None)
    assert type(found) is krm.NDCG
