"""`krm gate`: a verdict on a run, for a build that fails if a metric drops."""

from __future__ import annotations

import argparse
import os

from keras_rankmetrics.command import reading
from keras_rankmetrics.comparing import Compared, Verdict
from keras_rankmetrics.comparing.results import KIND


def verdicts(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return a verdict for each metric as text, and the worst exit code."""
    candidate, baseline = arguments.candidate, arguments.baseline
    reading.check_outputs(arguments, [candidate, baseline])
    saved = _saved(baseline)
    names = reading.names_of([candidate] if saved else [baseline, candidate])
    compared, _ = reading.compared_of(arguments, names)
    name, level = names[candidate], arguments.confidence
    if arguments.save:
        alone = Compared(compared.measured, baseline=name)
        reading.write(arguments.save, alone.to_json())
    compared = saved.join(compared) if saved else compared
    found = [
        compared.gate(metric, name, tolerance=arguments.tolerance, level=level)
        for metric in compared.signatures
    ]
    show = Verdict.to_markdown if arguments.markdown else str
    # A failure, 1, is worse than an undecided verdict, 3.
    code = min((v.exit_code for v in found if not v), default=0)
    return "\n".join(map(show, found)), code


def _saved(path: str) -> Compared | None:
    """Return the baseline of a saved comparison, or None for a run."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        if KIND.encode() not in file.read(2 * len(KIND)):
            return None
        file.seek(0)
        found = Compared.from_json(file.read())
    name = f"{found.baseline} of {os.path.basename(path)}"
    systems = {name: found.measured.systems[found.baseline]}
    return Compared(found.measured._replace(systems=systems))
