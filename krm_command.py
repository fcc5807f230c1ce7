"""The command `krm`: its arguments, and the backend that it computes with.

A module beside the package, so that help and usage errors need no import of
Keras: importing any part of `keras_rankmetrics` imports Keras first.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import runpy
import sys
from collections.abc import Sequence
from typing import Any

_PACKAGE = pathlib.Path(__file__).with_name("keras_rankmetrics")

# The command works on every backend and prints the same numbers. It takes the
# one that starts fastest and compiles nothing. Each backend is followed by the
# package that it needs: the numpy backend of Keras imports jax.
_LIGHTEST_FIRST = {"numpy": "jax", "tensorflow": "tensorflow", "torch": "torch"}

_ROLES = ("query", "item", "score", "label")


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

    The one in `keras.json` is not kept: Keras writes that file itself, so it is
    no choice of the user.
    """
    if "keras" in sys.modules or os.environ.get("KERAS_BACKEND"):
        return
    for backend, package in _LIGHTEST_FIRST.items():
        if importlib.util.find_spec(package) is not None:
            os.environ["KERAS_BACKEND"] = backend
            # Keep TensorFlow's log out of the output of the command.
            os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
            return


class _Version(argparse.Action):
    """An option that prints the version of the package, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        # The metadata of an editable install may be older than the code.
        version = runpy.run_path(str(_PACKAGE / "version.py"))["__version__"]
        print(f"krm {version}")
        parser.exit()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="krm",
        description="Compute ranking metrics of files, and explain signatures.",
    )
    parser.add_argument(
        "--version",
        action=_Version,
        nargs=0,
        help="show program's version number and exit",
    )
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    for add in (_add_eval, _add_signature, _add_conventions):
        add(subparsers)
    return parser


def _add_eval(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "eval",
        help="evaluate runs, and compare them with a baseline",
        description="Evaluate runs, and test which differ from the baseline.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="file of judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="file of a run")
    parser.add_argument(
        "-m",
        "--metrics",
        required=True,
        help="such as 'NDCG@10 MAP(denominator=min)@100 RR'",
    )
    parser.add_argument(
        "--convention",
        metavar="NAME",
        help="use the names and options of another tool: see `krm conventions`",
    )
    parser.add_argument(
        "--baseline", metavar="RUN", help="(default: the first run)"
    )
    parser.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        help="level of intervals and tests (default: 0.95)",
    )
    parser.add_argument(
        "--columns",
        metavar="ROLE=NAME,...",
        type=_columns,
        default={},
        help="columns of a table: query=...,item=...,score=...,label=...",
    )
    parser.add_argument(
        "--format",
        choices=("text", "markdown", "latex", "json", "csv"),
        default="text",
        help="(default: text)",
    )
    parser.add_argument(
        "--output", metavar="FILE", help="write the table to FILE"
    )
    parser.add_argument(
        "--per-list",
        metavar="FILE",
        help="write a CSV with the value of each query to FILE",
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help="draw a progress bar even if stderr is not a terminal",
    )
    parser.set_defaults(module="evaluate")


def _columns(text: str) -> dict[str, str]:
    """Return the names of columns by role."""
    columns = {}
    for part in text.split(","):
        role, _, name = part.partition("=")
        if role not in _ROLES or not name:
            raise argparse.ArgumentTypeError(
                "it should be like query=NAME,item=NAME,score=NAME,label=NAME. "
                f"Received: {part!r}."
            )
        columns[role] = name
    return columns


def _add_signature(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "signature",
        help="explain the signature of a metric",
        description="Explain the signature of a metric in words.",
    )
    parser.add_argument(
        "signature", help="the text of `metric.signature`, in quotes"
    )
    parser.set_defaults(module="signature")


def _add_conventions(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "conventions",
        help="list the conventions, or describe one",
        description="List the options that reproduce the numbers of other "
        "tools.",
    )
    parser.add_argument("name", nargs="?", help="a convention to describe")
    parser.add_argument(
        "--all", action="store_true", help="describe all conventions"
    )
    parser.set_defaults(module="conventions")


if __name__ == "__main__":
    sys.exit(main())
