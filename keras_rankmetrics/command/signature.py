"""`krm signature`: what a signature says, in words."""

from __future__ import annotations

import argparse
from typing import Any

from keras_rankmetrics.command.signatures import (
    bibtex,
    constructor,
    explained,
    parsed,
)
from keras_rankmetrics.engine.naming.signature import __version__


def add_to(parsers: Any) -> None:
    """Adds the sub-command."""
    parser = parsers.add_parser(
        "signature",
        help="explain a signature, and how to cite it",
        description="What the signature of a metric says, in words.",
    )
    parser.add_argument(
        "signature", help="what `metric.signature` prints, in quotes"
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """The text to print."""
    signature = parsed(given.signature)
    sentences = explained(signature)
    width = max(map(len, sentences))
    lines = [f"{part:{width}}  {text}" for part, text in sentences.items()]
    if signature.version != __version__:
        lines.append(
            f"\nThis is version {__version__}, which may compute it otherwise."
        )
    lines += ["", constructor(signature), "", bibtex(signature)]
    return "\n".join(lines)
