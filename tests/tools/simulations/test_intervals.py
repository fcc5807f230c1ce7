"""The default interval covers the mean, and the docs show what is stored."""

import json

import pytest

from tests.tools.simulations.__main__ import PAGE, STORED, with_table
from tests.tools.simulations.intervals import rows

STORED_ROWS = json.loads(STORED.read_text())["intervals"]


def test_the_page_shows_what_is_stored():
    page = PAGE.read_text()
    assert "<!-- coverage -->" in page
    assert with_table(page, STORED_ROWS) == page


@pytest.mark.parametrize("row", STORED_ROWS, ids=lambda r: r["values"])
def test_the_default_holds_for_twenty_lists(row):
    assert row["default"] >= (0.93 if row["lists"] >= 20 else 0.9)
    if row["lists"] == 20 and "mean .95" in row["values"]:
        assert row["t"] < 0.7


@pytest.mark.long
def test_few_samples_have_the_stored_coverage():
    pytest.importorskip("scipy")
    found = rows(300)
    for row, stored in zip(found, STORED_ROWS, strict=True):
        number = 300 if len(stored) > 6 else 30
        error = (stored["default"] * (1 - stored["default"]) / number) ** 0.5
        assert abs(row["default"] - stored["default"]) <= 5 * error + 0.01
