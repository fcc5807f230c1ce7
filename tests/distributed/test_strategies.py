"""Metrics under the strategies of TensorFlow, beside one replica."""

import functools

import numpy as np
import processes
import pytest

pytestmark = [
    pytest.mark.only_on(
        "tensorflow", reason="these are strategies of TensorFlow"
    ),
    pytest.mark.long,
]


@functools.cache
def mirrored():
    [said] = processes.run("strategies:mirrored", processes=1, devices=2)
    return said


@functools.cache
def workers():
    return processes.run("strategies:of_workers", processes=2)


@pytest.mark.parametrize("way", ["fit", "evaluate"])
def test_replicas_have_the_numbers_of_one(way):
    one, two = mirrored()[way]
    assert len(one) == 5
    assert two == pytest.approx(one, abs=1e-6)


@pytest.mark.parametrize("way", ["loop", "synced"])
def test_a_loop_has_the_numbers_of_one_replica(way):
    for of_one, found in zip(mirrored()["one"], mirrored()[way], strict=True):
        assert found == pytest.approx(of_one, abs=1e-6)


def test_no_rounding_is_lost():
    assert set(np.ravel(mirrored()["rest"])) == {1 + 2.0**-30}


def test_a_state_is_set_as_it_was():
    assert mirrored()["restored"] == [True, 4, 4]


def test_reset_clears_all_replicas():
    assert mirrored()["cleared"] == 0


@pytest.mark.parametrize("way", ["read", "synced"])
def test_workers_have_the_numbers_of_one(way):
    for said in workers():
        for of_one, found in zip(said["one"], said[way], strict=True):
            assert found == pytest.approx(of_one, abs=1e-6)


def test_the_copy_belongs_to_its_process():
    for said in workers():
        assert said["again"] == said["synced"][1]


def test_workers_refuse_metrics_that_differ():
    for said in workers():
        assert "NDCG@2|" in said["refused"] and "NDCG@3|" in said["refused"]


def test_keras_cannot_fit_on_several_workers():
    """Once this fails, Keras has been mended, and the page should say so."""
    for said in workers():
        assert said["fit"].startswith("ValueError: Attempt to convert a value")
