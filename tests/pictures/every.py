"""All pictures of the guide, by the names of their files."""

import pathlib
from collections.abc import Callable

from tests.pictures import (
    denominators,
    discounts,
    thirteen_libraries,
    ties,
    time_per_batch,
    training,
)

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "pictures"
PICTURES: dict[str, Callable[[], str]] = {
    "denominators": denominators.picture,
    "discounts": discounts.picture,
    "thirteen_libraries": thirteen_libraries.picture,
    "ties": ties.picture,
    "time_per_batch": time_per_batch.picture,
    "training": training.picture,
}
