"""The picture of the page: on a phone, on light pages and on dark ones."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from numbers_in_texts import follow_the_scheme
from recorded import batches, measured, run

from tests.tools.benchmarks.marks import MARKS, OUR_COLOUR
from tests.tools.benchmarks.picture import draw
from tests.tools.benchmarks.scheme import DARK, LIGHT

LETTERS = {"light": LIGHT, "dark": DARK}
PAGES = {"light": "#ffffff", "dark": "#131416"}
# What WCAG asks of large letters and of graphics, and of letters of any size.
LARGE, ANY_SIZE = 3.0, 4.5


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in channels
    ]
    return sum(map(float.__mul__, (0.2126, 0.7152, 0.0722), linear))


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("page", PAGES)
def test_letters_can_be_read(page):
    assert contrast(LETTERS[page], PAGES[page]) >= ANY_SIZE
    for letters in LETTERS.values():
        # The page's scheme need not be the system's.
        assert contrast(letters, PAGES[page]) >= LARGE


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("colour", [OUR_COLOUR, *(m.colour for m in MARKS)])
def test_marks_can_be_seen(page, colour):
    assert contrast(colour, PAGES[page]) >= LARGE


@pytest.fixture
def svg(tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "picture.svg"

    def drawn(runs):
        return file.read_text() if draw(runs, file) else None

    return drawn


def texts(svg):
    return [
        e.text for e in ElementTree.fromstring(svg).iter() if "text" in e.tag
    ]


def test_every_batch_is_a_row(svg):
    found = texts(svg(batches()))
    assert {"ltr", "ids"} <= set(found)
    assert {"keras_rankmetrics", *(m.name for m in MARKS)} <= set(found)


def test_letters_are_large_on_a_phone(svg):
    picture = svg(batches())
    width = float(re.search(r'viewBox="0 0 ([\d.]+)', picture)[1])
    sizes = set(re.findall(r"font-size: (\d+)px", picture))
    assert {360 / width * float(size) for size in sizes} == {12.0}


def test_it_has_no_background(svg):
    root = ElementTree.fromstring(svg(batches()))
    patch = next(e for e in root.iter() if e.get("id") == "patch_1")
    assert "fill: none" in ElementTree.tostring(patch[0]).decode()


def test_all_letters_follow_the_scheme(svg):
    assert follow_the_scheme(svg(batches()), LIGHT)


def test_the_same_numbers_are_the_same_picture(svg):
    assert svg(batches()) == svg(batches())


def test_without_a_batch_there_is_no_picture(svg):
    fit = measured(run("fit", "jax"), "keras_rankmetrics", 1.0)
    assert svg([fit, run("ltr", "jax", failure="it hangs")]) is None


def test_who_has_a_head_start_is_not_in_the_picture(svg):
    def marks_of(**fields):
        ids = measured(run("ids", "torch"), "keras_rankmetrics", 2.0)
        measured(ids, "rectools", 3.0)
        measured(ids, "ranx", 1.0, **fields)
        return svg([ids]).count("<use")

    assert marks_of() == marks_of(head_start="ranked before") + 1
