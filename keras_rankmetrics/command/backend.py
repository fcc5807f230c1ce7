"""The backend that `krm` computes with."""

from __future__ import annotations

import importlib.util
import os

_VARIABLE = "KERAS_BACKEND"
# Each with what Keras needs for it: its own numpy backend imports jax.
_LIGHTEST_FIRST = {"numpy": "jax", "tensorflow": "tensorflow", "torch": "torch"}


def choose_backend() -> None:
    """Set the backend that starts soonest, before Keras is imported.

    The numbers do not depend on the backend. One named by the environment
    stays. Keras writes its file `keras.json` by itself, so the backend in it is
    no choice of the user.
    """
    if os.environ.get(_VARIABLE):
        return
    for backend, package in _LIGHTEST_FIRST.items():
        if importlib.util.find_spec(package) is not None:
            os.environ[_VARIABLE] = backend
            # TensorFlow logs to stderr, where the errors of `krm` go.
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            return
