"""`krm signature`: a signature in words."""

from __future__ import annotations

import argparse

from keras_rankmetrics.command.signatures import (
    constructor,
    explained,
    parsed,
)
from keras_rankmetrics.version import __version__


def run(arguments: argparse.Namespace) -> str:
    """Return the text to print."""
    signature = parsed(arguments.signature)
    sentences = explained(signature)
    width = max(map(len, sentences))
    lines = [f"{part:{width}}  {text}" for part, text in sentences.items()]
    if signature.version != __version__:
        lines.append(
            f"\nThis is version {__version__}, which may compute it otherwise."
        )
    lines += ["", constructor(signature)]
    return "\n".join(lines)
