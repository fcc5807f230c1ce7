"""`sync` in processes that are started for it."""

import functools

import numpy as np
import processes
import pytest
import shares

import keras_rankmetrics as krm

NAMES = list(shares.metrics())
_OTHER = pytest.mark.not_on(
    "tensorflow",
    reason="processes of TensorFlow have a strategy: see test_strategies",
)


def of_processes(test):
    """Only where processes are started, which takes its time."""
    return pytest.mark.long(_OTHER(test))


@functools.cache
def everyones():
    return processes.run("syncing:all_kinds", processes=3)


@functools.cache
def alone():
    """What one process says of all lists."""
    made = shares.seen(shares.everything())
    return {name: shares.numbers(metric) for name, metric in made.items()}


def test_the_shares_are_uneven_and_hold_all_lists():
    parts = [list(shares.batches(rank, 3)) for rank in range(3)]
    assert [len(part) for part in parts] == [2, 0, 4]
    assert [[s.stop - s.start for s in part][-1] for part in parts[::2]] == [
        3,
        2,
    ]
    lists = [i for part in parts for each in part for i in range(100)[each]]
    assert lists == list(range(shares.LISTS))


@of_processes
@pytest.mark.parametrize("name", NAMES)
def test_all_processes_have_the_number_of_one(name):
    for said in everyones():
        assert said["synced"][name] == pytest.approx(alone()[name], abs=1e-6)
    assert len({repr(said["synced"][name]) for said in everyones()}) == 1


@of_processes
def test_the_metric_itself_stays_as_it_was():
    assert all(said["untouched"] for said in everyones())
    for said in everyones():
        assert said["again"] == said["synced"]["mean"]


@of_processes
def test_draws_add_up():
    one = krm.NDCG(k=2, ties="shuffle")
    for _ in range(3):
        one.update_state([[1, 0]], [[2.0, 1.0]])
    for said in everyones():
        draws, sums = said["shuffled"]
        assert draws == 3
        np.testing.assert_allclose(np.sum(sums, -1), one.state.sums.sum(-1))


@of_processes
def test_no_rounding_is_lost():
    for said in everyones():
        assert set(np.ravel(said["rest"])) == {1 + 2.0**-29}


@of_processes
def test_all_processes_refuse_metrics_that_differ():
    """And can go on: what comes after is gathered as if nothing had been."""
    for said in everyones():
        ndcg, gini, collection = said["refused"]
        assert "NDCG@2|" in ndcg and "NDCG@3|" in ndcg
        assert "in process 0\n" in ndcg and "in process 2\n" in ndcg
        assert "num_items:5" in gini and "num_items:7" in gini
        assert collection.count("NDCG@1|") == 2
        assert collection.count("NDCG@2|") == 1


@of_processes
def test_a_collection_is_gathered_at_once():
    for said in everyones():
        fingerprint, states = said["collectives"]
        assert fingerprint == 9
        collection = shares.metrics()["collection"]
        assert states == sum(s.sums.size for s in collection.state.values())


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_one_process_gets_a_copy(name):
    metric = shares.seen(shares.everything())[name]
    copied = metric.sync()
    assert type(copied) is type(metric)
    assert shares.numbers(copied) == shares.numbers(metric)
    metric.reset_state()
    assert shares.numbers(copied) == pytest.approx(alone()[name])
