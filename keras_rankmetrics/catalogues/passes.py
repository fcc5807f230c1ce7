"""One pass over a catalogue, chunk by chunk, on one device or on several."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.catalogues.counts import RankCounts, Targets, count_chunk
from keras_rankmetrics.engine.backend.operations import detached
from keras_rankmetrics.types import Tensor

T = TypeVar("T")

ScoreFn = Callable[[Any, Tensor], Tensor]


class Items(Protocol):
    """An array with a row for each item: of numpy, of a backend, or a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which starts with the number of items."""

    def __getitem__(self, place: Any) -> Any:
        """Return some of the rows."""


def chunks_of(
    items: Items, size: int
) -> Iterator[tuple[int, Tensor, Tensor | None]]:
    """Yield the catalogue in chunks, which all have the same size.

    A chunk is the number of its first item, its rows, padded at the end, and
    the number of rows that are items, int32; None for all.
    """
    for first in range(0, items.shape[0], size):
        rows = items[first : first + size]
        held = rows.shape[0]
        yield first, _padded(rows, size), None if held == size else _int32(held)


def picked(items: Items, numbers: np.ndarray, size: int) -> Tensor:
    """Return the rows of some items, padded to the size of a chunk."""
    is_tensor = ops.is_tensor(items)
    rows = ops.take(items, numbers, axis=0) if is_tensor else items[numbers]
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
    items: Items,
    targets: Targets,
    size: int,
    score_fn: ScoreFn | None,
    verbose: bool,
) -> RankCounts:
    """Count the whole catalogue, one chunk after the other."""
    counts = RankCounts.zeros(targets)
    number = items.shape[0]
    bar = keras.utils.Progbar(number, verbose=int(verbose), unit_name="item")
    for first, rows, held in chunks_of(items, size):
        place = _int32(first), held, targets
        if score_fn is None:
            counts = compiled(_plus_towers)(counts, queries, rows, *place)
        else:
            # Not compiled together: the program would keep the weights that
            # the function had at first.
            scores = score_fn(queries, rows)
            counts = compiled(_plus_scores)(counts, scores, *place)
        bar.update(min(first + size, number))
    return counts


def checked(score_fn: ScoreFn, lists: int) -> ScoreFn:
    """Return `score_fn` with a check of its scores.

    It raises ValueError when called, unless the scores are floats of the shape
    `[lists, rows]`.

    Raises:
        TypeError: if `score_fn` is not callable.
    """
    if not callable(score_fn):
        raise TypeError(
            "`score_fn` should be a function of queries and rows of items. "
            f"Received: {score_fn!r}."
        )

    def scored(queries: Any, rows: Tensor) -> Tensor:
        scores = detached(ops.convert_to_tensor(score_fn(queries, rows)))
        shape, dtype = tuple(scores.shape), scores.dtype
        expected = (lists, rows.shape[0])
        if shape != expected or not keras.backend.is_float_dtype(dtype):
            raise ValueError(
                "`score_fn` should return a score for each list and row, "
                f"floats in the shape {expected}. Received: the shape {shape} "
                f"of dtype {keras.backend.standardize_dtype(dtype)}."
            )
        return scores

    return scored


def score(queries: Any, rows: Tensor, score_fn: ScoreFn | None) -> Tensor:
    """Return the scores of some items, `[lists, rows]`."""
    return (score_fn or compiled(product))(queries, rows)


def _plus_towers(counts: RankCounts, *chunk: Any) -> RankCounts:
    return counts.plus(count_towers(*chunk))


def _plus_scores(counts: RankCounts, scores: Tensor, *place: Any) -> RankCounts:
    # A sum is finite only if every score is.
    finite = ops.isfinite(ops.sum(scores))
    return counts.plus(count_chunk(scores, finite, *place))


def count_towers(queries: Tensor, rows: Tensor, *place: Any) -> RankCounts:
    """Return the counts of one chunk; `place` is as for `count_chunk`."""
    queries, rows = _not_half(queries), _not_half(rows)
    # An upper bound of all products, cheaper than checking each.
    bound = ops.sum(ops.abs(queries)) * ops.sum(ops.abs(rows))
    return count_chunk(product(queries, rows), ops.isfinite(bound), *place)


def product(queries: Tensor, rows: Tensor) -> Tensor:
    """Return the inner products of two towers, `[lists, rows]`."""
    return ops.matmul(_not_half(queries), ops.transpose(_not_half(rows)))


def _not_half(vectors: Tensor) -> Tensor:
    """Return vectors of half precision in float32, others unchanged.

    Half precision would make different scores equal. Only one chunk of items is
    cast at a time.
    """
    dtype = keras.backend.standardize_dtype(vectors.dtype)
    is_half = dtype in ("float16", "bfloat16")
    return ops.cast(vectors, "float32") if is_half else vectors


@functools.cache
def compiled(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function compiled by the backend."""
    if keras.config.backend() == "jax":
        import jax

        return jax.jit(function)
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        programs = tf.function(function, jit_compile=True, autograph=False)
        # It keeps one program for each shape and dtype. Called directly, it
        # would warn about retracing.
        return lambda *x: programs.get_concrete_function(*x)(*x)
    import torch

    return torch.no_grad()(function)


def _int32(x: int) -> Tensor:
    # A tensor, so that all chunks share a program.
    return ops.convert_to_tensor(x, dtype="int32")


def is_spread(items: Items, score_fn: ScoreFn | None) -> bool:
    """Return True if jax has spread the item vectors over devices."""
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
    targets: Targets,
    size: int,
    score_fn: ScoreFn | None,
    verbose: bool,
) -> RankCounts:
    """Count the whole catalogue; each device counts the items that it holds.

    Only the counts move between devices.
    """
    sharding = items.sharding
    count = _program(sharding.mesh, sharding.spec[0], size)
    return count(queries, items, targets)


@functools.lru_cache(maxsize=8)
def _program(mesh: Any, axis: Any, size: int) -> Callable[..., RankCounts]:
    import jax

    lax: Any = jax.lax
    spec: Any = jax.sharding.PartitionSpec

    def on_device(
        queries: Tensor, rows: Tensor, targets: Targets
    ) -> RankCounts:
        own = rows.shape[0]
        first = lax.axis_index(axis) * own
        width = min(size, own)

        def counts_at(place: Tensor, part: Tensor) -> RankCounts:
            return count_towers(queries, part, first + place, None, targets)

        def chunk(i: Tensor, counts: RankCounts) -> RankCounts:
            part = lax.dynamic_slice_in_dim(rows, i * width, width)
            return counts.plus(counts_at(i * width, part))

        none = RankCounts.zeros(targets)
        counts = lax.fori_loop(0, own // width, chunk, none)
        rest = own % width
        if rest:
            last = own - rest
            counts = counts.plus(counts_at(last, rows[last:]))
        return RankCounts(*(lax.psum(x, axis) for x in counts))

    return jax.jit(
        jax.shard_map(
            on_device,
            mesh=mesh,
            in_specs=(spec(), spec(axis), spec()),
            out_specs=spec(),
            check_vma=False,
        )
    )
