"""Numbers that many digits at once make."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from keras_rankmetrics.files.numbers import floats_of

FORMATS = ["{}", "{:.6f}", "{:.15g}", "{:e}", "{:+}", "{:.0f}", "{:.3f}"]


@given(
    st.lists(
        st.tuples(
            st.floats(allow_nan=False), st.sampled_from(FORMATS), st.booleans()
        ),
        min_size=1,
    )
)
def test_all_are_those_of_python(drawn):
    scale = [
        x % 1000.0 if small and math.isfinite(x) else x for x, _, small in drawn
    ]
    texts = [
        form.format(x) for x, (_, form, _) in zip(scale, drawn, strict=True)
    ]
    found = floats_of(np.array(texts, bytes))
    expected = np.array([float(text) for text in texts])
    assert found.tobytes() == expected.tobytes()


def test_what_is_no_number_is_nan():
    texts = ["", "-", ".", "1.2.3", "1-2", "--1", "1e", "nan", "one", "0x1"]
    assert np.isnan(floats_of(np.array(texts, bytes))).all()


def test_a_negative_zero_keeps_its_sign():
    assert math.copysign(1, floats_of(np.array([b"-0.0"]))[0]) == -1
