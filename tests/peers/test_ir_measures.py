"""Every measure of ir_measures: the same number, or the reason for none.

Each is compared with all providers that compute it: pytrec_eval, cwl_eval,
gdeval (a Perl script, which prints five digits) and MS MARCO's. Among tied
documents the order of the items decides in `ties="stable"`, and so it does
there, if the names of the documents go down or up, as the provider has it.
"""

import pathlib
import re

import numpy as np
import pytest
from in_forms import values
from peer_lists import (
    ITEMS,
    LISTS,
    as_documents,
    by_query,
    compare,
    cut_off_lists,
    tied_lists,
)

from keras_rankmetrics import (
    AUC,
    DCG,
    ERR,
    NDCG,
    PrecisionAtK,
    RecallAtK,
    conventions,
    linear_gain,
)

there = pytest.importorskip("ir_measures")
pytestmark = pytest.mark.peers

OURS = conventions.ir_measures
# The providers, the name of the first of tied documents, and how many digits
# they print.
DOWN, UP = f"d{ITEMS - 1:03}", "d000"
PROVIDERS = {
    "pytrec_eval": (DOWN, 1e-6),
    "cwl_eval": (DOWN, 1e-6),
    "gdeval": (DOWN, 1e-5),
    "msmarco": (UP, 1e-6),
}

# cwl_eval divides by the relevant items that are retrieved, unlike what
# ir_measures itself asks, and takes minutes for it.
ANOTHER = {("cwl_eval", "AP")}

# What is asked for of each measure.
ASKED = {
    "AP": ["AP", "AP@3", "AP@10", "AP(rel=2)", "AP(rel=3)@5"],
    "ERR": ["ERR@1", "ERR@5", "ERR@20"],
    "INSQ": ["INSQ(max_rel=1)"],
    "MAP": ["MAP@4"],
    "MRR": ["MRR@4"],
    "NDCG": ["NDCG@4"],
    "P": ["P@1", "P@10", "P@40", "P(rel=2)@5"],
    "Precision": ["Precision@4"],
    "R": ["R@1", "R@10", "R@40", "R(rel=2)@5"],
    "RBP": ["RBP(rel=1)", "RBP(rel=2,p=0.5)"],
    "RPrec": ["RPrec"],
    "RR": ["RR", "RR@1", "RR@10", "RR(rel=2)", "RR(rel=3)@5"],
    "Recall": ["Recall@4"],
    "Rprec": ["Rprec", "Rprec(rel=2)"],
    "SetF": ["SetF", "SetF(beta=0.5)", "SetF(rel=2,beta=2.0)"],
    "SetP": ["SetP", "SetP(rel=2)"],
    "SetR": ["SetR", "SetR(rel=2)"],
    "Success": ["Success@1", "Success@10", "Success(rel=2)@5"],
    "nDCG": [
        "nDCG",
        "nDCG@1",
        "nDCG@10",
        "nDCG@40",
        "nDCG(dcg='exp-log2')@1",
        "nDCG(dcg='exp-log2')@10",
    ],
}


def test_all_that_is_registered_there_is_known_here():
    known = set(OURS.measures) | set(OURS.without)
    assert not set(OURS.measures) & set(OURS.without)
    assert known == set(there.measures.registry)
    assert set(ASKED) == set(OURS.measures)


def test_every_parameter_there_is_known_here():
    for name, measure in OURS.measures.items():
        theirs = there.measures.registry[name].SUPPORTED_PARAMS
        assert set(measure.parameters) == set(theirs), name
        required = {p for p, info in theirs.items() if info.required}
        # Of grades, RBP has no number there either.
        assert set(measure.required) - {"rel"} == required, name


def of_providers(asked):
    """The providers that compute a measure."""
    measure = there.parse_measure(asked)
    for name in PROVIDERS:
        provider = there.providers.registry[name]
        if provider.supports(measure) and (name, measure.NAME) not in ANOTHER:
            if not provider.is_available():
                pytest.skip(f"{name} is not installed")
            yield name, measure


def by_provider(name, measure, data):
    """The value of each list."""
    qrels, run = as_documents(data, PROVIDERS[name][0])
    provider = there.providers.registry[name]
    found = provider.iter_calc([measure], qrels, run)
    return by_query({one.query_id: one.value for one in found})


@pytest.mark.parametrize("asked", [a for name in ASKED for a in ASKED[name]])
def test_measures(asked):
    providers = list(of_providers(asked))
    assert providers
    for lists_of in (cut_off_lists, tied_lists):
        data = lists_of()
        if asked.startswith("INSQ"):
            data = data.binary
        metric = OURS.parse(asked, ties="stable")
        for name, measure in providers:
            theirs = np.array(by_provider(name, measure, data))
            if asked.startswith("INSQ"):
                theirs *= as_if_endless()
            compare(metric, data, theirs, PROVIDERS[name][1])


def as_if_endless():
    """cwl_eval knows the first 1,000 ranks, and INSQ all there are."""
    ranks = np.arange(1, 1_001)
    return np.sum(1.0 / (ranks + 1.0) ** 2) / (np.pi**2 / 6 - 1)


@pytest.mark.parametrize("name", OURS.without)
def test_what_cannot_be_had_says_why(name):
    for asked in (name, f"{name}@5"):
        with pytest.raises(ValueError, match=f"has no {name}: it "):
            OURS.parse(asked)
    with pytest.raises(AttributeError, match=f"has no {name}: it "):
        getattr(OURS, name)


def test_what_is_said_of_accuracy():
    """Where all is retrieved, and there is something of both kinds."""
    data = tied_lists().binary
    kinds = [0 < labels.sum() < len(labels) for labels, _ in data.lists()]
    data = data.where(np.array(kinds))
    qrels, run = as_documents(data)
    found = there.Accuracy.iter_calc(qrels, run)
    theirs = by_query({one.query_id: one.value for one in found})
    compare(AUC(ties="stable"), data, theirs)


def test_what_is_said_of_sdcg():
    data = cut_off_lists()
    theirs = by_provider(
        "cwl_eval", there.parse_measure("SDCG(max_rel=4)@5"), data
    )
    best = 4 * np.sum(1 / np.log2(np.arange(2, 7)))
    compare(DCG(5, linear_gain), data, np.array(theirs) * best)


def test_what_is_said_of_set_ap():
    data = cut_off_lists().binary
    theirs = by_provider("pytrec_eval", there.SetAP, data)
    each = [
        values(m(), data.labels, data.scores) for m in (PrecisionAtK, RecallAtK)
    ]
    np.testing.assert_allclose(each[0] * each[1], theirs, atol=1e-6)


# What is written


@pytest.mark.parametrize(
    "written", ["nDCG@10", " nDCG @ 10 ", "nDCG()@10", "nDCG(cutoff=10)"]
)
def test_spellings(written):
    assert OURS.parse(written).signature == OURS.NDCG(10).signature


def test_a_measure_of_ir_measures_itself():
    metric = OURS.parse(there.P(rel=1) @ 5, inputs="ids", name="p")
    expected = OURS.PrecisionAtK(5, inputs="ids", name="p")
    assert metric.get_config() == expected.get_config()


def test_options_come_last():
    assert OURS.parse("nDCG@10", k=5).k == 5
    assert type(OURS.parse("ERR@20")) is ERR
    assert type(OURS.parse("nDCG(dcg='exp-log2')")) is NDCG


@pytest.mark.parametrize(
    "written, says",
    [
        ("NDGC@10", "has no measure of the name NDGC. It has: AP, ERR"),
        ("P", r"`P` needs cutoff: write `P@\.\.\.`\."),
        ("RBP(p=.9)", r"`RBP` needs rel: write `RBP\(rel=\.\.\.\)`\."),
        ("P(rol=2)@5", "`P` takes no rol. It takes: cutoff, rel, judged_only"),
        ("Rprec@5", r"`Rprec` takes no cutoff\. It takes: rel, judged_only"),
        ("P(2)@5", "is no measure. Write it as `ir_measures` does"),
        ("P@5@6", "is no measure"),
        ("P@", "is no measure"),
        ("P@x", "is no measure"),
        ("", "is no measure"),
        ("nDCG(dcg='ln')", "`nDCG` with dcg='ln': expected one of: log2, exp-"),
        ("nDCG(dcg=['log2'])", "expected one of: log2, exp-log2"),
        ("nDCG(gains={1:2})", "a `gain_fn` of your own"),
        ("AP(judged_only=True)", "a label below 0. Only False can be had"),
        ("INSQ(max_rel=4)", "divide them by max_rel. Only 1 can be had"),
        ("INSQ(max_rel=1,T=2.)", "Only 1.0 can be had"),
        ("P@0", "k"),
    ],
)
def test_what_is_no_measure(written, says):
    with pytest.raises(ValueError, match=says):
        OURS.parse(written)


def test_the_docs_have_all_of_them():
    docs = pathlib.Path(__file__).parents[2] / "docs" / "coming_from.md"
    _, _, section = docs.read_text().partition("\n## ir_measures\n")
    section, _, _ = section.partition("\n## ")
    here, _, without = section.partition("The others have no metric")
    named = re.compile(r"`(\w+)[`(]")
    assert set(OURS.without) <= set(named.findall(without))
    for name in OURS.measures:
        assert name in named.findall(here), name


def test_as_many_lists_as_are_said():
    assert LISTS >= 1_000
