"""Ranking metrics for Keras 3: exact, fast, and they say what they measure."""

# ruff: noqa: F403

import importlib
import inspect
import typing

# Explains how to install a backend, so it comes before all that needs Keras.
from keras_rankmetrics.engine.backend import keras_internals as _first  # noqa: F401

# isort: split
from keras_rankmetrics.engine.aggregates import Aggregate as Aggregate
from keras_rankmetrics.engine.aggregates import Estimate as Estimate
from keras_rankmetrics.engine.aggregates import PerList as PerList
from keras_rankmetrics.engine.aggregates import State as State
from keras_rankmetrics.engine.aggregates.paired import Difference as Difference
from keras_rankmetrics.engine.inputs.batch import pad_to as pad_to
from keras_rankmetrics.engine.metric.collection import (
    MetricCollection as MetricCollection,
)
from keras_rankmetrics.engine.metric.ranking_metric import (
    RankingMetric as RankingMetric,
)
from keras_rankmetrics.engine.ranking import Ranking as Ranking
from keras_rankmetrics.engine.ranking import Shown as Shown
from keras_rankmetrics.gains import GainTable as GainTable
from keras_rankmetrics.gains import binary_gain as binary_gain
from keras_rankmetrics.gains import exponential_gain as exponential_gain
from keras_rankmetrics.gains import (
    inverse_square_discount as inverse_square_discount,
)
from keras_rankmetrics.gains import linear_gain as linear_gain
from keras_rankmetrics.gains import log2_discount as log2_discount
from keras_rankmetrics.gains import natural_log_discount as natural_log_discount
from keras_rankmetrics.gains import original_discount as original_discount
from keras_rankmetrics.gains import reciprocal_discount as reciprocal_discount
from keras_rankmetrics.metrics import *
from keras_rankmetrics.types import UNJUDGED as UNJUDGED
from keras_rankmetrics.types import GainFn as GainFn
from keras_rankmetrics.types import RankDiscountFn as RankDiscountFn
from keras_rankmetrics.version import __version__ as __version__

_MODULES = (
    "callbacks",
    "conventions",
    "gains",
    "metrics",
    "testing",
    "types",
)
# These and what they import would double the time of the import.
_AT_FIRST_USE = {
    "Compared": "comparing",
    "Rows": "comparing",
    "Verdict": "comparing",
    "ceilings": "comparing.ceilings",
    "compare": "comparing",
    "count_ranks": "catalogues",
    "Diagnosis": "comparing.diagnose",
    "Evaluated": "comparing",
    "diagnose": "comparing.diagnose",
    "Explanation": "explaining.answers",
    "evaluate": "comparing",
    "explain": "explaining.explain",
    "evaluate_rows": "tables.evaluate_rows",
    "per_query": "tables.per_query",
    "tie_range": "comparing.tie_range",
}

if typing.TYPE_CHECKING:
    from keras_rankmetrics import callbacks as callbacks
    from keras_rankmetrics import conventions as conventions
    from keras_rankmetrics import gains as gains
    from keras_rankmetrics import metrics as metrics
    from keras_rankmetrics import testing as testing
    from keras_rankmetrics import types as types
    from keras_rankmetrics.catalogues import count_ranks as count_ranks
    from keras_rankmetrics.comparing import *
    from keras_rankmetrics.comparing.ceilings import ceilings as ceilings
    from keras_rankmetrics.comparing.diagnose import Diagnosis as Diagnosis
    from keras_rankmetrics.comparing.diagnose import diagnose as diagnose
    from keras_rankmetrics.comparing.tie_range import tie_range as tie_range
    from keras_rankmetrics.explaining.answers import Explanation as Explanation
    from keras_rankmetrics.explaining.explain import explain as explain
    from keras_rankmetrics.tables.evaluate_rows import (
        evaluate_rows as evaluate_rows,
    )
    from keras_rankmetrics.tables.per_query import per_query as per_query
else:
    __all__ = sorted(
        [
            name
            for name, x in globals().items()
            if not name.startswith("_") and not inspect.ismodule(x)
        ]
        + [*_AT_FIRST_USE, "__version__"]
    )

    def __getattr__(name):
        """Import a name at its first use, or suggest a name that exists."""
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        if name in _AT_FIRST_USE:
            module = f"{__name__}.{_AT_FIRST_USE[name]}"
            return getattr(importlib.import_module(module), name)
        from keras_rankmetrics.engine.messages import no_attribute
        from keras_rankmetrics.metrics.names import suggested_metric

        hint = suggested_metric(name, __dir__())
        raise no_attribute(__name__, name, hint)

    def __dir__():
        """Return the public names and the public modules."""
        return sorted([*__all__, *_MODULES])
