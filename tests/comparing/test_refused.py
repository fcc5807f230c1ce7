"""What `compare` refuses, and that it says what was wrong."""

import numpy as np
import pytest
from runs import drawn, rows_of

import keras_rankmetrics as krm

TRUTH = {"a": {"x": 1, "y": 0}, "b": {"x": 1}}
RUN = {"a": {"x": 1.0}, "b": {"x": 1.0}}
ROWS = rows_of(RUN)
MRR = krm.MeanReciprocalRank()


@pytest.mark.parametrize("encode", [str, str.encode])
def test_items_that_come_twice_are_named(encode):
    ids = (np.array([*map(encode, x)]) for x in ("abaa", "xyyx"))
    twice = krm.Rows(*ids, np.arange(4.0))
    truth, run = (
        {encode(q): {encode(i): y for i, y in x[q].items()} for q in x}
        for x in (TRUTH, RUN)
    )
    best = r"in the system 's'\. Remove one, or pass `duplicates=\"best\"`"
    with pytest.raises(ValueError, match=r"'x' of the query 'a' twice " + best):
        krm.compare(truth, {"s": twice}, MRR)
    with pytest.raises(
        ValueError, match=r"'a' twice in the truth\. .* one\. If"
    ):
        krm.compare(twice, {"s": run}, MRR, duplicates="best")
    unknown = twice._replace(query=np.array([*map(encode, "zbzz")]))
    with pytest.raises(ValueError, match=r"item 'x' of the query 'z'"):
        krm.compare(truth, {"s": unknown}, MRR)


@pytest.mark.parametrize("query", ["a", "z"])
def test_a_query_that_returns_is_named(query):
    def chunk(name):
        return krm.Rows(np.array([name]), np.array(["x"]), np.ones(1))

    for given in (iter, list):
        run = given([chunk(query), chunk("b"), chunk(query)])
        with pytest.raises(ValueError, match=f"the query '{query}' in several"):
            krm.compare(TRUTH, {"s": run}, MRR)


OF_NAN = {"a": {"x": float("nan")}}
UNEVEN, TEXTS = ROWS._replace(value=np.ones(5)), np.array(["1", "2"])
SETS = {"a": {"x"}, "b": {"x", "z"}}
SQUARE = np.ones((2, 2))
KINDS = r"str in the truth \('a'\), integers in the system 's' \(1\)"


@pytest.mark.parametrize(
    "run, error, text",
    [
        (SQUARE, ValueError, "an object of .* as the system 's'"),
        ({1: {2: 1.0}}, TypeError, KINDS),
        ({"a": {2: 1.0}}, TypeError, "column `item`"),
        ({"a": {"x": 1.0, 2: 1.0}}, TypeError, "all be integers"),
        (OF_NAN, ValueError, "NaN for the it"),
        ({"query": ["a"], "item": ["x"]}, ValueError, "e score"),
        (iter([1]), TypeError, "or records .* Received: int"),
        (UNEVEN, ValueError, "one length"),
        (ROWS._replace(value=TEXTS), TypeError, "n"),
        (ROWS._replace(item=np.ones(2)), TypeError, "float64"),
        (SETS, TypeError, "a set of items for the query 'a'"),
    ],
)
def test_runs(run, error, text):
    with pytest.raises(error, match=text):
        krm.compare(TRUTH, {"s": run}, MRR)


TABLE = {"query": ["a", "b"], "item": ["x", "x"]}
LABELS, SCORES = {**TABLE, "label": [1, 1]}, {**TABLE, "score": [0.5, 1.0]}
LENGTHS = (
    r"the system 's' .* one length. Received: \(2,\) in the queries, \(2,\) in "
    r"the items and \(1,\) in"
)
IS_ONE = r'Give each system a name, even a single one: {"name": run}. Are'
IS_SWAPPED = r"Are the arguments swapped\? Their order is `compare\(truth, "


IS_JUDGED = "the score .* Received: .*'label']. .* looks like judgements"
ONLY_LISTS = "the keys 'a' as the system 's'. Pass {q"


@pytest.mark.parametrize(
    "systems, truth, text",
    [
        ({"s": RUN}, SQUARE, "object of .* as the truth"),
        ({"s": RUN}, {"query": [], "item": [], "x": []}, "e label"),
        ({}, TRUTH, "`systems` should be a dict"),
        ([RUN], TRUTH, "`systems` should be a dict"),
        ({1: RUN}, TRUTH, "`systems` should be a dict"),
        ({"s": [[1.0, 2.0]]}, [[1, 0, 0]], "shape"),
        (RUN, TRUTH, "dicts with the keys 'a', 'b'. " + IS_ONE),
        ({1: {2: 0.5}}, {1: {2: 1}}, "keys 1. " + IS_ONE),
        ({q: {} for q in "abcd"} | RUN, TRUTH, "'c', .... " + IS_ONE),
        (SCORES, TRUTH, "keys 'query', 'item', 'score'. " + IS_ONE),
        (ROWS, TRUTH, "of the type Rows. " + IS_ONE),
        ([ROWS], TRUTH, IS_ONE),
        (iter([ROWS]), TRUTH, IS_ONE),
        ([[1.0, 2.0]], [[1, 0]], "of the type list. " + IS_ONE),
        (np.ones((1, 2)), {"labels": [[1, 0]]}, IS_ONE),
        (TRUTH, {"s": RUN}, "dicts with the keys 's'. " + IS_SWAPPED),
        (TRUTH, {"s": ROWS, "t": RUN}, IS_SWAPPED),
        (TRUTH, {"s": SCORES}, IS_SWAPPED),
        (LABELS, {"s": SCORES}, IS_SWAPPED),
        (LABELS, SCORES, "'item', 'label'. .* " + IS_SWAPPED),
        ({"s": LABELS}, SCORES, IS_JUDGED),
        ({"s": LABELS}, TRUTH, IS_JUDGED),
        (SETS, RUN, "sets with the keys 'a', 'b'. .* " + IS_SWAPPED),
        (SETS, {"s": RUN}, IS_SWAPPED),
        ([[1, 0]], {"s": [[1.0, 2.0]]}, IS_SWAPPED),
        (TRUTH, {"a": {"x": 0.25}}, IS_SWAPPED),
        ([RUN, RUN], TRUTH, "Give each system a name"),
        ({"s": {"a": [0.5]}}, TRUTH, ONLY_LISTS),
        ({"s": RUN}, {"a": [[0.5]]}, "a dict of lists .* as the truth. Pass"),
        ({"s": {**SCORES, "score": [1.0]}}, TRUTH, LENGTHS),
        ({"s": ROWS._replace(value=np.ones(1))}, TRUTH, LENGTHS),
    ],
)
def test_arguments_that_are_not_wrapped_or_swapped(systems, truth, text):
    with pytest.raises(ValueError, match=text):
        krm.compare(truth, systems, MRR)


@pytest.mark.filterwarnings("ignore:The truth should have")
def test_names_of_systems_and_items_may_be_those_of_columns():
    for names in (("query", "item"), ("a", "b")):
        for run in (RUN, ROWS, SCORES):
            systems = dict.fromkeys(names, run)
            assert krm.compare(TRUTH, systems, MRR).systems == [*names]
    truth = {"a": {"query": 1, "item": 0}}
    krm.compare(truth, {"s": {"a": {"query": 1.0}}}, MRR)
    frames = {"a": {"x": 0.5}}, {"a": {"x": 2.0}}
    krm.compare(frames[0], {"s": frames[1]}, krm.NDCG())  # fractions


def test_columns_of_pandas_have_one_index():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    columns = {name: pd.Series(x) for name, x in LABELS.items()}
    for changed, text in (
        ({"label": pd.Series([1])}, r"`truth` .* \(1,\) in the values"),
        ({"label": columns["label"][::-1]}, "should have the same index"),
    ):
        with pytest.raises(ValueError, match=text):
            krm.compare({**columns, **changed}, {"s": RUN}, MRR)


@pytest.mark.parametrize(
    "metrics, error, text",
    [
        ([], ValueError, "at least one metric"),
        ([MRR, krm.MeanReciprocalRank()], ValueError, "'mrr', 'mrr'"),
        (krm.Comparison(MRR, ["a", "b"]), TypeError, "ranking metric"),
        ("nope", ValueError, "There is no metric `nope`"),
        (krm.CatalogueCoverage(5, num_items=9), TypeError, "ranking metric"),
        (krm.NDCG(inputs="ids"), ValueError, 'inputs="ids"'),
        (krm.SubtopicRecall(), ValueError, "by subtopic"),
        (krm.AveragePopularity(1, popularity=[1]), ValueError, "by number"),
    ],
)
def test_metrics(metrics, error, text):
    with pytest.raises(error, match=text):
        krm.compare(TRUTH, {"s": RUN}, metrics)


@pytest.mark.parametrize(
    "options, error, text",
    [
        ({"baseline": "t"}, ValueError, "`baseline` should be one of"),
        ({"confidence": 95}, ValueError, "between 0.5 and 1"),
        ({"confidence": "0.9"}, ValueError, "between 0.5 and 1"),
        ({"confidence": 0.05}, ValueError, "between 0.5 and 1"),
        ({"sample_weight": [1, 2]}, TypeError, "a dict with the weight"),
    ],
)
def test_options(options, error, text):
    with pytest.raises(error, match=text):
        krm.compare(TRUTH, {"s": RUN}, MRR, **options)


def test_the_system_of_an_error_is_named():
    with pytest.raises(ValueError) as caught:
        krm.compare([[1, 0]], {"good": [[1.0, 2.0]], "bad": [[1.0]]}, MRR)
    assert "'bad'" in caught.value.__notes__[0]


def test_what_is_not_joined():
    truth, systems = drawn(0)
    old = krm.compare(truth, {"old": systems["old"]}, MRR)

    def other(run="new", truth=truth, metric=MRR, **options):
        return krm.compare(truth, {run: systems["new"]}, metric, **options)

    stable = krm.MeanReciprocalRank(ties="stable")
    without = {q: x for q, x in truth.items() if q != "q3"}
    queries = r"same queries.*baseline has \['q3'\], .* has nothing"
    for theirs, text in [
        (other(metric=krm.NDCG()), r"list of metrics.*'mrr: .*'ndcg: "),
        (other(metric=stable), "list of metrics.*ties:average.*ties:stable"),
        (other(run="old"), "different names .*'old'"),
        (other(truth=without), queries),
        (other(truth={**truth, "q3": {"d1": 2}}), "the same labels"),
    ]:
        with pytest.raises(ValueError, match=text):
            old.join(theirs)
    with pytest.raises(TypeError, match="should be a result of `compare`"):
        old.join(systems)


SAVED = {"kind": "keras_rankmetrics.Compared"}


@pytest.mark.parametrize(
    "given, text",
    [
        ({}, "an unchanged dict from `to_dict`"),
        ([], "an unchanged dict from `to_dict`"),
        (SAVED, r"KeyError\('per_list'\)"),
        ({**SAVED, "per_list": {}}, "cannot be read, with KeyError"),
        ({**SAVED, "per_list": None}, "cannot be read, with TypeError"),
    ],
)
def test_what_is_no_comparison(given, text):
    with pytest.raises(ValueError, match=text):
        krm.Compared.from_dict(given)
