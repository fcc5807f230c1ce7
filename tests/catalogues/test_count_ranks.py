"""`count_ranks` against the scores of the whole catalogue."""

import re

import keras
import numpy as np
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.catalogues import chunks

BACKEND = keras.backend.backend()

LISTS, ITEMS, WIDTH = 20, 500, 8


def towers(seed=0):
    """Vectors of queries and of items, of which a fifth come twice."""
    rng = np.random.default_rng(seed)
    queries = rng.normal(size=(LISTS, WIDTH)).astype("float32")
    items = rng.normal(size=(ITEMS, WIDTH)).astype("float32")
    items[250:350] = items[:100]
    return queries, items


def asked(seed=1):
    """Targets with padding and one that comes twice, and what is excluded."""
    rng = np.random.default_rng(seed)
    targets = rng.integers(0, ITEMS, (LISTS, 3))
    targets[4, 1:], targets[5], targets[6, :2] = -1, -1, 7
    targets[7, 0], targets[8] = 251, [1, 251, 499]
    exclude = rng.integers(-3, ITEMS, (LISTS, 40))
    exclude[9, 0] = targets[9, 0]
    exclude[8, :2] = 260, 260
    return targets, exclude


def products(queries, items):
    return ops.convert_to_numpy(
        ops.matmul(
            ops.convert_to_tensor(queries),
            ops.transpose(ops.convert_to_tensor(items)),
        )
    )


def per_list(inputs, y_true, y_pred, k=20):
    metric = krm.NDCG(k=k, inputs=inputs)
    return ops.convert_to_numpy(metric.per_list(y_true, y_pred))


def check(counts, targets, exclude, scores):
    expected = per_list(
        "sparse", {"target": targets, "exclude": exclude}, scores
    )
    found = per_list("counts", targets, counts)
    assert found == approx(expected, abs=1e-6, nan_ok=True)
    assert (found > 0).any()


@pytest.mark.long
@pytest.mark.parametrize("chunk", [None, 500, 499, 128, 7])
def test_it_is_the_rank_among_all_scores(chunk):
    (queries, items), (targets, exclude) = towers(), asked()
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=chunk)
    check(counts, targets, exclude, products(queries, items))


def test_what_it_returns():
    queries = np.array([[1.0], [-1.0], [1.0]], "float32")
    items = np.array([[3.0], [2.0], [2.0], [1.0]], "float32")
    targets = [[1, 0, -1], [3, 0, 3], [2, -1, -1]]
    exclude = [[-1, -1], [3, 3], [1, 0]]
    counts = krm.count_ranks(queries, items, targets, exclude)
    assert counts["above"].tolist() == [[1, 0, -1], [-1, 2, -1], [0, -1, -1]]
    assert counts["tied"].tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0]]
    assert counts["num_items"].tolist() == [4, 3, 2]
    counts = krm.count_ranks(queries, items, targets)
    assert counts["num_items"] == 4
    assert counts["tied"].tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]


def test_one_target_for_each_list():
    (queries, items), (targets, _) = towers(), asked()
    one = targets[:, 0]
    counts = krm.count_ranks(queries, items, one)
    assert counts["above"].shape == (LISTS, 1)
    expected = per_list("sparse", one, products(queries, items))
    assert per_list("counts", one, counts) == approx(expected, nan_ok=True)


@pytest.mark.long
def test_a_function_that_scores():
    (queries, items), (targets, exclude) = towers(), asked()
    scores = products(queries, items)
    scores[:, 13::17] = -np.inf
    table = ops.convert_to_tensor(scores)

    def look_up(places, numbers):
        rows = ops.take(table, places, axis=0)
        return ops.take(rows, numbers, axis=1)

    counts = krm.count_ranks(
        np.arange(LISTS),
        np.arange(ITEMS),
        targets,
        exclude,
        score_fn=look_up,
        chunk=64,
    )
    check(counts, targets, exclude, scores)
    assert (counts["num_items"] < ITEMS - 20).all()


def test_a_score_that_differs_in_its_last_bit_in_another_chunk():
    (queries, items), (targets, exclude) = towers(), asked()
    scores = products(queries, items)
    calls = []

    def unsteady(places, numbers):
        numbers = ops.convert_to_numpy(numbers)
        in_a_row = (np.diff(numbers[:50]) == 1).all()
        calls.append(in_a_row)
        found = scores[:, numbers]
        # Not of a chunk, but of the targets alone.
        found = found if in_a_row else np.nextafter(found, np.float32(9))
        return ops.convert_to_tensor(found)

    counts = krm.count_ranks(
        None, np.arange(ITEMS), targets, exclude, score_fn=unsteady, chunk=100
    )
    check(counts, targets, exclude, scores)
    assert calls.count(True) == 10  # each of 5 chunks twice


def test_a_file_is_read_by_slices(tmp_path):
    (queries, items), (targets, exclude) = towers(), asked()
    path = tmp_path / "items.npy"
    np.save(path, items)
    mapped = np.load(path, mmap_mode="r")
    counts = krm.count_ranks(queries, mapped, targets, exclude, chunk=100)
    check(counts, targets, exclude, products(queries, items))


@pytest.mark.long
def test_memory_is_that_of_a_chunk():
    held = []

    def scored(queries, rows):
        held.append(tuple(rows.shape))
        return ops.matmul(queries, ops.transpose(rows))

    queries, items = map(ops.convert_to_tensor, towers())
    targets, _ = asked()
    krm.count_ranks(queries, items, targets, score_fn=scored, chunk=60)
    assert set(held) == {(60, WIDTH)}
    assert len(held) == 9 + 1  # of the catalogue, and of the targets


@pytest.mark.long
def test_half_precision_ties_more():
    (queries, items), (targets, exclude) = towers(), asked()
    queries, items = queries.astype("float16"), items.astype("float16")
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=100)
    check(counts, targets, exclude, products(queries, items))


def test_a_progress_bar(capsys):
    (queries, items), (targets, _) = towers(), asked()
    krm.count_ranks(queries, items, targets, chunk=100)
    assert capsys.readouterr().out == ""
    krm.count_ranks(queries, items, targets, chunk=100, verbose=True)
    assert "500/500" in capsys.readouterr().out


QUERIES, VECTORS = towers()


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"items": 3}, "Received: int"),
        ({"items": VECTORS[:0]}, "Received: shape (0, 8)"),
        ({"items": VECTORS[:, :3]}, "`items.shape` = (500, 3)"),
        ({"queries": QUERIES[:3]}, "targets of 20 lists"),
        ({"targets": [500] * LISTS}, "from 0 to 499"),
        ({"targets": np.zeros((LISTS, 2))}, "integers, negative for padding"),
        ({"targets": np.zeros((LISTS, 2, 2), int)}, "the shape (20, 2, 2)"),
        ({"exclude": [[1]]}, "1 rows for 20 lists"),
        ({"exclude": [1] * LISTS}, "no rows for 20 lists"),
        ({"targets": np.eye(LISTS, ITEMS, dtype=int)}, "look like labels"),
        ({"exclude": [[900]] * LISTS}, "Received: 900"),
        ({"chunk": 0}, "a positive integer"),
        ({"queries": QUERIES * np.nan}, "Received: NaN for the list 0"),
    ],
)
def test_what_does_not_fit(changes, text):
    given = {"queries": QUERIES, "items": VECTORS, "targets": asked()[0]}
    with pytest.raises(ValueError, match=re.escape(text)):
        krm.count_ranks(**{**given, **changes})


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda scores: scores[:, :2], "Received: the shape (20, 2)"),
        (lambda scores: scores[:1], "Received: the shape (1, 500)"),
        (lambda scores: scores[0], "Received: the shape (500,)"),
        (lambda scores: scores.astype("int32"), "of dtype int32"),
    ],
)
def test_what_a_function_should_return(function, text):
    scores = products(QUERIES, VECTORS)
    with pytest.raises(ValueError, match=re.escape(text)):
        krm.count_ranks(
            None,
            np.arange(ITEMS),
            asked()[0],
            score_fn=lambda queries, rows: function(scores),
        )


def test_a_function_that_draws():
    rng = np.random.default_rng(0)

    def drawn(queries, rows):
        return rng.normal(size=(LISTS, rows.shape[0])).astype("float32")

    with pytest.raises(ValueError, match="the same score each time"):
        krm.count_ranks(None, np.arange(ITEMS), asked()[0], score_fn=drawn)


def test_nothing_asked_and_nothing_excluded():
    counts = krm.count_ranks(
        QUERIES[:0], VECTORS, np.zeros((0, 2), int), np.zeros((0, 3), int)
    )
    assert counts["above"].shape == counts["tied"].shape == (0, 2)
    metric = krm.NDCG(k=3, inputs="counts")
    metric.update_state(np.zeros((0, 2), int), counts)
    assert metric.count() == 0
    targets, _ = asked()
    found = krm.count_ranks(
        QUERIES, VECTORS, targets, np.zeros((LISTS, 0), int)
    )
    expected = krm.count_ranks(QUERIES, VECTORS, targets)
    np.testing.assert_equal(found, expected)


def test_what_is_no_function():
    with pytest.raises(TypeError, match="a function of queries"):
        krm.count_ranks(QUERIES, VECTORS, asked()[0], score_fn="dot")


def test_all_chunks_share_a_program(monkeypatch):
    if BACKEND == "torch":
        pytest.skip("torch compiles nothing")
    (queries, items), (targets, _) = towers(), asked()
    traced = []
    product = chunks.product

    def seen(queries, rows):
        traced.append(1)
        return product(queries, rows)

    monkeypatch.setattr(chunks, "product", seen)
    chunks._of_towers.cache_clear()
    krm.count_ranks(queries, items, targets, chunk=50)
    chunks._of_towers.cache_clear()
    assert len(traced) == 1
