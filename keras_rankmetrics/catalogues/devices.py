"""A catalogue that jax has spread over devices: each counts its own items."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import keras

from keras_rankmetrics.catalogues.chunks import Rows, ScoreFn, tally_of_towers
from keras_rankmetrics.catalogues.tally import Asked, Tally
from keras_rankmetrics.types import Tensor


def is_spread(items: Rows, score_fn: ScoreFn | None) -> bool:
    """Whether devices hold different items of two towers."""
    if keras.config.backend() != "jax" or score_fn is not None:
        return False
    import jax

    return (
        isinstance(items, jax.Array)
        and isinstance(items.sharding, jax.sharding.NamedSharding)
        and not items.is_fully_replicated
        and items.sharding.shard_shape(items.shape)[1:] == items.shape[1:]
    )


def over_devices(
    queries: Any,
    items: Any,
    asked: Asked,
    size: int,
    score_fn: ScoreFn | None,
    verbose: bool,
) -> Tally:
    """Counts the whole catalogue, each device the items that it holds.

    Only what was counted travels.
    """
    sharding = items.sharding
    count = _program(sharding.mesh, sharding.spec[0], size)
    return count(queries, items, asked)


@functools.lru_cache(maxsize=8)
def _program(mesh: Any, axis: Any, size: int) -> Callable[..., Tally]:
    import jax

    lax: Any = jax.lax
    spec: Any = jax.sharding.PartitionSpec

    def on_device(queries: Tensor, rows: Tensor, asked: Asked) -> Tally:
        own = rows.shape[0]
        first = lax.axis_index(axis) * own
        width = min(size, own)

        def chunk(place: Tensor) -> Tally:
            held = lax.dynamic_slice_in_dim(rows, place, width)
            return tally_of_towers(queries, held, first + place, None, asked)

        found = lax.fori_loop(
            0,
            own // width,
            lambda i, found: found.plus(chunk(i * width)),
            Tally.of_nothing(asked),
        )
        rest = own % width
        if rest:
            held = rows[own - rest :]
            found = found.plus(
                tally_of_towers(queries, held, first + own - rest, None, asked)
            )
        return Tally(*(lax.psum(x, axis) for x in found))

    return jax.jit(
        jax.shard_map(
            on_device,
            mesh=mesh,
            in_specs=(spec(), spec(axis), spec()),
            out_specs=spec(),
            check_vma=False,
        )
    )
