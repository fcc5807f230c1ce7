"""The page on conventions: its tables are those that the package gives."""

from numbers_in_texts import in_words_and_numbers
from pytest import approx

from keras_rankmetrics import conventions
from tests.tools.pages import conventions as made

AGAIN = "`python -m tests.tools.pages.conventions` makes it anew."


def test_the_tables_are_those_of_the_package():
    page = made.PAGE.read_text()
    words, numbers = in_words_and_numbers(page)
    expected_words, expected = in_words_and_numbers(made.page(page))
    assert words == expected_words, AGAIN
    assert numbers == approx(expected, abs=0.011), AGAIN


def test_the_page_names_each_convention():
    page = made.PAGE.read_text()
    for name in conventions.names():
        assert f"`{name}`" in page, name


def test_each_option_of_a_shared_metric_is_explained():
    explained = {(c, o): set(values) for (c, o), values in made.CHOICES.items()}
    for convention in conventions.all_of_them():
        for column in made.COLUMNS:
            preset = made.preset_of(convention, column)
            for option in set(preset.options if preset else ()) - {"empty"}:
                choice = made.default_of(preset, option)
                assert choice in explained[column, option], convention.name
