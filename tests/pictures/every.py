"""All pictures of the guide, by the names of their files."""

import pathlib
from collections.abc import Callable

from tests.pictures import thirteen_libraries

FOLDER = pathlib.Path(__file__).parents[2] / "docs" / "pictures"
PICTURES: dict[str, Callable[[], str]] = {
    "thirteen_libraries": thirteen_libraries.picture,
}
