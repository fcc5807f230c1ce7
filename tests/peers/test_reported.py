"""The values of tools, installed or stored, beside those of their conventions.

`python -m tests.tools.reported` prints how far they are apart.
"""

import pytest

import keras_rankmetrics as krm
from tests.tools.reported import __main__ as reported
from tests.tools.reported import store

pytestmark = [
    pytest.mark.peers,
    # The tools warn of much: numba of casts, and others of numpy.
    pytest.mark.filterwarnings("ignore"),
]

# What takes longest: numba compiles ranx.
LONG = ("ranx",)


def parameter(tool):
    marks = [pytest.mark.long] if tool.convention in LONG else []
    return pytest.param(
        tool, id=f"{tool.convention}-{tool.form}-{tool.grades}", marks=marks
    )


@pytest.mark.parametrize("tool", [*map(parameter, reported.tools())])
def test_values_are_those_of_the_convention(tool):
    found = reported.values_of(tool)
    if found is None:
        pytest.skip(f"{tool.package} is not installed, and has nothing stored")
    for seed, theirs in enumerate(found[1]):
        data = store.data_of(tool, seed)
        assert theirs
        ours = krm.evaluate(
            data.truth, data.run, [*theirs], convention=tool.convention
        )
        assert dict(ours) == pytest.approx(theirs, rel=0, abs=tool.tolerance)
