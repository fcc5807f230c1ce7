"""The point-wise example: what it prints, reads and refuses."""

from __future__ import annotations

import numpy as np
import pytest
from printed import assert_readable, epochs
from pytest import approx
from scripts import ran

import keras_rankmetrics as krm


def tables(output):
    """The numbers of each scorer."""
    rows = [line.rsplit(maxsplit=3) for line in output.splitlines()]
    scorers = "model", "item means", "random", "constant"
    return {
        name: list(map(float, cells))
        for name, *cells in (row for row in rows if len(row) == 4)
        if name in scorers
    }


@pytest.mark.long
def test_it_trains_stops_and_beats_what_does_not_know_the_user():
    found = ran(
        "pointwise.py", "--users", "250", "--epochs", "25", "--seed", "1"
    )
    assert found.returncode == 0, found.stderr
    assert "generated from seed 1, not real" in found.stdout
    assert_readable(found.stdout)
    lines = epochs(found.stdout)
    assert "val_ndcg@10" in found.stdout and 2 <= len(lines) < 25
    table = tables(found.stdout)
    for model, means, constant in zip(
        table["model"], table["item means"], table["constant"], strict=True
    ):
        assert model > means > constant
    assert table["constant"][2] == 0.5  # of pairs, by chance
    assert "OrderedPairAccuracy|" in found.stdout


def test_the_numbers_are_those_of_the_users():
    import pointwise

    rows = pointwise.generate(20, np.random.default_rng(0))
    train, validation, test = pointwise.split(rows)
    sizes = [np.bincount(part.users) for part in (train, validation, test)]
    assert (sizes[1] == np.bincount(rows.users) // 5).all()
    assert (sizes[1] == sizes[2]).all() and (sizes[0] >= 6).all()
    joined = np.concatenate([part.items for part in (train, validation, test)])
    assert sorted(joined) == sorted(rows.items)
    scores = np.random.default_rng(1).random(len(test.users))
    ndcg = krm.NDCG(10)
    ndcg.update_state(
        [test.ratings[test.users == user].tolist() for user in range(20)],
        [scores[test.users == user].tolist() for user in range(20)],
    )
    found = pointwise.measure(test, scores)
    assert found["ndcg@10"] == approx(float(ndcg.result()), abs=1e-6)


@pytest.mark.long
def test_a_file_of_movielens(tmp_path):
    import pointwise

    file = tmp_path / "u.data"
    lines = [
        f"{user}\t{100 + item}\t{1 + (item + user) % 5}\t{1000 - item}"
        for user, count in ((7, 12), (3, 10), (5, 9))
        for item in range(count)
    ]
    file.write_text("\n".join(lines))
    rows = pointwise.read(file)
    assert np.bincount(rows.users).tolist() == [10, 12]  # 3, 7; not 5
    assert rows.items[:3].tolist() == [9, 8, 7]  # by time
    assert rows.ratings[0] == 1 + (9 + 3) % 5
    file.write_text("\n".join(lines[-9:]))
    found = ran("pointwise.py", "--ratings", str(file))
    assert found.returncode != 0 and "no user has rated 10" in found.stderr
