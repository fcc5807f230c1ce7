"""The arguments of `krm`."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

from keras_rankmetrics.command.printing import print_text
from keras_rankmetrics.version import __version__

_USAGE_ERROR = 2  # the exit code of `argparse`, too


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return its exit code.

    Args:
        arguments: those after the name of the command; by default those of
            this process.
    """
    parsed = _parser().parse_args(arguments)
    module = f"keras_rankmetrics.command.{parsed.module}"
    try:
        text = importlib.import_module(module).run(parsed)
    except (ValueError, TypeError) as error:
        sys.stderr.write(f"krm: {error}\n")
        return _USAGE_ERROR
    if text:
        print_text(text)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="krm",
        description="Compute ranking metrics of files, and explain signatures.",
    )
    parser.add_argument(
        "--version", action="version", version=f"krm {__version__}"
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
        default="",
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
