"""Labels that are probabilities, against all labellings and all orders."""

import itertools
import math

import keras
import numpy as np
import oracle
import pytest
from catalogue import Row
from given import compiled

import keras_rankmetrics as krm
from keras_rankmetrics import (
    DCG,
    NDCG,
    HitRateAtK,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
    RPrecision,
)

INF = math.inf

CASES = [
    (PrecisionAtK, "precision", {}),
    (PrecisionAtK, "precision", {"denominator": "k"}),
    (RecallAtK, "recall", {}),
    (RecallAtK, "recall", {"denominator": "min"}),
    (HitRateAtK, "hit_rate", {}),
    (MeanReciprocalRank, "mrr", {}),
    (MeanAveragePrecision, "map", {}),
    (RPrecision, "r_precision", {}),
    (DCG, "dcg", {}),
    (NDCG, "ndcg", {}),
    (NDCG, "ndcg", {"rank_discount_fn": krm.gains.reciprocal_discount}),
]
all_cases = pytest.mark.parametrize("row", [Row(*x) for x in CASES], ids=str)
METRICS = [PrecisionAtK, RecallAtK, HitRateAtK, MeanReciprocalRank]
METRICS += [MeanAveragePrecision, RPrecision, DCG, NDCG]
all_metrics = pytest.mark.parametrize("metric", METRICS)
all_ties = pytest.mark.parametrize("ties", ["average", "stable", "shuffle"])


def made(metric, k, **options):
    options = {"labels": "probabilities", **options}
    return metric(**options) if metric is RPrecision else metric(k, **options)


def of_row(row, k, **options):
    return made(row.metric, k, **row.options, **options)


def cutoffs(metric, options):
    if metric is RPrecision:
        return [None]
    return [1, 3] if options.get("denominator") == "k" else [1, 3, None]


def values(metric, labels, scores, weights=None):
    found = metric.per_list(
        np.asarray(labels, "float32"), np.asarray(scores, "float32"), weights
    )
    return keras.ops.convert_to_numpy(found)


def expected(row, labels, scores, k, ties="average"):
    """The mean over all labellings, in float64; each of them by the oracle."""
    total, labels = 0.0, np.float64(np.float32(labels))
    possible = ([0, 1] if 0 < x < 1 else [x] for x in labels)
    for ones in map(np.array, itertools.product(*possible)):
        chance = np.where(ones > 0, labels, 1 - labels)[labels >= 0].prod()
        total += chance * oracle.value(
            row.oracle, ones, scores, k=k, ties=ties, **row.for_oracle
        )
    return total


P = [0.9, 0.2, 0.6, 0.05, 0.5]
FALLING = [5.0, 4.0, 3.0, 2.0, 1.0]
# Six items at most: with masks, items that are not retrieved, certain ones.
TIED = [
    ([0.9, 0.2, 0.6, 0.05, 0.5, 0.3], [3, 2, 2, 2, 1, 1]),
    ([0.9, 0.2, -1, 0.05, 0.5, 1.0], [1, 2, 2, 2, -INF, 1]),
    ([0.5, 0.5, 0.5, 0.5, 0.5, 0.5], [1, 1, 1, 2, 2, -INF]),
    ([1.0, 0.0, 1.0, 0.0, 0.7, -1], [1, 1, 2, 2, 3, 3]),
    ([0.1, 0.0, 0.0, 0.0, -1, -1], [1, 1, 1, 1, 3, 3]),
    ([0.3, 0.8, 0.6, -1, -1, -1], [-INF, -INF, 1, 3, 3, 3]),
    ([0.3, 0.8, 0.6, 0.9, 0.2, 0.1], [6, 5, 4, 3, 2, 1]),
    ([0.3, 0.8, 0.6, 0.9, 0.2, 0.1], [6, 5, -INF, 3, -INF, 1]),
    ([0.9, 0.2, 0.6, 0.05, -1, -1], [2, 2, 2, 2, 2, 2]),
]


@all_cases
@pytest.mark.parametrize("ties", ["average", "stable"])
def test_is_the_mean_over_labellings_and_orders(row, ties):
    labels, scores = map(list, zip(*TIED, strict=True))
    for k in cutoffs(row.metric, row.options):
        found = values(of_row(row, k, ties=ties), labels, scores)
        want = [expected(row, *x, k, ties) for x in TIED]
        np.testing.assert_allclose(found, want, atol=1e-6, rtol=0)


@pytest.mark.long
@all_cases
def test_six_tied_items(row):
    of_list = [0.9, 0.2, 0.6, 0.05, 0.5, 0.3], [2] * 6
    for k in cutoffs(row.metric, row.options):
        found = values(of_row(row, k), *([x] for x in of_list))
        want = expected(row, *of_list, k)
        np.testing.assert_allclose(found, [want], atol=1e-6, rtol=0)


@all_cases
def test_twelve_tied_items_are_the_mean_over_orders_without_ties(row):
    """More are tied than are sorted for small cutoffs."""
    of_two = np.eye(12)
    pairs = list(itertools.permutations(range(12), 2))
    labels = [0.5 * of_two[i] + 0.3 * of_two[j] for i, j in pairs]
    strict = np.tile(np.arange(12.0), (len(pairs), 1))
    for k in cutoffs(row.metric, row.options):
        one = of_row(row, k)
        found = values(one, labels[:1], np.zeros((1, 12)))
        want = values(one, labels, strict).mean()
        np.testing.assert_allclose(found, want, atol=1e-6, rtol=0)


@all_metrics
@pytest.mark.parametrize("ties", ["optimistic", "pessimistic"])
def test_ties_by_labels_are_refused(metric, ties):
    """The drawn label would order them, not its probability."""
    with pytest.raises(ValueError, match=f'labels, which are .* "{ties}"'):
        made(metric, 3, ties=ties)


@pytest.mark.long
@all_cases
def test_of_ten_items(row):
    random = np.random.default_rng(12)
    labels, scores = random.random((3, 10)), random.random((3, 10))
    labels[1] **= 4
    scores[2, 3:6] = -INF
    for k in cutoffs(row.metric, row.options):
        found = values(of_row(row, k), labels, scores)
        want = [
            expected(row, *of_list, k)
            for of_list in zip(labels, np.float32(scores), strict=True)
        ]
        np.testing.assert_allclose(found, want, atol=1e-6, rtol=0)


@all_metrics
@all_ties
def test_certain_labels_have_the_plain_value(metric, ties):
    random = np.random.default_rng(5)
    labels = (random.random((6, 40)) < 0.3).astype("float32")
    labels[:, 36:] = -1
    scores = np.round(random.random((6, 40)) * 12)
    scores[3, :5] = -INF
    for k in cutoffs(metric, {}):
        plain = made(metric, k, ties=ties, labels="grades")
        np.testing.assert_allclose(
            values(made(metric, k, ties=ties), labels, scores),
            values(plain, labels, scores),
            atol=2e-6,
        )


@all_metrics
def test_a_list_without_probabilities_is_empty(metric):
    one = made(metric, None, empty="skip")
    found = values(one, [P, [0] * 5], [FALLING] * 2)
    assert np.isfinite(found[0]) and np.isnan(found[1])


@pytest.mark.long
@pytest.mark.each_backend
@all_cases
def test_compiled(row):
    labels, scores = (np.float32(x) for x in map(list, zip(*TIED, strict=True)))
    # Without ties, other branches run.
    strict = np.float32(np.argsort(np.argsort(scores, axis=-1), axis=-1))
    # Each program is compiled for seconds.
    for k in cutoffs(row.metric, row.options)[-2:]:
        one = of_row(row, k)
        run = compiled(lambda *inputs, one=one: one.per_list(*inputs))
        for x in (scores, strict):
            inputs = map(keras.ops.convert_to_tensor, (labels, x))
            found = keras.ops.convert_to_numpy(run(*inputs))
            want = values(one, labels, x)
            np.testing.assert_allclose(found, want, atol=1e-6)


@pytest.mark.each_backend
def test_a_label_above_1_is_nan_in_compiled_code():
    for metric in (HitRateAtK, MeanAveragePrecision):
        one = made(metric, None)
        run = compiled(one.per_list, jit_compile=False)
        inputs = np.float32([[0.5, 3.0], [0.5, 1.0]]), np.float32([[2, 1]] * 2)
        if keras.config.backend() == "torch":
            with pytest.raises(ValueError, match=r"a label of 3\.0"):
                run(*inputs)
            continue
        found = keras.ops.convert_to_numpy(
            run(*map(keras.ops.convert_to_tensor, inputs))
        )
        assert np.isnan(found[0]) and np.isfinite(found[1])


@pytest.mark.parametrize("metric", METRICS)
def test_a_label_that_float32_rounded_above_1_is_1(metric):
    one, scores = made(metric, None), [[2.0, 1.0, 3.0]]
    found = values(one, [[1.0000001, 0.5, 0.0]], scores)
    np.testing.assert_array_equal(found, values(one, [[1, 0.5, 0]], scores))
    with pytest.raises(ValueError, match=r"from 0 to 1\. Received: a label"):
        one([[1.00001, 0.5, 0.0]], scores)


def test_slices_and_worst_users():
    labels, scores = np.float32([P, P[::-1]]), np.float32([FALLING] * 2)
    one = made(NDCG, 3)
    each = values(one, labels, scores)
    sliced = krm.Sliced(one, ["a", "b"])
    sliced.update_state({"labels": labels, "group": [0, 1]}, scores)
    found = sliced.result()
    assert float(found["ndcg@3/b"]) == pytest.approx(each[1], abs=1e-6)
    lower = krm.LowerMean(one, 0.5)
    lower.update_state(labels, scores)
    [worst] = {float(x) for x in keras.tree.flatten(lower.result())}
    assert worst == pytest.approx(each.min(), abs=1e-3)


def test_evaluate_and_compare(recwarn):
    one = made(NDCG, 3)
    truth = {
        "q1": dict(zip("abcde", P, strict=True)),
        "q2": {"a": 0.5, "b": 0.1},
    }
    run = {
        "q1": dict(zip("abcde", FALLING, strict=True)),
        "q2": {"a": 1.0, "b": 2.0},
    }
    other = {"q1": {"b": 1.0, "a": 0.5}, "q2": {"a": 2.0}}
    labels = [P, [0.5, 0.1, -1, -1, -1]]
    scores = [FALLING, [1, 2, 0, 0, 0]]
    want = values(one, labels, scores)
    found = krm.evaluate(truth, run, one)
    assert float(found["ndcg@3"]) == pytest.approx(want.mean(), abs=1e-6)
    by_arrays = krm.evaluate(np.float32(labels), np.float32(scores), one)
    assert float(by_arrays["ndcg@3"]) == pytest.approx(want.mean(), abs=1e-6)
    assert krm.compare(truth, {"run": run, "other": other}, one)
    assert not [w for w in recwarn if "labels of 1" in str(w.message)]


# Shares of judges that are read as grades.

SHARES = {"q": {"a": 0.25, "b": 1.0, "c": 0.0}, "r": {"c": 0.75, "a": 0.0}}
RANKED = {"q": {"c": 3.0, "a": 2.0, "b": 1.0}, "r": {"c": 2.0, "a": 1.0}}
SHARE_ROWS = [[0.25, 1.0, 0.0], [0.75, 0.0]]
RANKED_ROWS = [[2.0, 1.0, 3.0], [2.0, 1.0]]
SHARE_TABLE = {
    "query": ["q", "q", "q", "r", "r"],
    "label": [0.25, 1.0, 0.0, 0.75, 0.0],
    "score": [2.0, 1.0, 3.0, 2.0, 1.0],
}


def notes_of(*sides, metrics="NDCG@2 DCG ERR", **options):
    found = krm.evaluate(*sides, metrics=metrics, **options)
    return [x for x in found.report.notes if "probabilities" in x]


def test_shares_of_judges_are_noted_where_they_are_grades():
    dense = np.array([SHARE_ROWS[0], [0.75, 0.0, -1.0]])
    sides = np.array([RANKED_ROWS[0], [2.0, 1.0, 0.0]])
    for passed in (
        (SHARES, RANKED),
        (SHARE_ROWS, RANKED_ROWS),
        (dense, sides),
        ({"labels": dense, "mask": dense >= 0}, sides),
        (SHARE_TABLE,),
    ):
        [note] = notes_of(*passed)
        assert note.startswith(
            "truth: labels between 0 and 1, such as 0.75, are grades for "
            "NDCG@2, DCG, ERR. "
        )
        assert 'pass `labels="probabilities"` for the expected value' in note
    compared = krm.compare(SHARES, {"a": RANKED, "b": RANKED}, [NDCG(k=2)])
    [note] = [x for x in compared.report.notes if "probabilities" in x]
    loaded = krm.Compared.from_json(compared.to_json())
    assert note in loaded.report.notes
    other = krm.compare(SHARES, {"c": RANKED}, [NDCG(k=2)])
    assert compared.join(other).report.notes.count(note) == 1
    # As advised, without a note.
    text = "NDCG(labels=probabilities)@2"
    assert not notes_of(SHARES, RANKED, metrics=text)
    by_hand = values(made(NDCG, 2), [[0.25, 1, 0]], [[2, 1, 3]])
    found = krm.evaluate({"q": SHARES["q"]}, {"q": RANKED["q"]}, text)
    assert found[text] == pytest.approx(by_hand[0], abs=1e-6)


def test_ordinary_fractions_are_not_noted():
    """Gains of the user, grades above 1, and what a tool reads."""
    own = "NDCG(gain_fn=linear_gain)@2"
    assert not notes_of(SHARES, RANKED, metrics=own)
    assert not notes_of(SHARE_TABLE, metrics=own)
    assert not notes_of(
        SHARES, RANKED, metrics=[NDCG(gain_fn=lambda y: 3.0 * y, name="own")]
    )
    for tool in ("keras_rs", "sklearn"):  # 2^label - 1, and the label
        of_tool = {"metrics": "NDCG@2", "convention": tool}
        assert not notes_of(SHARES, RANKED, **of_tool)
        assert not notes_of(SHARE_TABLE, **of_tool)
        assert not notes_of(SHARE_ROWS, RANKED_ROWS, **of_tool)
    halves = {"q": {"a": 0.5, "b": 2.0, "c": 0.0}}
    assert not notes_of(halves, {"q": RANKED["q"]})
    whole = {"q": {"a": 0, "b": 1, "c": 1}}
    assert not notes_of(whole, {"q": RANKED["q"]})
    taken = "PFound GradedRankBiasedPrecision"  # as probabilities
    assert not notes_of(SHARES, RANKED, metrics=taken)
    with pytest.raises(ValueError, match="relevance_threshold"):
        krm.evaluate(SHARES, RANKED, "Recall@2")


def test_shares_of_a_judge_that_humans_correct():
    judge = dict.fromkeys(range(12), SHARES["q"])
    human = {q: {"a": 0, "b": 1, "c": q % 2} for q in range(12)}
    run = {q: {**RANKED["q"], "a": float(q % 2)} for q in range(12)}
    metric = krm.JudgeCorrected(NDCG(k=2))
    [note] = notes_of({"human": human, "judge": judge}, run, metrics=metric)
    assert "ndcg@2" in note


ERRORS = [
    (NDCG, {"adjusted": "chance"}, "`adjusted=None`"),
    (NDCG, {"inputs": "ids"}, '`inputs="scores"`'),
    (NDCG, {"ideal": "retrieved"}, '`ideal="relevant"`'),
    (NDCG, {"gain_fn": lambda y: 2 * y}, "0 and 1 for the label 1|`gain_fn`"),
    (DCG, {"gain_fn": lambda y: y + 1}, "`gain_fn` should be 0"),
    (PrecisionAtK, {"relevance_threshold": 0.5}, "`relevance_threshold=1.0`"),
    (MeanAveragePrecision, {"denominator": "min"}, '`denominator="relevant"`'),
    (MeanAveragePrecision, {"denominator": "hits"}, "Leave `denominator` out"),
]


@pytest.mark.parametrize(("metric", "options", "match"), ERRORS)
def test_refused_options(metric, options, match):
    with pytest.raises(ValueError, match=match):
        made(metric, 3, **options)


def test_refused_inputs():
    with pytest.raises(
        ValueError, match=r"from 0 to 1\. Received: a label of 3"
    ):
        values(made(NDCG, 3), [[3.0, 0.1]], [[2.0, 1.0]])
    labels = {"labels": [[0.5, 0.1]], "num_relevant": [4]}
    with pytest.raises(ValueError, match="Received: `num_relevant`"):
        made(PrecisionAtK, 3)(labels, [[2.0, 1.0]])
    with pytest.raises(ValueError, match="`labels` should be one of"):
        NDCG(labels="chances")
    with pytest.raises(TypeError, match='no parameter "labels"'):
        krm.AUC(labels="probabilities")

    class Hits(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k):
            return ranking.hits(k)

    with pytest.raises(ValueError, match="Received: Hits, which has none"):
        Hits(labels="probabilities")
    with pytest.raises(ValueError, match="any item the relevant one"):
        krm.SampledRanks(made(RecallAtK, 2), catalogue=10, negatives=4)


@pytest.mark.long
def test_long_lists_in_single_precision():
    # Certain labels have a known value, whatever the number of nodes.
    random = np.random.default_rng(8)
    labels = (random.random((2, 3000)) < [[0.02], [0.6]]).astype("float32")
    scores = random.random((2, 3000))
    for metric in (MeanAveragePrecision, RecallAtK):
        for k in (10, 1000):
            plain = made(metric, k, labels="grades")
            np.testing.assert_allclose(
                values(made(metric, k), labels, scores),
                values(plain, labels, scores),
                atol=5e-6,
            )
