"""The referee against brute force, hand counts and published numbers."""

import itertools
import math

import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import enumerated, result, value, weight
from pytest import approx

INF, NAN = math.inf, math.nan


def linear_gain(label):
    return label


def reciprocal_discount(rank):
    return 1 / rank


def original_discount(rank):
    return 1.0 if rank <= 2 else 1 / math.log2(rank)


GAINS = {"gain_fn": linear_gain, "rank_discount_fn": reciprocal_discount}

CATALOGUE = [
    ("dcg", {}),
    ("dcg", GAINS),
    ("ndcg", {}),
    ("ndcg", GAINS),
    ("ndcg", {"ideal": "uncut"}),
    ("ndcg", {"ideal": "shown"}),
    ("precision", {}),
    ("precision", {"denominator": "k"}),
    ("recall", {}),
    ("recall", {"denominator": "min"}),
    ("recall", {"relevance_threshold": 2.0}),
    ("f1", {}),
    ("f1", {"denominator": "k"}),
    ("hit_rate", {}),
    ("hit_rate", {"relevance_threshold": 2.0}),
    ("map", {}),
    ("map", {"denominator": "min"}),
    ("map", {"denominator": "hits"}),
    ("map", {"denominator": "hits", "relevance_threshold": 2.0}),
    ("reciprocal_rank_of_all", {}),
    ("reciprocal_rank_of_all", {"denominator": "hits"}),
    ("mrr", {}),
    ("mrr", {"relevance_threshold": 0.5}),
    ("r_precision", {}),
    ("f_beta", {"beta": 2.0}),
    ("fall_out", {}),
    ("auc", {}),
    ("auc", {"relevance_threshold": 2.0}),
    ("amri", {}),
    ("mean_rank", {}),
    ("arp", {}),
    ("rbp", {}),
    ("graded_rbp", {}),
    ("err", {}),
    ("err", {"normalized": True}),
    ("pfound", {"highest": 4.0}),
    ("pfound", {"highest": 3.0, "decay": 0.5}),
    ("bpref", {}),
    ("bpref", {"unjudged": "irrelevant"}),
    ("judged", {}),
    ("rbp_residual", {}),
    ("unjudged", {}),
    ("unjudged", {"denominator": "k"}),
    ("ndcg", {"unjudged": "condense"}),
    ("opa", {}),
    ("gap", {}),
    ("gap", {"probabilities": (0.0, 0.9, 0.1)}),
    ("q_measure", {}),
    ("q_measure", {"gain_fn": lambda label: label + 1, "beta": 0.3}),
    ("ndcg", {"adjusted": "chance"}),
    ("map", {"adjusted": "chance"}),
]

WITHOUT_K = ("r_precision", "amri", "mean_rank", "arp", "opa", "bpref")
LESS_IS_BETTER = ("fall_out", "mean_rank", "arp", "rbp_residual", "unjudged")

OF_JUDGEMENTS = ("judged", "rbp_residual", "unjudged")

catalogue = pytest.mark.parametrize(
    "metric, options",
    CATALOGUE,
    ids=lambda x: (
        x
        if isinstance(x, str)
        else "-".join(str(getattr(v, "__name__", v)) for v in x.values())
    ),
)


@st.composite
def one_list(draw, most=6):
    n = draw(st.integers(0, most))

    def row(*choices):
        return st.lists(st.sampled_from(choices), min_size=n, max_size=n)

    return {
        "labels": draw(row(0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 0.5, -1.0, -2.0)),
        "scores": draw(row(0.0, 0.0, -0.0, 1.0, 2.0, -INF)),
        "mask": draw(st.none() | row(True, True, True, False)),
        "weights": draw(
            st.none() | st.sampled_from([0.0, 2.0]) | row(1.0, 0.5, 3.0, 0.0)
        ),
    }


cutoffs = st.sampled_from([None, 1, 2, 3, 4, 7])


def cut(metric, k, options):
    """denominator="k" needs a k, and some metrics take none."""
    if metric in WITHOUT_K:
        return None
    return k or 3 if options.get("denominator") == "k" else k


# Brute force


@pytest.mark.long
@catalogue
@settings(max_examples=150, deadline=None)
@given(one=one_list(), k=cutoffs)
def test_average_is_the_mean_over_all_orders(metric, options, one, k):
    k = cut(metric, k, options)
    found = value(metric, **one, k=k, **options)
    expected = enumerated(metric, **one, k=k, **options)
    # Beside chance, a difference is divided by what chance leaves.
    rounding = 1e-12 if "adjusted" in options else 1e-15
    assert found == approx(expected, rel=1e-13, abs=rounding, nan_ok=True)


@pytest.mark.long
@catalogue
@settings(max_examples=50, deadline=None)
@given(one=one_list(), k=cutoffs)
def test_without_ties_the_policy_is_nothing(metric, options, one, k):
    k = cut(metric, k, options)
    one["scores"] = [s + i / 10 for i, s in enumerate(one["scores"])]
    average = value(metric, **one, k=k, **options)
    for ties in ("stable", "pessimistic", "optimistic"):
        found = value(metric, **one, k=k, ties=ties, **options)
        assert found == approx(average, rel=1e-13, nan_ok=True)


@pytest.mark.long
@catalogue
@settings(max_examples=50, deadline=None)
@given(one=one_list(), k=cutoffs)
def test_optimism_and_pessimism_are_the_bounds(metric, options, one, k):
    if options.get("denominator") == "hits":
        return  # the denominator depends on the order
    one["weights"] = None  # they sort labels, not w * gain
    k = cut(metric, k, options)
    low, mid, high = (
        value(metric, **one, k=k, ties=ties, **options)
        for ties in ("pessimistic", "average", "optimistic")
    )
    if metric in LESS_IS_BETTER:
        low, high = high, low
    assert math.isnan(mid) or low - 1e-12 <= mid <= high + 1e-12


@settings(max_examples=100, deadline=None)
@given(one=one_list(most=5), k=cutoffs)
def test_ideals_are_the_best_of_all_orders(one, k):
    """Literally: the ideal is the largest DCG that any order reaches."""
    items = oracle.valid_items(**one)
    gain = oracle.exponential_gain
    weighted = [item.weight * oracle.worth(gain, item) for item in items]

    def discounted(gains):
        pairs = enumerate(gains[:k], start=1)
        return sum(gain / math.log2(rank + 1) for rank, gain in pairs)

    best = max(map(discounted, itertools.permutations(weighted)))
    if best == 0:
        return
    order = oracle.one_order(items, "stable")
    gains = [item.weight * oracle.worth(gain, item) for item in order]
    held = max(map(discounted, itertools.permutations(gains[:k])))
    found = value("ndcg", **one, k=k, ties="stable")
    assert found == approx(discounted(gains) / best)
    found = value("ndcg", **one, k=k, ties="stable", ideal="retrieved")
    assert found == approx(discounted(gains) / held if held else 0.0)


# Hand counts


@catalogue
def test_what_removes_an_item_removes_it_whatever_it_holds(metric, options):
    k = cut(metric, None, options)
    labels, scores, weights = [0, 2, 1], [3.0, 2.0, 2.0], [1.0, 2.0, 3.0]
    alone = value(metric, labels, scores, k=k, weights=weights, **options)
    for label, score, kept, w in [
        (3, NAN, False, NAN),
        (NAN, 9.0, False, 1.0),
        (-1, NAN, True, NAN),
        (NAN, NAN, True, 0.0),
        (NAN, 9.0, True, -1.0),
    ]:
        more = {
            "labels": [label, *labels],
            "scores": [score, *scores],
            "mask": [kept, True, True, True],
            "weights": [w, *weights],
        }
        assert value(metric, **more, k=k, **options) == alone
        assert weight(metric, **more, **options) == weight(
            metric, labels, scores, weights=weights, **options
        )


@catalogue
def test_nan_in_a_valid_item_shows(metric, options):
    k = cut(metric, None, options)
    fine = ([1.0, 3.0], [1.0, 0.0], None, [1.0, 1.0])
    for labels, scores, weights in [
        ([1.0, NAN], [1.0, 0.0], [1.0, 1.0]),
        ([1.0, 0.0], [1.0, NAN], [1.0, 1.0]),
        ([1.0, 0.0], [1.0, 0.0], [1.0, NAN]),
    ]:
        one = (labels, scores, None, weights)
        args = dict(k=k, weights=weights, **options)
        assert math.isnan(value(metric, *one[:2], **args))
        assert math.isnan(result(metric, [fine, one], k=k, **options))


@catalogue
def test_lists_that_do_not_count(metric, options):
    k = cut(metric, None, options)
    gone = ([1.0, 2.0], [1.0, 0.0], [False, False])
    fine = ([0.0, 3.0], [1.0, 0.0])
    assert math.isnan(value(metric, *gone[:2], mask=gone[2], k=k, **options))
    assert weight(metric, *gone[:2], mask=gone[2]) == 0.0
    assert result(metric, [gone], k=k, **options) == 0.0
    assert result(metric, [], k=k, **options) == 0.0
    alone = value(metric, *fine, k=k, **options)
    assert result(metric, [gone, fine], k=k, **options) == alone


def test_lists_without_relevance():
    none, perfect = ([0, 0], [1.0, 0.0]), ([1, 0], [1.0, 0.0])
    # Of several lists, these have no mean.
    others = {"fall_out", "count", "gmap", *OF_JUDGEMENTS}
    for metric in set(oracle.DEFAULTS) - others:
        options = {"k": 1, "empty": "zero", "ties": "stable"}
        best = value(metric, *perfect, k=1, ties="stable")
        assert value(metric, *none, **options) == 0.0
        assert weight(metric, *none) is None
        assert result(metric, [none, perfect], **options) == best / 2
        options["empty"] = "skip"
        assert math.isnan(value(metric, *none, **options))
        assert weight(metric, *none, empty="skip") == 0.0
        assert result(metric, [none, perfect], **options) == best
        assert result(metric, [none], **options) == 0.0
        options["empty"] = "one"
        if metric in oracle.UNBOUNDED:
            with pytest.raises(ValueError, match="not the best"):
                value(metric, *none, **options)
        else:
            assert value(metric, *none, **options) == 1.0
            assert result(metric, [none, perfect], **options) == (1 + best) / 2


def test_items_not_retrieved_hold_no_rank_but_are_relevant():
    one = ([0, 1, 1, 1], [2.0, 1.0, -INF, -INF])
    log3 = 1 / math.log2(3)
    assert value("precision", *one, k=3) == 1 / 2
    assert value("precision", *one) == 1 / 2
    assert value("precision", *one, k=3, denominator="k") == 1 / 3
    assert value("recall", *one, k=3) == 1 / 3
    assert value("recall", *one, k=2, denominator="min") == 1 / 2
    assert value("f1", *one, k=3) == 2 / (2 + 3)
    assert value("f1", *one, k=3, denominator="k") == 2 / (3 + 3)
    assert value("map", *one, k=3) == approx(1 / 2 / 3)
    assert value("mrr", *one) == 1 / 2
    assert value("ndcg", *one, k=3) == approx(log3 / (1 + log3 + 1 / 2))
    assert value("ndcg", *one, ties="stable", ideal="retrieved") == log3
    assert value("r_precision", *one) == 1 / 3
    assert value("auc", *one) == 0.0
    assert value("auc", [1, 0, 1], [2.0, 1.0, -INF]) == 1 / 2
    assert value("fall_out", *one, k=1) == 1.0
    assert value("mean_rank", *one) == (2 + 3 + 3) / 3
    without = {"count", "mean_rank", "arp", "rbp_residual", "unjudged"}
    for metric in set(oracle.DEFAULTS) - without:
        assert value(metric, [1], [-INF], ties="stable") == 0.0
        expected = oracle.relevance(metric, oracle.complete(metric, {}))
        if expected(oracle.Item(1.0, -INF, 1.0)):
            assert weight(metric, [1], [-INF]) == 1.0


def test_average_precision_by_its_denominators():
    """Ranking `x a y b c`, relevant a, b, c."""
    one = ([0, 1, 0, 1, 1], [5.0, 4.0, 3.0, 2.0, 1.0])
    assert value("map", *one, k=2) == approx(1 / 6)
    assert value("map", *one, k=2, denominator="min") == approx(1 / 4)
    assert value("map", *one, k=2, denominator="hits") == approx(1 / 2)
    assert value("map", *one, k=1, denominator="hits") == 0.0


def test_weights_in_the_values():
    labels, scores, weights = [1, 0, 2], [3.0, 2.0, 1.0], [1.0, 5.0, 3.0]
    one, binary_weight, gain_weight = (labels, scores), 4 / 2, (1 + 9) / 4
    w = {"weights": weights}
    dcg = 1 * 1 / math.log2(2) + 3 * 3 / math.log2(4)
    ideal = 9 + 1 / math.log2(3)
    assert value("dcg", *one, **w) == approx(dcg / gain_weight)
    assert value("ndcg", *one, **w) == approx(dcg / ideal)
    ap = 1 * 1 + 3 * 2 / 3
    assert value("map", *one, **w) == approx(ap / (2 * (1 + 3) / 2))
    for metric in oracle.DEFAULTS:
        graded = metric in ("dcg", "ndcg", "err")
        expected = gain_weight if graded else binary_weight
        own = {"highest": 2.0} if metric == "pfound" else {}
        linear = ("arp", "opa", "gap", "q_measure", "graded_rbp", "pfound")
        if metric in linear:
            expected = (1 + 2 * 3) / (1 + 2)
        if metric in ("count", *OF_JUDGEMENTS):
            expected = (1 + 5 + 3) / 3
        assert weight(metric, *one, **w, **own) == approx(expected)
        of_mean = weight(metric, *one, **w, list_weight="mean", **own)
        assert of_mean == approx(3)
        plain = value(metric, *one, ties="stable", **own)
        if metric not in ("dcg", "ndcg", "map", "gmap"):
            assert value(metric, *one, **w, ties="stable", **own) == plain
        same = value(metric, *one, weights=7.0, ties="stable", **own)
        assert same == approx(plain)


def test_the_ideal_sorts_weighted_gains():
    found = value("ndcg", [2, 1], [1.0, 0.0], weights=[1.0, 9.0])
    log3 = 1 / math.log2(3)
    assert found == approx((3 + 9 * log3) / (9 + 3 * log3))


def test_list_weights_in_the_result():
    two = ([1, 0], [0.0, 1.0], None, 2.0)  # RR 1/2
    four = ([1, 0], [1.0, 0.0], None, 4.0)  # RR 1
    none = ([0, 0], [1.0, 0.0], None, 100.0)  # RR 0
    lists = [two, four, none]
    assert result("mrr", lists) == approx((1 + 4) / (2 + 4 + 3))
    found = result("mrr", lists, list_weight="mean")
    assert found == approx((1 + 4) / (2 + 4 + 100))
    found = result("mrr", lists, list_weight="mean", empty="skip")
    assert found == approx((1 + 4) / (2 + 4))
    found = result("mrr", lists, empty="one")
    assert found == approx((1 + 4 + 3) / (2 + 4 + 3))
    assert result("mrr", [none, none]) == 0.0
    assert result("mrr", [none, none], empty="one") == 1.0


def test_lists_are_dicts_or_tuples():
    labels, scores = [0, 1, 1], [1.0, 2.0, 0.0]
    mask, weights = [True, True, False], [1.0, 2.0, 3.0]
    as_tuple = (labels, scores, mask, weights)
    as_dict = {
        "labels": labels,
        "scores": scores,
        "mask": mask,
        "weights": weights,
    }
    found = {result("map", iter([one])) for one in (as_tuple, as_dict)}
    assert found == {1.0}


def test_ties_by_policy():
    one = ([1, 0, 2, 0], [1.0, 1.0, 1.0, 0.0])
    found = {
        ties: value("mrr", *one, ties=ties, relevance_threshold=2)
        for ties in ("stable", "pessimistic", "optimistic", "average")
    }
    assert found == {
        "stable": 1 / 3,
        "pessimistic": 1 / 3,
        "optimistic": 1.0,
        "average": approx((1 + 1 / 2 + 1 / 3) / 3),
    }
    assert value("mrr", [0, 1], [0.0, -0.0]) == 3 / 4  # they tie


def test_options_are_checked():
    one = ([1, 0], [1.0, 0.0])
    for call in (value, enumerated, weight):
        with pytest.raises(TypeError, match="no option"):
            call("mrr", *one, denominator="k")
        with pytest.raises(TypeError, match="no option"):
            call("dcg", *one, ideal="retrieved")
        with pytest.raises(ValueError, match="not in"):
            call("map", *one, denominator="k")
    with pytest.raises(TypeError, match="no option"):
        result("mrr", [one], gain_fn=linear_gain)
    with pytest.raises(ValueError, match="needs a k"):
        value("precision", *one, denominator="k")
    with pytest.raises(ValueError, match="no exact average"):
        value("ndcg", *one, ideal="retrieved")
    with pytest.raises(ValueError, match="ties"):
        value("ndcg", *one, ties="random")
    with pytest.raises(ValueError, match="empty"):
        value("ndcg", *one, empty="two")
    with pytest.raises(ValueError, match="list_weight"):
        weight("ndcg", *one, list_weight="sum")
    with pytest.raises(ValueError, match="rank"):
        value("ndcg", *one, k=0)


# Long lists


@pytest.mark.long
def test_a_long_list_of_one_tie():
    n = 2000
    harmonic = math.fsum(1 / i for i in range(1, n + 1))
    one_relevant = ([1] + [0] * (n - 1), [0.5] * n)
    for metric in ("mrr", "map"):
        assert value(metric, *one_relevant) == approx(harmonic / n, rel=1e-12)
    assert value("hit_rate", *one_relevant, k=10) == approx(10 / n)
    assert value("recall", *one_relevant, k=10) == approx(10 / n)
    all_relevant = ([1] * n, [0.5] * n)
    for denominator in ("relevant", "min", "hits"):
        found = value("map", *all_relevant, denominator=denominator)
        assert found == approx(1.0, rel=1e-12)
    half = ([0, 1] * (n // 2), [0.5] * n)
    # a = 0, r / m = 1/2: the sum of 1/2 * (1 + (i - 1) * 999/1999) / i
    slope = (n / 2 - 1) / (n - 1)
    expected = (harmonic + slope * (n - harmonic)) / n
    assert value("map", *half) == approx(expected, rel=1e-12)
    assert value("map", *half, denominator="hits", k=n) == approx(expected)
    assert value("mrr", *half) == approx(math.log(2), abs=1e-3)
    assert value("hit_rate", *half, k=1000) == approx(1.0, rel=1e-12)
    # hits 0..2 of two places: 1/2 of the terms as for k = 2 by hand
    both = 499.5 / 1999 * 1.0  # two relevant: AP 1
    one = 1000 / 1999 * (1 + 1 / 2) / 2  # one, first or second: 1 or 1/2
    found = value("map", *half, denominator="hits", k=2)
    assert found == approx(both + one, rel=1e-12)


# Published numbers


def test_six_graded_relevances():
    relevances = [3, 2, 3, 0, 1, 2]
    scores = [6.0, 5.0, 4.0, 3.0, 2.0, 1.0]
    dcg = value(
        "dcg",
        relevances,
        scores,
        gain_fn=linear_gain,
        rank_discount_fn=original_discount,
    )
    assert dcg == approx(8.097171433256849, rel=1e-12)
    ndcg = value("ndcg", relevances, scores, gain_fn=linear_gain)
    assert ndcg == approx(0.9608081943360617, rel=1e-12)


@pytest.mark.parametrize(
    "k, dcg, ideal, ndcg",
    [
        (10, 85.98764063423907, 89.3986129310978, 0.9618453554812123),
        (5, 75.11771171236516, 78.3217628403342, 0.9590911770652969),
    ],
)
def test_ratings_estimated_half_a_point_off(k, dcg, ideal, ndcg):
    ratings = [3, 4, 5, 1, 2, 3, 4, 5, 5, 4]
    estimates = [r + (-0.5, 0.5)[i % 2] for i, r in enumerate(ratings)]
    found = value("dcg", ratings, estimates, k=k, ties="stable")
    assert found == approx(dcg, rel=1e-12)
    assert value("dcg", ratings, ratings, k=k) == approx(ideal, rel=1e-12)
    found = value("ndcg", ratings, estimates, k=k, ties="stable")
    assert found == approx(ndcg, rel=1e-12)
