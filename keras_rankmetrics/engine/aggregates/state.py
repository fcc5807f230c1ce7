"""`State`: what a metric has seen, as a value."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import two_floats

_FORMAT = 1


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class State:
    """What a metric has seen: its sums, and the signature they belong to.

    States of the same metric add up, in any order and any grouping, to that of
    one metric that has seen all the lists:

    >>> import keras_rankmetrics as krm
    >>> here, there = krm.NDCG(k=2), krm.NDCG(k=2)
    >>> here.update_state([[1, 0]], [[0.9, 0.1]])
    >>> there.update_state([[1, 0]], [[0.1, 0.9]])
    >>> both = krm.NDCG(k=2)
    >>> both.state = here.state + krm.State.from_bytes(there.state.to_bytes())
    >>> round(float(both.result()), 4)
    0.8155

    Args:
        signature: of the metric.
        sums: `[..., 2]`, each the sum of two floats.
        draws: how many batches were ranked at random, by `ties="shuffle"`; None
            for other metrics.

    Raises:
        ValueError: by `+`, if the signatures differ.
    """

    signature: str
    sums: np.ndarray
    draws: np.ndarray | None = None

    def __add__(self, other: State) -> State:
        if not isinstance(other, State):
            return NotImplemented
        check_same(other.signature, self.signature)
        kept = [x.shape for x in (self.sums, self.draws) if x is not None]
        added = [x.shape for x in (other.sums, other.draws) if x is not None]
        if kept != added:
            raise ValueError(
                "States of the same metric should have arrays of the same "
                f"shapes. Received: {kept} and {added}."
            )
        draws = None if self.draws is None else self.draws + other.draws
        sums = two_floats.merged(self.sums, other.sums)
        return State(self.signature, sums, draws)

    def __radd__(self, other: Any) -> State:
        """`sum(states)` begins with 0."""
        return self if other == 0 else NotImplemented

    def arrays(self) -> dict[str, np.ndarray]:
        """The state by name, as plain arrays: for `numpy.savez(f, **arrays)`.

        They are `format`, the number of this format, 1; `signature`, a string;
        `sums`; and `draws`, if there are any.
        """
        arrays = {
            "format": np.array(_FORMAT),
            "signature": np.array(self.signature),
            "sums": self.sums,
        }
        return arrays if self.draws is None else {**arrays, "draws": self.draws}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> State:
        """The state of such arrays, as `numpy.load` returns them."""
        if {"format", "signature", "sums"} - set(arrays):
            raise ValueError(
                "A state should hold the arrays `format`, `signature` and "
                f"`sums`. Received: {sorted(arrays)}."
            )
        if int(arrays["format"]) != _FORMAT:
            raise ValueError(
                f"A state should be of format {_FORMAT}. Received: one of "
                f"format {arrays['format']}, of another version."
            )
        return cls(
            str(arrays["signature"]),
            np.asarray(arrays["sums"]),
            np.asarray(arrays["draws"]) if "draws" in arrays else None,
        )

    def to_bytes(self) -> bytes:
        """The state in the format of `numpy.savez`, which holds no pickle."""
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **self.arrays())
        return file.getvalue()

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """The state that `to_bytes` wrote."""
        try:
            with np.load(io.BytesIO(data), allow_pickle=False) as file:
                arrays = dict(file)
        except Exception as error:  # whatever is raised for broken bytes
            raise ValueError(
                "`from_bytes` takes what `to_bytes` returned. Received: "
                f"{len(data)} bytes that are no such state."
            ) from error
        return cls.from_arrays(arrays)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.signature == other.signature
            and np.array_equal(self.sums, other.sums, equal_nan=True)
            and (self.draws is None) == (other.draws is None)
            and (self.draws is None or bool(self.draws == other.draws))
        )

    def __repr__(self) -> str:
        return f"<State of {self.signature}>"


def check_same(received: str, expected: str) -> None:
    """Raises where two signatures differ, and says in what."""
    if received == expected:
        return
    parts, others = _parts(received), _parts(expected)
    differing = ", ".join(
        name
        for name in dict.fromkeys([*parts, *others])
        if parts.get(name) != others.get(name)
    )
    raise ValueError(
        "Only states of the same metric add up. These differ in: "
        f"{differing}. Received: {received}, expected: {expected}."
    )


def _parts(signature: str) -> dict[str, str]:
    name, *parts = signature.split("|")
    return {"the metric": name, **dict(p.partition(":")[::2] for p in parts)}
