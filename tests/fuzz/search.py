"""Cases, one after the other, until there is no time left."""

import collections
import contextlib
import dataclasses
import signal
import time
from collections.abc import Iterator
from typing import Any

from .case import Case
from .draws import drawn
from .judge import Failure, failures_of
from .outcomes import outcomes_of

# Of these it is not known which metric they are of.
OF_ALL = ("a hang", "an error outside")
LIMIT = 300  # seconds for a case, the first of which may compile


class Hang(BaseException):
    """Not to be taken for an error of the package."""


def tried(case: Case) -> list[Failure]:
    """What is wrong with a case."""
    try:
        with limited():
            return list(failures_of(case, outcomes_of(case)))
    except Hang:
        detail = f"took more than {LIMIT} seconds"
        return [Failure("a hang", case.cells[0], detail)]
    except Exception as error:
        detail = f"{type(error).__name__}: {error}"
        return [Failure("an error outside", case.cells[0], detail)]


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Raises when it takes too long, where the system can tell."""

    def late(*_: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@dataclasses.dataclass
class Search:
    """What a search has found.

    Attributes:
        seed: of all draws.
        batches: how many there were.
        cases: how many times a metric got one.
        kinds: how many cases of each kind there were.
        found: what failed, with its batch and, if it is known, that metric
            alone.
    """

    seed: int
    batches: int = 0
    cases: int = 0
    kinds: collections.Counter = dataclasses.field(
        default_factory=collections.Counter
    )
    found: list[tuple[Case, Failure]] = dataclasses.field(default_factory=list)

    def run(self, seconds: float, cases: float) -> "Search":
        """Goes on until either is over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.cases < cases:
            self.step()
        return self

    def step(self) -> None:
        case = drawn(self.seed, self.batches)
        self.batches += 1
        self.cases += len(case.cells)
        kind = "broken" if case.broken else case.form
        self.kinds[f"{case.family}, {kind}, {case.way}"] += len(case.cells)
        for failure in tried(case):
            if failure.kind not in OF_ALL:
                alone = dataclasses.replace(case, cells=(failure.cell,))
                self.found.append((alone, failure))
            else:
                self.found.append((case, failure))
