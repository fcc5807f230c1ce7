"""Contenders take turns, so that a busy moment of the machine hits all alike.

A contender that fails is a failed measurement, and the others go on.
"""

import gc
import random
import time
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from tests.tools.benchmarks.measurement import Measurement

Made = TypeVar("Made")


class Now(Protocol):
    """Told whose turn it is, so that one that ends the process is known."""

    def __call__(self, contender: str) -> None: ...


def prepare(
    contenders: Sequence[str],
    make: Callable[[Measurement], Made | None],
    now: Now,
) -> tuple[list[Measurement], dict[str, Made]]:
    """Makes what is to be measured of each; those who have nothing drop out."""
    measurements, made = [], {}
    for name in contenders:
        now(name)
        measurement = Measurement(name)
        try:
            thing = make(measurement)
        except Exception as error:
            measurement.failure = _in_words(error)
        else:
            if thing is None:
                continue
            made[name] = thing
        measurements.append(measurement)
    return measurements, made


def take_turns(
    measurements: Sequence[Measurement],
    measure: Callable[[str], float],
    rounds: int,
    now: Now,
    is_enough: Callable[[Sequence[float]], bool] = lambda values: False,
) -> None:
    """Appends one value per round to each measurement that has not failed.

    Each round has an order of its own: who always came after the same other one
    would always find its caches, and its threads, as that one left them.

    Args:
        measure: the value of a contender, measured now.
        is_enough: whether a contender with these values can stop early.
    """
    gc.collect()
    for turn in range(rounds):
        in_turn = random.Random(turn).sample(measurements, len(measurements))
        for measurement in in_turn:
            if measurement.failure or is_enough(measurement.values):
                continue
            now(measurement.contender)
            try:
                measurement.values.append(measure(measurement.contender))
            except Exception as error:
                measurement.failure = _in_words(error)


def seconds_of(call: Callable[[], object]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _in_words(error: Exception) -> str:
    lines = str(error).strip().splitlines() or ["no message"]
    # TensorFlow begins with where it was, and ends with what it was.
    line = lines[-1].strip() if lines[0].endswith(":") else lines[0]
    return f"{type(error).__name__}: {line[:200]}"
