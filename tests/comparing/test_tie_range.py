"""`tie_range` against the enumeration of all orders of tied items."""

import itertools

import numpy as np
import pytest
from catalogue import EVERY_ROW
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.comparing.variants import BY_LABELS

ROWS = [row for row in EVERY_ROW if row.metric in BY_LABELS]
HITS = {"denominator": "hits"}
# Metrics of labels whose values over orders have no mean, or are no means.
OTHERS = {
    krm.InterpolatedPrecision,
    krm.ElevenPointPrecision,
    krm.GeometricMAP,
    krm.Count,
}

LOOK_LIKE_RANKS = pytest.mark.filterwarnings("ignore:.* once in each list")


def drawn(number, seed=0):
    """Yield labels and tied scores, some not retrieved or not judged."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        items = rng.integers(2, 6)
        scores = rng.integers(0, 2, items).astype(float)
        labels = rng.integers(0, 5, items).astype(float)
        if rng.random() < 0.4:
            scores[rng.integers(items)] = -np.inf
        if rng.random() < 0.3:
            labels = np.minimum(labels, 1)
        if rng.random() < 0.3:
            labels[rng.integers(items)] = krm.UNJUDGED
        yield labels, scores


def orders(scores):
    """Yield scores without ties, one for each order of the tied items."""
    tied = [
        np.flatnonzero(scores == score)
        for score in sorted(set(scores), reverse=True)
        if score > -np.inf
    ]
    for parts in itertools.product(*map(itertools.permutations, tied)):
        found = np.full(len(scores), -np.inf)
        for rank, item in enumerate(itertools.chain(*parts)):
            found[item] = len(scores) - rank
        yield found


def enumerated(metric, labels, scores):
    """Return the values of a list in all orders."""
    every = np.array(list(orders(scores)))
    many = np.tile(labels, (len(every), 1))
    return np.array(metric.per_list(many, every), float)


def by_labels(row, k, labels, scores):
    return sorted(
        float(row.make(k, ties=ties).per_list([labels], [scores])[0])
        for ties in ("pessimistic", "optimistic")
    )


def cutoffs(row):
    every = (None, 1, 2, 3) if row.takes_k else (None,)
    return [k for k in every if k or not row.needs_k]


def is_known(row):
    strict = row.metric.strict_order_under
    return not (
        HITS.items() <= row.options.items()
        or (strict and strict in row.options.items())
    )


KNOWN = [row for row in ROWS if is_known(row)]


not_on_jax = pytest.mark.not_on("jax", reason="it compiles each shape")


@not_on_jax
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", KNOWN[::5], ids=str)
def test_no_order_is_outside(row):
    check_no_order_is_outside(row, 3)


@not_on_jax
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", KNOWN, ids=str)
def test_no_order_of_many_lists_is_outside(row):
    check_no_order_is_outside(row, 40)


def check_no_order_is_outside(row, number):
    for labels, scores in drawn(number):
        for k in cutoffs(row):
            values = enumerated(row.make(k, ties="stable"), labels, scores)
            if not np.isnan(values).any():
                expected = values.min(), values.max()
                found = by_labels(row, k, labels, scores)
                assert found == approx(expected, abs=1e-5), (labels, scores, k)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("row", [r for r in ROWS if not is_known(r)], ids=str)
def test_what_is_refused_has_an_order_outside(row):
    def is_outside(labels, scores):
        values = enumerated(row.make(3, ties="stable"), labels, scores)
        low, high = by_labels(row, 3, labels, scores)
        return values.min() < low - 1e-3 or values.max() > high + 1e-3

    # Residuals are refused since they have no mean over orders.
    if row.metric is not krm.RBPResidual:
        assert any(is_outside(*each) for each in drawn(200))
    with pytest.raises(ValueError, match="Leave it out"):
        krm.tie_range([[1, 0]], [[1, 1]], row.make(3))


def test_all_metrics_of_labels_are_known_or_have_a_reason():
    rows = {row.metric for row in EVERY_ROW}
    assert rows - set(BY_LABELS) <= OTHERS
    for metric in OTHERS:
        with pytest.raises((ValueError, TypeError)):
            krm.tie_range([[1, 0]], [[1, 1]], metric())


@not_on_jax
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_what_is_known_is_taken(row):
    metric = row.make(3)
    labels, scores = [[1.0, 0.0]], [[0.5, 0.5]]
    if row.stand_in:
        metric = row.metric(3, **row.options)
    if is_known(row):
        [found] = krm.tie_range(labels, scores, metric).values()
        least, most = found.lowest - 1e-6, found.highest + 1e-6
        if not np.isnan(found.mean):
            assert least <= found.mean <= most
            assert least <= found.in_order <= most
    else:
        with pytest.raises(ValueError, match="Leave it out"):
            krm.tie_range(labels, scores, metric)


EXTREME = "pessimistic", "optimistic"


def expected(metric, lists):
    """Return the means over lists of the least, the highest and the mean."""
    values = [enumerated(metric(ties="stable"), *each) for each in lists]
    return [np.mean([f(x) for x in values]) for f in (np.mean, np.min, np.max)]


LISTS = [
    (np.array([1.0, 0.0, 0.0, 3.0]), np.array([0.5, 0.5, 0.5, 0.1])),
    (np.array([0.0, 1.0, 2.0, 0.0]), np.array([0.9, 0.4, 0.4, 0.1])),
    (np.array([2.0, 0.0, 1.0, 0.0]), np.array([0.9, 0.8, 0.7, 0.6])),
]


@LOOK_LIKE_RANKS
def test_arrays():
    labels, scores = map(np.array, zip(*LISTS, strict=True))
    metrics = [krm.NDCG(3), krm.MeanRank(), krm.MeanReciprocalRank()]
    found = krm.tie_range(labels, scores, metrics)
    assert list(found) == [metric.name for metric in metrics]
    for metric in metrics:
        name = metric.name
        mean, low, high = expected(metric.remade, LISTS)
        in_order = float(metric.remade(ties="stable")(labels, scores))
        depend = sum(
            np.ptp(enumerated(metric.remade(ties="stable"), *each)) > 1e-5
            for each in LISTS
        )
        expect = mean, low, high, in_order, depend
        assert found[name] == approx(expect, abs=1e-6)
        assert found[name].range == approx(high - low, abs=1e-6)
        assert found[name].bias == approx(in_order - mean, abs=1e-6)
        evaluated = krm.evaluate(labels, scores, metric.remade())
        assert found[name].mean == approx(evaluated[name])


def of_ids():
    truth, run = {}, {}
    for place, (labels, scores) in enumerate(LISTS):
        items = "abcd"
        truth[f"q{place}"] = dict(zip(items, map(int, labels), strict=True))
        run[f"q{place}"] = dict(zip(items, map(float, scores), strict=True))
    return truth, run


@LOOK_LIKE_RANKS
def test_ids_by_the_rules_of_a_tool():
    truth, run = of_ids()
    [found] = krm.tie_range(
        truth, run, "ndcg_cut_3", convention="trec_eval"
    ).values()
    ndcg = krm.conventions.trec_eval.NDCG(k=3)
    assert found[:3] == approx(expected(ndcg.remade, LISTS), abs=1e-6)
    theirs = krm.evaluate(truth, run, "ndcg_cut_3", convention="trec_eval")
    assert found.in_order == approx(theirs["ndcg_cut_3"])
    text = str(krm.tie_range(truth, run, "ndcg_cut_3", convention="trec_eval"))
    assert "lists: how many of 3 depend on the order of tied items." in text
    assert "the order of their ids, the last one first, minus" in text


@pytest.mark.parametrize(
    "tool, order",
    [
        ("trec_eval", "in the order of their ids, the last one first"),
        ("beir", "in the order of their ids, the last one first"),
        ("catboost", 'by `ties="pessimistic"`'),
        ("sklearn", 'by `ties="average"`'),
        ("keras_rs", 'by `ties="average"`'),
    ],
)
def test_the_bias_is_that_of_the_tool(tool, order):
    truth, run = of_ids()
    name = {"trec_eval": "ndcg_cut_3", "catboost": "NDCG:top=3"}.get(tool)
    name = name or ("NDCG@3" if tool != "sklearn" else "ndcg_score@3")
    asked = truth, run, "NDCG(k=3)" if tool == "sklearn" else name
    found = krm.tie_range(*asked, convention=tool)
    [theirs] = krm.evaluate(*asked, convention=tool).values()
    [each] = found.values()
    assert each.in_order == approx(theirs)
    assert each.lowest <= theirs <= each.highest
    assert order in str(found)
    if "average" in order:
        assert each.bias == 0


def test_the_bias_is_that_of_the_option_of_a_metric():
    labels, scores = map(np.array, zip(*LISTS, strict=True))
    metric = krm.NDCG(k=2, ties="optimistic")
    found = krm.tie_range(labels, scores, metric)["ndcg@2"]
    assert found.in_order == found.highest > found.mean


def test_one_table_has_the_same_values():
    truth, run = of_ids()
    rows = [(q, i, truth[q][i], run[q][i]) for q in truth for i in truth[q]]
    query, item, label, score = map(list, zip(*rows, strict=True))
    table = {"query": query, "item": item, "label": label, "score": score}
    found = krm.tie_range(table, metrics="NDCG@3 RR")
    assert found == krm.tie_range(truth, run, "NDCG@3 RR")


@LOOK_LIKE_RANKS
def test_weights_of_lists_weigh_the_extremes():
    labels, scores = map(np.array, zip(*LISTS, strict=True))
    weights = np.array([3.0, 1.0, 1.0])
    found = krm.tie_range(
        labels, scores, krm.MeanReciprocalRank(), sample_weight=weights
    )["mrr"]
    metric = krm.MeanReciprocalRank(ties="stable")
    least = [enumerated(metric, *each).min() for each in LISTS]
    assert found.lowest == approx(np.average(least, weights=weights))


@pytest.mark.parametrize(
    "metrics, said",
    [
        (krm.AlphaNDCG(k=2), "AlphaNDCG, of which it is not known"),
        (krm.MeanAveragePrecision(k=2, denominator="hits"), "hits"),
        (krm.NDCG(k=2, ideal="retrieved"), "no mean over the orders"),
        (krm.Quantiles(krm.NDCG(k=2), [0.5]), "should be means over lists"),
    ],
)
def test_unknown_extremes_are_refused(metrics, said):
    labels = [[[1, 0], [0, 1]]] if "Alpha" in said else [[1, 0]]
    with pytest.raises(ValueError, match=said):
        krm.tie_range(labels, [[1, 1]], metrics)


def test_your_own_metric_is_refused_even_if_it_is_a_known_one_inside():
    class Own(krm.NDCG):
        pass

    with pytest.raises(ValueError, match="Own, of which it is not known"):
        krm.tie_range([[1, 0]], [[1, 1]], Own(k=1))


def test_counts_have_no_order():
    counts = {
        "above": [[0, 2]],
        "tied": [[1, 0]],
        "num_items": 6,
    }
    metric = krm.NDCG(k=2, inputs="counts")
    found = krm.tie_range([[3, 4]], counts, metric)["ndcg@2"]
    assert found.lowest < found.mean == found.in_order < found.highest


def test_labels_that_are_probabilities_are_refused():
    metric = krm.NDCG(k=2, labels="probabilities")
    with pytest.raises(ValueError, match=r"probabilities.*Leave it"):
        krm.tie_range([[0.5, 0.1]], [[1.0, 1.0]], metric)


def test_any_names_and_small_values():
    metrics = [krm.NDCG(1, name="a"), krm.NDCG(1, name="a own")]
    assert len(krm.tie_range([[1, 0]], [[1.0, 1.0]], metrics)) == 2
    labels, scores = [[1e-7, 0.0]], [[1.0, 1.0]]
    metric = krm.DCG(k=1, gain_fn=krm.linear_gain)
    assert krm.tie_range(labels, scores, metric)["dcg@1"].lists == 1


def test_weights_may_have_a_last_dimension_of_1():
    labels, scores = map(np.array, zip(*LISTS, strict=True))
    weights = np.array([3.0, 1.0, 1.0])
    one, other = (
        krm.tie_range(labels, scores, krm.MeanRank(), sample_weight=each)
        for each in (weights, weights[:, None])
    )
    assert one == other


def test_weights_of_items_are_refused():
    with pytest.raises(ValueError, match="one weight for each list"):
        krm.tie_range([[1, 0]], [[1, 1]], "RR", sample_weight=[[1.0, 2.0]])


def test_it_says_what_evaluate_says_of_the_input():
    truth = {"q": {"a": 1}, "r": {"b": 1}, "s": {"c": 1}}
    run = {"q": {"a": 0.5, "x": 0.5}, "r": {"b": -np.inf, "y": 0.1}}
    found = krm.tie_range(truth, run, "RR P@1")
    assert found.notes[2:] == krm.evaluate(truth, run, "RR P@1").report.notes
    assert "all: 1 of 3 queries have no rows" in str(found)
    with pytest.warns(UserWarning, match="none of its 2 retrieved items"):
        krm.tie_range({"q": {"A": 1}}, {"q": {"a": 0.5, "b": 0.5}}, "RR")
