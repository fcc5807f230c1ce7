"""RBO against figures that others published: see `published.py`."""

import json

import pytest

from tests.two_rankings import published

ROWS = json.loads(published.STORED.read_text())


def check(rows):
    for row in rows:
        found = published.rbo((row["x"], row["y"]), row["p"])
        assert found == pytest.approx(row["a"], abs=1e-6), row


def test_some_figures():
    check(ROWS[::20])


@pytest.mark.long
@pytest.mark.only_on(
    "torch", reason="the other backends have every twentieth figure"
)
def test_a_hundred_figures():
    assert len(ROWS) == published.FIGURES
    check(ROWS)


def test_how_rankings_are_written():
    assert published.groups_of("a (b c) d") == [["a"], ["b", "c"], ["d"]]
    found = published.scores_of(("a (b c)", "(c b)")).tolist()
    assert found == [[0, -1, -1], [float("-inf"), 0, 0]]
