"""`SampledRanks`: a metric of lists that hold a sample of the items."""

import math
import warnings

import given as lists_given
import numpy as np
import pytest
from draws import lists_at, sampled, two_models
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics import MetricCollection, SampledRanks
from keras_rankmetrics.metrics.sampled import Sampling, mixture

NAIVE, BV, EM = (f"sampled_recall@2/{each}" for each in ("naive", "bv", "em"))


def recall(*batches, metric=None, catalogue=10, negatives=3, **options):
    made = SampledRanks(
        metric or krm.RecallAtK(2), catalogue, negatives, **options
    )
    for each in batches:
        made.update_state(*each)
    return made


def said(made):
    return lists_given.numbers(made.result())


def batch(seed, lists=40, negatives=3):
    """Labels, scores of which some tie, and weights."""
    rng = np.random.default_rng([31, seed])
    scores = rng.integers(0, 4, (lists, negatives + 1)).astype("float32")
    labels = np.eye(negatives + 1, dtype="float32")
    labels = labels[rng.integers(0, negatives + 1, lists)]
    return labels, scores, rng.integers(1, 4, lists).astype("float32")


# What it says


def test_the_numbers_of_a_worked_example():
    """f^ at the sampled ranks 1, 2 and 4, from ten items and three others."""
    made = recall(lists_at([1, 2, 4], 3), replacement=True)
    worths = 0.961838, -0.25737, 0.024243
    assert said(made)[NAIVE] == approx(2 / 3)
    assert said(made)[BV] == approx(sum(worths) / 3, abs=1e-6)
    assert made.histogram() == approx([1, 1, 0, 1])


MODELS = {
    (model, metric.name): metric
    for model in "AB"
    for metric in (krm.RecallAtK(10), krm.NDCG(10))
}


@pytest.mark.long
@pytest.mark.parametrize("model, name", MODELS)
def test_two_models_of_a_catalogue_of_1000(model, name):
    """B is not better than A, though its naive numbers are seven times it."""
    rng, metric = np.random.default_rng(0), MODELS[model, name]
    ranks = two_models(rng)[model]
    values = (ranks <= 10) * 1.0
    if name == "ndcg@10":
        values /= np.log2(ranks + 1)
    made = SampledRanks(metric, catalogue=1000, negatives=99)
    made.update_state(*lists_at(sampled(rng, ranks, 1000, 99), 99))
    naive, bv, em = said(made).values()
    # The prior puts what is hidden above rank n / m too low for A.
    margin = 0.02 if (model, name) == ("A", "ndcg@10") else 0.015
    assert bv == approx(values.mean(), abs=margin)
    assert em == approx(values.mean(), abs=0.006)
    if model == "B":
        assert naive > 6 * values.mean()


@pytest.mark.long
@pytest.mark.parametrize("metric", [krm.NDCG(3), krm.AUC(), krm.MeanRank()])
def test_a_sample_of_all_items_is_exact(metric):
    labels, scores, weights = batch(1, negatives=9)
    metric.update_state(labels, scores, weights)
    made = recall((labels, scores, weights), metric=metric, negatives=9)
    exact = approx(float(metric.result()), rel=1e-5)
    assert said(made) == dict.fromkeys(said(made), exact)


@pytest.mark.long
@settings(max_examples=10)
@given(
    st.lists(st.integers(1, 4), min_size=5, max_size=5),
    st.floats(0.01, 1.0),
    st.booleans(),
)
def test_estimates_are_linear_in_the_values_of_the_metric(
    ranks, gamma, replacement
):
    """Recall at 2 and at 1 differ by what rank 2 alone is worth."""
    options = {"gamma": gamma, "replacement": replacement}
    (at_1, at_2), both = (
        [
            np.array([*said(recall(lists, metric=metric, **options)).values()])
            for metric in metrics
        ]
        for lists in [lists_at(ranks, 3)]
        for metrics in (
            [krm.RecallAtK(1), krm.RecallAtK(2)],
            [krm.DCG(2, rank_discount_fn=krm.reciprocal_discount)],
        )
    )
    assert both[0] == approx((at_1 + at_2) / 2, abs=1e-5)


def test_naive_is_the_metric_on_the_lists():
    for metric in (krm.NDCG(2), krm.AUC(), krm.NDCG(2, adjusted="chance")):
        made = recall(batch(2), metric=metric)
        metric.update_state(*batch(2))
        found = said(made)[f"sampled_{metric.name}/naive"]
        assert found == approx(float(metric.result()), abs=1e-6)


def test_the_histogram_is_all_that_the_numbers_rest_on():
    made = recall(batch(3))
    histogram = made.histogram()
    weights = batch(3)[2]
    assert histogram.sum() == approx(weights.sum())
    shares = histogram / histogram.sum()
    known = made.aggregate
    naive, bv = known.worths @ shares
    em = mixture(known.probabilities, known.prior, known.values, histogram)
    assert said(made) == approx({NAIVE: naive, BV: bv, EM: em}, abs=1e-5)


# Ties


def test_ties_are_spread_over_the_ranks_that_they_share():
    made = recall(([[0, 1, 0, 0]], [[5, 4, 4, 4]]))
    assert made.histogram() == approx([0, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize(
    "ties, rank", [("stable", 3), ("optimistic", 2), ("pessimistic", 4)]
)
def test_other_policies_have_one_rank(ties, rank):
    made = recall(
        ([[0, 0, 1, 0]], [[5, 4, 4, 4]]), metric=krm.RecallAtK(2, ties=ties)
    )
    assert made.histogram() == approx(np.eye(4)[rank - 1])


def test_shuffled_ties_have_a_rank_each():
    labels, scores = [[0, 0, 1, 0]] * 300, [[4, 4, 4, 4]] * 300
    made = recall((labels, scores), metric=krm.RecallAtK(2, ties="shuffle"))
    assert made.histogram() == approx([75, 75, 75, 75], abs=35)
    assert np.all(made.histogram() % 1 == 0)


def test_per_list_is_the_sampled_rank():
    made = recall()
    scores = [[4, 3, 2, 1], [1, 2, 2, 2], [4, 4, 4, 4], [1, 1, 2, 3], [1] * 4]
    labels = [[0, 1, 0, 0]] * 3 + [[1, 1, 0, 0], [-1] * 4]
    found = ops.convert_to_numpy(made.per_list(labels, scores))
    assert found == approx([2, 2, 2.5, 0, math.nan], nan_ok=True)
    assert made.histogram().sum() == 0


# What it takes


@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_in_each_form_of_input(inputs):
    lists = {
        "scores": ([[0, 1, 0, 0], [1, 0, 0, 0]], [[3, 1, 2, 0]] * 2),
        "sparse": ([1, 0], [[3.0, 1.0, 2.0, 0.0]] * 2),
        "ids": ([11, 10], [[10, 12, 11, 13]] * 2),
    }[inputs]
    made = recall(lists, metric=krm.RecallAtK(2, inputs=inputs))
    assert made.histogram() == approx([1, 0, 1, 0])


def test_a_list_counts_by_its_weight():
    labels, scores = lists_at([1, 3, 4], 3)
    made = recall((labels, scores, [1.0, 2.0, 0.0]))
    assert made.histogram() == approx([1, 0, 2, 0])
    by_item = np.where(labels > 0, [[1.0], [2.0], [3.0]], 1.0)
    assert recall((labels, scores, by_item)).histogram() == approx([1, 0, 2, 3])


def test_padding_is_no_item_and_no_list():
    labels, scores = lists_at([1, 3], 3)
    padded = np.pad(labels, [(0, 1), (0, 2)], constant_values=-1)
    more = np.pad(scores, [(0, 1), (0, 2)], constant_values=9)
    assert recall((padded, more)).histogram() == approx([1, 0, 1, 0])


def test_several_leading_dimensions():
    labels, scores = lists_at([1, 3, 3, 4], 3)
    made = recall((labels.reshape(2, 2, 4), scores.reshape(2, 2, 4)))
    assert made.histogram() == approx([1, 0, 2, 1])
    assert made.estimates()[NAIVE].rows == 2


def test_a_negative_that_is_not_retrieved_is_below():
    made = recall(([[1, 0, 0, 0]], [[1, 2, -math.inf, -math.inf]]))
    assert made.histogram() == approx([0, 1, 0, 0])


def test_a_threshold_of_relevance():
    metric = krm.RecallAtK(2, relevance_threshold=3)
    made = recall(([[0, 4, 2, 1]], [[1, 4, 2, 5]]), metric=metric)
    assert made.histogram() == approx([0, 1, 0, 0])


UNFIT = {
    "with 2 relevant items and 2 others": ([1, 1, 0, 0], [4, 3, 2, 1]),
    "with 0 relevant items and 4 others": ([0, 0, 0, 0], [4, 3, 2, 1]),
    "with 1 relevant items and 2 others": ([1, 0, 0, -1], [4, 3, 2, 1]),
    "whose relevant item is not retrieved": (
        [1, 0, 0, 0],
        [-math.inf, 3, 2, 1],
    ),
}


@pytest.mark.parametrize("received", UNFIT)
def test_a_list_that_does_not_fit_is_an_error(received):
    made = recall(batch(4))
    before = made.get_state()
    labels, scores, weights = batch(5)
    labels[7], scores[7] = UNFIT[received]
    with pytest.raises(ValueError, match=f"Received: a list {received}"):
        made.update_state(labels, scores, weights)
    np.testing.assert_array_equal(made.get_state()[0], before[0])


def test_another_label_is_an_error_where_labels_are_gains():
    with pytest.raises(ValueError, match="relevant item has another label"):
        recall(([[2, 0, 0, 0]], [[4, 3, 2, 1]]), metric=krm.DCG(2))


def test_more_items_than_expected():
    with pytest.raises(ValueError, match="1 relevant items and 4 others"):
        recall(lists_at([1], 4))


def test_empty_lists_may_be_skipped():
    metric = krm.RecallAtK(2, empty="skip")
    lists = [[1, 0, 0, 0], [0, 0, 0, 0]], [[4, 3, 2, 1]] * 2
    assert recall(lists, metric=metric).histogram() == approx([1, 0, 0, 0])


@pytest.mark.parametrize(
    "metric, error, message",
    [
        (krm.NDCG, TypeError, "should be a ranking metric"),
        (krm.CatalogueCoverage(2, 4), TypeError, "should be a ranking metric"),
        (krm.AlphaNDCG(2), ValueError, "a label for each item and subtopic"),
        (krm.JudgedAtK(2), ValueError, "labels, which mark"),
        (
            krm.Novelty(2, popularity=[0.1, 0.2]),
            ValueError,
            "which items a list shows",
        ),
        (
            krm.RecallAtK(2, relevance_threshold=0),
            ValueError,
            "1 for any other",
        ),
        (krm.ExpectedExposureLoss(2), ValueError, "which items are ranked"),
    ],
    ids=lambda x: getattr(x, "name", None),
)
def test_metrics_that_it_does_not_take(metric, error, message):
    with pytest.raises(error, match=message):
        SampledRanks(metric, 10, 3)


@pytest.mark.parametrize(
    "options, error, message",
    [
        ({"sampling": "popularity"}, ValueError, "no formula can correct"),
        ({"sampling": "other"}, ValueError, "sampling"),
        ({"gamma": 0}, ValueError, "from 0.0001 to 1"),
        ({"gamma": 1.1}, ValueError, "from 0.0001 to 1"),
        ({"gamma": True}, ValueError, "`gamma` should be a number"),
        ({"gamma": math.nan}, ValueError, "`gamma` should be a number"),
        (
            {"catalogue": 1},
            ValueError,
            r"^`catalogue` .* items, .* Received: 1",
        ),
        ({"catalogue": 10.0}, ValueError, r"^`catalogue` .* Received: 10\.0\."),
        ({"negatives": 0}, ValueError, "at least 1"),
        ({"negatives": 10}, ValueError, "and below `catalogue`"),
        ({"replacement": "no"}, ValueError, "one of False, True"),
    ],
)
def test_numbers_that_it_does_not_take(options, error, message):
    with pytest.raises(error, match=message):
        recall(**options)


def test_with_replacement_there_may_be_more_than_all():
    assert len(recall(negatives=20, replacement=True).histogram()) == 21


# Errors


@pytest.mark.long
def test_the_standard_error_is_that_of_the_worths():
    labels, scores, weights = batch(6)
    made = recall((labels, scores, weights))
    lists = zip(labels[:, None], scores[:, None], strict=True)
    shares = np.array([recall(each).histogram() for each in lists])
    for name, worth in zip((NAIVE, BV), made.aggregate.worths, strict=True):
        found = made.estimates()[name]
        expected = lists_given.standard_error(shares @ worth, weights)
        assert found.standard_error == approx(expected, rel=1e-3)
        assert found.value == approx(said(made)[name], rel=1e-5)
        assert found.lists == 40


def test_the_table():
    made = recall(batch(6))
    lines = str(made).splitlines()
    assert [line.split()[0] for line in lines[1:]] == [NAIVE, BV, EM]
    assert [len(line.split()) for line in lines] == [3, 5, 5, 3]


def test_without_lists_all_is_0():
    made = recall()
    assert set(said(made).values()) == {0}
    assert made.estimates()[BV].lists == 0


# What a sample does not identify

# Of 20,000 items, a relevant item above 100 others may be at any rank to 198.
HIDDEN = {
    "ndcg@10": (krm.NDCG(10), lambda r: (r <= 10) / np.log2(r + 1)),
    "mrr": (krm.MeanReciprocalRank(), lambda r: 1 / r),
    "recall@10": (krm.RecallAtK(10), lambda r: r <= 10),
}
RANKS = {
    "some at the top": lambda rng, n: np.where(
        rng.random(n) < 0.015, 1, rng.integers(200, 20_001, n)
    ),
    "all at the top": lambda rng, n: np.ones(n, int),
    "all just below k": lambda rng, n: np.full(n, 11),
    "at random": lambda rng, n: rng.integers(1, 20_001, n),
}


def not_identified(metric, **options):
    with pytest.warns(UserWarning, match="any of the first 198 ranks"):
        return SampledRanks(metric, 20_000, 100, **options)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("name", HIDDEN)
def test_bounds_hold_where_estimates_fail(name, ranks):
    (metric, value), rng = HIDDEN[name], np.random.default_rng(1)
    of_items = RANKS[ranks](rng, 2000)
    made = not_identified(metric)
    made.update_state(*lists_at(sampled(rng, of_items, 20_000, 100), 100))
    low, high = made.bounds()
    assert low <= value(of_items).mean() <= high
    [naive] = made.estimates()
    assert naive.endswith("/naive")
    _, _, bv, em = str(made).splitlines()
    for line in (bv, em):
        assert f"[{low:.4f}, {high:.4f}]" in line


def test_the_bounds_of_few_hits_are_narrow():
    """The true value is .015, of which `bv` finds less than a tenth."""
    rng, made = np.random.default_rng(1), not_identified(krm.NDCG(10))
    ranks = RANKS["some at the top"](rng, 20_000)
    made.update_state(*lists_at(sampled(rng, ranks, 20_000, 100), 100))
    assert list(said(made).values())[1] < 0.0015
    assert 0.015 < made.bounds()[1] < 0.025


@pytest.mark.parametrize(
    "metric, catalogue, negatives, is_identified",
    [
        (krm.RecallAtK(10), 1000, 99, True),
        (krm.RecallAtK(5), 1000, 99, False),
        (krm.RecallAtK(200), 20_000, 100, True),
        (krm.RecallAtK(100), 20_000, 100, False),
        (krm.AUC(), 20_000, 100, True),
        (krm.MeanRank(), 20_000, 100, True),
        (krm.NDCG(), 100, 50, True),
        (krm.NDCG(), 20_000, 100, False),
    ],
)
def test_what_is_identified(metric, catalogue, negatives, is_identified):
    """With a relevant item above all others, k is more likely than not."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = SampledRanks(metric, catalogue, negatives)
    doubts = [w for w in caught if "any of the first" in str(w.message)]
    assert len(doubts) == 1 - is_identified
    assert made.aggregate.is_identified is is_identified
    assert len(made.estimates()) == 1 + is_identified


@pytest.mark.parametrize("replacement", [False, True])
def test_bounds_of_ranks_that_are_identified(replacement):
    rng = np.random.default_rng(2)
    ranks = rng.integers(1, 101, 4000)
    share, drawn = (ranks - 1) / 99, (len(ranks),)
    above = rng.binomial(60, share, drawn) if replacement else None
    found = sampled(rng, ranks, 100, 60) if above is None else above + 1
    made = SampledRanks(krm.RecallAtK(20), 100, 60, replacement=replacement)
    made.update_state(*lists_at(found, 60))
    low, high = made.bounds()
    assert low <= np.mean(ranks <= 20) <= high


def test_without_lists_there_are_no_bounds():
    assert all(map(math.isnan, recall().bounds()))


# State


def test_the_signature():
    signature = recall().signature
    assert signature == krm.RecallAtK(2).signature + (
        "|catalogue:10|negatives:3|replacement:False|gamma:0.1|steps:100"
    )


# In programs


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.not_on("torch", reason="torch compiles no program")
@pytest.mark.parametrize("received", UNFIT)
def test_a_list_that_does_not_fit_in_a_compiled_program(received):
    labels, scores, weights = batch(5)
    labels[7], scores[7] = UNFIT[received]
    found = lists_given.in_a_program(recall(), (labels, scores, weights))
    assert all(map(math.isnan, found.values()))


# In a collection


def test_a_collection_with_errors_needs_those_of_all():
    with pytest.raises(TypeError, match="has no `errors`"):
        MetricCollection([recall()], errors=True)


def test_one_negative_is_the_fewest():
    made = krm.SampledRanks(krm.RecallAtK(k=5), catalogue=10, negatives=1)
    made.update_state([[1, 0], [1, 0]], [[2.0, 1.0], [1.0, 2.0]])
    assert float(made.result()[f"{made.name}/naive"]) == 1.0


@pytest.mark.parametrize("replacement", [False, True])
@pytest.mark.parametrize("negatives", [1, 7, 20, 29])
def test_the_resolution_is_the_deviation_of_a_sample(negatives, replacement):
    """Of its estimate of how many items are above; at least one item found."""
    sampling = Sampling(31, negatives, replacement)
    above = np.arange(30)
    chances = sampling.probabilities(above + 1)
    found = np.arange(negatives + 1)
    variance = chances @ found**2 - (chances @ found) ** 2
    expected = 30 / negatives * np.sqrt(np.maximum(variance, 1.0))
    assert [sampling.resolution(x) for x in above] == approx(expected)


def test_a_catalogue_of_which_nothing_was_sampled():
    with pytest.warns(UserWarning, match="so that nothing was sampled"):
        krm.SampledRanks(krm.RecallAtK(k=2), catalogue=10, negatives=9)
