"""What holds of the state of every metric: one law for all classes.

Each class of the package has an example here: the metric, and lists for it. A
class that has none fails. A test that a file of one class has beside this is
about what that class alone does.
"""

import copy
import dataclasses
import functools
import inspect
import json
import pickle
from collections.abc import Callable
from typing import Any

import given
import keras
import numpy as np
import pytest
from catalogue import EVERY_ROW, OWN_FUNCTIONS
from given import assert_same_state
from keras import ops
from own_aggregates import Squares
from pytest import approx

import keras_rankmetrics as krm

LISTS, ITEMS, BATCH = 40, 6, 16
CLASSES = [getattr(krm, name) for name in krm.metrics.__all__]
CLASSES.append(krm.MetricCollection)


# Lists: `y_true`, and what is predicted


def _labels(rng):
    """Some lists have padding, and one has nothing relevant."""
    labels = rng.integers(0, 2, (LISTS, ITEMS))
    labels[1], labels[5:15, 4:] = 0, -1
    return labels


def _judged(rng):
    labels = _labels(rng)
    unjudged = rng.random(labels.shape) < 0.2
    unjudged[0] = False
    return np.where(unjudged, krm.UNJUDGED, labels)


def _grouped(rng):
    groups = rng.integers(0, 2, LISTS, "int32")
    return {"labels": _labels(rng), "group": groups}


def _probabilities(rng):
    return rng.random((LISTS, ITEMS))


def _references(rng):
    """Some items are not retrieved."""
    return rng.choice([-np.inf, -2.0, -1.0, 0.0, 1.0], (LISTS, ITEMS))


def _clicks(rng):
    clicks = rng.integers(0, 2, (LISTS, ITEMS))
    return np.stack([clicks, rng.uniform(0.1, 1, clicks.shape)], axis=-1)


def _subtopics(rng):
    return rng.integers(0, 2, (LISTS, ITEMS, 3))


def _of_two_judges(rng):
    both = rng.integers(0, 2, (LISTS, ITEMS, 2))
    both[27:, :, 0] = both[24:27, :, 1] = -1
    return both


def _targets(rng):
    return rng.integers(0, ITEMS, LISTS, "int32")


def _one_relevant(rng):
    return np.eye(ITEMS)[_targets(rng)]


@functools.cache
def lists_of(kind):
    """Return `y_true`, what is predicted, of which some tie, and weights."""
    rng = np.random.default_rng(7)
    y_true = keras.tree.map_structure(
        lambda x: x if x.dtype == "int32" else x.astype("float32"), kind(rng)
    )
    scores = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32") / 3
    weights = rng.integers(1, 4, LISTS).astype("float32")
    return y_true, scores, weights


def part(inputs, rows, steps=()):
    """Return some of the lists, with so many to a row."""
    return keras.tree.map_structure(
        lambda x: x[rows].reshape(-1, *steps, *x.shape[1:]), inputs
    )


WHOLE = slice(0, LISTS)
PARTS = slice(0, 16), slice(16, 32), slice(32, LISTS)


# Examples


@keras.saving.register_keras_serializable("test_contract_of_a_state")
def by_second_label(y_true, y_pred):
    return ops.cast(y_true[..., 1] >= 1, "int32")


@functools.cache
def arguments_of(metric):
    return set(inspect.signature(metric).parameters)


@dataclasses.dataclass(frozen=True)
class Example:
    """A metric, with lists for it.

    Attributes:
        metric: the class.
        kind: what draws its `y_true`.
        options: its options, or its arguments.
        systems: whose predictions it takes, if it takes several.
    """

    metric: Callable[..., Any]
    kind: Callable[..., Any] = _labels
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    systems: tuple[str, ...] = ()

    def __str__(self):
        values = [getattr(v, "name", v) for v in self.options.values()]
        values = [getattr(v, "__name__", v) for v in values]
        names = [str(v) for v in values if isinstance(v, str | float)]
        return "-".join([self.metric.__name__, *names])

    def make(self, **options):
        """Return the metric, with those of the options that it takes."""
        takes = arguments_of(self.metric)
        more = {x: v for x, v in options.items() if x in takes}
        return self.metric(**{**more, **copy.deepcopy(self.options)})

    @property
    def inputs(self):
        y_true, scores, weights = lists_of(self.kind)
        if self.systems:
            scores = {x: np.roll(scores, i) for i, x in enumerate(self.systems)}
        # It gives all lists the same weight.
        weighted = self.metric is not krm.JudgeCorrected
        return (y_true, scores, weights) if weighted else (y_true, scores)

    def seen(self, *parts, steps=(), **options):
        """Return the metric after batches of these lists."""
        metric = self.make(**options)
        for each in parts:
            metric.update_state(*part(self.inputs, each, steps))
        return metric


def _of(kind, *metrics, **options):
    return [Example(metric, kind, options) for metric in metrics]


def _of_row(row):
    by_judged = row.by_labels or row.metric is krm.BPref
    cutoff = {"k": 3} if row.takes_k else {}
    kind = _judged if by_judged else _labels
    return Example(row.metric, kind, {**cutoff, **row.options})


PROBABLE = [krm.PrecisionAtK, krm.RecallAtK, krm.HitRateAtK, krm.NDCG, krm.DCG]
PROBABLE += [krm.MeanReciprocalRank, krm.MeanAveragePrecision, krm.RPrecision]
COUNTERS = [krm.CatalogueCoverage, krm.ExposureEntropy]
COUNTERS += [krm.ExposureGini, krm.Personalization]
POPULARITY, SHARE = [9, 0, 4, 4, 1, 2], [1.0, 0.5, 0.25, 0.9, 0.01, 0.5]
GROUPS = np.eye(3)[[0, 1, 2, 0, 1, 1]].tolist()
SAMPLE = {"catalogue": 20, "negatives": ITEMS - 1}
SAMPLE |= {"replacement": True, "gamma": 0.5}
NDCG = krm.NDCG(3)
# Not those with functions that Keras cannot load.
OF_ROWS = [
    _of_row(row)
    for row in EVERY_ROW
    if not any(x in OWN_FUNCTIONS.values() for x in row.options.values())
]
OTHERS = [
    *_of(_probabilities, *PROBABLE, labels="probabilities"),
    *_of(_judged, krm.NDCG, k=3, unjudged="condense"),
    *_of(_labels, krm.Novelty, krm.PopularityLift, k=3, popularity=SHARE),
    *_of(_labels, krm.AveragePopularity, k=3, popularity=POPULARITY),
    *_of(_labels, krm.Serendipity, k=3, popularity=POPULARITY),
    *_of(_labels, krm.TailShare, k=3, is_tail=[0, 1, 1, 0, 1, 0]),
    *_of(_labels, krm.IntraListDiversity, k=3, vectors=GROUPS),
    *_of(
        _labels,
        krm.AttentionWeightedFairness,
        k=3,
        groups=GROUPS,
        target=[2, 1, 1],
    ),
    *_of(_labels, krm.ExpectedExposureLoss, k=3),
    *_of(_labels, krm.ExpectedExposureLoss, k=3, part="disparity"),
    *_of(_labels, krm.ExpectedExposureLoss, k=3, part="relevance"),
    *_of(_labels, *COUNTERS, k=2, num_items=ITEMS),
    *_of(_targets, *COUNTERS, k=2, num_items=ITEMS, inputs="sparse"),
    *_of(_clicks, krm.IPS, krm.SNIPS, k=3, clip=0.2),
    *_of(_clicks, krm.EffectiveClicks, clip=0.2),
    *_of(_subtopics, krm.ERRIA, krm.AlphaDCG, krm.AlphaNDCG, k=3, alpha=0.3),
    *_of(_subtopics, krm.NRBP, alpha=0.3, p=0.7, normalized=True),
    *_of(_subtopics, krm.MeanAveragePrecisionIA, krm.SubtopicRecall, k=3),
    *_of(_subtopics, krm.PrecisionIA, k=3, denominator="k"),
    *_of(_references, krm.KendallTau, krm.SpearmanRho, krm.TauAP),
    *_of(_labels, krm.RejectionRate, relevance_threshold=3.0),
    *_of(_references, krm.OverlapAtK, k=3),
    *_of(_references, krm.RankBiasedOverlap, p=0.8),
    *_of(_references, krm.RankBiasedOverlap, k=3, tail="zero"),
    *_of(_of_two_judges, krm.JudgeCorrected, metric=NDCG),
    *_of(_of_two_judges, krm.JudgeCorrected, metric=krm.DCG(4)),
    *_of(_labels, krm.LowerMean, metric=NDCG, share=0.3),
    *_of(_labels, krm.Quantiles, metric=NDCG, levels=[0.1, 0.5]),
    *_of(_labels, krm.Sliced, metric=NDCG, groups=2, by=by_second_label),
    *_of(_labels, Squares, k=3),
    *_of(_grouped, krm.Sliced, metric=NDCG, groups=["head", "tail"]),
    *(
        Example(krm.SampledRanks, kind, {"metric": metric, **SAMPLE})
        for kind, metric in (
            (_one_relevant, krm.RecallAtK(4)),
            (_targets, krm.RecallAtK(4, inputs="sparse")),
        )
    ),
    *_of(
        _one_relevant,
        krm.SampledRanks,
        metric=krm.RecallAtK(4),
        catalogue=20,
        negatives=ITEMS - 1,
    ),
    Example(
        krm.Comparison,
        options={
            "metric": krm.NDCG(3, gain_fn=krm.linear_gain),
            "systems": ["old", "new"],
            "baseline": "new",
        },
        systems=("old", "new"),
    ),
    *_of(
        _labels,
        krm.MetricCollection,
        metrics=[NDCG, krm.DCG(3, gain_fn=krm.linear_gain), krm.MeanRank()],
        prefix="all ",
        errors=True,
    ),
]
EXAMPLES = [*OF_ROWS, *OTHERS]
# The first row of each class, and all others.
FIRST = [*{x.metric: x for x in reversed(OF_ROWS)}.values(), *OTHERS]
# Those with sums of their own. One of them takes no rows of several lists.
OWN = [x for x in FIRST if not issubclass(x.metric, krm.RankingMetric)]
IN_ROWS = [x for x in OWN if x.metric is not krm.JudgeCorrected]


def sums_of(example):
    """Return what its state holds: most metrics hold a weighted mean."""
    aggregate = getattr(example.make(), "aggregate", None)
    return type(aggregate), getattr(aggregate, "count", None)


def quick_by(key, examples):
    """Return the examples; all but the first of each key are long."""
    first = {key(x): x for x in reversed(examples)}.values()
    long = pytest.mark.long
    return [x if x in first else pytest.param(x, marks=long) for x in examples]


every_example = pytest.mark.parametrize("example", EXAMPLES, ids=str)
each_class = pytest.mark.parametrize("example", FIRST, ids=str)
# What happens to a state depends on its sums, and on no measure.
OF_STATES = quick_by(lambda x: (x.kind, sums_of(x)), FIRST)
each_state = pytest.mark.parametrize("example", OF_STATES, ids=str)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_class_has_an_example_and_a_registered_name(cls):
    assert cls in [example.metric for example in EXAMPLES]
    name = f"keras_rankmetrics>{cls.__name__}"
    assert keras.saving.get_registered_object(name) is cls


# What holds of each


# Options none of which is a default, where a class has them.
UNUSUAL = {
    "ties": "stable",
    "empty": "skip",
    "list_weight": "mean",
    "dtype": "float64",
    "name": "mine",
}
SHUFFLED = {"ties": "shuffle", "seed": 5, "empty": "zero"}


def numbers(metric):
    found = given.numbers(metric.result())
    return found if isinstance(found, dict) else {metric.name: found}


def signature(metric):
    return getattr(metric, "signatures", None) or metric.signature


def arrays_of(metric):
    return keras.tree.flatten(metric.get_state())


def sums(metric):
    """Return the state, each number of which is the sum of two floats."""
    return [
        x.astype("float64").sum(-1) if x.ndim else x for x in arrays_of(metric)
    ]


def assert_same_metric(made, metric):
    assert type(made) is type(metric) and made is not metric
    assert (made.name, made.dtype) == (metric.name, metric.dtype)
    assert signature(made) == signature(metric)


@every_example
def test_a_config_makes_the_same_metric(example):
    for options in ({}, UNUSUAL, SHUFFLED):
        metric = example.make(**options)
        if k := example.options.get("k"):
            assert f"{example.metric.__name__}@{k}|" in metric.signature
        config = metric.get_config()
        before = copy.deepcopy(config)
        again = type(metric).from_config(config)
        assert config == before  # it belongs to the caller
        saved = json.dumps(keras.saving.serialize_keras_object(metric))
        loaded = keras.saving.deserialize_keras_object(json.loads(saved))
        for made in (again, loaded):
            assert_same_metric(made, metric)
            assert made.get_config() == before
            np.testing.assert_equal(numbers(made), numbers(metric))


# Another value of each option that is no number, list or bool.
OTHER_VALUES = {
    "baseline": "old",
    "by": lambda y_true, y_pred: y_true[..., 0],
    "denominator": "retrieved",
    "inputs": "ids",
    "labels": "grades",
    "levels": [0.2],
    "metric": krm.NDCG(5),
    "part": "loss",
    "tail": "extrapolated",
    "unjudged": "irrelevant",
}


def other_value(name, value):
    if name in OTHER_VALUES:
        return OTHER_VALUES[name]
    if isinstance(value, list):
        return value[::-1]
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value / 2


@pytest.mark.parametrize(
    "example", [x for x in OTHERS if "metrics" not in x.options], ids=str
)
def test_each_option_changes_the_signature(example):
    """Relevance metrics are in tests/package/test_signature.py."""
    signatures = {signature(example.make())}
    for name, value in example.options.items():
        changed = {**example.options, name: other_value(name, value)}
        other = dataclasses.replace(example, options=changed)
        signatures.add(signature(other.make()))
    assert len(signatures) == 1 + len(example.options)


@each_state
def test_batches_and_merged_states_are_one_pass(example):
    assert_one_pass(example)


@pytest.mark.parametrize("example", IN_ROWS, ids=str)
def test_batches_of_rows_of_lists_are_one_pass(example):
    assert_one_pass(example, steps=(2,))


def assert_one_pass(example, steps=()):
    seen = functools.partial(example.seen, steps=steps)
    whole, batches = seen(WHOLE), seen(*PARTS)
    if steps:
        flat, in_rows = numbers(example.seen(WHOLE)), numbers(whole)
        for name in flat:
            if not name.endswith("_se"):  # lists of a row are dependent
                assert in_rows[name] == approx(flat[name], rel=1e-4, abs=1e-6)
    merged, *others = map(seen, PARTS)
    states = [metric.state for metric in (merged, *others)]
    kept = arrays_of(others[0])
    merged.merge_state([others[0], others[1].get_state()])
    assert_same_state(others[0], kept)
    by_state = others[0]
    by_state.merge_state([states[0], others[1].state])
    added = example.make()
    added.state = keras.tree.map_structure(lambda *x: sum(x), *states)
    for metric in (batches, merged, by_state, added):
        assert numbers(metric) == approx(
            numbers(whole), rel=1e-4, abs=1e-6, nan_ok=True
        )
        for found, expected in zip(sums(metric), sums(whole), strict=True):
            np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@each_state
def test_a_state_goes_out_and_in(example):
    metric, other = (example.seen(x, **SHUFFLED) for x in PARTS[:2])
    again = example.make(**SHUFFLED)
    again.state = keras.tree.map_structure(
        lambda state: krm.State.from_bytes(state.to_bytes()), metric.state
    )
    other.set_state(metric.get_state())
    for each in (metric, again, other):
        each.update_state(*part(example.inputs, PARTS[2]))
    for each in (again, other):
        assert_same_state(each, arrays_of(metric))
        np.testing.assert_equal(numbers(each), numbers(metric))


@each_state
def test_values_of_lists_leave_the_state(example):
    metric = example.seen(PARTS[0], **SHUFFLED)
    before = arrays_of(metric)
    metric.per_list(*example.inputs[:2])
    assert_same_state(metric, before)


@pytest.mark.parametrize(
    "example", [x for x in OWN if "metric" in x.options], ids=str
)
def test_the_wrapped_metric_is_not_updated(example):
    wrapped = copy.deepcopy(example.options["metric"])
    example.metric(**{**example.options, "metric": wrapped}).update_state(
        *example.inputs
    )
    assert wrapped.count() == 0


@each_state
def test_the_state_of_another_metric_is_refused(example):
    metric, same = example.seen(PARTS[0]), example.seen(PARTS[1])
    before = arrays_of(metric)
    other = krm.NDCG(4)
    for wrong in (other, other.state, other.get_state()[:1] * 2):
        with pytest.raises((TypeError, ValueError)):
            metric.merge_state([same, wrong])
    with pytest.raises((TypeError, ValueError)):
        metric.state = other.state
    assert_same_state(metric, before)


def broken(example):
    """Yield what it is given, with a NaN in each array of floats in turn."""
    for place in (0, 1):
        inputs = keras.tree.map_structure(np.copy, example.inputs)
        array = keras.tree.flatten(inputs[place])[-1]
        if array.dtype.kind == "f":
            array[0, 0] = np.nan
            yield inputs


@each_state
def test_a_reset_makes_it_new(example):
    new, metric = (example.make(**SHUFFLED) for _ in range(2))
    for inputs in broken(example):
        metric.update_state(*inputs)
    assert any(np.isnan(x).any() for x in arrays_of(metric))
    metric.reset_state()
    assert_same_state(metric, arrays_of(new))
    np.testing.assert_equal(numbers(metric), numbers(new))
    for each in (metric, new):
        each.update_state(*example.inputs)
    assert_same_state(metric, arrays_of(new))


WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda metric: pickle.loads(pickle.dumps(metric)),
    "sync": lambda metric: metric.sync(),  # with no other process
}


@each_state
def test_a_copy_has_seen_the_same(example):
    metric = example.seen(PARTS[0], name="mine", **SHUFFLED)
    before, result = arrays_of(metric), numbers(metric)
    others = {name: way(metric) for name, way in WAYS.items()}
    for name, other in others.items():
        assert_same_metric(other, metric)
        assert_same_state(other, before)
        np.testing.assert_equal(numbers(other), result, name)
        # From here on they go separate ways, and the same way.
        other.update_state(*part(example.inputs, PARTS[1]))
        assert_same_state(metric, before)
        assert any(
            (x != y).any()
            for x, y in zip(arrays_of(other), before, strict=True)
        )
    metric.update_state(*part(example.inputs, PARTS[1]))
    for other in others.values():
        assert_same_state(other, arrays_of(metric))


@each_class
def test_a_nan_is_seen(example):
    """A number that holds for other lists alone stays what it was."""
    clean = numbers(example.seen(WHOLE))
    for inputs in broken(example):
        metric = example.make()
        metric.update_state(*inputs)
        found = numbers(metric)
        touched = [name for name in clean if found[name] != clean[name]]
        assert touched
        assert all(np.isnan(found[name]) for name in touched)


# In collections, models and programs


NO_MEMBERS = krm.Comparison, krm.JudgeCorrected, krm.MetricCollection
MEMBERS = [x for x in FIRST if x.metric not in NO_MEMBERS]


@pytest.mark.parametrize("kind", sorted({x.kind for x in MEMBERS}, key=str))
def test_in_a_collection_each_has_the_number_it_has_alone(kind):
    of_kind = [x for x in MEMBERS if x.kind is kind]
    alone = [x.make(name=f"metric{i}") for i, x in enumerate(of_kind)]
    together, expected = krm.MetricCollection(copy.deepcopy(alone)), {}
    for rows in PARTS:
        for metric in (*alone, together):
            metric.update_state(*part(lists_of(kind), rows))
    for metric in alone:
        expected |= numbers(metric)
    assert numbers(together) == approx(expected, rel=1e-5, abs=1e-6)


@keras.saving.register_keras_serializable("test_contract_of_a_state")
def no_loss(y_true, y_pred):
    return 0.0 * y_pred


# `compile` passes no dicts on.
KINDS = {x.kind for x in FIRST} - {_grouped}


@pytest.mark.long
@pytest.mark.each_backend
@pytest.mark.not_on("numpy", reason="it has no fit")
@pytest.mark.parametrize("kind", sorted(KINDS, key=str))
def test_in_fit_with_a_short_last_batch_and_in_a_saved_model(kind, tmp_path):
    of_kind = [x for x in FIRST if x.kind is kind and not x.systems]
    metrics = [x.make(name=f"metric{i}") for i, x in enumerate(of_kind)]
    y_true, scores, _ = lists_of(kind)
    expected = {}
    for metric in copy.deepcopy(metrics):
        metric.update_state(y_true, scores)
        expected |= numbers(metric)
    dense = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    inputs = keras.Input((ITEMS, 1))
    model = keras.Model(inputs, ops.squeeze(dense(inputs), -1))
    optimizer = keras.optimizers.SGD(0.0)
    model.compile(optimizer, no_loss, metrics=metrics)
    data = {"x": scores[..., None], "y": y_true, "batch_size": BATCH}
    fitted = model.fit(**data, verbose=0).history
    found = model.evaluate(**data, verbose=0, return_dict=True)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    loaded.jit_compile = keras.config.backend() == "jax"  # slow without
    again = loaded.evaluate(**data, verbose=0, return_dict=True)
    for name, number in expected.items():
        for value in (fitted[name][0], found[name], again[name]):
            assert value == approx(number, rel=1e-4, abs=1e-5), name


@pytest.mark.each_backend
@pytest.mark.parametrize("example", quick_by(sums_of, OWN), ids=str)
def test_in_a_program_of_any_number_of_lists(example):
    assert_same_in_a_program(example)


@pytest.mark.long
@pytest.mark.each_backend
@pytest.mark.parametrize("example", IN_ROWS, ids=str)
def test_in_a_program_of_rows_of_lists(example):
    assert_same_in_a_program(example, steps=(2,))


def assert_same_in_a_program(example, steps=()):
    batches = [part(example.inputs, each, steps) for each in PARTS[1:]]
    found = given.in_a_program(example.make(), *batches)
    expected = given.numbers(example.seen(*PARTS[1:], steps=steps).result())
    assert found == approx(expected, rel=1e-4, abs=1e-5, nan_ok=True)
