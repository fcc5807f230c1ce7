"""`evaluate`: a system of any form, its values, errors and groups."""

import importlib.util

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import keras_rankmetrics as krm

QRELS = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}, "q3": {"d4": 0}}
RUN = {"q1": {"d3": 0.9, "d1": 0.5}, "q2": {"d3": 0.7, "d2": 0.1}}
METRICS = "NDCG@10 RR Recall@2"
ITEMS = ["d1", "d2", "d3", "d4"]
IDS = np.array([[2, 0, -1], [2, 1, -1], [-1, -1, -1]])
SCORES = np.array([[0.9, 0.5, 9], [0.7, 0.1, 9], [9, 9, 9]], "float32")
NAMES = {"query_ids": list(QRELS), "item_ids": ITEMS}
ROWS = [(q, d, s) for q, scores in RUN.items() for d, s in scores.items()]
HITS = [
    [{"corpus_id": ITEMS.index(d), "score": s} for d, s in RUN[q].items()]
    for q in RUN
]


def columns(*names):
    return dict(zip(names, map(list, zip(*ROWS, strict=True)), strict=True))


def values(run, truth=QRELS, **options):
    return dict(krm.evaluate(truth, run, METRICS, **options))


EXPECTED = values(RUN)


@pytest.mark.parametrize(
    "run, options",
    [
        ((IDS, SCORES), NAMES),
        ((SCORES, IDS), NAMES),
        ((SCORES.tolist(), IDS.tolist()), NAMES),
        ((IDS, -SCORES), {**NAMES, "higher_is_better": False}),
        ((np.array(ITEMS)[IDS[:2, :2]], SCORES[:2, :2]), {"query_ids": [*RUN]}),
        (
            [(IDS[i, :2].tolist(), SCORES[i, :2].tolist()) for i in (0, 1)],
            {"query_ids": [*RUN], "item_ids": ITEMS},
        ),
        ([*HITS, []], NAMES),
        (dict(zip(RUN, HITS, strict=True)), {"item_ids": ITEMS}),
        ({q: list(scores.items()) for q, scores in RUN.items()}, {}),
        ([[*scores.items()] for scores in RUN.values()], {"query_ids": [*RUN]}),
        ({q: list(scores) for q, scores in RUN.items()}, {}),
        ({q: tuple(scores) for q, scores in RUN.items()}, {}),
        ({q: np.array([*scores]) for q, scores in RUN.items()}, {}),
        ([list(scores) for scores in RUN.values()], {"query_ids": [*RUN]}),
        (
            [list(scores) for scores in RUN.values()],
            {"query_ids": [*RUN], "higher_is_better": False},
        ),
        (
            np.array([list(scores) for scores in RUN.values()]),
            {"query_ids": [*RUN]},
        ),
        (columns("query_id", "corpus-id", "score"), {}),
        (
            columns("Q", "D", "S"),
            {"columns": {"query": "Q", "item": "D", "score": "S"}},
        ),
        ([{"qid": q, "docno": d, "score": s} for q, d, s in ROWS], {}),
        (krm.Rows(*(np.array(x) for x in columns(0, 1, 2).values())), {}),
    ],
)
def test_forms_of_runs(run, options):
    assert values(run, **options) == EXPECTED


def test_forms_of_truths():
    binary = {
        q: {d: min(x, 1) for d, x in of.items()} for q, of in QRELS.items()
    }
    expected = values(RUN, binary)
    relevant = {q: [d for d, x in of.items() if x] for q, of in binary.items()}
    for truth in (
        relevant,
        {q: set(of) for q, of in relevant.items()},
        {q: frozenset(of) for q, of in relevant.items()},
    ):
        assert values(RUN, truth) == expected
    names = {"query_ids": list(QRELS)}
    assert values(RUN, list(relevant.values()), **names) == expected


def test_integers_next_to_search_results_are_ids():
    run = (
        np.array([[0.9, 0.1], [0.3, 0.2]], "float32"),
        np.array([[1, 3], [0, 7]]),
    )
    for truth in ([3, 7], [[3], [7]], np.array([[3, -1], [7, -1]]), [[3], {7}]):
        assert dict(krm.evaluate(truth, run, "RR P@1")) == {"RR": 0.5, "P@1": 0}
    with pytest.raises(ValueError, match="the item 0 of the query 0 twice"):
        krm.evaluate([[0, 1, 0], [1, 0, 0]], run, "RR")  # labels are no ids


def test_arrays_take_the_forms_of_update_state():
    labels, scores = [[1, 0, 0], [0, 0, 1]], [[0.1, 0.2, 0.3], [0.1, 0.2, 0.3]]
    found = krm.evaluate(labels, scores, [krm.NDCG(k=3), "RR"])
    assert found["ndcg@3"] == pytest.approx(0.75)
    assert found["RR"] == pytest.approx(2 / 3)
    ids = krm.evaluate([[7, 9]], [[3, 7, 5]], krm.RecallAtK(2, inputs="ids"))
    assert dict(ids) == {"recall@2": 0.5}


def test_inputs_in_order_have_the_same_queries():
    truth = [["d1"], ["d2"], ["d3"]]
    for run in ([["d1"], ["d3"]], ([[1], [2]], [[0.5], [0.4]])):
        with pytest.raises(
            ValueError, match=r"3 queries in the truth and 2 in"
        ):
            krm.evaluate(truth, run, "RR")
    found = krm.evaluate(truth, [["d1"], [], ["d3"]], "RR")
    assert found.per_list()["RR"] == [1, 0, 1]


# The result.


def test_a_result_is_a_mapping_with_errors():
    found = krm.evaluate(QRELS, RUN, METRICS)
    assert list(found) == ["NDCG@10", "RR", "Recall@2"] and len(found) == 3
    rr = found.estimates["RR"]
    assert (rr.value, rr.lists) == (found["RR"], 3)
    assert rr.standard_error == pytest.approx(
        np.std([0.5, 1, 0], ddof=1) / 3**0.5
    )
    assert found.per_list()["query"] == ["q1", "q2", "q3"]
    assert found.per_list()["RR"] == [0.5, 1, 0]
    assert set(found.per_list()) == {"query", *found}
    assert found.judged == 0.5
    assert found.groups == {}
    text = str(found)
    assert text.splitlines()[0].split() == list(found)
    assert text.splitlines()[1].startswith("all  0.")
    assert "q" not in found.to_csv().partition("\n")[0].split(",")
    again = krm.Evaluated.from_json(found.to_json())
    assert dict(again) == dict(found) and str(again) == text
    assert "<table" in found._repr_html_()


def test_groups_have_the_values_of_their_queries():
    truth = {f"q{i}": {"a": 1} for i in range(40)}
    run = {q: ["x"] * 0 + ["b", "a"][i % 3 == 0 :] for i, q in enumerate(truth)}
    groups = {q: "head" if i < 10 else "tail" for i, q in enumerate(truth)}
    found = krm.evaluate(truth, run, "RR P@1", groups=groups)
    assert list(found.groups) == ["head", "tail"]
    for group, estimates in found.groups.items():
        part = {q: x for q, x in truth.items() if groups[q] == group}
        alone = krm.evaluate(part, run, "RR P@1")
        assert estimates == alone.estimates
    assert "The lists of each group: head 10, tail 30." in str(found)
    assert found.per_list()["group"] == list(groups.values())
    if importlib.util.find_spec("pandas"):
        frame = found.to_pandas()
        assert list(frame["group"]) == ["all"] * 2 + ["head"] * 2 + ["tail"] * 2


def test_groups_of_compared_systems_have_tests():
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, (60, 8))
    good, bad = labels + random.normal(size=(2, 60, 8)) * [[[0.5]], [[2.0]]]
    groups = ["even", "odd"] * 30
    compared = krm.compare(
        labels, {"bad": bad, "good": good}, krm.NDCG(k=3), groups=groups
    )
    assert compared.report.systems == (
        *("bad", "good", "even: bad", "even: good", "odd: bad", "odd: good"),
    )
    assert compared.report.comparisons == 3  # Holm corrects for all of them
    for row, group in ((3, "even"), (5, "odd")):
        [cell] = compared.report.cells[row]
        rows = np.array(groups) == group
        alone = krm.compare(
            labels[rows], {"bad": bad[rows], "good": good[rows]}, krm.NDCG(k=3)
        )
        [[_], [expected]] = alone.report.cells
        assert cell.value == expected.value
        assert cell.difference.p == expected.difference.p
        assert cell.difference.p_holm >= cell.difference.p
    saved = krm.Compared.from_json(compared.to_json())
    assert saved.report == compared.report
    other = krm.compare(labels, {"x": bad}, krm.NDCG(k=3), groups=groups[::-1])
    with pytest.raises(ValueError, match="the same groups"):
        compared.join(other)


# Options of reading.


@pytest.mark.long
@given(st.data())
def test_shuffled_search_results_have_the_same_values(data):
    ids = data.draw(st.permutations(range(8)))
    scores = data.draw(
        st.lists(st.floats(-4, 4, width=16), min_size=8, max_size=8)
    )
    scores = [0.0, 9.0, *scores[2:-1], -9.0]  # neither ascends nor descends
    truth = {"q": {3: 1, 5: 2, 99: 1}}
    run = {"q": dict(zip(ids, scores, strict=True))}
    expected = dict(krm.evaluate(truth, run, "NDCG@3 AP"))
    rows = np.array([ids]), np.array([scores], "float64")
    found = krm.evaluate(truth, rows, "NDCG@3 AP", query_ids=["q"])
    assert dict(found) == expected


# Errors.


@pytest.mark.parametrize(
    "run, options, error, text",
    [
        ((IDS, SCORES), {}, TypeError, "`query_ids`"),
        (
            (IDS, SCORES),
            {"query_ids": ["q1"]},
            ValueError,
            "query_ids.* 3 in all",
        ),
        (
            (IDS, SCORES),
            {"query_ids": [*QRELS], "item_ids": ["d1"]},
            ValueError,
            "from 0 to 0, the places in `item_ids`.* Received: 2",
        ),
        ((IDS, SCORES), {"query_ids": [*QRELS]}, TypeError, "pass `item_ids`"),
        ((IDS, SCORES[:, :2]), NAMES, ValueError, "one shape"),
        ({"x": {"d1": 1.0}}, {}, ValueError, "Some queries of `run` should be"),
        (np.ones((3, 4)), {}, ValueError, "Received: ids in the truth, and"),
        (RUN, {"groups": {"q1": "a"}}, ValueError, "none for 2 of 3"),
        (RUN, {"convention": "nope"}, ValueError, "No convention has the name"),
        (RUN, {"duplicates": "last"}, ValueError, "duplicates"),
        (RUN, {"columns": {"quer": "x"}}, ValueError, "columns"),
    ],
)
def test_refused(run, options, error, text):
    with pytest.raises(error, match=text):
        krm.evaluate(QRELS, run, METRICS, **options)
