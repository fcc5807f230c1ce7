"""What is valid for `keras_rs.metrics` is valid here, with the same number.

But for its faults: it shuffles ties even with `shuffle_ties=False`, masks
nothing where scores are large, and takes the mean weight of each batch alone.
"""

import keras
import numpy as np
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics
from keras_rankmetrics import (
    DCG,
    NDCG,
    MeanAveragePrecision,
    MeanReciprocalRank,
    PrecisionAtK,
    RecallAtK,
)

keras_rs = pytest.importorskip(
    "keras_rs", reason="keras_rs, the peer to compare with, is not installed"
)

pytestmark = pytest.mark.long

BACKEND = keras.backend.backend()
GRADED = [DCG, NDCG]
BINARY = [PrecisionAtK, RecallAtK, MeanAveragePrecision, MeanReciprocalRank]
ALL = GRADED + BINARY

LISTS, ITEMS = 8, 12

all_metrics = pytest.mark.parametrize(
    "metric", ALL, ids=lambda cls: cls.__name__
)


def twin(metric):
    """The metric of keras_rs of the same name."""
    return getattr(keras_rs.metrics, metric.__name__)


def both(metric, *args, **kwargs):
    """A metric and its twin, made by the same call."""
    return metric(*args, **kwargs), twin(metric)(*args, **kwargs)


def agree(metrics, *batch):
    ours, theirs = (float(metric(*batch)) for metric in metrics)
    assert ours == approx(theirs, rel=1e-5, abs=1e-6)
    return ours


@pytest.fixture(scope="module")
def data():
    """Labels, scores without ties, masks and weights.

    The scores are small, so that keras_rs's `min(score) - 1e-7` is below them.
    """
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 4, (LISTS, ITEMS)).astype("float32")
    labels[2] = 0  # nothing is relevant
    order = np.tile(np.arange(ITEMS), (LISTS, 1))
    scores = (0.01 * rng.permuted(order, axis=1)).astype("float32")
    mask = rng.random((LISTS, ITEMS)) < 0.7
    mask[2, 0] = True
    weights = rng.uniform(0.5, 2.0, (LISTS, ITEMS)).astype("float32")
    return labels, scores, mask, weights


def test_every_metric_of_keras_rs_is_here():
    theirs = {
        name
        for name, cls in vars(keras_rs.metrics).items()
        if isinstance(cls, type) and issubclass(cls, keras.metrics.Metric)
    }
    theirs.discard("RankingMetric")
    assert theirs
    assert theirs == {cls.__name__ for cls in ALL}
    assert theirs <= set(keras_rankmetrics.__all__)


# Data


@all_metrics
@pytest.mark.parametrize("k", [None, 1, 5, 30])
def test_cutoffs(metric, k, data):
    labels, scores, _, _ = data
    agree(both(metric, k=k), labels, scores)


@all_metrics
def test_masks_in_a_dict(metric, data):
    labels, scores, mask, _ = data
    masked = agree(both(metric, k=5), {"labels": labels, "mask": mask}, scores)
    assert masked != approx(float(metric(k=5)(labels, scores)), rel=1e-3)
    agree(both(metric, k=5), {"labels": labels}, scores)


@all_metrics
def test_negative_labels(metric, data):
    labels, scores, mask, _ = data
    negative = np.where(mask, labels, -1)
    by_dict = metric(k=5)({"labels": labels, "mask": mask}, scores)
    assert agree(both(metric, k=5), negative, scores) == float(by_dict)


@all_metrics
def test_scalar_weights(metric, data):
    labels, scores, _, _ = data
    agree(both(metric, k=5), labels, scores, 2.5)
    agree(both(metric, k=5), labels, scores, 0.0)


@all_metrics
def test_weights_of_lists(metric, data):
    labels, scores, mask, weights = data
    plain = float(metric(k=5)(labels, scores))
    weights = np.array(weights[:, 0])
    weights[1] = 0
    # The list without relevance has no weight of its own to keras_rs.
    assert agree(both(metric, k=5), labels, scores, weights) != approx(plain)
    agree(both(metric, k=5), {"labels": labels, "mask": mask}, scores, weights)


@all_metrics
def test_weights_of_items(metric, data):
    labels, scores, mask, weights = data
    plain = float(metric(k=5)(labels, scores))
    assert agree(both(metric, k=5), labels, scores, weights) != approx(plain)
    zero = np.where(mask, weights, 0)
    agree(both(metric, k=5), labels, scores, zero)
    zero[3] = 0  # a whole list
    agree(both(metric, k=5), labels, scores, zero)


@all_metrics
def test_a_list_of_its_own(metric, data):
    labels, scores, mask, weights = (x[0] for x in data)
    agree(both(metric, k=5), labels, scores)
    agree(both(metric, k=5), labels, scores, weights)
    agree(both(metric, k=5), labels, scores, 2.0)
    agree(both(metric, k=5), {"labels": labels, "mask": mask}, scores)
    agree(both(metric), labels.tolist(), scores.tolist())


@all_metrics
def test_nothing_relevant(metric, data):
    labels, scores, _, weights = data
    assert agree(both(metric, k=5), 0 * labels, scores) == 0
    assert agree(both(metric, k=5), 0 * labels, scores, weights) == 0
    assert agree(both(metric, k=5), -1 - labels, scores) == 0


@all_metrics
def test_labels_between_the_grades(metric, data):
    labels, scores, _, _ = data
    agree(both(metric, k=5), labels / 2, scores)


@all_metrics
def test_integers(metric, data):
    labels, scores, _, _ = data
    scores = np.round(scores * 100).astype("int32")
    agree(both(metric, k=5), labels.astype("int32"), scores)


@all_metrics
@pytest.mark.parametrize("seed", range(3))
def test_random_data(metric, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 3, (LISTS, ITEMS)).astype("float32")
    scores = rng.normal(scale=0.1, size=(LISTS, ITEMS)).astype("float32")
    weights = np.maximum(rng.normal(1, 1, (LISTS, ITEMS)), 0).astype("float32")
    mask = rng.random((LISTS, ITEMS)) < 0.8
    agree(both(metric, k=5), {"labels": labels, "mask": mask}, scores, weights)


# Calls


@pytest.mark.parametrize("metric", BINARY, ids=lambda cls: cls.__name__)
def test_positions_of_arguments(metric, data):
    labels, scores, _, _ = data
    for args in ((), (5,), (5, True), (5, False), (5, False, 42)):
        agree(both(metric, *args), labels, scores)
    ours, theirs = both(metric, 5, True, 42)
    assert (ours.k, ours.ties, ours.seed) == (5, "shuffle", 42)
    assert (theirs.k, theirs.shuffle_ties, theirs.seed) == (5, True, 42)


@pytest.mark.parametrize("metric", GRADED, ids=lambda cls: cls.__name__)
def test_positions_of_arguments_with_gains(metric, data):
    labels, scores, _, _ = data

    def gain(label):
        return label * label

    def discount(rank):
        return 1.0 / rank

    usual = float(metric(5)(labels, scores))
    assert agree(both(metric, 5, gain), labels, scores) != approx(usual, 1e-3)
    agree(both(metric, 5, gain, discount), labels, scores)
    agree(both(metric, k=5, rank_discount_fn=discount), labels, scores)


@pytest.mark.parametrize("metric", GRADED, ids=lambda cls: cls.__name__)
def test_lambdas(metric, data):
    labels, scores, mask, weights = data
    options = {
        "gain_fn": lambda y: ops.power(3.0, y) - 1.0,
        "rank_discount_fn": lambda rank: 1.0 / ops.log(rank + 1.0),
    }
    for batch in (
        (labels, scores),
        (labels, scores, weights),
        ({"labels": labels, "mask": mask}, scores),
    ):
        agree(both(metric, k=5, **options), *batch)


@all_metrics
def test_keywords(metric, data):
    labels, scores, _, _ = data
    for options in (
        {"shuffle_ties": True},
        {"shuffle_ties": False},
        {"shuffle_ties": True, "seed": 3},
        {"seed": 3},
        {"seed": None},
        {"name": "mine"},
        {"dtype": "float32"},
        {"dtype": keras.DTypePolicy("float32")},
    ):
        metrics = both(metric, k=5, **options)
        agree(metrics, labels, scores)
        if "name" in options:
            assert [m.name for m in metrics] == ["mine", "mine"]


@all_metrics
def test_seed_generators(metric, data):
    """keras_rs says that it takes one, and fails."""
    labels, scores, _, _ = data
    generator = keras.random.SeedGenerator(3)
    found = metric(k=5, shuffle_ties=True, seed=generator)(labels, scores)
    theirs = twin(metric)(k=5, shuffle_ties=True, seed=3)(labels, scores)
    assert float(found) == approx(float(theirs), rel=1e-5)


def test_their_options_are_ours():
    import inspect

    for metric in ALL:
        names = list(inspect.signature(twin(metric)).parameters)
        names.remove("kwargs")
        ours = list(inspect.signature(metric).parameters)
        assert ours[: len(names)] == names
        assert {"shuffle_ties", "seed", "name", "dtype"} <= set(ours)


@all_metrics
@pytest.mark.parametrize("k", [0, -1, 2.0, "3"])
def test_the_same_cutoffs_are_refused(metric, k):
    for cls in (metric, twin(metric)):
        with pytest.raises(ValueError, match="`k` should be a positive int"):
            cls(k=k)


@all_metrics
def test_their_config_loads_here(metric):
    options = {"k": 5, "shuffle_ties": False, "seed": 3}
    config = twin(metric)(**options).get_config()
    ours = metric.from_config(config)
    assert (ours.k, ours.ties, ours.seed) == (5, "stable", 3)


def test_positions_of_the_arguments_of_update_state(data):
    labels, scores, _, weights = data
    ours, theirs = both(NDCG, k=5)
    for metric in (ours, theirs):
        metric.update_state(y_true=labels, y_pred=scores, sample_weight=weights)
    assert float(ours.result()) == approx(float(theirs.result()), rel=1e-5)


def test_ties_that_change_nothing():
    """Other ties keras_rs shuffles, even if told not to."""
    scores = np.zeros((LISTS, ITEMS), "float32")
    labels = np.ones((LISTS, ITEMS), "float32")
    for metric in ALL:
        agree(both(metric, k=5, shuffle_ties=False), labels, scores)
