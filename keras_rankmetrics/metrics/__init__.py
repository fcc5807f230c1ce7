"""The metrics, one file per family.

Each measure is a pure function of a ranking, defined above its class and named
like the metric in results. It takes a `Ranking`, the cutoff `k` (None: all
ranks) and its options as keyword arguments, and returns one value per list. The
gains of labels and the order of tied items are decided by the ranking. What all
metrics have in common is documented on `RankingMetric`.
"""

# ruff: noqa: F403

import typing

from keras_rankmetrics.engine.messages import no_attribute as _no_attribute
from keras_rankmetrics.metrics.average_precision import *
from keras_rankmetrics.metrics.beyond_accuracy import *
from keras_rankmetrics.metrics.clicks import *
from keras_rankmetrics.metrics.coverage import *
from keras_rankmetrics.metrics.discounted import *
from keras_rankmetrics.metrics.early import *
from keras_rankmetrics.metrics.hits import *
from keras_rankmetrics.metrics.judge_corrected import *
from keras_rankmetrics.metrics.multi_value import *
from keras_rankmetrics.metrics.names import suggested_metric as _suggested
from keras_rankmetrics.metrics.pairwise import *
from keras_rankmetrics.metrics.sampled import *
from keras_rankmetrics.metrics.subtopics import *
from keras_rankmetrics.metrics.summaries import *
from keras_rankmetrics.metrics.tails import *
from keras_rankmetrics.metrics.two_rankings import *
from keras_rankmetrics.metrics.unjudged import *

# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [name for name, x in globals().items() if isinstance(x, type)]

    def __getattr__(name):
        """Raise an error that names the metric the user probably means."""
        raise _no_attribute(__name__, name, _suggested(name, __all__))
