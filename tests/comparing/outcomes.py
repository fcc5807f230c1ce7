"""Rows of tables of inputs, and what is expected of each."""

import warnings

import pytest

import keras_rankmetrics as krm


def rr(truth, run=None, metrics="RR", **options):
    """The value of one metric."""
    return krm.evaluate(truth, run, metrics, **options)[metrics]


def row(*values, **options):
    """What is expected, a truth, a run, and the options of `rr`."""
    return (*values, options)


def of_rows(names, rows):
    """Run a test for each row, whose options come last."""
    return pytest.mark.parametrize(f"{names}, truth, run, options", rows)


def refused(words, truth, run, error=ValueError, **options):
    """Expect an error with some words."""
    with pytest.raises(error, match=words):
        rr(truth, run, **options)


def warned(words, value, truth, run, **options):
    """Expect a warning with some words, and a value."""
    with pytest.warns(UserWarning, match=words):
        found = rr(truth, run, **options)
    assert found == pytest.approx(value)


def said(call):
    """The value of a call, and the texts of its warnings for the user."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        value = call()
    of_users = [x for x in caught if issubclass(x.category, UserWarning)]
    return value, [str(each.message) for each in of_users]
