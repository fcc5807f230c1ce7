"""Sums of states over all processes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from keras_rankmetrics.engine.aggregates import State
from keras_rankmetrics.engine.backend.processes import Gather, Slot, gathering


def states_of_all(
    signatures: Sequence[str], slots: Sequence[Sequence[Slot]]
) -> list[State]:
    """Return the state of each metric, added up over all processes.

    All processes must call it. They exchange a fingerprint of the metrics, and
    then the states of all metrics in one array.

    Args:
        signatures: the signatures of the metrics.
        slots: for each metric the slot of its sums, and of its draws if it has
            any.

    Raises:
        ValueError: in all processes, if they do not have the same metrics.
    """
    own = [_of_process(*each) for each in zip(signatures, slots, strict=True)]
    gather = gathering(slots[0][0].variable)
    if gather is None:
        return own
    _check_all_have_the_same(own, gather)
    rows = gather(np.concatenate([_packed(state) for state in own]))
    received = [_unpacked(row, own) for row in rows]
    return [_sum(states) for states in zip(*received, strict=True)]


def _of_process(signature: str, slots: Sequence[Slot]) -> State:
    """Return the state of a metric, added up over the process's replicas."""
    values = zip(*(slot.values_here() for slot in slots), strict=True)
    return _sum([State(signature, *arrays) for arrays in values])


def _sum(states: Sequence[State]) -> State:
    return sum(states[1:], states[0])


def _packed(state: State) -> np.ndarray:
    """Return the bits of the arrays as int32, which all backends gather."""
    return np.concatenate(
        [np.frombuffer(array.tobytes(), np.int32) for array in _arrays(state)]
    )


def _unpacked(words: np.ndarray, like: Sequence[State]) -> list[State]:
    """Return the states in packed words.

    Args:
        words: concatenated results of `_packed`.
        like: states with the same signatures and shapes.
    """
    data, states = words.tobytes(), []
    for state in like:
        arrays = []
        for array in _arrays(state):
            sent, data = data[: array.nbytes], data[array.nbytes :]
            flat = np.frombuffer(sent, array.dtype)
            arrays.append(flat.reshape(array.shape))
        states.append(State(state.signature, *arrays))
    return states


def _arrays(state: State) -> list[np.ndarray]:
    return [state.sums, *([] if state.draws is None else [state.draws])]


def _check_all_have_the_same(states: Sequence[State], gather: Gather) -> None:
    """Raise ValueError if processes have different metrics.

    All processes raise, or none does.
    """
    text = "\n".join(map(_described, states)).encode()
    length = len(text).to_bytes(4, "little")
    fingerprint = hashlib.sha256(text).digest() + length
    prints = gather(np.frombuffer(fingerprint, np.int32))
    if (prints == prints[0]).all():
        return
    padded = text.ljust(4 * -(-int(prints[:, -1].max()) // 4), b"\n")
    rows = gather(np.frombuffer(padded, np.int32))
    have = [row.tobytes().decode().strip("\n") for row in rows]
    other = next(i for i, each in enumerate(have) if each != have[0])
    raise ValueError(
        "All processes should call `sync` of the same metrics, in the same "
        f"order. Received: in process 0\n{have[0]}\nand in process {other}\n"
        f"{have[other]}"
    )


def _described(state: State) -> str:
    shapes = [f"{array.dtype}{list(array.shape)}" for array in _arrays(state)]
    return f"{state.signature} {' '.join(shapes)}"
