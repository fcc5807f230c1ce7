"""What a metric is, apart from what it has seen."""

from keras_rankmetrics.engine.definition.declared import (
    declared,
    parameter,
    takes,
)
from keras_rankmetrics.engine.definition.definition import Definition
from keras_rankmetrics.engine.definition.table import derived

__all__ = ["Definition", "declared", "derived", "parameter", "takes"]
