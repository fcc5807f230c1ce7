"""The work of the command `krm`, whose arguments are in `krm_command`."""

from __future__ import annotations

import argparse
import importlib
import sys

from keras_rankmetrics.command.printing import print_text, with_options
from keras_rankmetrics.comparing.formats import in_markdown

# Modules and functions, imported when they are needed.
_COMMANDS = {
    "eval": ("eval", "table"),
    "gate": ("gate", "verdicts"),
    "doctor": ("doctor", "findings"),
    "signature": ("signature", "of_signature"),
    "conventions": ("signature", "of_conventions"),
}
_USAGE_ERROR = 2  # the exit code of `argparse`, too


def run(arguments: argparse.Namespace) -> int:
    """Run the parsed command, and return its exit code."""
    name, function = _COMMANDS[arguments.command]
    module = importlib.import_module(f"{__name__}.{name}")
    try:
        done = getattr(module, function)(arguments)
    except (ValueError, TypeError) as error:
        message = with_options(str(error))
        sys.stderr.write(f"krm: {message}\n")
        if getattr(arguments, "markdown", False):
            print_text(f"**error**: {in_markdown(message)}")
        return _USAGE_ERROR
    # A command returns its text, and an exit code unless that is always 0.
    text, code = done if isinstance(done, tuple) else (done, 0)
    if text:
        print_text(text)
    return int(code)
