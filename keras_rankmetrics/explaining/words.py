"""An answer in words: sentences for its settings, and calls that repeat it.

A sentence is for a part of a signature, or for a rule of a tool. A call gives a
number again, for inputs as they were passed.
"""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from keras_rankmetrics.comparing.labels_and_scores import ScoredFile, Side
from keras_rankmetrics.comparing.reading import Input, Reading

_SENTENCES: Mapping[str, Mapping[str, str]] = {
    "ties": {
        "average": "Tied items count as the exact mean over all their orders.",
        "shuffle": "Tied items are in one random order.",
        "stable": "Tied items are in the order of the input.",
        "pessimistic": "Tied items have the least relevant one first.",
        "optimistic": "Tied items have the most relevant one first.",
        "last_id_first": "Tied items are in descending order of their ids.",
        "first_id_first": "Tied items are in ascending order of their ids.",
        "first_row_first": "Tied items are in the order of the run.",
    },
    "score_dtype": {
        "None": "Scores tie if they are equal.",
        "float32": "Scores tie if they are equal in single precision.",
        "float64": "Scores tie if they are equal in double precision.",
    },
    "queries": {
        "truth": "A query that the run lacks counts as a list that retrieves "
        "nothing.",
        "both": "A query that the run lacks is excluded.",
    },
    "nothing_retrieved": {
        "counts": "A list that retrieves nothing counts.",
        "is_excluded": "A list that retrieves nothing is excluded.",
        "is_1_if_none_relevant": "A list that retrieves nothing counts as 1 if "
        "it has no relevant items, else as any other.",
    },
    "drop_same_id": {
        "True": "An item with the id of its query is dropped.",
        "False": "An item with the id of its query counts.",
    },
    "same_id_in_truth": {
        "dropped": "The judgement of a dropped item is dropped, too.",
        "kept": "The judgement of a dropped item counts.",
    },
    "judgements": {
        "all": "All judgements are known.",
        "of_run": "Only the queries and the items of the run are known: others "
        "do not count as relevant.",
    },
    "decimals": {
        "None": "The values of lists are not rounded.",
        "2": "The value of each list is rounded to 2 decimals.",
    },
    "printed": {
        "rounded": "The mean is rounded.",
        "cut": "The mean is cut off after its last digit, not rounded.",
    },
    "empty": {
        "zero": "A list without relevant items counts as 0.",
        "one": "A list without relevant items counts as 1.",
        "skip": "A list without relevant items is excluded.",
    },
    "list_weight": {
        "relevance": "The weight of a list is the mean weight of its relevant "
        "items; without `sample_weight` all lists have the same weight.",
        "mean": "The weight of a list is the mean weight of its items; without "
        "`sample_weight` all lists have the same weight.",
    },
    "adjusted": {
        "chance": "The values are rescaled: a random order has 0, the best 1.",
    },
    "labels": {
        "probabilities": "Labels are probabilities of relevance.",
        "integers": "Labels are whole numbers.",
        "not_negative": "Labels are 0 or more.",
        "grades": "Labels are grades.",
        "members": "Each judged item is relevant, whatever its label.",
    },
    "inputs": {
        "scores": "The input is a label and a score for each item.",
        "sparse": "The input is the indices of the relevant items, and a score "
        "for each item of the catalogue.",
        "ids": "The input is the ids of the relevant items, and the "
        "recommended ids, the best first.",
        "counts": "The input is the number of items above each relevant item.",
    },
    "unjudged": {"condense": "Unjudged items are removed from the ranking."},
    "dtype": {"float64": "The computation is in double precision."},
    "ideal": {
        "relevant": "The ideal order has the best k of all items first.",
        "retrieved": "The ideal order has only the retrieved top k items.",
        "uncut": "The ideal order has all items, also below rank k.",
        "shown": "The ideal order has the best of all items, as many as are "
        "retrieved within rank k.",
    },
    "gain": {
        "exponential": "An item with the label y has the gain 2^y - 1.",
        "linear": "An item with the label y has the gain y.",
        "binary": "An item with a label of 1 or more has the gain 1.",
    },
    "discount": {
        "log2": "An item at rank r has the discount 1/log2(r + 1).",
        "natural_log": "An item at rank r has the discount 1/ln(r + 1).",
        "original": "An item at rank r has the discount 1/log2(r), and 1 at "
        "the first two ranks.",
        "reciprocal": "An item at rank r has the discount 1/r.",
        "inverse_square": "An item at rank r has the discount 1/(r + 1)², "
        "divided by the sum over all ranks.",
    },
    "normalized": {
        "True": "The value is divided by that of the best order.",
        "False": "The value is not divided by that of the best order.",
    },
    "denominator": {
        "k": "The sum is divided by k, even if fewer items are retrieved.",
        "retrieved": "The sum is divided by k, or by the number of retrieved "
        "items if that is smaller.",
        "relevant": "The sum is divided by the number of relevant items.",
        "min": "The sum is divided by k, or by the number of relevant items if "
        "that is smaller.",
        "hits": "The sum is divided by the number of relevant items in the "
        "top k.",
    },
    "part": {
        "loss": "The value is the whole loss: disparity, minus twice the "
        "relevance, plus a constant.",
        "disparity": "The value is the disparity alone.",
        "relevance": "The value is the relevance alone.",
    },
}

_NUMBERS = {
    "relevance_threshold": "Items with a label of {} or more are relevant.",
    "beta": "Beta is {}: the weight of recall in F-beta, and of gains in "
    "Q-measure.",
    "p": "A user goes on to the next item with probability {}.",
    "decay": "A user goes on to the next item with probability {}.",
    "alpha": "Alpha is {}: the probability that a relevant item satisfies the "
    "user, and in BEDROC the weight of early ranks.",
    "fraction": "A share of {} of the items is looked at, the first ones.",
    "max_grade": "The highest grade is {}.",
    "recall": "The precision is taken at recall {}.",
    "probabilities": "A user's threshold is the grade 1, 2, ... with the "
    "probabilities {}.",
    "seed": "The random order comes from the seed {}.",
    "num_items": "The catalogue has {} items.",
}


def sentence(name: str, value: str) -> str:
    """Return what an option of that name means if it has that value.

    >>> sentence("empty", "skip")
    'A list without relevant items is excluded.'

    Raises:
        ValueError: if the option is known and the value is not.
    """
    if name in _NUMBERS:
        return _NUMBERS[name].format(value.removesuffix(".0"))
    choices = _SENTENCES.get(name, {})
    if value in choices:
        return choices[value]
    if name in ("gain", "discount"):
        return f"The function of the {name} is `{value}`."
    if choices:
        listed = ", ".join(choices)
        raise ValueError(
            f"`{name}` should be one of {listed}. Received: {value!r}."
        )
    return f"`{name}` is an argument with the fingerprint {value}."


# Calls of Python or the command that give a number again.

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
            name: repr(value)
            if isinstance(value, str) or name not in _VARIABLES
            else name
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
            table = truth.x.table
            is_file = isinstance(table, ScoredFile)
            passed = [table.x, *(table.source.scores if is_file else ())]
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


_VARIABLES = "query_ids", "item_ids", "parents"


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
    parents = arguments.pop("parents", "")
    names = [x for each in columns.items() for x in map(str, each)]
    if any("," in name or "=" in name for name in names):
        return None
    if arguments.keys() - {"higher_is_better"} or not isinstance(parents, str):
        return None
    pairs = ",".join(f"{role}={name}" for role, name in columns.items())
    files = shlex.join(map(os.fsdecode, passed))
    named = {"--columns": pairs, "--parents": parents}.items()
    return (files, *(x for each in named if each[1] for x in each), *lower)
