"""Random tables in all forms: each door gives one number, or an error."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from runs import by_query
from test_forms_with_ids import FIELDS, FRAMES

import keras_rankmetrics as krm

METRICS = "NDCG@3 RR Recall@2 AP"
SCALE = 8.0  # scores that float32 and text have exactly


@st.composite
def tables(draw):
    """The rows of a truth and of a run, of the same queries, without ties."""
    queries = draw(
        st.lists(st.integers(-9, 9), min_size=2, max_size=4, unique=True)
    )
    items = st.lists(st.integers(20, 29), min_size=1, max_size=5, unique=True)
    truth, run = [], []
    for query in queries:
        truth += [
            (query, item, draw(st.integers(0, 3))) for item in draw(items)
        ]
        found = draw(items)
        scores = draw(st.permutations(range(-3, len(found) - 3)))
        run += [
            (query, item, score / SCALE + 1 / 16)
            for item, score in zip(found, scores, strict=True)
        ]
    assume(any(label > 0 for _, _, label in truth))
    return truth, run


def best_first(rows):
    return {
        query: sorted(items, key=items.get, reverse=True)
        for query, items in by_query(rows).items()
    }


FORMS = {
    **FRAMES,
    "dict": lambda rows, names: by_query(rows),
    "rows": lambda rows, names: krm.Rows(
        *map(np.array, zip(*rows, strict=True))
    ),
    "chunks": lambda rows, names: [FORMS["rows"](rows, names)],
}
QUICK = ("columns", "named tuples", "pandas")


def values(truth, run, **options):
    return [*krm.evaluate(truth, run, METRICS, **options).values()]


@pytest.mark.parametrize(
    "form",
    [
        form if form in QUICK else pytest.param(form, marks=pytest.mark.long)
        for form in FORMS
    ],
)
@settings(max_examples=5, deadline=None)
@given(tables())
@pytest.mark.filterwarnings("ignore:.*retrieved items are judged")
def test_all_forms_have_one_number(form, drawn):
    truth, run = drawn
    expected = values(by_query(truth), by_query(run))
    of = FORMS[form]
    for names in (FIELDS, ("uid", "movieId", "rating")):
        assert values(of(truth, names), of(run, names)) == expected
        assert values(by_query(truth), of(run, names)) == expected
        assert values(of(truth, names), best_first(run)) == expected
        odd = of(run, ("a", "b", "c"))
        try:
            found = values(by_query(truth), odd)
        except (TypeError, ValueError):
            continue
        assert found == expected
