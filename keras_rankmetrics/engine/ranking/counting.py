"""Runs of equal values in rows: sums over them, matching ids, ordered pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import keras

from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.sorting import in_order, in_place
from keras_rankmetrics.engine.backend.tracing import (
    concrete,
    is_on_host,
    length_at_most,
    loop,
    takes_any_length,
)
from keras_rankmetrics.types import Tensor

# Up to this length, computing over all pairs takes no longer than by steps.
_FEW = 16

# Below this share of entries, taking them out is faster than summing all.
_SPARSE = 16

_EXACT_IN_FLOAT32 = 2**24


def sums_over_runs(
    values: Tensor, x: Tensor, most: int
) -> tuple[Tensor, Tensor]:
    """Sum over runs of equal values, such as tie groups in sorted scores.

    Args:
        values: `[rows, entries]`, each row sorted.
        x: `[..., rows, entries]`, the terms of the sums.
        most: an upper bound for the number of entries.

    Returns:
        For each entry, in the shape of `x`, the sum over the entries of its run
        before it, and the sum over its whole run.
    """
    if most <= _FEW:
        return _by_pairs(values, x)
    if takes_any_length(values):
        return _where_equal(values, x, most)
    return _by_doubling(values, x, most)


def _where_equal(values: Tensor, x: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Sum over the entries that equal a neighbour alone, if they are few.

    As a rule they are: of many scores, some tie by chance. They are added by
    steps, since running sums of several rows would lose digits.
    """
    same = values[:, 1:] == values[:, :-1]
    no = ops.zeros_like(values[:, :1], dtype="bool")
    follows = ops.concatenate([no, same], axis=-1)
    are_some = concrete(ops.any(follows))
    before, total = ops.zeros_like(x), x
    if are_some is False:
        return before, total
    if are_some is None:  # as in `torch.vmap`
        return _by_doubling(values, x, most)
    size = math.prod(values.shape)
    if concrete(ops.sum(count(follows)) * _SPARSE > size):
        return _by_runs(follows, x)
    is_equal = follows | ops.concatenate([same, no], axis=-1)
    [places] = ops.nonzero(ops.reshape(is_equal, (-1,)))
    begins = ~ops.take(ops.reshape(follows, (-1,)), places)
    runs = ops.cumsum(ops.cast(begins, "int32"), axis=0)[None]
    terms = ops.take(ops.reshape(x, (-1, 1, size)), places, axis=-1)
    first = size * ops.arange(len(terms), dtype=places.dtype)
    at = ops.reshape(first[:, None] + places, (-1, 1))

    def put(into: Tensor, sums: Tensor) -> Tensor:
        flat, sums = (ops.reshape(y, (-1,)) for y in (into, sums))
        # NumPy would write into the array that was passed.
        found = ops.scatter_update(ops.copy(flat), at, sums)
        return ops.reshape(found, x.shape)

    sums = _by_doubling(runs, terms, min(most, len(places)))
    return put(before, sums[0]), put(total, sums[1])


def _by_runs(follows: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Sum in float64, in a few passes over all entries.

    The sum before an entry is a difference of running sums. Its error is far
    below the last digit of the sum of the row.

    Args:
        follows: bool `[rows, entries]`, True for entries equal to the previous
            one.
        x: the terms of the sums.
    """
    follows = ops.broadcast_to(follows, ops.shape(x))
    begins = ~ops.reshape(follows, (-1,))
    [places] = ops.nonzero(begins)
    runs = ops.cumsum(ops.cast(begins, "int32"), axis=0) - 1
    wide = ops.cast(x, "float64")
    above = ops.reshape(ops.cumsum(wide, axis=-1) - wide, (-1,))
    [start] = taken(runs, *taken(places, above))
    sums = ops.segment_sum(
        ops.reshape(wide, (-1,)), runs, num_segments=len(places)
    )
    [total] = taken(runs, sums)
    before, total = (
        ops.cast(ops.reshape(y, ops.shape(x)), x.dtype)
        for y in (above - start, total)
    )
    return before, total


def _by_pairs(values: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Sum over all pairs of entries: few operations, quick to compile."""
    position = positions(values)
    same = ops.expand_dims(values, -1) == ops.expand_dims(values, -2)
    before = same & (ops.expand_dims(position, -1) > position)
    x = ops.expand_dims(x, -2)
    return (
        ops.sum(ops.where(before, x, 0), axis=-1),
        ops.sum(ops.where(same, x, 0), axis=-1),
    )


def _by_doubling(values: Tensor, x: Tensor, most: int) -> tuple[Tensor, Tensor]:
    """Sum in log2(most) steps, with memory for one value per entry.

    Where values are known, the steps end with the longest run: as a rule, two
    scores of many tie, and no more.
    """
    position = positions(values)
    # From both ends at once.
    values = ops.stack([values, ops.flip(values, axis=-1)])
    looks_ahead = is_on_host(values)

    def are_same(step: int) -> Tensor:
        """Return True for entries whose run has `step` entries before them."""
        return (position >= step) & (values == ops.roll(values, step, axis=-1))

    def moved(sums: Tensor, same: Tensor, step: int) -> Tensor:
        """Return the sums `step` entries earlier; 0 from another run."""
        return ops.where(same, ops.roll(sums, step, axis=-1), 0)

    same = are_same(1)
    sums = moved(ops.stack([x, ops.flip(x, axis=-1)], axis=-3), same, 1)
    for step in (2**bit for bit in range((most - 1).bit_length())):
        if step > 1:
            same = are_same(step)
        if looks_ahead and concrete(ops.any(same)) is False:
            break
        sums = sums + moved(sums, same, step)
    before, after = ops.unstack(sums, 2, axis=-3)
    return before, before + x + ops.flip(after, axis=-1)


def positions(rows: Tensor) -> Tensor:
    """Return 0, 1, 2, ... along the last axis of `rows`, int32."""
    return ops.arange(ops.shape(rows)[-1], dtype="int32")


def count(x: Tensor) -> Tensor:
    """Count the True values of each row, int32 `[lists]`.

    Args:
        x: bool `[lists, items]`.
    """
    if keras.config.backend() == "torch":  # sums bools without a cast
        return ops.sum(x, axis=-1)
    counted = ops.cast(x, counting_dtype(x.shape[-1]))
    return ops.cast(ops.sum(counted, axis=-1), "int32")


def taken(places: Tensor, *rows: Tensor) -> tuple[Tensor, ...]:
    """Return the entries at some places of each of the rows."""
    return tuple(ops.take_along_axis(x, places, axis=-1) for x in rows)


def counting_dtype(items: int | None) -> str:
    """Return a dtype that counts so many items exactly, float32 if it does.

    Floats are summed and sorted much faster than integers.
    """
    few = items is not None and items <= _EXACT_IN_FLOAT32
    return "float32" if few else "int32"


def for_each(function: Callable[..., Tensor], *rows: Tensor) -> Tensor:
    """Apply a function to one column after the other, `[lists, targets]`.

    No more than `[lists, items]` is in memory at any time.

    Args:
        function: takes a column, `[lists, 1]`, of each of the rows and returns
            one.
        *rows: `[lists, targets]`.
    """
    if rows[0].shape[-1] == 1:
        return function(*rows)

    def step(target: int | Tensor, results: Tensor) -> Tensor:
        columns = (ops.take(row, target, axis=-1)[:, None] for row in rows)
        here = positions(results) == ops.cast(target, "int32")
        return ops.where(here, function(*columns), results)

    none = ops.zeros_like(rows[0], dtype="int32")
    return loop(ops.shape(rows[0])[-1], step, none)


def count_for_each(are: Callable[..., Tensor], *rows: Tensor) -> Tensor:
    """Count items for one column after the other, int32 `[lists, targets]`.

    Args:
        are: takes a column of each of the rows and returns True for the items
            that count, bool `[lists, items]`.
        *rows: `[lists, targets]`.
    """
    return for_each(lambda *columns: count(are(*columns))[:, None], *rows)


# Matching of ids, by sorting: comparing all pairs would need a loop, or memory
# for all pairs.

_ONE_AHEAD = ((0, 0), (1, 0))


class Matched(NamedTuple):
    """Recommended ids, matched with relevant ones.

    Attributes:
        relevant: int32 `[lists]`, the number of distinct relevant ids.
        new: bool `[lists, recommended]`, True for the first occurrence of an
            id in its row.
        hits: bool `[lists, recommended]`, True for such an id if it is
            relevant.
    """

    relevant: Tensor
    new: Tensor
    hits: Tensor


def matched(relevant: Tensor, recommended: Tensor) -> Matched:
    """Find the recommended ids among the relevant ones, by one sort of both.

    Args:
        relevant: int `[lists, relevant]`. Negative ones are padding.
        recommended: int `[lists, recommended]`, of the same dtype.
    """
    width = ops.shape(relevant)[-1]
    # Among equal ids, the relevant ones come before the recommended ones.
    ids, places = in_order(ops.concatenate([relevant, recommended], axis=-1))
    same = _equals_previous(ids)
    after_recommended = same & (places[:, :-1] >= width)
    # 0 for the first of equal ids, 1 after a relevant one, 2 after a
    # recommended one.
    after = ops.cast(same, "int8") + ops.cast(after_recommended, "int8")
    after = in_place(ops.pad(after, _ONE_AHEAD), places)
    exists, of_recommended = recommended >= 0, after[:, width:]
    return Matched(
        count((relevant >= 0) & (after[:, :width] == 0)),
        exists & (of_recommended < 2),
        exists & (of_recommended == 1),
    )


def is_new(ids: Tensor) -> Tensor:
    """Return True for the first occurrence of each id in its row.

    Args:
        ids: int `[lists, ids]`. Negative ones are padding.
    """
    if length_at_most(ids) == 1:
        return ids >= 0
    in_a_row, places = in_order(ids)
    again = ops.pad(ops.cast(_equals_previous(in_a_row), "int8"), _ONE_AHEAD)
    return (ids >= 0) & (in_place(again, places) == 0)


def is_in(ids: Tensor, row: Tensor) -> Tensor:
    """Return True for ids that `row` contains, by binary search.

    Args:
        ids: int `[lists, ids]`.
        row: int `[lists, places]`, ascending, of the same dtype.

    Returns:
        bool `[lists, ids]`.
    """
    return ops.take_along_axis(row, place_in(ids, row), axis=-1) == ids


def place_in(ids: Tensor, row: Tensor) -> Tensor:
    """Return the first index of each id in `row`, by binary search.

    It is arbitrary for ids that `row` does not contain.

    Args:
        ids: int `[lists, ids]`.
        row: int `[lists, places]`, ascending, of the same dtype.

    Returns:
        int32 `[lists, ids]`.
    """
    last = ops.shape(row)[-1] - 1

    def value_at(place: Tensor) -> Tensor:
        return ops.take_along_axis(row, place, axis=-1)

    # The last index whose value is less than the id; -1 if there is none.
    less = ops.full_like(ids, -1, dtype="int32")
    bits = length_at_most(row).bit_length()
    for step in (2**bit for bit in reversed(range(bits))):
        place = ops.minimum(less + step, last)
        less = ops.where(value_at(place) < ids, place, less)
    return ops.minimum(less + 1, last)


def _equals_previous(ids: Tensor) -> Tensor:
    """Return True for each id but the first that equals the one before it."""
    return ids[:, 1:] == ids[:, :-1]


# Pairs of items, and how many of them a ranking has in the right order.


class Pairs(NamedTuple):
    """Pairs of items with different labels, floats `[lists]`.

    Attributes:
        right: the number of pairs with the higher label ranked above; half a
            pair for tied scores.
        every: the number of all pairs.
    """

    right: Tensor
    every: Tensor


class ItemsInOrder(NamedTuple):
    """The items of each list, best first, `[lists, items]`.

    Attributes:
        labels: the labels of the items, floats.
        there: bool, True for retrieved items. Others come last.
        start: int32, the number of items above the tie group.
        size: int32, the number of items in the tie group.
    """

    labels: Tensor
    there: Tensor
    start: Tensor
    size: Tensor

    def padded(self) -> ItemsInOrder:
        """Return the rows with an empty position added at the end.

        Not all backends can index empty rows.
        """
        below = (-1.0, False, ops.shape(self.labels)[-1], 1)
        return ItemsInOrder(
            *(
                ops.pad(x, ((0, 0), (0, 1)), constant_values=value)
                for x, value in zip(self, below, strict=True)
            )
        )

    def taken(self, places: Tensor) -> ItemsInOrder:
        """Return the items at these positions."""
        return ItemsInOrder(*taken(places, *self))


def pairs_of(row: ItemsInOrder) -> Pairs:
    """Return the pairs whose lower label belongs to a retrieved item."""
    row = row.padded()
    most, ones = length_at_most(row.labels), ops.ones_like(row.labels)
    # By label, the lowest first.
    row = row.taken(ops.argsort(row.labels, axis=-1))
    grade = run_numbers(row.labels)
    before, equal = sums_over_runs(grade, ones, most)
    place = ops.cast(positions(grade), ones.dtype)
    items = ops.cast(ops.shape(grade)[-1], ones.dtype)
    every = _sum_where(row.there, items - (place - before) - equal)
    # By tie group, then by label: no tied pair is in the right order.
    _, places = in_order(row.start)
    places = ops.cast(places, "int32")
    row, grade = row.taken(places), ops.take_along_axis(grade, places, axis=-1)
    _, equal = sums_over_runs(run_numbers(row.start, grade), ones, most)
    # A tied pair is counted from both sides, and counts half.
    tied = ops.cast(row.size, ones.dtype) - equal
    keys, ahead = _moved_ahead(2 * grade + ops.cast(row.there, "int32"))
    # The last bit of a key is 1 for retrieved items.
    right = _sum_where(keys % 2 == 1, ops.cast(ahead, ones.dtype))
    return Pairs(right + _sum_where(row.there, tied) / 4.0, every)


def run_numbers(*rows: Tensor) -> Tensor:
    """Return the numbers of the runs in which no row changes, int32, from 0."""
    changes = [row[:, 1:] != row[:, :-1] for row in rows]
    change = changes[0] if len(changes) == 1 else changes[0] | changes[1]
    return ops.cumsum(ops.pad(ops.cast(change, "int32"), _ONE_AHEAD), axis=-1)


def _sum_where(there: Tensor, x: Tensor) -> Tensor:
    return ops.sum(ops.where(there, x, 0), axis=-1)


def higher_before(grade: Tensor) -> Tensor:
    """Count the higher grades before each item, int32 `[lists, items]`.

    Args:
        grade: int32 `[lists, items]`, from 0.

    Returns:
        The counts in the order of the grades, the lowest first; equal ones
        remain in their order.
    """
    return _moved_ahead(2 * grade)[1]


def _moved_ahead(keys: Tensor) -> tuple[Tensor, Tensor]:
    """Sort keys by all bits but the last, and count the higher ones before.

    A radix sort, the highest bit first, moves items with a 0 before those with
    a 1. Each item passes every higher one before it exactly once, so the
    positions that it moves ahead count these.

    Returns:
        The keys and the counts, int32 `[lists, items]`, in the new order.
    """
    powers = 2 ** ops.arange(30, dtype="int32")
    bits = ops.sum(ops.cast(ops.max(keys) // 2 >= powers, "int32"))
    place = positions(keys)

    def step(done: int | Tensor, state: Tensor) -> Tensor:
        keys, ahead = ops.unstack(state, 2)
        _, places = in_order(ops.right_shift(keys, bits - done))
        places = ops.cast(places, "int32")
        keys, ahead = taken(places, keys, ahead)
        return ops.stack([keys, ahead + ops.maximum(places - place, 0)])

    state = loop(bits, step, ops.stack([keys, ops.zeros_like(keys)]))
    keys, ahead = ops.unstack(state, 2)
    return keys, ahead
