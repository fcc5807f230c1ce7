"""How the contenders look in the picture, on paper of any colour."""

import dataclasses

from tests.tools.benchmarks.contenders import (
    KERAS_RS,
    RAX,
    REFERENCE,
    TORCHMETRICS,
)
from tests.tools.benchmarks.ratios import OTHERS


@dataclasses.dataclass(frozen=True)
class Mark:
    """One line of the legend.

    Args:
        name: what the legend says.
        contenders: who are drawn like this.
        colour: can be seen on white and on black.
        shape: as matplotlib names it.
        is_filled: whether it hides what is behind it.
    """

    name: str
    contenders: tuple[str, ...]
    colour: str
    shape: str
    is_filled: bool = True


OUR_COLOUR = "#d1495b"
MARKS = (
    Mark(KERAS_RS, (KERAS_RS,), "#3f83cc", "o"),
    Mark(RAX, (RAX,), "#c2701c", "s"),
    Mark(TORCHMETRICS, (TORCHMETRICS,), "#2e9150", "^"),
    Mark(REFERENCE, (REFERENCE,), "#7d8087", "D"),
    Mark("others", OTHERS, "#9a6fc4", "o", is_filled=False),
)
