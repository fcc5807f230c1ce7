"""Ranking metrics for Keras 3: exact, fast, and they say what they measure."""

import importlib
import sys
import typing

from keras_rankmetrics.loading import FirstImport as _FirstImport
from keras_rankmetrics.version import __version__

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
    from keras_rankmetrics import public as public
    from keras_rankmetrics import types as types
    from keras_rankmetrics.catalogues import count_ranks
    from keras_rankmetrics.comparing.compare import compare
    from keras_rankmetrics.comparing.compared import Compared
    from keras_rankmetrics.public import *  # noqa: F403
    from keras_rankmetrics.tables.chunks import Rows
    from keras_rankmetrics.tables.rows import evaluate_rows

    __all__: list[str] = [
        "Compared",
        "Rows",
        "__version__",
        "compare",
        "count_ranks",
        "evaluate_rows",
    ]
    __all__ += public.__all__
else:

    def __getattr__(name):
        """Import a name at its first use, or suggest a name that exists."""
        if name in _MODULES:
            return importlib.import_module(f"{__name__}.{name}")
        if f"{__name__}.public" not in sys.modules:
            _load()
            if name in globals():
                return globals()[name]
        if name in _AT_FIRST_USE:
            module = f"{__name__}.{_AT_FIRST_USE[name]}"
            return getattr(importlib.import_module(module), name)
        from keras_rankmetrics.engine.naming.names import no_attribute
        from keras_rankmetrics.metrics.names import suggestion

        raise no_attribute(__name__, name, suggestion(name, __dir__()))


def __dir__() -> list[str]:
    """Return the public names and the public modules."""
    return sorted([*sys.modules[__name__].__all__, *_MODULES])


def _load() -> None:
    """Import Keras and all names that are registered with it."""
    if _first_import in sys.meta_path:
        sys.meta_path.remove(_first_import)
    public = importlib.import_module(f"{__name__}.public")
    names = {name: getattr(public, name) for name in public.__all__}
    every = [*names, *_AT_FIRST_USE, "__version__"]
    globals().update(names, __all__=sorted(every))


_first_import = _FirstImport(__name__, _load)
if "keras" in sys.modules:
    _load()
else:
    sys.meta_path.insert(0, _first_import)
