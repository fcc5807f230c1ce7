"""Which recommended ids are new, and which of them are relevant."""

import itertools

import keras
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keras import ops

from keras_rankmetrics.engine.backend.sorting import in_order, in_place
from keras_rankmetrics.engine.ranking.counting import count, is_new, matched

BACKEND = keras.backend.backend()
WIDE = [] if BACKEND in ("jax", "numpy") else ["int64"]
LARGEST = {"int32": 2**31 - 1, "int64": 2**63 - 1}

all_dtypes = pytest.mark.parametrize("dtype", ["int32", *WIDE])


def by_hand(relevant, recommended):
    """How many different ids are relevant, and what is new and a hit."""
    relevant = {i for i in relevant if i >= 0}
    new = news(recommended)
    hits = [
        is_new and i in relevant
        for is_new, i in zip(new, recommended, strict=True)
    ]
    return len(relevant), new, hits


def news(ids):
    return [i >= 0 and i not in ids[:place] for place, i in enumerate(ids)]


def tensor(rows, dtype):
    return ops.convert_to_tensor(np.array(rows, dtype))


def arrays(tensors):
    return tuple(ops.convert_to_numpy(x).tolist() for x in tensors)


def check(relevant, recommended, dtype):
    found = matched(tensor(relevant, dtype), tensor(recommended, dtype))
    by_list = map(by_hand, relevant, recommended)
    assert arrays(found) == tuple(map(list, zip(*by_list, strict=True)))
    news_of_all = arrays([is_new(tensor(recommended, dtype))])
    assert news_of_all == ([news(ids) for ids in recommended],)


@all_dtypes
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("others", [1, 2, 3])
def test_all_rows_of_few_ids(width, others, dtype):
    ids = (-2, -1, 0, 1)
    rows = itertools.product(
        itertools.product(ids, repeat=width),
        itertools.product(ids, repeat=others),
    )
    check(*zip(*rows, strict=True), dtype)


@all_dtypes
@pytest.mark.parametrize("bits", [3, 20, 22, 31, 52, 63])
def test_ids_of_all_sizes(bits, dtype):
    """On both sides of where an id and its place are still one key."""
    largest = min(2**bits - 1, LARGEST[dtype])
    near = [largest - 3, largest - 1, largest, -largest - 1, 0, 1, -1]
    rng = np.random.default_rng(bits)
    check(
        rng.choice(near, (50, 6)).tolist(),
        rng.choice(near, (50, 300)).tolist(),
        dtype,
    )


@pytest.mark.long
@settings(deadline=None, max_examples=25)
@given(st.data())
@all_dtypes
def test_any_rows(dtype, data):
    largest = LARGEST[dtype]
    ids = st.one_of(st.integers(-3, 9), st.integers(-largest - 1, largest))
    row = st.lists(ids, min_size=40, max_size=40)
    check([data.draw(row)], [data.draw(row)], dtype)


@all_dtypes
def test_in_order_is_a_stable_order(dtype):
    """Up or down, and there is a way back."""
    rng = np.random.default_rng(0)
    rows = rng.integers(-3, 9, (20, 70)).astype(dtype)
    rows[0, 0] = LARGEST[dtype]
    values, places = arrays(in_order(tensor(rows, dtype)))
    for row, in_a_row, stood in zip(rows, values, places, strict=True):
        assert row[stood].tolist() == in_a_row
        down = in_a_row[0] > in_a_row[-1]
        keys = -row.astype(object) if down else row
        assert np.argsort(keys, kind="stable").tolist() == stood
    marks = rng.integers(0, 3, rows.shape).astype("int8")
    moved = in_place(
        tensor(np.take_along_axis(marks, np.array(places), axis=1), "int8"),
        tensor(places, "int32"),
    )
    assert arrays([moved]) == (marks.tolist(),)


@pytest.mark.long
@pytest.mark.only_on("tensorflow", reason="shapes of tensorflow")
@all_dtypes
@pytest.mark.parametrize("shape", [[None, None], [None, 3], [4, None]])
@pytest.mark.parametrize("jit_compile", [False, True])
def test_shapes_that_are_not_known(shape, dtype, jit_compile):
    import tensorflow as tf

    of_ids = tf.TensorSpec(shape, dtype)
    compiled = tf.function(matched, [of_ids, of_ids], jit_compile=jit_compile)
    relevant = [[1, 2, 2], [3, -1, 3], [7, 8, 9], [-1, -1, -1]]
    recommended = [[2, 2, 5], [-1, 3, 4], [9, 8, 7], [1, 1, -1]]
    found = compiled(tensor(relevant, dtype), tensor(recommended, dtype))
    by_list = map(by_hand, relevant, recommended)
    assert arrays(found) == tuple(map(list, zip(*by_list, strict=True)))


@pytest.mark.only_on("torch", reason="traces of torch")
@all_dtypes
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_what_numpy_does_not_see(dtype):
    """Where torch has no numbers yet, it sorts by itself."""
    import torch

    relevant = tensor([[1, 2, 2], [3, -1, 3]], dtype)
    recommended = tensor([[2, 2, 5], [-1, 3, 4]], dtype)
    with keras.device("meta"):
        on_meta = matched(relevant.to("meta"), recommended.to("meta"))
    assert [tuple(x.shape) for x in on_meta] == [(2,), (2, 3), (2, 3)]
    lists = [x[:, None] for x in (relevant, recommended)]
    mapped = torch.vmap(matched)(*lists)
    found = matched(relevant, recommended)
    assert arrays(x[:, 0] for x in mapped) == arrays(found)


def test_more_items_than_float32_counts():
    number = 2**24 + 3
    assert arrays([count(ops.ones((1, number), "bool"))]) == ([number],)
