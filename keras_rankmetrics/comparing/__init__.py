"""Systems on the same lists, as a table that can be printed and published."""

from __future__ import annotations

from keras_rankmetrics.comparing.compare import compare
from keras_rankmetrics.comparing.compared import Compared
from keras_rankmetrics.comparing.rows import Rows

__all__ = ["Compared", "Rows", "compare"]
