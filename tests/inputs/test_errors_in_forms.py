"""Errors about ids, targets, and what goes with them."""

import re

import keras
import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm

BACKEND = keras.backend.backend()

SCORES = [[0.3, 0.2, 0.1, 0.4], [0.1, 0.2, 0.3, 0.4]]
TARGETS = [[1, 2], [3, -1]]
RELEVANT = [[10, 20], [30, -1]]
RECOMMENDED = [[10, 11, 12], [13, 30, -1]]
GOOD = {"sparse": (TARGETS, SCORES), "ids": (RELEVANT, RECOMMENDED)}


@pytest.fixture(scope="module")
def metrics():
    """Metrics that have seen something."""
    made = {form: krm.NDCG(k=2, inputs=form) for form in GOOD}
    for form, metric in made.items():
        metric.update_state(*GOOD[form])
    return made


@pytest.fixture
def fails(metrics):
    """Expects an error of exactly this text, and no trace in the state."""

    def check(form, text, y_true=None, y_pred=None, sample_weight=None):
        metric = metrics[form]
        before = metric.get_state()
        assert any(np.any(array != 0) for array in before)
        y_true = GOOD[form][0] if y_true is None else y_true
        y_pred = GOOD[form][1] if y_pred is None else y_pred
        for call in (metric.update_state, metric.per_list):
            with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
                call(y_true, y_pred, sample_weight)
        np.testing.assert_equal(metric.get_state(), before)

    return check


@pytest.mark.parametrize("dtype", ["float32", "bool"])
def test_targets_that_are_no_integers(fails, dtype):
    fails(
        "sparse",
        "`y_true` should hold indices of items: integers, negative for "
        f"padding. Received: `y_true` of dtype {dtype}. If they are whole "
        "numbers, cast them to integers. For labels of all items, use "
        '`inputs="scores"`.',
        y_true=np.ones((2, 2), dtype),
    )


def test_ids_whose_last_digits_are_lost():
    """To cast them would change which ids match."""
    ids = np.float32([[2**24, 2**24 + 1]])
    metric = krm.RecallAtK(k=2, inputs="ids")
    text = "Keep them integers: float32 has lost their last digits."
    with pytest.raises(ValueError, match=re.escape(text)):
        metric.update_state(ids, ids)


def test_relevant_ids_that_are_no_integers(fails):
    fails(
        "ids",
        "`y_true` should hold the ids of the relevant items: integers, "
        "negative for padding. Received: `y_true` of dtype float32. If they "
        "are whole numbers, cast them to integers. For labels and scores of "
        'the same items, use `inputs="scores"`.',
        y_true=ops.array([[1.0, 2.0], [3.0, -1.0]]),
    )


def test_scores_instead_of_recommended_ids(fails):
    fails(
        "ids",
        "`y_pred` should hold the recommended ids, best first: integers, "
        "negative for padding. Received: `y_pred` of dtype float32. If they "
        "are whole numbers, cast them to integers. For scores of all items and "
        "indices of the relevant ones, use "
        '`inputs="sparse"`; for scores and labels, `inputs="scores"`.',
        y_pred=np.array(SCORES, "float32"),
    )


def test_an_index_beyond_the_catalogue(fails):
    fails(
        "sparse",
        "`y_true` should hold indices of items, from 0 to 3, since there are 4 "
        "scores in a list. Received: the index 4.",
        y_true=[[1, 4], [3, -1]],
    )


@pytest.mark.parametrize("form", GOOD)
def test_an_excluded_index_beyond_the_catalogue(fails, form):
    y_true = {"target": GOOD[form][0], "exclude": [[1, 7], [3, -1]]}
    if form == "ids":  # any id may be excluded
        assert krm.NDCG(inputs="ids").per_list(y_true, RECOMMENDED).shape == (
            2,
        )
        return
    fails(
        form,
        '`y_true["exclude"]` should hold indices of items, from 0 to 3, since '
        "there are 4 scores in a list. Received: the index 7.",
        y_true=y_true,
    )
    with pytest.raises(ValueError, match="the index 7"):
        krm.NDCG().per_list({"labels": SCORES, "exclude": [[1], [7]]}, SCORES)


LABELS = '`inputs="scores"`'


@pytest.mark.parametrize(
    "form, held, remedy",
    [
        ("sparse", "indices of items", f"a label of each item, use {LABELS}."),
        (
            "ids",
            "the ids of the relevant items",
            f"labels and scores of the same items, use {LABELS}.",
        ),
    ],
)
def test_labels_instead_of_ids(fails, form, held, remedy):
    fails(
        form,
        f"`y_true` should hold {held}. Received: 4 numbers for each list, all "
        f"of them 0 or 1, which look like labels or a mask. For {remedy}",
        y_true=[[0, 1, 1, 0], [0, 0, 0, 1]],
    )


def test_as_many_targets_as_items():
    everything = [[0, 1, 2, 3], [0, 1, 2, -1]]
    found = krm.RecallAtK(inputs="sparse").per_list(everything, SCORES)
    assert ops.convert_to_numpy(found).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "form, expected",
    [("sparse", "indices of items"), ("ids", "the ids of the relevant items")],
)
@pytest.mark.parametrize("shape", [(), (1,), (3,), (3, 2), (1, 2), (2, 3, 2)])
def test_shapes(fails, form, expected, shape):
    fails(
        form,
        f"`y_true` should hold {expected}, in the shape (2,) for one per list, "
        f"or (2, None) for a row of them. Received: `y_true.shape` = {shape}.",
        y_true=np.zeros(shape, "int32"),
    )


@pytest.mark.parametrize("shape", [(2,), (3,), (3, 2), (2, 1, 1)])
@pytest.mark.parametrize("form", GOOD)
def test_shapes_of_excluded(fails, form, shape):
    held = {"sparse": "indices of items", "ids": "ids"}[form]
    fails(
        form,
        f'`y_true["exclude"]` should hold {held}, a row for each list, in the '
        f"shape (2, None). Received: the shape {shape}.",
        y_true={"target": GOOD[form][0], "exclude": np.zeros(shape, "int32")},
    )


@pytest.mark.parametrize("form", GOOD)
def test_a_number_instead_of_lists(fails, form):
    held = {
        "sparse": "the scores of all items, [items] or [batch, items]",
        "ids": "the recommended ids, best first, [recommended] or [batch, "
        "recommended]",
    }[form]
    fails(
        form,
        f"`y_pred` should hold {held}. Received: a single number.",
        y_pred=3,
    )


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize("shape", [(1,), (3,), (1, 3), (2, 4), (2, 3), (3, 1)])
def test_weights(fails, form, shape):
    fails(
        form,
        "`sample_weight` should have one of the shapes (), (2,), (2, 1): one "
        "weight for all or per list, since these lists have no items. "
        f"Received: `sample_weight.shape` = {shape}.",
        sample_weight=np.ones(shape),
    )


NO_WEIGHTS = {
    -2.0: "not be negative. Received: a weight of -2.0. Use the weight 0 to "
    "exclude a list or an item.",
    np.inf: "be finite. Received: a weight of inf. To count this one alone, "
    "set all other weights to 0.",
}


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize("weight", NO_WEIGHTS)
def test_weights_that_are_negative_or_infinite(fails, form, weight):
    text = f"`sample_weight` should {NO_WEIGHTS[weight]}"
    fails(form, text, sample_weight=[1.0, weight])


ENTRIES = {
    "sparse": 'the key "target" or "labels" and may have the keys "mask", '
    '"exclude", "group"',
    "ids": 'the key "target" and may have the keys "labels", "mask", '
    '"exclude", "group"',
}


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize(
    "make",
    [
        lambda target: {"mask": target},
        lambda target: {"target": target, "num_relevant": [1, 1]},
        lambda target: {"targets": target},
        lambda target: {},
        lambda target: {"target": None},
    ],
)
def test_dicts(fails, form, make):
    y_true = make(GOOD[form][0])
    fails(
        form,
        f"A dict `y_true` should have {ENTRIES[form]}. "
        f"Received the keys: {sorted(y_true)}.",
        y_true=y_true,
    )


@pytest.mark.parametrize(
    "form, keys", [("sparse", ["target", "labels"]), ("ids", ["labels"])]
)
def test_labels_that_belong_to_nothing(fails, form, keys):
    fails(
        form,
        f"A dict `y_true` should have {ENTRIES[form]}. "
        f"Received the keys: {sorted(keys)}.",
        y_true=dict.fromkeys(keys, GOOD[form][0]),
    )


@pytest.mark.parametrize(
    "labels, expected, received",
    [
        ([[3, 1, 1], [2, 1, 1]], (2, 2), (2, 3)),
        ([[3, 1]], (2, None), (1, 2)),
        ([[[3, 1], [2, 1]]], (2, None), (1, 2, 2)),
        ([3, 1], (2, 2), (2, 1)),
        (3, (2, None), ()),
    ],
)
def test_labels_of_other_ids(fails, labels, expected, received):
    fails(
        "ids",
        f'`y_true["labels"]` should hold a label for each id, in the shape '
        f"{expected}. Received: the shape {received}.",
        y_true={"target": RELEVANT, "labels": labels},
    )


@pytest.mark.parametrize("target", [[[10, 20], [30]], RELEVANT], ids=str)
def test_ragged_labels_of_other_lengths(fails, target):
    fails(
        "ids",
        '`y_true["labels"]` should hold a number for each id of `y_true`. '
        "Received: for the list 0, 1 numbers for 2 ids.",
        y_true={"target": target, "labels": [[3], [2, 1]]},
    )


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize("shape", [(3,), (2, 1), (3, 4), (2, 2)])
def test_masks(fails, form, shape):
    width = {"sparse": 4, "ids": 3}[form]
    fails(
        form,
        f"A mask should have the shape (2, {width}), and be True where an item "
        'counts, or (2,) for whole lists. Received: y_true["mask"] of shape '
        f"{shape}.",
        y_true={"target": GOOD[form][0], "mask": np.ones(shape, bool)},
    )


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize("name", ["y_true", "y_pred"])
@pytest.mark.parametrize(
    "value",
    [[["1", "2"], ["3", "4"]], {1, 2}, [[1, None], [2, 3]], object, None],
    ids=["strings", "set", "None in a list", "type", "None"],
)
def test_what_is_no_tensor(metrics, form, name, value):
    arguments = dict(zip(("y_true", "y_pred"), GOOD[form], strict=True))
    expected = (
        "be a tensor" if value is None else "(be a tensor of numbers|hold)"
    )
    with pytest.raises(ValueError, match=f"^`{name}` should {expected}"):
        metrics[form].update_state(**{**arguments, name: value})


@pytest.mark.parametrize("form", GOOD)
def test_k_beyond_the_list_is_no_error(form):
    metric = krm.NDCG(k=1000, inputs=form)
    whole = krm.NDCG(inputs=form)
    assert float(metric(*GOOD[form])) == float(whole(*GOOD[form]))


# Options


@pytest.mark.parametrize("form", GOOD)
@pytest.mark.parametrize(
    "metric, options, worth",
    [
        (krm.PrecisionAtK, {"k": 1, "relevance_threshold": 2.0}, (0.0, 0.0)),
        (krm.HitRateAtK, {"relevance_threshold": 0.0}, (1.0, 1.0)),
        (krm.MeanAveragePrecision, {"relevance_threshold": 1.5}, (0.0, 0.0)),
        (krm.NDCG, {"gain_fn": lambda label: label + 1.0}, (2.0, 1.0)),
        (
            krm.DCG,
            {"gain_fn": lambda label: ops.maximum(label - 1.0, 0.0)},
            (0.0, 0.0),
        ),
    ],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_options_under_which_ids_mean_nothing(form, metric, options, worth):
    text = (
        f'With `inputs="{form}"`, relevant items have the label 1 and all '
        "others the label 0. The first should have a positive gain and the "
        f"others the gain 0. Received: options of {metric.__name__} with the "
        f"gains {worth[0]} and {worth[1]}."
    )
    if form == "sparse":
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            metric(inputs=form, **options)
        return
    made, (ids, recommended) = metric(inputs=form, **options), GOOD[form]
    text += ' For grades, pass `y_true={"target": ids, "labels": labels}`.'
    for call in (made.update_state, made.per_list):
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            call(ids, recommended)
    assert all(np.all(array == 0) for array in made.get_state())
    made.update_state({"target": ids, "labels": [[2, 1], [0, -1]]}, recommended)
