"""Who is measured: one small function each.

A contender takes the scenario and the mode and returns a step, or `None` where
it has nothing to offer for the two. It imports its package inside the function:
one that is not installed is a failure in the report, and nothing worse.
"""

import dataclasses
import types
from collections.abc import Callable

from tests.benchmarks.modes import Metric, Mode, Step
from tests.benchmarks.scenarios import Scenario


@dataclasses.dataclass(frozen=True)
class Contender:
    """One line of the report.

    Args:
        name: what the report and `--contenders` call it.
        build: makes its step.
        package: the module whose version the report states.
        measures: whether the results are those of the scenario's suite, and so
            must agree with the other contenders'.
    """

    name: str
    build: Callable[[Scenario, Mode], Step | None]
    package: str
    measures: bool = True


def floor(scenario: Scenario, mode: Mode) -> Step:
    """The least that must be done."""
    return mode.function(scenario.floor)


def ours(scenario: Scenario, mode: Mode) -> Step:
    """The plain list of metrics that people write."""
    import keras_rankmetrics

    return mode.metrics(
        _suite(keras_rankmetrics, scenario, inputs=scenario.inputs)
    )


def keras_rs(scenario: Scenario, mode: Mode) -> Step | None:
    """The same list, with the defaults of Keras Recommenders."""
    from keras_rs import metrics

    if scenario.inputs != "scores":
        return None
    return mode.metrics(_suite(metrics, scenario))


def _suite(
    package: types.ModuleType, scenario: Scenario, **options: str
) -> list[Metric]:
    return [
        getattr(package, name)(k=k, **options) for name, k in scenario.suite
    ]


FLOOR = "floor"
OURS = "keras_rankmetrics"

CONTENDERS = {
    contender.name: contender
    for contender in (
        Contender(FLOOR, floor, package="keras", measures=False),
        Contender(OURS, ours, package="keras_rankmetrics"),
        Contender("keras_rs", keras_rs, package="keras_rs"),
    )
}
