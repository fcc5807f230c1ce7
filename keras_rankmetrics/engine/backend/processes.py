"""Processes that share the work: how each hears of what all of them have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np

from keras_rankmetrics.engine.backend.replicas import strategy_of

# Of int32 words of this process those of all, `[processes, words]`, by rank.
Gather = Callable[[np.ndarray], np.ndarray]


def gathering(variable: keras.Variable) -> Gather | None:
    """How what belongs to a variable is gathered, by a call of all processes.

    None where this process is the only one, and where the variable is one for
    all processes, so that each of them knows all of it.
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

    # Under `keras.distribution`, XLA has added up what all processes have seen.
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
        # Each replica sends what its process has; one of each is enough.
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
}
