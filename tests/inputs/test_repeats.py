"""Lists that are there again, systems in one column, and labels from scores."""

import itertools
import warnings

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.engine.checks import Facts

_RNG = np.random.default_rng(5)
_LABELS = _RNG.integers(0, 3, (60, 20))
_SCORES = _LABELS + _RNG.normal(size=(60, 20))
_QUERY = np.repeat(np.arange(60), 20)


def words_of(call):
    """Return the warnings of a call, and the notes of its result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    report = getattr(result, "report", None)
    notes = () if report is None else report.notes
    return [*(str(x.message) for x in caught), *notes]


def facts_of(lists, scores, labels, chunks=1):
    """Return the facts of rows that come in chunks of whole lists."""
    found = Facts()
    ends = np.linspace(0, lists.max() + 1, chunks + 1)
    for first, last in itertools.pairwise(ends):
        at = (lists >= first) & (lists < last)
        own = Facts()
        own.add_whole(lists[at], scores[at], labels[at])
        found += own
    return found


@pytest.mark.parametrize("chunks", [1, 3, 7])
@pytest.mark.parametrize("number", [60, 9000])  # more lists than are compared
def test_lists_that_are_there_again(chunks, number):
    labels = _RNG.integers(0, 3, (number, 5))
    scores = _RNG.normal(size=labels.shape)
    lists = np.repeat(np.arange(3 * number), 5)
    columns = (np.tile(x, (3, 1)).ravel() for x in (scores, labels))
    assert facts_of(lists, *columns, chunks=chunks).repeats.times == 3
    others = _RNG.normal(size=3 * scores.size), np.tile(labels, (3, 1)).ravel()
    assert facts_of(lists, *others, chunks=chunks).repeats.times == 1


def test_scores_of_popular_items_are_no_lists_that_are_there_again():
    lists = np.repeat(np.arange(300), 10)
    labels = np.eye(10)[np.arange(300) % 10].ravel()
    scores = np.tile(_RNG.normal(size=10), 300)
    assert facts_of(lists, scores, labels).repeats.times == 1


def test_a_gate_says_that_its_lists_are_there_again():
    new = _SCORES + 0.3 * _RNG.normal(size=_SCORES.shape)
    systems = {"old": np.tile(_SCORES, (20, 1)), "new": np.tile(new, (20, 1))}
    labels = np.tile(_LABELS, (20, 1))
    found = words_of(lambda: krm.compare(labels, systems, "NDCG@10"))
    assert any("20 times or more" in x for x in found)


@pytest.mark.parametrize("in_turns", [False, True])
def test_systems_in_one_column(in_turns):
    times = np.repeat if in_turns else np.tile
    query, labels = times(_QUERY, 3), times(_LABELS.ravel(), 3)
    scores = _RNG.normal(size=len(query))
    found = words_of(
        lambda: krm.evaluate_rows(query, labels, scores, "NDCG@10")
    )
    assert any("3 systems in one column" in x for x in found)


@pytest.mark.parametrize(
    "pattern",
    [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0], [1, 1, 1, 0, 0, 0]],
)
def test_negatives_after_each_positive_are_no_systems(pattern):
    labels = np.tile(pattern, (60, 4))
    query = np.repeat(np.arange(60), labels.shape[1])
    scores = labels + _RNG.normal(size=labels.shape)
    columns = labels.ravel(), scores.ravel()
    assert not words_of(lambda: krm.evaluate_rows(query, *columns, "NDCG@10"))


def test_what_argsort_returned_for_all_rows_or_columns():
    rows = np.argsort(-_SCORES.ravel())
    table = {"query": _QUERY, "label": _LABELS.ravel(), "score": rows}
    columns = np.argsort(-_SCORES, 0)
    of_both = {
        "in all rows": lambda: krm.evaluate(table, metrics="NDCG@10"),
        "in each column": lambda: krm.evaluate(_LABELS, columns, "NDCG@10"),
    }
    for where, call in of_both.items():
        assert any(where in x for x in words_of(call))
    ranks = np.argsort(np.argsort(_SCORES.ravel()))
    right = krm.evaluate_rows, _QUERY, _LABELS.ravel(), ranks, "NDCG@10"
    assert not words_of(lambda: right[0](*right[1:]))


def test_labels_that_one_score_parts():
    labels = (_SCORES > 0.5).astype(int)
    found = words_of(lambda: krm.evaluate(labels, _SCORES, "NDCG@10"))
    assert any("all others lower ones" in x for x in found)
    some = labels.copy()
    some[0, np.argmax(_SCORES[0])] = 0
    assert not words_of(lambda: krm.evaluate(some, _SCORES, "NDCG@10"))
    few = labels[:19], _SCORES[:19]
    assert not any(
        "lower ones" in x
        for x in words_of(lambda: krm.evaluate(*few, "NDCG@10"))
    )


def test_the_best_score_for_items_that_were_not_scored():
    """As a pivot that is filled with 0; to turn scores round helps nobody."""
    rng = np.random.default_rng(0)
    scores = np.where(rng.random(_SCORES.shape) < 0.7, 0.0, _SCORES - 10)
    [found] = words_of(lambda: krm.evaluate(_LABELS, scores, "NDCG@10"))
    assert "one score for most items" in found
    assert not words_of(lambda: krm.evaluate(_LABELS, -scores, "NDCG@10"))


def dicts(rename=str):
    """Return a truth, and a run with other names of items."""
    both = []
    for values, own in ((_LABELS, str), (_SCORES, rename)):
        both.append(
            {
                f"q{i}": {
                    own(f"d{20 * i + j}"): float(x) for j, x in enumerate(row)
                }
                for i, row in enumerate(values)
            }
        )
    return both


@pytest.mark.parametrize(
    "rename, words",
    [
        (lambda x: "nan" if x.endswith("3") else x, "missing or padding"),
        (lambda x: "doc_" * (int(x[1:]) % 2) + x, "prefix before a mark"),
        (lambda x: "i-20:" * (int(x[1:]) // 20 % 2) + x, "prefix before a"),
        (lambda x: f"[{x}]" if int(x[1:]) % 2 else x, "quotes or a mark"),
    ],
)
def test_ids_of_a_run(rename, words):
    truth, run = dicts(rename)
    run = {q: dict(items) for q, items in run.items()}
    found = words_of(lambda: krm.evaluate(truth, run, "NDCG@10"))
    assert any(words in x for x in found), found
    assert not words_of(lambda: krm.evaluate(*dicts(), "NDCG@10"))
