"""Run simulations, print their rows, and store them for the docs.

    python -m tests.tools.simulations [intervals] [looking] [tails] [judge]
        [clicks] [differences] [decisions]

The rows of simulations that are not named stay as they are. All of them take
half an hour.
"""

import importlib
import json
import pathlib
import sys

DOCS = pathlib.Path(__file__).parents[3] / "docs"
STORED = DOCS / "simulations.json"
MODULES = (
    *("intervals", "looking", "tails", "judge", "clicks", "differences"),
    "decisions",
)
# The page with the table of a simulation, or of one kind of its rows.
PAGES = {
    "intervals": DOCS / "errors.md",
    "tails": DOCS / "errors.md",
    "judge": DOCS / "how_sure.md",
    "clicks": DOCS / "clicks.md",
    "differences": DOCS / "comparing.md",
    "decisions": DOCS / "comparing.md",
    "decisions.marks": DOCS / "comparing.md",
    "decisions.same": DOCS / "comparing.md",
}


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
    for name, page in PAGES.items():
        page.write_text(with_table(page.read_text(), name, ordered))


def with_table(page, name, stored):
    """Return a page with a table of the stored simulations."""
    start, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    before, _, rest = page.partition(start)
    _, _, after = rest.partition(end)
    simulation, dot, kind = name.partition(".")
    module = importlib.import_module(f"tests.tools.simulations.{simulation}")
    as_table = getattr(module, f"as_table{'_of_' if dot else ''}{kind}")
    return f"{before}{start}\n{as_table(stored[simulation])}\n{end}{after}"


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
