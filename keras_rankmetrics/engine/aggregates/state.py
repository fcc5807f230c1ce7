"""`State`: the state of a metric, as a value."""

from __future__ import annotations

import dataclasses
import hashlib
import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.engine.backend.processes import merged_sums

_FORMAT = 3
# The bytes of a state start with this, followed by a digest of the rest.
_HEADER = b"keras_rankmetrics state %d"
_DIGEST = 32


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class State:
    """The state of a metric: its sums, and the signature they belong to.

    Adding the states of several copies of a metric, in any order and grouping,
    gives the state of one metric that has seen all the lists:

    >>> import keras_rankmetrics as krm
    >>> here, there = krm.NDCG(k=2), krm.NDCG(k=2)
    >>> here.update_state([[1, 0]], [[0.9, 0.1]])
    >>> there.update_state([[1, 0]], [[0.1, 0.9]])
    >>> both = krm.NDCG(k=2)
    >>> both.state = here.state + krm.State.from_bytes(there.state.to_bytes())
    >>> round(float(both.result()), 4)
    0.8155

    Args:
        signature: the signature of the metric.
        sums: `[..., 2]`, two floats whose sum is the exact value.
        draws: the number of batches that `ties="shuffle"` ranked at random;
            None for other metrics.
        names: the names of the sums along the last axis but one; () for sums
            without names, which are in the order of the metric.

    Raises:
        ValueError: if the signatures of two added states differ.

    Stability: stable.
    """

    signature: str
    sums: np.ndarray
    draws: np.ndarray | None = None
    names: tuple[str, ...] = dataclasses.field(default=(), kw_only=True)

    def __add__(self, other: State) -> State:
        if not isinstance(other, State):
            return NotImplemented
        check_same_metric(other.signature, self.signature)
        other = other.by_name(self.names)
        kept = [x.shape for x in (self.sums, self.draws) if x is not None]
        added = [x.shape for x in (other.sums, other.draws) if x is not None]
        if kept != added:
            raise ValueError(
                "States of the same metric should have arrays of the same "
                f"shapes. Received: {kept} and {added}."
            )
        draws = None if self.draws is None else self.draws + other.draws
        sums = merged_sums(self.sums, other.sums)
        return State(self.signature, sums, draws, names=other.names)

    def __radd__(self, other: Any) -> State:
        """Return this state for 0 + state, with which `sum(states)` starts."""
        return self if other == 0 else NotImplemented

    def by_name(self, names: tuple[str, ...]) -> State:
        """Return the state with the sums of these names, in this order.

        A sum that the state lacks is NaN, and so is each number that needs it.
        """
        if not names or self.names == names:
            return self
        if not self.names:
            return dataclasses.replace(self, names=names)
        shape = (*self.sums.shape[:-2], len(names), 2)
        sums = np.full(shape, np.nan, self.sums.dtype)
        for place, name in enumerate(names):
            if name in self.names:
                own = self.names.index(name)
                sums[..., place, :] = self.sums[..., own, :]
        return dataclasses.replace(self, sums=sums, names=names)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the state as plain arrays, for `numpy.savez(file, **arrays)`.

        The arrays are `format`, the format number 3; `signature`, a string;
        `sums`; `checksum`, a string; `names`, if the sums have names; and
        `draws`, if the state has them.
        """
        arrays = {
            "format": np.array(_FORMAT),
            "signature": np.array(self.signature),
            "sums": self.sums,
            "checksum": np.array(self._checksum()),
        }
        names = {"names": np.array(self.names)} if self.names else {}
        draws = {} if self.draws is None else {"draws": self.draws}
        return {**arrays, **names, **draws}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> State:
        """Return the state for arrays that `arrays` returned.

        Args:
            arrays: a mapping, such as `numpy.load` returns.

        Raises:
            ValueError: if an array is missing, unreadable or changed.
        """
        try:
            held = {name: np.asarray(arrays[name]) for name in arrays}
        except Exception as error:  # a lazy reader can raise anything
            raise ValueError(
                "`from_arrays` takes the arrays that `arrays` returned. "
                f"Received: arrays that cannot be read ({error})."
            ) from error
        if held.get("format", np.array(_FORMAT)).tolist() != _FORMAT:
            raise ValueError(
                f"A state should have format {_FORMAT}. Received: format "
                f"{held['format']}, from another version. Compute it again."
            )
        if not {"format", "signature", "sums", "checksum"} <= set(held):
            raise ValueError(
                "A state should have the arrays `format`, `signature`, `sums` "
                f"and `checksum`. Received: {sorted(held)}."
            )
        sums, names = held["sums"], held.get("names", np.array(()))
        state = cls(
            str(held["signature"]),
            sums,
            held.get("draws"),
            names=tuple(map(str, names.ravel())),
        )
        if str(held["checksum"]) != state._checksum():
            raise ValueError(
                "The values of a state should match its checksum. Received: "
                "changed values. Compute the state again."
            )
        return state

    def to_bytes(self) -> bytes:
        """Return the state as bytes, without pickle."""
        file = io.BytesIO()
        np.savez(file, allow_pickle=False, **self.arrays())
        payload = file.getvalue()
        return _HEADER % _FORMAT + b"\n" + _digest(payload) + payload

    @classmethod
    def from_bytes(cls, data: bytes) -> State:
        """Return the state for bytes that `to_bytes` returned.

        Raises:
            TypeError: if `data` is not bytes.
            ValueError: if a single bit of the data has changed, or the data has
                another format.
        """
        if not isinstance(data, bytes | bytearray | memoryview):
            raise TypeError(
                "`from_bytes` takes the bytes that `to_bytes` returned. "
                f"Received: {data!r}."
            )
        data = bytes(data)
        header, _, rest = data.partition(b"\n")
        digest, payload = rest[:_DIGEST], rest[_DIGEST:]
        try:
            if digest != _digest(payload):
                raise ValueError("The digest does not match.")
            with np.load(io.BytesIO(payload), allow_pickle=False) as file:
                arrays = dict(file)
            if header != _HEADER % int(arrays["format"]):
                raise ValueError("The header does not match.")
        except Exception as error:  # numpy's reader can raise anything
            raise ValueError(
                "`from_bytes` takes the bytes that `to_bytes` of the same "
                f"version returned. Received: {len(data)} bytes that are not a "
                "state or have changed. Write or copy the state again."
            ) from error
        return cls.from_arrays(arrays)

    def _checksum(self) -> str:
        """Return a digest of the values that does not depend on the dtype."""
        parts = [self.signature.encode(), *map(str.encode, self.names)]
        for array in (self.sums, self.draws):
            if array is None:
                continue
            if array.dtype.kind == "f":
                numbers = np.ascontiguousarray(array, "<f8").tobytes()
            else:
                numbers = repr(array.tolist()).encode()
            parts += [str(array.shape).encode(), numbers]
        return _digest(*parts).hex()

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, State)
            and self.signature == other.signature
            and self.names == other.names
            and np.array_equal(self.sums, other.sums, equal_nan=True)
            and bool(self.draws == other.draws)
        )

    def __repr__(self) -> str:
        return f"<State of {self.signature}>"


def check_same_metric(received: str, expected: str) -> None:
    """Raise ValueError if two signatures differ, naming the differences."""
    if received == expected:
        return
    parts, others = _parts(received), _parts(expected)
    differing = ", ".join(
        name
        for name in dict.fromkeys([*parts, *others])
        if parts.get(name) != others.get(name)
    )
    raise ValueError(
        "Only states of the same metric can be added. These differ in: "
        f"{differing}. Received: {received}, expected: {expected}."
    )


def _parts(signature: str) -> dict[str, str]:
    name, *parts = signature.split("|")
    return {"the metric": name, **dict(p.partition(":")[::2] for p in parts)}


def _digest(*parts: bytes) -> bytes:
    """Return a digest of the parts and their lengths."""
    hashed = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        hashed.update(len(part).to_bytes(8, "little"))
        hashed.update(part)
    return hashed.digest()
