"""pandas: rows and columns of other names are not taken for each other."""

import numpy as np
import pytest
from in_forms import values
from pytest import approx

import keras_rankmetrics as krm

pandas = pytest.importorskip("pandas", reason="pandas is not installed")

USERS, ITEMS = ["ann", "bob", "eve"], ["tea", "rice", "salt", "oil"]
LABELS = pandas.DataFrame(
    [[1, 0, 0, 2], [0, 1, 0, 0], [0, 0, 3, 1]], USERS, ITEMS
)
SCORES = pandas.DataFrame(
    [[4.0, 3, 2, 1], [1.0, 4, 2, 3], [1.0, 2, 3, 4]], USERS, ITEMS
)
WEIGHTS = pandas.Series([1.0, 2.0, 3.0], USERS)
MASK = LABELS >= 0
TARGETS = pandas.Series([0, 1, 3], USERS)
SEEN = pandas.DataFrame([[1, 2], [0, -1], [1, -1]], USERS)
RELEVANT = pandas.Series([[1, 2], [3], [4]], USERS)
RECOMMENDED = pandas.Series([[2, 5], [1, 3], [6, 7]], USERS)
CASES = {
    "scores": (LABELS, SCORES, WEIGHTS),
    "item weights": (LABELS, SCORES, LABELS + 1.0),
    "dict": (
        {
            "labels": LABELS,
            "mask": MASK,
            "exclude": SEEN,
            "num_relevant": WEIGHTS,
        },
        SCORES,
        None,
    ),
    "one list": (LABELS.loc["ann"], SCORES.loc["ann"], LABELS.loc["ann"] + 1),
    "sparse": (TARGETS, SCORES, WEIGHTS),
    "sparse with seen": ({"target": TARGETS, "exclude": SEEN}, SCORES, None),
    "ids": (RELEVANT, RECOMMENDED, WEIGHTS),
    "ids with seen": ({"target": RELEVANT, "exclude": SEEN}, RECOMMENDED, None),
}


def metric(case):
    form = case.partition(" ")[0]
    return krm.NDCG(k=2, inputs=form if form in ("sparse", "ids") else "scores")


def parts(given):
    """What is passed, by name: the entries of a dict too."""
    y_true, y_pred, weight = given
    found = y_true if isinstance(y_true, dict) else {"y_true": y_true}
    found = {**found, "y_pred": y_pred, "weight": weight}
    return {name: x for name, x in found.items() if x is not None}


def passed(parts):
    parts = dict(parts)
    y_pred, weight = parts.pop("y_pred"), parts.pop("weight", None)
    return parts.get("y_true", parts), y_pred, weight


@pytest.mark.parametrize("case", CASES)
def test_the_same_names(case):
    plain = {
        name: x.tolist() if x.dtypes is np.dtype("O") else x.to_numpy()
        for name, x in parts(CASES[case]).items()
    }
    expected = values(metric(case), *passed(plain))
    assert values(metric(case), *CASES[case]) == approx(expected)


def named_parts():
    """Each part of each case, and whether its rows or columns have names."""
    for case in CASES:
        for part, x in parts(CASES[case]).items():
            yield case, part, "index"
            columns_are_items = part != "exclude" and x.ndim > 1
            if columns_are_items and not case.startswith("sparse"):
                yield case, part, "columns"


@pytest.mark.parametrize("case", [c for c in CASES if c != "one list"])
def test_other_rows_beside_plain_predictions(case):
    """As models return them."""
    y_true, y_pred, weight = CASES[case]
    plain = y_pred.tolist() if case.startswith("ids") else y_pred.to_numpy()
    given = {**parts((y_true, plain, weight))}
    *_, last = [name for name in given if name != "y_pred"]
    renamed = {**given, last: given[last][::-1]}
    with pytest.raises(ValueError, match="should have the same index"):
        values(metric(case), *passed(renamed))


@pytest.mark.parametrize("case, part, axis", [*named_parts()])
def test_other_names_of_one_part(case, part, axis):
    """In another order, and of other things."""
    given = parts(CASES[case])
    x = given[part]
    names = getattr(x, axis)
    for others in (names[::-1], [f"{name}2" for name in names]):
        renamed = {**given, part: x.set_axis(others, axis=axis)}
        with pytest.raises(ValueError, match=f"should have the same {axis}"):
            values(metric(case), *passed(renamed))


def test_the_error_says_what_differs():
    mine = metric("scores")
    mine.update_state(LABELS, SCORES)
    before = mine.get_state()
    with pytest.raises(
        ValueError,
        match=(
            "^`y_true` and `y_pred` should have the same index, in the same "
            r"order, since they are read by position\. Received: "
            r"\['ann', 'bob', 'eve'\] and \['eve', 'bob', 'ann'\]\. Reorder "
            r"one like the other, for example with `reindex_like`\. If their "
            r"positions match already, pass `\.to_numpy\(\)` of both\.$"
        ),
    ):
        mine.update_state(LABELS, SCORES[::-1])
    np.testing.assert_equal(mine.get_state(), before)


def test_one_side_alone_has_names():
    expected = values(krm.NDCG(), LABELS.to_numpy(), SCORES.to_numpy())
    for labels, scores in (
        (LABELS[::-1].to_numpy()[::-1], SCORES),
        (LABELS, SCORES.to_numpy()),
    ):
        assert values(krm.NDCG(), labels, scores) == approx(expected)


def test_relevant_and_recommended_ids_of_one_user():
    """Their rows are places, which have nothing to do with each other."""
    recall = krm.RecallAtK(k=2, inputs="ids")
    relevant = pandas.Series([1, 2], [8, 9])
    assert values(recall, relevant, pandas.Series([2, 5])) == 0.5
    seen = {"target": relevant, "exclude": pandas.Series([5, 6, 7], [1, 2, 3])}
    assert values(recall, seen, [5, 2, 3]) == 0.5


@pytest.mark.filterwarnings("ignore:.*lists of one item")
def test_single_columns_may_have_other_names():
    frame = pandas.DataFrame({"label": [1.0, 0.0], "score": [0.2, 0.4]})
    found = values(krm.NDCG(), frame[["label"]], frame[["score"]])
    assert found.tolist() == [1.0, 0.0]


def test_targets_are_positions_of_columns():
    hit_rate = krm.HitRateAtK(k=1, inputs="sparse")
    numbered = pandas.DataFrame([[0.9, 0.1, 0.2]], columns=[2, 0, 1])
    with pytest.raises(
        ValueError,
        match=r"An index into `y_pred` should be the position of a column, "
        r"counted from 0, not its label\. Received: columns with the labels "
        r"\[2, 0, 1\]\.",
    ):
        hit_rate.per_list([2], numbered)
    assert values(hit_rate, [0], numbered.to_numpy()).tolist() == [1.0]
    in_order = numbered[[0, 1, 2]]
    assert values(hit_rate, [2], in_order).tolist() == [1.0]


def test_rows_that_one_side_lacks():
    recall = krm.RecallAtK(k=2, inputs="ids")
    with pytest.raises(
        ValueError,
        match=r"Received: 3 and 2. Only `y_true` has \['bob'\]\.",
    ):
        recall.per_list(RELEVANT, RECOMMENDED.drop("bob"))


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_columns_of_other_frames_in_another_order(library):
    module = pytest.importorskip(library, reason="needs the extra [interop]")
    frame = module.DataFrame if library == "polars" else module.table
    labels = frame({"tea": [1, 0], "rice": [0, 1]})
    scores = {"rice": [0.2, 0.9], "tea": [0.9, 0.1]}
    for others in (frame(scores), pandas.DataFrame(scores)):
        with pytest.raises(ValueError, match="should have the same columns"):
            krm.MeanReciprocalRank()(labels, others)
        with pytest.raises(ValueError, match="should have the same columns"):
            krm.MeanReciprocalRank()(others, labels)
    same = {name: scores[name] for name in ("tea", "rice")}
    assert float(krm.MeanReciprocalRank()(labels, frame(same))) == 1.0
