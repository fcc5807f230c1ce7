"""The mutants of a source text: changes of one place that tests should notice.

Strings, annotations, imports, decorators and `__all__` are not changed.
"""

import ast
import functools
import pathlib
import random
import re
import tomllib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

PACKAGE = "keras_rankmetrics"
EQUIVALENT = pathlib.Path(__file__).with_name("equivalent.toml")

OPERATORS = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: (r"is\s+not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: (r"not\s+in", "in"),
    ast.Add: (r"\+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: (r"\*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "/"),
    ast.Mod: ("%", "*"),
    ast.BitAnd: ("&", "|"),
    ast.BitOr: (r"\|", "&"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
}
# Negating one of these is the same mutant as the swap of its operator.
TWO_WAY = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
# The arguments of these commute, or fail at once if they are swapped.
NOT_SWAPPED = {
    *("array_equal", "logical_and", "logical_or", "max", "maximum", "min"),
    *("minimum", "cast", "getattr", "hasattr", "isinstance", "issubclass"),
}
UNCHANGED_FIELDS = {"annotation", "decorator_list", "returns", "type_params"}
# These change no result: a check in `zip`, and the line that a warning names.
UNCHANGED_KEYWORDS = {"stacklevel", "strict"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LONGEST = 60  # characters of the expression that a mutant shows


class Mutant(NamedTuple):
    """A change of one place of a module.

    Attributes:
        path: of the module, relative to the repository.
        line: the number of the line of the change.
        text: that line.
        change: the expression before and after.
        edit: the first byte, the byte after the last one, and the new text.
        statement: the first and last line of the statement, without its body.
    """

    path: str
    line: int
    text: str
    change: str
    edit: tuple[int, int, bytes]
    statement: tuple[int, int]

    def apply(self, source: str) -> str:
        """Return the source with the change, with the same line numbers."""
        first, end, new = self.edit
        text = source.encode()
        return (text[:first] + new + text[end:]).decode()

    def __str__(self) -> str:
        """Return the place and the change."""
        return f"{self.path}:{self.line}: {self.change}"


def all_mutants(root: pathlib.Path, under: Iterable[str] = ()) -> list[Mutant]:
    """Return the mutants of the package, or of some of its files or folders."""
    files = sorted((root / PACKAGE).rglob("*.py"))
    sources = {
        file.relative_to(root).as_posix(): file.read_text() for file in files
    }
    required = required_arguments((*sources.values(),))
    return [
        mutant
        for path, source in sources.items()
        if is_under(path, under)
        for mutant in mutants_of(path, source, required)
    ]


def is_under(path: str, under: Iterable[str]) -> bool:
    """Return True if a file is one of, or in one of, some paths, if any."""
    under = [part.rstrip("/") for part in under]
    return not under or any(
        path == part or path.startswith(part + "/") for part in under
    )


def sample(mutants: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """Return mutants drawn uniformly, the same for the same seed."""
    return random.Random(seed).sample(mutants, min(count, len(mutants)))


def mutants_of(
    path: str, source: str, required: dict[str, set[str]] | None = None
) -> list[Mutant]:
    """Return the mutants of a module, in the order of its code.

    `required` contains the arguments without a default of each function: a call
    without them fails, which shows nothing.
    """
    finder = Finder(path, source, required or {})
    finder.visit(ast.parse(source))
    return finder.found


@functools.cache
def required_arguments(sources: tuple[str, ...]) -> dict[str, set[str]]:
    """Return the arguments without a default of functions and classes."""
    required: dict[str, set[str]] = {}
    trees = map(ast.parse, sources)
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, FUNCTIONS):
            required.setdefault(node.name, set()).update(_required(node.args))
        elif isinstance(node, ast.ClassDef):
            names = required.setdefault(node.name, set())
            for part in node.body:
                if isinstance(part, FUNCTIONS) and part.name == "__init__":
                    names.update(_required(part.args))
                elif isinstance(part, ast.AnnAssign) and part.value is None:
                    names.add(ast.unparse(part.target))
    return required


def _required(arguments: ast.arguments) -> set[str]:
    positional = [*arguments.posonlyargs, *arguments.args]
    number = len(positional) - len(arguments.defaults)
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    return {argument.arg for argument in positional[:number]} | {
        argument.arg for argument, default in keywords if default is None
    }


Edit = tuple[int, int, str]


class Finder(ast.NodeVisitor):
    """A walk through a module that collects its mutants."""

    def __init__(self, path: str, source: str, required: dict[str, set[str]]):
        self.path, self.required = path, required
        self.source = source.encode()
        self.lines = self.source.split(b"\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.found: list[Mutant] = []
        self.functions: list[ast.AST] = []
        self.parents: list[ast.AST] = []
        self.statement = (1, 1)

    def visit(self, node: ast.AST) -> None:
        """Collect the mutants of a node and of what it contains."""
        if _is_excluded(node):
            return
        statement = self.statement
        if isinstance(node, ast.stmt):
            self.statement = _header(node)
        for edit in self.edits(node):
            self.found.append(self.mutant(node, edit))
        self.parents.append(node)
        for name, field in ast.iter_fields(node):
            if name in UNCHANGED_FIELDS:
                continue
            is_body = name == "body" and isinstance(
                node, (*FUNCTIONS, ast.Lambda)
            )
            self.functions.extend([node] * is_body)
            for child in field if isinstance(field, list) else [field]:
                if isinstance(child, ast.AST):
                    self.visit(child)
            if is_body:
                self.functions.pop()
        self.parents.pop()
        self.statement = statement

    def edits(self, node: ast.AST) -> Iterator[Edit]:
        """Yield the changes of a node."""
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for i, operator in enumerate(node.ops):
                    yield from self.swapped(sides[i], operator, sides[i + 1])
            case ast.BinOp():
                yield from self.swapped(node.left, node.op, node.right)
            case ast.AugAssign():
                yield from self.swapped(node.target, node.op, node.value)
            case ast.BoolOp():
                for left, right in zip(
                    node.values, node.values[1:], strict=False
                ):
                    yield from self.swapped(left, node.op, right)
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                start, end = self.span(node)
                sign = re.match(rb"not\s*|~", self.source[start:end])
                assert sign
                yield start, start + sign.end(), ""
            case ast.Constant(value=bool() | int() | float() as value):
                new = _other(value)
                if new != value:
                    yield *self.span(node), repr(new)
            case ast.If() | ast.IfExp() | ast.While():
                yield from self.negated(node.test)
            case ast.comprehension():
                for condition in node.ifs:
                    yield from self.negated(condition)
            case ast.Call():
                yield from self.calls(node)
            case ast.Return(value=ast.expr() as value):
                function = self.functions[-1]
                returns = getattr(function, "returns", None)
                if not _is_none(value) and not _is_none(returns):
                    yield self.replaced(value, "None")
            case ast.Expr(value=ast.Call()) | ast.Raise():
                yield self.replaced(node, "pass")

    def swapped(
        self, left: ast.AST, operator: ast.AST, right: ast.AST
    ) -> Iterator[Edit]:
        """Yield the swap of the operator between two operands."""
        if type(operator) not in OPERATORS:
            return
        old, new = OPERATORS[type(operator)]
        start, end = self.span(left)[1], self.span(right)[0]
        between = self.source[start:end].decode()
        for found in re.finditer(rf"#[^\n]*|{old}", between):
            if not found[0].startswith("#"):
                at = start + len(between[: found.start()].encode())
                yield at, at + len(found[0]), new
                return

    def negated(self, test: ast.expr) -> Iterator[Edit]:
        """Yield the negation of a condition."""
        is_two_way = (
            isinstance(test, ast.Compare)
            and len(test.ops) == 1
            and isinstance(test.ops[0], TWO_WAY)
        )
        is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        if not is_two_way and not is_not and not isinstance(test, ast.Constant):
            start, end = self.span(test)
            yield start, end, f"not ({self.source[start:end].decode()})"

    def calls(self, node: ast.Call) -> Iterator[Edit]:
        """Yield a call with two arguments swapped, or one left out."""
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        for a, b in zip(node.args, node.args[1:], strict=False):
            is_same = ast.dump(a) == ast.dump(b)
            starred = isinstance(a, ast.Starred) or isinstance(b, ast.Starred)
            if not is_same and not starred and name not in NOT_SWAPPED:
                (start, a_end), (b_start, end) = self.span(a), self.span(b)
                parts = (b_start, end), (a_end, b_start), (start, a_end)
                texts = [self.source[i:j].decode() for i, j in parts]
                yield start, end, "".join(texts)
        for keyword in node.keywords:
            needed = self.required.get(name, set()) | UNCHANGED_KEYWORDS
            if keyword.arg and keyword.arg not in needed:
                start, end = self.span(keyword)
                comma = re.match(rb"[ \n]*,[ ]?", self.source[end:])
                end += comma.end() if comma else 0
                yield start, end, "\n" * self.source[start:end].count(b"\n")

    def replaced(self, node: ast.AST, new: str) -> Edit:
        """Return the replacement of a node, with as many line ends."""
        start, end = self.span(node)
        return start, end, new + "\n" * self.source[start:end].count(b"\n")

    def span(self, node: ast.AST) -> tuple[int, int]:
        """Return the first byte of a node, and the byte after the last one."""
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def mutant(self, node: ast.AST, edit: Edit) -> Mutant:
        """Return the mutant of an edit, shown in its expression."""
        start, end, new = edit
        shown = start, end
        for around in (node, *reversed(self.parents)):
            if hasattr(around, "lineno") and not hasattr(around, "body"):
                first, last = self.span(around)
                if around is node or last - first <= LONGEST:
                    shown = first, last
        was = self.source[shown[0] : shown[1]]
        before, after = was[: start - shown[0]], was[end - shown[0] :]
        change = [was, before + new.encode() + after]
        line = self.source[:start].count(b"\n") + 1
        return Mutant(
            self.path,
            line,
            self.lines[line - 1].decode().strip(),
            "  ->  ".join(" ".join(part.decode().split()) for part in change),
            (start, end, new.encode()),
            self.statement,
        )


def _is_excluded(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0]) == "__all__"
    if isinstance(node, ast.keyword):
        return node.arg in UNCHANGED_KEYWORDS
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    return isinstance(node, ast.JoinedStr)


def _header(node: ast.stmt) -> tuple[int, int]:
    body = getattr(node, "body", None)
    if body:
        return node.lineno, max(node.lineno, body[0].lineno - 1)
    return node.lineno, node.end_lineno or node.lineno


def _other(value: bool | float) -> bool | float:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return 2 * value if value else 1.0


def _is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def equivalents() -> list[dict[str, str]]:
    """Return the survivors that were accepted, with the reasons."""
    return tomllib.loads(EQUIVALENT.read_text()).get("mutant", [])


def accepts(entry: dict[str, str], mutant: Mutant) -> bool:
    """Return True if an entry is about a mutant, wherever its line is now."""
    return (entry["path"], entry["line"], entry["change"]) == (
        mutant.path,
        mutant.text,
        mutant.change,
    )
