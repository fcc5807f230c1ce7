"""The operations that are torch's own agree with those of Keras."""

import keras
import numpy as np
import pytest
from keras import ops as of_keras

if keras.config.backend() != "torch":
    pytest.skip("operations of torch", allow_module_level=True)

from keras_rankmetrics.engine.backend import torch_ops

NUMBERS = [
    np.array([[3.0, -0.0, np.nan], [np.inf, 2.5, -1.0]], "float32"),
    np.array([[3.0, 0.0, 1.5], [-np.inf, 2.5, -1.0]], "float64"),
    np.array([[3, 0, 2], [2**30, 2, -1]], "int32"),
    np.array([[3, 0, 2], [2**40, 2, -1]], "int64"),
]
OF_32_BITS = NUMBERS[::2]
BOOLS = np.array([[True, False, True], [False, False, False]])
ROWS_OF_BOOLS = [
    np.random.default_rng(0).random(shape) < share
    for shape in [(3, 8), (2, 2, 16), (3, 2040), (2, 2048), (2, 3, 4080), (8,)]
    for share in (0.5, 1.0)  # all are True: each byte is as full as it gets
]
PLACES = np.array([[2, 0], [1, 1]], "int32")


def of_numbers(*arguments, **named):
    return [([x, *arguments], named) for x in NUMBERS]


def of_pairs(name):
    pairs = [[x, other] for x in OF_32_BITS for other in (x[::-1], 1)]
    return [(name, pair, {}) for pair in pairs]


CALLS = [
    ("convert_to_tensor", [keras.Variable(NUMBERS[0])], {}),
    ("convert_to_tensor", [NUMBERS[0]], {"dtype": "int32"}),
    *(
        ("cast", [x, dtype], {})
        for x in [NUMBERS[1][:1], *NUMBERS[2:], BOOLS]
        for dtype in ("float32", "float64", "int32", "int64", "bool")
    ),
    ("cast", [3, "int32"], {}),
    *(("where", [BOOLS, x, x[::-1]], {}) for x in NUMBERS),
    *(("where", [BOOLS, x, 0], {}) for x in NUMBERS),
    *(("where", [BOOLS, x, x.dtype.type(7)], {}) for x in NUMBERS),
    ("where", [BOOLS, float("nan"), NUMBERS[0]], {}),
    *of_pairs("maximum"),
    *of_pairs("minimum"),
    ("maximum", [3, 4], {}),
    ("minimum", [3, 4], {}),
    ("divide_no_nan", [NUMBERS[0], NUMBERS[0][:, ::-1].copy()], {}),
    *(
        (name, *call)
        for name in ("sum", "any", "all")
        for axis in (None, 0, -1)
        for call in [([BOOLS], {"axis": axis})]
    ),
    *(
        ("sum", [x], {"axis": -1, "keepdims": keepdims})
        for x in ROWS_OF_BOOLS
        for keepdims in (False, True)
    ),
    *(
        (name, *call)
        for name in ("sum", "max", "min")
        for named in ({}, {"axis": -1}, {"axis": 0, "keepdims": True})
        for call in of_numbers(**named)
    ),
    ("max", [NUMBERS[2]], {"axis": -1, "keepdims": True, "initial": 5}),
    *(("cumsum", [x], {"axis": -1}) for x in OF_32_BITS),
    *(("ones_like", *call) for call in of_numbers()),
    *(("zeros_like", *call) for call in of_numbers(dtype="int32")),
    *(("full_like", *call) for call in of_numbers(3)),
    ("full_like", [NUMBERS[0], -1], {"dtype": "int32"}),
    *(
        ("segment_sum", [x, np.array([3, 1], "int32")], {"num_segments": 4})
        for x in OF_32_BITS
    ),
    *(("stack", [[x, x[::-1]]], {"axis": 1}) for x in NUMBERS),
    *(("concatenate", [[x, x[::-1]]], {"axis": -1}) for x in NUMBERS),
    *(("unstack", *call) for call in of_numbers(3, axis=-1)),
    *(("expand_dims", *call) for call in of_numbers(-1)),
    *(("reshape", *call) for call in of_numbers((3, 2))),
    *(("broadcast_to", *call) for call in of_numbers((4, 2, 3))),
    *(("shape", *call) for call in of_numbers()),
    *(("stop_gradient", *call) for call in of_numbers()),
    *(("take_along_axis", *call) for call in of_numbers(PLACES, axis=-1)),
    ("take_along_axis", [BOOLS, PLACES], {"axis": -1}),
    *(("top_k", *call) for call in of_numbers(2)),
]
"""Each operation with arguments, of the kinds with which it is called."""


WIDER = [
    ("maximum", [1], {}),
    ("minimum", [1], {}),
    ("cumsum", [], {"axis": 1}),
]
"""Of 64 bits, Keras makes 32 here."""


def tensors(x):
    if isinstance(x, np.ndarray):
        return of_keras.convert_to_tensor(x)
    return [tensors(part) for part in x] if isinstance(x, list) else x


def test_every_operation_is_called():
    own = {
        name
        for name, x in vars(torch_ops).items()
        if callable(x) and hasattr(of_keras, name)
    }
    assert own == {name for name, _, _ in CALLS}


@pytest.mark.parametrize(("name", "arguments", "named"), CALLS)
def test_they_agree(name, arguments, named):
    arguments = tensors(arguments)
    own = getattr(torch_ops, name)(*arguments, **named)
    of = getattr(of_keras, name)(*arguments, **named)
    if not isinstance(own, tuple | list):
        own, of = [own], [of]
    assert len(own) == len(of)
    for one, other in zip(own, of, strict=True):
        assert getattr(one, "dtype", int) == getattr(other, "dtype", int)
        np.testing.assert_array_equal(
            of_keras.convert_to_numpy(one), of_keras.convert_to_numpy(other)
        )


@pytest.mark.parametrize(("name", "arguments", "named"), WIDER)
@pytest.mark.parametrize("x", NUMBERS[1::2], ids=lambda x: x.dtype.name)
def test_numbers_of_64_bits_stay(name, arguments, named, x):
    own = getattr(torch_ops, name)(*tensors([x, *arguments]), **named)
    of_numpy = getattr(np, name)(x, *arguments, **named)
    np.testing.assert_array_equal(of_keras.convert_to_numpy(own), of_numpy)
    assert of_keras.convert_to_numpy(own).dtype == x.dtype
