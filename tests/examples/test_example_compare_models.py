"""The example that compares two rankers: its table, in each format."""

from __future__ import annotations

import json

import keras
import numpy as np
import pytest
from pytest import approx
from scripts import ran

import keras_rankmetrics as krm


@pytest.mark.long
def test_all_rankers_learn():
    found = ran(
        "compare_models.py",
        "--queries",
        "600",
        "--epochs",
        "4",
        "--format",
        "json",
    )
    assert found.returncode == 0, found.stderr
    assert "generated from seed 0, not real" in found.stderr
    compared = krm.Compared.from_dict(json.loads(found.stdout))
    assert compared.systems == ["pointwise", "pairwise", "listwise"]
    cells = compared.to_dict()["systems"]
    for name in compared.systems:
        assert cells[name]["ndcg@10"]["value"] > 0.6  # chance level is 0.35
    assert compared.baseline == "pointwise"


def test_the_pointwise_loss_leaves_padding_out():
    import compare_models

    labels, scores = [[2.0, 0.0, -1.0]], [[1.0, 0.5, 9.0]]
    found = compare_models.squared_error(
        keras.ops.array(labels), keras.ops.array(scores)
    )
    assert np.asarray(found).tolist() == approx([(1 + 0.25) / 2])


def test_the_pairwise_loss_is_the_mean_over_pairs_of_different_grades():
    import compare_models

    labels, scores = [[2.0, 0.0, 0.0, -1.0]], [[1.0, 0.5, 2.0, 9.0]]
    found = compare_models.pairwise_logistic(
        keras.ops.array(labels), keras.ops.array(scores)
    )
    expected = np.mean(np.log1p(np.exp([0.5 - 1.0, 2.0 - 1.0])))
    assert np.asarray(found).tolist() == approx([expected])


def test_lists_without_pairs_have_no_pairwise_loss():
    import compare_models

    labels, scores = [[1.0, 1.0], [0.0, -1.0]], [[1.0, 2.0], [3.0, 4.0]]
    found = compare_models.pairwise_logistic(
        keras.ops.array(labels), keras.ops.array(scores)
    )
    assert np.asarray(found).tolist() == [0.0, 0.0]


def test_an_unknown_format_is_refused(capsys):
    import compare_models

    with pytest.raises(SystemExit):
        compare_models.main(["--format", "html"])
    assert "html" in capsys.readouterr().err
