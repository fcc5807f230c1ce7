"""The work of the command `krm`, whose arguments are in `krm_command`."""

from __future__ import annotations

import argparse
import sys

from keras_rankmetrics.command import evaluating, signature
from keras_rankmetrics.command.printing import (
    print_text,
    printed_warnings,
    with_options,
)
from keras_rankmetrics.comparing.table_formats import in_markdown

_COMMANDS = {
    "eval": evaluating.evaluation,
    "gate": evaluating.verdicts,
    "doctor": evaluating.findings,
    "explain": signature.of_number,
    "signature": signature.of_signature,
    "conventions": signature.of_conventions,
}
_USAGE_ERROR = 2  # the exit code of `argparse`, too


def run(arguments: argparse.Namespace) -> int:
    """Run the parsed command, and return its exit code."""
    try:
        with printed_warnings():
            text, code = _COMMANDS[arguments.command](arguments)
    except (ValueError, TypeError) as error:
        message = with_options(str(error))
        sys.stderr.write(f"krm: {message}\n")
        if getattr(arguments, "markdown", False):
            print_text(f"**error**: {in_markdown(message)}")
        return _USAGE_ERROR
    if text:
        print_text(text)
    return code
