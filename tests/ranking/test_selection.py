"""The highest values of each row are those that `ops.top_k` finds."""

import keras
import numpy as np
import pytest
from keras import ops

from keras_rankmetrics.engine.backend.sorting import highest, top_k

RNG = np.random.default_rng(0)
ROWS = {
    "distinct": RNG.standard_normal((5, 40)),
    "ties": RNG.integers(-3, 3, (5, 40)),
    "one": RNG.standard_normal((5, 1)),
    "wide": RNG.standard_normal((3, 700)),
    "partitioned": RNG.integers(-99, 99, (9, 300)),
    "extreme": np.array(
        [[np.inf, -np.inf, 3e38, -3e38, 2e-38, -2e-38, 0.0, 3e-38, -1.0, 2.0]]
    ),
    "one row": RNG.standard_normal((1, 512)),
}


DTYPES = ["float16", "float32", "float64", "int32"]
if keras.config.backend() == "jax":  # has 32 bits
    DTYPES.remove("float64")


@pytest.mark.parametrize(
    "name, dtype",
    [
        (name, dtype)
        for name in ROWS
        for dtype in DTYPES
        if name != "extreme" or dtype.startswith("float")
    ],
)
@pytest.mark.parametrize("k", [1, 7, None])
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_values_and_places(name, dtype, k):
    rows = ops.convert_to_tensor(ROWS[name].astype(dtype))
    k = min(k or rows.shape[-1], rows.shape[-1])
    values, places = (ops.convert_to_numpy(x) for x in top_k(rows, k))
    expected = -np.sort(-ROWS[name].astype(dtype), axis=-1)[:, :k]
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(
        ops.convert_to_numpy(highest(rows, k)), values
    )
    array = ops.convert_to_numpy(rows)
    np.testing.assert_array_equal(
        np.take_along_axis(array, places.astype(int), -1), expected
    )
    assert all(len(set(row)) == k for row in places.tolist())


def test_what_is_selected_from_is_as_before():
    rows = ops.convert_to_tensor(ROWS["distinct"].astype("float32"))
    top_k(rows, 3), highest(rows, 3)
    after = ops.convert_to_numpy(rows)
    np.testing.assert_array_equal(after, ROWS["distinct"].astype("float32"))


@pytest.mark.only_on("torch", reason="for torch")
def test_nan_is_the_highest():
    rows = ops.convert_to_tensor(np.array([[1.0, np.nan, 2.0]], "float32"))
    np.testing.assert_array_equal(
        ops.convert_to_numpy(highest(rows, 2)), [[np.nan, 2.0]]
    )


@pytest.mark.only_on("torch", reason="for torch")
def test_tensors_that_numpy_does_not_see():
    import torch

    rows = torch.tensor(ROWS["distinct"].astype("float32"))
    for function in (lambda x: top_k(x, 3)[0], lambda x: highest(x, 3)):
        expected = function(rows)
        mapped = torch.vmap(lambda x, f=function: f(x[None])[0])(rows)
        torch.testing.assert_close(mapped, expected)
        assert function(rows.to("meta")).shape == (5, 3)
        transposed = rows.T.contiguous().T
        torch.testing.assert_close(function(transposed), expected)
