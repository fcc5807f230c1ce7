"""Words that the pages avoid, and misspellings, as warnings of the build."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx
from sphinx.util import logging

# A pattern, and what to write in its place. The words are those of translated
# English; the field has others for the same things.
AVOIDED = {
    r"chances?(?!\W+level)": "probability; of a random order: chance level",
    r"counts? for nothing": "is excluded",
    r"tells|told": "returns, reports, shows",
    r"beside": "against, next to",
    r"stands?(?!\s+(?:for|by|alone|out)\b)": "is",
    r"brings?|brought": "contains, adds, installs",
    r"comes? to": "is",
    r"(?:is|are|be|was|were) had|have had": "is available",
    r"(?:is|are) asked (?:of|for)": "is needed",
    r"mend(?:s|ed|ing)?": "fix",
    r"utter(?:s|ed)?|doubts?": "warn, warning",
    r"without a word": "silently",
    r"much the same|as high as": "equal, tied, close",
    r"(?:number|interval|value|mean|result)s? that holds?": "valid, correct",
    r"what else": "name the things",
    r"the house|the shop": "package, site",
    r"nor (?:is|are|does|do|has|have)\b": "two sentences",
    r"those who|who looks|whoever": "users; of programs: name them",
}
PATTERNS = {
    re.compile(rf"\b(?:{avoided})\b", re.IGNORECASE): better
    for avoided, better in AVOIDED.items()
}
# A sentence that begins with "Of pandas, ..." puts its object first.
PATTERNS[re.compile(r"(?:^|[.:;] )Of (?!course\b)", re.MULTILINE)] = (
    "subject, verb, object"
)
# Code, formulas and links are not prose.
NOT_PROSE = re.compile(
    r"^:{3,}\{.*$|``.*?``|`[^`]*`"
    r"|\$\$.*?\$\$|\]\([^)]*\)|^ *:[\w-]+:.*?$|^\([\w-]+\)=$"
    r"|^ *(?:>>>|\.\.\.) .*?$",
    re.MULTILINE,
)
FENCED = re.compile(
    r"^ *(`{3,})[^`\n]*\n.*?^ *\1`* *$|^\$\$.*?\$\$", re.MULTILINE | re.DOTALL
)


def avoided_in(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line, the avoided words and what to write instead."""
    for pattern in (FENCED, NOT_PROSE):
        text = pattern.sub(blanked, text)
    for pattern, better in PATTERNS.items():
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield line, found[0].strip(" .:;"), better


def blanked(match: re.Match[str]) -> str:
    """Return as many lines, with nothing on them."""
    return " " + "\n" * match[0].count("\n")


def check_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Warn of each word of a page that the pages avoid."""
    for line, words, better in avoided_in(source[0]):
        logger.warning(MESSAGE, words, better, location=(page, line))


def check_docstring(
    app: Sphinx,
    what: str,
    name: str,
    documented: object,
    options: object,
    lines: list[str],
) -> None:
    """Warn of each word of a docstring that the pages avoid."""
    for _, words, better in avoided_in("\n".join(lines)):
        logger.warning(f"The docstring of {name}: {MESSAGE}", words, better)


def check_spelling(app: Sphinx) -> None:
    """Warn of each word of the sources that codespell would correct."""
    # In the folder of pyproject.toml, which has the exceptions.
    done = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "docs", "keras_rankmetrics"],
        cwd=app.srcdir.parent,
        capture_output=True,
        text=True,
    )
    for found in done.stdout.splitlines():
        logger.warning("codespell: %s", found)


MESSAGE = 'Write "%s" in other words: %s.'
logger = logging.getLogger(__name__)


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect the checks."""
    app.connect("builder-inited", check_spelling)
    app.connect("source-read", check_page)
    # Before napoleon and the extension `reference`, which change the text.
    app.connect("autodoc-process-docstring", check_docstring, 300)
    return {"parallel_read_safe": True}
