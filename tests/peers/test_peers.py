"""Each convention beside the package whose numbers it gives.

At least 2,000 random lists for each package, metric and cutoff: graded and
binary labels, lists shorter and longer than k, without a relevant item, all
relevant, a single item, and where the package knows of items that are not
retrieved, some or nothing retrieved. If a test leaves out some kind, it says
why. The mean over all lists is compared too. `test_keras_rs.py` has keras_rs,
and `test_golden.py` the packages whose numbers are stored.
"""

import numpy as np
import pytest
from peer_lists import (
    CUTOFFS,
    ITEMS,
    LISTS,
    SINGLE,
    Data,
    as_documents,
    by_query,
    compare,
    cut_off_lists,
    lists,
    tied_lists,
)
from pytest import approx
from test_sources import COUNTERPARTS

from keras_rankmetrics import MeanRank, conventions, evaluate

pytestmark = pytest.mark.peers


def at(k, name, called="k"):
    """The cutoff as an argument, if metrics of that name take one."""
    return {} if name in ("RPrecision", "BPref") else {called: k}


at_each_cutoff = pytest.mark.parametrize("k", CUTOFFS)


def at_cutoffs_of(names, exists):
    """Parametrise by the metrics, and by the cutoffs that each has there."""
    pairs = [(n, k) for k in CUTOFFS for n in names if exists(n, k)]
    return pytest.mark.parametrize("name, k", pairs)


# Rax


RAX = {
    "DCG": "dcg_metric",
    "NDCG": "ndcg_metric",
    "PrecisionAtK": "precision_metric",
    "RecallAtK": "recall_metric",
    "MeanAveragePrecision": "ap_metric",
    "MeanReciprocalRank": "mrr_metric",
}


@at_each_cutoff
@pytest.mark.parametrize("name", RAX)
def test_rax(name, k):
    rax = pytest.importorskip("rax")
    import jax.numpy as jnp

    data = cut_off_lists()
    theirs = getattr(rax, RAX[name])(
        jnp.array(data.scores),
        jnp.array(data.labels),
        where=jnp.array(data.labels >= 0),
        topn=k,
        reduce_fn=None,
    )
    metric = getattr(conventions.tf_ranking, name)(k)
    compare(metric, data, theirs, SINGLE)


def test_rax_ordered_pairs():
    """Without ties, which count 0 there, and where all items are retrieved."""
    rax = pytest.importorskip("rax")
    import jax.numpy as jnp

    data = lists()
    theirs = rax.opa_metric(
        jnp.array(data.scores),
        jnp.array(data.labels),
        where=jnp.array(data.labels >= 0),
        reduce_fn=None,
    )
    metric = conventions.tf_ranking.OrderedPairAccuracy(empty="zero")
    compare(metric, data, theirs, SINGLE)


# scikit-learn


def longer_than_one(data):
    """scikit-learn refuses lists of a single item, and DCG of them too."""
    return data.where((data.labels >= 0).sum(axis=1) > 1)


@at_each_cutoff
@pytest.mark.parametrize("name", ["DCG", "NDCG"])
def test_sklearn(name, k):
    """With ties: they are averaged there too."""
    metrics = pytest.importorskip("sklearn.metrics")
    function = {"DCG": metrics.dcg_score, "NDCG": metrics.ndcg_score}[name]
    for data in (longer_than_one(lists()), longer_than_one(tied_lists())):
        theirs = [
            function(labels[None].astype(int), scores[None], k=k)
            for labels, scores in data.lists()
        ]
        compare(getattr(conventions.sklearn, name)(k), data, theirs)


def test_sklearn_average_precision():
    """Without ties, and without k, which it does not have."""
    metrics = pytest.importorskip("sklearn.metrics")
    data = lists().binary
    theirs = [
        metrics.label_ranking_average_precision_score(
            labels[None].astype(int), scores[None]
        )
        for labels, scores in data.lists()
    ]
    compare(conventions.sklearn.MeanAveragePrecision(), data, theirs)


def test_sklearn_auc():
    """With ties: a pair of them counts half. A list needs items of both kinds.

    The mean over the lists, by their weights, is what others call gAUC.
    """
    metrics = pytest.importorskip("sklearn.metrics")
    for data in (lists().binary, tied_lists().binary):
        theirs = [
            metrics.roc_auc_score(labels.astype(int), scores)
            if 0 < labels.sum() < len(labels)
            else np.nan
            for labels, scores in data.lists()
        ]
        metric = conventions.sklearn.AUC()
        compare(metric, data, theirs)
        impressions = np.random.default_rng(3).integers(1, 9, LISTS)
        metric.reset_state()
        metric.update_state(data.labels, data.scores, impressions)
        there = ~np.isnan(theirs)
        assert float(metric.result()) == approx(
            np.average(np.array(theirs)[there], weights=impressions[there])
        )


@pytest.mark.parametrize("k", CUTOFFS[:-1])
def test_sklearn_top_k(k):
    """Without ties, and of one relevant item a list: the class, there."""
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(4)
    classes = np.arange(ITEMS)
    scores = rng.permuted(np.tile(classes, (LISTS, 1)), axis=1)
    target = rng.integers(0, ITEMS, LISTS)
    labels = (classes == target[:, None]).astype("float32")
    theirs = [
        metrics.top_k_accuracy_score(
            [of_list], of_scores[None], k=k, labels=classes
        )
        for of_list, of_scores in zip(target, scores, strict=True)
    ]
    data = Data(labels, scores.astype("float32"))
    compare(conventions.sklearn.HitRateAtK(k), data, theirs)


def test_what_is_said_of_sklearns_label_ranking_loss():
    """With ties: a pair of them is wrong there."""
    metrics = pytest.importorskip("sklearn.metrics")
    for data in (lists().binary, tied_lists().binary):
        data = longer_than_one(data)
        theirs = [
            1
            - metrics.label_ranking_loss(labels[None].astype(int), scores[None])
            for labels, scores in data.lists()
        ]
        auc = conventions.sklearn.AUC(ties="pessimistic", empty="one")
        compare(auc, data, theirs)


def test_what_is_said_of_sklearns_coverage_error():
    """The rank of the last relevant item: of one, `MeanRank`. With ties."""
    metrics = pytest.importorskip("sklearn.metrics")
    for data in (lists().binary, tied_lists().binary):
        one = (data.labels == 1).sum(axis=1) == 1
        data = data.where(one & ((data.labels >= 0).sum(axis=1) > 1))
        theirs = [
            metrics.coverage_error(labels[None].astype(int), scores[None])
            for labels, scores in data.lists()
        ]
        compare(MeanRank(ties="pessimistic"), data, theirs)


# torchmetrics

TORCHMETRICS = {
    "NDCG": "retrieval_normalized_dcg",
    "PrecisionAtK": "retrieval_precision",
    "RecallAtK": "retrieval_recall",
    "HitRateAtK": "retrieval_hit_rate",
    "MeanAveragePrecision": "retrieval_average_precision",
    "MeanReciprocalRank": "retrieval_reciprocal_rank",
    "RPrecision": "retrieval_r_precision",
    "FallOutAtK": "retrieval_fall_out",
    "AUC": "retrieval_auroc",
}


def is_in_torchmetrics(name, k):
    """Return whether it is the same metric there."""
    return (name, k is None) not in (("PrecisionAtK", True), ("AUC", False))


@at_cutoffs_of(conventions.torchmetrics.presets, is_in_torchmetrics)
def test_torchmetrics(name, k):
    """What is not retrieved has no score above 0 there.

    But for the metrics in `DATA`, which know of no such items. Only NDCG takes
    grades. It averages over ties, as AUC does. Precision without k divides by
    the length of the list: that is no convention here, but
    `denominator="retrieved"`; and the k of its AUC cuts off the list.
    """
    retrieval = pytest.importorskip("torchmetrics.functional.retrieval")
    import torch

    function = getattr(retrieval, TORCHMETRICS[name])
    all_retrieved = lists().binary
    for data in {
        "NDCG": (lists(), tied_lists()),
        "HitRateAtK": (all_retrieved,),
        "RPrecision": (all_retrieved,),
        "FallOutAtK": (all_retrieved,),
        "AUC": (all_retrieved, tied_lists().binary),
    }.get(name, (cut_off_lists().binary,)):
        theirs = [
            float(
                function(
                    # Its AUC takes scores above 1 for logits.
                    torch.tensor(np.maximum(scores / 100, -1.0)),
                    torch.tensor(labels.astype(int)),
                    **at(k, name, "top_k"),
                )
            )
            for labels, scores in data.lists()
        ]
        options = at(k, name)
        if name == "FallOutAtK":
            options["empty"] = "zero"  # as the function, and unlike the class
        metric = getattr(conventions.torchmetrics, name)(**options)
        compare(metric, data, theirs, SINGLE)


# In its AUC, lists of relevant items alone are always 0. In its fall-out, 1 is
# the worst value, which no list without a value can have here.
REFUSED_EMPTY = {("AUC", "one"), ("AUC", "skip"), ("FallOutAtK", "one")}


@pytest.mark.parametrize("action", ["neg", "pos", "skip"])
@pytest.mark.parametrize("name", TORCHMETRICS)
def test_empty_lists_of_torchmetrics(name, action):
    """Its classes count them by `empty_target_action`, its functions as 0."""
    retrieval = pytest.importorskip("torchmetrics.retrieval")
    import torch

    counterparts = COUNTERPARTS["torchmetrics"].items()
    [there] = [theirs for theirs, ours in counterparts if ours == name]
    data = lists().binary
    empty = {"neg": "zero", "pos": "one", "skip": "skip"}[action]
    k = None if name in ("AUC", "RPrecision") else 3
    options = {} if k is None else {"k": k}
    make = getattr(conventions.torchmetrics, name)
    if (name, empty) in REFUSED_EMPTY:
        with pytest.raises(ValueError, match="empty"):
            make(**options, empty=empty)
        return
    theirs = getattr(retrieval, there)(
        empty_target_action=action, **at(k, name, "top_k")
    )
    items = data.labels >= 0
    value = theirs(
        torch.tensor(data.scores[items] / 100),
        torch.tensor(data.labels[items].astype(int)),
        indexes=torch.tensor(np.nonzero(items)[0]),
    )
    metric = make(**options, empty=empty)
    found = float(metric(data.labels, data.scores))
    assert found == approx(float(value), rel=1e-5)


# pytrec_eval: documents by name


TREC_EVAL = {
    "NDCG": ("ndcg_cut", "ndcg"),
    "PrecisionAtK": ("P", None),
    "RecallAtK": ("recall", None),
    "HitRateAtK": ("success", None),
    "MeanAveragePrecision": ("map_cut", "map"),
    "MeanReciprocalRank": (None, "recip_rank"),
    "RPrecision": (None, "Rprec"),
    "FBetaAtK": (None, "set_F"),
    "BPref": (None, "bpref"),
}
AT_RECALLS = ("InterpolatedPrecision", "ElevenPointPrecision")


@at_cutoffs_of(TREC_EVAL, lambda name, k: TREC_EVAL[name][k is None])
def test_pytrec_eval(name, k):
    """Its reciprocal rank has no cutoff, and its precision none but a k."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    cut, whole = TREC_EVAL[name]
    asked, told = (whole, whole) if k is None else (f"{cut}.{k}", f"{cut}_{k}")
    data = cut_off_lists()
    qrels, run = as_documents(data)
    found = pytrec_eval.RelevanceEvaluator(qrels, {asked}).evaluate(run)
    theirs = by_query({query: of[told] for query, of in found.items()})
    metric = getattr(conventions.trec_eval, name)(**at(k, name))
    compare(metric, data, theirs)


def test_the_mean_of_pytrec_eval_is_that_of_trec_eval_without_c():
    """Some queries have no run, and some of the run are not judged."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = as_documents(cut_off_lists())
    names = [*qrels]
    qrels = {name: qrels[name] for name in names[:1500]}
    run = {name: run[name] for name in names[300:]}
    measures = ("map", "ndcg_cut_10", "P_5", "recip_rank", "Rprec")
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {*measures}).evaluate(run)
    assert len(theirs) == 1200
    found = evaluate(
        qrels, run, " ".join(measures), convention="trec_eval_without_c"
    )
    for name in measures:
        mean = np.mean([values[name] for values in theirs.values()])
        assert found[name] == approx(mean, rel=1e-6)


def test_relative_precision_and_default_cutoffs_of_pytrec_eval():
    """The error for a name without a cutoff has all that it means there."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    trec_eval = conventions.trec_eval
    data = cut_off_lists()
    qrels, run = as_documents(data)
    found = pytrec_eval.RelevanceEvaluator(qrels, {"relative_P"}).evaluate(run)
    for k in (5, 10):
        told = f"relative_P_{k}"
        theirs = by_query({query: of[told] for query, of in found.items()})
        compare(trec_eval.of_source(told), data, theirs)
    names = {name for name, m in trec_eval.measures.items() if m.default}
    for name in names & pytrec_eval.supported_measures:
        judge = pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {name})
        theirs = set(judge.evaluate({"q": {"d": 1.0}})["q"])
        with pytest.raises(ValueError, match="should be followed by") as error:
            trec_eval.of_source(name)
        assert set(str(error.value).split("`")[3].split()) == theirs


@pytest.mark.parametrize("name", AT_RECALLS)
def test_pytrec_eval_at_recalls(name):
    """It is trec_eval 9. If nothing is retrieved, it divides 0 by 0."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    data = cut_off_lists()
    qrels, run = as_documents(data)
    asked = {"11pt_avg", "iprec_at_recall"}
    found = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)

    def of(told):
        values = {query: of[told] for query, of in found.items()}
        return np.nan_to_num(by_query(values))

    if name == "ElevenPointPrecision":
        metric = conventions.trec_eval.ElevenPointPrecision(
            rounding="trec_eval_9"
        )
        compare(metric, data, of("11pt_avg"))
        return
    for recall in np.arange(11) / 10:
        metric = conventions.trec_eval.InterpolatedPrecision(
            recall=recall, rounding="trec_eval_9"
        )
        compare(metric, data, of(f"iprec_at_recall_{recall:.2f}"))


# Which convention is compared with a package, in which metrics.
PEERS = {
    "tf_ranking": [*RAX, "OrderedPairAccuracy"],
    "sklearn": conventions.sklearn.presets,
    "torchmetrics": TORCHMETRICS,
    "trec_eval": [*TREC_EVAL, *AT_RECALLS],
}
