"""Print how large each part of the package is: `python tests/package/house.py`.

Code is counted without docstrings, comments and blank lines, imports included.
"""

import ast
import collections
import io
import pathlib
import tokenize

PACKAGE = pathlib.Path(__file__).parents[2] / "keras_rankmetrics"
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


def part_of(path):
    """Return the folder of a module, one level deeper within the engine."""
    folders = path.relative_to(PACKAGE).with_suffix("").parts
    depth = 2 if folders[0] == "engine" else 1
    return "/".join(folders[:depth]) if len(folders) > 1 else "."


def main():
    """Print a row for each part, and one for all."""
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
