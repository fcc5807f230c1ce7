"""The files of a report, beside each other."""

import pathlib
from collections.abc import Sequence

from tests.tools.benchmarks.circumstances import Circumstances
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.picture import draw
from tests.tools.benchmarks.rows import as_csv
from tests.tools.benchmarks.summary import summary
from tests.tools.benchmarks.tables import tables


def write(
    runs: Sequence[Run], circumstances: Circumstances, page: pathlib.Path
) -> None:
    """The page, and its picture, full tables and rows by the page's name."""
    picture, rows = page.with_suffix(".svg"), page.with_suffix(".csv")
    full = page.with_stem(f"{page.stem}_full")
    is_drawn = draw(runs, picture)
    rows.write_text(as_csv(runs))
    full.write_text(tables(runs, circumstances, rows.name))
    page.write_text(
        summary(
            runs, circumstances, full.name, picture.name if is_drawn else ""
        )
    )
