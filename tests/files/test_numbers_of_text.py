"""Numbers that many digits at once make."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from keras_rankmetrics.files.fields import as_float, floats_of_texts

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
    found = floats_of_texts(np.array(texts, bytes))
    expected = np.array([float(text) for text in texts])
    assert found.tobytes() == expected.tobytes()


@given(
    st.lists(
        st.binary(max_size=17).map(
            lambda x: bytes(b"0123456789.-+e _\0n"[byte % 18] for byte in x)
        )
        | st.from_regex(rb"-?[0-9]{0,8}[.]?[0-9]{0,7}", fullmatch=True),
        min_size=1,
    )
)
def test_short_texts_are_those_of_python(texts):
    """Read letter by letter, whatever the letters."""
    found = floats_of_texts(np.array(texts, "S17"))
    expected = np.array([as_float(x.rstrip(b"\0")) for x in texts])
    assert found.tobytes() == expected.tobytes()


def with_digits(number, rng):
    """Texts of so many digits, with a point at each place or none."""
    for _ in range(8):
        digits = "".join(map(str, rng.integers(1, 10, number)))
        for place in range(number + 1):
            yield f"{digits[:place]}.{digits[place:]}"
        yield from (digits, f"0.000{digits}", f"000{digits}")
        for exponent in (-330, -30, -5, 0, 5, 22, 23, 290):
            yield f"{digits[0]}.{digits[1:]}e{exponent}"


def halfway(rng):
    """Texts exactly between two floats, and right below and above these."""
    for exponent in (-30, -2, 0, 1, 3, 10):
        for _ in range(20):
            low = float(rng.uniform(1, 2)) * 2.0**exponent
            high = math.nextafter(low, math.inf)
            middle = (Fraction(low) + Fraction(high)) / 2
            places = middle.denominator.bit_length() - 1
            digits = str(middle * 10**places).zfill(places + 1)
            text = f"{digits[: len(digits) - places]}.{digits[-places:]}"
            yield from (text, text + "0", text + "1", text[:-1] + "4")
    for whole in range(2**53 - 3, 2**53 + 12):
        yield from (str(whole), f"{whole}.5", f"{whole}.50", f"{whole / 1e6}")


def same_as_python(texts):
    found = floats_of_texts(np.array(texts, bytes))
    expected = np.array([float(text) for text in texts])
    return found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("number", [1, 9, *range(14, 22), 25, 40])
def test_all_digits_count(number):
    texts = list(with_digits(number, np.random.default_rng(number)))
    for sign in ("", "-", "+"):
        signed = [sign + text for text in texts]
        assert same_as_python(signed)
        # Short ones in the same array take another path.
        assert same_as_python([*signed, "1", "-2.5"])


def test_numbers_halfway_between_two_floats():
    texts = list(halfway(np.random.default_rng(0)))
    for sign in ("", "-", "+"):
        assert same_as_python([sign + text for text in texts])


def test_neighbours_differ():
    """Of all 17 digits, as `repr` prints them, and the next float."""
    low = np.random.default_rng(0).uniform(0.1, 1, 2000)
    texts = [
        [repr(x) for x in each.tolist()] for each in (low, np.nextafter(low, 2))
    ]
    one, two = (floats_of_texts(np.array(each, bytes)) for each in texts)
    assert (one < two).all()


def test_no_texts_are_no_numbers():
    assert floats_of_texts(np.zeros(0, "S5")).tolist() == []


def test_what_is_no_number_is_nan():
    texts = ["", "-", ".", "1.2.3", "1-2", "--1", "1e", "nan", "one", "0x1"]
    assert np.isnan(floats_of_texts(np.array(texts, bytes))).all()


def test_a_negative_zero_keeps_its_sign():
    assert math.copysign(1, floats_of_texts(np.array([b"-0.0"]))[0]) == -1
