"""The first import of Keras: chooses a backend, or says what to install."""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys

# Which backend computes what the command prints.
#
# The numbers do not depend on it. So it is the one that starts soonest and
# needs no compilation. It must be chosen before Keras is imported, which is
# when `python -m keras_rankmetrics` imports this package.

_MODULES = ("keras_rankmetrics", "keras_rankmetrics.conventions")
_VARIABLE = "KERAS_BACKEND"
# With what Keras needs for it: its own numpy backend imports jax.
_LIGHTEST_FIRST = {"numpy": "jax", "tensorflow": "tensorflow", "torch": "torch"}


def choose_backend() -> None:
    """Tells Keras the lightest backend, where the command runs.

    A backend that the environment names stays. Keras writes its file
    `keras.json` by itself, so what stands there is no wish of the user.
    """
    if not _is_command() or os.environ.get(_VARIABLE):
        return
    for backend, package in _LIGHTEST_FIRST.items():
        if importlib.util.find_spec(package) is not None:
            os.environ[_VARIABLE] = backend
            # TensorFlow logs to stderr what no user of a command asks for.
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            return


def _is_command() -> bool:
    program = pathlib.Path(sys.argv[0]).name if sys.argv else ""
    if program == "-m":  # as long as Python imports the packages above
        return any(argument in _MODULES for argument in sys.orig_argv)
    return program.removesuffix(".exe") == "krm"


# Says what to install, where Keras has no backend.
#
# Importing this module imports Keras. It comes before all that needs Keras.

EXTRAS = ("tensorflow", "jax", "torch")


def advice(backend: str) -> str:
    """What to do if Keras is set to a backend that is not installed."""
    others = [extra for extra in EXTRAS if extra != backend]
    return (
        f"Keras is set to the backend `{backend}`, which is not installed. "
        f'Install it: `pip install "keras_rankmetrics[{backend}]"`. Or install '
        "another one, by the extra "
        + " or ".join(f"`[{extra}]`" for extra in others)
        + ", and set the environment variable KERAS_BACKEND to "
        + " or ".join(f"`{extra}`" for extra in others)
        + "."
    )


choose_backend()

try:
    import keras  # noqa: F401
except ModuleNotFoundError as error:
    if error.name not in EXTRAS:
        raise
    raise ModuleNotFoundError(advice(error.name), name=error.name) from None
