"""`keras.distribution` on virtual devices, beside one device."""

import functools

import processes
import pytest

pytestmark = [
    pytest.mark.only_on(
        "jax", reason="only jax shares the work of one program among devices"
    ),
    pytest.mark.long,
]
ON = {"one": 1, "two": 2, "four": 4, "two_by_two": 4}


@functools.cache
def said(on):
    [numbers] = processes.run(f"devices:on_{on}", 1, devices=ON[on])
    return numbers


@functools.cache
def of_processes():
    return processes.run("devices:of_processes", processes=2)


def expected():
    """That of one device, without any padding."""
    numbers = said("one")["8"]
    assert len(numbers) == 5
    # A number of one float32 has errors of 6e-8.
    return pytest.approx(numbers, rel=3e-7)


@pytest.mark.parametrize("on", ["one", "two", "four"])
@pytest.mark.parametrize("batch", ["4", "8", "20"])
def test_no_number_depends_on_devices_or_batches(on, batch):
    assert said(on)[batch] == expected()


def test_fit_has_the_same_numbers():
    assert said("four")["fit"] == expected()


def test_a_model_that_is_split():
    assert "model" in said("two_by_two")["spec"]
    assert said("two_by_two")["8"] == expected()


def test_an_explicit_mesh():
    [found] = processes.run("devices:on_explicit_mesh", 1, devices=4)
    one_device, mesh = found
    assert mesh == pytest.approx(one_device, rel=3e-7)


def test_without_padding_jax_refuses_the_last_batch():
    assert said("four")["unpadded"].startswith("IndivisibleError")


def test_processes_of_one_distribution_have_seen_all():
    """There `sync` must not add up what each process has of all."""
    for numbers in of_processes():
        assert numbers["evaluate"] == expected()
        assert numbers["counts"] == [21, 21]
