"""The metrics, one file per family.

Each measure is a pure function of a ranking, defined above its class and named
like the metric in results. It takes a `Ranking`, the cutoff `k` (None: all
ranks) and its options as keyword arguments, and returns one value per list. The
gains of labels and the order of tied items are decided by the ranking. What all
metrics have in common is documented on `RankingMetric`.
"""

# ruff: noqa: F403

import typing

from keras_rankmetrics.engine.naming import no_attribute as _no_attribute
from keras_rankmetrics.metrics import (
    average_precision,
    beyond_accuracy,
    coverage,
    discounted,
    hits,
    incomplete,
    multi_value,
    pairwise,
    sampled,
    subtopics,
)
from keras_rankmetrics.metrics.aliases import suggestion as _suggestion
from keras_rankmetrics.metrics.average_precision import *
from keras_rankmetrics.metrics.beyond_accuracy import *
from keras_rankmetrics.metrics.coverage import *
from keras_rankmetrics.metrics.discounted import *
from keras_rankmetrics.metrics.hits import *
from keras_rankmetrics.metrics.incomplete import *
from keras_rankmetrics.metrics.multi_value import *
from keras_rankmetrics.metrics.pairwise import *
from keras_rankmetrics.metrics.sampled import *
from keras_rankmetrics.metrics.subtopics import *

__all__: list[str] = []
__all__ += average_precision.__all__
__all__ += beyond_accuracy.__all__
__all__ += coverage.__all__
__all__ += discounted.__all__
__all__ += hits.__all__
__all__ += incomplete.__all__
__all__ += multi_value.__all__
__all__ += pairwise.__all__
__all__ += sampled.__all__
__all__ += subtopics.__all__

if not typing.TYPE_CHECKING:

    def __getattr__(name):
        """Raise an error that names the metric the user probably means."""
        raise _no_attribute(__name__, name, _suggestion(name, __all__))
