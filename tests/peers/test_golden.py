"""The numbers of packages that cannot be installed beside Keras 3, and of ranx.

The packages wrote them themselves, in environments of their own, by
`tests/peers/golden/run`. Each file has the versions, too. ranx, which takes
minutes to compile, can be installed: see `test_values_are_those_of_ranx`.
"""

import dataclasses
import json
import pathlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from in_forms import padded, values

import keras_rankmetrics as krm
from keras_rankmetrics import conventions

GOLDEN = pathlib.Path(__file__).with_name("golden")
DATA = json.loads((GOLDEN / "data.json").read_text())
FOUND = {
    path.stem: json.loads(path.read_text())
    for path in sorted(GOLDEN.glob("*.json"))
    if path.stem not in ("data", "trec_eval")
}


@dataclasses.dataclass(frozen=True)
class Case:
    """A metric of the convention, and what it is computed of.

    `of` names the form of the data below. `weigh` makes weights of the labels,
    where a mean over all lists has some.
    """

    metric: str
    of: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    weigh: Callable[[np.ndarray], np.ndarray] | None = None


def ids(relevant, recommended):
    width = max(map(len, [*relevant, *recommended]))
    return padded(relevant, width), padded(recommended, width)


def number_of_relevant(labels):
    return labels.sum(axis=1)


def lists(scores, labels=DATA["labels"]):
    width = max(map(len, scores))
    labels = padded(labels, width)
    return labels.astype("float32"), padded(scores, width).astype("float32")


def subtopics():
    width = max(map(len, DATA["scores"]))
    labels = np.full((len(DATA["scores"]), width, 3), -1.0, "float32")
    for row, of_list in zip(labels, DATA["subtopics"], strict=True):
        row[: len(of_list)] = of_list
    return labels, padded(DATA["scores"], width).astype("float32")


def catalogue(scores):
    """Labels and scores of all items; what users had is not retrieved."""
    scores = np.array(scores, "float32")
    labels = np.zeros_like(scores)
    for user, (had, wanted) in enumerate(
        zip(DATA["train"], DATA["relevant"], strict=True)
    ):
        scores[user, had] = -np.inf
        labels[user, wanted] = 1.0
    return labels, scores


def of_both_kinds(labels, scores):
    """Return the lists that have relevant items and others, judged ones."""
    both = (labels == 1).any(axis=1) & (labels == 0).any(axis=1)
    return labels[both], scores[both]


FORMS = {
    "short": ids(DATA["short_relevant"], DATA["short_recommended"]),
    "full": ids(DATA["relevant"], DATA["recommended"]),
    "lists": lists(DATA["scores"]),
    "subtopics": subtopics(),
    "judgements": lists(DATA["scores"], DATA["judgements"]),
    "both kinds": of_both_kinds(*lists(DATA["scores"], DATA["judgements"])),
    "tied": lists(DATA["tied_scores"]),
    "catalogue": catalogue(DATA["scores_of_all"]),
    "tied catalogue": catalogue(
        np.ceil(np.array(DATA["scores_of_all"]) / 4),
    ),
}

# What the packages make of what users had before.
ITEMS, USERS = DATA["catalogue"], len(DATA["train"])
COUNTS = np.bincount(np.concatenate(DATA["train"]), minlength=ITEMS)


def quantiles():
    """The ranks of items that users had over their number, from 0 up to 1."""
    here = COUNTS[COUNTS > 0]
    below, upto = (
        np.sum(compare(here, COUNTS[:, None]), axis=1)
        for compare in (np.less, np.less_equal)
    )
    return np.where(COUNTS > 0, (below + upto + 1) / 2 / len(here), 0.0)


def tail(share):
    """Of the items that users had the least popular ones, as many."""
    there = np.flatnonzero(COUNTS)
    tail = there[np.lexsort((there, COUNTS[there]))]
    return np.isin(np.arange(ITEMS), tail[: int(share * len(there))])


def had_by_somebody(k):
    """The first k of what is recommended, less the items that nobody had.

    The number of an item is its place among those that somebody had.
    """
    of_known = {item: i for i, item in enumerate(np.flatnonzero(COUNTS))}
    recommended = [
        [of_known[item] for item in items[:k] if item in of_known]
        for items in DATA["recommended"]
    ]
    return ids([[0]] * len(recommended), recommended)


FORMS.update({f"known@{k}": had_by_somebody(k) for k in (1, 3, 10)})

OF_ALL = {"num_items": ITEMS}
OF_COUNTS = {"popularity": COUNTS}
OF_SHARES = {"popularity": np.maximum(COUNTS, 1) / USERS}

# Which metric each number is. What a package computes at several cutoffs has
# one row.
CASES = {
    "lenskit": {
        "DCG": Case("DCG", "short"),
        "Hit": Case("HitRateAtK", "short"),
        "ListGini": Case("ExposureGini", "full", OF_ALL),
        "MeanPopRank": Case(
            "AveragePopularity", "full", {"popularity": quantiles()}
        ),
        "NDCG": Case("NDCG", "short"),
        "Precision": Case("PrecisionAtK", "short"),
        "RBP": Case("RankBiasedPrecision", "short"),
        "RBP(patience=0.5)": Case("RankBiasedPrecision", "short", {"p": 0.5}),
        "Recall": Case("RecallAtK", "short"),
        "RecipRank": Case("MeanReciprocalRank", "short"),
    },
    "ranx": {
        "bpref": Case("BPref", "both kinds"),
        "dcg": Case("DCG", "lists"),
        "dcg_burges": Case("DCG", "lists", {"gain_fn": krm.exponential_gain}),
        "f1": Case("F1AtK", "short"),
        "hit_rate": Case("HitRateAtK", "short"),
        **{
            f"iprec {tenth / 10}": Case(
                "InterpolatedPrecision", "lists", {"recall": tenth / 10}
            )
            for tenth in range(11)
        },
        "map": Case("MeanAveragePrecision", "short"),
        "mrr": Case("MeanReciprocalRank", "short"),
        "ndcg": Case("NDCG", "lists"),
        "ndcg_burges": Case("NDCG", "lists", {"gain_fn": krm.exponential_gain}),
        "precision": Case("PrecisionAtK", "short"),
        "r-precision": Case("RPrecision", "short"),
        "rbp.50": Case("RankBiasedPrecision", "short", {"p": 0.5}),
        "rbp.80": Case("RankBiasedPrecision", "short"),
        "recall": Case("RecallAtK", "short"),
    },
    "recbole": {
        "AveragePopularity": Case("AveragePopularity", "catalogue", OF_COUNTS),
        "GAUC": Case("AUC", "catalogue", weigh=number_of_relevant),
        "GAUC(tied)": Case("AUC", "tied catalogue", weigh=number_of_relevant),
        "GiniIndex": Case("ExposureGini", "catalogue", OF_ALL),
        "Hit": Case("HitRateAtK", "catalogue"),
        "ItemCoverage": Case("CatalogueCoverage", "catalogue", OF_ALL),
        "MAP": Case("MeanAveragePrecision", "catalogue"),
        "MRR": Case("MeanReciprocalRank", "catalogue"),
        "NDCG": Case("NDCG", "catalogue"),
        "Precision": Case("PrecisionAtK", "catalogue"),
        "Recall": Case("RecallAtK", "catalogue"),
        "TailPercentage": Case(
            "TailShare", "catalogue", {"is_tail": tail(0.2)}
        ),
    },
    "recommenders": {},  # `test_items_on_pages.py` has the factors between
    "rectools": {
        "AvgRecPopularity(normalize=False)": Case(
            "AveragePopularity", "full", OF_COUNTS
        ),
        "AvgRecPopularity(normalize=True)": Case(
            "AveragePopularity", "full", {"popularity": COUNTS / COUNTS.sum()}
        ),
        "CatalogCoverage(normalize=True)": Case(
            "CatalogueCoverage", "full", OF_ALL
        ),
        "F1Beta(beta=2)": Case("FBetaAtK", "full", {"beta": 2.0}),
        "HitRate": Case("HitRateAtK", "full"),
        "IntraListDiversity": Case(
            "IntraListDiversity",
            "full",
            {"vectors": np.eye(6)[DATA["categories"]]},
        ),
        "MAP": Case("MeanAveragePrecision", "full"),
        "MRR": Case("MeanReciprocalRank", "full"),
        "MeanInvUserFreq": Case("Novelty", "full", OF_SHARES),
        "PartialAUC": Case("AUC", "catalogue"),
        "Precision": Case("PrecisionAtK", "full"),
        "Recall": Case("RecallAtK", "full"),
        "Serendipity": Case("Serendipity", "full", OF_COUNTS),
    },
    "replay": {
        "Coverage": Case(
            "CatalogueCoverage",
            "known",
            {"num_items": np.count_nonzero(COUNTS)},
        ),
        "HitRate": Case("HitRateAtK", "short"),
        "MAP": Case("MeanAveragePrecision", "short"),
        "MRR": Case("MeanReciprocalRank", "short"),
        "NDCG": Case("NDCG", "short"),
        "Precision": Case("PrecisionAtK", "short"),
        "Recall": Case("RecallAtK", "short"),
    },
    "tf_ranking": {
        "AlphaDCG": Case("AlphaDCG", "subtopics"),
        "AlphaDCG(alpha=0.2)": Case("AlphaDCG", "subtopics", {"alpha": 0.2}),
        "BPref(use_trec_version=True)": Case("BPref", "judgements"),
        "PrecisionIA": Case("PrecisionIA", "subtopics"),
        "ARP": Case("AverageRelevancePosition", "lists"),
        "DCG": Case("DCG", "lists"),
        "Hits": Case("HitRateAtK", "lists"),
        "MRR": Case("MeanReciprocalRank", "lists"),
        "MeanAveragePrecision": Case("MeanAveragePrecision", "lists"),
        "NDCG": Case("NDCG", "lists"),
        "OPA": Case("OrderedPairAccuracy", "lists"),
        "OPA(tied)": Case(
            "OrderedPairAccuracy", "tied", {"ties": "pessimistic"}
        ),
        "Precision": Case("PrecisionAtK", "lists"),
        "Recall": Case("RecallAtK", "lists"),
    },
}


# What pages say of a package, and no metric has.
SAID = (
    "bpref after others",
    "bpref after relevant",
    "rbp.50 of grades",
    "rbp.80 of grades",
)


def parts(name):
    """The name of a number without its cutoff, and the cutoff."""
    name, _, cutoff = name.partition("@")
    return name, int(cutoff) if cutoff else None


def numbers_of(peer):
    """The names of the numbers, but for what lists weigh."""
    return [
        name
        for name in FOUND[peer]
        if name != "versions"
        and name not in SAID
        and not name.endswith("weights")
    ]


def made(peer, name):
    """The metric, and what it is computed of."""
    name, k = parts(name)
    case = CASES[peer][name]
    options = dict(case.options)
    if k is not None:
        options["k"] = k
    if case.of in ("short", "full", "known"):
        options["inputs"] = "ids"
    preset = getattr(getattr(conventions, peer), case.metric)
    of = f"known@{k}" if case.of == "known" else case.of
    return preset(**options), FORMS[of]


def theirs(peer, name):
    """Their numbers; LensKit's summaries take lists without one for 0."""
    return np.nan_to_num(np.array(FOUND[peer][name], "float64"))


@pytest.mark.parametrize(
    "peer, name",
    [
        pytest.param(peer, name, id=f"{peer}-{name}")
        for peer in FOUND
        for name in numbers_of(peer)
        if parts(name)[0] in CASES[peer]
    ],
)
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_numbers(peer, name):
    metric, batch = made(peer, name)
    expected = theirs(peer, name)
    if expected.ndim == 0:  # of all lists together
        weigh = CASES[peer][parts(name)[0]].weigh
        weights = weigh(batch[0]) if weigh else None
        assert float(metric(*batch, weights)) == pytest.approx(
            float(expected), rel=1e-6, abs=1e-6
        )
        return
    ours = np.nan_to_num(values(metric, *batch))
    np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["ARP", "OPA", "OPA(tied)"])
def test_the_means_there_that_are_not_over_lists(name):
    """But over all relevance, or all pairs: the weights say so."""
    metric, batch = made("tf_ranking", name)
    weights = theirs("tf_ranking", f"{name} weights")
    labels = np.maximum(batch[0], 0)
    if name == "ARP":
        np.testing.assert_array_equal(weights, labels.sum(axis=1))
    else:
        there = batch[0] >= 0
        pairs = (labels[:, :, None] > labels[:, None, :]) & there[:, None, :]
        np.testing.assert_array_equal(weights, pairs.sum(axis=(1, 2)))
    expected = np.average(theirs("tf_ranking", name), weights=weights)
    assert float(metric(*batch, weights)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("k", [1, 3])
def test_what_is_said_of_pwa(k):
    """In lists of k items or more."""
    metric = krm.DCG(k, krm.linear_gain, krm.reciprocal_discount)
    labels, scores = FORMS["lists"]
    long = (labels >= 0).sum(axis=1) >= k
    total = np.sum(1 / np.arange(1, k + 1))
    np.testing.assert_allclose(
        values(metric, labels, scores)[long],
        theirs("tf_ranking", f"PWA@{k}")[long] * total,
        rtol=1e-6,
    )


@pytest.mark.parametrize("k", [1, 3, 10])
def test_what_is_said_of_r_precision_in_rectools(k):
    metric = krm.RecallAtK(k, denominator="min", inputs="ids")
    np.testing.assert_allclose(
        values(metric, *FORMS["full"]),
        theirs("rectools", f"Precision(r_precision=True)@{k}"),
        atol=1e-6,
    )


def test_what_is_said_of_novelty_in_replay():
    """Less the share that users had."""
    had = ids(DATA["train"], DATA["recommended"])
    metric = krm.PrecisionAtK(10, inputs="ids")
    np.testing.assert_allclose(
        1 - values(metric, *had), theirs("replay", "Novelty@10"), atol=1e-6
    )


@pytest.mark.parametrize("k", [1, 3, 10])
def test_what_is_said_of_surprisal_in_replay(k):
    """Novelty over the log2 of the number of users.

    Items that nobody had are taken for known by one user.
    """
    metric = krm.Novelty(k, inputs="ids", **OF_SHARES)
    np.testing.assert_allclose(
        values(metric, *FORMS["full"]) / np.log2(USERS),
        theirs("replay", f"Surprisal@{k}"),
        rtol=1e-6,
    )


@pytest.mark.parametrize("k", [1, 3, 10])
def test_what_is_said_of_coverage_in_rectools(k):
    """It counts."""
    coverage = float(
        krm.CatalogueCoverage(k, ITEMS, inputs="ids")(*FORMS["full"])
    )
    expected = theirs("rectools", f"CatalogCoverage(normalize=False)@{k}")
    assert coverage * ITEMS == pytest.approx(float(expected), rel=1e-6)


@pytest.mark.parametrize("k", [1, 3, 10])
def test_what_is_said_of_entropy_in_recbole(k):
    """Over the number of different items that are shown."""
    batch = FORMS["catalogue"]
    shown = ITEMS * float(krm.CatalogueCoverage(k, ITEMS)(*batch))
    entropy = float(krm.ExposureEntropy(k, ITEMS)(*batch))
    expected = theirs("recbole", f"ShannonEntropy@{k}")
    assert entropy / shown == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.parametrize(
    "name, p",
    [("rbp.8", 0.8), ("rbp@5", 0.5), ("rbp.05", 0.05), ("rbp.805", 0.805)],
)
def test_the_digits_after_rbp_in_ranx_are_those_of_a_fraction(name, p):
    truth = {"q": {"a": 1, "b": 1}}
    run = {"q": {"x": 3.0, "a": 2.0, "b": 1.0}}
    found = krm.evaluate(truth, run, name, convention="ranx")
    assert found[name] == pytest.approx((1 - p) * (p + p**2))
    with pytest.raises(ValueError, match="digits of its persistence"):
        krm.evaluate(truth, run, "rbp", convention="ranx")


@pytest.mark.parametrize("p", [0.5, 0.8])
def test_ranx_takes_grades_for_gains_in_rbp(p):
    def discount(rank):
        return (1 - p) * p ** (rank - 1)

    metric = krm.DCG(gain_fn=krm.linear_gain, rank_discount_fn=discount)
    expected = theirs("ranx", f"rbp.{p:.2f}".replace("0.", "") + " of grades")
    found = values(metric, *FORMS["lists"])
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)
    assert np.max(expected) > 1.0


def test_ranx_divides_bpref_by_0_and_gives_up_on_later_lists():
    """Of three lists the second has items of one kind only."""
    of_relevant, of_others = (
        np.array(FOUND["ranx"][f"bpref after {kind}"], "float64")
        for kind in ("relevant", "others")
    )
    np.testing.assert_equal(of_relevant, [1.0, np.nan, 1.0])
    np.testing.assert_equal(of_others, [1.0, 0.0, 0.0])
    labels = [[1, 1], [0, 0], [1, 0]]
    ours = krm.BPref().per_list(labels, [[0.9, 0.8]] * 3)
    assert [float(value) for value in ours] == [1.0, 0.0, 1.0]


@pytest.mark.parametrize("weight", ["GeometricRankWeight", "LogRankWeight"])
def test_what_is_said_of_exposure_in_lenskit(weight):
    """At a single rank there is nothing to weigh; at others it differs."""
    name = f"ExposureGini(weight={weight}())"
    for k, alike in ((1, True), (3, False)):
        gini = float(krm.ExposureGini(k, ITEMS, inputs="ids")(*FORMS["full"]))
        expected = float(theirs("lenskit", f"{name}@{k}"))
        assert (gini == pytest.approx(expected, rel=1e-3)) == alike


@pytest.mark.parametrize(
    "version, rounding", [("9.0.8", "trec_eval_9"), ("10.0", "nearest")]
)
def test_hits_that_trec_eval_takes_for_a_recall(version, rounding):
    """List n has n relevant items, at the odd ranks: see `of_trec_eval.py`."""
    found = json.loads((GOLDEN / "trec_eval.json").read_text())["hits"]
    many = len(found[version]["0.00"])
    labels = np.zeros((many, 2 * many), "float32")
    for row, number in zip(labels, range(1, many + 1), strict=True):
        row[: 2 * number : 2] = 1
    scores = np.tile(-np.arange(2.0 * many), (many, 1))
    for recall, hits in found[version].items():
        metric = krm.InterpolatedPrecision(
            recall=float(recall), rounding=rounding
        )
        hits = np.array(hits)
        np.testing.assert_allclose(
            values(metric, labels, scores), hits / (2 * hits - 1), rtol=1e-6
        )


# Whether all numbers are accounted for.


@pytest.mark.parametrize("peer", FOUND)
def test_every_number_is_met_or_refused(peer):
    convention = getattr(conventions, peer)
    found = {parts(name)[0] for name in numbers_of(peer)}
    left = found - set(CASES[peer])
    assert left <= set(convention.without)
    assert set(CASES[peer]) <= found
    assert {case.metric for case in CASES[peer].values()} <= set(
        convention.presets
    )
