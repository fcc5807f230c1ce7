"""Trace calls: `KERAS_BACKEND=torch python tests/package/walk.py [NAME]`.

Prints each station of a walk: its file, its function, and its level, the number
of functions of the package on the stack. The walks are those of `update_state`
by default, `evaluate` and `krm eval`. On that of `update_state`, a call is a
station if an argument, or a variable of an enclosing function that it uses, is
`y_pred`, was computed from it by torch, or holds such a value. On the others,
each call is one. Lambdas and comprehensions belong to the function that
contains them. With `--all`, prints all functions that are entered. With
`--write`, writes all walks into `docs/contributing.md`.
"""

import ast
import contextlib
import functools
import io
import pathlib
import sys
import tempfile
import types
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch.overrides import TorchFunctionMode

import keras_rankmetrics
from keras_rankmetrics import NDCG, evaluate

PACKAGE = pathlib.Path(keras_rankmetrics.__file__).parent
PAGE = PACKAGE.parent / "docs" / "contributing.md"
BEGIN, END = "<!-- walk of `{}` -->", "<!-- end of the walk -->"
DEEPEST = 8  # how far values are looked for in records that hold records
SHOWN = 3  # the page shows all functions down to this level


class Call(NamedTuple):
    """A call of a function of the package.

    Attributes:
        file: its file, relative to the package.
        function: its name.
        level: the number of functions of the package on the stack.
        has_scores: whether it receives `y_pred` or something made of it.
    """

    file: str
    function: str
    level: int
    has_scores: bool


class FromScores(TorchFunctionMode):
    """Values that torch computes from some tensor.

    They are recognised by their memory, which arrays of numpy share. All stay
    alive, so that no other value takes their memory.
    """

    def __init__(self, tensor):
        super().__init__()
        self.kept, self.memory = [tensor], {_memory(tensor)}

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Run an operation, and note its results if it reads such a value."""
        result = function(*args, **(kwargs or {}))
        if self.reach([args, kwargs]):
            for value in _values(result):
                self.kept.append(value)
                self.memory.add(_memory(value))
        return result

    def reach(self, x):
        """Return True if `x` is or holds one of the values."""
        places = (_memory(value) for value in _values(x))
        return any(place in self.memory for place in places if place)


def _memory(x):
    if isinstance(x, np.ndarray):
        return x.__array_interface__["data"][0]
    return x.untyped_storage().data_ptr()


def _values(x, depth=0):
    """Yield the tensors and arrays in an object, its records and containers."""
    if isinstance(x, torch.Tensor | np.ndarray):
        yield x
        return
    if depth == DEEPEST or isinstance(x, type | types.ModuleType):
        return
    if isinstance(x, dict):
        parts = list(x.values())
    elif isinstance(x, list | tuple | set):
        parts = x
    elif isinstance(x, types.FunctionType):
        parts = [cell.cell_contents for cell in x.__closure__ or ()]
    elif isinstance(x, types.MethodType):
        parts = [x.__self__]
    elif isinstance(x, functools.partial):
        parts = [x.func, x.args, x.keywords]
    elif type(x).__module__.startswith("keras_rankmetrics"):
        parts = list(getattr(x, "__dict__", {}).values())
    else:
        return
    for part in parts:
        yield from _values(part, depth + 1)


def calls_of(run, y_pred):
    """Return the calls of functions of the package while `run()` runs."""
    calls, scores = [], FromScores(y_pred)

    def note(frame, event, _):
        if event != "call" or not _is_function_of_package(frame.f_code):
            return
        sys.setprofile(None)
        calls.append(
            Call(
                _file(frame.f_code),
                frame.f_code.co_qualname,
                _level(frame),
                scores.reach(frame.f_locals),
            )
        )
        sys.setprofile(note)

    before = sys.getprofile()
    with scores:
        sys.setprofile(note)
        try:
            run()
        finally:
            sys.setprofile(before)
    return calls


def _is_function_of_package(code):
    path = pathlib.Path(code.co_filename)
    return path.is_relative_to(PACKAGE) and not code.co_name.startswith("<")


def _file(code):
    return str(pathlib.Path(code.co_filename).relative_to(PACKAGE))


def _level(frame):
    level = 0
    while frame is not None:
        level += _is_function_of_package(frame.f_code)
        frame = frame.f_back
    return level


def _scores():
    """Return the calls of one `NDCG().update_state(y_true, y_pred)`."""
    y_true = torch.tensor([[1.0, 0.0, 2.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
    y_pred = torch.tensor([[0.4, 0.3, 0.2, 0.1], [0.5, 0.7, 0.6, 0.8]])
    metric = NDCG()
    metric.reset_state()  # drops what the batch cache has of other metrics
    return calls_of(lambda: metric.update_state(y_true, y_pred), y_pred)


def _calls_again(run):
    """Return the calls of the second run, when all modules are imported."""
    run()
    return calls_of(run, torch.zeros(1))


def _evaluate():
    """Return the calls of one `evaluate` of dicts."""
    truth = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
    run = {"q1": {"d1": 0.5, "d3": 0.7}, "q2": {"d3": 0.5, "d9": 0.1}}
    return _calls_again(lambda: evaluate(truth, run, "NDCG@10 RR"))


def _command():
    """Return the calls of one `krm eval` of files as trec_eval has them."""
    sys.path.append(str(PACKAGE / "command" / "script"))
    import krm_command

    with tempfile.TemporaryDirectory() as folder:
        qrels, run = (pathlib.Path(folder, name) for name in ("qrels", "run"))
        qrels.write_text("q1 0 d1 2\nq1 0 d2 1\nq2 0 d3 1\n")
        run.write_text("q1 Q0 d1 1 0.5 x\nq1 Q0 d3 2 0.4 x\nq2 Q0 d3 1 0.5 x\n")
        words = ["eval", str(qrels), str(run), "-m", "NDCG@10 RR"]
        with contextlib.redirect_stdout(io.StringIO()):
            return _calls_again(lambda: krm_command.main(words))


class Walk(NamedTuple):
    """A walk through the package.

    Attributes:
        calls: returns the calls.
        is_station: returns True for those on the walk.
        is_shown: returns True for files that the page shows.
    """

    calls: Callable[[], list[Call]]
    is_station: Callable[[Call], bool] = lambda call: True
    # The ground floor is that of the walk of the scores.
    is_shown: Callable[[str], bool] = lambda file: (
        not file.startswith(("engine", "metrics"))
    )


WALKS = {
    "update_state": Walk(_scores, lambda call: call.has_scores, lambda _: True),
    "evaluate": Walk(_evaluate),
    "krm eval": Walk(_command),
}


def stations(name):
    """Return the calls on a walk."""
    walk = WALKS[name]
    return [call for call in walk.calls() if walk.is_station(call)]


def files_of(calls):
    """Return the files of the calls, in the order in which they are entered."""
    return list(dict.fromkeys(call.file for call in calls))


def summary(calls):
    """Return the numbers of files, functions and calls, and the levels."""
    functions = {(call.file, call.function) for call in calls}
    files, levels = files_of(calls), max(call.level for call in calls)
    return (
        f"{len(files)} files, {len(functions)} functions, {len(calls)} calls, "
        f"{levels} levels"
    )


def page(name):
    """Return a walk for newcomers: a row for each station.

    Rows are the functions down to the level `SHOWN`, and the first of every
    other file, each once and with the first sentence of its docstring.
    """
    rows, seen = {}, set()
    for call in stations(name):
        # A function within another one is part of it.
        function = call.function.split(".<locals>.")[0]
        text = _docstrings(call.file).get(function)
        if not text or not WALKS[name].is_shown(call.file):
            continue
        if call.level <= SHOWN or call.file not in seen:
            seen.add(call.file)
            station = f"`{call.file}` | `{function}`"
            rows.setdefault(station, f"| {call.level} | {station} | {text} |")
    head = ["| level | file | function | what it does |", "|--:|---|---|---|"]
    return "\n".join([*head, *rows.values()])


@functools.cache
def _docstrings(file):
    """Return the first sentence of each docstring, by qualified name."""
    found = {}
    for node in ast.parse((PACKAGE / file).read_text()).body:
        methods = node.body if isinstance(node, ast.ClassDef) else []
        for function in (node, *methods):
            if not isinstance(function, ast.FunctionDef):
                continue
            owner = f"{node.name}." if function is not node else ""
            text = (ast.get_docstring(function) or "").split("\n\n")[0]
            text = " ".join(text.split()).replace("|", "\\|")
            found[owner + function.name] = text
    return found


def written(text):
    """Return a page of the docs with the walks between their markers."""
    for name in WALKS:
        begin = BEGIN.format(name)
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(END)
        text = f"{before}{begin}\n{page(name)}\n{END}{after}"
    return text


def main():
    """Print the stations of a walk, or write all walks for newcomers."""
    if "--write" in sys.argv:
        PAGE.write_text(written(PAGE.read_text()))
        return
    [name] = [name for name in WALKS if name in sys.argv] or ["update_state"]
    calls = WALKS[name].calls()
    on_walk = [call for call in calls if WALKS[name].is_station(call)]
    for call in calls if "--all" in sys.argv else on_walk:
        indent = "  " * call.level
        print(f"{call.level:2}{indent}{call.file} {call.function}")
    print("all:", summary(calls))
    print(f"walk of {name}:", summary(on_walk))


if __name__ == "__main__":
    main()
