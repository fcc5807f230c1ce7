"""Print how large each part of the package is: `python tests/package/house.py`.

Code is counted without docstrings, comments and blank lines, imports included.
With `--write`, writes the weight of each feature into `docs/contributing.md`;
with `--aims`, prints what should not grow.
"""

import ast
import collections
import functools
import io
import json
import pathlib
import sys
import tokenize

PACKAGE = pathlib.Path(__file__).parents[2] / "keras_rankmetrics"
DOORS = pathlib.Path(__file__).parents[1] / "doors"
NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def lines_of_code(source):
    """Return the numbers of the lines that hold code."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(getattr(first, "value", None), ast.Constant) and (
            isinstance(first, ast.Expr) and isinstance(first.value.value, str)
        ):
            lines.difference_update(range(first.lineno, first.end_lineno + 1))
    return lines


def lines_of_imports(source):
    """Return the numbers of the lines that import something."""
    return {
        line
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in range(node.lineno, node.end_lineno + 1)
    }


# The modules of each feature, by the start of their names. What no feature has
# is the core. A longer start wins.
FEATURES = {
    "labels that are probabilities": ["engine/ranking/uncertain"],
    "two rankings": ["engine/ranking/two_rankings", "metrics/two_rankings"],
    "clicks": ["metrics/clicks"],
    "subtopics": ["metrics/subtopics"],
    "beyond accuracy, coverage, exposure": [
        "engine/ranking/exposure",
        "engine/ranking/items",
        "metrics/beyond_accuracy",
        "metrics/coverage",
    ],
    "sampled items": ["metrics/sampled"],
    "judges": ["metrics/judge_corrected", "comparing/by_judge"],
    "quantiles and worst users": ["metrics/tails"],
    "groups and systems in `fit`": ["metrics/multi_value"],
    "names of metrics as text": ["conventions/from_text", "metrics/names"],
    "conventions": ["conventions"],
    "metrics of relevance": ["metrics"],
    "catalogues of any size": ["catalogues", "callbacks/by_catalogue"],
    "callbacks": ["callbacks"],
    "flat rows": ["tables"],
    "logs on Spark, Ray and Beam": ["adapters"],
    "`evaluate` and `compare`": ["comparing"],
    "`diagnose` and `krm doctor`": ["comparing/diagnose"],
    "verdicts: `gate`": ["comparing/verdict"],
    "files": ["files"],
    "the command": ["command"],
}
CORE = "batches, rankings, definitions, sums"
PAGE = PACKAGE.parent / "docs" / "contributing.md"
BEGIN, END = "<!-- weights -->", "<!-- end of the weights -->"


def part_of(path):
    """Return the folder of a module, one level deeper within the engine."""
    folders = path.relative_to(PACKAGE).with_suffix("").parts
    depth = 2 if folders[0] == "engine" else 1
    return "/".join(folders[:depth]) if len(folders) > 1 else "."


def feature_of(path):
    """Return the feature that a module belongs to."""
    name = path.relative_to(PACKAGE).as_posix()
    starts = {
        start: feature
        for feature, several in FEATURES.items()
        for start in several
        if name.startswith(start)
    }
    return starts[max(starts, key=len)] if starts else CORE


@functools.cache
def weights():
    """Return the modules and lines of code of each feature, heaviest first."""
    modules, code = collections.Counter(), collections.Counter()
    for path in PACKAGE.rglob("*.py"):
        modules[feature_of(path)] += 1
        code[feature_of(path)] += len(lines_of_code(path.read_text()))
    return [(name, modules[name], lines) for name, lines in code.most_common()]


def written(text):
    """Return a page of the docs with the weights between their markers."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    found = weights()
    rows = [
        "| feature | modules | lines of code |",
        "|---|--:|--:|",
        *(f"| {name} | {n} | {lines:,} |" for name, n, lines in found),
        f"| all | {sum(n for _, n, _ in found)} "
        f"| {sum(lines for *_, lines in found):,} |",
    ]
    table = "\n".join(rows)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


WING = ("adapters", "command", "comparing", "files", "tables")


def of_wing():
    """Yield the path in the package, and the source, of each module."""
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith(WING):
            yield name, path.read_text()


@functools.cache
def records():
    """Return the records of the wing: classes that hold values."""
    kinds = ("NamedTuple", "TypedDict", "dataclass")
    return [
        f"{name}: {node.name}"
        for name, source in of_wing()
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
        for marks in [map(ast.unparse, [*node.bases, *node.decorator_list])]
        if any(kind in mark for mark in marks for kind in kinds)
    ]


def checks_by_hand():
    """Return the number of calls of `check_*` and `warn_*` in the wing."""
    return sum(
        isinstance(node, ast.Call)
        and ast.unparse(node.func)
        .split(".")[-1]
        .startswith(("check_", "warn_"))
        for _, source in of_wing()
        for node in ast.walk(ast.parse(source))
    )


def silent_cells():
    """Return the number of doors that do not report a check yet."""
    silent = json.loads((DOORS / "silent.json").read_text())
    return sum(map(len, silent.values()))


# What should not grow, in words, with the function that counts it and the aim.
AIMS = {
    "silent cells": (silent_cells, 0),
    "calls of `check_*`, `warn_*` by hand in the wing": (checks_by_hand, 50),
    "records in the wing": (lambda: len(records()), 35),
    "modules": (lambda: sum(n for _, n, _ in weights()), 150),
    "lines of code": (lambda: sum(n for *_, n in weights()), 24_800),
}


def main():
    """Print a row for each part, and one for all; or write the weights."""
    if "--aims" in sys.argv:
        for name, (count, aim) in AIMS.items():
            print(f"{name:50} {count():7,} {aim:7,}")
        return
    if "--write" in sys.argv:
        PAGE.write_text(written(PAGE.read_text()))
        return
    modules, code, imports = (collections.Counter() for _ in range(3))
    for path in PACKAGE.rglob("*.py"):
        source = path.read_text()
        for part in (part_of(path), "all"):
            modules[part] += 1
            code[part] += len(lines_of_code(source))
            imports[part] += len(lines_of_imports(source))
    print(f"{'part':22} modules  code  imports  share")
    for part in sorted(modules, key=lambda part: (part == "all", part)):
        print(
            f"{part:22} {modules[part]:7} {code[part]:5} {imports[part]:8} "
            f"{code[part] / code['all']:6.0%}"
        )


if __name__ == "__main__":
    main()
