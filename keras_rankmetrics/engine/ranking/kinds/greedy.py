"""The greedy order: at each rank the item that adds most to those above."""

from __future__ import annotations

from keras_rankmetrics.engine.backend.branching import loop
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor

_State = tuple[Tensor, Tensor, Tensor]


def greedy_chances(stops: Tensor, ranks: int | Tensor) -> Tensor:
    """`[lists, ranks]`, the chances to stop there, of users of all subtopics.

    A user is after one subtopic, looks at one item after the other, and stops
    at it with a chance that depends on the subtopic.

    Args:
        stops: `[lists, subtopics, items]`, these chances.
        ranks: how many ranks there are, at most as many as items.
    """
    items = ops.shape(stops)[-1]

    def step(rank: int | Tensor, state: _State) -> _State:
        still, left, found = state
        adds = ops.sum(stops * still[..., None], axis=1) * left
        chosen = ops.one_hot(ops.argmax(adds, axis=-1), items, dtype=adds.dtype)
        stopped = ops.sum(stops * chosen[:, None], axis=-1)
        added = ops.sum(adds * chosen, axis=-1, keepdims=True)
        here = ops.arange(ranks) == rank
        return (
            still * (1.0 - stopped),
            left * (1.0 - chosen),
            ops.where(here, added, found),
        )

    still, left = ops.ones_like(stops[:, :, 0]), ops.ones_like(stops[:, 0])
    start = still, left, ops.zeros_like(left[:, :ranks])
    return loop(ranks, step, start)[-1]
