"""The storage of states, and their sums across processes and replicas."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np

from keras_rankmetrics.engine.backend.keras_internals import (
    is_symbolic,
    stateless_scope,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import is_on_host
from keras_rankmetrics.types import Tensor

# Under a TensorFlow strategy, a variable of a metric has a value on each
# replica. Outside of `strategy.run`, TensorFlow reads it as the sum of these
# values and divides what is written to it. Neither is exact.


def strategy_of(variable: keras.Variable) -> Any:
    """Return the strategy that created the variable's replicas, or None."""
    if keras.config.backend() != "tensorflow":
        return None
    import tensorflow as tf

    value = variable.value
    if not isinstance(value, tf.distribute.DistributedValues):
        return None
    return value.distribute_strategy


def assign(variable: keras.Variable, x: Any) -> None:
    """Assign values to the replicas that add up to `x`.

    Within `strategy.run`, `x` is assigned to the current replica.
    """
    strategy = strategy_of(variable)
    if strategy is None or _is_in_replica() or stateless_scope() is not None:
        variable.assign(x)
        return
    # The first of all replicas receives it; TensorFlow would divide it.
    x = ops.convert_to_tensor(x, dtype=variable.dtype)
    resolver = strategy.cluster_resolver
    is_first = not (resolver and resolver.task_id)
    for value in strategy.experimental_local_results(variable.value):
        value.assign(x if is_first else ops.zeros_like(x))
        is_first = False


def _is_in_replica() -> bool:
    import tensorflow as tf

    has_strategy: bool = tf.distribute.has_strategy()
    return has_strategy and not tf.distribute.in_cross_replica_context()


# Takes int32 words of this process and returns those of all processes,
# `[processes, words]`, by rank.
Gather = Callable[[np.ndarray], np.ndarray]


def gathering(variable: keras.Variable) -> Gather | None:
    """Return a collective call that gathers the states of all processes.

    None if this is the only process, or if all processes share the variable,
    so that each of them has all of it.
    """
    return _GATHERING[keras.config.backend()](variable)


def _of_torch(_: keras.Variable) -> Gather | None:
    import torch
    import torch.distributed as dist

    if not dist.is_available() or not dist.is_initialized():
        return None
    processes = dist.get_world_size()
    if processes == 1:
        return None
    device = "cuda" if dist.get_backend() == "nccl" else "cpu"

    def gather(words: np.ndarray) -> np.ndarray:
        sent = torch.tensor(words, device=device)
        received = [torch.empty_like(sent) for _ in range(processes)]
        dist.all_gather(received, sent)
        return torch.stack(received).cpu().numpy()

    return gather


def _of_jax(variable: keras.Variable) -> Gather | None:
    import jax

    # Under `keras.distribution`, XLA has summed over all processes already.
    if jax.process_count() == 1 or not variable.value.is_fully_addressable:
        return None
    from jax.experimental import multihost_utils

    return lambda words: np.asarray(multihost_utils.process_allgather(words))


def _of_tensorflow(variable: keras.Variable) -> Gather | None:
    strategy: Any = strategy_of(variable)
    if strategy is None:
        return None
    here = len(strategy.experimental_local_results(variable.value))
    if strategy.num_replicas_in_sync == here:
        return None

    def gather(words: np.ndarray) -> np.ndarray:
        # Each replica sends the words of its process; keep one per process.
        sent = strategy.experimental_distribute_values_from_function(
            lambda _: words[None]
        )
        received: np.ndarray = strategy.gather(sent, axis=0).numpy()
        return received[::here]

    return gather


_GATHERING: dict[str, Callable[[keras.Variable], Gather | None]] = {
    "tensorflow": _of_tensorflow,
    "jax": _of_jax,
    "torch": _of_torch,
    "numpy": lambda _: None,
}


@dataclasses.dataclass(frozen=True)
class Slot:
    """The storage of one array of a state: a variable, or one of its rows.

    The metrics of a collection share variables, one row each.

    Attributes:
        variable: the Keras variable.
        row: the index of the row, or None for the whole variable.
    """

    variable: keras.Variable
    row: int | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        shape = tuple(self.variable.shape)
        return shape if self.row is None else shape[1:]

    def read(self) -> Tensor:
        """Return the array."""
        value = ops.convert_to_tensor(self.variable)
        return value if self.row is None else value[self.row]

    def values_here(self) -> list[np.ndarray]:
        """Return the arrays of this process, one per replica."""
        strategy, value = strategy_of(self.variable), self.variable.value
        if strategy is None:
            values = [ops.convert_to_numpy(self.variable)]
        else:
            replicas = strategy.experimental_local_results(value)
            values = [replica.numpy() for replica in replicas]
        return values if self.row is None else [x[self.row] for x in values]

    def write(self, x: Tensor | np.ndarray) -> None:
        """Replace the array.

        Do nothing in the symbolic pass of Keras: nobody reads the result, and
        on torch a tensor without values would be kept.
        """
        if is_symbolic():
            return
        if self.row is not None:
            x = ops.convert_to_tensor(x, dtype=self.variable.dtype)[None]
            start = (self.row, *[0] * len(self.shape))
            x = ops.slice_update(self.variable.value, start, x)
        assign(self.variable, x)


def read_all(slots: Sequence[Slot]) -> Tensor:
    """Return the arrays of several slots, `[slots, ...]`."""
    if _are_one_variable(slots):
        return ops.convert_to_tensor(slots[0].variable)
    return ops.stack([slot.read() for slot in slots])


def write_all(slots: Sequence[Slot], x: Tensor) -> None:
    """Replace the arrays of several slots."""
    if is_symbolic():
        return
    if _are_one_variable(slots):
        assign(slots[0].variable, x)
        return
    for slot, array in zip(slots, ops.unstack(x, len(slots)), strict=True):
        slot.write(array)


def _are_one_variable(slots: Sequence[Slot]) -> bool:
    """Return True if they are all rows of one variable, in order."""
    variable = slots[0].variable
    return slots[0].row is not None and [
        (slot.variable is variable, slot.row) for slot in slots
    ] == [(True, row) for row in range(variable.shape[0])]


# The sums of a state. A float32 sum of ones stops at 2 ** 24. Here a sum is two
# floats: the rounded sum and the rounding error, by Knuth's two-sum.


def add_terms(sums: Tensor, terms: Tensor) -> Tensor:
    """Add a term to each sum.

    Args:
        sums: `[..., 2]`, the rounded sums and their errors.
        terms: `[...]`, of any float dtype.

    Returns:
        The new sums, `[..., 2]`.
    """
    terms = ops.cast(terms, sums.dtype)
    arrays = _memory_of_torch(sums, terms)
    if arrays is None:
        return ops.stack(_with_terms(sums, terms), axis=-1)
    import torch

    with np.errstate(all="ignore"):  # what overflows becomes NaN, as elsewhere
        return torch.from_numpy(np.stack(_with_terms(*arrays), axis=-1))


def _memory_of_torch(*tensors: Tensor) -> list[np.ndarray] | None:
    """Return the memory of torch's tensors on the CPU, to read; else None.

    An operation of torch on a few numbers takes as long as three of numpy.
    """
    if keras.config.backend() != "torch" or not all(map(is_on_host, tensors)):
        return None
    try:
        return [x.numpy() for x in tensors]
    except (RuntimeError, TypeError):  # as in `torch.vmap`, or of bfloat16
        return None


def _with_terms(sums: Tensor, terms: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rounded sums with the terms added, and their errors."""
    rounded, error = _two_sum(sums[..., 0], terms)
    return _fast_two_sum(rounded, sums[..., 1] + error)


def merged_sums(sums: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return the sum of two sets of sums, all `[..., 2]`."""
    rounded, error = _two_sum(sums[..., 0], others[..., 0])
    errors = sums[..., 1] + others[..., 1]
    return np.stack(_fast_two_sum(rounded, errors + error), axis=-1)


def rounded_sums(sums: Tensor) -> Tensor:
    """Return the sums as single floats, `[...]`."""
    return ops.sum(sums, axis=-1)


def _two_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rounded sum `a + b` and its exact rounding error."""
    total = a + b
    b_part = total - a
    return total, (a - (total - b_part)) + (b - b_part)


def _fast_two_sum(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Return what `_two_sum` does, if `a` is 0 or `|a| >= |b|`."""
    total = a + b
    return total, b - (total - a)
