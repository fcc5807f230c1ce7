"""The order of items that a convention ranks by score and then by id."""

import numpy as np
import pytest

from keras_rankmetrics.comparing.joining import by_score_and_id


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", ["any order", "by score", "by score and list"])
def test_ties_are_in_the_order_of_ids(kind, sign):
    """Integers are in the order of their texts, as in other tools."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        number = int(rng.integers(0, 40))
        lists = rng.integers(0, 4, number)
        scores = rng.choice([3.0, 1.0, 0.5, -0.0, 0.0, -np.inf], number)
        items = rng.permutation(number)
        by_text = np.argsort(np.argsort(np.arange(number).astype(str)))
        if kind != "any order":
            keys = (-scores,) if kind == "by score" else (-scores, lists)
            order = np.lexsort(keys)
            lists, scores, items = (x[order] for x in (lists, scores, items))
        found = by_score_and_id(lists, scores, items, sign)
        expected = sorted(
            range(number),
            key=lambda i: (lists[i], -scores[i], sign * by_text[items[i]]),
        )
        # Items of the lowest score are not retrieved, and have no order.
        np.testing.assert_array_equal(lists[found], lists[expected])
        np.testing.assert_array_equal(scores[found], scores[expected])
        ranked = scores[expected] > -np.inf
        np.testing.assert_array_equal(
            items[found][ranked], items[expected][ranked]
        )


def test_ids_of_items_that_are_not_retrieved_are_not_sorted(monkeypatch):
    """There may be a thousand of them in a list, and sorting takes long."""
    sorted_ids = []
    unique = np.unique

    def counting(ids, **options):
        sorted_ids.extend(ids)
        return unique(ids, **options)

    monkeypatch.setattr(np, "unique", counting)
    lists = np.repeat([0, 1], 100)
    scores = np.full(200, -np.inf)
    scores[[0, 1, 100, 101]] = [2, 2, 3, 1]
    items = np.arange(200).astype(bytes)
    found = by_score_and_id(lists, scores, items, -1)
    assert sorted_ids == [b"0", b"1"]
    assert found[:2].tolist() == [1, 0]
    assert found[100:102].tolist() == [100, 101]
