"""The notebooks: made from their pages, and what they show is computed."""

import doctest
import importlib.util
import json
import os
import re

import pytest
from printed import assert_alike

from tests.tools.pages import gallery
from tests.tools.pages.notebooks import (
    FOLDER,
    PAGES,
    file_of,
    notebook,
    of_doctest,
    of_section,
)

AGAIN = "`python -m tests.tools.pages.notebooks` makes it anew."
LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
EXAMPLES = """\
>>> # a comment
>>> for i in range(2):
...     print(i)
0
1
>>> def f():
...     pass
>>> f() or 3  # doctest: +SKIP
3
>>> {}[3]
Traceback (most recent call last):
KeyError: 3
>>> i = 2
"""
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def shown(cell):
    """The text of what a cell prints, returns and raises."""
    return "".join(
        "".join(
            output.get("data", {}).get("text/plain")
            or output.get("evalue")
            or output.get("text", "")
        )
        for output in cell.get("outputs", ())
        if output.get("name") != "stderr"
    )


@each_page
def test_it_is_made_from_its_page(page):
    assert file_of(page).read_text("utf-8") == notebook(page), AGAIN


@each_page
def test_its_links_lead_to_files(page):
    cells = json.loads(notebook(page))["cells"]
    prose = "".join(
        "".join(x["source"]) for x in cells if x["cell_type"] == "markdown"
    )
    for link in re.findall(r"\]\((?!https?:)([^)#]*)", prose):
        assert (FOLDER / link).is_file(), link


def test_a_cell_ends_where_something_is_shown():
    cells = list(of_doctest(EXAMPLES))
    assert ["".join(cell["source"]) for cell in cells] == [
        "# a comment\nfor i in range(2):\n    print(i)",
        "def f():\n    pass\n\nf() or 3",
        "{}[3]",
        "i = 2",
    ]
    assert list(map(shown, cells)) == ["0\n1\n", "3", "3", ""]
    assert cells[2]["metadata"] == {"tags": ["raises-exception"]}


def test_markdown_is_kept_and_what_only_sphinx_reads_is_not():
    text = (
        "(there)=\n## A\n\n:::{note}\n:class: b\n[x](#a) [y](z.md#a)\n:::\n"
        "<!-- made -->\n```text\nc\n```\n"
    )
    [cell] = of_section(text, FOLDER.parent)
    assert "".join(cell["source"]) == (
        "## A\n\nx [y](../z.md#a)\n```text\nc\n```"
    )
    with pytest.raises(ValueError, match="has the directive"):
        list(of_section("{download}`x`\n", FOLDER))


@pytest.mark.long
@pytest.mark.skipif(
    not importlib.util.find_spec("tensorflow"),
    reason="the outputs are those of TensorFlow",
)
@each_page
def test_it_shows_what_it_computes(page, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="of [notebooks]")
    nbformat = pytest.importorskip("nbformat", reason="of [notebooks]")
    stored = nbformat.read(file_of(page), 4)
    nbformat.validate(stored)
    client = nbclient.NotebookClient(
        nbformat.from_dict(stored),
        timeout=300,
        resources={"metadata": {"path": tmp_path}},
    )
    now = client.execute(env={**os.environ, "KERAS_BACKEND": "tensorflow"})
    for old, new in zip(stored.cells, now.cells, strict=True):
        if page.stem in gallery.RUNS:
            assert_alike(shown(new), shown(old), AGAIN)
        else:
            same = doctest.OutputChecker().check_output
            assert same(shown(old), shown(new), LENIENT), AGAIN
