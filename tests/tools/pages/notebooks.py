"""`python -m tests.tools.pages.notebooks`: notebooks of pages and examples.

A notebook is made from a page of the docs. Prose becomes Markdown, doctests
become cells with the output that the page shows, and a command that runs an
example becomes the cells of its program. With the first release, `INSTALL`
changes.
"""

from __future__ import annotations

import ast
import doctest
import itertools
import json
import os
import pathlib
import re
import shlex
from collections.abc import Iterator
from typing import Any

from tests.tools.pages import gallery

FOLDER = gallery.FOLDER
DOCS = FOLDER.parent
PAGES = (
    DOCS / "quickstart.md",
    DOCS / "retrieval.md",
    DOCS / "one_list.md",
    FOLDER / "learning_to_rank.md",
    FOLDER / "next_item.md",
)
INSTALL = """\
# Until the first release: in docs/examples of a clone of the repository.
%pip install --quiet "../..[tensorflow]"
"""
NOT_EXECUTED = {"tags": ["skip-execution"]}  # by tests, which have the package
# Sections that a notebook has in another form.
INSTALL_HEADING = re.compile(r"## .*\bInstall\n")
PROGRAM_HEADING = "## The program\n"
MODULES = "The first cells write the modules that it imports."

SECTION = re.compile(r"^(?=## )", re.MULTILINE)
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"python docs/examples/(\w+)\.py(.*)\n")
# Anchors, colon fences with their options, and HTML comments.
ONLY_SPHINX = re.compile(
    r"^(\([\w-]+\)=|:{3,}.*|:[\w-]+:.*|<!-- .* -->)\n", re.MULTILINE
)
DIRECTIVE = re.compile(r"^```\{.*|\{\w+\}(?=`)", re.MULTILINE)
LINK_IN_PAGE = re.compile(r"\[([^\]]+)\]\(#[^)]*\)")
LINK = re.compile(r"\]\((?!\w+:)([^)#]+)")
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}

Cell = dict[str, Any]


def file_of(page: pathlib.Path) -> pathlib.Path:
    """Return the file of the notebook of a page."""
    return FOLDER / f"{page.stem}.ipynb"


def notebook(page: pathlib.Path) -> str:
    """Return the notebook of a page as JSON."""
    cells = list(cells_of(page.read_text(encoding="utf-8"), page.parent))
    counts = itertools.count(1)
    for number, cell in enumerate(cells):
        cell["id"] = f"{page.stem}-{number}"
        if cell["cell_type"] == "code":
            is_run = cell["metadata"] != NOT_EXECUTED
            cell["execution_count"] = next(counts) if is_run else None
        for output in cell.get("outputs", ()):
            if output["output_type"] == "execute_result":
                output["execution_count"] = cell["execution_count"]
    made = {
        "cells": cells,
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def cells_of(text: str, folder: pathlib.Path) -> Iterator[Cell]:
    """Yield the cells of a page that is in a folder."""
    title, _, rest = text.partition("\n")
    sections = SECTION.split(rest)
    install = code(INSTALL, **NOT_EXECUTED)
    yield markdown(title)
    if not any(map(INSTALL_HEADING.match, sections)):
        yield install
    for section in sections:
        if heading := INSTALL_HEADING.match(section):
            yield from (markdown(heading[0]), install)
        elif not section.startswith(PROGRAM_HEADING):
            yield from of_section(section, folder)


def of_section(text: str, folder: pathlib.Path) -> Iterator[Cell]:
    """Yield the cells of a section; blocks of other text remain Markdown."""
    prose, *blocks = FENCED.split(text)
    for info, body, after in zip(*[iter(blocks)] * 3, strict=True):
        if ">>>" in body or COMMAND.match(body):
            yield from of_prose(prose, folder)
            yield from of_doctest(body) if ">>>" in body else of_command(body)
            prose = ""
        elif not info.startswith("{literalinclude} output/"):
            prose += f"```{info}\n{body}```\n"
        prose += after
    yield from of_prose(prose, folder)


def of_prose(text: str, folder: pathlib.Path) -> Iterator[Cell]:
    """Yield a cell without what only Sphinx reads, unless nothing is left."""
    text = LINK_IN_PAGE.sub(r"\1", ONLY_SPHINX.sub("", text))
    if directive := DIRECTIVE.search(text):
        raise ValueError(f"No notebook has the directive {directive[0]}.")
    if text.strip():
        yield markdown(
            LINK.sub(
                lambda to: f"]({os.path.relpath(folder / to[1], FOLDER)}", text
            )
        )


def of_doctest(text: str) -> Iterator[Cell]:
    """Yield a cell for each output, with the statements before it."""
    source = ""
    # A comment becomes part of the statement below; doctest drops others.
    text = re.sub(r"^(>>> #.*\n)>>>", r"\1...", text, flags=re.MULTILINE)
    for example in doctest.DocTestParser().get_examples(text):
        source += re.sub(r" *# doctest: .*", "", example.source)
        if example.want:
            is_error = example.exc_msg is not None
            tags = {"tags": ["raises-exception"]} if is_error else {}
            yield code(source, output_of(example), **tags)
            source = ""
        elif source.splitlines()[-1].startswith(" "):  # a block ends
            source += "\n"
    if source:
        yield code(source)


def output_of(example: doctest.Example) -> dict[str, Any]:
    """Return the output that a doctest expects."""
    want = re.sub(r"^<BLANKLINE>$", "", example.want, flags=re.MULTILINE)
    if example.exc_msg is not None:
        name, _, value = example.exc_msg.strip().partition(": ")
        error = {"ename": name, "evalue": value}
        return {"output_type": "error", "traceback": lines(want), **error}
    last = ast.parse(example.source).body[-1]
    if isinstance(last, ast.Expr) and not example.source.startswith("print("):
        data = {"text/plain": lines(want.removesuffix("\n"))}
        return {"data": data, "metadata": {}, "output_type": "execute_result"}
    return printed(want)


def of_command(text: str) -> Iterator[Cell]:
    """Yield the cells of the program that a command runs, with its output."""
    name, options = COMMAND.match(text).groups()
    *modules, (_, program) = sources_of(name).items()
    yield markdown(f"{PROGRAM_HEADING}\n{MODULES}")
    for module, source in modules:
        said = printed(f"Writing {module}.py\n")
        yield code(f"%%writefile {module}.py\n{source}", said)
    yield from of_program(program)
    yield markdown("## Run it")
    said = printed(gallery.stored(name).read_text(encoding="utf-8"))
    yield code(f"main({json.dumps(shlex.split(options))})", said)


def sources_of(name: str) -> dict[str, str]:
    """Return the sources of the modules of a program, and its own as last."""
    source = (FOLDER / f"{name}.py").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for module in re.findall(r"^from (\w+) import", source, re.MULTILINE):
        if (FOLDER / f"{module}.py").exists():
            found |= sources_of(module)
    return {**found, name: source}


def of_program(source: str) -> Iterator[Cell]:
    """Yield a cell for each definition, and a heading for each comment."""
    *parts, _ = source.split("\n\n\n")  # the last one calls `main`
    parts[0] = parts[0].split('"""\n\n', 1)[1]  # without the docstring
    for part in parts:
        is_heading = part.startswith("# ") and "\n" not in part
        yield markdown(f"##{part}") if is_heading else code(part)


def markdown(text: str) -> Cell:
    """Return a cell of Markdown."""
    source = lines(re.sub(r"\n{3,}", "\n\n", text.strip()))
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(text: str, *outputs: dict[str, Any], **metadata: Any) -> Cell:
    """Return a cell of code."""
    return {
        "cell_type": "code",
        "metadata": metadata,
        "outputs": list(outputs),
        "source": lines(text.strip()),
    }


def printed(text: str) -> dict[str, Any]:
    """Return an output of printed text."""
    return {"name": "stdout", "output_type": "stream", "text": lines(text)}


def lines(text: str) -> list[str]:
    """Return text in the form of notebooks, which is easy to compare."""
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    for page in PAGES:
        file_of(page).write_text(notebook(page), encoding="utf-8")
