"""What `import` costs beyond `import keras`."""

import dataclasses
import importlib
from collections.abc import Sequence

from tests.tools.benchmarks.contenders import KERAS_RS, OURS
from tests.tools.benchmarks.measurement import Measurement
from tests.tools.benchmarks.scenarios.scenario import Scenario
from tests.tools.benchmarks.turns import Now, prepare, seconds_of, take_turns
from tests.tools.benchmarks.units import MILLISECONDS

KERAS = "keras"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Import(Scenario):
    """A package, in a process that has imported Keras and not the package."""

    name = "import"
    size = "beyond `import keras`"
    about = (
        "One `import`, each in a separate process: Keras with its backend, "
        "and the others after Keras."
    )
    contenders = (KERAS, OURS, KERAS_RS)

    unit = MILLISECONDS
    apart = True

    def measure(
        self, mode: str, contenders: Sequence[str], now: Now
    ) -> list[Measurement]:
        measurements, _ = prepare(contenders, lambda measurement: True, now)
        take_turns(measurements, _seconds, rounds=1, now=now)
        return measurements


def _seconds(package: str) -> float:
    keras = seconds_of(lambda: importlib.import_module(KERAS))
    if package == KERAS:
        return keras
    return seconds_of(lambda: importlib.import_module(package))
