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
    if len(reading.distinct([candidate, baseline])) < 2:
        raise ValueError(f"CANDIDATE and BASELINE are one file: {candidate}.")
    saved = _saved(baseline)
    names = reading.names_of([candidate] if saved else [baseline, candidate])
    compared, _ = reading.compared_of(arguments, names)
    name, level = names[candidate], arguments.confidence
    if arguments.save:
        alone = Compared(compared.measured, baseline=name)
        reading.write(arguments.save, alone.to_json())
    if saved:
        compared = _joined(saved, compared, arguments)
    found = [
        compared.gate(metric, name, tolerance=arguments.tolerance, level=level)
        for metric in compared.signatures
    ]
    show = Verdict.to_markdown if arguments.markdown else str
    # A failure, 1, is worse than an undecided verdict, 3.
    code = min((v.exit_code for v in found if not v), default=0)
    return "\n".join(map(show, found)), code


def _saved(path: str) -> bytes | None:
    """Return the text of a saved comparison, or None for a run."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        head = file.read(2 * len(KIND))
        return head + file.read() if KIND.encode() in head else None


def _joined(
    text: bytes, compared: Compared, arguments: argparse.Namespace
) -> Compared:
    """Return the baseline of a saved comparison, and the candidate.

    Raise ValueError if they do not have the same metrics, queries and labels.
    """
    path = arguments.baseline
    try:
        saved = Compared.from_json(text)
        name = f"{saved.baseline} of {os.path.basename(path)}"
        systems = {name: saved.measured.systems[saved.baseline]}
        measured = saved.measured._replace(systems=systems)
        same = measured.by(compared.measured.measures)
        return Compared(same).join(compared)
    except ValueError as error:
        raise ValueError(
            f"{path} is no baseline for {arguments.qrels}: {error} Save it "
            f"again: `krm eval QRELS RUN -m ... --save {path}`."
        ) from None
