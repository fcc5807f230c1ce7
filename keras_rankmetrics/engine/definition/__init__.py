"""What a metric is, apart from what it has seen."""

from keras_rankmetrics.engine.definition.declared import declared, parameter
from keras_rankmetrics.engine.definition.definition import Definition
from keras_rankmetrics.engine.definition.options import check_choice

__all__ = ["Definition", "check_choice", "declared", "parameter"]
