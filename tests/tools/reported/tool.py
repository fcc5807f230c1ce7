"""`Tool`: a tool, and how to get its values."""

from __future__ import annotations

import dataclasses
import importlib.metadata
from collections.abc import Callable, Mapping

from tests.tools.reported.draws import Data


@dataclasses.dataclass(frozen=True)
class Tool:
    """A tool whose values have a convention.

    Attributes:
        convention: the name of the convention.
        package: the distribution that computes the values; "" if they are by
            the formulas of the tool, written again.
        form: what the tool takes, see `draws.drawn`.
        grades: the highest label that it takes; 1 if it takes 0 and 1 alone.
        values: a function that returns the value of each measure, by the name
            that the convention knows it by.
        are_tied: False if its order of tied items is undefined.
        have_empty: False if it refuses lists without relevant items.
        major: the beginning of the version, if the convention is of that one.
        tolerance: how far its values may be from ours, for instance as it
            computes in float32, or rounds.
    """

    convention: str
    package: str
    form: str
    grades: int
    values: Callable[[Data], Mapping[str, float]]
    are_tied: bool = True
    have_empty: bool = True
    major: str = ""
    tolerance: float = 1e-6

    @property
    def version(self) -> str | None:
        """The installed version; None if there is none."""
        if not self.package:
            return "by its formulas"
        try:
            found = importlib.metadata.version(self.package)
        except importlib.metadata.PackageNotFoundError:
            return None
        return found if found.startswith(self.major) else None
