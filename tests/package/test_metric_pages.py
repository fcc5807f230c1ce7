"""The page of each metric: that it is there, and shows what the metric says."""

import re

import pytest
from numbers_in_texts import follow_the_scheme, in_words_and_numbers
from pytest import approx

import keras_rankmetrics as krm
from tests.tools.benchmarks.scheme import LIGHT
from tests.tools.pages.examples import FAMILIES, Edge, Examples, examples_of
from tests.tools.pages.notation import ids_of, items_of
from tests.tools.pages.page import BLOCKS, FOLDER, METRICS, SECTIONS, Page

AGAIN = "`python -m tests.tools.pages` makes it anew; look at what changes."
names = pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.__name__)


@names
def test_every_metric_has_a_page(metric):
    assert list(Page(metric).lacks()) == [], Page(metric).file


@pytest.mark.long
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
    assert follow_the_scheme(Page(metric).picture.read_text(), LIGHT)


@pytest.mark.filterwarnings("ignore:.*Labels should be")
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


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_a_page_without_a_marker_says_so(tmp_path):
    page = Page(METRICS[0], tmp_path)
    page.write()
    page.file.write_text(page.file.read_text().replace("<!--", "<!"))
    lacks = "\n".join(page.lacks())
    assert all(f"<!-- {name}:" in lacks for name in BLOCKS)


class _OfManyLists(krm.RankingMetric):
    short_name = "of_many"

    @staticmethod
    def measure(ranking, k):
        return ranking.hits(k)


def of_many_lists(metric, texts, **options):
    """One value for several lists of ids."""
    found = []
    for text in texts:
        rows = [ids_of(f"{row} of a") for row in text.split(";")]
        found.append(
            float(metric(inputs="ids", **options)(*zip(*rows, strict=True)))
        )
    return found


def test_a_family_of_other_inputs_has_examples_of_its_own(
    tmp_path, monkeypatch
):
    examples = Examples(
        legend="Several lists.",
        edges=(Edge("nothing", "b c ; c b"), Edge("k", "b a ; a b", 1, True)),
        drawn={"two lists": ("a b ; b a", "a c ; a b")},
        drawn_legend="An item is a letter.",
        shade=lambda item: None if item == ";" else 0.3 * (item == "a"),
        compared=(),
        values=of_many_lists,
        is_lettered=True,
    )
    monkeypatch.setitem(FAMILIES, _OfManyLists, examples)
    page = Page(_OfManyLists, tmp_path)
    page.write()
    text = page.file.read_text()
    assert "| nothing | `b c ; c b` | 3 | 0.0000 |" in text
    assert "| k | `b a ; a b` | 1 | 0.5000 |" in text
    svg = page.picture.read_text()
    found = re.findall(r">([^<>\n]+)</text>", svg)
    assert [word for word in found if len(word) == 1] == list("abbaacab")
    assert svg.count('fill-opacity="0.30"') == 4


def test_a_metric_of_no_family_says_what_to_do():
    with pytest.raises(LookupError, match="FAMILIES"):
        examples_of(krm.Comparison)


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
    assert items_of("?")[0].label == krm.UNJUDGED
    by_subtopic = [item.by_subtopic for item in items_of("ac 0 –")]
    assert by_subtopic == [[1, 0, 1], [0, 0, 0], [-1, -1, -1]]
    assert ids_of("a a b of b") == ([98], [97, 97, 98])
    assert ids_of(" of a") == ([97], [])
