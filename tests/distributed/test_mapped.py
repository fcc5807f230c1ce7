"""`shard_map`, `pmap`, `vmap` and `scan` of jax, for every metric."""

import keras
import processes
import pytest

if keras.config.backend() != "jax":
    pytest.skip("transformations of jax", allow_module_level=True)

import mapped

pytestmark = pytest.mark.long


def said(function):
    [found] = processes.run(
        f"mapped:{function}", 1, devices=mapped.DEVICES, seconds=3600
    )
    return found


def test_states_and_values_have_the_types_of_one_device():
    no_difference = dict.fromkeys(mapped.WAYS, "")
    assert said("traced") == dict.fromkeys(mapped.NAMES, no_difference)


def test_states_are_those_of_one_device_to_the_bit():
    no_difference = dict.fromkeys(mapped.WAYS, 0.0)
    assert said("executed") == dict.fromkeys(mapped.EXECUTED, no_difference)
