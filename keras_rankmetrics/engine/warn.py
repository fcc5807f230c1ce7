"""Warnings that point at the line of the user, not of Keras or a backend."""

from __future__ import annotations

import os
import sys
import warnings

import keras

_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_LIBRARIES = os.path.dirname(os.path.dirname(keras.__file__))
_INSIDE = (
    _PACKAGE + os.sep,
    *(
        os.path.join(_LIBRARIES, name, "")
        for name in ("keras", "jax", "tensorflow", "torch")
    ),
)


def warn(text: str) -> None:
    """Warn of a mistake, at the first line outside of the libraries.

    Args:
        text: what was expected, what was received, and what to do.
    """
    frame, depth = sys._getframe(), 0
    while frame.f_back and frame.f_code.co_filename.startswith(_INSIDE):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth + 1)
