"""The command `krm`: evaluates run files, and explains signatures.

`python -m keras_rankmetrics` is the same command.
"""

from __future__ import annotations

from keras_rankmetrics.command.main import main

__all__ = ["main"]
