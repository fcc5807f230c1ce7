"""Errors: what was received, what was expected, and no trace in the state."""

import functools
import re

import keras
import numpy as np
import pytest
from catalogue import METRICS
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.definition import takes

[SUMS] = WeightedMean.shape

BACKEND = keras.backend.backend()

LABELS = [[1, 0, 1], [0, 1, 0]]
SCORES = [[0.3, 0.2, 0.1], [0.3, 0.2, 0.1]]


def fails(text, error=ValueError):
    """Expects an error of exactly this text."""
    return pytest.raises(error, match=f"^{re.escape(text)}$")


@pytest.fixture(scope="module")
def metric():
    """A metric that has seen something."""
    metric = krm.NDCG(k=2)
    metric.update_state(LABELS, SCORES)
    return metric


@pytest.fixture
def unchanged(metric):
    """That an error leaves no trace."""
    before = metric.get_state()
    assert any(np.any(array != 0) for array in before)
    yield
    np.testing.assert_equal(metric.get_state(), before)


# Options


NO_K = [0, -1, 2.0, True, False, "3", [5], float("inf")]
NO_K += [np.True_, np.int64(0), np.float32(2), np.array([5])]
NO_CHOICES = ["", "random", "Average", True, 1, ["zero"]]
NO_NUMBERS = ["1", None, True, [1.0], float("nan"), 1j]
NO_SEEDS = [1.5, "a", True, [1], np.float32(1)]
TIES = '"average", "shuffle", "stable", "pessimistic", "optimistic"'
IDEALS = '"relevant", "retrieved", "uncut", "shown"'
OF_AP, GENERATOR = '"relevant", "min", "hits"', "a `keras.random.SeedGenerator`"
SHUFFLED = functools.partial(krm.NDCG, ties="shuffle")
WITH_K = [metric for metric in METRICS if takes(metric, "k")]
BINARY = [krm.PrecisionAtK, krm.RecallAtK, krm.F1AtK, krm.HitRateAtK]
BINARY += [krm.MeanAveragePrecision, krm.MeanReciprocalRank]
OF_HITS = [krm.PrecisionAtK, krm.F1AtK, krm.FBetaAtK]
# An option, what it should be, some metrics, and what it should not be.
OPTIONS = [
    ("k", "a positive integer or None", WITH_K, NO_K),
    ("ties", f"one of {TIES}", METRICS, NO_CHOICES),
    ("empty", 'one of "zero", "one", "skip"', METRICS, NO_CHOICES),
    ("list_weight", 'one of "relevance", "mean"', METRICS, NO_CHOICES),
    ("ideal", f"one of {IDEALS}", [krm.NDCG], NO_CHOICES),
    ("denominator", 'one of "retrieved", "k"', OF_HITS, NO_CHOICES),
    ("denominator", 'one of "relevant", "min"', [krm.RecallAtK], NO_CHOICES),
    ("denominator", f"one of {OF_AP}", [krm.MeanAveragePrecision], NO_CHOICES),
    ("relevance_threshold", "a number", BINARY, NO_NUMBERS),
    ("seed", f"an integer, {GENERATOR} or None", [SHUFFLED], NO_SEEDS),
    ("shuffle_ties", "True, False or None", [krm.NDCG], ["yes", 2, "shuffle"]),
]


@pytest.mark.parametrize(
    "option, expected, metric, values",
    [
        (option, expected, metric, values)
        for option, expected, metrics, values in OPTIONS
        for metric in metrics
    ],
)
def test_options(option, expected, metric, values):
    for value in values:
        with fails(f"`{option}` should be {expected}. Received: {value!r}."):
            metric(**{option: value})


@pytest.mark.parametrize("metric", METRICS, ids=lambda cls: cls.__name__)
def test_inputs(metric):
    with pytest.raises(
        ValueError, match=r"^`inputs` should be one of .*\. Received: 'idx'\.$"
    ):
        metric(inputs="idx")


def test_dcg_has_no_best_value():
    with fails(
        '`empty="one"` has no meaning for DCG, which does not have 1 as its '
        'best value. Use "zero" or "skip".'
    ):
        krm.DCG(empty="one")


@pytest.mark.parametrize("metric", [krm.PrecisionAtK, krm.F1AtK])
def test_a_denominator_of_k_needs_k(metric):
    with fails(
        '`denominator="k"` needs a `k`. Received: `k` = None. Pass a `k`, or '
        'use `denominator="retrieved"`.'
    ):
        metric(denominator="k")


def test_the_ideal_of_the_retrieved_has_no_average():
    with fails(
        '`ideal="retrieved"` has no closed form under `ties="average"`, since '
        "it depends on the order of tied items. Use another `ties`."
    ):
        krm.NDCG(ideal="retrieved", ties="average")
    assert krm.NDCG(ideal="retrieved").ties == "stable"
    assert krm.NDCG(ideal="retrieved", shuffle_ties=True).ties == "shuffle"


class Scaled(krm.RankingMetric):
    """With an option of its own."""

    @staticmethod
    def measure(ranking, k, scale: float = 1.0):
        return scale * ranking.hits(k)


@pytest.mark.parametrize(
    "value, kept",
    [
        (1e-50, 0.0),
        (-1e-50, 0.0),
        (1e-40, 0.0),  # which XLA takes for 0
        (1e39, float("inf")),
        (16_777_217, 16_777_216.0),
    ],
)
@pytest.mark.parametrize(
    "metric, option",
    [(krm.RecallAtK, "relevance_threshold"), (Scaled, "scale")],
)
def test_numbers_that_single_precision_changes(metric, option, value, kept):
    with fails(
        f"`{option}` should be a number that float32 can represent. "
        f"Received: {float(value)!r}, which becomes {kept!r}. Rescale it and "
        'the labels, or use `dtype="float64"` on TensorFlow.'
    ):
        metric(**{option: value})


@pytest.mark.parametrize(
    "value", [0.0, -1.0, 0.1, 1e-37, 1e38, 2.0**30, float("inf")]
)
def test_numbers_that_single_precision_keeps(value):
    metric = krm.RecallAtK(relevance_threshold=value)
    assert metric.options == {
        "relevance_threshold": value,
        "denominator": "relevant",
    }


@pytest.mark.only_on("tensorflow", reason="of TensorFlow alone")
def test_numbers_of_double_precision():
    metric = krm.HitRateAtK(relevance_threshold=1e-50, dtype="float64")
    assert float(metric([[0.0, 0.0]], [[2.0, 1.0]])) == 0
    assert float(metric(np.array([[0.0, 1e-50]]), [[2.0, 1.0]])) == 1 / 2


@pytest.mark.parametrize("metric", [krm.DCG, krm.NDCG])
@pytest.mark.parametrize("option", ["gain_fn", "rank_discount_fn"])
@pytest.mark.parametrize("value", ["linear", None, 2, True])
def test_functions(metric, option, value):
    kind = type(value).__name__
    with fails(
        f"`{option}` should be a function. Received: {value!r} of type {kind}. "
        "Pass the function itself, not its name.",
        TypeError,
    ):
        metric(**{option: value})


def test_gains_by_label_without_their_class():
    with fails(
        "`gain_fn` should be a function. Received: {1: 0.5} of type dict. For "
        "gains by label, pass `GainTable({1: 0.5})`.",
        TypeError,
    ):
        krm.NDCG(gain_fn={1: 0.5})


def test_gains_in_a_list_have_no_labels():
    with fails(
        "`gains` should be a dict of gains by label, such as `{1: 0, 2: 0.5}`. "
        "Received: [0, 1, 3, 7]. Write numbers.",
        TypeError,
    ):
        gains.GainTable([0, 1, 3, 7])


def test_unknown_options_of_a_metric_of_the_user():
    class Mine(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k, scale=1.0):
            return scale * ranking.hits(k)

    with fails(
        'Mine has no parameter "sacle". Did you mean "scale"?', TypeError
    ):
        Mine(sacle=2.0)


@pytest.mark.parametrize(
    "shuffle_ties, spelled, ties",
    [
        (True, "shuffle", "stable"),
        (True, "shuffle", "average"),
        (False, "stable", "shuffle"),
        (False, "stable", "average"),
        (False, "stable", "optimistic"),
    ],
)
def test_shuffle_ties_against_ties(shuffle_ties, spelled, ties):
    assert krm.NDCG(shuffle_ties=shuffle_ties).ties == spelled
    with fails(
        f'`shuffle_ties={shuffle_ties}` means `ties="{spelled}"`. Received '
        f'also: ties="{ties}". Remove one of them.'
    ):
        krm.NDCG(shuffle_ties=shuffle_ties, ties=ties)
    assert krm.NDCG(shuffle_ties=shuffle_ties, ties=spelled).ties == spelled


@pytest.mark.parametrize(
    "measure, shape",
    [
        (lambda ranking, k: ops.mean(ranking.overall()), ()),
        (lambda ranking, k: ranking.total(), (2, 3)),
        (lambda ranking, k: ranking.overall()[:1], (1,)),
    ],
)
def test_a_measure_that_returns_no_value_per_list(measure, shape):
    wrong = {"measure": staticmethod(measure)}
    Wrong = type("Wrong", (krm.RankingMetric,), wrong)  # noqa: N806
    with fails(
        "The `measure` of the metric wrong should return one value for each "
        "list, in the shape (2,). "
        f"Received: the shape {shape}. Reduce the last axis of [lists, items], "
        "for example by `keras.ops.sum(..., axis=-1)`."
    ):
        Wrong().update_state(LABELS, SCORES)


# Labels and scores


@pytest.mark.parametrize(
    "y_true, y_pred", [(1, 1), ([1], 1), (1, [1.0])], ids=str
)
def test_numbers_instead_of_lists(metric, unchanged, y_true, y_pred):
    shapes = np.shape(y_true), np.shape(y_pred)
    text = (
        "`y_true` and `y_pred` should hold lists, [items] or [batch, items]. "
        f"Received: `y_true.shape` = {shapes[0]}, `y_pred.shape` = {shapes[1]}."
    )
    with fails(text):
        metric.update_state(y_true, y_pred)
    with fails(text):
        metric.per_list(y_true, y_pred)


@pytest.mark.parametrize(
    "y_true, y_pred, received",
    [
        *(
            ((2, 3), y_pred, y_pred)
            for y_pred in ((2, 2), (3, 3), (1, 3), (3,), (3, 2), (2, 1))
        ),
        ((3,), (2, 3), (2, 3)),
        ((3,), (4,), (4,)),
        ((2, 3), (2, 3, 2), (2, 3, 2)),
        ((2, 1), (2,), (2,)),
        ((0, 3), (0, 2), (0, 2)),
        ((2, 3, 4), (2, 4, 4), (2, 4, 4)),
        ((2, 3, 4), (2, 3, 4, 2), (2, 3, 4, 2)),
        # A last axis of 1 is dropped.
        ((2, 3), (2, 4, 1), (2, 4)),
        ((2, 3, 1), (2, 4, 1), (2, 4)),
    ],
    ids=str,
)
def test_shapes_that_do_not_fit(metric, unchanged, y_true, y_pred, received):
    shape = y_true[:2] if y_true[2:] == (1,) else y_true
    with fails(
        "`y_true` and `y_pred` should have the same shape, [items] or "
        "[batch, items]: one label for each score. "
        f"Received: `y_true.shape` = {shape}, `y_pred.shape` = {received}. If "
        "`y_true` holds indices of the relevant items, use "
        '`inputs="sparse"`; if both hold ids, use `inputs="ids"`.'
    ):
        metric.update_state(np.ones(y_true), np.ones(y_pred))


def test_a_column_of_scores_is_one_list():
    """What `Dense(1)` makes of the items of one list."""
    labels, column = [1, 0, 1], [[3.0], [2.0], [1.0]]
    assert krm.NDCG(k=2).per_list(labels, column).shape == ()


NUMBERS = (
    "should be a tensor of numbers, or convert to one, as lists of lists do, "
    "[] being an empty one."
)


@pytest.mark.parametrize("name", ["y_true", "y_pred", "sample_weight", "mask"])
@pytest.mark.parametrize(
    "value, advice",
    [
        ([[1, 0], [[1]]], ""),
        ({"scores": [1]}, ""),
        (object, ""),
        (np.array([["2020", "2021", "2022"]], "datetime64[Y]"), ""),
        (
            {1, 2},
            " `{}` is a set, which has no order. Make it a list: `list(...)` "
            "for relevant items; recommended items must be ordered, best "
            "first.",
        ),
        (
            [[1, None, 2]],
            " `{}[0][1]` is None. Pass [] for a list without items, and -1 for "
            "a missing label or id.",
        ),
    ],
    ids=["uneven depth", "dict", "type", "dates", "set", "objects"],
)
def test_what_is_no_tensor(metric, unchanged, name, value, advice):
    shown = 'y_true["mask"]' if name == "mask" else name
    advice = advice.format(shown)
    with fails(f"`{shown}` {NUMBERS} Received: {value!r}.{advice}"):
        if name == "y_true" and isinstance(value, dict):
            metric.update_state({"labels": value}, SCORES)
        else:
            metric.update_state(*arguments(**{name: value}))


def arguments(y_true=LABELS, y_pred=SCORES, sample_weight=None, mask=None):
    if mask is not None:
        y_true = {"labels": y_true, "mask": mask}
    return y_true, y_pred, sample_weight


@pytest.mark.parametrize("name", ["y_true", "y_pred"])
def test_none_and_symbolic_tensors(metric, unchanged, name):
    with fails(f"`{name}` {NUMBERS} Received: None."):
        metric.update_state(*arguments(**{name: None}))
    symbolic = keras.Input((3,))
    with pytest.raises(ValueError, match=r"symbolic|should be a tensor of"):
        metric.update_state(*arguments(**{name: symbolic}))


@pytest.mark.parametrize("name", ["y_true", "y_pred", "sample_weight", "mask"])
@pytest.mark.parametrize(
    "make", [list, np.array], ids=["list of strings", "array of strings"]
)
def test_strings(metric, unchanged, name, make):
    value = make([["1", "0", "1"], ["0", "1", "0"]])
    shown = 'y_true["mask"]' if name == "mask" else name
    with pytest.raises(
        ValueError,
        match=f"^`{re.escape(shown)}` should be a tensor of numbers.*'1', '0'",
    ):
        metric.update_state(*arguments(**{name: value}))


@pytest.mark.parametrize("name", ["y_true", "y_pred", "sample_weight"])
def test_numbers_without_an_order(metric, unchanged, name):
    value = np.ones((2, 3), "complex64")
    with pytest.raises(ValueError, match=f"`{name}` should be a tensor of"):
        metric.update_state(*arguments(**{name: value}))


def test_long_input_is_not_printed_whole(metric, unchanged):
    lists = [[1.0] * 20 for _ in range(1000)] + [["1"]]
    with pytest.raises(ValueError, match="a tensor of numbers") as caught:
        metric.update_state(lists, lists)
    assert len(str(caught.value)) < 2000


def tensors_that_are_not_dense():
    if BACKEND == "tensorflow":
        import tensorflow as tf

        yield "SparseTensor", tf.sparse.from_dense(LABELS)
        yield "IndexedSlices", tf.IndexedSlices(tf.ones((1, 3)), [0], [2, 3])
    elif BACKEND == "jax":
        import jax.numpy as jnp
        from jax.experimental import sparse

        yield "BCOO", sparse.BCOO.fromdense(jnp.array(LABELS))
        yield "BCSR", sparse.BCSR.fromdense(jnp.array(LABELS))
    else:
        import torch

        yield "Tensor", torch.tensor(LABELS).to_sparse()
        rows = [torch.ones(3), torch.ones(2)]
        yield "Tensor", torch.nested.nested_tensor(rows)


@pytest.mark.each_backend
@pytest.mark.not_on("numpy", reason="all of its tensors are dense")
@pytest.mark.parametrize("name", ["y_true", "y_pred", "sample_weight", "mask"])
@pytest.mark.parametrize("index", [0, 1])
@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
def test_tensors_that_are_not_dense(metric, unchanged, name, index):
    kind, value = list(tensors_that_are_not_dense())[index]
    shown = 'y_true["mask"]' if name == "mask" else name
    with pytest.raises(
        ValueError,
        match=f"^`{re.escape(shown)}` should be a dense tensor. .*{kind}",
    ):
        metric.update_state(*arguments(**{name: value}))


# Dicts and masks


@pytest.mark.parametrize(
    "y_true",
    [
        {},
        {"mask": LABELS},
        {"labels": LABELS, "weights": LABELS},
        {"label": LABELS, "mask": LABELS},
        {0: LABELS, "labels": LABELS},
    ],
    ids=lambda y: " ".join(map(str, y)),
)
def test_dicts(metric, unchanged, y_true):
    keys = sorted(map(str, y_true))
    with fails(
        'A dict `y_true` should have the key "labels" and may have the keys '
        '"mask", "exclude", "judged", "num_relevant", "group". '
        f"Received the keys: {keys}."
    ):
        metric.update_state(y_true, SCORES)


@pytest.mark.parametrize(
    "shape", [(), (1,), (3,), (1, 3), (2, 1), (2, 4), (3, 2), (2, 3, 2)]
)
def test_shapes_of_masks(metric, unchanged, shape):
    with fails(
        "A mask should have the shape (2, 3), and be True where an item counts,"
        ' or (2,) for whole lists. Received: y_true["mask"] of shape '
        f"{shape}."
    ):
        mask = np.ones(shape, bool)
        metric.update_state({"labels": LABELS, "mask": mask}, SCORES)


@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dtypes_of_masks(metric, unchanged, dtype):
    with fails(
        "A mask should hold bools, True where an item counts. Received: "
        f'y_true["mask"] of dtype {dtype}. Make it bool: `mask > 0`; '
        "or, if it is added to scores, `mask == 0`."
    ):
        mask = ops.ones((2, 3), dtype)
        metric.update_state({"labels": LABELS, "mask": mask}, SCORES)


def test_the_mask_of_a_layer_that_keeps_the_wrong_one(metric, unchanged):
    class FirstItems(keras.layers.Layer):
        def __init__(self):
            super().__init__()
            self.supports_masking = True  # but it does not cut the mask

        def call(self, x):
            return x[:, :3, 0]

    x = keras.layers.Masking()(np.ones((2, 5, 1), "float32"))
    with fails(
        "A mask should have the shape (2, 3), and be True where an item counts,"
        " or (2,) for whole lists. Received: the Keras mask of `y_pred` of "
        "shape (2, 5)."
    ):
        metric.update_state(LABELS, FirstItems()(x))


# Weights


OF_BATCHES = (1,), (1, 1), (1, 3), (3, 1), (2, 2), (2, 4), (3, 2), (2, 3, 2)
OF_BATCHES += (1, 2, 3), (2, 3, 1, 1)
OF_BATCHES += ((3,),)  # [items]: for a batch, it would be ambiguous
OF_LISTS = (2,), (4,), (1, 3), (3, 2), (3, 3)


@pytest.mark.parametrize(
    "lists, shapes, shape",
    [
        *((slice(None), "(2,), (2, 1), (2, 3)", shape) for shape in OF_BATCHES),
        *((0, "(3,)", shape) for shape in OF_LISTS),
    ],
)
def test_shapes_of_weights(metric, unchanged, lists, shapes, shape):
    with fails(
        f"`sample_weight` should have one of the shapes (), {shapes}: one "
        "weight for all, per list or per item. Received: "
        f"`sample_weight.shape` = {shape}."
    ):
        metric.update_state(LABELS[lists], SCORES[lists], np.ones(shape))


@pytest.mark.parametrize(
    "weights", [-0.5, [1.0, -0.5], [[1, 1, 1], [1, -0.5, 1]]], ids=str
)
def test_negative_weights(metric, unchanged, weights):
    with fails(
        "`sample_weight` should not be negative. Received: a weight of -0.5. "
        "Use the weight 0 to exclude a list or an item."
    ):
        metric.update_state(LABELS, SCORES, weights)


# Functions that users plug in


def not_elementwise():
    import math

    yield {"rank_discount_fn": lambda rank: 1 / math.log2(rank + 1)}
    yield {"gain_fn": lambda label: ops.sum(label, axis=-1)}
    yield {"gain_fn": lambda label: None}
    yield {"gain_fn": lambda: 1.0}
    yield {"gain_fn": lambda label, rank: label}


@pytest.mark.parametrize("index", range(5))
def test_functions_that_are_not_elementwise(index):
    option = list(not_elementwise())[index]
    (name,) = option
    metric = krm.NDCG(k=2, **option)
    with pytest.raises((ValueError, TypeError), match=f"`{name}`.*elementwise"):
        metric.update_state(LABELS, SCORES)
    np.testing.assert_equal(metric.get_state(), [np.zeros((SUMS, 2))])


# States


STATE = (
    "A state of NDCG should be a list of arrays of the shapes "
    f"[({SUMS}, 2)], as `get_state` returns it."
)


@pytest.mark.parametrize(
    "shapes",
    [[], [(5, 3)], [(5,)], [(2, 5)], [(5, 2), ()], [(), (5, 2)], [(4, 2)]],
    ids=str,
)
def test_shapes_of_states(metric, unchanged, shapes):
    state = [np.ones(shape) for shape in shapes]
    text = f"{STATE} Received the shapes: {shapes}."
    with fails(text):
        metric.set_state(state)
    with fails(text):
        metric.merge_state([metric, state])


def test_the_state_of_another_number_of_draws():
    metric = krm.NDCG(k=2, ties="shuffle")
    shapes = f"[({SUMS}, 2), ()]"
    with pytest.raises(ValueError, match=re.escape(f"shapes {shapes}, as")):
        metric.set_state(krm.NDCG(k=2).get_state())


def test_merge_state_takes_a_list(metric, unchanged):
    other = krm.NDCG(k=2)
    for wrong, text in (
        (other, "Wrap a single one in a list"),
        (other.get_state(), "Wrap a single one in a list"),
        (None, r"`merge_state` .*list"),
        ([None], "A state of"),
        ([keras.metrics.Mean()], "A state of"),
    ):
        with pytest.raises((ValueError, TypeError), match=text) as caught:
            metric.merge_state(wrong)
        assert "is not iterable" not in str(caught.value)


def test_set_state_takes_a_state(metric, unchanged):
    for wrong in (krm.NDCG(k=2), None, 3):
        with pytest.raises((ValueError, TypeError), match="A state of NDCG"):
            metric.set_state(wrong)


# In Keras


@pytest.mark.each_backend
def test_an_error_in_fit_says_what_is_wrong():
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3)])
    model.compile(
        loss=lambda y, s: ops.mean(s, axis=-1), metrics=[krm.NDCG(k=2)]
    )
    with pytest.raises(
        ValueError,
        match=r"`y_true\.shape` = \(.*, 2\), `y_pred\.shape` = \(.*, 3\)",
    ):
        model.evaluate(np.ones((4, 4)), np.ones((4, 2)), verbose=0)


def test_a_single_list_is_no_batch_in_the_error(metric, unchanged):
    with pytest.raises(ValueError, match=r"`y_true\.shape` = \(3,\)"):
        metric.update_state(LABELS[0], SCORES[0] + [0.0])


def test_labels_with_a_last_axis():
    with pytest.raises(ValueError, match=r"Pass `y_true\[\.\.\., 0\]`"):
        krm.NDCG().update_state(np.ones((2, 3, 1)), np.ones((2, 3)))
