"""`Metric`: that of Keras, as a class that type checkers know.

Keras has no types. Of a class whose base they do not know, type checkers cannot
tell what its constructor takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import keras

if TYPE_CHECKING:

    class Metric:
        """What is used of it."""

        name: Any
        _variables: list[keras.Variable]

        def __init__(self, name: str, dtype: Any = None) -> None: ...
        def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: D102
            ...

        def __getattr__(self, name: str) -> Any: ...

else:
    Metric = keras.metrics.Metric
