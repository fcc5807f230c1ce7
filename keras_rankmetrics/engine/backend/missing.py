"""The first import of Keras, with advice if its backend is not installed.

Import this module before all others that need Keras.
"""

from __future__ import annotations

EXTRAS = ("tensorflow", "jax", "torch")


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


try:
    import keras  # noqa: F401
except ModuleNotFoundError as error:
    if error.name not in EXTRAS:
        raise
    raise ModuleNotFoundError(advice(error.name), name=error.name) from None
