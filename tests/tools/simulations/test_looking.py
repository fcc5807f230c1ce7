"""Intervals that are read after each list contain the mean all the time."""

import pytest

from tests.tools.simulations import looking


def check(rows, most):
    by_name = {row["values"]: row for row in rows}
    assert list(by_name) == list(looking.CELLS)
    for row in rows:
        assert row["wrong_sequence"] <= most, row
        assert row["wrong_fixed"] > 0.3, row
        assert row["wrong_unguarded"] >= row["wrong_sequence"], row
        for n in looking.WIDTHS:
            assert row[f"width_fixed_{n}"] <= row[f"width_sequence_{n}"] + 1e-9
    # The sequence without the guard is what fails.
    assert by_name["0 or 1, mean .99"]["wrong_unguarded"] > 0.5


def test_some_runs():
    check(looking.rows(runs=100), most=0.1)


@pytest.mark.long
def test_all_runs():
    check(looking.rows(), most=0.05)
