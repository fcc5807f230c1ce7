"""`Sliced`: a metric over all lists, and over each group of them."""

import copy
import functools
import math

import given
import keras
import numpy as np
import pytest
from given import assert_same_state
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import MetricCollection, Sliced

GROUPS = ["head", "tail", "new"]


def batch(seed, *shape):
    """A dict of labels and groups, scores and weights."""
    labels, scores, weights = given.batch(seed, *shape)
    rng = np.random.default_rng([29, seed])
    groups = rng.choice(3, shape, p=[0.5, 0.3, 0.2]).astype("int32")
    return {"labels": labels, "group": groups}, scores, weights


def sliced(*batches, metric=None, groups=GROUPS, **options):
    made = Sliced(metric or krm.NDCG(3), groups, **options)
    for each in batches:
        made.update_state(*each)
    return made


def said(made):
    """All the numbers of the estimates."""
    return {
        (name, number): getattr(estimate, number)
        for name, estimate in made.estimates().items()
        for number in (
            "value",
            "standard_error",
            "lists",
            "effective_lists",
            "rows",
        )
    }


# What it says


@pytest.mark.parametrize("empty", ["zero", "one", "skip"])
def test_a_group_is_a_metric_of_its_lists_alone(empty):
    metric = krm.NDCG(3, empty=empty)
    y_true, scores, weights = batch(1, 60)
    estimates = sliced((y_true, scores, weights), metric=metric).estimates()
    for group, name in enumerate(GROUPS):
        of_group = y_true["group"] == group
        alone = krm.NDCG(3, empty=empty)
        alone.update_state(
            y_true["labels"][of_group], scores[of_group], weights[of_group]
        )
        found, expected = estimates[f"ndcg@3/{name}"], alone.estimate()
        assert found.value == approx(expected.value, rel=1e-6)
        assert found.standard_error == approx(expected.standard_error, rel=1e-4)
        assert found.effective_lists == approx(expected.effective_lists)
        assert (found.lists, found.rows) == (expected.lists, expected.rows)


@pytest.mark.parametrize("shape", [(60,), (20, 5)])
def test_all_lists_are_the_plain_metric(shape):
    y_true, scores, weights = batch(2, *shape)
    plain = krm.NDCG(3)
    plain.update_state(y_true["labels"], scores, weights)
    found = sliced((y_true, scores, weights)).estimates()["ndcg@3"]
    assert found == plain.estimate()


def test_the_result_is_that_of_the_estimates():
    made = sliced(batch(1, 60))
    values = {name: e.value for name, e in made.estimates().items()}
    assert given.numbers(made.result()) == approx(values, rel=1e-6)
    assert len(set(values.values())) == 4


@pytest.mark.parametrize(
    "groups, names", [(3, ["0", "1", "2"]), (("a", "b", "c"), ["a", "b", "c"])]
)
def test_groups_by_name_or_number(groups, names):
    made = sliced(batch(1, 60), groups=groups, name="mine")
    assert list(made.result()) == ["mine", *(f"mine/{n}" for n in names)]
    expected = given.numbers(sliced(batch(1, 60)).result()).values()
    assert list(given.numbers(made.result()).values()) == list(expected)


def test_a_group_without_lists_is_0():
    made = sliced(batch(1, 60), groups=5)
    estimate = made.estimates()["ndcg@3/4"]
    assert (estimate.value, estimate.lists) == (0.0, 0)
    assert math.isnan(estimate.standard_error)


# Rows of several lists


@pytest.mark.parametrize("of_rows", [False, True])
def test_lists_of_a_row_belong_together_in_each_group(of_rows):
    """Beside finite differences, of the lists of the group alone."""
    y_true, scores, weights = batch(3, 20, 5)
    groups = y_true["group"]
    if of_rows:
        groups = groups[:, 0]
    made = sliced(({**y_true, "group": groups}, scores, weights))
    labels = y_true["labels"]
    values = ops.convert_to_numpy(krm.NDCG(3).per_list(labels, scores))
    own = (labels > 0).any(axis=-1)
    group_of = np.broadcast_to(groups[:, None] if of_rows else groups, (20, 5))
    for group, name in enumerate(GROUPS):
        of_group = np.where(group_of == group, values, math.nan)
        found = made.estimates()[f"ndcg@3/{name}"]
        expected = given.standard_error(of_group, weights, own)
        assert found.standard_error == approx(expected, rel=1e-4)
        counted = ~np.isnan(of_group)
        assert found.lists == counted.sum()
        assert found.rows == counted.any(axis=-1).sum()


# Which group


@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_in_each_form_of_input(inputs):
    y_true, y_pred = {
        "scores": ({"labels": [[1, 0], [0, 1], [1, 0]]}, [[2, 1]] * 3),
        "sparse": ({"target": [0, 1, 0]}, [[2.0, 1.0]] * 3),
        "ids": ({"target": [0, 1, 0]}, [[0, 1]] * 3),
    }[inputs]
    made = sliced(
        ({**y_true, "group": [0, 1, 1]}, y_pred),
        metric=krm.HitRateAtK(1, inputs=inputs),
        groups=["a", "b"],
    )
    assert given.numbers(made.result()) == approx(
        {"hit_rate@1": 2 / 3, "hit_rate@1/a": 1, "hit_rate@1/b": 1 / 2}
    )


def test_a_column_of_groups():
    y_true, scores, weights = batch(1, 60)
    column = {**y_true, "group": y_true["group"][:, None]}
    assert said(sliced((column, scores, weights))) == said(
        sliced((y_true, scores, weights))
    )


@pytest.mark.parametrize("outside", [-1, 3, 1000])
def test_a_group_outside_is_an_error_and_leaves_the_state(outside):
    made = sliced(batch(1, 60))
    before = made.get_state()
    y_true, scores, weights = batch(5, 60)
    y_true["labels"][7] = 1
    y_true["group"][7] = outside
    with pytest.raises(
        ValueError, match=rf"integer from 0 to 2. Received: \[{outside}\]"
    ):
        made.update_state(y_true, scores, weights)
    assert_same_state(made, before)


@pytest.mark.not_on("numpy", reason="it sums in another order")
def test_the_group_of_a_list_that_does_not_count_does_not_matter():
    y_true, scores, weights = batch(5, 60)
    y_true["labels"][7] = -1
    expected = said(sliced((y_true, scores, weights)))
    y_true["group"][7] = -1
    assert said(sliced((y_true, scores, weights))) == expected


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.not_on("torch", reason="torch compiles no program")
@pytest.mark.parametrize("shape", [(20,), (20, 3)])
def test_a_group_outside_in_a_compiled_program(shape):
    """It counts in no group, and the value of all is NaN."""
    y_true, scores, weights = batch(6, *shape)
    y_true["labels"][7] = 1
    masked = {**y_true, "labels": y_true["labels"].copy()}
    y_true["group"][7] = 3
    masked["labels"][7] = -1
    found = given.in_a_program(sliced(), (y_true, scores, weights))
    expected = given.numbers(sliced((masked, scores, weights)).result())
    assert math.isnan(found.pop("ndcg@3"))
    del expected["ndcg@3"]
    assert found == approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    "group, message",
    [
        (None, "Each list needs a group"),
        ([0, 1], "the group of each list, in the shape"),
        ([0.5, 1.0, 0.0], "group"),
        (["a", "b", "c"], "group"),
    ],
)
def test_what_is_no_group(group, message):
    y_true = {"labels": [[1, 0]] * 3}
    if group is not None:
        y_true["group"] = group
    made = sliced()
    with pytest.raises((ValueError, TypeError), match=message):
        made.update_state(y_true, [[2, 1]] * 3)
    assert made.estimates()["ndcg@3"].lists == 0


def test_plain_metrics_do_not_look_at_the_group():
    y_true, scores, weights = batch(1, 60)
    metric, plain = krm.NDCG(3), krm.NDCG(3)
    metric.update_state(y_true, scores, weights)
    plain.update_state(y_true["labels"], scores, weights)
    assert metric.estimate() == plain.estimate()


@pytest.mark.parametrize("groups", [0, True, [], ["a", "a"], [0, 1], "ab"])
def test_groups_that_it_does_not_take(groups):
    expected = "a list of different names, or the number of groups"
    with pytest.raises(ValueError) as refused:
        Sliced(krm.NDCG(), groups)
    message = f"`groups` should be {expected}. Received: {groups!r}."
    assert str(refused.value) == message


def test_what_it_does_not_take():
    with pytest.raises(TypeError, match="should be a ranking metric"):
        Sliced(krm.NDCG, 2)
    with pytest.raises(TypeError, match="`by` should be a function"):
        Sliced(krm.NDCG(), 2, "by")


# A function that finds the group


@keras.saving.register_keras_serializable("test_slices")
def by_popularity(y_true, y_pred):
    """The first three items are popular."""
    return ops.cast(y_true >= 3, "int32")


def popular(**options):
    metric = krm.MeanReciprocalRank(inputs="sparse")
    return Sliced(metric, ["popular", "rare"], by=by_popularity, **options)


def test_by_a_function():
    y_true = np.array([0, 4, 2, 3])
    y_pred = np.float32([[5, 4, 3, 2, 1]] * 4)
    made = popular()
    made.update_state(ops.array(y_true), ops.array(y_pred))
    assert given.numbers(made.result()) == approx(
        {
            "mrr": (1 + 1 / 5 + 1 / 3 + 1 / 4) / 4,
            "mrr/popular": (1 + 1 / 3) / 2,
            "mrr/rare": (1 / 5 + 1 / 4) / 2,
        }
    )


# In a collection


def test_beside_plain_metrics_with_their_errors():
    together = MetricCollection(
        [
            krm.NDCG(3),
            Sliced(krm.NDCG(3), GROUPS, name="by market"),
            Sliced(krm.RecallAtK(2, ties="shuffle"), 3),
            krm.RecallAtK(5, empty="skip"),
        ],
        errors=True,
    )
    alone = together.from_config(together.get_config()).metrics
    for each in (batch(9, 20), batch(10, 20)):
        together.update_state(*each)
        for metric in alone:
            metric.update_state(*each)
    results = given.numbers(together.result())
    plain, by_market, by_number, other = alone
    for estimates in (
        {plain.name: plain.estimate()},
        by_market.estimates(),
        by_number.estimates(),
        {other.name: other.estimate()},
    ):
        for name, estimate in estimates.items():
            assert results.pop(name) == approx(estimate.value, rel=1e-5)
            assert results.pop(f"{name}_se") == approx(
                estimate.standard_error, rel=1e-3
            )
    assert not results


@pytest.mark.parametrize(
    "metrics",
    [
        lambda: [Sliced(krm.NDCG(name="a"), ["b"]), krm.NDCG(name="a/b")],
        lambda: [krm.NDCG(name="a"), krm.NDCG(name="a_se")],
    ],
    ids=["a group", "an error"],
)
def test_no_result_takes_the_name_of_another(metrics):
    with pytest.raises(ValueError, match="different names"):
        MetricCollection(metrics(), errors=True)


# State


@pytest.mark.parametrize(
    "groups, others",
    [(["a,b", "c"], ["a", "b,c"]), (["a|by:f", "b"], ["a\nb", "c"])],
    ids=["commas", "bars and lines"],
)
def test_the_signature_tells_names_apart(groups, others):
    one, other = sliced(groups=groups), sliced(groups=others)
    assert one.signature != other.signature
    for made in (one, other):
        assert "|by:" not in made.signature
        assert "\n" not in made.signature


# As text


def test_table():
    """Values of 0 and 1: k is (n - 1) (z / t)², and at 1/2 it is symmetric."""
    labels = [[1, 0], [0, 1], [1, 0], [1, 0], [0, 1]]
    y_true = {"labels": labels, "group": [0, 0, 0, 1, 1]}
    made = sliced(
        (y_true, [[2, 1]] * 5), metric=krm.HitRateAtK(1), groups=["a", "b"]
    )
    assert made.table().splitlines() == [
        "               value          interval  lists",
        "hit_rate@1    0.6000  [0.0265, 0.9957]      5",
        "hit_rate@1/a  0.6667  [0.0000, 1.0000]      3",
        "hit_rate@1/b  0.5000          ± 0.5000      2",
    ]


def test_a_group_that_no_int32_holds_is_outside():
    made = Sliced(krm.NDCG(3), 2)
    y_true = {"labels": [[1, 0]] * 2, "group": np.array([2**32, 1])}
    with pytest.raises(ValueError, match="integer"):
        made.update_state(y_true, [[2, 1]] * 2)
    assert made.estimates()["ndcg@3"].lists == 0


def test_copies_need_no_registered_function():
    def highest(y_true, y_pred, threshold):
        return ops.cast(ops.max(y_true, axis=-1) > threshold, "int32")

    made = Sliced(krm.NDCG(3), 2, by=functools.partial(highest, threshold=1))
    made.update_state(np.float32([[1, 0], [2, 0]]), np.float32([[2, 1]] * 2))
    copied = copy.deepcopy(made)
    assert given.numbers(copied.result()) == given.numbers(made.result())


def test_a_metric_that_updates_in_its_own_way_is_refused():
    class Negated(krm.NDCG):
        def update_state(self, y_true, y_pred, sample_weight=None):
            super().update_state(y_true, -y_pred, sample_weight)

    with pytest.raises(TypeError, match="which has its own `update_state`"):
        Sliced(Negated(), 2)
