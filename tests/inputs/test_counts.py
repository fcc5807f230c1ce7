"""`inputs="counts"`: how many items stand above each relevant one, and tie."""

import re
from fractions import Fraction

import keras
import numpy as np
import pytest
from given import compiled
from in_forms import values
from keras import ops
from pytest import approx

import keras_rankmetrics as krm

BACKEND = keras.backend.backend()

# Of 9 items, the ranks 1, 4 or 5, and of another list the rank 2 and none.
RELEVANT = [[7, 3], [5, 8]]
COUNTS = {"above": [[0, 3], [1, -1]], "tied": [[0, 1], [0, 0]], "num_items": 9}


def with_counts(**changes):
    return {**COUNTS, **changes}


def test_the_ranks_that_are_told():
    found = values(krm.MeanReciprocalRank(inputs="counts"), RELEVANT, COUNTS)
    assert found == approx([1, 1 / 2])
    found = values(krm.RecallAtK(k=4, inputs="counts"), RELEVANT, COUNTS)
    assert found == approx([(1 + 1 / 2) / 2, 1 / 2])
    found = values(krm.MeanRank(inputs="counts"), RELEVANT, COUNTS)
    assert found[0] == approx((1 + 4.5) / 2)


@pytest.mark.parametrize(
    "above, size, hits",
    [(81, 10, 5), (17, 2, 2), (1000, 100, 7), (10**5, 6, 3)],
)
def test_average_precision_of_a_tie_far_down(above, size, hits):
    """The sum of precisions over its ranks is a series, here exact."""
    expected = (
        sum(
            Fraction(1, above + i)
            * (1 + Fraction((i - 1) * (hits - 1), size - 1))
            for i in range(1, size + 1)
        )
        / size
    )
    counts = {
        "above": [[above] * hits],
        "tied": [[size - 1] * hits],
        "num_items": above + size,
    }
    metric = krm.MeanAveragePrecision(inputs="counts")
    found = values(metric, [[*range(hits)]], counts)
    assert found == approx([float(expected)], rel=5e-6)


def test_an_id_that_comes_again_is_the_same_item():
    counts = {"above": [[0, 0, 1]], "tied": [[0, 0, 0]], "num_items": 9}
    recall = krm.RecallAtK(k=1, inputs="counts")
    assert values(recall, [[4, 4, 6]], counts) == approx([1 / 2])


def test_one_relevant_item_for_each_list():
    counts = {"above": [[1], [0]], "tied": [[0], [0]], "num_items": [9, 2]}
    metric = krm.MeanReciprocalRank(inputs="counts")
    assert values(metric, [4, 6], counts) == approx([1 / 2, 1])
    assert values(metric, [[4], [6]], counts) == approx([1 / 2, 1])


def test_any_leading_dimensions():
    metric = krm.NDCG(k=3, inputs="counts")
    expected = values(metric, RELEVANT, COUNTS)
    single = {"above": [0, 3], "tied": [0, 1], "num_items": 9}
    assert values(metric, RELEVANT[0], single) == approx(expected[0])
    deep = {
        "above": [COUNTS["above"]],
        "tied": [COUNTS["tied"]],
        "num_items": [[9, 9]],
    }
    assert values(metric, [RELEVANT], deep) == approx(expected[None])


def test_what_does_not_count():
    metric = krm.RecallAtK(k=1, inputs="counts")
    mask = [[True, False], [False, False]]
    found = values(metric, {"target": RELEVANT, "mask": mask}, COUNTS)
    assert found == approx([1, np.nan], nan_ok=True)
    found = values(metric, [[7, -1], [-1, -1]], COUNTS)
    assert found == approx([1, np.nan], nan_ok=True)
    metric.update_state(RELEVANT, COUNTS, [3.0, 0.0])
    assert float(metric.result()) == approx(1 / 2)
    metric.update_state(RELEVANT, COUNTS, [1.0, 4.0])
    assert float(metric.result()) == approx(4 * 0.5 / 8)


def test_ragged_rows_and_large_catalogues():
    counts = {
        "above": [[0, 9_999_998], [7]],
        "tied": [[0, 0], [0]],
        "num_items": 10**7,
    }
    metric = krm.MeanRank(inputs="counts")
    assert values(metric, [[1, 2], [3]], counts) == approx([5_000_000.0, 8.0])
    chance = krm.HitRateAtK(k=10, inputs="counts", adjusted="chance")
    found = values(
        chance, [[1], [3]], {**counts, "above": [[99], [7]], "tied": [[0], [0]]}
    )
    assert found == approx([-1e-6, 1.0], abs=1e-7)


def test_metrics_of_the_same_batch_share_it():
    metrics = [krm.NDCG(k=k, inputs="counts") for k in (1, 3)]
    alone = [float(metric(RELEVANT, COUNTS)) for metric in metrics]
    together = krm.MetricCollection(
        [krm.NDCG(k=k, inputs="counts") for k in (1, 3)]
    )(RELEVANT, COUNTS)
    assert [float(x) for x in together.values()] == approx(alone)


BROKEN = {
    "two items at the same rank": with_counts(above=[[0, 0], [1, -1]]),
    "an item at the rank of a tie": with_counts(
        above=[[3, 4], [1, -1]], tied=[[1, 0], [0, 0]]
    ),
    "more relevant items than tie": with_counts(
        above=[[3, 3], [1, -1]], tied=[[0, 0], [0, 0]]
    ),
    "a tie of two sizes": with_counts(
        above=[[3, 3], [1, -1]], tied=[[1, 2], [0, 0]]
    ),
    "below the last item": with_counts(above=[[0, 8], [1, -1]]),
    "fewer than none": with_counts(tied=[[0, -1], [0, 0]]),
    "fewer items than none": with_counts(
        above=[[-1, -1], [1, -1]], num_items=[-5, 9]
    ),
    "no items at all": with_counts(num_items=0),
    "a number that wraps around": with_counts(
        above=[[0, 2**31 - 2], [1, -1]], tied=[[0, 5], [0, 0]]
    ),
}


@pytest.fixture
def metric():
    """A metric that has seen something."""
    made = krm.NDCG(k=3, inputs="counts")
    made.update_state(RELEVANT, COUNTS)
    return made


@pytest.mark.parametrize("counts", BROKEN.values(), ids=BROKEN)
def test_counts_that_no_ranking_has(metric, counts):
    before = metric.get_state()
    with pytest.raises(ValueError, match="for the list 0, above"):
        metric.update_state(RELEVANT, counts)
    np.testing.assert_equal(metric.get_state(), before)


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.not_on("torch", "numpy", reason="they compile nothing")
@pytest.mark.parametrize("counts", BROKEN.values(), ids=BROKEN)
def test_in_a_program_they_have_no_value(counts):
    above, tied, items = (np.asarray(x, "int32") for x in counts.values())
    metric = krm.NDCG(k=3, inputs="counts")

    def per_list(above, tied, items):
        counts = {"above": above, "tied": tied, "num_items": items}
        return metric.per_list(RELEVANT, counts)

    found = compiled(per_list)(above, tied, items)
    # Of a list that nothing is wrong with, the value stays.
    expected = [np.nan, np.nan if np.all(items == 0) else values_of_second()]
    assert ops.convert_to_numpy(found) == approx(expected, nan_ok=True)


def values_of_second():
    return values(krm.NDCG(k=3, inputs="counts"), RELEVANT, COUNTS)[1]


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.not_on("torch", "numpy", reason="they compile nothing")
def test_in_a_program_as_outside():
    for metric in (
        krm.NDCG(k=3, inputs="counts"),
        krm.MeanAveragePrecision(k=10, inputs="counts"),
    ):

        def per_list(relevant, above, tied, metric=metric):
            counts = {"above": above, "tied": tied, "num_items": 9}
            return metric.per_list(relevant, counts)

        given = [RELEVANT, COUNTS["above"], COUNTS["tied"]]
        found = compiled(per_list)(*(np.asarray(x, "int32") for x in given))
        expected = values(metric, RELEVANT, COUNTS)
        assert ops.convert_to_numpy(found) == approx(expected)


@pytest.mark.only_on("jax", reason="only jax needs to know")
def test_jax_needs_to_know_how_many_ranks_there_are():
    import jax

    metric = krm.MeanReciprocalRank(inputs="counts")
    items = np.int32(9)
    with pytest.raises(ValueError, match="Give the metric a `k`"):
        jax.jit(lambda n: metric.per_list(RELEVANT, with_counts(num_items=n)))(
            items
        )


@pytest.mark.parametrize(
    "y_true, y_pred, text",
    [
        (RELEVANT, [[1, 2]], "Received: <class 'list'>"),
        (RELEVANT, {"above": [[0, 1]]}, "Received: ['above']"),
        (RELEVANT, with_counts(tied=[[0], [0]]), "Received: the shape (2, 1)"),
        (RELEVANT, with_counts(above=3), "Received: a single number"),
        (RELEVANT, with_counts(num_items=[1, 2, 3]), "the shape (3,)"),
        (RELEVANT, with_counts(above=[[0.0, 3.0], [1.0, 2.0]]), "of dtype"),
        (
            [[0, 1, 0]],
            {"above": [[0, 3, 4]], "tied": [[0, 0, 0]], "num_items": 9},
            "look like labels",
        ),
        ([[7], [5]], COUNTS, "Received: 1 ids for 2 numbers in a list"),
        ({"target": RELEVANT, "exclude": [[1], [2]]}, COUNTS, "'exclude'"),
    ],
)
def test_what_is_no_counts(metric, y_true, y_pred, text):
    before = metric.get_state()
    with pytest.raises(ValueError, match=re.escape(text)):
        metric.update_state(y_true, y_pred)
    np.testing.assert_equal(metric.get_state(), before)


@pytest.mark.parametrize("key", ["above", "tied"])
@pytest.mark.parametrize(
    "y_true, rows, text",
    [
        ([[1, 2], [3]], [[0], [0, 1]], "for the list 0, 1 numbers for 2 ids"),
        ([[1], [3, 4]], [[0, 1], [0]], "for the list 0, 2 numbers for 1 ids"),
        ([[1, 2], [3, 4]], [[0, 1], [0]], "for the list 1, 1 numbers for 2"),
    ],
)
def test_ragged_rows_of_other_lengths(metric, key, y_true, rows, text):
    """They were read as items that are not retrieved."""
    before = metric.get_state()
    others = {
        "above": [[0, 1][: len(row)] for row in y_true],
        "tied": [[0] * len(row) for row in y_true],
        "num_items": 9,
    }
    metric.per_list(y_true, others)
    with pytest.raises(ValueError, match=f"y_pred..{key}...*Received: {text}"):
        metric.update_state(y_true, {**others, key: rows})
    np.testing.assert_equal(metric.get_state(), before)


def test_padded_ids_need_no_counts():
    counts = {"above": [[4], [2, 0]], "tied": [[0], [0, 0]], "num_items": 9}
    metric = krm.MeanRank(inputs="counts")
    assert values(metric, [[1, -1], [2, 3]], counts) == approx([5.0, 2.0])


def test_one_dimension_is_one_list(metric):
    counts = {"above": [0, 3, 0], "tied": [0, 0, 0], "num_items": 9}
    with pytest.raises(ValueError, match=r"pass \[batch, 1\]"):
        metric.update_state([5, 7, 9], counts)


def test_columns_in_another_order(metric):
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    index = ["a", "b"]
    above, tied = (
        pd.DataFrame(COUNTS[name], index=index) for name in ("above", "tied")
    )
    counts = {"above": above, "tied": tied[::-1], "num_items": 9}
    with pytest.raises(ValueError, match="should have the same index"):
        metric.update_state(RELEVANT, counts)
    relevant = pd.DataFrame(RELEVANT, index=index[::-1])
    with pytest.raises(ValueError, match="should have the same index"):
        metric.update_state(relevant, with_counts(above=above, tied=tied))
    found = values(metric, RELEVANT, with_counts(above=above, tied=tied))
    assert found == approx(values(metric, RELEVANT, COUNTS))


@pytest.mark.parametrize("inputs", ["scores", "sparse", "ids"])
def test_counts_for_metrics_of_another_form(inputs):
    with pytest.raises(ValueError, match='metrics with `inputs="counts"`'):
        krm.NDCG(k=3, inputs=inputs)(RELEVANT, COUNTS)


@pytest.mark.parametrize("ties", ["stable", "shuffle"])
def test_counts_know_no_order(ties):
    with pytest.raises(ValueError, match='Use "average", "optimistic"'):
        krm.NDCG(k=3, inputs="counts", ties=ties)


def test_counts_know_no_items():
    with pytest.raises(ValueError, match="needs the ids of the items that are"):
        krm.CatalogueCoverage(k=3, num_items=9, inputs="counts")
    with pytest.raises(ValueError, match="needs the ids of the items that are"):
        krm.AveragePopularity(k=3, popularity=[1, 2], inputs="counts")
