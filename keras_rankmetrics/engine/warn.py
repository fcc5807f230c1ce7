"""Warnings that point at the line of the user."""

from __future__ import annotations

import os
import sys
import warnings

import keras

_INSIDE = tuple(
    os.path.dirname(path) + os.sep
    for path in (os.path.dirname(__file__), keras.__file__)
)


def warn(text: str) -> None:
    """Warn of a mistake, at the first line outside of this package and Keras.

    Args:
        text: what was expected, what was received, and what to do.
    """
    frame, depth = sys._getframe(), 0
    while frame.f_back and frame.f_code.co_filename.startswith(_INSIDE):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(text, UserWarning, stacklevel=depth + 1)
