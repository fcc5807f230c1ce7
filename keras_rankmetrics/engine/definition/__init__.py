"""Definitions of metrics: everything about a metric except its state."""

from keras_rankmetrics.engine.definition.constructor import (
    check_names,
    checks_names,
    declared,
    parameter,
    takes,
)
from keras_rankmetrics.engine.definition.definition import Definition
from keras_rankmetrics.engine.definition.options import (
    check_no_row_numbers,
    derived,
)

__all__ = [
    "Definition",
    "check_names",
    "check_no_row_numbers",
    "checks_names",
    "declared",
    "derived",
    "parameter",
    "takes",
]
