"""`Part`: rows of a file, with the lines where they stand."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from keras_rankmetrics.comparing.rows import Rows


class Part(NamedTuple):
    """Some rows of a file.

    Attributes:
        rows: the queries, the items, and their scores or labels.
        line: `[rows]`, the number of the line of each row, from 1.
    """

    rows: Rows
    line: np.ndarray
