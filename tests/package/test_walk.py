"""The walk of `y_pred` through the package is short, and the page shows it."""

import keras
import pytest

pytestmark = pytest.mark.skipif(
    keras.backend.backend() != "torch", reason="the walk is that on torch"
)

MOST_FILES, MOST_LEVELS = 25, 12


def test_the_walk_is_short():
    from tests.package import walk

    stations = walk.stations()
    assert stations[0].function == "Accumulator.update_state"
    assert len(walk.files_of(stations)) <= MOST_FILES
    assert max(station.level for station in stations) <= MOST_LEVELS


def test_the_page_shows_the_walk():
    from tests.package import walk

    text = walk.PAGE.read_text()
    assert walk.written(text) == text
    assert all(f"`{file}`" in text for file in walk.files_of(walk.stations()))
