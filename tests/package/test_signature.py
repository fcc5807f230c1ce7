"""The signature: all that a number depends on, on one line."""

import functools
import re

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

import keras_rankmetrics as krm

COMMON = (
    f"ties:average|empty:zero|list_weight:relevance|inputs:scores"
    f"|keras_rankmetrics:{krm.__version__}"
)

DEFAULTS = {
    krm.DCG: "gain:exponential|discount:log2",
    krm.NDCG: "gain:exponential|discount:log2|ideal:relevant",
    krm.PrecisionAtK: "relevance_threshold:1.0|denominator:retrieved",
    krm.RecallAtK: "relevance_threshold:1.0|denominator:relevant",
    krm.F1AtK: "relevance_threshold:1.0|denominator:retrieved",
    krm.HitRateAtK: "relevance_threshold:1.0",
    krm.MeanAveragePrecision: "relevance_threshold:1.0|denominator:relevant",
    krm.MeanReciprocalRank: "relevance_threshold:1.0",
    krm.ERR: "max_grade:4.0|normalized:False",
    krm.PFound: "decay:0.85",
    krm.RPrecision: "relevance_threshold:1.0",
    krm.FBetaAtK: "relevance_threshold:1.0|beta:1.0|denominator:retrieved",
    krm.FallOutAtK: "relevance_threshold:1.0",
    krm.AUC: "relevance_threshold:1.0",
    krm.AdjustedMeanRankIndex: "relevance_threshold:1.0",
    krm.MeanRank: "relevance_threshold:1.0",
    krm.AverageRelevancePosition: "gain:linear",
    krm.RankBiasedPrecision: "relevance_threshold:1.0|p:0.8",
    krm.GradedRankBiasedPrecision: "p:0.8",
    krm.BPref: "relevance_threshold:1.0",
    krm.JudgedAtK: "",
    krm.RBPResidual: "p:0.8|tail:always",
    krm.UnjudgedAtK: "denominator:retrieved",
    krm.InterpolatedPrecision: "relevance_threshold:1.0|recall:0.5|rounding:up",
    krm.ElevenPointPrecision: "relevance_threshold:1.0|rounding:up",
    krm.OrderedPairAccuracy: "",
    krm.QMeasure: "gain:linear|beta:1.0",
    krm.GradedAveragePrecision: "probabilities:0.25,0.25,0.25,0.25",
}

WITHOUT_K = (
    krm.RPrecision,
    krm.AdjustedMeanRankIndex,
    krm.MeanRank,
    krm.AverageRelevancePosition,
    krm.BPref,
    krm.InterpolatedPrecision,
    krm.ElevenPointPrecision,
    krm.OrderedPairAccuracy,
)
STRICT = (krm.InterpolatedPrecision, krm.ElevenPointPrecision)
UNBOUNDED = (
    krm.DCG,
    krm.FallOutAtK,
    krm.MeanRank,
    krm.AverageRelevancePosition,
    krm.RBPResidual,
    krm.UnjudgedAtK,
)
OF_JUDGEMENTS = (krm.JudgedAtK, krm.RBPResidual, krm.UnjudgedAtK)
SKIPPING = (
    krm.FallOutAtK,
    krm.AUC,
    krm.AdjustedMeanRankIndex,
    krm.MeanRank,
    krm.AverageRelevancePosition,
    krm.OrderedPairAccuracy,
)

all_metrics = pytest.mark.parametrize(
    "metric", DEFAULTS, ids=lambda cls: cls.__name__
)


@all_metrics
def test_states_every_option(metric):
    name, common = metric.__name__, COMMON
    own = f"{DEFAULTS[metric]}|".removeprefix("|")
    if metric in SKIPPING:
        common = common.replace("empty:zero", "empty:skip")
    if metric is krm.BPref:
        common = common.replace("scores|", "scores|unjudged:condense|")
    if metric in STRICT:
        common = common.replace("ties:average", "ties:stable")
    assert metric().signature == f"{name}|{own}{common}"
    if metric not in WITHOUT_K:
        assert metric(k=10).signature == f"{name}@10|{own}{common}"


def to_3(metric, **options):
    """The metric, with the cutoff 3 if it takes one."""
    return metric(**({} if metric in WITHOUT_K else {"k": 3}), **options)


@all_metrics
def test_says_nothing_of_the_name(metric):
    named = to_3(metric, name="a name\nof the user's")
    assert named.signature == to_3(metric).signature
    assert "\n" not in named.signature


def other_values(metric):
    """For each option of the metric, values other than the default."""
    values = {
        "k": [1, 2],
        "ties": ["stable", "pessimistic", "optimistic"],
        "empty": ["zero" if metric in SKIPPING else "skip"],
        "list_weight": ["mean"],
        "adjusted": ["chance"],
        "dtype": ["float64"],
        "inputs": ["sparse", "ids"],
        "unjudged": ["irrelevant" if metric is krm.BPref else "condense"],
    }
    if metric in OF_JUDGEMENTS:
        del values["inputs"]
    if metric in WITHOUT_K:
        del values["k"]
    if metric in STRICT:
        values["ties"].remove("stable")
    if metric in UNBOUNDED + STRICT:
        del values["adjusted"]
    if metric not in UNBOUNDED:
        values["empty"].append("one")
    if metric is krm.ERR:
        values["max_grade"] = [3.0, 5.0]
        values["normalized"] = [True]
    elif metric is krm.GradedAveragePrecision:
        values["probabilities"] = [(0.5, 0.5), (0.5, 0.3, 0.2), (0.25,)]
    elif metric in (krm.AverageRelevancePosition, krm.QMeasure):
        values["gain_fn"] = [krm.exponential_gain, ops.square]
    elif metric in (krm.DCG, krm.NDCG):
        values["gain_fn"] = [krm.linear_gain, ops.square, lambda y: 2 * y]
        values["rank_discount_fn"] = [
            krm.natural_log_discount,
            krm.original_discount,
            krm.reciprocal_discount,
        ]
    elif metric not in (
        *OF_JUDGEMENTS,
        krm.GradedRankBiasedPrecision,
        krm.OrderedPairAccuracy,
        krm.PFound,
    ):
        values["relevance_threshold"] = [2.0, 0.5]
    if metric is krm.PFound:
        values["decay"] = [0.5, 0.9]
    if metric is krm.InterpolatedPrecision:
        values["recall"] = [0.0, 0.9]
    if metric in STRICT:
        values["rounding"] = ["nearest", "trec_eval_9"]
    if metric is krm.RBPResidual:
        values["tail"] = ["if_unjudged"]
    if metric is krm.NDCG:
        values["ideal"] = ["retrieved", "uncut", "shown"]
    if metric in (krm.FBetaAtK, krm.QMeasure):
        values["beta"] = [2.0, 0.5]
    if metric in (
        krm.RankBiasedPrecision,
        krm.GradedRankBiasedPrecision,
        krm.RBPResidual,
    ):
        values["p"] = [0.5, 0.9]
    if metric in (krm.PrecisionAtK, krm.F1AtK, krm.FBetaAtK, krm.UnjudgedAtK):
        values["denominator"] = ["k"]
    if metric is krm.RecallAtK:
        values["denominator"] = ["min"]
    if metric is krm.MeanAveragePrecision:
        values["denominator"] = ["min", "hits"]
    if metric.expected_measure is not None:
        values["labels"] = ["probabilities"]
    return values


@all_metrics
def test_any_option_changes_it(metric):
    made = [to_3(metric)] + [metric()] * (metric not in WITHOUT_K)
    made += [to_3(metric, ties="shuffle", seed=seed) for seed in (0, 1, -1)]
    for option, values in other_values(metric).items():
        for value in values:
            if option == "k":
                made.append(metric(k=value))
            else:
                made.append(to_3(metric, **{option: value}))
    signatures = [m.signature for m in made]
    assert len(set(signatures)) == len(signatures)
    assert all(s.count("\n") == 0 for s in signatures)


def differ(metric, options, others):
    """Whether two sets of options give other numbers, and other signatures.

    None where there is no such metric. What is given has the same form: ids and
    targets are other input, and no number can be compared.
    """
    try:
        made = [metric(**options), metric(**others)]
    except (TypeError, ValueError):
        return None
    numbers = []
    # PFound takes probabilities.
    highest = LABELS.max() if metric is krm.PFound else 1.0
    labels = np.where(LABELS > 0, LABELS / highest, LABELS)
    for m in made:
        per_list = ops.convert_to_numpy(m.per_list(labels, SCORES))
        mean = ops.convert_to_numpy(m(labels, SCORES, WEIGHTS))
        numbers.append(np.append(per_list, mean))
    return (
        not np.array_equal(*numbers, equal_nan=True),
        made[0].signature != made[1].signature,
    )


def options_to_try(metric):
    """All options but the form and the labels, and the dtype, which rounds."""
    values = {**other_values(metric), "seed": [1, 2]}
    if "k" in values:
        values["k"] = [1, 2, 3, 4, None]
    values.pop("inputs", None)
    values.pop("labels", None)  # no label is above 1 then
    if metric in (krm.RBPResidual, krm.UnjudgedAtK):
        del values["empty"]  # it has a value for every list
    del values["dtype"]
    usual = "stable" if metric in STRICT else "average"
    values["ties"] = [usual, *values["ties"], "shuffle"]
    return values


on_torch = pytest.mark.only_on(
    "torch",
    reason="no signature knows the backend, and torch makes metrics fastest",
)
# The labels of all metrics are alike, and some metrics doubt them.
any_labels = pytest.mark.filterwarnings("ignore:.*Labels should be")


CUTOFFS = [{"k": k} for k in (1, 3, None)]


@pytest.mark.long
@on_torch
@any_labels
@all_metrics
def test_each_option_changes_some_number(metric):
    """And its signature with it."""
    # Of 6 relevant items, 6 are needed under "up" and 5 under the others.
    recall = {"recall": 0.84} if metric is krm.InterpolatedPrecision else {}
    bases = [
        {**cutoff, **recall, "ties": ties, "list_weight": weight}
        for cutoff in ([{}] if metric in WITHOUT_K else CUTOFFS)
        for ties in ("average", "stable", "shuffle")
        for weight in ("relevance", "mean")
    ]
    for option, values in options_to_try(metric).items():
        found = [
            differ(metric, base, {**base, option: value})
            for base in bases
            for value in values
        ]
        assert (True, True) in found, option
        assert (True, False) not in found, option


@pytest.mark.long
@on_torch
@any_labels
@all_metrics
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(data=st.data())
def test_other_numbers_have_another_signature(metric, data):
    """Whatever the options are, and whichever of them is changed."""
    values = options_to_try(metric)
    options = {
        option: data.draw(st.sampled_from(choices))
        for option, choices in values.items()
        if data.draw(st.booleans())
    }
    option = data.draw(st.sampled_from(sorted(values)))
    rest = {name: v for name, v in options.items() if name != option}
    others = [
        {**rest, option: value}
        for value in values[option]
        if value != options.get(option)
    ]
    others += [rest] * (option in options)
    changed = data.draw(st.sampled_from(others))
    assert differ(metric, options, changed) != (True, False)


# Lists on which any option changes some number: ties, grades, what is not
# retrieved, more relevant items than k and fewer, none at all, nothing else.
INF = float("inf")
LABELS = np.float32(
    [
        [0, 3, 1, 0.5, 2, 1],
        [1, -2, 0, 0, -1, 0],
        [0, 0, 0, 0, 0, 0],
        [3, 2, 1, 1, 1, 1],
        [-2, -2, -2, -2, -2, -2],
    ]
)
SCORES = np.float32(
    [
        [2, 2, 2, 5, 1, -INF],
        [1, 1, -INF, -INF, 9, -INF],
        [1, 2, 3, 4, 5, 5],
        [3, 2, 1, 3, -INF, 5],
        [3, 2, 1, 3, 3, 5],
    ]
)
WEIGHTS = np.float32(
    [
        [1, 2, 3, 1, 2, 1],
        [2, 1, 1, 1, 1, 1],
        [5, 1, 1, 1, 1, 1],
        [1, 1, 2, 1, 1, 1],
        [1, 1, 2, 1, 1, 1],
    ]
)


@all_metrics
def test_no_option_is_forgotten(metric):
    config = to_3(metric).get_config()
    tried = {*other_values(metric), "seed", "adjusted", "inputs"}
    assert tried == set(config) - {"name"}


def test_what_does_not_matter_does_not_change_it():
    usual = krm.NDCG(k=3).signature
    assert krm.NDCG(k=3, seed=7).signature == usual  # nothing is shuffled
    # Only float64 is not float32 in the end.
    assert krm.NDCG(k=3, dtype="bfloat16").signature == usual
    assert krm.NDCG(k=3, dtype="float32").signature == usual
    assert (
        krm.PrecisionAtK(k=3, relevance_threshold=1).signature
        == krm.PrecisionAtK(k=3).signature
    )


def test_the_spelling_of_keras_rs():
    for metric in (krm.NDCG, krm.PrecisionAtK):
        stable = metric(k=3, shuffle_ties=False)
        assert stable.signature == metric(k=3, ties="stable").signature
        shuffled = metric(k=3, shuffle_ties=True, seed=4)
        same = metric(k=3, ties="shuffle", seed=keras.random.SeedGenerator(4))
        assert shuffled.signature == same.signature
        assert "|ties:shuffle|seed:4|" in shuffled.signature


def gain_of(signature):
    (part,) = [p for p in signature.split("|") if p.startswith("gain:")]
    return part.removeprefix("gain:")


def gain(function):
    return gain_of(krm.NDCG(gain_fn=function).signature)


def plain_gain(label):
    return label * 3


@keras.saving.register_keras_serializable("test_signature")
def registered_gain(label):
    return label * 4


class Gains:
    @staticmethod
    def doubled(label):
        return 2 * label


def test_functions_that_have_a_name():
    assert gain(krm.exponential_gain) == "exponential"
    assert gain(krm.linear_gain) == "linear"
    assert gain(registered_gain) == "test_signature>registered_gain"
    assert gain(plain_gain) == f"{__name__}.plain_gain"
    assert gain(Gains.doubled) == f"{__name__}.Gains.doubled"
    discounts = [
        krm.NDCG(rank_discount_fn=f).signature
        for f in (
            krm.log2_discount,
            krm.natural_log_discount,
            krm.original_discount,
        )
    ]
    for text, name in zip(
        discounts, ("log2", "natural_log", "original"), strict=True
    ):
        assert f"|discount:{name}|" in text


def scaled(factor):
    def gain(label):
        return factor * label

    return gain


def shifted(label, by=0.0, *, scale=1.0):
    return scale * (label + by)


def with_default(by):
    def gain(label, by=by):
        return label + by

    return gain


def with_keyword_default(by):
    def gain(label, *, by=by):
        return label + by

    return gain


def nested(factor):
    def gain(label):
        def inner(x):
            return factor * x

        return inner(label)

    return gain


class Power:
    def __init__(self, exponent):
        self.exponent = exponent

    def __call__(self, label):
        return label**self.exponent

    def method(self, label):
        return label**self.exponent


DIFFERENT = {
    "bodies": (lambda y: y + 1.0, lambda y: y * 1.0),
    "constants": (lambda y: y * 2, lambda y: y * 3),
    "types of constants": (lambda y: y * 2, lambda y: y * 2.0),
    "names": (lambda y: ops.sqrt(y), lambda y: ops.square(y)),
    "inner lambdas": (
        lambda y: (lambda x: x * 2)(y),
        lambda y: (lambda x: x * 3)(y),
    ),
    "closures": (scaled(2.0), scaled(3.0)),
    "functions in closures": (scaled(lambda: 2), scaled(lambda: 3)),
    "closures of closures": (nested(2.0), nested(3.0)),
    "defaults": (with_default(1.0), with_default(2.0)),
    "keyword defaults": (with_keyword_default(1.0), with_keyword_default(2.0)),
    "partials": (
        functools.partial(shifted, by=1.0),
        functools.partial(shifted, by=2.0),
    ),
    "partials of others": (
        functools.partial(shifted, by=1.0),
        functools.partial(plain_gain),
    ),
    "names of parameters": (
        functools.partial(lambda y, a=1, b=2: y * a, a=3),
        functools.partial(lambda y, b=1, a=2: y * b, a=3),
    ),
    "arrays": (scaled(np.array([1.0, 2.0])), scaled(np.array([1.0, 3.0]))),
    "tensors": (scaled(ops.array([1.0])), scaled(ops.array([3.0]))),
    "functions of numpy": (scaled(np.log2), scaled(np.log1p)),
    "what cannot be read": (scaled(object()), scaled(object())),
    "objects": (Power(2.0), Power(3.0)),
    "methods": (Power(2.0).method, Power(3.0).method),
}


@pytest.mark.parametrize("what", DIFFERENT)
def test_functions_without_a_name_differ_by(what):
    one, other = (gain(f) for f in DIFFERENT[what])
    assert one != other


def test_functions_without_a_name_that_are_alike():
    def made():
        return lambda y: y * 2

    assert gain(made()) == gain(made())
    assert gain(scaled(2.0)) == gain(scaled(2.0))
    assert gain(with_default(2.0)) == gain(with_default(2.0))
    one, other = (functools.partial(shifted, by=1.0) for _ in range(2))
    assert gain(one) == gain(other)
    assert gain(Power(2.0)) == gain(Power(2.0))
    array = np.array([1.0, 2.0])
    assert gain(scaled(array)) == gain(scaled(array.copy()))
    one = scaled(object())
    assert gain(one) == gain(one)


def test_a_metric_of_the_user():
    class RPrecision(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k, scale=1.0):
            return ranking.hits(k) * scale

    name = r"test_a_metric_of_the_user\.<locals>\.RPrecision#[0-9a-f]{8}"
    options = rf"\|relevance_threshold:1\.0\|scale:1\.0\|{re.escape(COMMON)}"
    assert re.fullmatch(f"{name}@2{options}", RPrecision(k=2).signature)
    assert re.match(
        rf"{name}\|relevance_threshold:1\.0\|scale:2\.0\|",
        RPrecision(scale=2.0).signature,
    )

    class NDCG(krm.NDCG):
        """Of another module, so it must not pass for the original."""

    assert not NDCG().signature.startswith("NDCG|")
