"""`python -m tests.tools.pages.forms`: forms of input, and names of columns."""

import pathlib

from keras_rankmetrics.comparing.forms import FORMS
from keras_rankmetrics.tables.roles import COLUMN_NAMES
from tests.tools.benchmarks.markdown import table
from tests.tools.pages.page import replaced

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "retrieval.md"
MAKER = "tests.tools.pages.forms"


def page(text: str) -> str:
    """Return the page with its tables made again."""
    for name, block in (("forms", forms()), ("columns", columns())):
        text = replaced(text, name, block, MAKER)
    return text


def forms() -> str:
    """Return a table of the forms, in the order in which they are tried."""
    rows = [[form.looks, form.made_by] for form in FORMS]
    return table(["form", "of"], rows, left=(0, 1))


def columns() -> str:
    """Return a table of the names of columns that are recognised."""
    rows = [
        [f"`{role}`", "; else ".join(", ".join(names) for names in tiers)]
        for role, tiers in COLUMN_NAMES.items()
        if tiers
    ]
    return table(["role", "names"], rows, left=(0, 1))


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
