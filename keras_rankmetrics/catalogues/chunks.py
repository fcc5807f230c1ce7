"""A catalogue in chunks, on one device or over several."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.catalogues.tally import Asked, Tally, tally
from keras_rankmetrics.engine.backend.operations import detached
from keras_rankmetrics.types import Tensor

# A catalogue in chunks, and a product of queries and items for each.

T = TypeVar("T")

ScoreFn = Callable[[Any, Tensor], Tensor]


class Rows(Protocol):
    """An array of items: of numpy, of a backend, or a file in its manner."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of items first."""

    def __getitem__(self, place: Any) -> Any:
        """Some of its rows."""


class Chunk(NamedTuple):
    """Some items of a catalogue, as many in each chunk.

    Attributes:
        first: the number of the first of them.
        rows: what the catalogue holds of them.
        held: int32, how many of the rows are items, the last ones being
            padding; None for all.
    """

    first: int
    rows: Tensor
    held: Tensor | None


def chunks_of(items: Rows, size: int) -> Iterator[Chunk]:
    """The catalogue, chunk by chunk."""
    for first in range(0, items.shape[0], size):
        rows = items[first : first + size]
        held = rows.shape[0]
        yield Chunk(
            first,
            _padded(rows, size),
            None if held == size else _int32(held),
        )


def picked(items: Rows, numbers: np.ndarray, size: int) -> Tensor:
    """Some items by their numbers, as many rows as a chunk has."""
    rows = (
        ops.take(items, numbers, axis=0)
        if ops.is_tensor(items)
        else items[numbers]
    )
    return _padded(rows, size)


def _padded(rows: Any, size: int) -> Tensor:
    rows = ops.convert_to_tensor(rows)
    missing = size - rows.shape[0]
    if missing == 0:
        return rows
    padding = [[0, missing], *[[0, 0]] * (len(rows.shape) - 1)]
    return ops.pad(rows, padding)


def over_chunks(
    queries: Any,
    items: Rows,
    asked: Asked,
    size: int,
    score_fn: ScoreFn | None,
    verbose: bool,
) -> Tally:
    """Counts the whole catalogue, one chunk after the other."""
    found, step = Tally.of_nothing(asked), _step(score_fn)
    number = items.shape[0]
    bar = keras.utils.Progbar(number, verbose=int(verbose), unit_name="item")
    for first, rows, held in chunks_of(items, size):
        found = step(found, queries, rows, _int32(first), held, asked)
        bar.update(min(first + size, number))
    return found


def checked(score_fn: ScoreFn, lists: int) -> ScoreFn:
    """The function, whose scores are looked at.

    Raises:
        ValueError: when it is called, if they are no floats of that shape.
    """

    def scored(queries: Any, rows: Tensor) -> Tensor:
        scores = detached(ops.convert_to_tensor(score_fn(queries, rows)))
        shape, dtype = tuple(scores.shape), scores.dtype
        expected = (lists, rows.shape[0])
        if shape != expected or not keras.backend.is_float_dtype(dtype):
            raise ValueError(
                "`score_fn` should return a score for each list and row, "
                f"floats of the shape {expected}. Received: the shape {shape} "
                f"of dtype {keras.backend.standardize_dtype(dtype)}."
            )
        return scores

    return scored


def score(queries: Any, rows: Tensor, score_fn: ScoreFn | None) -> Tensor:
    """`[lists, rows]`, the scores of some items."""
    return (_product() if score_fn is None else score_fn)(queries, rows)


def _step(score_fn: ScoreFn | None) -> Callable[..., Tally]:
    """What adds a chunk: `(found, queries, rows, first, held, asked)`.

    That of two towers is one program. A function of the user is called as it
    is, since a program would keep the weights that it had at first.
    """
    if score_fn is None:
        return _of_towers()
    of_scores = _of_scores()
    return lambda found, queries, rows, *rest: of_scores(
        found, score_fn(queries, rows), *rest
    )


@functools.cache
def _product() -> Callable[..., Tensor]:
    return _compiled(product)


@functools.cache
def _of_towers() -> Callable[..., Tally]:
    return _compiled(
        lambda found, queries, rows, *rest: found.plus(
            tally_of_towers(queries, rows, *rest)
        )
    )


@functools.cache
def _of_scores() -> Callable[..., Tally]:
    return _compiled(
        # Where one is -inf or NaN, so is their sum.
        lambda found, scores, *rest: found.plus(
            tally(scores, ops.isfinite(ops.sum(scores)), *rest)
        )
    )


def tally_of_towers(queries: Tensor, rows: Tensor, *rest: Any) -> Tally:
    """Return the tally of one chunk of items; the rest as for `tally`."""
    queries, rows = _not_half(queries), _not_half(rows)
    # A bound of all products, and it costs less than a look at them.
    bound = ops.sum(ops.abs(queries)) * ops.sum(ops.abs(rows))
    return tally(product(queries, rows), ops.isfinite(bound), *rest)


def product(queries: Tensor, rows: Tensor) -> Tensor:
    """Return the inner products of two towers, `[lists, rows]`."""
    return ops.matmul(_not_half(queries), ops.transpose(_not_half(rows)))


def _not_half(vectors: Tensor) -> Tensor:
    """Return the vectors in float32 if they are in half precision.

    Sums of products in half precision tie where the scores differ. Only one
    chunk of items is cast at a time.
    """
    dtype = keras.backend.standardize_dtype(vectors.dtype)
    is_half = dtype in ("float16", "bfloat16")
    return ops.cast(vectors, "float32") if is_half else vectors


def _compiled(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function as a program of the backend."""
    if keras.config.backend() == "jax":
        import jax

        return jax.jit(function)
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        programs = tf.function(function, jit_compile=True, autograph=False)
        # One program for each shape and dtype, which it keeps. Called by
        # itself, it would warn that it traces several.
        return lambda *x: programs.get_concrete_function(*x)(*x)
    import torch

    return torch.no_grad()(function)


def _int32(x: int) -> Tensor:
    # A tensor, so that all chunks share a program.
    return ops.convert_to_tensor(x, dtype="int32")


# A catalogue that jax has spread over devices: each counts its own items.


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
