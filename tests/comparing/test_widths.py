"""The widths of batches: lists of similar lengths are padded to one of them."""

import numpy as np
import pytest

from keras_rankmetrics.comparing.values import _fewer


def test_each_width_stays_without_padding():
    widths = np.array([16, 24, 16, 96, 384])
    np.testing.assert_array_equal(_fewer(widths, 0), widths)


def test_few_lists_have_one_width():
    widths = np.array([16, 24, 16, 96, 384])
    assert _fewer(widths, 2**22).tolist() == [384] * 5


@pytest.mark.parametrize("padding", [10, 1000, 100_000])
def test_a_width_is_raised_only_where_that_adds_few_items(padding):
    rng = np.random.default_rng(0)
    widths = rng.choice(
        [16, 24, 32, 48, 1024], 300, p=[0.5, 0.2, 0.2, 0.08, 0.02]
    )
    found = _fewer(widths, padding)
    assert set(found) <= set(widths)
    assert (found >= widths).all()
    steps = len(set(widths)) - 1
    assert 0 <= (found - widths).sum() <= steps * padding


def test_nothing_to_pad():
    assert _fewer(np.array([], int), 2**22).size == 0
