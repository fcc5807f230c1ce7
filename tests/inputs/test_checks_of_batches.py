"""Batches that look misread: the updates 1, 2, 4, 8, ... are looked at."""

import warnings

import keras
import numpy as np
import pytest
from said import said

import keras_rankmetrics as krm
from keras_rankmetrics.engine.checks import of_batch

_RNG = np.random.default_rng(0)
LABELS = _RNG.integers(0, 3, (12, 8)).astype("float32")
SCORES = _RNG.normal(size=LABELS.shape).astype("float32") + LABELS
RANKS = 1 + np.argsort(np.argsort(-SCORES)).astype("float32")


def tensors(*arrays):
    return [keras.ops.convert_to_tensor(x) for x in arrays]


@pytest.mark.parametrize("odd", range(1, 10))
def test_some_updates_are_looked_at(odd):
    metric = krm.NDCG(k=5)
    for _ in range(2):
        metric.reset_state()
        metric._warn_once.has_warned = False
        for number in range(1, 10):
            scores = RANKS if number == odd else SCORES
            found = said(metric.update_state, *tensors(LABELS, scores))
            assert bool(found) == (number == odd and odd in (1, 2, 4, 8))


ODD = {
    "ranks": (LABELS, RANKS, "1, 2, 3, ... once in each list, as ranks are"),
    "positions": (LABELS, RANKS - 1, "0, 1, 2, ... once in each list"),
    "all relevant": (LABELS + 1, SCORES, "labels of 1 or more for all of them"),
    "a code": (np.where(LABELS == 2, 99, LABELS), SCORES, "if it were a code"),
    "percent": (LABELS * 50, SCORES, "small for a gain of 2 to their power"),
    "twice": (
        np.tile(LABELS, 2),
        np.tile(SCORES, 2),
        "each score of a list as many times, twice or more",
    ),
    "infinite": (
        LABELS,
        np.where(SCORES.max() == SCORES, np.inf, SCORES),
        "Received: inf",
    ),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("together", [False, True])
def test_what_is_said(name, masked, together):
    labels, scores, words = ODD[name]
    metrics = [krm.NDCG(k=5), krm.PrecisionAtK(k=5)]
    metric = krm.MetricCollection(metrics) if together else metrics[1]
    if name == "percent" and not together:
        metric = metrics[0]
    y_true, scores = tensors(labels.astype("float32"), scores)
    if masked:
        y_true = {"labels": y_true, "mask": np.ones(labels.shape, bool)}
    [found] = said(metric.update_state, y_true, scores)
    assert words in found


@pytest.mark.parametrize("scores", [SCORES, 9 - RANKS, RANKS / 8, RANKS + 2])
def test_ordinary_scores_are_quiet(scores):
    scores = scores.astype("float32")
    assert not said(krm.NDCG(k=5).update_state, *tensors(LABELS, scores))


@pytest.mark.parametrize("seed", range(20))
def test_integers_of_a_model_that_is_not_trained_are_quiet(seed):
    rng = np.random.default_rng(seed)
    scores = rng.permuted(np.tile(np.arange(8.0), (4, 1)), axis=1)
    labels = rng.integers(0, 2, (4, 8)).astype("float32")
    found = said(krm.NDCG(k=5).update_state, labels, scores.astype("float32"))
    evidence = of_batch.Facts()
    lists, items = np.nonzero(labels >= 0)
    evidence.add_whole(lists, scores[lists, items], labels[lists, items])
    assert bool(found) == evidence.evidence.are_surely_places
    if found:  # as in one of 160
        assert evidence.evidence.fit < -2.5 * evidence.evidence.variance**0.5


def test_ids_that_end_in_zeros():
    metric = krm.RecallAtK(k=3, inputs="ids")
    relevant, found = (
        np.array([[4, 0, 0], [5, 6, 7]]),
        np.array([[4, 1], [5, 0]]),
    )
    [words] = said(metric.update_state, relevant, found)
    assert "`numpy.where(ids == 0, -1, ids)`" in words
    metric = krm.RecallAtK(k=3, inputs="ids")
    assert not said(
        metric.update_state, np.where(relevant == 0, -1, relevant), found
    )


@pytest.mark.parametrize("padding", [0, 99])
@pytest.mark.parametrize("side", [0, 1])
def test_ids_that_are_there_again_at_an_end_of_lists(padding, side):
    """Another id than 0 may be relevant twice, but not be found twice, too."""
    rows = [[4, padding, padding], [5, 6, padding]], [[4, 1, 2], [7, 5, 8]]
    if padding:
        padded = [4, padding, padding], [5, padding, padding]
        rows = [[*padded, [1, 2, 3]], [[7, 5, 8], *padded]]
    if side:
        rows = [x[::-1] for x in rows[0]], [x[::-1] for x in rows[1]]
    for relevant, found in (rows, rows[::-1]):
        metric = krm.RecallAtK(k=3, inputs="ids")
        batch = np.array(relevant), np.array(found)
        [words] = said(metric.update_state, *batch)
        assert f"`numpy.where(ids == {padding}, -1, ids)`" in words
    for other in ([[4, 4, 2], [5, 5, 6]], [[4, 4, 4, 1], [3, 3, 3, 2]]):
        metric = krm.RecallAtK(k=3, inputs="ids")
        batch = np.array(other), np.array(rows[1][:2])
        assert not said(metric.update_state, *batch)


def test_weights_that_leave_out_all_irrelevant_items():
    labels = np.tile(np.float32([1, 0, 0, 1]), (4, 1))
    batch = labels, np.random.default_rng(0).normal(size=labels.shape)
    [words] = said(krm.NDCG(k=5).update_state, *batch, labels)
    assert "0 for all items with the label 0" in words
    for weights in (
        labels + 1,
        np.ones(4),
        labels + (batch[1] > 0),
    ):
        assert not said(krm.NDCG(k=5).update_state, *batch, weights)
    query = np.repeat(np.arange(4), 4)
    rows = query, *(x.ravel() for x in batch), "Recall@3"
    [words] = said(
        lambda: krm.evaluate_rows(*rows, sample_weight=labels.ravel())
    )
    assert "Some items should be irrelevant" in words


@pytest.mark.parametrize("name", ["weights", "judged", "exclude"])
def test_what_leaves_out_all_relevant_items(name):
    def passed(left_out):
        if name == "weights":
            return LABELS, SCORES, np.float32(~left_out)
        entry = np.where(left_out, np.arange(LABELS.shape[1]), -1)
        if name == "judged":
            entry = ~left_out
        return {"labels": LABELS, name: entry}, SCORES

    relevant = LABELS > 0
    for metric in (krm.NDCG(k=5), krm.NDCG(k=5, list_weight="mean")):
        batch = passed(relevant)
        weights = {} if len(batch) < 3 else {"sample_weight": batch[2]}
        for update in (
            lambda: metric.update_state(*batch),  # noqa: B023
            lambda: krm.evaluate(*batch[:2], metric, **weights),  # noqa: B023
        ):
            *_, words = said(update)  # after the highest label that is left
            assert any(x in words for x in (f"{name} that", f'"{name}"]` that'))
            assert "all items with labels above 0" in words
    of_fillers = np.broadcast_to(np.arange(12)[:, None] > 5, relevant.shape)
    for left_out in (relevant & (SCORES > 1), ~relevant & (SCORES > 1)):
        assert not said(krm.NDCG(k=5).update_state, *passed(left_out))
    if name == "weights":
        assert not said(krm.NDCG(k=5).update_state, *passed(of_fillers))
        assert not said(krm.NDCG(k=5).update_state, *passed(relevant | True))


@pytest.mark.parametrize("lowest", [np.finfo("float32").min, -np.inf])
def test_masks_of_the_lowest_float_are_quiet(lowest):
    is_masked = np.arange(8) > 5
    labels = np.where(is_masked, 0, LABELS)
    scores = np.where(is_masked, np.float32(lowest), SCORES)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("error", RuntimeWarning)  # of NumPy
        expected = float(krm.NDCG(k=5)(labels[:, :6], scores[:, :6]))
        found = krm.evaluate(labels, scores, "NDCG@5 AUC MRR")
        for kind in (krm.NDCG, krm.AUC, krm.MeanReciprocalRank):
            kind()(labels, scores)
        value = float(krm.NDCG(k=5)(labels, scores))
    assert value == pytest.approx(expected, 1e-6)
    assert found["NDCG@5"] == pytest.approx(expected, 1e-6)


@pytest.mark.parametrize("as_given", [np.array, np.ndarray.tolist])
@pytest.mark.parametrize(
    "inputs, y_true",
    [
        ("scores", lambda ids: {"labels": LABELS, "exclude": ids}),
        (
            "sparse",
            lambda ids: {"target": np.full((12, 1), 2), "exclude": ids},
        ),
        ("sparse", lambda ids: ids),
    ],
)
def test_excluded_items_and_targets_that_end_in_zeros(inputs, y_true, as_given):
    metric = krm.RecallAtK(k=3, inputs=inputs)
    ids = np.array([[5, 0, 0], [4, 1, 6]] * 6)
    [words] = said(metric.update_state, y_true(as_given(ids)), SCORES)
    assert "`numpy.where(ids == 0, -1, ids)`" in words
    metric.reset_state()
    ids = np.where(ids == 0, -1, ids)
    assert not said(metric.update_state, y_true(as_given(ids)), SCORES)


def counts(above):
    return {"above": above, "tied": 0 * above, "num_items": 90}


def test_ids_of_counts_that_end_in_zeros():
    ids = np.array([[5, 0, 0], [4, 1, 6]] * 6)
    above = np.where(ids == 0, -1, ids - 4 * (ids > 3))
    metric = krm.RecallAtK(k=3, inputs="counts")
    for y_true in (ids, {"target": ids}, ids.tolist()):
        metric = krm.RecallAtK(k=3, inputs="counts")
        [words] = said(metric.update_state, y_true, counts(above))
        assert "`numpy.where(ids == 0, -1, ids)`" in words
    metric = krm.RecallAtK(k=3, inputs="counts")
    ids = np.where(ids == 0, -1, ids)
    assert not said(metric.update_state, ids, counts(above))


def test_counts_that_are_ranks_from_1_on():
    """Eight lists of rank 2 and none of rank 1 are no accident."""
    above = np.arange(40).reshape(40, 1) % 4
    target = np.full((40, 1), 3)

    def found(above):
        metric = krm.MeanReciprocalRank(inputs="counts")
        return said(metric.update_state, target[: len(above)], counts(above))

    [words] = found(above + 1)
    assert "1 for the best one in 10 lists, and 0 in none" in words
    for quiet in (above, above + 2, above[:28] + 1):
        assert not found(quiet)


def test_rows_are_looked_at_once(monkeypatch):
    """A job says what it has seen of all rows, and its metrics nothing."""
    query = np.repeat(np.arange(12), 8)
    rows = query, LABELS.ravel(), RANKS.ravel(), krm.NDCG(k=5)
    looked = []
    monkeypatch.setattr(of_batch, "facts_of", looked.append)
    assert len(said(krm.evaluate_rows, *rows)) == 1
    assert not looked


@pytest.mark.only_on("torch", reason="programs of others see no values")
def test_a_model_in_training_is_quiet():
    inputs = keras.Input((8, 1))
    scores = keras.layers.Reshape((8,))(keras.layers.Dense(1)(inputs))
    model = keras.Model(inputs, scores)
    model.compile(
        loss="mse", metrics=[krm.NDCG(k=5), krm.MeanAveragePrecision()]
    )
    batch = SCORES[..., None], np.minimum(LABELS, 1)
    assert not said(lambda: model.fit(*batch, batch_size=5, verbose=0))


CLOSE = [[0.99999998, 0.99999999, 0.5]]  # the first two are one float32


@pytest.mark.each_backend
@pytest.mark.parametrize("form", [list, tuple])
def test_lists_of_numbers_that_float32_ties(form):
    metric = krm.MeanReciprocalRank()
    [found] = said(metric.update_state, [[0, 1, 0]], form(CLOSE))
    assert "Received: scores that float32 ties." in found
    assert "a float64 array of NumPy on the backend torch" in found
    if keras.config.backend() in ("torch", "tensorflow"):
        metric.reset_state()
        assert not said(metric.update_state, [[0, 1, 0]], np.array(CLOSE))
        assert float(metric.result()) == 1


def test_lists_of_no_numbers_are_not_tied():
    assert not said(
        krm.MeanReciprocalRank().update_state,
        np.zeros((1, 0)),
        np.zeros((1, 0)),
    )
    assert not said(krm.MeanReciprocalRank().update_state, [[]], [[]])


def test_advice_on_two_paddings_works_in_compiled_steps():
    labels = [[2, 0, -3, -1], [0, 1, 2, -3]]
    scores = [[0.1, 0.9, 0.5, 0.2], [0.4, 0.3, 0.2, 0.1]]
    metric = krm.NDCG()
    [found] = said(metric.update_state, labels, scores)
    assert "replace them: `numpy.where(labels < 0, -1, labels)`" in found
    value = float(metric.result())
    metric = krm.NDCG()
    padded = np.where(np.array(labels) < 0, -1, labels)
    assert not said(metric.update_state, padded, scores)
    assert float(metric.result()) == value
    # A fraction below 0, too.
    shares = np.where(padded < 0, -0.5, padded).astype("float32")
    assert said(krm.NDCG().update_state, shares, scores)
    padded = np.where(shares < 0, -1, shares)
    assert not said(krm.NDCG().update_state, padded, scores)


def test_a_mask_of_relevant_items_alone():
    y_true = {"labels": LABELS, "mask": LABELS > 0}
    [found] = said(krm.NDCG(k=5).update_state, y_true, SCORES)
    assert "False for all items with the label 0" in found
    for mask in (LABELS > -1, (LABELS > 0) | (SCORES > 0), LABELS > 1):
        y_true = {"labels": LABELS, "mask": mask}
        assert not said(krm.NDCG(k=5).update_state, y_true, SCORES)


def test_lists_of_zeros_may_be_padding():
    labels, scores = (
        np.concatenate([x, np.zeros((4, 8))]) for x in (LABELS, SCORES)
    )
    found = " ".join(str(krm.evaluate(labels, scores, "NDCG@5")).split())
    assert "labels and scores that are all 0 in 4 lists of 16" in found
    labels[-4:] = -1
    assert "all 0" not in str(krm.evaluate(labels, scores, "NDCG@5"))
    zeros = np.zeros_like(LABELS)  # of a model whose units are dead
    assert not said(krm.NDCG(k=5).update_state, zeros, zeros)


_RELEVANT = np.array([[4, 8, -1], [12, 16, 20], [24, 28, -1]] * 4)
_IDS = np.array([[4, 1, 8], [3, 12, 16], [28, 5, 24]] * 4)
_TARGETS = np.argsort(-LABELS - SCORES / 9)[:, :2]
OF_OTHER_FORMS = {
    "ids from 1": ("ids", _RELEVANT, _IDS + 1, "match if 1 was added"),
    "the worst ids first": (
        "ids",
        _RELEVANT,
        np.array([[1, 2, 3, 4], [1, 2, 3, 12], [1, 2, 3, 24]] * 4),
        "If the best ones come last, turn them round.",
    ),
    "ranks": ("sparse", _TARGETS, RANKS, "once in each list, as ranks are"),
    "distances": ("sparse", _TARGETS, -SCORES, "Negate distances"),
}


@pytest.mark.parametrize("name", OF_OTHER_FORMS)
def test_arrays_of_ids_and_targets_are_looked_at(name):
    form, y_true, y_pred, words = OF_OTHER_FORMS[name]
    metric = krm.NDCG(k=5, inputs=form)
    [found] = said(krm.evaluate, y_true, y_pred, [metric])
    assert words in found
    right = {"ids": _IDS, "sparse": SCORES}[form]
    assert not said(krm.evaluate, y_true, right, [metric])
    found = said(metric.update_state, y_true, y_pred)
    assert len(found) == (name in ("ids from 1", "ranks"))  # else may be bad
    assert not said(krm.NDCG(k=5, inputs=form).update_state, y_true, right)


def test_ids_next_to_each_other_are_not_shifted():
    """A model may recommend what has the number after a relevant one."""
    relevant = np.arange(0, 40).reshape(4, 10)
    for ids in (relevant, relevant + 5, relevant[:, :2] + 1):
        found = said(krm.NDCG(k=5, inputs="ids").update_state, relevant, ids)
        assert not any("if 1 was added" in x for x in found)


def test_ids_of_a_row_are_not_those_of_the_next():
    """Not by padding, nor by what 1 or 2 is added to."""
    relevant = np.array([[9, 3], [-1, 5], [9, -1]])
    ids = np.array([[2, -1], [-1, 9], [-1, 0]])
    for step in range(-2, 3):
        expected = [
            [one + step in row for one in rows]
            for rows, row in zip(relevant.tolist(), ids.tolist(), strict=True)
        ]
        found = of_batch._are_in(relevant + step, ids)
        np.testing.assert_array_equal(found, expected)


def test_swapped_lists_of_two_items(rng):
    labels = np.eye(2)[rng.integers(0, 2, 12)]
    [found] = said(krm.evaluate, rng.random((12, 2)), labels, "DCG")
    assert "Are they swapped?" in found


def test_labels_and_scores_that_are_swapped():
    labels = (LABELS > 1).astype("float32")
    metric = krm.NDCG(k=5, gain_fn=krm.linear_gain)
    [found] = said(metric.update_state, *tensors(np.exp(SCORES), labels))
    assert "Are they swapped?" in found
    shares = np.clip(LABELS / 3, 0.1, 0.9)
    metric = krm.NDCG(k=5, labels="probabilities")
    assert not said(metric.update_state, *tensors(shares, 0 * SCORES))
    assert not said(metric.update_state, *tensors(shares, SCORES))


@pytest.mark.parametrize("call", [krm.evaluate, None])
def test_queries_that_are_items_of_a_square(call, rng):
    """As in metric learning; images with one caption each are no such."""
    of_class = np.arange(60) % 5
    vectors = np.eye(5)[of_class] + rng.normal(size=(60, 5))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    labels = (of_class[:, None] == of_class).astype("float32")
    scores = (vectors @ vectors.T).astype("float32")

    def words(labels, scores):
        if call is None:
            return said(krm.RecallAtK(k=3).update_state, labels, scores)
        return call(labels, scores, "Recall@3").report.notes

    [found] = words(labels, scores)
    assert "~numpy.eye(n, dtype=bool)" in found
    assert not words(np.eye(60, dtype="float32"), scores)
    assert not words(labels, scores - 9 * np.eye(60, dtype="float32"))
    assert not words(labels[:, :59], scores[:, :59])


def test_labels_that_are_infinite():
    labels = np.where(LABELS == 2, np.inf, LABELS)
    [found] = said(krm.RecallAtK(k=3).update_state, labels, SCORES)
    assert "Labels should be finite" in found


FORMS = {
    "three dimensions": lambda y, x: (y.reshape(3, 4, 8), x.reshape(3, 4, 8)),
    "a dict": lambda y, x: ({"labels": y}, x),
    "a mask": lambda y, x: ({"labels": y, "mask": y >= 0}, x),
    "lists": lambda y, x: (
        [each[: 6 + i % 3].tolist() for i, each in enumerate(y)],
        [each[: 6 + i % 3].tolist() for i, each in enumerate(x)],
    ),
    "a last dimension": lambda y, x: (y[..., None], x[..., None]),
}


@pytest.mark.parametrize("form", FORMS)
def test_arrays_of_any_form_are_looked_at_in_evaluate(form):
    [found] = said(krm.evaluate, *FORMS[form](LABELS, -SCORES), "NDCG")
    assert "Better items should rank higher in `run`" in found
    assert not said(krm.evaluate, *FORMS[form](LABELS, SCORES), "NDCG")


@pytest.mark.not_on("torch", "tensorflow", reason="they read float64 as it is")
def test_a_few_of_many_scores_tie_by_chance(rng):
    targets, scores = rng.integers(0, 5000, 32), rng.normal(size=(32, 5000))
    metric = krm.NDCG(k=5, inputs="sparse")
    assert not said(metric.update_state, targets, scores)
    for near in (1 - 1e-9 * np.arange(5), 1.7e9 + np.arange(5)):
        scores[:, :5] = near
        metric = krm.NDCG(k=5, inputs="sparse")
        [found] = said(metric.update_state, targets, scores)
        assert "scores that float32 ties" in found


def test_targets_that_are_shifted():
    rng = np.random.default_rng(0)
    targets, scores = rng.integers(1, 49, 64), rng.normal(size=(64, 50))
    scores[np.arange(64), targets] += 3
    for step in (-1, 0, 1):
        metric = krm.MeanReciprocalRank(inputs="sparse")
        found = said(metric.update_state, targets + step, scores)
        assert any("if 1 was added" in x for x in found) == (step != 0)


def test_labels_of_one_hot_that_are_shifted(rng):
    targets = rng.integers(1, 60, 40)
    labels = np.eye(60, dtype="float32")[targets]
    noise = rng.normal(size=labels.shape).astype("float32")
    for shift in (-1, 0):
        scores = noise + 5 * np.roll(labels, shift, axis=1)
        found = said(krm.NDCG(k=5).update_state, *tensors(labels, scores))
        assert any("if 1 was added" in x for x in found) == (shift < 0)


@pytest.mark.parametrize("kind", ["bool", "int32", "float32"])
def test_scores_that_were_cut_off(kind, rng):
    labels = rng.integers(0, 2, (20, 8)).astype("float32")
    scores = rng.normal(size=labels.shape)
    votes = rng.integers(0, 3, labels.shape)
    cut = (scores > 0).astype(kind)
    for x, is_told in ((cut, kind != "float32"), (votes, False)):
        passed = tensors(labels, x)
        found = said(krm.NDCG(k=5).update_state, *passed, holding="threshold")
        assert bool(found) == is_told


@pytest.mark.parametrize("padding", [0, 49, -1])
@pytest.mark.parametrize("order", [1, -1])
def test_targets_of_steps_that_are_padded(padding, order):
    rng = np.random.default_rng(0)
    lengths = rng.integers(3, 11, 20)[:, None]
    targets = rng.integers(1, 49, (20, 10))
    targets = np.where(np.arange(10) < lengths, targets, padding)[:, ::order]
    scores = rng.normal(size=(20, 10, 50))
    for given in (targets, np.where(targets == padding, 7, targets) + 1):
        metric = krm.MeanReciprocalRank(inputs="sparse")
        found = said(metric.update_state, given, scores)
        is_said = padding >= 0
        words = f"Received: {padding if given is targets else 8} several times"
        assert any(words in x for x in found) == (
            is_said or given is not targets
        )
    # A target of other steps, too, is none.
    targets[:, 4] = padding if padding >= 0 else 3
    metric = krm.MeanReciprocalRank(inputs="sparse")
    assert not said(metric.update_state, targets, scores)


def test_excluded_ids_that_are_padded_and_twice_by_chance(rng):
    excluded = rng.integers(1, 8, (12, 6))
    excluded[:, 2:], excluded[0, :2] = 0, 5
    y_true = {"labels": LABELS, "exclude": excluded}
    [found] = said(krm.NDCG(k=5).update_state, y_true, SCORES)
    assert "Received: 0 several times at an end" in found


def test_recommended_ids_that_were_sorted():
    rng = np.random.default_rng(5)
    rows = np.stack([rng.permutation(999)[:15] for _ in range(40)])
    for order, is_said in ((rows, False), (np.sort(rows, axis=1), True)):
        for relevant, are_best in (
            (rows[:, 5:10], False),
            (order[:, :5], True),
        ):
            metric = krm.NDCG(k=5, inputs="ids")
            found = said(metric.update_state, relevant, order)
            notes = krm.evaluate(relevant, order, metric).report.notes
            for words in (found, notes):
                are_sorted = any("ascend in each list" in x for x in words)
                assert are_sorted == (is_said and not are_best)


@pytest.mark.parametrize("name", ["judged", "exclude"])
def test_what_leaves_out_all_irrelevant_items(name):
    entry = LABELS > 0
    if name == "exclude":
        entry = np.where(entry, -1, np.arange(LABELS.shape[1]))
    metric = krm.NDCG(k=5, unjudged="condense")
    y_true = {"labels": LABELS, name: entry}
    *_, found = said(metric.update_state, y_true, SCORES)
    assert "so that relevant ones alone are ranked" in found
    if name == "judged":  # others count as irrelevant
        assert not said(krm.NDCG(k=5).update_state, y_true, SCORES)


@pytest.mark.parametrize("extra", [0, 1])
def test_counts_of_ties_with_the_item_itself(extra):
    rng = np.random.default_rng(0)
    above = rng.integers(0, 9, (40, 1))
    tied = extra + (rng.random((40, 1)) < 0.1)
    counts = {"above": above, "tied": tied, "num_items": 100}
    metric = krm.MeanReciprocalRank(inputs="counts")
    found = said(metric.update_state, np.arange(40)[:, None], counts)
    assert any("subtract 1" in x for x in found) == bool(extra)


@pytest.mark.parametrize("form", ["sparse", "ids", "count_ranks"])
def test_targets_that_are_all_excluded(form):
    rng = np.random.default_rng(0)
    targets = rng.integers(1, 49, (40, 2))
    targets[:, 1] = np.where(targets[:, 0] == targets[:, 1], -1, targets[:, 1])

    def found(exclude):
        if form == "count_ranks":
            vectors = rng.normal(size=(40, 3)), rng.normal(size=(50, 3))
            return said(
                lambda: krm.count_ranks(*vectors, targets, exclude=exclude)
            )
        scores = rng.normal(size=(40, 50))
        y_pred = scores if form == "sparse" else np.argsort(scores)[:, :9]
        metric = krm.HitRateAtK(k=9, inputs=form)
        y_true = {"target": targets, "exclude": exclude}
        return said(metric.update_state, y_true, y_pred)

    assert any("contains all of them" in x for x in found(targets))
    assert not any("all of them" in x for x in found(targets[:, :1]))


def test_weights_of_a_batch_that_are_scores_labels_or_numbers():
    labels, scores = np.abs(LABELS) + 1, np.exp(SCORES)
    for weights, words in (
        (scores, "the scores"),
        (labels, "the labels"),
        (np.arange(30.0), None),  # newer lists count more
        (np.zeros(30), None),  # of another task
        (np.exp(-scores), None),
        (np.arange(30.0) % 7 + 1, None),
    ):
        batch = labels, scores
        if weights.ndim == 1:
            batch = (np.tile(x, (3, 1))[:30] for x in batch)
        found = said(krm.NDCG(k=5).update_state, *batch, weights)
        are_said = [x for x in found if "weights that are" in x]
        assert len(are_said) == bool(words)
        assert not words or words in are_said[0]


def test_places_of_clicks_as_labels():
    clicks = (np.random.default_rng(0).random((60, 10)) < 0.2).astype(int)
    scores = np.random.default_rng(1).random(clicks.shape)
    for labels in (clicks, clicks * np.arange(1, 11)):
        found = said(krm.NDCG(k=5).update_state, labels, scores)
        is_said = any("positions of clicks" in x for x in found)
        assert is_said == (labels is not clicks)


def test_a_mask_of_padding_with_the_label_0():
    """Ratings of 1 and more, which end with zeros: order counts."""
    lengths = np.arange(12)[:, None] % 5 + 3
    there = np.arange(8) < lengths
    labels = np.where(there, LABELS + 1, 0)
    for order in (1, -1):
        y_true = {"labels": labels[:, ::order], "mask": there[:, ::order]}
        found = said(krm.NDCG(k=5).update_state, y_true, SCORES)
        assert not any("irrelevant items should count" in x for x in found)


def test_what_leaves_items_out_together():
    y_true = {"labels": LABELS, "mask": np.ones(LABELS.shape, bool)}
    weights = (LABELS == 0).astype("float32")
    [*_, found] = said(krm.NDCG(k=5).update_state, y_true, SCORES, weights)
    assert "mask, weights, which together leave out all items" in found


def test_steps_that_are_masked_may_have_any_target():
    rng = np.random.default_rng(0)
    there = np.arange(10) < rng.integers(3, 11, 20)[:, None]
    targets = np.where(there, rng.integers(1, 49, (20, 10)), 0)
    scores = rng.normal(size=(20, 10, 60))
    for batch in (
        ({"target": targets, "mask": there}, scores),
        (targets, scores, there.astype("float32")),
    ):
        metric = krm.MeanReciprocalRank(inputs="sparse")
        assert not said(metric.update_state, *batch)
    # Few classes may have a last one.
    metric = krm.MeanReciprocalRank(inputs="sparse")
    assert not said(metric.update_state, targets % 9, scores[..., :9])


@pytest.mark.parametrize("form", ["ids", "sparse"])
def test_fewer_of_wide_lists_are_looked_at(form):
    """Relevant and excluded ids have other widths than the recommended ones."""
    rng = np.random.default_rng(0)
    ids = np.stack([rng.permutation(3000) for _ in range(40)])
    y_pred = ids if form == "ids" else -np.argsort(ids, axis=1)
    for relevant, excluded in ((3, 4), (3, 2900), (2000, 900)):
        y_true = {"target": ids[:, :relevant]}
        y_true["exclude"] = ids[:, relevant : relevant + excluded]
        metric = krm.MeanReciprocalRank(inputs=form)
        assert float(metric(y_true, y_pred)) == 1.0


TARGETS = _RNG.integers(0, 60, 24)
OF_ITEMS = _RNG.normal(size=(24, 60)).astype("float32")
PAIRS = np.stack([np.arange(24), TARGETS], axis=1)  # as `argwhere` returns


@pytest.mark.parametrize(
    ("targets", "is_told"),
    [
        (PAIRS, True),
        (PAIRS + np.array([7, 0]), False),
        (np.stack([np.arange(24), np.arange(24) - 1], axis=1), False),
        (np.stack([np.arange(24), 2 * np.arange(24)], axis=1), False),
        (PAIRS[:, ::-1], False),
        (np.stack([TARGETS, (TARGETS + 1) % 60], axis=1), False),
        (np.stack([np.arange(24), np.arange(1, 25)], axis=1), False),
        (PAIRS[:8], False),
    ],
)
def test_pairs_of_a_row_and_a_target(targets, is_told):
    expected = "of which the first is the number of the row"
    scores = OF_ITEMS[: len(targets)]
    best = np.argsort(-scores, axis=1)[:, :20]
    sparse, ids = (krm.MeanReciprocalRank(inputs=x) for x in ("sparse", "ids"))
    for found in (
        said(sparse.update_state, targets, scores),
        said(ids.update_state, targets, best),
        said(krm.count_ranks, scores, np.eye(60, dtype="float32"), targets),
    ):
        assert any(expected in x for x in found) == is_told


IDS = np.stack([_RNG.permutation(500)[:8] for _ in range(12)])


@pytest.mark.parametrize(
    ("scores", "is_told"),
    [
        (_RNG.permuted(IDS, axis=1), True),
        (IDS + 500, False),
        (IDS % 3, False),
        (IDS, False),  # a ranking, and itself
        (IDS + (_RNG.random(IDS.shape) < 0.5), False),
        (_RNG.permuted(IDS, axis=1).astype("float32"), False),
        (9 - RANKS.astype(int), False),
    ],
)
def test_ids_in_place_of_two_rankings(scores, is_told):
    metric = krm.OverlapAtK(k=3)
    reference = IDS if scores.max() > 8 else RANKS.astype(int)
    found = said(metric.update_state, reference, scores)
    assert any('pass `inputs="ids"`' in x for x in found) == is_told


@pytest.mark.parametrize("door", ["update_state", "evaluate"])
def test_fewer_relevant_items_than_have_a_label(door):
    labels = (LABELS == 1).astype("float32")
    seen = labels.sum(axis=1)
    metric = krm.RecallAtK(k=5)
    update = {
        "update_state": metric.update_state,
        "evaluate": lambda *batch: krm.evaluate(*batch, metric),
    }[door]
    for number, is_told in (
        (seen, False),
        (seen + 2, False),
        (np.maximum(seen - 1, 0.5), True),
        (np.full(len(seen), np.nan), False),
    ):
        metric.reset_state()
        metric._warn_once.has_warned = False
        entries = {"labels": labels, "num_relevant": number}
        found = said(update, entries, SCORES)
        assert any("fewer than have the label 1" in x for x in found) == is_told
    # Grades are relevant from a threshold on.
    grades = {"labels": LABELS + 1, "num_relevant": seen}
    found = said(update, grades, SCORES)
    assert not any("fewer than have the label 1" in x for x in found)
