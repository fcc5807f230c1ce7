"""Where others take less than we do."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.tools.benchmarks.comparisons import Ratio
from tests.tools.benchmarks.contenders import PEERS
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.units import rounded


@dataclasses.dataclass(frozen=True)
class Ahead:
    """A peer that takes less.

    Args:
        ratio: how many times as much as we it takes, less than 1.
        covers: how many of the metrics it has, where not all.
        has_head_start: whether part of the work was done before its time.
    """

    scenario: str
    mode: str
    contender: str
    ratio: float
    covers: str
    has_head_start: bool

    @property
    def text(self) -> str:
        """The peer, how far it is ahead, and how much it computes."""
        covers = self.covers and f" with {self.covers}"
        return f"{self.contender} {rounded(self.ratio)}{covers}"


def ahead_of(ours: str, runs: Iterable[Run]) -> list[Ahead]:
    """Those who take less than one of our contenders."""
    return [
        Ahead(
            run.scenario,
            run.mode,
            m.contender,
            ratio,
            m.covers,
            bool(m.head_start),
        )
        for run in runs
        for m in run.measurements
        if m.contender in PEERS
        and (ratio := Ratio(m.contender, ours).value(run.values)) is not None
        and round(ratio, 2) < 1
    ]


def sentence(ours: str, title: str, runs: Sequence[Run]) -> str:
    """Who is ahead of one of our contenders, and where."""
    if not any(m.contender in PEERS for run in runs for m in run.measurements):
        return f"No other was measured against {title}."
    found = ahead_of(ours, runs)
    fair = [a for a in found if not a.has_head_start]
    given = [a for a in found if a.has_head_start]
    says = [
        f"Others are ahead of {title} in: {_places(fair)}"
        if fair
        else f"No other is ahead of {title}"
    ]
    if given:
        says.append(
            "with lists ranked before timing starts, in: " + _places(given)
        )
    return "; ".join(says) + "."


def _places(found: Iterable[Ahead]) -> str:
    """Where, and there who, the furthest ahead first."""
    places: dict[str, dict[str, list[str]]] = {}
    for one in sorted(found, key=lambda one: one.ratio):
        modes = places.setdefault(one.scenario, {})
        modes.setdefault(one.mode, []).append(one.text)
    return ", ".join(
        f"{scenario} {' and '.join(_modes(modes))}"
        for scenario, modes in places.items()
    )


def _modes(peers: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for mode, there in peers.items():
        yield f"on {mode} ({', '.join(there)})"
