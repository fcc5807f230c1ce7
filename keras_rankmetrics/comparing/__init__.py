"""`evaluate` and `compare`: systems on the same lists, in a table to publish.

    inputs --Rows--> joining --lists--> values --> measured --> report

`forms` and `tables_of_rows` recognise inputs, `reading` turns them into checked
rows, and `together` checks that they fit together. `joining` finds what occurs
twice. `results` holds the result, `table_formats` prints it, and a `verdict`
compares it to a baseline.
"""

from __future__ import annotations

from keras_rankmetrics.comparing.compare import compare, evaluate
from keras_rankmetrics.comparing.results import Compared, Evaluated
from keras_rankmetrics.comparing.verdict import Verdict
from keras_rankmetrics.tables.item_rows import Rows

__all__ = ["Compared", "Evaluated", "Rows", "Verdict", "compare", "evaluate"]
