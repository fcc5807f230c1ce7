"""Floats of jax, sorted as integers, each by one program that is traced once.

XLA compares floats several times slower than integers on a CPU, and pairs
slower still. So floats of which most are kept are sorted as integers in the
same order, with their indices in the lower bits.
"""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
from jax import lax

from keras_rankmetrics.engine.backend.operations import in_64_bits
from keras_rankmetrics.types import Tensor

_HALF = 32  # bits, of a key of 64


@functools.partial(jax.jit, static_argnums=1)
def best_first(rows: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Return the highest `k` float32 of each row and their indices."""
    with in_64_bits():
        places = jnp.arange(rows.shape[-1], dtype="int64")
        keys = (~_integers(rows).astype("int64") << _HALF) | places
        keys = jnp.sort(keys, axis=-1)[..., :k]
        values = (~keys >> _HALF).astype("int32")
        places = (keys & (2**_HALF - 1)).astype("int32")
    return _floats(values), places


@functools.partial(jax.jit, static_argnums=1)
def values_best_first(rows: Tensor, k: int) -> Tensor:
    """Return the highest `k` float32 of each row."""
    return _floats(~jnp.sort(~_integers(rows), axis=-1)[..., :k])


def _integers(rows: Tensor) -> Tensor:
    """Return int32 in the order of the floats."""
    return _reordered(lax.bitcast_convert_type(rows, "int32"))


def _floats(integers: Tensor) -> Tensor:
    """Return the floats of `_integers`."""
    return lax.bitcast_convert_type(_reordered(integers), "float32")


def _reordered(bits: Tensor) -> Tensor:
    """Reverse the order of negative numbers; twice is the identity."""
    return bits ^ ((bits >> (_HALF - 1)) & (2 ** (_HALF - 1) - 1))
