"""The pictures of the guide: what they show, and that all can read them."""

import functools
import xml.etree.ElementTree as ElementTree

import pytest
from numbers_in_texts import follow_the_scheme, in_words_and_numbers
from pytest import approx

from keras_rankmetrics import NDCG
from tests.tools.benchmarks.scheme import LIGHT
from tests.tools.pictures import thirteen_libraries, ties, training
from tests.tools.pictures.drawing import WIDTH
from tests.tools.pictures.every import FOLDER, PICTURES

drawn = functools.cache(lambda name: PICTURES[name]())
AGAIN = "`python -m tests.tools.pictures` makes it anew; look at what changes."
names = pytest.mark.parametrize("name", PICTURES)


@names
def test_the_picture_shows_what_the_package_says(name):
    words, numbers = in_words_and_numbers(drawn(name))
    there = in_words_and_numbers((FOLDER / f"{name}.svg").read_text())
    assert there[0] == words, f"{name}: {AGAIN}"
    # 0.1 is less than a line is wide.
    assert there[1] == approx(numbers, rel=0, abs=0.11), f"{name}: {AGAIN}"


def test_there_is_no_other_picture():
    assert {path.stem for path in FOLDER.glob("*.svg")} == set(PICTURES)


@names
def test_a_page_shows_it(name):
    pages = [FOLDER.parent, FOLDER.parent / "metrics"]
    texts = [page.read_text() for at in pages for page in at.glob("*.md")]
    assert any(f"pictures/{name}.svg)" in text for text in texts)


@names
def test_all_letters_follow_the_scheme(name):
    assert follow_the_scheme(drawn(name), LIGHT)


@names
def test_nothing_is_cut(name):
    root = ElementTree.fromstring(drawn(name))
    assert root.get("width") == str(WIDTH)
    bottom = float(root.get("height"))
    for element in root:
        if element.get("x") is None:
            continue
        assert 0 <= float(element.get("x")) <= WIDTH
        assert 0 < float(element.get("y")) <= bottom
        # As wide as letters of a heading are on average.
        if element.tag.endswith("text") and not element.get("text-anchor"):
            end = float(element.get("x")) + 8 * len(element.text)
            assert end <= WIDTH, element.text


def test_there_are_thirteen_libraries_and_each_is_shown():
    assert len(thirteen_libraries.LIBRARIES) == 13
    shown = thirteen_libraries.picture()
    for name in thirteen_libraries.LIBRARIES:
        assert f">{name}</text>" in shown
    values = {
        f"{thirteen_libraries.value(n):.2f}"
        for n in thirteen_libraries.LIBRARIES
    }
    assert values == {"0.20", "0.33", "1.00"}


def test_only_the_average_is_that_of_all_orders():
    first, last = ties.FILES.values()
    chance = [ties.value(labels, "average") for labels in (first, last)]
    assert chance == approx([0.3] * 2)  # 3 of 10 at each rank
    assert ties.value(first, "stable") == 1.0
    assert ties.value(last, "stable") == 0.0


def test_the_stored_run_is_whole_and_has_learned():
    epochs = training.read()
    assert [epoch.epoch for epoch in epochs] == list(range(1, 21))
    for epoch in epochs:
        assert epoch.low < epoch.value < epoch.high
    assert epochs[-1].low > epochs[-1].chance + 0.2


def test_the_chance_that_is_stored_is_that_of_the_queries():
    import numpy as np
    from queries import generate

    from tests.tools.pictures.train import QUERIES

    _, labels = generate(QUERIES, np.random.default_rng(0)).validation
    chance = float(NDCG(k=10)(labels, np.zeros_like(labels)))
    [stored] = {epoch.chance for epoch in training.read()}
    assert stored == approx(chance, abs=1e-4)
