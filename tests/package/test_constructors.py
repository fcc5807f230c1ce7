"""What metrics are made of: their parameters, and definitions."""

import dataclasses
import inspect
import pathlib
import pydoc
import re

import keras
import pytest

import keras_rankmetrics as krm

# A line for each metric: its class, short name, direction and parameters.
STORED = pathlib.Path(__file__).with_name("signatures.txt")
EVERY = [getattr(krm, name) for name in krm.metrics.__all__]


def parameters_of(metric, kind):
    """The parameters of a kind, with their defaults."""
    found = inspect.signature(metric).parameters.values()
    return {p.name: p.default for p in found if p.kind is kind}


def positional(metric):
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return parameters_of(metric, kind)


def is_of_relevance(metric):
    options = parameters_of(metric, inspect.Parameter.KEYWORD_ONLY)
    return options.get("list_weight") == "relevance"


METRICS = list(filter(is_of_relevance, EVERY))
# Options that have no attribute of their own, or that the tests below set.
COMMON = {*inspect.signature(krm.RPrecision).parameters} - {
    "relevance_threshold"
}


# Parameters


def described(metric):
    signature = str(inspect.signature(metric))
    short_name = getattr(metric, "short_name", None)
    direction = "up" if getattr(metric, "more_is_better", True) else "down"
    functions_by_name = re.sub(r"<function (\w+) at \w+>", r"\1", signature)
    return f"{metric.__name__} {short_name} {direction} {functions_by_name}"


def test_each_metric_has_its_parameters_with_types_and_defaults():
    lines = "".join(f"{described(metric)}\n" for metric in EVERY)
    assert lines == STORED.read_text(), (
        "If it is meant, store the new lines in tests/package/signatures.txt."
    )


def test_help_shows_each_parameter():
    for metric in EVERY:
        text = pydoc.plain(pydoc.render_doc(metric))
        # From Python 3.14 on, a long signature has several lines.
        begin = re.escape(f"\n |  {metric.__name__}(")
        [signature] = re.findall(rf"{begin}.*?\n \| *\n", text, re.S)
        for name in inspect.signature(metric).parameters:
            assert f"{name}: " in signature, metric
        assert "**" not in signature, metric


def test_a_metric_has_what_it_was_given():
    for metric in METRICS:
        k = 3 if "k" in inspect.signature(metric).parameters else None
        cutoff = {} if k is None else {"k": k}
        made = metric(**cutoff, ties="stable", empty="skip", name="mine")
        found = made.k, made.ties, made.empty, made.name
        assert found == (k, "stable", "skip", "mine"), metric
        options = parameters_of(metric, inspect.Parameter.KEYWORD_ONLY)
        for name in options.keys() - COMMON - {"shuffle_ties"}:
            assert getattr(made, name) == options[name], (metric, name)


def test_positional_arguments_are_those_of_keras_rs():
    graded = krm.NDCG(3, krm.linear_gain, krm.reciprocal_discount)
    assert graded.gain_fn is krm.linear_gain
    assert graded.rank_discount_fn is krm.reciprocal_discount
    binary = krm.RecallAtK(3, True, 7)
    assert (binary.ties, binary.seed) == ("shuffle", 7)


def test_too_many_positional_arguments_are_an_error():
    for metric in METRICS:
        message = rf"^{metric.__name__}.*by position\. Received: None"
        with pytest.raises(TypeError, match=message):
            metric(*[None] * (len(positional(metric)) + 1))


@pytest.mark.parametrize("metric", list(filter(positional, METRICS)))
def test_an_argument_given_twice_is_an_error(metric):
    with pytest.raises(TypeError, match="multiple values"):
        metric(3, k=3)


def test_the_constructor_says_where_it_is():
    for metric in METRICS:
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
