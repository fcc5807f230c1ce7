"""Read learning-to-rank data in the SVMlight format.

A row is `label [qid:query] feature:value ...`. The rows of a query are
contiguous. A file `NAME.query` may replace `qid:`: it has the number of rows of
each query, one per line.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from datafile import DataError, parse_number, read_lines


class Row(NamedTuple):
    """One line of an SVMlight file: `label [qid:query] feature:value ...`."""

    line: int
    label: float
    qid: str | None
    features: dict[int, float]


def read_queries(path: Path) -> list[list[Row]]:
    """Return the rows of each query, by the `.query` file or else by `qid:`."""
    rows = read_rows(path)
    counts = path.with_name(f"{path.name}.query")
    if counts.exists():
        return group_by_counts(path, rows, counts)
    return group_by_qid(path, rows, counts)


def without_comments(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the lines without comments, which start with `#`."""
    bare = ((number, line.partition("#")[0].strip()) for number, line in lines)
    return [(number, line) for number, line in bare if line]


def read_rows(path: Path) -> list[Row]:
    """Return all rows of a file."""
    rows = []
    for number, line in without_comments(read_lines(path)):
        try:
            rows.append(parse_row(number, line))
        except ValueError as error:
            raise DataError(path, number, str(error)) from None
    if not rows:
        raise DataError(path, None, "no rows")
    return rows


def parse_row(number: int, line: str) -> Row:
    """Return the row of a line, or raise ValueError."""
    first, *tokens = line.split()
    label = parse_number("label", first)
    if label < 0:
        raise ValueError(f"label {first!r} is negative; grades start at 0")
    qid = None
    if tokens and tokens[0].startswith("qid:"):
        qid = tokens.pop(0).removeprefix("qid:")
    features: dict[int, float] = {}
    for token in tokens:
        feature, colon, value = token.partition(":")
        if not colon or not (feature.isascii() and feature.isdigit()):
            raise ValueError(f"{token!r} is not of the form feature:value")
        if int(feature) in features:
            raise ValueError(f"feature {feature} occurs twice")
        features[int(feature)] = parse_number(f"feature {feature}", value)
    return Row(number, label, qid, features)


def group_by_counts(
    path: Path, rows: list[Row], counts: Path
) -> list[list[Row]]:
    """Group rows by a file with the number of rows of each query."""
    queries: list[list[Row]] = []
    start = 0
    for number, line in without_comments(read_lines(counts)):
        if not (line.isascii() and line.isdigit()) or int(line) == 0:
            raise DataError(
                counts, number, f"{line!r} is not a positive number of rows"
            )
        stop = start + int(line)
        if stop > len(rows):
            raise DataError(
                counts,
                number,
                f"the counts add up to {stop} rows by here, "
                f"but {path.name} has {len(rows)}",
            )
        queries.append(rows[start:stop])
        start = stop
    if start < len(rows):
        raise DataError(
            path,
            rows[start].line,
            f"this row belongs to no query: the counts in {counts.name} "
            f"add up to {start} rows of {len(rows)}",
        )
    return queries


def group_by_qid(path: Path, rows: list[Row], counts: Path) -> list[list[Row]]:
    """Group rows by `qid:`; the rows of a query must be contiguous."""
    queries: dict[str, list[Row]] = {}
    previous = None
    for row in rows:
        if not row.qid:
            raise DataError(
                path, row.line, f"no qid:, and there is no {counts.name}"
            )
        if row.qid != previous and row.qid in queries:
            last = queries[row.qid][-1].line
            raise DataError(
                path,
                row.line,
                f"the rows of qid:{row.qid} are not contiguous: "
                f"the others end at line {last}",
            )
        queries.setdefault(row.qid, []).append(row)
        previous = row.qid
    return list(queries.values())
