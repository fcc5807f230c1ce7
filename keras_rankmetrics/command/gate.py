"""`krm gate`: a verdict on a run, for a build that fails if a metric drops."""

from __future__ import annotations

import argparse
import os

from keras_rankmetrics.command import reading
from keras_rankmetrics.comparing import Compared, Verdict
from keras_rankmetrics.files import KIND


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
    compared = _joined(saved, compared, baseline) if saved else compared
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


def _joined(text: bytes, compared: Compared, path: str) -> Compared:
    """Return the baseline of a saved comparison, and the candidate.

    Raise ValueError if they do not have the same metrics, queries and labels.
    """
    try:
        saved = Compared.from_json(text)
        name = f"{saved.baseline} of {os.path.basename(path)}"
        same = saved.measured.by(compared.measured.measures)
        systems = {name: same.systems[saved.baseline]}
        return Compared(same._replace(systems=systems)).join(compared)
    except ValueError as error:
        remedy = f"Save it again: `krm eval QRELS RUN -m ... --save {path}`."
        raise ValueError(f"{path} is no baseline: {error}\n{remedy}") from None
