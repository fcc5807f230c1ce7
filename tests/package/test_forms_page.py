"""The forms of input on the page of retrieval are those of the package."""

from tests.tools.pages.forms import PAGE, page


def test_the_tables_are_made_of_the_forms():
    text = PAGE.read_text()
    assert text.count("made by `python -m tests.tools.pages.forms`") == 2
    assert page(text) == text, (
        "`python -m tests.tools.pages.forms` makes it anew."
    )
