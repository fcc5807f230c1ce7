"""The shapes of batches: on jax they are few, since each is compiled anew."""

import contextlib

import keras
import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.comparing import values
from keras_rankmetrics.comparing.joining import Joined
from keras_rankmetrics.comparing.values import ListsSoFar
from keras_rankmetrics.tables.ragged import (
    Ragged,
    by_length,
    by_width,
    computing,
    few_widths,
)

BUDGET = 2**22
METRICS = [krm.NDCG(10), krm.MeanAveragePrecision(), krm.AUC()]


def joined(lengths):
    items = int(np.sum(lengths))
    labels, scores = np.ones(items, "float32"), np.arange(items, dtype="f4")
    return Joined(np.arange(len(lengths)), np.array(lengths), labels, scores)


def shapes(lengths):
    lists = {"labels": Ragged(np.ones(lengths.sum(), "f4"), lengths)}
    batches = by_width(lists, {"labels": -1.0}, values._ITEMS)
    return {arrays["labels"].shape for _, arrays in batches}


def of_very_different_lengths(number, seed=0):
    rng = np.random.default_rng(seed)
    return np.exp(rng.uniform(np.log(3), np.log(1200), number)).astype(int)


@pytest.mark.parametrize("seed", range(3))
def test_a_width_is_less_than_twice_the_length(seed):
    lengths = of_very_different_lengths(2000, seed)
    widths = few_widths(lengths, padding=0)
    assert (widths >= lengths).all()
    assert (widths < 2 * np.maximum(lengths, 11)).all()
    assert set(widths) == {20, 40, 80, 160, 320, 640, 1280}


@pytest.mark.parametrize("padding", [10, 1000, 100_000, BUDGET])
def test_merging_widths_adds_that_many_items_at_most(padding):
    lengths = of_very_different_lengths(5000)
    least, found = (few_widths(lengths, x) for x in (0, padding))
    assert set(found) <= set(least)
    assert (found >= least).all()
    assert (found - least).sum() <= padding


def test_a_few_long_lists_do_not_pad_many_short_ones():
    lengths = np.append(np.full(100_000, 16), np.arange(1, 129))
    widths = few_widths(lengths, BUDGET)
    assert (widths[:100_000] <= 40).all()
    assert set(widths) <= {20, 40, 160}
    assert widths.sum() <= 2 * lengths.sum() + 20 * 10 + BUDGET


def test_the_length_of_a_width_fits():
    lengths = np.array([1, 19, 20, 21, 40, 41, 1280, 1281, 20 * 2**20])
    expected = [20, 20, 20, 40, 40, 80, 1280, 2560, 20 * 2**20]
    assert few_widths(lengths, 0).tolist() == expected


@pytest.mark.not_on("jax", reason="it rounds the numbers of rows and items")
@pytest.mark.parametrize("subtopics", [0, 3])
def test_batches_of_similar_lengths_hold_each_list_once(subtopics):
    lengths = of_very_different_lengths(3000)
    shape = (lengths.sum(), subtopics) if subtopics else (lengths.sum(),)
    numbers = np.repeat(np.arange(len(lengths)), lengths)
    values = np.broadcast_to(
        numbers.reshape(-1, *(1,) * bool(subtopics)), shape
    )
    seen, size = [], 0
    for taken, arrays in by_length({"x": Ragged(values, lengths)}, {"x": -1}):
        batch = arrays["x"] if not subtopics else arrays["x"][:, :, -1]
        inside = np.arange(batch.shape[1]) < lengths[taken][:, None]
        assert (batch == np.where(inside, taken[:, None], -1)).all()
        assert batch.shape[1] == lengths[taken].max()
        seen += taken.tolist()
        size += batch.size
    assert sorted(seen) == list(range(len(lengths)))
    assert size < 2 * lengths.sum()


def test_nothing_to_pad():
    assert few_widths(np.array([], int), BUDGET).size == 0


@pytest.mark.parametrize("number", [50, 2000])
def test_systems_with_other_numbers_of_lists_have_one_shape(number):
    lengths = of_very_different_lengths(number)
    lengths[0] = 1200
    expected = shapes(lengths)
    assert len(expected) == 1
    for lists, length in ((0.9, 1200), (0.5, 1000), (0.97, 700)):
        fewer = lengths[: int(lists * number)]
        assert shapes(np.append(fewer, length)) == expected


def test_lists_of_many_chunks_come_together(compiled, monkeypatch):
    monkeypatch.setattr(values, "FEW_SHAPES", True)
    monkeypatch.setattr(values, "PADDING", 6)
    so_far, seen = ListsSoFar([x.definition for x in METRICS]), []
    for place, lengths in enumerate([[3, 2], [4], [1], [9], [5]]):
        chunk = joined(lengths)
        so_far.add(chunk._replace(places=chunk.places + 2 * place))
        seen.append(len(compiled))
    assert seen == [0, 1, 1, 2, 2]
    found = so_far.values()
    assert found.values.shape == (3, 6)
    assert (found.values[:2] == 1.0).all()


@pytest.fixture
def compiled(monkeypatch):
    """The shapes that metrics see, as `compare` goes on."""
    seen = []
    original = values.evaluate_batch

    def recording(definitions, passed, *rest):
        seen.append(passed[0].shape)
        return original(definitions, passed, *rest)

    monkeypatch.setattr(values, "evaluate_batch", recording)
    return seen


def of_queries(number):
    """Two systems, each of which lacks other queries and items."""
    rng = np.random.default_rng(1)
    truth, one, other = {}, {}, {}
    for query, length in enumerate(of_very_different_lengths(number)):
        items = [f"d{i}" for i in range(length)]
        truth[f"q{query}"] = {
            item: int(rng.integers(0, 3)) for item in items[::3]
        }
        scores = rng.integers(0, 50, length).astype(float)
        if query % 7:
            one[f"q{query}"] = dict(zip(items, scores, strict=True))
        if query % 5:
            some = slice(1, None, 2)
            other[f"q{query}"] = dict(
                zip(items[some], -scores[some], strict=True)
            )
    return truth, {"one": one, "other": other}


@pytest.mark.parametrize("number", [50, 200])
def test_compare_of_two_systems_has_one_shape(number, compiled, monkeypatch):
    monkeypatch.setattr(values, "FEW_SHAPES", True)
    krm.compare(*of_queries(number), METRICS)
    assert len(compiled) >= 2
    assert len(set(compiled)) == 1


@pytest.mark.long
@pytest.mark.not_on("jax", reason="it would compile many shapes")
def test_numbers_do_not_depend_on_the_shapes(monkeypatch):
    found = []
    for few_shapes in (False, True):
        monkeypatch.setattr(values, "FEW_SHAPES", few_shapes)
        found.append(krm.compare(*of_queries(50), METRICS).per_list())
    for metric in METRICS:
        np.testing.assert_allclose(
            *(np.array(each[metric.name], float) for each in found), rtol=2e-6
        )


@pytest.mark.skipif(keras.config.backend() != "torch", reason="of torch")
@pytest.mark.parametrize("wrong", [False, True])
def test_the_number_of_threads_of_torch_is_restored(wrong):
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(before + 1)
    try:
        with contextlib.suppress(ValueError), computing():
            assert torch.get_num_threads() == 1
            if wrong:
                raise ValueError
        assert torch.get_num_threads() == before + 1
        krm.evaluate([[1, 0]], [[0.5, 0.1]], "RR")
        krm.evaluate_rows([1, 1], [1, 0], [0.5, 0.1], "RR")
        assert torch.get_num_threads() == before + 1
    finally:
        torch.set_num_threads(before)
