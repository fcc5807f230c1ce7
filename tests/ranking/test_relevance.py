"""What labels are worth: nothing below 0, whatever the function says."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics.engine.backend.operations import at_least


def squared(label):
    return label**2


def constant(label):
    return ops.ones_like(label)


def undefined_below_0(label):
    return ops.sqrt(label)


class Everything(krm.RankingMetric):
    """All there is, by every way that leads to the gains."""

    has_upper_bound = False

    @staticmethod
    def measure(ranking, k):
        return sum(
            [
                ranking.overall(),
                ranking.hits(k),
                ops.sum(ranking.total() * ranking.share(k), axis=-1),
                ops.sum(ranking.best(k), axis=-1),
                ranking.at_first_hit(ops.ones_like, k),
                ranking.mean_weight(),
            ]
        )


def with_relevance(function, measure=Everything.measure):
    members = {
        "relevance": staticmethod(function),
        "measure": staticmethod(measure),
        "has_upper_bound": False,
    }
    return type("Own", (krm.RankingMetric,), members)


LABELS = np.float32([[2, -3, 0, -1, 1], [-2, -2, -2, -2, -2]])
SCORES = np.float32([[1, 5, 3, 3, 2], [1, 2, 3, 4, 5]])
ZEROS = np.zeros_like(SCORES)


@pytest.mark.parametrize("k", [3, None])
@pytest.mark.parametrize("scores", [SCORES, ZEROS], ids=["strict", "tied"])
@pytest.mark.parametrize("function", [squared, constant, undefined_below_0])
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_no_item_is_worth_nothing(function, scores, k):
    def guarded(label):
        return ops.where(label >= 0, function(ops.maximum(label, 0.0)), 0.0)

    given = LABELS, scores
    found = with_relevance(function)(k).per_list(*given)
    expected = with_relevance(guarded)(k).per_list(*given)
    np.testing.assert_array_equal(*map(ops.convert_to_numpy, (found, expected)))


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_a_masked_label_of_minus_three_is_not_nine():
    metric = with_relevance(squared, lambda ranking, k: ranking.overall())()
    assert float(metric(LABELS[:1], SCORES[:1])) == 5.0


@pytest.mark.parametrize("inputs", ["sparse", "ids"])
def test_padding_is_worth_nothing(inputs):
    metric = with_relevance(squared, lambda ranking, k: ranking.overall())
    y_true = np.array([[2, -1, 4, -1], [-1, -1, -1, 3]])
    y_pred = SCORES if inputs == "sparse" else np.arange(10).reshape(2, 5)
    values = metric(inputs=inputs).per_list(y_true, y_pred)
    assert ops.convert_to_numpy(values).tolist() == [2.0, 1.0]


def test_a_comparison_as_numbers():
    labels = ops.convert_to_tensor(np.array([[-1, 0, 1], [2, 1, 3]], "float32"))
    found = at_least(labels, 1.0)
    assert found.dtype == labels.dtype
    np.testing.assert_array_equal(
        ops.convert_to_numpy(found), [[0, 0, 1], [1, 1, 1]]
    )


class HighestGain(krm.RankingMetric):
    """The highest gain of the items, retrieved or not."""

    has_upper_bound = False
    relevance = staticmethod(krm.linear_gain)

    @staticmethod
    def measure(ranking, k):
        return ranking.highest_gain()


@pytest.mark.parametrize("k", [1, None])
@pytest.mark.parametrize("ties", ["average", "stable"])
def test_the_highest_gain_is_of_all_items(ties, k):
    """Those behind k, not retrieved or unseen count; masked ones do not."""
    inf = np.inf
    labels = [[1, 3, 2], [-1, 0.5, 0], [0, 4, 0.5], [-2, -2, -2], [0, 0, 0]]
    scores = [[3, 1, 2], [3, 2, 2], [2, -inf, 1], [1, 1, 1], [1, 2, 3]]
    metric = HighestGain(k, ties=ties, empty="zero")

    def found(metric, y_true, y_pred):
        return ops.convert_to_numpy(metric.per_list(y_true, y_pred)).tolist()

    assert found(metric, labels, scores) == [3, 0.5, 4, 0, 0]
    y_true = {"labels": labels, "mask": np.float32(labels) != 4}
    assert found(metric, y_true, scores) == [3, 0.5, 0.5, 0, 0]
    # An unseen relevant item has the label 1.
    y_true = {"labels": labels, "num_relevant": [4, 1, 2, 1, 0]}
    assert found(metric, y_true, scores) == [3, 0.5, 4, 1, 0]
    # Targets and ids that are relevant have the label 1 too.
    targets = np.array([[2, 0], [1, -1]])
    sparse = HighestGain(k, ties=ties, inputs="sparse")
    assert found(sparse, targets, np.float32([[3, 1, 2], [2, -inf, 1]])) == [
        1,
        1,
    ]
    ids = HighestGain(k, ties=ties, inputs="ids", empty="zero")
    wanted = np.array([[2, 0], [1, -1], [-1, -1]])
    assert found(ids, wanted, np.array([[5, 6], [1, 2], [3, 4]])) == [1, 1, 0]
