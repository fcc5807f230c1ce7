"""The page of each metric: that it is there, and shows what the metric says."""

import re

import pytest
from pytest import approx

from tests.benchmarks.scheme import LIGHT
from tests.pages.notation import ids_of, items_of
from tests.pages.page import BLOCKS, FOLDER, METRICS, SECTIONS, Page

AGAIN = "`python -m tests.pages` makes it anew; look at what changes."
NUMBERS = re.compile(r"(-?\d+\.\d+)")
names = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.__name__)


def in_words_and_numbers(text):
    """What must be equal, and what may be off by a rounding."""
    parts = NUMBERS.split(text)
    return parts[::2], [float(number) for number in parts[1::2]]


@names
def test_every_metric_has_a_page(metric):
    assert list(Page(metric).lacks()) == [], Page(metric).file


@names
def test_the_page_shows_what_the_metric_says(metric):
    for file, text in Page(metric).made().items():
        words, numbers = in_words_and_numbers(text)
        there = in_words_and_numbers(file.read_text())
        assert there[0] == words, f"{file}: {AGAIN}"
        # In the picture, 0.1 is less than a line is wide.
        margin = 0.11 if file.suffix == ".svg" else 1.1e-4
        assert there[1] == approx(numbers, rel=0, abs=margin), AGAIN


def test_every_page_has_a_metric():
    expected = {file for metric in METRICS for file in Page(metric).files}
    assert set(FOLDER.iterdir()) == {*expected, FOLDER / "index.md"}


@names
def test_the_decision_page_leads_to_every_metric(metric):
    page = (FOLDER.parent / "which_metric.md").read_text()
    assert f"(metrics/{metric.short_name}.md)" in page


@names
def test_all_letters_of_a_picture_follow_the_scheme(metric):
    svg = Page(metric).picture.read_text()
    assert svg.count("prefers-color-scheme: dark") == 1
    styles = re.findall(r"<text [^>]*style=\"([^\"]*)\"", svg)
    assert len(styles) == svg.count("<text ")
    assert set(styles) == {f"fill: {LIGHT}"}


def test_a_new_page_says_what_it_lacks(tmp_path):
    page = Page(METRICS[0], tmp_path)
    assert "no such page" in next(page.lacks())
    page.write()
    lacks = "\n".join(page.lacks())
    for section in SECTIONS:
        assert f"nothing is written yet in: {section}." in lacks
    assert "formula" in lacks
    assert "does not name the class" in lacks

    text = page.file.read_text()
    for section in SECTIONS:
        text = text.replace(f"## {section}\n", f"## {section}\n\nText. $$x$$\n")
    page.file.write_text(text.replace("\n", f"\n\n`{METRICS[0].__name__}`", 1))
    assert list(page.lacks()) == []
    # What people have written stays.
    page.write()
    assert page.file.read_text().count("Text.") == len(SECTIONS)
    assert list(page.lacks()) == []


def test_a_page_without_a_marker_says_so(tmp_path):
    page = Page(METRICS[0], tmp_path)
    page.write()
    page.file.write_text(page.file.read_text().replace("<!--", "<!"))
    lacks = "\n".join(page.lacks())
    assert all(f"<!-- {name}:" in lacks for name in BLOCKS)


def test_how_lists_are_written():
    inf = float("inf")
    found = [(i.label, i.score) for i in items_of("1 (1 0) – 2 / 1 0")]
    assert found == [
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -2),
        (2, -3),
        (1, -inf),
        (0, -inf),
    ]
    assert ids_of("a a b of b") == ([98], [97, 97, 98])
    assert ids_of(" of a") == ([97], [])
