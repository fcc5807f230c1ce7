"""One number on one to four ranks of torch, however lists are shared."""

import functools

import keras
import processes
import pytest
import ranks
import shares

pytestmark = [
    pytest.mark.long,
    pytest.mark.only_on("torch", reason="ranks of torch"),
]
_REDUCES = tuple(map(int, keras.__version__.split(".")[:2])) >= (3, 16)


@functools.cache
def alone():
    return shares.seen(shares.everything())


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_shares_hold_all_lists(number):
    parts = [ranks.part(rank, number) for rank in range(number)]
    assert {len(part) for part in parts} == {ranks.BATCHES}
    lists = [i for part in parts for s in part for i in range(s.start, s.stop)]
    assert lists == list(range(shares.LISTS))
    sizes = {s.stop - s.start for part in parts for s in part}
    assert len(sizes) > 1 or number == 1


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_sync(number):
    """By two collectives, whatever the number of metrics."""
    expected = {name: shares.numbers(x) for name, x in alone().items()}
    for said in processes.run("ranks:synced", number):
        assert len(said["collectives"]) == (2 if number > 1 else 0)
        for name, values in expected.items():
            assert said["numbers"][name] == pytest.approx(values, abs=1e-6)


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_evaluate(number):
    """Keras 3.16 adds metrics up over ranks, by a collective a variable."""
    if number > 1 and not _REDUCES:
        pytest.skip("Keras before 3.16 does not add metrics up over ranks")
    expected = processes.run("ranks:evaluated", 1)[0]["numbers"]
    for said in processes.run("ranks:evaluated", number):
        assert said["numbers"] == pytest.approx(expected, abs=1e-6)
        assert said["variables"] == 1
        if number > 1:
            assert 0 < said["of_ours"] <= 2 * said["steps"]


@pytest.mark.skipif(not _REDUCES, reason="Keras before 3.16 adds nothing up")
def test_nine_metrics_have_nine_collectives_in_a_step():
    """A `MetricCollection` of them has one."""
    for apart, together in processes.run("ranks:nine", 2):
        assert (apart["own"], together["own"]) == (9, 1)
        rounds = together["collectives"] // together["variables"]
        assert rounds >= 3  # as many as steps, and one at the end
        for each in (apart, together):
            assert each["collectives"] == rounds * each["variables"]


@pytest.mark.skipif(not _REDUCES, reason="Keras before 3.16 shares no dataset")
@pytest.mark.parametrize("number", [2, 3, 4])
def test_a_dataset_that_keras_shares(number):
    """Six batches on four ranks need two that are empty: see distributed.md."""
    [expected] = processes.run("ranks:sharded", 1)
    for said in processes.run("ranks:sharded", number, seconds=120):
        assert said == pytest.approx(expected, abs=1e-6)
