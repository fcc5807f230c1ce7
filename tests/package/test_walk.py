"""The walks through the package are short, and the page shows them."""

import pytest

pytestmark = pytest.mark.only_on("torch", reason="the walks are those on torch")


@pytest.mark.parametrize(
    ("name", "first", "files", "levels", "calls"),
    [
        ("update_state", "Accumulator.update_state", 25, 12, 170),
        ("evaluate", "evaluate", 62, 25, 1400),
        ("krm eval", "main", 78, 29, 3200),
    ],
)
def test_walks_are_short(name, first, files, levels, calls):
    from tests.package import walk

    stations = walk.stations(name)
    assert stations[0].function == first
    assert len(walk.files_of(stations)) <= files
    assert max(station.level for station in stations) <= levels
    assert len(stations) <= calls


def test_the_page_shows_the_walks():
    from tests.package import walk

    text = walk.PAGE.read_text()
    assert walk.written(text) == text
    of_scores = walk.files_of(walk.stations("update_state"))
    assert all(f"`{file}`" in text for file in of_scores)
