"""The thumbnails of the wall of metrics: all are there, and show the values."""

import pytest
from numbers_in_texts import in_words_and_numbers
from pytest import approx

from tests.tools.pages.page import METRICS
from tests.tools.pages.thumbnails import (
    ROWS,
    THUMBNAILS,
    file_of,
    rows_of,
    thumbnail,
)

AGAIN = "`python -m tests.tools.pages` makes it anew; look at what changes."
names = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.__name__)


def test_every_metric_has_a_thumbnail():
    assert set(THUMBNAILS.iterdir()) == set(map(file_of, METRICS))


@pytest.mark.long
@names
def test_the_thumbnail_shows_what_the_metric_returns(metric):
    words, numbers = in_words_and_numbers(thumbnail(metric))
    there = in_words_and_numbers(file_of(metric).read_text())
    assert there[0] == words, AGAIN
    # 0.1 is less than a line is wide.
    assert there[1] == approx(numbers, rel=0, abs=0.11), AGAIN


@names
def test_it_has_few_rows_that_differ(metric):
    rows = rows_of(metric)
    assert 3 < len(rows) <= ROWS
    assert len(set(rows)) == len(rows)
