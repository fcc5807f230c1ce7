"""What single metrics promise beyond the oracle, and what they refuse."""

import math
from fractions import Fraction

import numpy as np
import pytest
from given import assert_same_state
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.metrics.average_precision import hits_for

# The three topics of a run of ir_measures' tests, by rank.
TOPICS = [
    [int(relevant) for relevant in topic]
    for topic in ("1011001010", "1100101110", "0000011101")
]


def values(metric, labels=TOPICS, scores=None):
    labels = np.float32(labels)
    if scores is None:
        scores = np.broadcast_to(
            np.arange(labels.shape[-1], 0, -1, "float32"), labels.shape
        )
    return ops.convert_to_numpy(metric.per_list(labels, np.float32(scores)))


def twice(label):
    return 2.0 * label


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_graded_rank_biased_precision_of_labels_of_any_dtype(dtype):
    """Of high labels too, the sum of which float16 does not hold."""
    labels = ops.cast([[60000.0, 0.0, 60000.0, 30000.0]], dtype)
    scores = ops.cast([[4.0, 3.0, 2.0, 1.0]], dtype)
    found = krm.GradedRankBiasedPrecision(p=0.5).per_list(labels, scores)
    expected = (1 - 0.5) * (1 + 0.5**2 + 0.5 * 0.5**3)
    assert float(found[0]) == approx(expected, rel=5e-3)


def test_q_measure_of_little_beta_is_average_precision():
    labels = np.random.default_rng(8).integers(0, 4, (40, 9))
    scores = np.random.default_rng(9).integers(0, 4, (40, 9))
    for k in (3, None):
        np.testing.assert_allclose(
            values(krm.QMeasure(k, beta=1e-9), labels, scores),
            values(krm.MeanAveragePrecision(k), labels, scores),
            atol=1e-6,
        )


@pytest.mark.long
@pytest.mark.parametrize("k", [1, 2, 4, 30, 300, None])
@pytest.mark.parametrize("gain_fn", [krm.linear_gain, twice])
def test_q_measure_of_targets_in_a_catalogue(k, gain_fn):
    """As of the same items by their labels, of ties far down too."""
    rng = np.random.default_rng(6)
    scores = rng.integers(0, [[2], [5], [40], [400]], (4, 500))
    scores = np.where(rng.random(scores.shape) < 0.1, -np.inf, scores)
    targets = np.stack([rng.permutation(500)[:7] for _ in scores])
    targets[1, 3:] = -1
    labels = np.zeros(scores.shape)
    for row, of_list in zip(labels, targets, strict=True):
        row[of_list[of_list >= 0]] = 1
    for beta in (0.5, 20.0):
        options = {"k": k, "beta": beta, "gain_fn": gain_fn}
        sparse = krm.QMeasure(**options, inputs="sparse")
        np.testing.assert_allclose(
            ops.convert_to_numpy(
                sparse.per_list(targets.astype("int32"), np.float32(scores))
            ),
            values(krm.QMeasure(**options), labels, scores),
            rtol=1e-5,
        )


def test_q_measure_of_ids():
    metric = krm.QMeasure(inputs="ids", gain_fn=twice)
    # Three relevant ids. One comes twice, and then holds no rank.
    found = metric.per_list([[7, 8, 9, -1]], [[8, 8, 1, 2, 3, 9]])
    assert float(found[0]) == approx((1 + (2 + 4) / (5 + 6)) / 3)


def test_q_measure_knows_of_items_that_are_cut_off():
    y_true = {"labels": [[0.0, 3.0, 1.0]], "num_relevant": [4]}
    found = krm.QMeasure().per_list(y_true, [[3.0, 2.0, 1.0]])
    # cg* is 3 4 5.
    assert float(found[0]) == approx(
        ((1 + 3) / (2 + 4) + (2 + 4) / (3 + 5)) / 4
    )


def test_graded_average_precision_of_one_grade_is_average_precision():
    rng = np.random.default_rng(10)
    labels, scores = rng.integers(0, 4, (40, 9)), rng.integers(0, 4, (40, 9))
    for grade in (1, 2, 3):
        probabilities = (0.0,) * (grade - 1) + (0.3,)
        for k in (3, None):
            np.testing.assert_allclose(
                values(
                    krm.GradedAveragePrecision(k, probabilities=probabilities),
                    labels,
                    scores,
                ),
                values(
                    krm.MeanAveragePrecision(k, relevance_threshold=grade),
                    labels,
                    scores,
                ),
                atol=1e-6,
            )


def test_graded_average_precision_of_the_best_order_is_1():
    labels = np.sort(np.random.default_rng(11).integers(0, 6, (20, 9)))[:, ::-1]
    found = values(krm.GradedAveragePrecision(), labels)
    np.testing.assert_allclose(found, 1.0, atol=1e-6)


@pytest.mark.parametrize(
    "probabilities, message",
    [
        ((), "hold a nonzero number"),
        ((0.0, 0.0), "hold a nonzero number"),
        ((0.5, -0.1), "be a number from 0 on"),
        ((0.5, float("inf")), "be a number from 0 on"),
        ((0.5, "0.5"), "be a number"),
        (0.5, "be a tuple of numbers"),
        ((0.5, 1e-60), "be a number that float32 can represent"),
    ],
)
def test_probabilities_that_are_none(probabilities, message):
    with pytest.raises(ValueError, match=f"`probabilities` should {message}"):
        krm.GradedAveragePrecision(probabilities=probabilities)


def test_probabilities_without_the_first_grade_need_grades():
    with pytest.raises(ValueError, match=r"gains 0\.0 and 0\.0"):
        krm.GradedAveragePrecision(probabilities=(0, 1), inputs="sparse")


# The hits that a recall of r takes of n relevant items, by `rounding`.
# trec_eval computes in C what Python's floats compute here: version 9
# `(long) (r * n + 0.9)`, version 10 `lround(r * n)`.
HITS = {
    "up": lambda r, n: math.ceil(r.limit_denominator(1000) * n),
    "nearest": lambda r, n: math.floor(Fraction(float(r) * n) + Fraction(1, 2)),
    "trec_eval_9": lambda r, n: int(float(r) * n + 0.9),
}
# All tenths and hundredths, and what is left of 1 without them.
RECALLS = [i / 100 for i in range(101)] + [1 - i / 100 for i in range(100)]
RECALLS = sorted({*RECALLS, 0.1 + 0.2, 3 * 0.1, 1 / 3, 2 / 3, 0.125, 0.999})


@pytest.mark.parametrize("rounding", HITS)
def test_hits_that_a_recall_takes(rounding):
    """For every number of relevant items up to 200, and some large ones."""
    relevant = np.array(
        [*range(1, 201), 12_345, 99_995, 10**5, 10**5 + 1, 10**6, 2**24 - 1]
    )
    numbers = ops.convert_to_tensor(np.float32(relevant))
    for recall in RECALLS:
        found = ops.convert_to_numpy(hits_for(recall, numbers, rounding))
        expected = [HITS[rounding](Fraction(recall), int(n)) for n in relevant]
        np.testing.assert_array_equal(found, expected, str(recall))


@pytest.mark.parametrize("rounding", HITS)
def test_interpolated_precision_takes_the_hits(rounding):
    """List R has R relevant items at odd ranks: j hits have j / (2j - 1)."""
    most = 60
    labels = np.zeros((most, 2 * most))
    for number in range(1, most + 1):
        labels[number - 1, : 2 * number : 2] = 1
    scores = np.tile(-np.arange(2.0 * most), (most, 1))
    tenths = []
    for recall in np.arange(11) / 10:
        hits = [
            HITS[rounding](Fraction(recall), number)
            for number in range(1, most + 1)
        ]
        tenths.append([max(j, 1) / (2 * max(j, 1) - 1) for j in hits])
        metric = krm.InterpolatedPrecision(recall=recall, rounding=rounding)
        found = values(metric, labels, scores)
        np.testing.assert_allclose(found, tenths[-1], rtol=1e-6)
    metric = krm.ElevenPointPrecision(rounding=rounding)
    expected = np.mean(tenths, axis=0)
    np.testing.assert_allclose(
        values(metric, labels, scores), expected, rtol=1e-6
    )


def test_recalls_that_are_never_reached():
    for recall, expected in ((0.5, 1.0), (0.6, 0.0)):
        metric = krm.InterpolatedPrecision(recall=recall)
        assert values(metric, [1, 1], [1.0, -np.inf]) == expected


@pytest.mark.parametrize(
    "make", [krm.InterpolatedPrecision, krm.ElevenPointPrecision]
)
def test_what_always_needs_an_order(make):
    assert make().ties == "stable"
    assert make(ties="shuffle").ties == "shuffle"
    with pytest.raises(ValueError, match=f"`{make.__name__}` has no closed"):
        make(ties="average")
    with pytest.raises(ValueError, match=f"`{make.__name__}` has no exact"):
        make(adjusted="chance")


@pytest.mark.parametrize("recall", [-0.1, 1.1, float("nan"), "0.5", None])
def test_recalls_that_are_none(recall):
    with pytest.raises(ValueError, match=r"`recall` should be a number.*Rec"):
        krm.InterpolatedPrecision(recall=recall)


# The scale of chance


@pytest.mark.parametrize("inputs", ["scores", "sparse"])
@pytest.mark.parametrize(
    "make", [krm.NDCG, krm.PrecisionAtK, krm.MeanReciprocalRank, krm.AUC]
)
def test_constant_scores_are_as_good_as_chance(make, inputs):
    metric = make(k=3, adjusted="chance", inputs=inputs)
    labels = [[0, 1, 0, 0, 1, 0]] if inputs == "scores" else [[1, 4]]
    assert float(metric(labels, [[0.5] * 6])) == approx(0, abs=1e-6)
    metric.reset_state()
    assert float(metric(labels, [[1, 9, 2, 3, 8, 4]])) > 0.5


def test_auc_beyond_chance_is_the_adjusted_mean_rank_index():
    rng = np.random.default_rng(4)
    labels, scores = rng.integers(0, 2, (50, 9)), rng.integers(0, 5, (50, 9))
    one = values(krm.AUC(adjusted="chance"), labels, scores)
    other = values(krm.AdjustedMeanRankIndex(), labels, scores)
    np.testing.assert_allclose(one, other, atol=1e-6)


def test_the_mean_over_random_orders_is_0():
    rng = np.random.default_rng(5)
    labels = np.tile(rng.integers(0, 4, 12), (20_000, 1))
    metric = krm.NDCG(k=5, adjusted="chance")
    metric.update_state(labels, rng.random(labels.shape))
    assert abs(float(metric.result())) < 4 * metric.standard_error()


def test_where_no_level_of_chance_is_known():
    for make in (
        lambda: krm.DCG(adjusted="chance"),
        lambda: krm.MeanRank(adjusted="chance"),
        lambda: krm.NDCG(adjusted="chance", ideal="retrieved"),
        lambda: krm.NDCG(adjusted="chance", inputs="ids"),
    ):
        with pytest.raises(ValueError, match=r"not available.*Remove `adj"):
            make()
    with pytest.raises(ValueError, match="`adjusted` should be one of"):
        krm.NDCG(adjusted="luck")


# What is refused


@pytest.mark.parametrize(
    "make",
    [
        lambda: krm.RankBiasedPrecision(p=0.0),
        lambda: krm.RankBiasedPrecision(p=1.0),
        lambda: krm.GradedRankBiasedPrecision(p=1.0),
        lambda: krm.FBetaAtK(beta=0.0),
        lambda: krm.ERR(max_grade=0),
        lambda: krm.PFound(decay=0.0),
        lambda: krm.PFound(decay=1.0),
        lambda: krm.QMeasure(beta=0.0),
        lambda: krm.FBetaAtK(beta=float("nan")),
    ],
)
def test_numbers_that_are_none_of_an_option(make):
    with pytest.raises(ValueError, match=r"should be a number.*Received"):
        make()


def test_whether_to_normalize_is_a_bool():
    with pytest.raises(ValueError, match="`normalized` should be one of"):
        krm.ERR(normalized="yes")


@pytest.mark.parametrize(
    "metric, highest, above, message",
    [
        (krm.ERR(max_grade=2), 2, 3, r"highest label is 3\.0.*max_grade"),
        (krm.GradedRankBiasedPrecision(), 2, np.inf, "highest label is inf"),
        (krm.PFound(), 1.0 + 1e-7, 1.01, "be probabilities from 0 to 1"),
        (krm.PFound(), 1, np.inf, "be probabilities from 0 to 1"),
    ],
)
def test_labels_above_the_highest(metric, highest, above, message):
    metric.update_state([[1, 0], [0.5, highest]], [[2.0, 1.0]] * 2)
    before = metric.get_state()
    with pytest.raises(ValueError, match=message):
        metric.update_state([[1, 0], [above, 0]], [[2.0, 1.0]] * 2)
    assert_same_state(metric, before)


@pytest.mark.only_on("jax", reason="jit is of jax")
def test_grades_above_the_highest_in_a_program():
    import jax

    metric = krm.ERR(max_grade=2)
    found = jax.jit(metric.per_list)(
        np.float32([[3, 0], [2, 0]]), np.float32([[2, 1], [2, 1]])
    )
    assert np.isnan(found[0]) and found[1] == 0.75


# Pairs of grades


GRADES = [0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 17.0]


def by_pairs(labels, scores):
    """Over all pairs, of any shape."""
    higher = labels[:, :, None] > labels[:, None, :]
    higher &= (scores > -np.inf)[:, None, :]
    above = scores[:, :, None] > scores[:, None, :]
    tied = scores[:, :, None] == scores[:, None, :]
    right = np.sum(higher * (above + tied / 2), axis=(1, 2))
    every = np.sum(higher, axis=(1, 2))
    return np.where(every > 0, right / np.maximum(every, 1), np.nan)


@pytest.mark.long
@pytest.mark.parametrize("levels", [1, 3, 40, 10**6])
@pytest.mark.parametrize("grades", ["few", "many"])
@pytest.mark.parametrize("items", [1, 2, 17, 300])
def test_ordered_pair_accuracy(items, grades, levels):
    rng = np.random.default_rng([items, levels])
    shape = (8, items)
    labels = rng.choice(GRADES, shape)
    if grades == "many":
        labels = rng.random(shape)
    scores = rng.integers(0, levels, shape).astype("float32")
    scores[4:] = np.where(rng.random((4, items)) < 0.3, -np.inf, scores[4:])
    labels[0] = 1.0
    found = values(krm.OrderedPairAccuracy(), labels, scores)
    labels, scores = np.float32(labels), np.float32(scores)
    np.testing.assert_allclose(found, by_pairs(labels, scores), atol=1e-6)


@pytest.mark.parametrize("adjusted", [None, "chance"])
@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_ordered_pair_accuracy_without_grades_is_auc(inputs, adjusted):
    if (inputs, adjusted) == ("ids", "chance"):
        return
    rng = np.random.default_rng(14)
    scores = np.float32(rng.integers(0, 6, (9, 30)))
    scores[3:] = np.where(rng.random((6, 30)) < 0.3, -np.inf, scores[3:])
    targets = np.stack([rng.permutation(30)[:5] for _ in scores])
    labels = np.zeros(scores.shape, "float32")
    np.put_along_axis(labels, targets, 1, axis=1)
    given = {
        "scores": (
            {"labels": labels, "num_relevant": np.arange(9) + 5},
            scores,
        ),
        "sparse": (targets.astype("int32"), scores),
        "ids": (targets, np.argsort(-scores, axis=1)[:, :13]),
    }[inputs]
    options = {"inputs": inputs, "adjusted": adjusted}
    np.testing.assert_allclose(
        krm.OrderedPairAccuracy(**options).per_list(*given),
        krm.AUC(**options).per_list(*given),
        atol=1e-6,
    )
