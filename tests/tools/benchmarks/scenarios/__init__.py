"""What is measured."""

import dataclasses

from tests.tools.benchmarks.batches import (
    CATALOGUE,
    CATALOGUE_100,
    COUNTED,
    FIFTEEN_METRICS,
    IDS,
    LTR,
    LTR_ALL,
    NEXT,
)
from tests.tools.benchmarks.measurement import Request
from tests.tools.benchmarks.scenarios.first_call import FirstCall
from tests.tools.benchmarks.scenarios.fit import FitEpoch
from tests.tools.benchmarks.scenarios.importing import Import
from tests.tools.benchmarks.scenarios.memory import PeakMemory
from tests.tools.benchmarks.scenarios.more_metrics import Counters, MoreMetrics
from tests.tools.benchmarks.scenarios.one_batch import OneBatch
from tests.tools.benchmarks.scenarios.scenario import Scenario

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        OneBatch(batch=CATALOGUE, rounds=15, quick_modes=("jax",)),
        OneBatch(batch=CATALOGUE_100, rounds=15, quick_modes=("tf-graph",)),
        OneBatch(batch=LTR, rounds=15),
        OneBatch(batch=LTR_ALL, rounds=15),
        OneBatch(batch=NEXT, rounds=15, quick_modes=("jax",)),
        OneBatch(batch=IDS, rounds=15),
        MoreMetrics(batch=FIFTEEN_METRICS, rounds=15),
        Counters(batch=COUNTED, rounds=15),
        FitEpoch(queries=6_000, rounds=9),
        FirstCall(
            rounds=3,
            modes=("tf-graph", "tf-xla", "jax", "torch"),
            quick_modes=("jax",),
        ),
        PeakMemory(rounds=2),
        Import(
            rounds=3,
            modes=("tf-graph", "jax", "torch"),
            quick_modes=("jax",),
        ),
    )
}


def asked_for(request: Request) -> Scenario:
    """The scenario of a request, at the size that it asks for."""
    scenario = SCENARIOS[request.scenario]
    if request.quick:
        scenario = scenario.smaller()
    if request.rounds:
        scenario = dataclasses.replace(scenario, rounds=request.rounds)
    return scenario


def is_batch(name: str) -> bool:
    """Whether what is timed is one batch that is on the device."""
    return type(SCENARIOS[name]) is OneBatch
