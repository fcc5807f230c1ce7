"""The first import of Keras: choose a backend, or report what to install.

Importing this module imports Keras, so it comes before all that needs Keras.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import sys

# The command works on every backend and prints the same numbers. It takes the
# one that starts fastest and compiles nothing. Keras reads the choice when it
# is imported, which `python -m keras_rankmetrics` does with this package.

_MODULES = ("keras_rankmetrics", "keras_rankmetrics.conventions")
_VARIABLE = "KERAS_BACKEND"
# By the package that each needs: the numpy backend of Keras imports jax.
_LIGHTEST_FIRST = {"numpy": "jax", "tensorflow": "tensorflow", "torch": "torch"}

EXTRAS = ("tensorflow", "jax", "torch")


def choose_backend() -> None:
    """Select the lightest backend if the command is running.

    A backend named by the environment is kept. The one in `keras.json` is not:
    Keras writes that file itself, so it is no choice of the user.
    """
    if not _is_command() or os.environ.get(_VARIABLE):
        return
    for backend, package in _LIGHTEST_FIRST.items():
        if importlib.util.find_spec(package) is not None:
            os.environ[_VARIABLE] = backend
            # Keep TensorFlow's log out of the output of the command.
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            return


def _is_command() -> bool:
    program = pathlib.Path(sys.argv[0]).name if sys.argv else ""
    if program == "-m":  # while Python imports the packages of the module
        return any(argument in _MODULES for argument in sys.orig_argv)
    return program.removesuffix(".exe") == "krm"


def advice(backend: str) -> str:
    """Return what to do if Keras is set to a backend that is not installed."""
    others = [extra for extra in EXTRAS if extra != backend]
    return (
        f"Keras is set to the backend `{backend}`, which is not installed. "
        f'Install it: `pip install "keras_rankmetrics[{backend}]"`. Or install '
        "another one with the extra "
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
