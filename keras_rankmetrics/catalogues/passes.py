"""One pass over a catalogue, chunk by chunk, on one device or on several."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import keras
import numpy as np

from keras_rankmetrics.catalogues.counts import (
    ChunkRequest,
    RankCounts,
    Wanted,
    count_any,
    count_finite,
)
from keras_rankmetrics.engine.backend.operations import detached, ops
from keras_rankmetrics.types import Tensor

T = TypeVar("T")

ScoreFn = Callable[[Any, Tensor], Tensor]


class Catalogue(Protocol):
    """An array with a row for each item: of numpy, of a backend, or a file."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, which starts with the number of items."""

    def __getitem__(self, index: Any) -> Any:
        """Return some of the rows."""


_Counted = tuple[RankCounts, Tensor]  # counts, and the kept scores, `[kept]`

# Counts the catalogue: takes the scores of the relevant items, `[lists,
# targets]`. Returns the counts, and the scores of the wanted items, `[wanted]`.
CountCatalogue = Callable[[Tensor], tuple[RankCounts, np.ndarray]]

# Counts one chunk: takes queries, the rows of the chunk and a request. Returns
# the counts of the chunk, and the kept scores, `[kept]`.
CountChunk = Callable[[Any, Tensor, ChunkRequest], _Counted]


def chunks_of(
    items: Catalogue, size: int
) -> Iterator[tuple[int, Tensor, Tensor | None]]:
    """Yield the catalogue in chunks, which all have the same size.

    A chunk is the number of its first item, its rows, padded at the end, and
    the number of rows that are items, int32; None for all.
    """
    for first in range(0, items.shape[0], size):
        rows = items[first : first + size]
        number = rows.shape[0]
        # A tensor, so that all chunks share a program.
        items_in_chunk = None if number == size else ops.array(number, "int32")
        yield first, _padded(rows, size), items_in_chunk


def picked(items: Catalogue, numbers: np.ndarray, size: int) -> Tensor:
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


def counters(
    queries: Any,
    items: Catalogue,
    size: int,
    wanted: Wanted,
    score_fn: ScoreFn | None,
    verbose: bool,
) -> list[CountCatalogue]:
    """Return one or two functions that count a catalogue.

    The first of two is faster, but needs finite inner products. Where they may
    not be finite, it marks its counts as undefined, and the second counts any.

    Args:
        queries: the queries.
        items: the catalogue.
        size: the number of items of a chunk.
        wanted: the items whose scores to keep.
        score_fn: the function that scores items, None for inner products.
        verbose: whether to show a progress bar.
    """
    counting: list[CountChunk] = [count_products, count_any_products]
    over: Callable[..., Any] = over_devices
    if not is_spread(items, score_fn):
        over = functools.partial(over_chunks, verbose=verbose)
        counting = [compiled(count) for count in counting]
        if score_fn is not None:
            counting = [_counter_of(score_fn)]
        elif keras.config.backend() == "torch":
            in_memory: Any = counting[0]
            counting[0] = functools.partial(in_memory, multiply=in_one_memory())
    return [
        functools.partial(over, queries, items, size, wanted, count)
        for count in counting
    ]


def over_chunks(
    queries: Any,
    items: Catalogue,
    size: int,
    wanted: Wanted,
    count: CountChunk,
    thresholds: Tensor,
    *,
    verbose: bool,
) -> tuple[RankCounts, np.ndarray]:
    """Count the whole catalogue, one chunk after the other.

    Returns:
        The counts, and the scores of the wanted items, `[wanted]`.
    """
    counts = RankCounts.zeros(thresholds)
    number, kept = items.shape[0], []
    bar = keras.utils.Progbar(number, verbose=int(verbose), unit_name="item")
    pairs = map(ops.convert_to_tensor, wanted.padded())
    for (first, rows, items_in_chunk), pairs_of_chunk in zip(
        chunks_of(items, size), pairs, strict=True
    ):
        of_chunk = ChunkRequest(items_in_chunk, thresholds, pairs_of_chunk)
        of_items, scores = count(queries, rows, of_chunk)
        counts = counts.plus(of_items)
        kept.append(scores)
        bar.update(min(first + size, number))
    parts = [
        ops.convert_to_numpy(scores)[:length]
        for scores, length in zip(kept, wanted.per_chunk, strict=True)
    ]
    return counts, np.concatenate(parts)


def _counter_of(score_fn: ScoreFn) -> CountChunk:
    """Return a function that counts the scores of `score_fn`.

    They are not compiled together: the program would keep the weights that the
    function had at first.
    """

    def count(queries: Any, rows: Tensor, request: ChunkRequest) -> _Counted:
        return compiled(count_any)(score_fn(queries, rows), request)

    return count


def checked_score_fn(score_fn: ScoreFn, lists: int) -> ScoreFn:
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


def scores_of(
    queries: Any,
    items: Catalogue,
    numbers: np.ndarray,
    size: int,
    score_fn: ScoreFn | None,
) -> Iterator[tuple[np.ndarray, Tensor]]:
    """Yield some items, `size` at most, and their scores, `[lists, size]`.

    They come from products with as many items as a chunk has, which most
    backends round like the products of the chunks.
    """
    for first in range(0, len(numbers), size):
        part = numbers[first : first + size]
        yield part, score(queries, picked(items, part, size), score_fn)


def in_one_memory() -> Callable[[Tensor, Tensor], Tensor]:
    """Return `product` for torch, with the same memory for each result.

    The system takes as long to provide new memory for a chunk as torch takes to
    count in it. All chunks must have the same size, and queries and rows one
    float dtype.
    """
    import torch

    memory: list[Tensor] = []

    def in_memory(queries: Tensor, rows: Tensor) -> Tensor:
        if not memory:
            memory.append(queries.new_empty(len(queries), len(rows)))
        return torch.matmul(queries, rows.T, out=memory[0])

    return in_memory


def product(queries: Tensor, rows: Tensor) -> Tensor:
    """Return the inner products of two towers, `[lists, rows]`."""
    queries, rows = _in_one_dtype(queries, rows)
    # On torch, `ops.matmul` would return float32 for float64.
    return queries @ ops.transpose(rows)


def count_products(
    queries: Tensor,
    rows: Tensor,
    request: ChunkRequest,
    multiply: Callable[[Tensor, Tensor], Tensor] = product,
) -> _Counted:
    """Count one chunk of inner products by `count_finite`."""
    queries, rows = _in_one_dtype(queries, rows)
    # An upper bound of all products, cheaper than checking each.
    bound = ops.sum(ops.abs(queries)) * ops.sum(ops.abs(rows))
    return count_finite(multiply(queries, rows), ops.isfinite(bound), request)


def count_any_products(
    queries: Tensor, rows: Tensor, request: ChunkRequest
) -> _Counted:
    """Count one chunk of inner products by `count_any`."""
    return count_any(product(queries, rows), request)


def _in_one_dtype(queries: Tensor, rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return both in float64 if one of them has it, else in float32.

    Half precision would make different scores equal, and integers have no -inf
    for padding. Only one chunk of items is cast at a time.
    """
    dtypes = {keras.backend.standardize_dtype(x.dtype) for x in (queries, rows)}
    dtype = "float64" if "float64" in dtypes else "float32"
    return ops.cast(queries, dtype), ops.cast(rows, dtype)


@functools.cache
def compiled(function: Callable[..., T]) -> Callable[..., T]:
    """Return the function compiled by the backend.

    On torch it runs as it is, but without gradients and without autocast.
    """
    if keras.config.backend() == "jax":
        import jax

        return jax.jit(function)
    if keras.config.backend() == "tensorflow":
        import tensorflow as tf

        # A parameter with a default would have to be passed to a program.
        @tf.function(jit_compile=True, autograph=False)
        def traced(*arguments: Any) -> T:
            return function(*arguments)

        programs: dict[Any, Callable[..., T]] = {}

        # Called directly, the function would look for its program in twice the
        # time, and warn about retracing.
        def call(*arguments: Any) -> T:
            tensors = tf.nest.flatten(arguments)
            kind = tuple(
                x if x is None else (x.shape, x.dtype) for x in tensors
            )
            if kind not in programs:
                programs[kind] = traced.get_concrete_function(*arguments)
            return programs[kind](*arguments)

        return call
    if keras.config.backend() == "torch":
        import torch

        # Autocast would round scores to half precision.
        def eager(*arguments: Any, **options: Any) -> T:
            tensors = (x for x in arguments if isinstance(x, torch.Tensor))
            device = next(tensors).device.type
            with torch.no_grad(), torch.autocast(device, enabled=False):
                return function(*arguments, **options)

        return eager
    return function


def is_spread(items: Catalogue, score_fn: ScoreFn | None) -> bool:
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


def first_items_of(
    items: Any, size: int, score_fn: ScoreFn | None
) -> np.ndarray:
    """Return the number of the first item of each chunk, `[chunks]`.

    Args:
        items: the catalogue. If jax has spread it, the chunks of a device
            contain its own items, and the last of them may be smaller.
        size: the number of items of a chunk.
        score_fn: the function that scores items, None for inner products.
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
    queries: Any,
    items: Any,
    size: int,
    wanted: Wanted,
    count: CountChunk,
    thresholds: Tensor,
) -> tuple[RankCounts, np.ndarray]:
    """Count the whole catalogue, on each device the items that are there.

    Only the counts and the scores of wanted items move between devices.

    Returns:
        The counts, and the scores of the wanted items, `[wanted]`.
    """
    program = _program(items.sharding.mesh, items.sharding.spec[0], size, count)
    # Slices of this length, from any offset, end within the padding.
    most = int(wanted.per_chunk.max())
    pairs = np.pad(wanted.pairs, ((0, 0), (0, most)))
    chunks = wanted.offsets, wanted.per_chunk, np.arange(most, dtype="int32")
    counts, kept = program(queries, items, thresholds, pairs, *chunks)
    return counts, np.asarray(kept)[: len(wanted.flat_index)]


@functools.lru_cache(maxsize=8)
def _program(
    mesh: Any, axis: Any, size: int, count: CountChunk
) -> Callable[..., _Counted]:
    import jax

    lax: Any = jax.lax
    spec: Any = jax.sharding.PartitionSpec

    def on_device(
        queries: Tensor,
        rows: Tensor,
        thresholds: Tensor,
        pairs: Tensor,
        offsets: Tensor,
        per_chunk: Tensor,
        slots: Tensor,
    ) -> _Counted:
        own, most = rows.shape[0], slots.shape[0]
        width = min(size, own)
        whole, rest = divmod(own, width)
        first_chunk = lax.axis_index(axis) * (whole + (rest > 0))

        def plus(state: _Counted, part: Tensor, place: Tensor) -> _Counted:
            counts, kept = state
            offset = offsets[place]
            wanted = lax.dynamic_slice_in_dim(pairs, offset, most, axis=1)
            request = ChunkRequest(None, thresholds, wanted)
            found, scores = count(queries, part, request)
            before = lax.dynamic_slice_in_dim(kept, offset, most)
            scores = ops.where(slots < per_chunk[place], scores, before)
            kept = lax.dynamic_update_slice_in_dim(kept, scores, offset, 0)
            return counts.plus(found), kept

        def chunk(state: _Counted, i: Tensor) -> tuple[_Counted, None]:
            part = lax.dynamic_slice_in_dim(rows, i * width, width)
            return plus(state, part, first_chunk + i), None

        dtype = product(queries[:0], rows[:0]).dtype
        state = RankCounts.zeros(thresholds), ops.zeros(pairs.shape[1], dtype)
        state, _ = lax.scan(chunk, state, ops.arange(whole))
        if rest:
            state = plus(state, rows[own - rest :], first_chunk + whole)
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
