"""The gallery: each example has a page, and the output that it shows."""

import re

import keras
import pytest
from printed import assert_readable, epochs
from pytest import approx

from tests.pages import gallery

AGAIN = "`python -m tests.pages.gallery` stores it anew."
NUMBER = re.compile(r"\d+\.\d+")


@pytest.mark.parametrize("name", gallery.OPTIONS)
def test_each_example_has_a_page(name):
    page = (gallery.FOLDER / f"{name}.md").read_text()
    command = " ".join([f"docs/examples/{name}.py", *gallery.OPTIONS[name]])
    assert f"\npython {command}\n" in page
    assert f"output/{name}.txt" in page
    assert f"\n{name}\n" in (gallery.FOLDER / "index.md").read_text()


@pytest.mark.parametrize("name", gallery.OPTIONS)
def test_what_is_shown_can_be_read(name):
    output = gallery.stored(name).read_text()
    assert_readable(output)
    assert "epoch" not in output or epochs(output)


@pytest.mark.long
@pytest.mark.skipif(
    keras.backend.backend() != gallery.BACKEND,
    reason=f"the output is that of {gallery.BACKEND}",
)
@pytest.mark.parametrize("name", gallery.OPTIONS)
def test_it_prints_what_the_page_shows(name):
    stored, now = gallery.stored(name).read_text(), gallery.ran(name)
    assert NUMBER.sub("", now) == NUMBER.sub("", stored), AGAIN
    # Training on another machine rounds otherwise.
    numbers = [float(x) for x in NUMBER.findall(stored)]
    found = [float(x) for x in NUMBER.findall(now)]
    assert found == approx(numbers, abs=0.1), AGAIN
