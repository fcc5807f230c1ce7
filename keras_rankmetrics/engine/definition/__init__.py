"""What a metric is, apart from what it has seen."""

from keras_rankmetrics.engine.definition.declared import (
    declared,
    parameter,
    takes,
)
from keras_rankmetrics.engine.definition.definition import Definition

__all__ = ["Definition", "declared", "parameter", "takes"]
