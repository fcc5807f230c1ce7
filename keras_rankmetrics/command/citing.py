"""How a number is cited."""

from __future__ import annotations

from keras_rankmetrics.command.signatures import Signature


def bibtex(signature: Signature) -> str:
    """An entry that names the version, and the signature in its note."""
    return "\n".join(
        [
            "@software{keras_rankmetrics,",
            "  title = {keras\\_rankmetrics: ranking metrics for Keras 3},",
            "  author = {{The keras\\_rankmetrics authors}},",
            f"  version = {{{signature.version}}},",
            f"  note = {{\\texttt{{\\detokenize{{{signature.text}}}}}}}",
            "}",
        ]
    )
