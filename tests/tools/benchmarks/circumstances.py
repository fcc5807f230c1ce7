"""When, where and by which command it was measured."""

import dataclasses
import datetime
import platform
from collections.abc import Container, Iterable, Sequence

from tests.tools.benchmarks import gpu, machine
from tests.tools.benchmarks.contenders import OURS
from tests.tools.benchmarks.markdown import bullets
from tests.tools.benchmarks.measurement import Run


@dataclasses.dataclass(frozen=True)
class Circumstances:
    """What is the same for all runs.

    Args:
        command: the command line.
        date: the day, as ISO 8601 has it.
        machine: its processor, cores and system.
        python: the version.
        gpus: the names of those that are installed.
    """

    command: str
    date: str
    machine: str
    python: str
    gpus: tuple[str, ...] = ()

    @classmethod
    def here(cls, command: str) -> "Circumstances":
        """This machine, today."""
        return cls(
            command,
            date=datetime.date.today().isoformat(),
            machine=machine.in_words(),
            python=platform.python_version(),
            gpus=gpu.installed(),
        )

    @property
    def where(self) -> str:
        """The machine, before anything has run on it."""
        return f"{self.machine}; GPU: {', '.join(self.gpus) or 'none'}"

    def gpu(self, runs: Sequence[Run]) -> str:
        """The GPUs, and who used them."""
        return gpu.in_words(runs, self.gpus)

    def listed(self, runs: Sequence[Run]) -> str:
        """All that is known, as a list."""
        return bullets(
            [
                f"Command: `{self.command}`, {self.date}",
                f"Machine: {self.machine}",
                f"GPU: {self.gpu(runs)}",
                f"Load average: {load(runs)}. If it exceeds the number of "
                "cores, other processes ran too.",
                f"Versions: {self.versions(runs)}",
                f"Source of {OURS}: {_source(runs)}",
            ]
        )

    def in_brief(self, runs: Sequence[Run], packages: Container[str]) -> str:
        """A sentence, with the versions of these packages."""
        hurry = "--quick" in self.command.split()
        on_what = "with part of the data (`--quick`) " if hurry else ""
        return (
            f"Measured {on_what}on {self.machine} "
            f"(GPU: {self.gpu(runs)}; load average: {load(runs)}), "
            f"on {self.date}, with {self.versions(runs, packages)}."
        )

    def versions(
        self, runs: Sequence[Run], packages: Container[str] | None = None
    ) -> str:
        """Of Python, and of these packages or of all."""
        found = {name: v for run in runs for name, v in run.versions.items()}
        shown = sorted(n for n in found if packages is None or n in packages)
        return ", ".join(
            [f"Python {self.python}", *(f"{n} {found[n]}" for n in shown)]
        )


def load(runs: Iterable[Run]) -> str:
    """The load averages of the runs, in words."""
    loads = [run.load for run in runs if not run.failure]
    return f"{min(loads):.1f} to {max(loads):.1f}" if loads else "unknown"


def _source(runs: Iterable[Run]) -> str:
    sources = list(dict.fromkeys(run.source for run in runs if run.source))
    changed = "" if len(sources) < 2 else " (**changed during the run**)"
    return (", ".join(sources) or "none") + changed
