"""Items with the vector of a relevant item, which tie with it exactly.

Libraries of linear algebra round one product differently at different places of
a matrix, so that two equal vectors may have different scores. The vectors of
such items are multiplied once, and not with their chunks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.catalogues import passes
from keras_rankmetrics.catalogues.counts import RankCounts
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import is_on_host
from keras_rankmetrics.engine.inputs.tensors import to_numpy
from keras_rankmetrics.types import Tensor

_SCORES = 2**27  # of groups, at most, which stay in memory


class Twins(NamedTuple):
    """Groups of items with one vector, of which one is relevant at least.

    Attributes:
        members: int `[members]`, the numbers of these items, ascending.
        groups: int `[members]`, the number of the group of each.
        sizes: int `[groups]`, the numbers of items.
        scores: `[lists, groups]`.
    """

    members: np.ndarray
    groups: np.ndarray
    sizes: np.ndarray
    scores: np.ndarray

    @classmethod
    def of(
        cls, queries: Tensor, items: Any, targets: np.ndarray, size: int
    ) -> Twins | None:
        """Return the twins of relevant items; None if there are none.

        Infinite scores tie without help, so that their items are no twins;
        nor are there any whose scores would fill the memory.

        Args:
            queries: `[lists, d]`.
            items: `[items, d]`.
            targets: the numbers of the relevant items, negative for padding.
            size: the number of items to read, or to score, at once.
        """
        numbers = np.unique(targets[targets >= 0])
        # Copies from the memory of an accelerator, which pads to whole tiles,
        # would take longer than the products.
        if ops.is_tensor(items) and not is_on_host(items):
            return None
        keys = np.concatenate(
            [
                _keys(items[first : first + size], np.float32)
                for first in range(0, items.shape[0], size)
            ]
        )
        [found] = np.nonzero(np.isin(keys, keys[numbers]))
        if len(np.unique(keys[found])) == len(found):
            return None
        vectors = to_numpy(items[found])
        exact = _keys(vectors, np.float64)
        order = np.lexsort((found, exact))
        found, exact, vectors = found[order], exact[order], vectors[order]
        is_first = np.append(True, exact[1:] != exact[:-1])
        groups = np.cumsum(is_first) - 1
        first = np.flatnonzero(is_first)
        if len(first) * len(targets) > _SCORES:
            return None
        are_equal = (vectors == vectors[first[groups]]).all(axis=-1)
        sizes = np.bincount(groups[are_equal], minlength=len(first))
        are_twins = are_equal & (sizes > 1)[groups]
        if not are_twins.any():
            return None
        chosen = found[first[sizes > 1]]
        parts = passes.scores_of(queries, items, chosen, size, None)
        scores = np.concatenate(
            [ops.convert_to_numpy(x)[:, : len(part)] for part, x in parts],
            axis=1,
        )
        if not np.isfinite(scores).all():
            return None
        numbered = (np.cumsum(sizes > 1) - 1)[groups[are_twins]]
        ascending = np.argsort(found[are_twins])
        return cls(
            found[are_twins][ascending],
            numbered[ascending],
            sizes[sizes > 1],
            scores,
        )

    def put(self, scores: np.ndarray, numbers: np.ndarray) -> np.ndarray:
        """Return the scores of items, with those of the group for twins.

        Args:
            scores: `[lists, row]`.
            numbers: `[lists, row]`, the numbers of the items.
        """
        last = len(self.members) - 1
        at = np.minimum(np.searchsorted(self.members, numbers), last)
        own = np.take_along_axis(self.scores, self.groups[at], axis=1)
        return np.where(self.members[at] == numbers, own, scores)

    def add(self, counts: RankCounts, targets: np.ndarray) -> RankCounts:
        """Return counts with the scores of twins, in place of 0.

        Args:
            counts: the counts of `Blanked` items.
            targets: `[lists, targets]`, the scores of the relevant items.
        """
        added = []
        for are in (np.greater, np.greater_equal):
            of_groups = [are(self.scores, s[:, None]) for s in targets.T]
            numbers = [x @ self.sizes for x in of_groups]
            blank = len(self.members) * are(0, targets)
            added.append((np.stack(numbers, axis=-1) - blank).astype("int32"))
        above, reach = (
            ops.convert_to_numpy(x) + y
            for x, y in zip(counts[:2], added, strict=True)
        )
        return counts._replace(above=above, reach=reach)


class Blanked:
    """A catalogue in which some vectors are 0, so that their products are."""

    def __init__(self, items: passes.Catalogue, numbers: np.ndarray) -> None:
        self.shape = items.shape
        self._items = items
        self._is_kept = np.ones((items.shape[0], 1), bool)
        self._is_kept[numbers] = False

    def __getitem__(self, index: Any) -> Tensor:
        rows = ops.convert_to_tensor(self._items[index])
        return rows * ops.cast(self._is_kept[index], rows.dtype)


def _keys(vectors: Any, dtype: Any) -> np.ndarray:
    """Return a number for each vector, the same for equal ones, `[vectors]`.

    No two rows are added in another order, as in a product of matrices.
    """
    vectors = np.ascontiguousarray(to_numpy(vectors), dtype)
    weights = np.random.default_rng(0).uniform(1, 2, vectors.shape[1])
    with np.errstate(all="ignore"):  # infinite ones are no twins
        found: np.ndarray = np.einsum("ij,j->i", vectors, weights.astype(dtype))
    return found
