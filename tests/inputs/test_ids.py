"""`inputs="ids"`: relevant ids against recommended ids."""

import dataclasses

import keras
import numpy as np
import pytest
from catalogue import ROWS, in_turns
from given import compiled
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from in_forms import (
    RECOMMENDED,
    RELEVANT,
    TIES,
    padded,
    scores_of_ids,
    values,
)
from keras import ops
from pytest import approx
from suites import LAW, Suite, assert_same, from_levels

from keras_rankmetrics import (
    DCG,
    NDCG,
    UNJUDGED,
    AveragePopularity,
    BPref,
    CatalogueCoverage,
    F1AtK,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    MetricCollection,
    PopularityLift,
    PrecisionAtK,
    RecallAtK,
    Serendipity,
    conventions,
    evaluate,
    linear_gain,
)

BACKEND = keras.backend.backend()


def result(metric, relevant=RELEVANT, recommended=RECOMMENDED, **options):
    metric = metric(inputs="ids", **options)
    return float(metric(relevant, recommended))


@pytest.mark.parametrize(
    "metric, options, expected",
    [
        (PrecisionAtK, {"denominator": "k"}, (1 / 3, 1 / 3, 4 / 15)),
        (RecallAtK, {}, (1 / 18, 2 / 9, 1 / 3)),
        (F1AtK, {"denominator": "k"}, (2 / 21, 7 / 27, 19 / 66)),
        (MeanAveragePrecision, {"denominator": "hits"}, (1 / 3, 1 / 2, 1 / 2)),
        (MeanReciprocalRank, {}, (1 / 3, 1 / 2, 1 / 2)),
        (
            NDCG,
            {"ideal": "retrieved"},
            (
                1 / 3,
                (1 + 0.6309297535714574) / 3,
                (1 + 0.6509209298071323) / 3,
            ),
        ),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_five_users(metric, options, expected):
    found = [result(metric, k=k, empty="skip", **options) for k in (1, 3, 5)]
    assert found == approx(expected, rel=1e-6)


@pytest.mark.parametrize("empty, expected", [("zero", 0.0), ("one", 1.0)])
def test_a_user_without_relevant_items(empty, expected):
    """Counts by `empty`; one of whom nothing at all is known does not."""
    metric = NDCG(inputs="ids", empty=empty)
    found = values(metric, RELEVANT, RECOMMENDED)
    assert found[2:4] == approx([0.0, expected])
    assert np.isnan(found[4])


def test_the_ideal_is_over_all_relevant_ids():
    metric = NDCG(k=2, inputs="ids")
    found = values(metric, [[7, 8, 9], [7, -1, -1]], [[7, 1], [7, 1]])
    assert found == approx([1 / (1 + 1 / np.log2(3)), 1.0])
    # Also where they are more than the recommended ones, and without a k.
    ideal = sum(1 / np.log2(rank + 1) for rank in range(1, 6))
    for k in (5, 30, None):
        metric = NDCG(k=k, inputs="ids")
        found = values(metric, [[1, 2, 3, 4, 5]], [[1]])
        assert found == approx([1 / ideal])


NEGATIVE = {
    "y_pred": ([[5]], [[-3, 5]]),
    "y_true": ([[5, -3]], [[4, 5]]),
    'y_true["exclude"]': ({"target": [[5]], "exclude": [[-3]]}, [[4, 5]]),
    "y_pred, ragged": ([[5], [3]], [[-1, 5], [2, 3, 4]]),
    "y_true, ragged": ([[5, -1], [3]], [[4, 5], [2, 3]]),
}


@pytest.mark.parametrize("where", NEGATIVE)
def test_negative_ids_are_no_padding_but_an_error(where):
    """Such as hashes. In ragged lists that holds for -1 too."""
    name = where.split(",")[0].replace("[", r"\[")
    metric = MeanReciprocalRank(inputs="ids")
    message = f"^`{name}` should hold ids from 0 on.* ids, 1 of them"
    with pytest.raises(ValueError, match=message):
        metric.update_state(*NEGATIVE[where])
    assert metric.count() == 0


def test_negative_ids_that_are_masked_are_no_error():
    metric = MeanReciprocalRank(inputs="ids")
    y_true = {"target": [[-7, 5]], "labels": [[-1, 1]], "mask": [[True, False]]}
    assert values(metric, y_true, [[5, -9]]) == approx([1.0])


_RNG = np.random.default_rng(0)
_TOP = np.argsort(_RNG.random((80, 300)))[:, :20]
_SEEN = {"target": _TOP[:, :3], "exclude": _TOP[:, 5:8]}
_HOT = (_RNG.random((80, 300)) < 0.1).astype(int)
_BEST, _NEXT = _RNG.integers(0, 50, (2, 200))


@pytest.mark.parametrize(
    "inputs, y_true, y_pred, received",
    [
        ("ids", _TOP[:, :3], _HOT, "`y_pred` should hold ids.*300 numbers"),
        ("ids", _SEEN | {"exclude": _HOT}, _TOP, "exclude.*300 numbers.*0 or"),
        ("ids", _NEXT, _BEST, "one list of 200 rel.*200 lists, .*None]"),
        ("sparse", _NEXT, _BEST, "one list of 200 rel.*scores of all items"),
        ("ids", _TOP[:, :3], _TOP, ""),
        ("ids", _SEEN, _TOP, ""),
        ("ids", _NEXT, _BEST[:, None], ""),
        ("ids", _TOP[0], _TOP[1], ""),
        ("ids", [7, 3, 9, 1, *[-1] * 4], [9, 4, 2, *[-1] * 5], ""),
        ("ids", _NEXT, np.unique(_BEST), ""),  # relevant ones again
        ("sparse", [1, 5, 2, 4, -1, -1, -1, -1], _RNG.random(8), ""),
    ],
)
def test_ids_in_another_form(inputs, y_true, y_pred, received):
    metric = MeanReciprocalRank(inputs=inputs)
    if not received:
        assert metric.per_list(y_true, y_pred) is not None
        return
    for call in (metric.update_state, lambda *x: evaluate(*x, metric)):
        with pytest.raises(ValueError, match=received):
            call(y_true, y_pred)


@pytest.mark.only_on("tensorflow", reason="of TensorFlow")
def test_in_a_graph_lists_with_negative_ids_are_nan():
    import tensorflow as tf

    metric = MeanReciprocalRank(inputs="ids")
    graph = tf.function(metric.per_list)
    ragged = tf.ragged.constant([[-1, 5], [2, 3, 4]])
    for recommended in (ragged, tf.constant([[-2, 5], [2, 3]])):
        with pytest.raises(ValueError, match="`y_pred` should hold ids"):
            metric.per_list([[5], [3]], recommended)
        found = graph(tf.constant([[5], [3]]), recommended)
        assert np.array(found) == approx([np.nan, 1 / 2], nan_ok=True)


def test_one_relevant_id_per_list():
    metric = MeanReciprocalRank(inputs="ids")
    recommended = [[3, 5], [5, 3], [1, 2]]
    for relevant in ([5, 5, -1], [[5], [5], [-1]]):
        found = values(metric, relevant, recommended)
        assert found == approx([1 / 2, 1.0, 0.0])


def test_a_single_list():
    metric = MeanReciprocalRank(inputs="ids")
    assert float(metric.per_list([5, 9], [3, 5, 1])) == 1 / 2
    assert float(metric.per_list(5, [3, 5, 1])) == 1 / 2
    assert metric.per_list([5, 9], [3, 5, 1]).shape == ()


@pytest.mark.each_backend
@pytest.mark.not_on("jax", "numpy", reason="no int64 by default")
def test_large_ids():
    """Ids that are equal in their lower 32 bits, or as floats."""
    high = 2**62
    relevant = [[high + 1, -1]]
    recommended = [[high + 1 - 2**32, high, high + 1]]
    assert result(MeanReciprocalRank, relevant, recommended) == approx(1 / 3)
    arrays = np.array(relevant, "int64")
    found = result(MeanReciprocalRank, arrays, np.array(recommended))
    assert found == approx(1 / 3)


class Foreign:
    """A tensor of another library, as far as numpy and Keras can tell."""

    def __init__(self, values):
        self.values = np.array(values, "int64")
        self.dtype, self.shape = self.values.dtype, self.values.shape

    def __array__(self, dtype=None, copy=None):
        return self.values


@pytest.mark.only_on("jax", reason="the others have int64")
@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_ids_too_large_for_jax(name):
    metric = MeanReciprocalRank(inputs="ids")
    arguments = {"y_true": [[5, 6]], "y_pred": [[4, 5]]}
    arguments[name] = [[5, 2**31 + 5]]
    for large in (
        arguments[name],
        np.array(arguments[name]),
        np.array(arguments[name], "uint32"),
        np.array(arguments[name], "uint64"),
        Foreign(arguments[name]),
    ):
        with pytest.raises(
            ValueError,
            match=rf"^`{name}` should hold integers from .* to 2147483647, .* "
            r"Received: 5 to 2147483653\.",
        ):
            metric.update_state(**{**arguments, name: large})
    arguments[name] = [[5, 2**31 - 1]]
    metric.update_state(**arguments)


@pytest.mark.parametrize("of_true", ["int32", "int64", "uint8"])
@pytest.mark.parametrize("of_pred", ["int32", "int64", "int16"])
def test_dtypes_may_differ(of_true, of_pred):
    relevant = ops.array(np.array([[5, 200]], of_true))
    recommended = ops.array(np.array([[4, 200, 5]], of_pred))
    assert result(MeanReciprocalRank, relevant, recommended) == 1 / 2


@pytest.mark.each_backend
@pytest.mark.not_on("numpy", reason="as jax, on which it is tested")
@pytest.mark.parametrize("inputs", ["scores", "sparse"])
def test_large_integer_scores(inputs):
    """They are ranked as they are, or refused; never wrapped."""
    scores = np.array([[2**32 + 5, 6], [2**31, 1]])
    y_true = [0, 0] if inputs == "sparse" else [[1, 0], [1, 0]]
    metric = MeanReciprocalRank(inputs=inputs)
    for large in (scores, scores.tolist()):
        if BACKEND == "jax":
            with pytest.raises(ValueError, match="`y_pred` should hold"):
                metric.per_list(y_true, large)
        else:
            assert values(metric, y_true, large) == approx([1.0, 1.0])


@pytest.mark.each_backend
@pytest.mark.not_on("numpy", reason="it takes no arrays of objects")
@pytest.mark.parametrize("kind", [list, tuple, np.array])
@pytest.mark.parametrize("rows", [[[4, 5, 6], [7]], [[4, 5], [7, 8]]], ids=str)
def test_columns_of_lists(rows, kind):
    """Object arrays, as a column of lists in pandas gives them."""
    relevant, recommended = np.empty(2, object), np.empty(2, object)
    for i in range(2):
        relevant[i], recommended[i] = kind([[5], [7]][i]), kind(rows[i])
    metric = MeanReciprocalRank(inputs="ids")
    assert values(metric, relevant, recommended) == approx([1 / 2, 1.0])
    assert values(metric, [[5], [7]], recommended) == approx([1 / 2, 1.0])
    labels, scores = np.empty(2, object), np.empty(2, object)
    for i in range(2):
        labels[i], scores[i] = kind([[0, 1], [1, 0]][i]), kind([0.2, 0.1])
    found = values(MeanReciprocalRank(), labels, scores)
    assert found == approx([1 / 2, 1.0])


def test_strings_as_ids():
    with pytest.raises(ValueError, match=r"`y_true` should hold.*setdefault"):
        MeanReciprocalRank(inputs="ids").per_list([["a", "b"]], [[1, 2]])


def test_excluded_ids_are_not_recommended():
    recommended = [[3, 4, 5, 6], [3, 4, 5, 6]]
    metric = MeanReciprocalRank(inputs="ids")
    y_true = {"target": [[5], [5]], "exclude": [[3, 4, 9], [4, -1, -1]]}
    assert values(metric, y_true, recommended) == approx([1.0, 1 / 2])
    # A relevant id that is excluded cannot be found, but should have been.
    y_true = {"target": [[5, 6], [5, 6]], "exclude": [[5], [4]]}
    recall = RecallAtK(k=2, inputs="ids")
    assert values(recall, y_true, recommended) == approx([0.0, 1 / 2])
    # To exclude all that a user has makes no padding of the user.
    y_true = {"target": [[-1]], "exclude": [[5]]}
    assert values(metric, y_true, [[5]]) == approx([0.0])


def test_masks_of_places_and_of_lists():
    recommended = [[3, 5, 4], [3, 5, 4]]
    metric = MeanReciprocalRank(inputs="ids")
    mask = np.array([[False, True, True], [True, True, True]])
    found = values(metric, {"target": [5, 5], "mask": mask}, recommended)
    assert found == approx([1.0, 1 / 2])
    mask = np.array([False, True])
    found = values(metric, {"target": [5, 5], "mask": mask}, recommended)
    assert np.isnan(found[0]) and found[1] == 1 / 2


def test_empty_input():
    metric = NDCG(inputs="ids")
    for relevant, recommended in (
        (np.zeros((0, 3), "int32"), np.zeros((0, 4), "int32")),
        (np.zeros((2, 0), "int32"), np.zeros((2, 0), "int32")),
        ([[], []], [[], []]),
    ):
        metric.update_state(relevant, recommended)
        assert float(metric.result()) == 0.0
        found = values(metric, relevant, recommended)
        assert found.shape == (len(relevant),) and np.isnan(found).all()
    metric.update_state([[], [1]], [[2], [1]])
    assert float(metric.result()) == 1 / 2


# Labels beside the relevant ids.

LISTS, ITEMS = 12, 15
GRADES = np.array([-2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0], "float32")


def cells_with_labels(condense):
    """All metrics that accept ids, with and without `unjudged="condense"`."""
    rows = [
        row
        for row in ROWS
        if not row.by_labels and "adjusted" not in row.options
    ]
    cells = in_turns(rows, (1, 5, 20, None), TIES)
    return [
        dataclasses.replace(cell, policies={"inputs": "ids"})
        for cell in cells
        if (cell.make().definition.unjudged == "condense") == condense
    ]


@pytest.fixture(
    scope="module",
    params=[pytest.param(False, marks=pytest.mark.long), True],
    ids=["all", "condense"],
)
def suites(request):
    cells = cells_with_labels(request.param)
    dense = [dataclasses.replace(cell, policies={}) for cell in cells]
    # An id without a label is one that nobody has judged.
    return Suite(cells), Suite(dense), UNJUDGED if request.param else 0.0


def labels_of_items(target, labels, recommended, without_label):
    """The labels of all items, -1 for those that no row names."""
    found = np.full((len(target), ITEMS), -1.0, "float32")
    for row, *of_list in zip(found, target, labels, recommended, strict=True):
        ids, grades, shown = of_list
        row[shown[shown >= 0]] = without_label
        named = (ids >= 0) & (grades >= 0)
        # The first label of an id counts, so it is written last.
        for place in reversed(np.flatnonzero(named)):
            row[ids[place]] = grades[place]
    return found


@LAW
@given(
    target=hnp.arrays("int32", (LISTS, 6), elements=st.integers(-1, ITEMS - 1)),
    labels=from_levels(GRADES, (LISTS, 6)),
    recommended=hnp.arrays(
        "int32", (LISTS, 9), elements=st.integers(-1, ITEMS - 1)
    ),
)
@example(
    target=np.full((LISTS, 6), -1, "int32"),
    labels=np.full((LISTS, 6), 3.0, "float32"),
    recommended=np.tile(np.arange(9, dtype="int32"), (LISTS, 1)),
)
@example(  # ids that are all recommended, once each
    target=np.tile(np.arange(6, dtype="int32"), (LISTS, 1)),
    labels=np.tile(GRADES[[6, 2, 5, 4, 3, 2]], (LISTS, 1)),
    recommended=np.tile(np.arange(9, dtype="int32")[::-1], (LISTS, 1)),
)
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_labels_of_ids_are_those_of_items(suites, target, labels, recommended):
    """Labels beside ids give the values of the same labels beside scores."""
    graded, dense, without_label = suites
    found = graded.per_list({"target": target, "labels": labels}, recommended)
    of_items = labels_of_items(target, labels, recommended, without_label)
    scores = scores_of_ids(recommended, ITEMS)
    assert_same(graded.cells, found, dense.per_list(of_items, scores))


def some_graded(seed=3, lists=10):
    rng = np.random.default_rng(seed)
    target = rng.permuted(np.tile(np.arange(ITEMS), (lists, 1)), axis=1)[:, :5]
    target[rng.random(target.shape) < 0.2] = -1
    recommended = rng.integers(-1, ITEMS, (lists, 8))
    return target, rng.integers(0, 4, target.shape), recommended


def test_graded_updates_with_weights():
    """Two batches, the last one short, as in labels and scores."""
    target, labels, recommended = some_graded()
    weights = np.linspace(0.0, 2.0, len(target))
    metrics = {"k": 5, "list_weight": "mean"}

    def collection(inputs):
        return MetricCollection(
            [
                NDCG(inputs=inputs, **metrics),
                NDCG(k=5, gain_fn=linear_gain, name="linear", inputs=inputs),
                RecallAtK(k=3, relevance_threshold=2, inputs=inputs),
            ]
        )

    ids, dense = collection("ids"), collection("scores")
    of_items = labels_of_items(target, labels, recommended, 0.0)
    scores = scores_of_ids(recommended, ITEMS)
    for batch in (slice(0, 7), slice(7, None)):
        y_true = {"target": target[batch], "labels": labels[batch]}
        ids.update_state(y_true, recommended[batch], weights[batch])
        dense.update_state(of_items[batch], scores[batch], weights[batch])
    found, expected = ids.result(), dense.result()
    assert {name: float(x) for name, x in found.items()} == approx(
        {name: float(x) for name, x in expected.items()}, rel=1e-6
    )


@pytest.mark.each_backend
@pytest.mark.long
def test_graded_ids_in_a_compiled_program():
    target, labels, recommended = map(ops.convert_to_tensor, some_graded())
    y_true = {"target": target, "labels": labels, "exclude": recommended[:, :1]}
    metric = NDCG(k=5, inputs="ids")
    found = compiled(metric.per_list)(y_true, recommended)
    found = ops.convert_to_numpy(found)
    assert found == approx(values(metric, y_true, recommended))
    assert 0 < found.mean() < 1


@pytest.mark.long
@pytest.mark.only_on("tensorflow", reason="TensorFlow's")
def test_graded_ids_of_unknown_sizes():
    import tensorflow as tf

    target, labels, recommended = some_graded()
    metric = NDCG(k=5, inputs="ids")

    @tf.function(input_signature=[tf.TensorSpec([None, None], "int64")] * 3)
    def graph(target, labels, recommended):
        y_true = {"target": target, "labels": labels}
        return metric.per_list(y_true, recommended)

    found = graph(target, labels, recommended).numpy()
    y_true = {"target": target, "labels": labels}
    assert found == approx(values(metric, y_true, recommended))


def test_forms_of_labels():
    metric = NDCG(inputs="ids")
    recommended = [[9, 5, 7], [4, 2, 1]]
    expected = values(NDCG(), [[1, 0, 3], [0, 2, -1]], [[3, 2, 1], [2, 1, 0]])
    for target, labels in (
        ([[7, 9], [2]], [[3, 1], [2]]),
        ([[7, 9], [2, -1]], [[3, 1], [2, 9]]),
        ([[7, 9], [2]], np.array([[3, 1], [2, np.nan]])),
        ([[7, 9], [2, 8]], np.array([[3, 1], [2, -1]], "int8")),
        ([[7, 7, 9], [2, 2, 2]], [[3, 1, 1], [2, 3, 0]]),
    ):
        y_true = {"target": target, "labels": labels}
        found = values(metric, y_true, [[9, 5, 7], [4, 2, -1]])
        assert found == approx(expected)
    # One id per list, and a single list.
    y_true = {"target": [5, 1], "labels": [2, 3]}
    found = values(DCG(inputs="ids"), y_true, recommended)
    assert found == approx([3 / np.log2(3), 7 / 2])
    y_true = {"target": [7, 9], "labels": [3, 1]}
    assert metric.per_list(y_true, recommended[0]).shape == ()
    for empty in (np.zeros((0, 3)), np.zeros((2, 0))):
        y_true = {"target": empty.astype("int32"), "labels": empty}
        found = values(metric, y_true, empty.astype("int32"))
        assert found.shape == (len(empty),) and np.isnan(found).all()


def test_labels_of_sequences():
    """Leading dimensions, a mask of places and one of lists."""
    target, labels, recommended = some_graded()
    metric = NDCG(k=5, inputs="ids")
    of_lists = np.arange(10) % 4 != 1
    of_places = np.arange(80).reshape(10, 8) % 5 != 2
    for mask in (of_lists, of_places):
        y_true = {"target": target, "labels": labels, "mask": mask}
        flat = values(metric, y_true, recommended)
        y_true = {
            name: x.reshape(2, 5, *x.shape[1:]) for name, x in y_true.items()
        }
        found = values(metric, y_true, recommended.reshape(2, 5, 8))
        assert found.reshape(-1) == approx(flat, nan_ok=True)


def test_a_label_of_nan_makes_its_list_nan():
    metric = NDCG(inputs="ids")
    y_true = {"target": [[5, 7], [5, -1]], "labels": [[1, np.nan]] * 2}
    found = values(metric, y_true, [[5, 6], [5, 6]])
    assert np.isnan(found[0]) and found[1] == 1.0


def test_unjudged_ids():
    """With labels, `unjudged="condense"` removes the ids without one."""
    y_true = {"target": [[5, 7, 8]], "labels": [[2, 0, UNJUDGED]]}
    recommended = [[1, 8, 7, 5]]
    assert (
        values(MeanReciprocalRank(inputs="ids"), y_true, recommended) == 1 / 4
    )
    metric = MeanReciprocalRank(inputs="ids", unjudged="condense")
    assert values(metric, y_true, recommended) == 1 / 2
    assert values(BPref(inputs="ids"), y_true, recommended) == 0.0


def test_items_of_graded_ids():
    """Items with a label of 1 or more are relevant to metrics of items."""
    target, labels, recommended = some_graded()
    graded = {"target": target, "labels": labels}
    plain = np.where(labels >= 1, target, -1)
    popularity = np.arange(ITEMS) + 1.0
    for metric in (
        Serendipity(3, popularity=popularity, inputs="ids"),
        PopularityLift(3, popularity=popularity, inputs="ids"),
        AveragePopularity(3, popularity=popularity, inputs="ids"),
    ):
        found = values(metric, graded, recommended)
        expected = values(metric, plain, recommended)
        assert found == approx(expected, nan_ok=True)
    coverage = CatalogueCoverage(3, num_items=ITEMS, inputs="ids")
    assert float(coverage(graded, recommended)) == float(
        CatalogueCoverage(3, num_items=ITEMS, inputs="ids")(plain, recommended)
    )
    with pytest.raises(ValueError, match="expects a catalogue of 9 items"):
        CatalogueCoverage(3, num_items=9, inputs="ids")(graded, recommended)


# Peers: ids with scores that tell their order.

USERS, WIDTH, CATALOGUE = 10_000, 20, 60


@pytest.fixture(scope="module")
def many_users():
    rng = np.random.default_rng(11)
    ranked = rng.permuted(np.tile(np.arange(CATALOGUE), (USERS, 1)), axis=1)
    recommended = [
        list(map(int, row[:size]))
        for row, size in zip(ranked, rng.integers(1, WIDTH, USERS), strict=True)
    ]
    relevant = [
        list(map(int, rng.choice(CATALOGUE, size, replace=False)))
        for size in rng.integers(1, WIDTH, USERS)
    ]
    return relevant, recommended


def peer_metrics(k):
    """Ours, with the names of ranx and of trec_eval for the same measure."""
    ids = {"inputs": "ids"}
    cut = "" if k is None else f"@{k}"
    under = "" if k is None else f"_cut_{k}"
    yield NDCG(k, **ids), f"ndcg{cut}", f"ndcg{under}"
    yield MeanAveragePrecision(k, **ids), f"map{cut}", f"map{under}"
    yield MeanReciprocalRank(k, **ids), f"mrr{cut}", None if k else "recip_rank"
    if k is not None:
        precision = PrecisionAtK(k, denominator="k", **ids)
        yield precision, f"precision@{k}", f"P_{k}"
        yield RecallAtK(k, **ids), f"recall@{k}", f"recall_{k}"
        yield HitRateAtK(k, **ids), f"hit_rate@{k}", f"success_{k}"
        yield F1AtK(k, denominator="k", **ids), f"f1@{k}", None


@pytest.fixture(scope="module")
def as_dicts(many_users):
    relevant, recommended = many_users
    qrels = {
        f"{user:05}": {f"d{item:03}": 1 for item in row}
        for user, row in enumerate(relevant)
    }
    run = {
        f"{user:05}": {f"d{item:03}": float(-i) for i, item in enumerate(row)}
        for user, row in enumerate(recommended)
    }
    return qrels, run


@pytest.mark.long
@pytest.mark.peers
def test_against_ranx(many_users, as_dicts):
    """At one cutoff: it is compiled for long, and once for names as long."""
    k = 10
    ranx = pytest.importorskip("ranx")
    qrels, run = map(lambda x, y: y(x), as_dicts, (ranx.Qrels, ranx.Run))
    for metric, name, _ in peer_metrics(k):
        theirs = ranx.evaluate(qrels, run, name, return_mean=False)
        np.testing.assert_allclose(ours(metric, many_users), theirs, atol=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize("k", [1, 5, 10, None])
def test_against_pytrec_eval(many_users, as_dicts, k):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    qrels, run = as_dicts
    for metric, _, name in peer_metrics(k):
        if name is None:
            continue
        evaluator = pytrec_eval.RelevanceEvaluator(qrels, {asked(name)})
        by_user = evaluator.evaluate(run)
        theirs = [by_user[f"{user:05}"][name] for user in range(USERS)]
        np.testing.assert_allclose(ours(metric, many_users), theirs, atol=1e-6)


@pytest.mark.peers
def test_graded_ids_against_pytrec_eval():
    pytrec_eval = pytest.importorskip("pytrec_eval")
    target, labels, recommended = some_graded(lists=50)
    qrels, run = {}, {}
    for user, rows in enumerate(zip(target, labels, recommended, strict=True)):
        ids, grades, shown = (row.tolist() for row in rows)
        qrels[f"{user}"] = {
            f"d{i}": grade
            for i, grade in zip(ids, grades, strict=True)
            if i >= 0
        }
        distinct = dict.fromkeys(i for i in shown if i >= 0)
        run[f"{user}"] = {f"d{i}": -float(p) for p, i in enumerate(distinct)}
    names = {"ndcg_cut.5", "bpref", "map_cut.5"}
    found = pytrec_eval.RelevanceEvaluator(qrels, names).evaluate(run)
    of = conventions.trec_eval
    for metric, name in (
        (of.NDCG(5, inputs="ids"), "ndcg_cut_5"),
        (of.BPref(inputs="ids"), "bpref"),
        (of.MeanAveragePrecision(5, inputs="ids"), "map_cut_5"),
    ):
        y_true = {"target": target, "labels": labels}
        theirs = [found[f"{user}"][name] for user in range(50)]
        ours = values(metric, y_true, recommended)
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


def asked(name):
    """`map_cut_10` is asked for as `map_cut.10`, and `P_10` as `P.10`."""
    head, _, tail = name.rpartition("_")
    return f"{head}.{tail}" if tail.isdigit() else name


def ours(metric, many_users):
    relevant, recommended = many_users
    return values(metric, padded(relevant, WIDTH), padded(recommended, WIDTH))
