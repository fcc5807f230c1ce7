"""What metrics are made of: their parameters, and definitions."""

import dataclasses
import inspect
import pydoc

import keras
import pytest

import keras_rankmetrics as krm

COMMON = {
    "ties": None,
    "empty": "zero",
    "list_weight": "relevance",
    "adjusted": None,
    "unjudged": "irrelevant",
    "inputs": "scores",
    "name": None,
    "dtype": None,
}
GRADED = {
    "k": None,
    "gain_fn": krm.exponential_gain,
    "rank_discount_fn": krm.log2_discount,
}
BINARY = {"k": None, "shuffle_ties": None, "seed": None}
OF_GRADED = {**COMMON, "shuffle_ties": None, "seed": None}
OF_BINARY = {**COMMON, "relevance_threshold": 1.0}
OF_JUDGEMENTS = {**COMMON, "shuffle_ties": None, "seed": None}
OF_SUBTOPICS = {**OF_JUDGEMENTS, "relevance_threshold": 1.0}
OF_NOVELTY = {**OF_SUBTOPICS, "alpha": 0.5}
OF_RANKS = {"rank_discount_fn": krm.log2_discount}
OF_BINARY_LISTS = {**OF_BINARY, "seed": None}

# Those that are positional, in their order, and those by name alone.
PARAMETERS = {
    krm.DCG: (GRADED, OF_GRADED),
    krm.NDCG: (GRADED, {**OF_GRADED, "ideal": "relevant"}),
    krm.PrecisionAtK: (BINARY, {**OF_BINARY, "denominator": "retrieved"}),
    krm.RecallAtK: (BINARY, {**OF_BINARY, "denominator": "relevant"}),
    krm.F1AtK: (BINARY, {**OF_BINARY, "denominator": "retrieved"}),
    krm.HitRateAtK: (BINARY, OF_BINARY),
    krm.MeanAveragePrecision: (
        BINARY,
        {**OF_BINARY, "denominator": "relevant"},
    ),
    krm.MeanReciprocalRank: (BINARY, OF_BINARY),
    krm.ERR: (
        {"k": None},
        {
            **COMMON,
            "max_grade": 4.0,
            "normalized": False,
            "shuffle_ties": None,
            "seed": None,
        },
    ),
    krm.RPrecision: ({}, OF_BINARY_LISTS),
    krm.FBetaAtK: (
        BINARY,
        {**OF_BINARY, "beta": 1.0, "denominator": "retrieved"},
    ),
    krm.FallOutAtK: (BINARY, {**OF_BINARY, "empty": "skip"}),
    krm.AUC: (BINARY, {**OF_BINARY, "empty": "skip"}),
    krm.AdjustedMeanRankIndex: ({}, {**OF_BINARY_LISTS, "empty": "skip"}),
    krm.MeanRank: ({}, {**OF_BINARY_LISTS, "empty": "skip"}),
    krm.AverageRelevancePosition: (
        {},
        {
            **COMMON,
            "seed": None,
            "gain_fn": krm.linear_gain,
            "empty": "skip",
        },
    ),
    krm.RankBiasedPrecision: (BINARY, {**OF_BINARY, "p": 0.8}),
    krm.GradedRankBiasedPrecision: ({"k": None}, {**OF_GRADED, "p": 0.8}),
    krm.BPref: ({}, {**OF_BINARY_LISTS, "unjudged": "condense"}),
    krm.AlphaDCG: ({"k": None}, {**OF_NOVELTY, **OF_RANKS}),
    krm.AlphaNDCG: ({"k": None}, {**OF_NOVELTY, **OF_RANKS}),
    krm.ERRIA: ({"k": None}, {**OF_NOVELTY, "normalized": False}),
    krm.NRBP: ({"k": None}, {**OF_NOVELTY, "p": 0.5}),
    krm.PrecisionIA: (
        {"k": None},
        {**OF_SUBTOPICS, "denominator": "retrieved"},
    ),
    krm.MeanAveragePrecisionIA: ({"k": None}, OF_SUBTOPICS),
    krm.SubtopicRecall: ({"k": None}, OF_SUBTOPICS),
    krm.JudgedAtK: ({"k": None}, OF_JUDGEMENTS),
    krm.RBPResidual: (
        {"k": None},
        {**OF_JUDGEMENTS, "p": 0.8, "tail": "always"},
    ),
    krm.UnjudgedAtK: (
        {"k": None},
        {**OF_JUDGEMENTS, "denominator": "retrieved"},
    ),
    krm.GradedAveragePrecision: (
        {"k": None},
        {**OF_GRADED, "probabilities": (0.25, 0.25, 0.25, 0.25)},
    ),
    krm.InterpolatedPrecision: (
        {},
        {**OF_BINARY_LISTS, "recall": 0.5, "rounding": "up"},
    ),
    krm.ElevenPointPrecision: ({}, {**OF_BINARY_LISTS, "rounding": "up"}),
    krm.OrderedPairAccuracy: ({}, {**COMMON, "seed": None, "empty": "skip"}),
    krm.QMeasure: (
        {"k": None},
        {**OF_GRADED, "beta": 1.0, "gain_fn": krm.linear_gain},
    ),
}

for each in (
    krm.DCG,
    krm.NDCG,
    krm.PrecisionAtK,
    krm.RecallAtK,
    krm.HitRateAtK,
    krm.MeanAveragePrecision,
    krm.MeanReciprocalRank,
    krm.RPrecision,
):
    positional, by_name = PARAMETERS[each]
    PARAMETERS[each] = positional, {**by_name, "labels": "grades"}

all_metrics = pytest.mark.parametrize(
    "metric", PARAMETERS, ids=lambda cls: cls.__name__
)


# Parameters


@all_metrics
def test_the_signature_has_each_parameter_with_its_default(metric):
    positional, by_name = PARAMETERS[metric]
    found = inspect.signature(metric).parameters.values()
    assert [
        (p.name, p.default) for p in found if p.kind is p.POSITIONAL_OR_KEYWORD
    ] == list(positional.items())
    assert {
        p.name: p.default for p in found if p.kind is p.KEYWORD_ONLY
    } == by_name
    assert len(found) == len(positional) + len(by_name)


@all_metrics
def test_each_parameter_has_its_type(metric):
    parameters = inspect.signature(metric).parameters
    assert all(p.annotation is not p.empty for p in parameters.values())
    if "k" in PARAMETERS[metric][0]:
        assert parameters["k"].annotation == "int | None"
    assert parameters["ties"].annotation == "TiePolicy | None"


@all_metrics
def test_help_shows_each_parameter(metric):
    lines = pydoc.plain(pydoc.render_doc(metric)).splitlines()
    [line] = [x for x in lines if x.startswith(f" |  {metric.__name__}(")]
    for name in inspect.signature(metric).parameters:
        assert f"{name}: " in line
    assert "**" not in line
    assert "list_weight: 'ListWeight' = 'relevance'" in line


@all_metrics
def test_a_metric_has_what_it_was_given(metric):
    cutoff = {"k": 3} if "k" in PARAMETERS[metric][0] else {}
    made = metric(**cutoff, ties="stable", empty="skip", name="mine")
    assert (made.k, made.ties, made.empty, made.name) == (
        cutoff.get("k"),
        "stable",
        "skip",
        "mine",
    )
    for name, default in PARAMETERS[metric][1].items():
        if name not in COMMON and name not in ("shuffle_ties", "seed"):
            assert getattr(made, name) == default


def test_positional_arguments_are_those_of_keras_rs():
    graded = krm.NDCG(3, krm.linear_gain, krm.reciprocal_discount)
    assert graded.gain_fn is krm.linear_gain
    assert graded.rank_discount_fn is krm.reciprocal_discount
    binary = krm.RecallAtK(3, True, 7)
    assert (binary.ties, binary.seed) == ("shuffle", 7)


@all_metrics
def test_an_unknown_argument_is_an_error(metric):
    with pytest.raises(TypeError, match="unknown"):
        metric(unknown=1)


@all_metrics
def test_too_many_positional_arguments_are_an_error(metric):
    with pytest.raises(TypeError, match=r"by position\. Received: None"):
        metric(*[None] * (len(PARAMETERS[metric][0]) + 1))


@pytest.mark.parametrize("metric", [m for m in PARAMETERS if PARAMETERS[m][0]])
def test_an_argument_given_twice_is_an_error(metric):
    with pytest.raises(TypeError, match="multiple values"):
        metric(3, k=3)


@all_metrics
def test_the_constructor_says_where_it_is(metric):
    assert metric.__init__.__qualname__ == f"{metric.__name__}.__init__"
    assert metric.__init__.__module__ == metric.__module__


def test_a_subclass_takes_what_its_base_takes():
    class Mine(krm.NDCG):
        pass

    assert inspect.signature(Mine) == inspect.signature(krm.NDCG)
    assert Mine(5, ideal="retrieved", ties="stable").ideal == "retrieved"


# Definitions


def cubic(label):
    return label**3


DIFFERENT = [
    lambda: krm.NDCG(3),
    lambda: krm.NDCG(5),
    lambda: krm.DCG(3),
    lambda: krm.NDCG(3, ties="stable"),
    lambda: krm.NDCG(3, ties="shuffle", seed=1),
    lambda: krm.NDCG(3, ties="shuffle", seed=2),
    lambda: krm.NDCG(3, empty="skip"),
    lambda: krm.NDCG(3, list_weight="mean"),
    lambda: krm.NDCG(3, inputs="sparse"),
    lambda: krm.NDCG(3, dtype="float64"),
    lambda: krm.NDCG(3, ideal="retrieved", ties="stable"),
    lambda: krm.NDCG(3, gain_fn=krm.linear_gain),
    lambda: krm.NDCG(3, gain_fn=cubic),
    lambda: krm.RecallAtK(3),
    lambda: krm.RecallAtK(3, relevance_threshold=2),
    lambda: krm.GradedAveragePrecision(3),
    lambda: krm.GradedAveragePrecision(3, probabilities=(0.5, 0.5)),
]


def test_the_same_metrics_have_equal_definitions():
    for make in DIFFERENT:
        one, other = make().definition, make().definition
        assert one is not other
        assert one == other
        assert hash(one) == hash(other)


def test_other_metrics_have_other_definitions():
    assert len({make().definition for make in DIFFERENT}) == len(DIFFERENT)


def test_the_name_is_no_part_of_a_definition():
    one, other = krm.NDCG(3), krm.NDCG(3, name="mine")
    assert one.definition == other.definition
    assert hash(one.definition) == hash(other.definition)


def test_functions_are_told_apart_by_identity():
    """Even if they do the same, and look the same."""

    def another():
        return lambda label: label**3

    one, other = another(), another()
    of_one = krm.NDCG(3, gain_fn=one).definition
    assert of_one == krm.NDCG(3, gain_fn=one).definition
    assert of_one != krm.NDCG(3, gain_fn=other).definition


class EqualToAll:
    """A function of which all are equal."""

    def __call__(self, label):
        return label

    def __eq__(self, other):
        return isinstance(other, EqualToAll)

    def __hash__(self):
        return 0


def test_functions_that_are_equal_are_not_the_same():
    one, other = EqualToAll(), EqualToAll()
    assert one == other
    assert krm.DCG(gain_fn=one).definition != krm.DCG(gain_fn=other).definition


def test_spellings_of_one_thing_are_equal():
    for one, other in (
        (krm.NDCG(3, shuffle_ties=True), krm.NDCG(3, ties="shuffle")),
        (krm.NDCG(3, dtype="bfloat16"), krm.NDCG(3)),
        (krm.RecallAtK(3, relevance_threshold=1), krm.RecallAtK(3)),
        (
            krm.GradedAveragePrecision(probabilities=[1, 2]),
            krm.GradedAveragePrecision(probabilities=(1.0, 2.0)),
        ),
        (
            krm.NDCG(seed=keras.random.SeedGenerator(4)),
            krm.NDCG(seed=4),
        ),
    ):
        assert one.definition == other.definition


def test_a_definition_is_frozen():
    definition = krm.NDCG(3).definition
    for name in ("k", "ties", "name", "options"):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(definition, name, None)


def test_options_are_a_copy():
    metric = krm.RecallAtK(3)
    metric.options["denominator"] = "min"
    assert metric.denominator == "relevant"


def test_a_definition_survives_the_config():
    for make in DIFFERENT:
        metric = make()
        if metric.options.get("gain_fn") is not cubic:
            again = metric.from_config(metric.get_config())
            assert again.definition == metric.definition


def test_a_definition_is_nothing_else():
    assert krm.NDCG(3).definition != krm.NDCG(3)
    assert krm.NDCG(3).definition != krm.NDCG(3).signature
