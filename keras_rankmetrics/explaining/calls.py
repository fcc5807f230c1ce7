"""Calls that give a number again, for inputs as they were passed."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from keras_rankmetrics.comparing.labels_and_scores import Side
from keras_rankmetrics.comparing.reading import Input, Reading

# What of the judgements a tool knows: all of them, those of the queries of the
# run, or the labels of the items of the run.
Known = Literal["all", "queries", "items"]
# Code for judgements and a run that are dicts of dicts.
_OF_DICTS: Mapping[Known, str] = {
    "items": "known = {q: {x: truth[q].get(x, 0) for x in run[q]} for q in run",
    "queries": "known = {q: truth[q] for q in run",
}
_COMMAND_LACKS = "The command cannot say this. In Python:"


class Call(NamedTuple):
    """A call of `evaluate`.

    Attributes:
        number: the number that it gives, as text.
        name: the name of the metric.
        tool: the convention.
        known: what of the judgements it gets.
    """

    number: str
    name: str
    tool: str
    known: Known


@dataclasses.dataclass(frozen=True)
class Inputs:
    """The judgements and the run of `explain`, as code.

    Attributes:
        sides: the code of the judgements and of the run: variables, or paths
            of files. One table has both.
        arguments: further arguments of `explain` and of `evaluate`, as code.
        of_known: those of `evaluate` if the judgements are a dict by query.
        metrics: the argument `metrics` of `explain`.
        are_dicts: True for dicts of labels, and of scores or ids, by query.
        lacks_queries: True if the truth lacks queries of the run.
        options: the options of the command; None if it cannot read these.
    """

    sides: tuple[str, ...]
    arguments: Mapping[str, str]
    of_known: Mapping[str, str]
    metrics: Any
    are_dicts: bool
    lacks_queries: bool
    options: tuple[str, ...] | None

    @classmethod
    def of(
        cls,
        truth: Input,
        run: Input,
        asked: Reading,
        metrics: Any,
        lacks_queries: bool,
    ) -> Inputs:
        """Return the inputs that were read.

        Args:
            truth: the judgements.
            run: the run.
            asked: how they were read.
            metrics: the argument `metrics` of `explain`.
            lacks_queries: True if the truth lacks queries of the run.
        """
        arguments = {
            name: _VARIABLES.get(name, repr(value))
            for name, value in _passed(asked).items()
        }
        of_known = dict(arguments)
        if asked.columns:
            names = run.names()
            columns = {
                role: name
                for role, name in asked.columns.items()
                if (role != "label" if names is None else name in names)
            }
            of_known["columns"] = repr(columns)
            if not columns:
                del of_known["columns"]
        if run.has_row_numbers:
            of_known["query_ids"] = f"range({run.queries_in_order})"
        passed = [truth.x, run.x]
        if isinstance(truth, Side):
            passed = [truth.x.table.x]
        return cls(
            tuple(map(_code, ("truth", "run"), passed)),
            arguments,
            of_known,
            metrics,
            _has_labels(truth.x) and _has_items(run.x),
            lacks_queries,
            _options(passed, asked),
        )

    def in_python(self, call: Call) -> list[str]:
        """Return lines of Python that give a number."""
        sides, arguments, lines = self.sides, self.arguments, []
        if call.known != "all":
            sides, arguments = ("known", *sides[1:]), self.of_known
            lines = [self._known(call)]
        options = "".join(f", {name}={x}" for name, x in arguments.items())
        name = f'"{call.name}"' if len(sides) > 1 else f'metrics="{call.name}"'
        return [
            *lines,
            f"krm.evaluate({', '.join(sides)}, {name}, "
            f'convention="{call.tool}"{options})',
        ]

    def _known(self, call: Call) -> str:
        if self.are_dicts:
            lacking = " if q in truth" * self.lacks_queries
            return f"{_OF_DICTS[call.known]}{lacking}}}"
        options = "".join(f", {name}={x}" for name, x in self.arguments.items())
        metrics = f", {self.metrics!r}" if self.metrics else ""
        return (
            f'known = krm.explain("{call.number}", {", ".join(self.sides)}'
            f'{metrics}{options}).judgements("{call.known}")'
        )

    def in_shell(self, call: Call) -> list[str]:
        """Return a line of the command, or of Python where it has no option."""
        if self.options is None or call.known != "all":
            code = self.in_python(call)
            return [_COMMAND_LACKS, "import keras_rankmetrics as krm", *code]
        files, *options = self.options
        words = ["-m", call.name, "--convention", call.tool, *options]
        return [f"krm eval {files} {shlex.join(words)}"]


_VARIABLES = {"query_ids": "query_ids", "item_ids": "item_ids"}


def _code(name: str, x: Any) -> str:
    """Return the path of a file as code, and the name of other arguments."""
    return repr(os.fsdecode(x)) if isinstance(x, str | os.PathLike) else name


def _has_labels(truth: Any) -> bool:
    """Return True for a dict with a dict of labels of 0 or more by query."""
    return isinstance(truth, Mapping) and all(
        isinstance(items, Mapping)
        and {*map(type, items.values())} <= {bool, int, float}
        and min(items.values(), default=0) >= 0
        for items in truth.values()
    )


def _has_items(run: Any) -> bool:
    """Return True for a dict by query of dicts by item, or of lists of ids."""
    return isinstance(run, Mapping) and all(
        isinstance(items, Mapping)
        or (isinstance(items, list) and {*map(type, items)} <= {bool, int, str})
        for items in run.values()
    )


def _passed(asked: Reading) -> dict[str, Any]:
    """Return the arguments that the user passed, or that others imply."""
    return {
        field.name: value
        for field in dataclasses.fields(asked)
        if (value := getattr(asked, field.name)) is not field.default
    }


def _options(passed: Sequence[Any], asked: Reading) -> tuple[str, ...] | None:
    """Return the files and the options of the command; None if it has none."""
    if not all(isinstance(x, str | os.PathLike) for x in passed):
        return None
    arguments = _passed(asked)
    columns = arguments.pop("columns", {})
    lower = ["--lower-is-better"] * ("higher_is_better" in arguments)
    names = [x for each in columns.items() for x in map(str, each)]
    if any("," in name or "=" in name for name in names):
        return None
    if arguments.keys() - {"higher_is_better"}:
        return None
    pairs = ",".join(f"{role}={name}" for role, name in columns.items())
    files = shlex.join(map(os.fsdecode, passed))
    return (files, *(["--columns", pairs] if pairs else []), *lower)
