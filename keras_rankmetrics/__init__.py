"""Ranking metrics for Keras 3: exact, fast, and they say what they measure."""

# ruff: noqa: F403

import importlib
import typing

from keras_rankmetrics.public import *

# isort: split
from keras_rankmetrics.metrics import *
from keras_rankmetrics.version import __version__ as __version__

_MODULES = ("callbacks", "conventions", "gains", "metrics", "types")
# These and what they import would double the time of the import.
_AT_FIRST_USE = {
    "Compared": "comparing",
    "Rows": "comparing",
    "compare": "comparing",
    "count_ranks": "catalogues",
    "evaluate_rows": "tables.rows",
}

if typing.TYPE_CHECKING:
    from keras_rankmetrics import callbacks as callbacks
    from keras_rankmetrics import conventions as conventions
    from keras_rankmetrics import gains as gains
    from keras_rankmetrics import metrics as metrics
    from keras_rankmetrics import types as types
    from keras_rankmetrics.catalogues import count_ranks as count_ranks
    from keras_rankmetrics.comparing.compare import compare as compare
    from keras_rankmetrics.comparing.compared import Compared as Compared
    from keras_rankmetrics.tables.chunks import Rows as Rows
    from keras_rankmetrics.tables.rows import evaluate_rows as evaluate_rows
else:
    from keras_rankmetrics import metrics as _metrics
    from keras_rankmetrics import public as _public

    __all__ = sorted(
        [*_public.__all__, *_metrics.__all__, *_AT_FIRST_USE, "__version__"]
    )

    def __getattr__(name):
        """Import a name at its first use, or suggest a name that exists."""
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        if name in _AT_FIRST_USE:
            module = f"{__name__}.{_AT_FIRST_USE[name]}"
            return getattr(importlib.import_module(module), name)
        from keras_rankmetrics.engine.naming import no_attribute
        from keras_rankmetrics.metrics.aliases import suggestion

        raise no_attribute(__name__, name, suggestion(name, __dir__()))

    def __dir__():
        """Return the public names and the public modules."""
        return sorted([*__all__, *_MODULES])
