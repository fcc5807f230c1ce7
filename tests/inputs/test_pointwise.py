"""Point-wise models: their usual shapes are no lists, and metrics say so.

The recipe for them is tested in `test_guide.py`.
"""

import pathlib
import re

import keras
import numpy as np
import pytest
import said as of_users

import keras_rankmetrics as krm

ROWS = np.random.default_rng(0).normal(size=(20, 3)).astype("float32")
GRADES = (ROWS[:, 0] > 0).astype("float32")
OF_ONE_ITEM = "are lists of one item each, so that the result does not depend"
ONE_LIST = "make each batch one list, so that the result depends on the batch"


def said(call):
    """Return the warnings that point to the docs."""
    return of_users.said(call, holding="docs")


def model(metrics, shape=(3,), **options):
    made = keras.Sequential([keras.Input(shape), keras.layers.Dense(1)])
    made.compile("sgd", loss="mse", **{"metrics": metrics, **options})
    return made


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.parametrize("eagerly", [False, True])
@pytest.mark.parametrize(
    "labels, shape, doubt",
    [
        (GRADES[:, None], r"\((8|None), 1\)", OF_ONE_ITEM),
        (GRADES, r"\((8|None),\)", ONE_LIST),
    ],
    ids=["column", "row"],
)
def test_each_metric_warns_once(labels, shape, doubt, eagerly):
    made = model([krm.NDCG(k=5), krm.RecallAtK(k=5)], run_eagerly=eagerly)

    def fit():
        made.fit(ROWS, labels, 8, epochs=2, validation_split=0.4, verbose=0)
        made.evaluate(ROWS, labels, verbose=0)

    first, second = said(fit)
    assert first.startswith("ndcg@5: Labels ")
    assert second.startswith("recall@5: Labels ")
    for text in (first, second):
        assert re.search(f" of the shape {shape} {doubt}", text)
        assert "Pass lists: labels and scores [batch, items]" in text
        assert text.endswith('see "Point-wise models" in docs/in_keras.md.')
    assert said(fit) == []


def test_the_docs_have_the_chapter():
    page = pathlib.Path(__file__).parents[2] / "docs" / "in_keras.md"
    assert "\n## Point-wise models\n" in page.read_text()


@pytest.mark.each_backend
@pytest.mark.long
def test_a_collection_warns_once():
    metrics = krm.MetricCollection([*krm.NDCG.at(1, 5), krm.RecallAtK(k=5)])
    made = model([metrics])
    [text] = said(lambda: made.evaluate(ROWS, GRADES, 8, verbose=0))
    assert text.startswith("metric_collection: ")
    assert ONE_LIST in text


@pytest.mark.each_backend
@pytest.mark.long
def test_weighted_metrics_warn():
    made = model([], weighted_metrics=[krm.NDCG(k=5)])
    weights = np.ones(20)

    def evaluate():
        made.evaluate(ROWS, GRADES[:, None], 8, 0, sample_weight=weights)

    assert len(said(evaluate)) == 1


def test_a_direct_call_warns_of_lists_of_one_item():
    [text] = said(lambda: krm.NDCG()(GRADES[:, None], ROWS[:, :1]))
    assert f"of the shape (20, 1) {OF_ONE_ITEM}" in text
    [text] = said(lambda: krm.NDCG().per_list(GRADES[:, None], ROWS[:, :1]))
    assert OF_ONE_ITEM in text


def test_a_direct_call_warns_of_rows_of_one_score():
    [text] = said(lambda: krm.NDCG()(GRADES, ROWS[:, :1]))
    assert "scores of the shape (20, 1) are one list" in text


@pytest.mark.each_backend
@pytest.mark.long
def test_lists_do_not_warn():
    features = ROWS.reshape((4, 5, 3))
    labels = GRADES.reshape((4, 5))
    metric = krm.NDCG(k=5)
    made = model([krm.NDCG(k=5)], (5, 3))

    def all_calls():
        made.fit(features, labels[..., None], 3, verbose=0)
        made.evaluate(features, labels[..., None], 3, verbose=0)
        metric(labels, features[..., 0])
        metric(labels, features[..., :1])
        metric(labels[0], features[0, :, 0])  # a single list
        metric([[1]], [[0.5]])  # a batch of one list of one item
        metric([[]], [[]])
        metric(np.zeros((0, 1)), np.zeros((0, 1)))

    assert said(all_calls) == []


@pytest.mark.parametrize("inputs", ["sparse", "ids"])
def test_other_forms_do_not_warn(inputs):
    metric = krm.HitRateAtK(k=1, inputs=inputs)
    assert said(lambda: metric([1, 0], [[1, 0], [1, 0]])) == []
