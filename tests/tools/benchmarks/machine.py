"""Where the numbers come from."""

import os
import pathlib
import platform


def in_words() -> str:
    """The processor, its cores and the system."""
    return f"{_processor()}, {_cores()} cores, {platform.system()}"


def _cores() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _processor() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
