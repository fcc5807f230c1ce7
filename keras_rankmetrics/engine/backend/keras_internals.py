"""The first import of Keras, the only use of `keras.src`, and its `Metric`.

Import this module before all others that need Keras: it gives advice if the
backend is not installed.

Keras has no public access to the mask that layers attach to their outputs, to
the scope in which variables are stateless, or to the one in which tensors are
symbolic. It also does not report which model updates a metric, and imports
TensorFlow on every backend to save an object.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

try:
    import keras
    from keras.src.backend.common.masking import get_keras_mask
    from keras.src.backend.common.stateless_scope import get_stateless_scope
    from keras.src.backend.common.symbolic_scope import in_symbolic_scope
    from keras.src.trainers import compile_utils
    from keras.src.utils import module_utils
except ModuleNotFoundError as _error:
    _backends = ("tensorflow", "jax", "torch")
    if _error.name not in _backends:
        raise
    _others = [name for name in _backends if name != _error.name]
    raise ModuleNotFoundError(
        f"Keras is set to the backend `{_error.name}`, which is not installed. "
        f'Install it: `pip install "keras_rankmetrics[{_error.name}]"`. Or '
        "install another one with the extra "
        f"{' or '.join(f'`[{name}]`' for name in _others)}, and set the "
        "environment variable KERAS_BACKEND to "
        f"{' or '.join(f'`{name}`' for name in _others)}.",
        name=_error.name,
    ) from None

from keras_rankmetrics.types import Tensor


def implicit_mask(y_pred: Tensor) -> Tensor | None:
    """Return the mask that the model attached to its predictions, or None."""
    return get_keras_mask(y_pred)


def stateless_scope() -> keras.StatelessScope | None:
    """Return the current scope of stateless variables, or None."""
    return get_stateless_scope()


def is_symbolic() -> bool:
    """Return True in a symbolic scope, where tensors have no values."""
    return in_symbolic_scope()


def compiled_model() -> tuple[Sequence[Any], Any] | None:
    """Return the metrics and the loss of the model that updates the metric.

    The metrics have one entry for each place in `compile`. None if no compiled
    model updates the metric.
    """
    update = compile_utils.CompileMetrics.update_state.__code__
    frame = sys._getframe()
    while frame.f_back is not None:
        if frame.f_code is update:
            model = frame.f_back.f_locals.get("self")
            metrics = frame.f_locals["self"].metrics
            return metrics, getattr(model, "loss", None)
        frame = frame.f_back
    return None


def keras_config(x: Any) -> Any:
    """Return `keras.saving.serialize_keras_object(x)`.

    Keras imports TensorFlow, for seconds, to see whether `x` has one of its
    types. Before its first import, no object does.
    """
    lazy, name = module_utils.tensorflow, "_available"
    if "tensorflow" in sys.modules or getattr(lazy, name, True) is not None:
        return keras.saving.serialize_keras_object(x)
    setattr(lazy, name, False)
    try:
        return keras.saving.serialize_keras_object(x)
    finally:
        setattr(lazy, name, None)


# Keras has no types. With an untyped base, type checkers would not know the
# signature of any metric's constructor.
if TYPE_CHECKING:

    class Metric:
        """The members of `keras.metrics.Metric` that are used here."""

        name: Any
        _variables: list[keras.Variable]

        def __init__(self, name: str, dtype: Any = None) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
            ...

        def __getattr__(self, name: str) -> Any: ...

else:
    Metric = keras.metrics.Metric
