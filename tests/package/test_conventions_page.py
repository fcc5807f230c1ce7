"""The page on conventions: its tables are those that the package gives."""

from numbers_in_texts import in_words_and_numbers
from pytest import approx

from keras_rankmetrics import conventions
from tests.tools.pages import conventions as made
from tests.tools.pages.page import END, begin
from tests.tools.reported.__main__ import tools

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


def test_the_page_shows_how_far_each_tool_is_away():
    """The numbers are checked by `tests/peers/test_reported.py`."""
    page = made.PAGE.read_text()
    _, _, block = page.partition(begin("reported", made.REPORTER))
    rows = [
        row.split(" | ") for row in block.partition(END)[0].split("\n")[4:-2]
    ]
    shown = [(row[0].strip("| `"), row[1].rpartition(" ")[0]) for row in rows]
    assert len({*shown}) == len(shown)
    found = {each.convention for each in tools()}
    assert {convention for convention, _ in shown} == found
    tolerances = {each.convention: each.tolerance for each in tools()}
    for row, (convention, _) in zip(rows, shown, strict=True):
        assert int(row[2]) > 0
        assert float(row[3].strip(" |")) <= tolerances[convention]


def test_each_option_of_a_shared_metric_is_explained():
    explained = {(c, o): set(values) for (c, o), values in made.CHOICES.items()}
    for option, meanings in made.OF_ALL.items():
        explained |= {(c, option): set(meanings) for c in made.COLUMNS}
    for convention in conventions.all_of_them():
        for column in made.COLUMNS:
            preset = made.preset_of(convention, column)
            options = set(preset.options if preset else ())
            # The table of values has the rule for empty lists, and the cutoff.
            for option in options - {"empty", "k"}:
                choice = made.default_of(preset, option)
                assert choice in explained[column, option], convention.name


def test_printed_conventions_name_the_order_of_ties():
    order = {
        "trec_eval": "tied items in the order of their ids, the last one first",
        "xgboost": "tied items in the order of the run; score_dtype:float32",
        "ranx": "tied items by the option `ties` of each metric",
    }
    for name, words in order.items():
        assert f"runs: {words}" in str(conventions.named(name))
