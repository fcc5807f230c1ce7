"""The list of checks: what labels, scores and ids show, and what is said of it.

A door adds what it reads to `Facts`, chunk by chunk, and passes these to `say`
before it returns a number. A new check is a function of `checks.py`.
"""

from __future__ import annotations

from keras_rankmetrics.engine.checks.checks import (
    all_relevant,
    doubts,
    said_of,
    say,
    say_seen,
    take_grades,
    wrong_order,
)
from keras_rankmetrics.engine.checks.evidence import (
    covariances,
    mean_ranks,
    scaled_across,
)
from keras_rankmetrics.engine.checks.facts import (
    COLUMNS,
    OF_NAN,
    OF_NO_ID,
    OPTIONS,
    TREC,
    ZEROS,
    Facts,
    of_ties,
    steps_of,
)
from keras_rankmetrics.engine.checks.of_ids import MISSING

__all__ = [
    "COLUMNS",
    "MISSING",
    "OF_NAN",
    "OF_NO_ID",
    "OPTIONS",
    "TREC",
    "ZEROS",
    "Facts",
    "all_relevant",
    "covariances",
    "doubts",
    "mean_ranks",
    "of_ties",
    "said_of",
    "say",
    "say_seen",
    "scaled_across",
    "steps_of",
    "take_grades",
    "wrong_order",
]
