"""One pass over a catalogue, chunk by chunk, on one device or on several."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol, TypeVar

import keras
import numpy as np
from keras import ops

from keras_rankmetrics.catalogues.counts import (
    RankCounts,
    Wanted,
    count_any,
    count_finite,
)
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


# Takes counts, queries and a chunk, and returns the counts with those of the
# chunk, and the scores of its wanted items.
CountRows = Callable[..., tuple[RankCounts, Tensor]]


# Takes queries, items, what is asked and whether to show a progress bar, and
# returns the counts of all items, and the kept scores, `[kept]`.
Count = Callable[[Any, Any, "Asked", bool], tuple[RankCounts, np.ndarray]]


class Asked(NamedTuple):
    """What to count in the chunks.

    Attributes:
        size: the number of items of a chunk.
        thresholds: `[lists, targets]`, the scores of the relevant items.
        wanted: the items whose scores to keep.
    """

    size: int
    thresholds: Tensor
    wanted: Wanted


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


def ways(items: Items, score_fn: ScoreFn | None) -> list[Count]:
    """Return functions that count a catalogue, each for where the last fails.

    The first of two is faster. It marks its counts as undefined if some inner
    products may not be finite.
    """
    if score_fn is not None:
        return [functools.partial(over_chunks, count=_by_score_fn(score_fn))]
    if is_spread(items, score_fn):
        return [
            functools.partial(over_devices, count=count)
            for count in (count_products, count_any_products)
        ]
    return [
        functools.partial(over_chunks, count=count)
        for count in (_by_product(), _by_score_fn(compiled(product)))
    ]


def over_chunks(
    queries: Any,
    items: Items,
    asked: Asked,
    verbose: bool,
    count: CountRows,
) -> tuple[RankCounts, np.ndarray]:
    """Count the whole catalogue, one chunk after the other.

    Returns:
        The counts, and the scores of the wanted items, `[items]`.
    """
    counts = RankCounts.zeros(asked.thresholds)
    number, kept = items.shape[0], []
    bar = keras.utils.Progbar(number, verbose=int(verbose), unit_name="item")
    pairs = map(ops.convert_to_tensor, asked.wanted.padded())
    chunks = chunks_of(items, asked.size)
    for (first, rows, held), places in zip(chunks, pairs, strict=True):
        place = held, asked.thresholds, places
        counts, scores = count(counts, queries, rows, *place)
        kept.append(scores)
        bar.update(min(first + asked.size, number))
    parts = [
        ops.convert_to_numpy(scores)[:held]
        for scores, held in zip(kept, asked.wanted.held, strict=True)
    ]
    return counts, np.concatenate(parts)


def _by_score_fn(score_fn: ScoreFn) -> CountRows:
    """Return a function that counts the scores of `score_fn`.

    They are not compiled together: the program would keep the weights that the
    function had at first.
    """

    def counted(
        counts: RankCounts, queries: Any, rows: Tensor, *place: Any
    ) -> tuple[RankCounts, Tensor]:
        scores = score_fn(queries, rows)
        return compiled(_plus_scores)(counts, scores, *place)

    return counted


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


def _by_product() -> CountRows:
    """Return a function that counts inner products."""
    if keras.config.backend() == "torch":
        return functools.partial(
            compiled(_plus_products), product=in_one_memory()
        )
    return compiled(_plus_products)


def in_one_memory() -> Callable[[Tensor, Tensor], Tensor]:
    """Return `product` for torch, with the same memory for each result.

    The system takes as long to provide new memory for a chunk as torch takes to
    count in it. All chunks must have the same size.
    """
    import torch

    memory: list[Tensor] = []

    def in_memory(queries: Tensor, rows: Tensor) -> Tensor:
        if not memory:
            memory.append(product(queries, rows))
            return memory[0]
        vectors = _not_half(queries), _not_half(rows).T
        return torch.matmul(*vectors, out=memory[0])

    return in_memory


def _plus_products(
    counts: RankCounts, *chunk: Any, **options: Any
) -> tuple[RankCounts, Tensor]:
    found, kept = count_products(*chunk, **options)
    return counts.plus(found), kept


def _plus_scores(counts: RankCounts, *chunk: Any) -> tuple[RankCounts, Tensor]:
    found, kept = count_any(*chunk)
    return counts.plus(found), kept


def product(queries: Tensor, rows: Tensor) -> Tensor:
    """Return the inner products of two towers, `[lists, rows]`."""
    return ops.matmul(_not_half(queries), ops.transpose(_not_half(rows)))


def count_products(
    queries: Tensor,
    rows: Tensor,
    *place: Any,
    product: Callable[[Tensor, Tensor], Tensor] = product,
) -> tuple[RankCounts, Tensor]:
    """Count one chunk by `count_finite`; `place` is as there."""
    queries, rows = _not_half(queries), _not_half(rows)
    # An upper bound of all products, cheaper than checking each.
    bound = ops.sum(ops.abs(queries)) * ops.sum(ops.abs(rows))
    return count_finite(product(queries, rows), ops.isfinite(bound), *place)


def count_any_products(
    queries: Tensor, rows: Tensor, *place: Any
) -> tuple[RankCounts, Tensor]:
    """Count one chunk by `count_any`; `place` is as there."""
    return count_any(product(queries, rows), *place)


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

        traced = tf.function(function, jit_compile=True, autograph=False)
        programs: dict[Any, Callable[..., T]] = {}

        # Called directly, the function would look for its program in twice the
        # time, and warn about retracing.
        def call(*arguments: Any) -> T:
            tensors = tf.nest.flatten(arguments)
            kinds = (x if x is None else (x.shape, x.dtype) for x in tensors)
            kind = tuple(kinds)
            if kind not in programs:
                found = traced.get_concrete_function(*arguments)
                programs[kind] = found
            return programs[kind](*arguments)

        return call
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


def starts_of(items: Any, size: int, score_fn: ScoreFn | None) -> np.ndarray:
    """Return the number of the first item of each chunk, `[chunks]`.

    Args:
        items: the catalogue. If jax has spread it, the chunks of a device hold
            its own items, and the last of them may be smaller.
        size: the number of items of a chunk.
        score_fn: that of `count_ranks`.
    """
    own = number = items.shape[0]
    if is_spread(items, score_fn):
        own = items.sharding.shard_shape(items.shape)[0]
    return np.concatenate(
        [
            np.arange(first, first + own, min(size, own))
            for first in range(0, number, own)
        ]
    )


def over_devices(
    queries: Any, items: Any, asked: Asked, verbose: bool, count: CountRows
) -> tuple[RankCounts, np.ndarray]:
    """Count the whole catalogue; each device counts the items that it holds.

    Only the counts and the scores of wanted items move between devices.
    """
    sharding, wanted = items.sharding, asked.wanted
    program = _program(sharding.mesh, sharding.spec[0], asked.size, count)
    # A slice of the most pairs of a chunk is never beyond the end.
    most = int(wanted.held.max())
    pairs = np.pad(wanted.pairs, ((0, 0), (0, most)))
    place = wanted.starts, wanted.held, np.arange(most, dtype="int32")
    counts, kept = program(queries, items, asked.thresholds, pairs, *place)
    return counts, np.asarray(kept)[: len(wanted.place)]


@functools.lru_cache(maxsize=8)
def _program(
    mesh: Any, axis: Any, size: int, count: Callable[..., Any]
) -> Callable[..., tuple[RankCounts, Tensor]]:
    import jax

    lax: Any = jax.lax
    spec: Any = jax.sharding.PartitionSpec

    def on_device(
        queries: Tensor,
        rows: Tensor,
        thresholds: Tensor,
        pairs: Tensor,
        starts: Tensor,
        held: Tensor,
        slots: Tensor,
    ) -> tuple[RankCounts, Tensor]:
        own, most = rows.shape[0], slots.shape[0]
        width = min(size, own)
        whole, rest = divmod(own, width)
        first = lax.axis_index(axis) * (whole + (rest > 0))

        def plus(
            state: tuple[RankCounts, Tensor], part: Tensor, place: Tensor
        ) -> tuple[RankCounts, Tensor]:
            counts, kept = state
            start = starts[place]
            wanted = lax.dynamic_slice_in_dim(pairs, start, most, axis=1)
            found, scores = count(queries, part, None, thresholds, wanted)
            before = lax.dynamic_slice_in_dim(kept, start, most)
            scores = ops.where(slots < held[place], scores, before)
            kept = lax.dynamic_update_slice_in_dim(kept, scores, start, 0)
            return counts.plus(found), kept

        def chunk(
            state: tuple[RankCounts, Tensor], i: Tensor
        ) -> tuple[tuple[RankCounts, Tensor], None]:
            part = lax.dynamic_slice_in_dim(rows, i * width, width)
            return plus(state, part, first + i), None

        dtype = product(queries[:0], rows[:0]).dtype
        state = RankCounts.zeros(thresholds), ops.zeros(pairs.shape[1], dtype)
        state, _ = lax.scan(chunk, state, ops.arange(whole))
        if rest:
            state = plus(state, rows[own - rest :], first + whole)
        return lax.psum(state, axis)

    return jax.jit(
        jax.shard_map(
            on_device,
            mesh=mesh,
            in_specs=(spec(), spec(axis), *[spec()] * 5),
            out_specs=spec(),
            check_vma=False,
        )
    )
