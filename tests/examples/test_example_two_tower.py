"""The example of two towers: what it prints, and that it ranks all items."""

from __future__ import annotations

import keras
import numpy as np
import pytest
from printed import assert_readable, epochs
from pytest import approx
from scripts import ran

import keras_rankmetrics as krm


@pytest.mark.long
def test_it_trains_and_beats_what_does_not_learn():
    found = ran(
        "two_tower.py", "--users", "384", "--epochs", "5", "--seed", "1"
    )
    assert found.returncode == 0, found.stderr
    assert "generated from seed 1, not real" in found.stdout
    assert_readable(found.stdout)
    assert 0 < len(epochs(found.stdout)) <= 5
    rows = [line.split() for line in found.stdout.splitlines()]
    table = {
        name: [float(cell) for cell in cells]
        for name, *cells in (row for row in rows if len(row) == 4)
        if name in ("model", "popularity", "constant")
    }
    assert table["model"][0] > 1.5 * table["popularity"][0]
    # A hit by chance: 10 of the items that are left.
    assert 10 / 300 < table["constant"][0] < 10 / 280
    assert "inputs:counts" in found.stdout


@pytest.mark.long
def test_the_metrics_are_those_of_all_scores():
    import two_tower
    from next_item import generate, hold_out, pad

    rng = np.random.default_rng(0)
    sessions = generate(70, rng, items=60)
    held_out = hold_out(sessions.histories, -1)
    queries = rng.normal(size=(70, 4)).astype("float32")
    items = rng.integers(-1, 2, (60, 4)).astype("float32")
    items[30:40] = items[:10]
    found = two_tower.measure(held_out, lambda _: (queries, items), 32)
    scores = keras.ops.convert_to_numpy(
        keras.ops.matmul(
            keras.ops.convert_to_tensor(queries),
            keras.ops.convert_to_tensor(items.T),
        )
    )
    y_true = {"target": held_out.targets, "exclude": pad(held_out.seen, 20)}
    for metric in (
        krm.HitRateAtK(k=10, inputs="sparse"),
        krm.NDCG(k=10, inputs="sparse"),
        krm.MeanReciprocalRank(inputs="sparse"),
    ):
        assert found[metric.name] == approx(float(metric(y_true, scores)))
