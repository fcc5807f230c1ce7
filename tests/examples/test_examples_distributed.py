"""The examples of several processes and devices, started as a user would."""

import pathlib

import keras
import pytest
from scripts import printed

FOLDER = pathlib.Path(__file__).parents[2] / "docs/examples/distributed"
NAMES = sorted(p.stem for p in FOLDER.glob("*.py") if p.stem != "ranked")
BACKEND = keras.config.backend()


def ran(name, *arguments):
    """What the example prints."""
    return printed(FOLDER / f"{name}.py", *arguments, KERAS_BACKEND=BACKEND)


def of_backend(name):
    if not name.startswith(BACKEND):
        pytest.skip(f"{name} is for another backend than {BACKEND}")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_help(name):
    of_backend(name)
    assert "--lists" in ran(name, "--help")


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_all_together_have_the_number_of_one(name):
    of_backend(name)
    lines = ran(name, "--lists=21").splitlines()
    lines = [line for line in lines if " lists " in line]  # jax says more
    told = {line[:24].strip(): line[24:].split() for line in lines}
    repeating = told.pop("all ranks, repeating", None)
    one, together = told.values()
    assert one[-2:] == together[-2:] == ["lists", "21"]
    assert one[::2] == together[::2] and len(one) == 8
    for value, other in zip(one[1:6:2], together[1:6:2], strict=True):
        assert float(value) == pytest.approx(float(other), abs=2e-6)
    assert name != "torch_ddp" or repeating[-1] == "22"
