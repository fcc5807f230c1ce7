"""How often a discount is evaluated, and for which ranks."""

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm

Y_TRUE = {
    "scores": np.float32([[0, 1, 0, 2], [1, 0, 0, 0]]),
    "sparse": np.array([[1, 3], [0, -1]]),
    "ids": np.array([[1, 3], [0, -1]]),
}
SCORES = np.float32([[1, 2, 3, 4], [4, 4, 2, 1]])
Y_PRED = {
    "scores": SCORES,
    "sparse": SCORES,
    "ids": np.array([[3, 2, 1, 0], [1, 0, 2, 3]]),
}


class Counted:
    """The discount 1 / rank, with a memory of how far down it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, rank):
        self.asked.append(float(ops.max(rank)))
        return 1.0 / rank


class EqualToAll(Counted):
    """Whatever it is compared with; and it cannot be hashed."""

    def __eq__(self, other):
        return True


def both(k, discount, inputs, name):
    options = {"rank_discount_fn": discount, "inputs": inputs}
    made = [
        krm.NDCG(k, name=f"ndcg {name}", **options),
        krm.DCG(k, name=f"dcg {name}", **options),
    ]
    assert max(discount.asked) <= k  # of the constructor's check
    discount.asked.clear()
    return made


@pytest.mark.parametrize("inputs", Y_TRUE)
@pytest.mark.parametrize("of", [Counted, EqualToAll])
def test_once_for_all_metrics_of_one_k(inputs, of):
    discount = of()
    metrics = krm.MetricCollection(both(2, discount, inputs, "discounted"))
    metrics.update_state(Y_TRUE[inputs], Y_PRED[inputs])
    assert discount.asked == [2.0]


def test_once_where_recommended_ids_come_again():
    discount, y_pred = Counted(), np.arange(50)[None] % 40
    metrics = krm.MetricCollection(both(2, discount, "ids", "discounted"))
    metrics.update_state(Y_TRUE["ids"][:1], y_pred)
    assert discount.asked == [2.0]


@pytest.mark.parametrize("inputs", Y_TRUE)
def test_never_beyond_k(inputs):
    discount = Counted()
    metrics = krm.MetricCollection(
        both(1, discount, inputs, "one") + both(3, discount, inputs, "three")
    )
    metrics.update_state(Y_TRUE[inputs], Y_PRED[inputs])
    assert sorted(discount.asked) == [1.0, 3.0]


@pytest.mark.parametrize("inputs", Y_TRUE)
def test_equal_discounts_are_told_apart(inputs):
    one, other = EqualToAll(), EqualToAll()
    metrics = krm.MetricCollection(
        both(2, one, inputs, "one") + both(2, other, inputs, "other")
    )
    metrics.update_state(Y_TRUE[inputs], Y_PRED[inputs])
    assert one.asked == other.asked == [2.0]


@pytest.mark.parametrize("inputs", Y_TRUE)
def test_cutoffs_by_name(inputs):
    """What is remembered of one cutoff is not taken for that of another."""

    class AtTwo(krm.RankingMetric):
        has_upper_bound = False

        @staticmethod
        def measure(ranking, k):
            ones = ops.ones_like
            named = ranking.hits(k=1) + 10 * ranking.hits(k=2)
            sums = ranking.share(k=2) + 10 * ranking.discount(ones, k=1)
            sums = sums - ranking.share(2) - 10 * ranking.discount(ones, 1)
            plain = ranking.hits(1) + 10 * ranking.hits(2)
            return named - plain + ops.sum(sums, axis=-1) + ranking.hits(2)

    found = AtTwo(inputs=inputs).per_list(Y_TRUE[inputs], Y_PRED[inputs])
    hits = krm.RecallAtK(2, inputs=inputs)
    relevant = np.array([2.0, 1.0])
    expected = hits.per_list(Y_TRUE[inputs], Y_PRED[inputs])
    expected = ops.convert_to_numpy(expected) * relevant
    np.testing.assert_allclose(ops.convert_to_numpy(found), expected)


@pytest.mark.parametrize("metric", [krm.NDCG, krm.AlphaNDCG, krm.DCG])
@pytest.mark.parametrize(
    ("discount", "received"),
    [
        (lambda rank: rank, "is 1 at rank 1 and 2 at rank 2"),
        (
            lambda rank: ops.where(rank < 500, 1.0, 2.0),
            "is 1 at rank 499 and 2 at rank 500",
        ),
    ],
    ids=["rank", "late"],
)
def test_a_growing_discount_has_no_best_order(metric, discount, received):
    with pytest.raises(ValueError, match=f"should not grow.*{received}"):
        metric(rank_discount_fn=discount)


def test_a_discount_is_finite_at_the_first_rank():
    with pytest.raises(ValueError, match=r"should be finite.*inf at rank 1"):
        krm.DCG(5, rank_discount_fn=lambda rank: 1 / ops.log2(rank))


@pytest.mark.parametrize(
    ("gain_fn", "received"),
    [
        (lambda label: -label, "0 for the label 0 and -1 for the label 1"),
        (lambda label: 3 - label, "3 for the label 0 and 2 for the label 1"),
    ],
)
def test_a_gain_grows_with_the_label(gain_fn, received):
    with pytest.raises(ValueError, match=f"gain_fn. should.*{received}"):
        krm.NDCG(gain_fn=gain_fn)


@pytest.mark.parametrize(
    "gain_fn",
    [
        lambda label: label >= 180,  # seconds
        lambda label: label > 0.5,  # shares
        lambda label: label - 2,  # of those below the mean, a loss
        krm.GainTable({1: 0, 2: 0.5}),
    ],
)
def test_a_gain_that_few_labels_have(gain_fn):
    assert float(krm.DCG(gain_fn=gain_fn)([[0, 0]], [[2.0, 1.0]])) <= 0


@pytest.mark.parametrize(
    "discount",
    [
        lambda rank: 1.0,
        lambda rank: ops.ones_like(rank) / 3,
        lambda rank: ops.where(rank <= 10, 1.0 / rank, 5.0),  # beyond k
    ],
)
def test_discounts_that_do_not_grow_within_k(discount):
    labels, scores = Y_TRUE["scores"], SCORES
    assert float(krm.NDCG(10, rank_discount_fn=discount)(labels, scores)) <= 1
