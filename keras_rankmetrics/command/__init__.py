"""The command `krm`: metrics of files, and what signatures mean.

`python -m keras_rankmetrics` is the same.
"""

from __future__ import annotations

from keras_rankmetrics.command.main import main

__all__ = ["main"]
