"""Every measure of ir_measures: the same number, or the reason for none.

Each is compared with all providers that compute it: pytrec_eval, cwl_eval,
gdeval (a Perl script, which prints five digits) and MS MARCO's. Among tied
documents the order of the items decides in `ties="stable"`, and so it does
there, if the names of the documents go down or up, as the provider has it.
"""

import csv
import pathlib
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from in_forms import values
from peer_lists import (
    ITEMS,
    LISTS,
    Data,
    as_documents,
    by_query,
    compare,
    cut_off_lists,
    tied_lists,
)

import keras_rankmetrics as krm
import krm_command
from keras_rankmetrics import conventions

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
    "judged": (UP, 1e-6),
    "msmarco": (UP, 1e-6),
    "pyndeval": (UP, 1e-6),
}

# cwl_eval divides by the relevant items that are retrieved, unlike what
# ir_measures itself asks, and takes minutes for it.
ANOTHER = {("cwl_eval", "AP")}

# What is asked for of each measure.
ASKED = {
    "AP": [
        "AP(judged_only=True)",
        "AP",
        "AP@3",
        "AP@10",
        "AP(rel=2)",
        "AP(rel=3)@5",
    ],
    "AP_IA": ["AP_IA"],
    "BPref": ["BPref"],
    "Bpref": ["Bpref", "Bpref(rel=2)"],
    "ERR": ["ERR@1", "ERR@5", "ERR@20"],
    "INSQ": ["INSQ(max_rel=1)"],
    "IPrec": [
        "IPrec@0.0",
        "IPrec@0.3",
        "IPrec(judged_only=True)@0.7",
        "IPrec@1.0",
    ],
    "Judged": ["Judged@1", "Judged@10", "Judged"],
    "MAP": ["MAP@4"],
    "MAP_IA": ["MAP_IA(rel=2)"],
    "MRR": ["MRR@4"],
    "NDCG": ["NDCG@4"],
    "NRBP": ["NRBP", "NRBP(alpha=0.2,beta=0.8,rel=2)"],
    "NumRelRet": ["NumRelRet"],
    "NumRet": ["NumRet", "NumRet(rel=1)", "NumRet(rel=2)"],
    "P_IA": ["P_IA@1", "P_IA@5", "P_IA(rel=2)@20"],
    "P": ["P(judged_only=True)@5", "P@1", "P@10", "P@40", "P(rel=2)@5"],
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
    "StRecall": ["StRecall@1", "StRecall@5", "StRecall(rel=2)@20"],
    "Success": ["Success@1", "Success@10", "Success(rel=2)@5"],
    "alpha_nDCG": ["alpha_nDCG@5", "alpha_nDCG(alpha=0.2,rel=2)@20"],
    "nERR_IA": ["nERR_IA@5", "nERR_IA(rel=2)@20"],
    "nNRBP": ["nNRBP", "nNRBP(alpha=0.2,beta=0.8,rel=2)"],
    "α_nDCG": ["α_nDCG@3"],
    "nDCG": [
        "nDCG(judged_only=True)@10",
        "nDCG",
        "nDCG@1",
        "nDCG@10",
        "nDCG@40",
        "nDCG(dcg='exp-log2')@1",
        "nDCG(dcg='exp-log2')@10",
    ],
}


def test_queries_that_nobody_has_judged_count():
    qrels = {
        "judged": {"a": 1, "b": 0, "c": 1},
        "not judged": {"a": -1, "b": -1},
        "nor its first": {"a": -1, "b": 1},
    }
    run = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    names = ["Bpref", "RR(judged_only=True)", "AP(judged_only=True)"]
    found = krm.evaluate(qrels, run, names, convention="ir_measures")
    asked = [*map(there.parse_measure, names)]
    expected = there.calc_aggregate(asked, qrels, run)
    for name, measure in zip(names, asked, strict=True):
        assert found[name] == pytest.approx(expected[measure], abs=1e-6)


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
        provider = there_is(name)
        if provider.supports(measure) and (name, measure.NAME) not in ANOTHER:
            if not provider.is_available():
                pytest.skip(f"{name} is not installed")
            yield name, measure


def by_provider(name, measure, data, judged=None):
    """The value of each list, of which some items may be judged alone."""
    qrels, run = as_documents(data, PROVIDERS[name][0])
    if judged is not None:
        there = data.labels >= 0
        for documents, known in zip(
            qrels.values(), judged & there, strict=True
        ):
            for document, is_known in zip(
                list(documents), known[: len(documents)], strict=True
            ):
                if not is_known:
                    del documents[document]
    provider = there_is(name)
    found = provider.iter_calc([measure], qrels, run)
    return by_query({one.query_id: one.value for one in found})


def there_is(name):
    return there.providers.registry[name]


def of_kind(kind):
    """What is asked of measures that are tested alike."""
    return [
        asked
        for name, several in ASKED.items()
        for asked in several
        if kind == kind_of(name, asked)
    ]


def kind_of(name, asked):
    if OURS.measures[name].metric.reads == "subtopics":
        return "subtopics"
    if name == "IPrec":
        return "recalls"
    if name in ("Judged", "Bpref", "BPref") or "judged_only" in asked:
        return "judgements"
    return "labels"


@pytest.mark.parametrize("asked", of_kind("labels"))
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


@pytest.mark.parametrize("asked", of_kind("judgements"))
def test_measures_of_what_is_judged(asked):
    """Where something is retrieved: else Judged is 0 over 0 there.

    A list of which nothing is judged is no query there.
    """
    providers = list(of_providers(asked))
    assert providers
    some = np.random.default_rng(8).random((LISTS, ITEMS)) < 0.7
    for lists_of in (cut_off_lists, tied_lists):
        data = lists_of()
        shown = (data.labels >= 0) & (data.scores > -np.inf)
        known = (data.labels >= 0) & some
        kept = shown.any(axis=1) & known.any(axis=1)
        data = data.where(kept)
        judged = some[np.resize(np.flatnonzero(kept), LISTS)]
        labels = np.where(
            (data.labels >= 0) & ~judged, krm.UNJUDGED, data.labels
        )
        for name, measure in providers:
            theirs = by_provider(name, measure, data, judged)
            metric = OURS.parse(asked, ties="stable")
            compare(metric, Data(labels, data.scores), theirs)


@pytest.mark.parametrize("asked", of_kind("recalls"))
@pytest.mark.parametrize("lists_of", [cut_off_lists, tied_lists])
def test_measures_at_recalls(asked, lists_of):
    """Where all is judged. Of nothing retrieved, pytrec_eval divides by 0."""
    ((name, measure),) = of_providers(asked)
    data = lists_of()
    theirs = np.nan_to_num(by_provider(name, measure, data))
    compare(OURS.parse(asked, ties="stable"), data, theirs)


def is_over_the_best(asked):
    """Return whether the greedy order is what a measure divides by."""
    return there.parse_measure(asked).NAME in ("alpha_nDCG", "nERR_IA", "nNRBP")


@pytest.mark.parametrize(
    "asked, values_of_scores",
    [
        (asked, values)
        for asked in of_kind("subtopics")
        for values in ([ITEMS] if is_over_the_best(asked) else [ITEMS, 6])
    ],
)
def test_measures_of_subtopics(asked, values_of_scores):
    """With ties, unless over the greedy order.

    Of tied documents the first by name comes first there, and of those that
    are as good in the greedy order the last: here the first item in both.
    """
    ((_, measure),) = of_providers(asked)
    over_the_best = is_over_the_best(asked)
    labels, scores = subtopic_lists(values_of_scores)
    theirs = of_subtopics(measure, labels, scores, over_the_best)
    if measure.NAME == "nNRBP":  # without relevant items it divides 0 by 0
        theirs = np.nan_to_num(theirs)
    metric = OURS.parse(asked, ties="stable")
    compare(metric, Data(labels, scores), theirs)


def of_subtopics(measure, labels, scores, down=False):
    """What pyndeval says; the names of the documents may go down."""
    names = [f"d{item:03}" for item in range(labels.shape[1])]
    if down:
        names.reverse()
    qrels = [
        there.Qrel(f"{query:05}", names[item], int(label), str(subtopic))
        for (query, item, subtopic), label in np.ndenumerate(labels)
    ]
    run = [
        there.ScoredDoc(f"{query:05}", names[item], float(score))
        for (query, item), score in np.ndenumerate(scores)
    ]
    found = there_is("pyndeval").iter_calc([measure], qrels, run)
    return by_query({one.query_id: one.value for one in found})


@pytest.mark.parametrize("form", ["records", "frame", "file", "command"])
@pytest.mark.parametrize("seed", [0, 1])
def test_subtopics_by_id(form, seed, tmp_path):
    """All measures at once, with ties, grades and unjudged documents."""
    if not there_is("pyndeval").is_available():
        pytest.skip("pyndeval is not installed")
    qrels, run = diversity(seed)
    names = [x for x in of_kind("subtopics") if "judged_only" not in x]
    measures = [there.parse_measure(name) for name in names]
    expected = {str(measure): {} for measure in measures}
    for measure in measures:
        found = there_is("pyndeval").iter_calc([measure], qrels, run)
        expected[str(measure)] = {x.query_id: x.value for x in found}
    truth, system = tmp_path / "qrels", tmp_path / "run"
    truth.write_text(
        "".join(
            f"{x.query_id} {x.iteration} {x.doc_id} {x.relevance}\n"
            for x in qrels
        )
    )
    system.write_text(
        "".join(f"{x.query_id} Q0 {x.doc_id} 0 {x.score!r} t\n" for x in run)
    )
    if form == "command":
        output = tmp_path / "values.csv"
        command = ["eval", truth, system, "--per-list", output]
        command += ["--convention", "ir_measures", "-m", " ".join(names)]
        assert krm_command.main([*map(str, command)]) == 0
        rows = csv.DictReader(output.read_text().splitlines())
        ours = {row["query"]: row for row in rows}
    else:
        inputs = {
            "records": (iter(qrels), iter(run)),
            "frame": (pd.DataFrame(qrels), pd.DataFrame(run)),
            "file": (truth, system),
        }
        values = krm.evaluate(*inputs[form], names, convention="ir_measures")
        columns = values.per_list()
        ours = {
            query: {name: columns[name][place] for name in values}
            for place, query in enumerate(values.measured.lists)
        }
    assert len(ours) == len({x.query_id for x in qrels})
    for name, measure in zip(names, measures, strict=True):
        theirs = expected[str(measure)]
        for query, row in ours.items():
            gap = float(row[name]) - theirs.get(query, 0.0)
            assert abs(gap) <= 1e-6, (name, query)


def diversity(seed):
    """Judgements of some documents for some subtopics, and a run."""
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for query in (f"q{number}" for number in range(40)):
        subtopics = int(rng.integers(1, 7))
        for document in rng.choice(60, 30, replace=False).tolist():
            number = rng.integers(1, subtopics + 1)
            qrels += [
                there.Qrel(query, f"d{document}", int(label), str(subtopic))
                for subtopic, label in zip(
                    rng.choice(subtopics, number, replace=False),
                    rng.choice([-2, 0, 0, 1, 2], number),
                    strict=True,
                )
            ]
        retrieved = 0 if query == "q7" else rng.integers(1, 40)
        run += [
            there.ScoredDoc(query, f"d{document}", float(rng.integers(0, 8)))
            for document in rng.choice(80, retrieved, replace=False).tolist()
        ]
    return [qrels[x] for x in rng.permutation(len(qrels))], run


def subtopic_lists(values_of_scores):
    """Grades of 0 to 2 for each of some items and subtopics."""
    rng = np.random.default_rng(6)
    shape = LISTS, 10, 4
    found = rng.random(shape) < 0.7 * rng.random((LISTS, 1, 1))
    labels = rng.integers(1, 3, shape) * found
    labels[:50] = 0
    order = np.tile(np.arange(shape[1]), (LISTS, 1))
    scores = rng.permuted(order, axis=1) * values_of_scores // ITEMS
    return labels.astype("float32"), scores.astype("float32")


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
    compare(krm.AUC(ties="stable"), data, theirs)


def test_what_is_said_of_sdcg():
    pytest.importorskip("cwl")
    data = cut_off_lists()
    theirs = by_provider(
        "cwl_eval", there.parse_measure("SDCG(max_rel=4)@5"), data
    )
    best = 4 * np.sum(1 / np.log2(np.arange(2, 7)))
    compare(krm.DCG(5, krm.linear_gain), data, np.array(theirs) * best)


def test_what_is_said_of_set_ap():
    data = cut_off_lists().binary
    theirs = by_provider("pytrec_eval", there.SetAP, data)
    each = [
        values(m(), data.labels, data.scores)
        for m in (krm.PrecisionAtK, krm.RecallAtK)
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


@pytest.mark.parametrize("seed", range(20))
def test_each_tool_in_it_orders_ties_its_own_way(seed):
    """pytrec_eval, its own code and cwl_eval: three orders in one table."""
    rng = np.random.default_rng(seed)
    qrels, run = [], []
    for query in ("q1", "q2", "q3"):
        judged, retrieved = (rng.permutation(8)[:6] for _ in range(2))
        for item in judged:
            label = int(rng.integers(-1, 4))
            qrels.append(there.Qrel(query, f"d{item}", label))
        for item in retrieved:
            score = float(rng.integers(3)) + float(rng.integers(2)) * 1e-12
            run.append(there.ScoredDoc(query, f"d{item}", score))
    names = "AP RR@2 nDCG@4 RR RBP(rel=1) RBP(rel=2,p=0.5) Judged@1 Judged@4"
    found = krm.evaluate(qrels, run, names, convention="ir_measures")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names.split():
            measure = there.parse_measure(name)
            [value] = there.calc_aggregate([measure], qrels, run).values()
            assert found[name] == pytest.approx(value, abs=1e-6), name
    [note] = [x for x in found.report.notes if "order" in x]
    assert note == (
        "Items of equal score are in the order of their ids, the last one "
        "first; those of `RR@2` in that of their ids, the first one first; "
        "those of `RBP(rel=1)`, `RBP(rel=2,p=0.5)` in that of the run; those "
        "of `Judged@1`, `Judged@4` in that of their ids, the first one first."
    )
    alone = krm.evaluate(qrels, run, "RR@2", convention="ir_measures")
    assert alone["RR@2"] == found["RR@2"]
    twice = krm.compare(
        qrels, {"one": run, "two": run}, names, convention="ir_measures"
    )
    assert twice.per_list()["RR@2"] == found.per_list()["RR@2"] * 2
    once = krm.evaluate(iter(qrels), iter(run), names, convention="ir_measures")
    assert dict(once) == dict(found)


def test_scores_of_err_are_compared_in_float64():
    qrels = [there.Qrel("1", "a", 1), there.Qrel("1", "b", 0)]
    run = [there.ScoredDoc("1", *x) for x in (("a", 1 + 1e-9), ("b", 1.0))]
    found = krm.evaluate(qrels, run, "ERR@3 nDCG@3", convention="ir_measures")
    theirs = there.calc_aggregate([there.ERR @ 3, there.nDCG @ 3], qrels, run)
    for measure, value in theirs.items():
        assert found[str(measure)] == pytest.approx(value, abs=1e-5)
    assert found["ERR@3"] == pytest.approx(0.0625)  # a is first


def test_any_names_of_metrics_are_in_the_note():
    truth, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    names = ["my:rr|x", "ties"]
    metrics = [krm.MeanReciprocalRank(2, name=x, ties="stable") for x in names]
    with pytest.warns(UserWarning, match="should be text"):
        found = krm.evaluate(
            truth, run, [krm.NDCG(3), *metrics], convention="ir_measures"
        )
    assert "of `my:rr/x`, `ties` in that of" in " ".join(found.report.notes)


def test_options_come_last():
    assert OURS.parse("nDCG@10", k=5).k == 5
    assert type(OURS.parse("ERR@20")) is krm.ERR
    assert type(OURS.parse("nDCG(dcg='exp-log2')")) is krm.NDCG


@pytest.mark.parametrize(
    "written, says",
    [
        ("NDGC@10", "has no measure NDGC. It has: AP, "),
        ("P", r"`P` needs cutoff: write `P@\.\.\.`\."),
        ("RBP(p=.9)", r"`RBP` needs rel: write `RBP\(rel=\.\.\.\)`\."),
        ("P(rol=2)@5", "no parameter rol. It has: cutoff, rel, judged_only"),
        ("Rprec@5", r"no parameter cutoff\. It has: rel, judged_only"),
        ("P(2)@5", r"Received: 'P\(2\)@5'"),
        ("P@5@6", "Received: 'P@5@6'"),
        ("P@", "Received: 'P@'"),
        ("P@x", "Received: 'P@x'"),
        ("", "Received: ''"),
        (
            "nDCG(dcg='ln')",
            "`nDCG` with dcg='ln': it should be 'log2' or 'exp-",
        ),
        ("nDCG(dcg=['log2'])", "it should be 'log2' or 'exp-log2'"),
        ("nDCG(gains={1:2})", "a `gain_fn` of your own"),
        (
            "INSQ(max_rel=4)",
            "it should be 1. Labels are gains: divide them by max_rel",
        ),
        ("INSQ(max_rel=1,T=2.)", "T=2.0: it should be 1.0"),
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
    here, _, without = section.partition("raises an error for the others")
    named = re.compile(r"`(\w+)[`(]")
    assert set(OURS.without) <= set(named.findall(without))
    for name in OURS.measures:
        assert name in named.findall(here), name


def test_as_many_lists_as_are_said():
    assert LISTS >= 1_000
