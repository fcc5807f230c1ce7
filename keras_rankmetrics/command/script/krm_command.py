"""The command `krm`: its arguments, and the backend that it computes with.

Installed next to the package, not in it: importing any module of
`keras_rankmetrics` imports Keras first, and help must not wait for that.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

# The command works on every backend and prints the same numbers. It takes the
# one that starts fastest and compiles nothing. Each backend is followed by the
# package that it needs: the numpy backend of Keras imports jax.
_LIGHTEST_FIRST = {"numpy": "jax", "tensorflow": "tensorflow", "torch": "torch"}
_DROP = "drop items whose id is that of the query, from run and judgements"
_ROLES = (
    "query",
    "item",
    "score",
    "rank",
    "label",
    "subtopic",
    "weight",
    "group",
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code.

    Args:
        arguments: those after the name of the command; by default those of
            this process.
    """
    parsed = _parser().parse_args(arguments)
    _choose_backend()
    from keras_rankmetrics import command

    return command.run(parsed)


def _choose_backend() -> None:
    """Select the lightest backend, unless Keras has one or the user names one.

    The backend in `keras.json` does not count: Keras writes that file itself,
    so the user did not choose it.
    """
    if "keras" in sys.modules or os.environ.get("KERAS_BACKEND"):
        return
    for backend, package in _LIGHTEST_FIRST.items():
        if importlib.util.find_spec(package) is not None:
            os.environ["KERAS_BACKEND"] = backend
            # Keep TensorFlow's log out of the output of the command.
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            return


class _Parser(argparse.ArgumentParser):
    """A parser whose error for leftover words names the usual cause."""

    def error(self, message: str) -> NoReturn:
        """Print the error, and exit."""
        if message.startswith("unrecognized"):
            message += ". Quote several metrics: -m 'NDCG@5 MAP'."
        super().error(message)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="krm",
        description="Compute ranking metrics of files, and explain numbers.",
    )
    version = f"krm {importlib.metadata.version('keras_rankmetrics')}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True
    )

    def command(name: str, help_: str, about: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=help_, description=about)

    add = command(
        "eval",
        "evaluate runs, and compare them with a baseline",
        "Evaluate runs, and test which differ from the baseline.",
    ).add_argument
    _add_common_arguments(add)
    run = "file of a run; none if QRELS is a table that has scores, too"
    add("runs", metavar="RUN", nargs="*", help=run)
    add("--baseline", metavar="RUN", help="(default: the first run)")
    formats = ("text", "markdown", "latex", "json", "csv")
    add("--format", choices=formats, default="text", help="(default: text)")
    add("--output", metavar="FILE", help="write the table to FILE")
    detect = "print how many queries detect a true difference of that size"
    add("--detect", metavar="DIFFERENCE", type=float, help=detect)
    ceilings = "print the highest values that each run could reach"
    add("--ceilings", action="store_true", help=ceilings)
    per_list = "write a CSV with the value of each query to FILE"
    add("--per-list", metavar="FILE", help=per_list)
    groups = "evaluate groups, too: a CSV or TSV with query and group"
    add("--groups", metavar="FILE", help=groups)
    gate = command(
        "gate",
        "fail if a run is worse than a baseline",
        "Judge if metrics of a run drop by more than a tolerance, or rise if "
        "lower is better. Exit with 0 if not, 1 if so, 2 after an error, and 3 "
        "if that is undecided, which fails a build, too.",
    )
    add = gate.add_argument
    _add_common_arguments(add)
    add("candidate", metavar="CANDIDATE", help="file of the run to judge")
    baseline = "file of a run, or of `--save`, or a number: a threshold or mean"
    add("baseline", metavar="BASELINE", help=baseline)
    lists = "the number of queries that BASELINE, a published mean, is over"
    add("--lists", metavar="N", type=int, help=lists)
    tolerance = "largest loss to accept, in units of the metrics, such as 0.01"
    margin = gate.add_mutually_exclusive_group(required=True).add_argument
    margin("--tolerance", metavar="LOSS", help=tolerance)
    equivalent = "largest change to accept in either direction"
    margin("--equivalent", metavar="CHANGE", help=equivalent)
    markdown = "print a line of Markdown for each metric"
    add("--markdown", action="store_true", help=markdown)
    add("--json", action="store_true", help="print the verdicts as JSON")
    add = command(
        "doctor",
        "look for mistakes in judgements and a run",
        "Look for mistakes in judgements and a run. The exit code is 1 if "
        "there are errors or warnings.",
    ).add_argument
    add("qrels", metavar="QRELS", help="file of judgements")
    run = "file of a run; none if QRELS is a table that has scores, too"
    add("run", metavar="RUN", nargs="?", help=run)
    add("-k", type=int, default=10, help="cutoff to look at (default: 10)")
    metrics = "the metrics to compute, as for `krm eval`"
    add("-m", "--metrics", action="append", help=metrics)
    _add_options_of_reading(add)
    add("--drop-same-id", action=argparse.BooleanOptionalAction, help=_DROP)
    add = command(
        "explain",
        "find out what a number measures",
        "Find the tool, the metric and the options that give a number.",
    ).add_argument
    number = "the number, such as 0.8333 or 83.3%%; two, for what changes it"
    add("values", metavar="VALUE", nargs="+", help=number)
    truth = "file of judgements, or of a table that has scores, too"
    add("--truth", metavar="QRELS", required=True, help=truth)
    add("--run", metavar="RUN", help="file of a run")
    names = "metrics that it may be, such as 'recall' or 'NDCG@10'"
    add("-m", "--metrics", action="append", default=[], help=names)
    tool = "the tool that reports the number: see `krm conventions`"
    add("--convention", metavar="NAME", help=tool)
    _add_options_of_reading(add)
    add = command(
        "signature",
        "explain the signature of a metric",
        "Explain the signature of a metric in words.",
    ).add_argument
    text = "the text of `metric.signature`, in quotes"
    add("signature", metavar="SIGNATURE", help=text)
    add = command(
        "conventions",
        "list the conventions, or describe one",
        "List the options that reproduce the numbers of other tools.",
    ).add_argument
    add("name", metavar="NAME", nargs="?", help="a convention to describe")
    add("--all", action="store_true", help="describe all conventions")
    return parser


def _add_common_arguments(add: Callable[..., Any]) -> None:
    add("qrels", metavar="QRELS", help="file of judgements")
    specs = "such as 'NDCG@10 MAP(denominator=min)@100 RR'"
    add("-m", "--metrics", required=True, action="append", help=specs)
    tool = "use the names and options of another tool: see `krm conventions`"
    add("--convention", metavar="NAME", help=tool)
    confidence = "level of intervals and tests (default: 0.95)"
    add("--confidence", "--level", type=level, default=0.95, help=confidence)
    runs = {"metavar": "RUN", "nargs": "?", "default": []}
    lower = "RUN has distances; without RUN, all runs have: put it last"
    _add_options_of_reading(add, lower, action="append", **runs)
    add("--drop-same-id", action=argparse.BooleanOptionalAction, help=_DROP)
    weights = "weigh queries in the mean: a CSV or TSV with query and weight"
    add("--weights", metavar="FILE", help=weights)
    clusters = "keep queries of a cluster together in errors: a CSV or TSV"
    add("--clusters", metavar="FILE", help=clusters)
    save = "write the values of all queries to FILE, a baseline for `krm gate`"
    add("--save", metavar="FILE", help=save)
    progress = "draw a progress bar even if stderr is not a terminal"
    add("--progress", action="store_true", help=progress)


def _add_options_of_reading(
    add: Callable[..., Any],
    lower: str = "the scores are distances",
    action: str = "store_true",
    **of_runs: Any,
) -> None:
    """Add the options that say how to read tables and scores.

    Args:
        add: adds an argument.
        lower: the help of `--lower-is-better`.
        action: what that option does, by default for all runs.
        **of_runs: how it names runs.
    """
    roles = f"columns of a table: {','.join(f'{x}=...' for x in _ROLES)}"
    columns = {
        "metavar": "ROLE=NAME,...",
        "type": _columns,
        "action": _Columns,
        "default": {},
    }
    add("--columns", help=roles, **columns)
    add("--lower-is-better", help=lower, action=action, **of_runs)
    parents = "items are chunks 'DOCUMENT#NUMBER': rank their documents"
    add("--parents", metavar="MARK", help=parents)
    worst = "items with worse scores are not retrieved"
    add("--worst-score", metavar="SCORE", type=float, help=worst)


def level(text: str) -> float:
    """Return the level that the text gives."""
    if not 0.5 <= float(text) < 1:
        raise argparse.ArgumentTypeError(
            f"it should be between 0.5 and 1. Received: {text}."
        )
    return float(text)


class _Columns(argparse.Action):
    """An option that may be repeated: it names more columns."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Add the columns; several scores are those of several systems."""
        columns = dict(getattr(namespace, self.dest))
        for role, name in values:
            if role in ("score", "rank") and role in columns:
                known = columns[role]
                known = known if isinstance(known, list) else [known]
                columns[role] = [*known, name]
            else:
                columns[role] = name
        setattr(namespace, self.dest, columns)


def _columns(text: str) -> list[tuple[str, str | None]]:
    """Return roles with the names of their columns."""
    columns = []
    for part in text.split(","):
        role, _, name = part.partition("=")
        if role not in _ROLES or not name:
            raise argparse.ArgumentTypeError(
                "it should be like query=NAME,item=NAME,score=NAME,label=NAME, "
                f"each name with its role. Received: {part!r}."
            )
        # Messages name no column of items, or of labels, by this word.
        columns.append((role, None if name == "None" else name))
    return columns


if __name__ == "__main__":
    sys.exit(main())
