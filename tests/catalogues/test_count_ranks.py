"""`count_ranks` against the scores of the whole catalogue."""

import re
import warnings

import keras
import numpy as np
import pytest
from keras import ops
from pytest import approx

import keras_rankmetrics as krm
from keras_rankmetrics.catalogues import passes, ranks
from keras_rankmetrics.catalogues.counts import _STEP, _kept

BACKEND = keras.backend.backend()

LISTS, ITEMS, WIDTH = 20, 501, 8


def towers(seed=0):
    """Integers, so that products are exact and many tie, of either sign.

    All scores of the first lists are negative and all of the next positive:
    padding, whose score is 0, would be above all items, or below.
    """
    rng = np.random.default_rng(seed)
    queries = rng.integers(-5, 6, (LISTS, WIDTH)).astype("float32")
    items = rng.integers(-5, 6, (ITEMS, WIDTH)).astype("float32")
    queries[:10, 0], items[:, 0] = -600.0, 5.0
    queries[5:10, 0] = 600.0
    return queries, items


def asked(seed=1):
    """Targets with padding and one that comes twice, and what is excluded."""
    rng = np.random.default_rng(seed)
    targets = rng.integers(0, ITEMS, (LISTS, 3))
    targets[4, 1:], targets[5], targets[6, :2] = -1, -1, 7
    targets[:3] = targets[10:13] = [0, 99, 100], [ITEMS - 1, 166, 167], [1] * 3
    exclude = rng.integers(-3, ITEMS, (LISTS, 40))
    exclude[9, 0] = targets[9, 0]
    exclude[8, :2] = 260, 260
    exclude[14, :6] = 0, 99, 100, 166, 167, ITEMS - 1
    return targets, exclude


def products(queries, items):
    return queries.astype("float64") @ items.T.astype("float64")


def counted_by_hand(targets, exclude, scores):
    """The counts, item by item."""
    above, tied = np.full(targets.shape, -1), np.zeros(targets.shape, int)
    ranked = scores > -np.inf
    for row, excluded in zip(ranked, exclude, strict=True):
        row[excluded[excluded >= 0]] = False
    for (i, j), target in np.ndenumerate(targets):
        if target >= 0 and ranked[i, target]:
            others, own = scores[i, ranked[i]], scores[i, target]
            above[i, j] = sum(others > own)
            tied[i, j] = sum(others == own) - 1
    return above, tied, ranked.sum(axis=1)


def check(counts, targets, exclude, scores):
    above, tied, ranked = counted_by_hand(targets, exclude, scores)
    np.testing.assert_array_equal(counts["above"], above)
    np.testing.assert_array_equal(counts["tied"], tied)
    np.testing.assert_array_equal(counts["num_items"] + 0 * ranked, ranked)


def per_list(inputs, y_true, y_pred, k=20):
    metric = krm.NDCG(k=k, inputs=inputs)
    return ops.convert_to_numpy(metric.per_list(y_true, y_pred))


def test_it_is_the_rank_among_all_scores():
    """In three equal chunks, and in chunks of which the last is shorter."""
    (queries, items), (targets, exclude) = towers(), asked()
    scores = products(queries, items)
    assert (scores[:5] < 0).all() and (scores[5:10] > 0).all()
    for chunk in (ITEMS // 3, 100):
        for excluded in (exclude, np.full_like(exclude, -1)):
            counts = krm.count_ranks(
                queries, items, targets, excluded, chunk=chunk
            )
            check(counts, targets, excluded, scores)
    assert (counts["tied"] > 0).sum() > 20


def test_counts_are_what_metrics_take():
    (queries, items), (targets, exclude) = towers(), asked()
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=100)
    expected = per_list(
        "sparse",
        {"target": targets, "exclude": exclude},
        products(queries, items).astype("float32"),
    )
    found = per_list("counts", targets, counts)
    assert found == approx(expected, abs=1e-6, nan_ok=True)
    assert (found > 0).any()


@pytest.mark.long
@pytest.mark.parametrize("chunk", [_STEP - 1, _STEP])
def test_the_largest_counts_of_one_chunk(chunk):
    """Two counts share a float32 in chunks of fewer than `_STEP` items."""
    items = -np.arange(2.0 * chunk, dtype="float32")[:, None]
    items[: chunk // 2] = 1.0
    queries = np.array([[1.0], [-1.0]], "float32")
    last = len(items) - 1
    targets = np.array([[0, chunk - 1, chunk, last]] * 2)
    none = np.full((2, 1), -1)
    counts = krm.count_ranks(queries, items, targets, chunk=chunk)
    check(counts, targets, none, products(queries, items))
    assert counts["above"][0, -1] == last > chunk


def test_few_chunks_have_most_of_what_is_asked():
    """Items in the order of their popularity: all have seen the first ones."""
    (queries, items), (targets, _) = towers(), asked()
    exclude = np.tile(np.arange(40), (LISTS, 1))
    exclude[::2, :3] = -1
    targets[:, 0] = np.arange(LISTS)
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=100)
    check(counts, targets, exclude, products(queries, items))
    none = np.full_like(targets, -1)
    counts = krm.count_ranks(queries, items, none, exclude, chunk=100)
    check(counts, none, exclude, products(queries, items))


@pytest.mark.long
def test_vectors_that_are_not_finite():
    """Items of an infinite score tie, and those of the lowest have no rank."""
    (queries, items), (targets, exclude) = towers(), asked()
    queries = np.abs(queries) + 1.0
    items[5::50, 0], items[6::50] = np.inf, -np.inf
    scores = np.where(
        np.arange(ITEMS) % 50 == 5, np.inf, products(queries, items)
    )
    items[5::50, 1:] = 0.0
    scores[:, 6::50] = -np.inf
    targets[:4, 0] = [5, 6, 55, 56]
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=100)
    check(counts, targets, exclude, scores)
    assert (counts["num_items"] < ITEMS).all()


def test_no_pass_fails_twice(monkeypatch):
    """Infinite scores, and targets that are rounded differently at first.

    Counting finite scores fails. The second pass finds the scores of targets,
    with which the third pass counts.
    """
    (queries, items), (targets, exclude) = towers(), asked()
    items[5, 0] = np.inf
    scores = products(queries, items)
    passed = []
    score, chunks_of = passes.score, passes.chunks_of

    def rounded_up(*arguments):
        found = ops.convert_to_numpy(score(*arguments))
        return ops.convert_to_tensor(np.nextafter(found, np.float32(1e9)))

    def seen(*arguments):
        passed.append(1)
        return chunks_of(*arguments)

    monkeypatch.setattr(passes, "score", rounded_up)
    monkeypatch.setattr(passes, "chunks_of", seen)
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=167)
    check(counts, targets, exclude, scores)
    assert len(passed) == 3


@pytest.mark.long
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


@pytest.mark.long
def test_one_target_for_each_list():
    (queries, items), (targets, _) = towers(), asked()
    one = targets[:, 0]
    counts = krm.count_ranks(queries, items, one)
    assert counts["above"].shape == (LISTS, 1)
    scores = products(queries, items)
    check(counts, one[:, None], np.full((LISTS, 1), -1), scores)


def test_lists_of_different_lengths():
    (queries, items), (targets, exclude) = towers(), asked()
    counts = krm.count_ranks(
        queries,
        items,
        [row[row >= 0].tolist() for row in targets],
        [row[row >= 0].tolist() for row in exclude],
        chunk=100,
    )
    check(counts, targets, exclude, products(queries, items))


def test_a_function_that_scores():
    """Some items have no rank; padding has any score, also NaN."""
    (queries, items), (targets, exclude) = towers(), asked()
    scores = products(queries, items)
    scores[:, 13::17] = -np.inf
    targets[0], exclude[0, :2] = [13, 30, 14], [13, 47]
    table = ops.convert_to_tensor(scores.astype("float32"))
    for of_padding in (float("nan"), 0.0):

        def look_up(places, numbers, worth=of_padding):
            rows = ops.take(table, places, axis=0)
            found = ops.take(rows, ops.maximum(numbers - 1, 0), axis=1)
            return ops.where(numbers > 0, found, worth)

        counts = krm.count_ranks(
            np.arange(LISTS),
            np.arange(1, ITEMS + 1),
            targets,
            exclude,
            score_fn=look_up,
            chunk=64,
        )
        check(counts, targets, exclude, scores)
    assert (counts["num_items"] < ITEMS - 20).all()


def test_a_score_that_differs_in_its_last_bit_in_another_chunk():
    (queries, items), (targets, exclude) = towers(), asked()
    scores = products(queries, items).astype("float32")
    calls = []

    def unsteady(places, numbers):
        numbers = ops.convert_to_numpy(numbers)
        in_a_row = (np.diff(numbers[:50]) == 1).all()
        calls.append(in_a_row)
        found = scores[:, numbers]
        # Not of a chunk, but of the targets alone.
        found = found if in_a_row else np.nextafter(found, np.float32(1e9))
        return ops.convert_to_tensor(found)

    only_the_first = np.where(np.arange(3) == 0, 0, np.full((LISTS, 1), -1))
    for some in (targets, only_the_first):
        counts = krm.count_ranks(
            None, np.arange(ITEMS), some, exclude, score_fn=unsteady, chunk=167
        )
        check(counts, some, exclude, scores)
        assert calls.count(True) == 6  # each of 3 chunks twice
        calls.clear()


@pytest.mark.parametrize("times", [2, 40])
@pytest.mark.parametrize("chunk", [None, 167])
def test_items_of_one_vector_tie(times, chunk):
    """Libraries round one product differently at different places."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(600 // times, 33)).astype("float32")
    numbers = np.repeat(np.arange(len(vectors)), times)
    numbers = rng.permutation(np.append(numbers, [0, 0, 1]))
    queries = rng.normal(size=(80, 33)).astype("float32")
    targets = rng.integers(-1, len(numbers), (80, 3))
    exclude = rng.integers(-1, len(numbers), (80, 9))
    counts = krm.count_ranks(
        queries, vectors[numbers], targets, exclude, chunk=chunk
    )
    scores = products(queries, vectors)[:, numbers]
    check(counts, targets, exclude, scores)
    assert (counts["tied"] > 0).mean() > 0.5


def test_a_file_is_read_by_slices(tmp_path):
    (queries, items), (targets, exclude) = towers(), asked()
    path = tmp_path / "items.npy"
    np.save(path, items)
    mapped = np.load(path, mmap_mode="r")
    counts = krm.count_ranks(queries, mapped, targets, exclude, chunk=100)
    check(counts, targets, exclude, products(queries, items))


def test_a_chunk_has_about_two_million_scores():
    chunk = ranks.chunk_size(None, lists=1000, items=10**6)
    assert 2**20 < 1000 * chunk <= 2**21


@pytest.mark.parametrize(
    "chunk", [40, pytest.param(2 * ITEMS, marks=pytest.mark.long)]
)
def test_memory_is_that_of_a_chunk(chunk):
    held = []

    def scored(queries, rows):
        held.append(tuple(rows.shape))
        return ops.matmul(queries, ops.transpose(rows))

    (queries, items), (targets, exclude) = towers(), asked()
    vectors = map(ops.convert_to_tensor, (queries, items))
    counts = krm.count_ranks(
        *vectors, targets, exclude, score_fn=scored, chunk=chunk
    )
    check(counts, targets, exclude, products(queries, items))
    size = min(chunk, ITEMS)
    assert set(held) == {(size, WIDTH)}
    different = np.unique(targets[targets >= 0]).size
    assert different > 40
    # Once the targets, and once the catalogue.
    assert len(held) == -(-different // size) + -(-ITEMS // size)


@pytest.mark.parametrize(
    "dtype", ["float16", pytest.param("bfloat16", marks=pytest.mark.long)]
)
def test_half_precision_is_summed_in_float32(dtype):
    (queries, items), (targets, exclude) = towers(), asked()
    vectors = [ops.cast(x, dtype) for x in (queries, items)]
    counts = krm.count_ranks(*vectors, targets, exclude, chunk=167)
    scores = products(queries, items)
    check(counts, targets, exclude, scores)
    in_half = ops.convert_to_numpy(ops.cast(ops.cast(scores, dtype), "float32"))
    assert len(np.unique(in_half)) < len(np.unique(scores))


@pytest.mark.long
@pytest.mark.parametrize(
    "of_queries, of_items",
    [
        ("float64", "float64"),
        ("float32", "float64"),
        ("float64", "float32"),
        ("float16", "float32"),
        ("float32", "int64"),
        ("int8", "float32"),
        ("int64", "int64"),
        ("bool", "int8"),
    ],
)
def test_vectors_of_any_two_dtypes(of_queries, of_items):
    (queries, items), (targets, exclude) = towers(), asked()
    queries = np.clip(queries, -120, 120).astype(of_queries)
    items = items.astype(of_items)
    counts = krm.count_ranks(queries, items, targets, exclude, chunk=100)
    check(counts, targets, exclude, products(queries, items))


def test_vectors_in_float64_keep_their_digits():
    if BACKEND not in ("tensorflow", "torch"):
        pytest.skip("the backend has no float64, unless it is enabled")
    queries, items = np.array([[1, 1e-9]]), np.array([[1, 0], [1, 1], [1, 2]])
    counts = krm.count_ranks(queries, items, targets=[1], chunk=2)
    assert counts["above"] == 1 and counts["tied"] == 0


@pytest.mark.only_on("torch", reason="a context of torch")
def test_autocast_of_torch_does_not_round_inner_products():
    import torch

    rng = np.random.default_rng(0)
    queries, items = rng.normal(size=(4, 16)), rng.normal(size=(5000, 16))
    vectors = queries.astype("float32"), items.astype("float32")
    expected = krm.count_ranks(*vectors, [3, 4, 5, 6])
    for chunk in (2000, 5000):
        with torch.autocast("cpu", torch.bfloat16):
            found = krm.count_ranks(*vectors, [3, 4, 5, 6], chunk=chunk)
        np.testing.assert_equal(found, expected)


@pytest.mark.only_on("torch", reason="views of torch need no memory")
def test_a_chunk_of_more_scores_than_int32_counts():
    """Seen through a view of torch, where each row is shifted by one item."""
    lists, chunk = 2**21 + 1, 2**10
    base = ops.arange(lists + chunk) % 251
    scores = ops.cast(base, "uint8").as_strided((lists, chunk), (1, 1))
    pairs = ops.convert_to_tensor([[0, lists - 1], [7, chunk - 2]])
    expected = [7, (lists + chunk - 3) % 251]
    assert _kept(scores, pairs).tolist() == expected


def test_a_progress_bar(capsys):
    given = *towers(), *asked()
    krm.count_ranks(*given, chunk=100)
    assert capsys.readouterr().out == ""
    krm.count_ranks(*given, chunk=100, verbose=True)
    assert re.search("501/501.*/item", capsys.readouterr().out)


QUERIES, VECTORS = towers()


@pytest.mark.parametrize(
    "changes, text",
    [
        ({"items": 3}, "Received: int"),
        ({"items": VECTORS[:0]}, "Received: shape (0, 8)"),
        ({"items": VECTORS[:, :3]}, "`items.shape` = (501, 3)"),
        ({"queries": QUERIES[:3]}, "targets of 20 lists"),
        ({"targets": [501] * LISTS}, "from 0 to 500"),
        ({"targets": np.zeros((LISTS, 2))}, "integers, negative for padding"),
        ({"targets": np.zeros((LISTS, 2, 2), int)}, "the shape (20, 2, 2)"),
        ({"exclude": [[1]]}, "1 rows for 20 lists"),
        ({"exclude": [1] * LISTS}, "no rows for 20 lists"),
        ({"targets": np.eye(LISTS, ITEMS, dtype=int)}, "look like labels"),
        ({"exclude": [[900]] * LISTS}, "Received: 900"),
        ({"chunk": 0}, "a positive integer"),
        ({"queries": QUERIES * np.nan}, "Received: NaN for list 0"),
    ],
)
def test_what_does_not_fit(changes, text):
    given = {"queries": QUERIES, "items": VECTORS, "targets": asked()[0]}
    with pytest.raises(ValueError, match=re.escape(text)):
        krm.count_ranks(**{**given, **changes})


@pytest.mark.parametrize("chunk", [None, 100])
def test_an_excluded_item_may_have_no_vector(chunk):
    targets, _ = asked()
    vectors, broken = VECTORS.copy(), VECTORS.copy()
    broken[7] = np.nan
    exclude = np.full((LISTS, 1), 7)
    found, expected = (
        krm.count_ranks(QUERIES, x, targets, exclude, chunk=chunk)
        for x in (broken, vectors)
    )
    for name, counts in expected.items():
        np.testing.assert_array_equal(found[name], counts)
    exclude[3] = 8
    with pytest.raises(ValueError, match="Received: NaN for list 3"):
        krm.count_ranks(QUERIES, broken, targets, exclude, chunk=chunk)


@pytest.mark.parametrize(
    "function, text",
    [
        (lambda scores: scores[:, :2], "Received: the shape (20, 2)"),
        (lambda scores: scores[:1], "Received: the shape (1, 501)"),
        (lambda scores: scores[0], "Received: the shape (501,)"),
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


@pytest.mark.long
def test_a_function_that_draws():
    rng = np.random.default_rng(0)

    def drawn(queries, rows):
        return rng.normal(size=(LISTS, rows.shape[0])).astype("float32")

    with pytest.raises(ValueError, match="the same score each time"):
        krm.count_ranks(None, np.arange(ITEMS), asked()[0], score_fn=drawn)


def test_a_function_of_the_whole_chunk():
    """Its scores in two chunks are not those of one item."""
    targets, _ = asked()
    given, ranked = (QUERIES, VECTORS, targets), {}
    for chunk in (ITEMS, 100):
        options = {"score_fn": normalized, "chunk": chunk}
        if chunk < ITEMS:
            with pytest.raises(ValueError, match=r"in any chunk.*softmax"):
                krm.count_ranks(*given, **options)
        else:
            ranked = krm.count_ranks(*given, **options)
    expected = krm.count_ranks(*given)
    assert (ranked["above"] == expected["above"]).mean() > 0.9


def normalized(queries, rows):
    scores = passes.product(*map(ops.convert_to_tensor, (queries, rows)))
    return ops.softmax(scores / 100)


@pytest.mark.parametrize("name", ["queries", "items"])
def test_sparse_vectors(name):
    sparse = pytest.importorskip("scipy.sparse", reason="needs [interop]")
    given = {"queries": QUERIES, "items": VECTORS, "targets": asked()[0]}
    given[name] = sparse.csr_array(given[name])
    with pytest.raises(ValueError, match=f"`{name}` should.*a sparse csr_arr"):
        krm.count_ranks(**given)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_vectors(library):
    make = pytest.importorskip(library, reason="needs [interop]").DataFrame
    targets, exclude = asked()
    given = make(QUERIES), make(VECTORS), targets, exclude
    expected = krm.count_ranks(QUERIES, VECTORS, targets, exclude)
    np.testing.assert_equal(krm.count_ranks(*given, chunk=167), expected)


_RNG = np.random.default_rng(3)
_USERS, _ITEMS = (_RNG.normal(size=(n, 8)).astype("float32") for n in (40, 90))
_ONE, _TWO = _RNG.integers(0, 45, 40), _RNG.integers(0, 45, (40, 2))
_IDS = np.arange(90.0)[:, None]
_AGAIN = np.concatenate([_ITEMS[:45], _ITEMS[:45]])
_BY_ID = (
    np.concatenate([_IDS, _ITEMS], 1),
    np.concatenate([_ITEMS, _IDS + 1], 1),
)
_WIDE = np.concatenate([_USERS, _USERS[:, :1]], 1)


@pytest.mark.parametrize(
    "queries, items, targets, received",
    [
        (_WIDE, _BY_ID[0], _ONE, "the number of the row in column 0"),
        (_WIDE, _BY_ID[1], _TWO, "the number of the row in column 8"),
        (_USERS, _AGAIN, _TWO, "90 vectors, of which the second half"),
        (_ITEMS[_ONE], _ITEMS, _ONE, "vectors of their own targets"),
        (_USERS, 0 * _ITEMS, _TWO, "all items tied with each relevant one"),
        (_USERS, 0 * _ITEMS + 0.3, _ONE, "all items tied with each relevant"),
        (_USERS, _ITEMS, _TWO, ""),
        (_ITEMS[:40], _ITEMS, _ONE, ""),  # similar items
        (_WIDE, _BY_ID[0][::-1], _ONE, ""),
        (_USERS, np.sign(_ITEMS), _TWO, ""),
        (_USERS[:, :1], _IDS, _ONE, ""),
        (_USERS[:, :2], np.concatenate([_IDS, 0 * _IDS + 1], 1), _ONE, ""),
        (np.eye(40), np.eye(40), np.arange(40)[::-1], ""),
        (_USERS[:3], 0 * _ITEMS[:5], [1, 2, 3], ""),
    ],
)
def test_vectors_that_are_not_those_of_items(queries, items, targets, received):
    metric = krm.NDCG(k=10, inputs="counts")

    def call():
        counts = krm.count_ranks(queries, items, targets)
        metric.update_state(np.reshape(targets, (len(queries), -1)), counts)

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        if "column" in received:
            with pytest.raises(ValueError, match=received):
                call()
        else:
            call()
    words = " ".join(str(x.message) for x in caught)
    assert "column" in received or bool(words) == bool(received), words
    assert "column" in received or received in words


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


def test_excluded_items_padded_by_0():
    users, items = towers()
    wanted, seen = asked()
    rows = np.array([[*row[:1], 0, 0, 0] for row in seen])
    with pytest.warns(UserWarning, match="0 several times at an end of a list"):
        krm.count_ranks(users, items, wanted, rows)


def test_what_is_no_function():
    with pytest.raises(TypeError, match="a function of queries"):
        krm.count_ranks(QUERIES, VECTORS, asked()[0], score_fn="dot")


@pytest.mark.each_backend
@pytest.mark.not_on("torch", "numpy", reason="they compile nothing")
def test_all_chunks_share_a_program(monkeypatch):
    (queries, items), (targets, _) = towers(), asked()
    traced = []
    count_finite = passes.count_finite

    def seen(*arguments):
        traced.append(1)
        return count_finite(*arguments)

    monkeypatch.setattr(passes, "count_finite", seen)
    passes.compiled.cache_clear()
    # No other test has so many lists, whose program jax would reuse.
    krm.count_ranks(queries[:7], items, targets[:7], chunk=167)
    passes.compiled.cache_clear()
    assert len(traced) == 1


@pytest.mark.only_on("tensorflow", reason="its warning")
def test_tensorflow_does_not_warn_of_other_chunks_and_dtypes(caplog):
    queries, items = map(ops.convert_to_tensor, towers())
    for chunk in range(1, 7):
        for dtype in ("float32", "float16"):
            rows = ops.cast(items[:chunk], dtype)
            found = passes.score(queries, rows, None)
            expected = products(QUERIES, VECTORS[:chunk])
            np.testing.assert_array_equal(found, expected)
    assert caplog.text == ""
