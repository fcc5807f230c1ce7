"""`krm doctor`: look for mistakes in judgements and a run."""

from __future__ import annotations

import argparse

import keras_rankmetrics as krm
from keras_rankmetrics.command.printing import with_options


def findings(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return the findings as text, and 1 if some are not just notes."""
    diagnosis = krm.diagnose(
        arguments.qrels,
        arguments.run,
        k=arguments.k,
        metrics=arguments.metrics,
        columns=arguments.columns,
        higher_is_better=not arguments.lower_is_better,
    )
    return with_options(str(diagnosis)), int(not diagnosis.ok)
