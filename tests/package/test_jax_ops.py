"""The operations that are jax's own agree with those of Keras."""

import types

import keras
import numpy as np
import pytest
from keras import ops as of_keras

if keras.config.backend() != "jax":
    pytest.skip("operations of jax", allow_module_level=True)

import jax

from keras_rankmetrics.engine.backend import jax_ops

BOOLS = [
    np.array([[True, False, True], [False, False, False]]),
    np.array([[[True], [True]], [[False], [True]]]),
    np.array([False, True, False]),
    np.array([False, False]),
    np.array([True, True]),
    np.zeros((2, 0), bool),
    np.zeros((0, 2), bool),
]
ROWS = [
    np.array([[3.0, -0.0, np.nan], [np.inf, 2.5, -1.0]], "float32"),
    np.array([[3, 0, 2], [2**30, 2, -1]], "int32"),
    BOOLS[0],
    np.array(3.5, "float32"),
]
CALLS = [
    *(
        (name, [x], {"axis": axis})
        for name in ("any", "all")
        for x in BOOLS
        for axis in (None, 0, -1)
    ),
    *(
        ("stack", [[x, 1 - x if number else ~x, x] * times], {"axis": axis})
        for x in ROWS
        for number in [x.dtype != bool]
        for times in (1, 10)  # more than are chosen from
        for axis in range(-1, x.ndim + 1)
    ),
    ("stack", [[ROWS[0]]], {}),
    ("stack", [[ROWS[0], ROWS[1]]], {"axis": -1}),
]
"""Each operation with arguments, of the kinds with which it is called."""


def test_every_operation_is_called():
    own = {
        name
        for name, x in vars(jax_ops).items()
        if isinstance(x, types.FunctionType) and not name.startswith("_")
    }
    own -= {"fixed_axes", "same_axes"}  # no operations
    assert own == {name for name, _, _ in CALLS}
    assert all(hasattr(of_keras, name) for name in own)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(("name", "arguments", "named"), CALLS)
def test_they_agree(name, arguments, named, compiled):
    def called(namespace):
        return lambda x: getattr(namespace, name)(x, **named)

    [x] = jax.tree.map(of_keras.convert_to_tensor, arguments)
    own, of = called(jax_ops), called(of_keras)(x)
    own = jax.jit(own)(x) if compiled else own(x)
    assert own.dtype == of.dtype
    np.testing.assert_array_equal(own, of)
