"""A frame of pandas."""

from __future__ import annotations

from typing import Any

from keras_rankmetrics.comparing.report import Report


def as_frame(report: Report) -> Any:
    """A `pandas.DataFrame` with a row for each system and metric.

    Raises:
        ImportError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError as error:
        raise ImportError(
            "`to_pandas` needs pandas: `pip install pandas`. `to_dict` and "
            "`to_csv` need nothing."
        ) from error
    return pandas.DataFrame(report.records())
