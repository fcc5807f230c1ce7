"""Run simulations, print their rows, and store them for the docs.

    python -m tests.tools.simulations [intervals] [looking] [tails] [judge]
        [clicks]

The rows of simulations that are not named stay as they are. All of them take a
few minutes.
"""

import importlib
import json
import pathlib
import sys

from tests.tools.simulations.intervals import as_table

DOCS = pathlib.Path(__file__).parents[3] / "docs"
STORED, PAGE = DOCS / "simulations.json", DOCS / "errors.md"
MODULES = ("intervals", "looking", "tails", "judge", "clicks")


def main(names):
    unknown = set(names) - set(MODULES)
    if unknown:
        raise SystemExit(f"There is no simulation {sorted(unknown)}: {MODULES}")
    stored = json.loads(STORED.read_text()) if STORED.exists() else {}
    for name in names or MODULES:
        module = importlib.import_module(f"tests.tools.simulations.{name}")
        stored[name] = [plain(row) for row in module.rows()]
        print(f"\n{name}")
        for row in stored[name]:
            print("  ", *(f"{key}: {value}" for key, value in row.items()))
    ordered = {name: stored[name] for name in MODULES if name in stored}
    STORED.write_text(json.dumps(ordered, indent=1) + "\n")
    PAGE.write_text(with_table(PAGE.read_text(), ordered["intervals"]))


def with_table(page, rows):
    """Return the page of errors with the table of coverage."""
    start, end = "<!-- coverage -->\n", "\n<!-- end of coverage -->"
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(end)
    return f"{before}{start}\n{as_table(rows)}\n{end}{after}"


def plain(row):
    """Return a row that JSON can contain, with four digits."""
    return {
        key: round(float(value), 6)
        if isinstance(value, float) or hasattr(value, "dtype")
        else value
        for key, value in row.items()
    }


if __name__ == "__main__":
    main(sys.argv[1:])
