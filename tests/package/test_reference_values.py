"""The reference values: those of the oracle, which the laws hold against us."""

import json
import re

from catalogue import EVERY_ROW
from pytest import approx

from tests.tools.pages import reference_values as made

AGAIN = "`python -m tests.tools.pages.reference_values` makes it anew."
STORED = json.loads(made.DATA.read_text())
ROWS = STORED["values"]


def test_the_file_is_what_the_oracle_says():
    now = made.data()
    assert {**now, "values": None} == {**STORED, "values": None}, AGAIN
    for there, row in zip(ROWS, now["values"], strict=True):
        assert {**there, "of": None} == {**row, "of": None}, AGAIN
        for name, value in row["of"].items():
            expected = None if value is None else approx(value, rel=1e-12)
            assert there["of"][name] == expected, AGAIN


def test_the_page_shows_the_file():
    page = made.PAGE.read_text()
    numbers = re.compile(r"-?\d+\.\d{4}")
    new = made.page(page)
    assert numbers.sub("", page) == numbers.sub("", new), AGAIN
    found, expected = (
        [float(x) for x in numbers.findall(text)] for text in (page, new)
    )
    assert found == approx(expected, abs=1.1e-4), AGAIN


def test_every_metric_of_the_oracle_is_there():
    assert {row["metric"] for row in ROWS} == {
        kind.__name__ for kind in made.OF_RELEVANCE.values()
    }
    assert len(made.OF_RELEVANCE) == len(made.oracle.DEFAULTS)
    # The laws are tested for each of them.
    assert {row.metric for row in EVERY_ROW} >= {*made.OF_RELEVANCE.values()}
