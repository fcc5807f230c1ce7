"""All pictures of the guide, by the names of their files."""

import pathlib
from collections.abc import Callable

from tests.tools.pictures import (
    coverage,
    denominators,
    detectable,
    discounts,
    judge,
    looking,
    thirteen_libraries,
    ties,
    time_per_batch,
    training,
    verdicts,
    worst_users,
)

FOLDER = pathlib.Path(__file__).parents[3] / "docs" / "pictures"
PICTURES: dict[str, Callable[[], str]] = {
    "coverage": coverage.picture,
    "denominators": denominators.picture,
    "detectable": detectable.picture,
    "discounts": discounts.picture,
    "judge": judge.picture,
    "looking": looking.picture,
    "thirteen_libraries": thirteen_libraries.picture,
    "ties": ties.picture,
    "time_per_batch": time_per_batch.picture,
    "training": training.picture,
    "verdicts": verdicts.picture,
    "worst_users": worst_users.picture,
}
