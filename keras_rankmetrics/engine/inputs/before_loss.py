"""The weights that the user passed, before a loss of Keras changed them.

`keras.Loss` multiplies weights by its mask, which combines the mask of `y_pred`
and that of `ignore_class`. torch does it in place, so the metrics of `compile`,
which come next, receive the product. If the reduction is a mean, the weights of
each batch are also divided by its share of entries that are not masked.
"""

from __future__ import annotations

from typing import Any

import keras

from keras_rankmetrics.engine.backend import cache_keys, keras_internals
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.shapes import squeezed
from keras_rankmetrics.types import Tensor

_WARNING = (
    "`sample_weight` should be the weights passed to the model. Received: "
    "weights that were changed in place, as a masked loss does on torch, by a "
    "factor that depends on the batch. Use a loss with "
    '`reduction="mean_with_sample_weight"`: see docs/masks.md.'
)


def before_loss(
    y_true: Any, y_pred: Any, weights: Any
) -> tuple[Any, str | None]:
    """Return the weights without the factor of a masked loss, and a warning.

    The weights of masked entries stay 0. If the factor is unknown, nothing
    changes, and there is a warning.

    Args:
        y_true: as passed to the metric.
        y_pred: as passed to the metric.
        weights: as passed to the metric, after the loss.
    """
    times = cache_keys.writes(weights)
    _, loss = (times and keras_internals.compiled_model()) or ((), None)
    if not any(map(_is_mean, keras.tree.flatten(loss))):
        return weights, None
    valid, filled = _valid(loss, y_true, y_pred), _share(weights != 0)
    share = 1.0 if valid is None else _share(valid)
    if filled == 1 or filled > share:  # no mask, or the loss changed a copy
        return weights, None
    # More zeros than masked entries are those of the user, or of a mask that
    # only the loss knows. More writes are those of another output.
    is_known = filled == share or _is_of_keras(loss)
    if valid is not None and times == 1 and is_known:
        return weights * share, None
    return weights, _WARNING


def _is_mean(loss: Any) -> bool:
    reduction = getattr(loss, "reduction", "mean")
    return loss is not None and reduction in ("mean", "sum_over_batch_size")


def _is_of_keras(loss: Any) -> bool:
    return isinstance(loss, str) or type(loss).__module__.startswith("keras.")


def _share(mask: Tensor) -> float:
    return float(ops.mean(ops.cast(mask, "float32")))


def _valid(loss: Any, y_true: Any, y_pred: Any) -> Tensor | None:
    """Return False for entries that `y_pred` or the loss masks; or None."""
    mask = keras_internals.implicit_mask(y_pred)
    ignored = getattr(loss, "ignore_class", None)
    if ignored is None:
        return mask
    valid = y_true != ignored
    return valid if mask is None else mask & squeezed(valid, len(mask.shape))
