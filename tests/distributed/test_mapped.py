"""`shard_map`, `pmap`, `vmap` and `scan` of jax, for every metric."""

import functools

import keras
import processes
import pytest

if keras.config.backend() != "jax":
    pytest.skip("transformations of jax", allow_module_level=True)

import mapped

pytestmark = pytest.mark.long
all_metrics = pytest.mark.parametrize("name", mapped.NAMES)


@functools.cache
def said(function):
    [found] = processes.run(
        f"mapped:{function}", 1, devices=mapped.DEVICES, seconds=3600
    )
    return found


@all_metrics
def test_states_and_values_have_the_types_of_one_device(name):
    assert said("traced")[name] == dict.fromkeys(mapped.WAYS, "")


@pytest.mark.parametrize("name", mapped.EXECUTED)
def test_states_are_those_of_one_device_to_the_bit(name):
    assert said("executed")[name] == dict.fromkeys(mapped.WAYS, 0.0)
