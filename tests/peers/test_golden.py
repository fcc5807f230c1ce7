"""The numbers of packages that cannot be installed beside Keras 3.

They were written by the packages themselves, in environments of their own, by
`tests/peers/golden/run`. Each file has the versions, too.
"""

import dataclasses
import json
import pathlib
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
    if path.stem != "data"
}


@dataclasses.dataclass(frozen=True)
class Case:
    """A metric of the convention, and what it is computed of.

    `of` names the form of the data below.
    """

    metric: str
    of: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)


def ids(relevant, recommended):
    width = max(map(len, [*relevant, *recommended]))
    return padded(relevant, width), padded(recommended, width)


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


FORMS = {
    "short": ids(DATA["short_relevant"], DATA["short_recommended"]),
    "full": ids(DATA["relevant"], DATA["recommended"]),
    "lists": lists(DATA["scores"]),
    "subtopics": subtopics(),
    "judgements": lists(DATA["scores"], DATA["judgements"]),
    "tied": lists(DATA["tied_scores"]),
    "catalogue": catalogue(DATA["scores_of_all"]),
    "tied catalogue": catalogue(
        np.ceil(np.array(DATA["scores_of_all"]) / 4),
    ),
}

# Which metric each number is. What a package computes at several cutoffs has
# one row.
CASES = {
    "lenskit": {
        "DCG": Case("DCG", "short"),
        "Hit": Case("HitRateAtK", "short"),
        "NDCG": Case("NDCG", "short"),
        "Precision": Case("PrecisionAtK", "short"),
        "RBP": Case("RankBiasedPrecision", "short"),
        "RBP(patience=0.5)": Case("RankBiasedPrecision", "short", {"p": 0.5}),
        "Recall": Case("RecallAtK", "short"),
        "RecipRank": Case("MeanReciprocalRank", "short"),
    },
    "recbole": {
        "GAUC": Case("AUC", "catalogue"),
        "GAUC(tied)": Case("AUC", "tied catalogue"),
        "Hit": Case("HitRateAtK", "catalogue"),
        "MAP": Case("MeanAveragePrecision", "catalogue"),
        "MRR": Case("MeanReciprocalRank", "catalogue"),
        "NDCG": Case("NDCG", "catalogue"),
        "Precision": Case("PrecisionAtK", "catalogue"),
        "Recall": Case("RecallAtK", "catalogue"),
    },
    "rectools": {
        "F1Beta(beta=2)": Case("FBetaAtK", "full", {"beta": 2.0}),
        "HitRate": Case("HitRateAtK", "full"),
        "MAP": Case("MeanAveragePrecision", "full"),
        "MRR": Case("MeanReciprocalRank", "full"),
        "PartialAUC": Case("AUC", "catalogue"),
        "Precision": Case("PrecisionAtK", "full"),
        "Recall": Case("RecallAtK", "full"),
    },
    "replay": {
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
        "Precision": Case("PrecisionAtK", "lists"),
        "Recall": Case("RecallAtK", "lists"),
    },
}

# The classes that other numbers wait for: they are not here yet.
WAITING = {
    "lenskit": {
        "ExposureGini": "ExposureGini",
        "ExposureGini(log)": "ExposureGini",
        "ListGini": "ExposureGini",
        "MeanPopRank": "AveragePopularity",
    },
    "recbole": {
        "AveragePopularity": "AveragePopularity",
        "GiniIndex": "ExposureGini",
        "ItemCoverage": "CatalogueCoverage",
        "ShannonEntropy": "ExposureEntropy",
        "TailPercentage": "TailShare",
    },
    "rectools": {
        "AvgRecPopularity(normalize=False)": "AveragePopularity",
        "AvgRecPopularity(normalize=True)": "AveragePopularity",
        "CatalogCoverage": "CatalogueCoverage",
        "CatalogCoverage(normalize=True)": "CatalogueCoverage",
        "IntraListDiversity": "IntraListDiversity",
        "MeanInvUserFreq": "Novelty",
        "Serendipity": "Serendipity",
    },
    "replay": {
        "Coverage": "CatalogueCoverage",
        "Surprisal": "Novelty",
    },
    "tf_ranking": {
        "OPA": "OrderedPairAccuracy",
        "OPA(tied)": "OrderedPairAccuracy",
    },
}


def parts(name):
    """The name of a number without its cutoff, and the cutoff."""
    name, _, cutoff = name.partition("@")
    return name, int(cutoff) if cutoff else None


def numbers_of(peer):
    """The names of the numbers, but for what lists weigh."""
    return [
        name
        for name in FOUND[peer]
        if name != "versions" and not name.endswith("weights")
    ]


def made(peer, name):
    """The metric, and what it is computed of."""
    name, k = parts(name)
    case = CASES[peer][name]
    options = dict(case.options)
    if k is not None:
        options["k"] = k
    if case.of in ("short", "full"):
        options["inputs"] = "ids"
    preset = getattr(getattr(conventions, peer), case.metric)
    return preset(**options), FORMS[case.of]


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
def test_numbers(peer, name):
    metric, batch = made(peer, name)
    expected = theirs(peer, name)
    if expected.ndim == 0:  # a mean over all lists
        relevant = batch[0].sum(axis=1)
        mean = float(metric(*batch, relevant))
        assert mean == pytest.approx(float(expected), abs=1e-6)
        return
    ours = np.nan_to_num(values(metric, *batch))
    np.testing.assert_allclose(ours, expected, rtol=1e-6, atol=1e-6)


def test_the_mean_of_average_relevance_positions_there():
    """It is over all relevance, not over lists: the weights say so."""
    metric, batch = made("tf_ranking", "ARP")
    weights = theirs("tf_ranking", "ARP weights")
    expected = np.average(theirs("tf_ranking", "ARP"), weights=weights)
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


# Whether all numbers are accounted for.


@pytest.mark.parametrize("peer", FOUND)
def test_every_number_is_met_or_waited_for_or_refused(peer):
    convention = getattr(conventions, peer)
    found = {parts(name)[0] for name in numbers_of(peer)}
    left = found - set(CASES[peer]) - set(WAITING[peer])
    assert left <= set(convention.without)
    assert set(CASES[peer]) | set(WAITING[peer]) <= found
    assert {case.metric for case in CASES[peer].values()} <= set(
        convention.presets
    )


@pytest.mark.parametrize("peer", WAITING)
def test_no_class_that_is_here_is_waited_for(peer):
    for name in WAITING[peer].values():
        assert not hasattr(krm, name), f"{peer}: {name} is here: add its row"


@pytest.mark.parametrize("peer", FOUND)
def test_versions_are_beside_the_numbers(peer):
    assert {"python", "numpy"} < set(FOUND[peer]["versions"])
    assert (GOLDEN / f"of_{peer}.py").exists()
    assert f" {peer})" in (GOLDEN / "run").read_text()
