"""Runs of the benchmarks as if measured: nothing is timed here."""

from tests.tools.benchmarks.circumstances import Circumstances
from tests.tools.benchmarks.measurement import Measurement, Run

HERE = Circumstances("the command", "2026-01-02", "a machine", "3.11.0")


def run(scenario, mode, load=1.0, accelerator="", **fields):
    """A run of contenders that are added to it by `measured`."""
    versions = {"keras": "3.15", "numpy": "2.0"}
    return Run(
        scenario,
        mode,
        "2 x 3",
        versions=versions,
        load=load,
        accelerator=accelerator,
        source="abc",
        **fields,
    )


def measured(of_run, contender, *values, **fields):
    """Adds a contender with these values, one for each round."""
    of_run.measurements.append(
        Measurement(contender, values=list(values), **fields)
    )
    return of_run


def batches():
    """Two batches: in the first one nobody is ahead of us."""
    ltr = run("ltr", "jax")
    measured(ltr, "reference", 1.0, 1.0)
    measured(ltr, "keras_rankmetrics", 2.0, 2.0)
    measured(ltr, "keras_rankmetrics-collection", 1.5, 1.5)
    measured(ltr, "keras_rankmetrics-stable", 1.0, 1.0)
    measured(ltr, "keras_rs", 20.0, 20.0)
    measured(ltr, "rax", 40.0, 40.0)

    ids = run("ids", "torch", load=3.0)
    measured(ids, "reference", 1.0)
    measured(ids, "keras_rankmetrics", 10.0)
    measured(ids, "keras_rankmetrics-collection", 2.0)
    measured(ids, "ranx", 5.0, head_start="ranked before")
    measured(ids, "rectools", 4.0)
    measured(ids, "torch_geometric", 1.0, covers="8 of 9 metrics")
    measured(ids, "replay", failure="not installed")
    return [ltr, ids]
