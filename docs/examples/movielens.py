"""Read a ratings file of MovieLens.

Two forms are read: `user item rating timestamp`, with tabs or spaces between,
as in `u.data` of ml-100k; and `ratings.csv` of ml-latest-small, with the header
`userId,movieId,rating,timestamp`.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import NamedTuple

from datafile import DataError, parse_number, read_lines

COLUMNS = ["user", "item", "rating", "timestamp"]
CSV_HEADER = "userId,movieId,rating,timestamp"


class Rating(NamedTuple):
    """One line of a ratings file."""

    line: int
    user: int
    item: int
    rating: float
    timestamp: int


def add_ratings(
    parser: argparse.ArgumentParser,
    meaning: str = "Each rating counts as one item seen, however good. "
    "(default: sessions are generated)",
) -> None:
    """Add the option of a file to read; `meaning` ends its help."""
    parser.add_argument(
        "--ratings",
        type=Path,
        metavar="FILE",
        help="ratings file of MovieLens: lines of `user item rating "
        "timestamp`, as u.data of ml-100k, or ratings.csv of ml-latest-small. "
        + meaning,
    )


def read_histories(path: Path) -> list[list[int]]:
    """Return the items of each user by time, in the order of user ids."""
    rated = read_by_user(path)
    return [[rating.item for rating in of_user] for of_user in rated]


def read_by_user(path: Path) -> list[list[Rating]]:
    """Return the ratings of each user by time, in the order of user ids."""
    users: dict[int, dict[int, Rating]] = {}
    # A stable sort: what was rated in the same second stays in file order.
    for rating in sorted(read_ratings(path), key=lambda r: r.timestamp):
        of_user = users.setdefault(rating.user, {})
        if rating.item in of_user:
            lines = of_user[rating.item].line, rating.line
            raise DataError(
                path,
                max(lines),
                f"user {rating.user} has rated item {rating.item} before, "
                f"at line {min(lines)}",
            )
        of_user[rating.item] = rating
    return [list(users[user].values()) for user in sorted(users)]


def read_ratings(path: Path) -> list[Rating]:
    """Return all ratings of a file, in its order."""
    lines = read_lines(path)
    separator = None  # any white space
    if lines and lines[0][1] == CSV_HEADER:
        separator = ","
        del lines[0]
    ratings = []
    for number, line in lines:
        try:
            ratings.append(parse_rating(number, line.split(separator)))
        except ValueError as error:
            raise DataError(path, number, str(error)) from None
    if not ratings:
        raise DataError(path, None, "no ratings")
    return ratings


def parse_rating(line: int, fields: list[str]) -> Rating:
    """Return the rating of a line, or raise ValueError."""
    if len(fields) != len(COLUMNS):
        raise ValueError(
            f"{len(fields)} columns, not the {len(COLUMNS)} of "
            f"`{' '.join(COLUMNS)}`, by white space, or by commas below the "
            f"header `{CSV_HEADER}`"
        )
    user, item, rating, timestamp = fields
    return Rating(
        line,
        parse_whole("user", user),
        parse_whole("item", item),
        parse_number("rating", rating),
        parse_whole("timestamp", timestamp),
    )


def parse_whole(what: str, text: str) -> int:
    """Return an integer; `what` is its name in errors."""
    if not (text.isascii() and text.isdigit()):
        raise ValueError(f"{what} {text!r} is not a whole number")
    return int(text)
