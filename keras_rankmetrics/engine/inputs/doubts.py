"""`Doubts`: what a metric warns of, once."""

from __future__ import annotations

import warnings


class Doubts:
    """The warnings of one metric, of which the user hears the first."""

    def __init__(self) -> None:
        self._uttered = False

    def utter(self, doubt: str | None, name: str) -> None:
        """Warns of a doubt, if there is one, and none was uttered before.

        Args:
            doubt: what to warn of, or None.
            name: of the metric.
        """
        if doubt is not None and not self._uttered:
            self._uttered = True
            warnings.warn(f"{name}: {doubt}", UserWarning, stacklevel=5)
