"""Many metrics at once: in a collection, and in a program where that is cheap.

A collection does what each metric does alone, as `test_collection` shows, in a
fraction of the time. jax compiles each operation anew for each shape, unless
all are one program. For so many metrics a graph of tensorflow takes longer to
make than these tests take without.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import keras
import numpy as np
import oracle
from catalogue import Cell, scale_of
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from keras import ops

import keras_rankmetrics as krm

LAW = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],  # to shrink takes minutes
    suppress_health_check=list(HealthCheck),
)


def nine(**options: Any) -> list[krm.RankingMetric]:
    """Return nine metrics that share one ranking of the ten best items."""
    return [
        *krm.NDCG.at(1, 5, 10, **options),
        krm.MeanAveragePrecision(10, **options),
        krm.MeanReciprocalRank(10, **options),
        *krm.PrecisionAtK.at(5, 10, **options),
        *krm.RecallAtK.at(5, 10, **options),
    ]


Batch = tuple[Any, ...]  # labels, scores, and maybe weights and a mask


class Suite:
    """Metrics that are evaluated together.

    What it returns has one row for each of its `cells`.

    Args:
        cells: the metrics.
        optimized: whether jax makes the machine code fast, or the compilation;
            what XLA does to the operations stays the same.
    """

    def __init__(
        self,
        cells: Sequence[Cell],
        optimized: bool = False,
    ) -> None:
        self.cells = cells
        self.metrics = [
            cell.make(name=str(place)) for place, cell in enumerate(cells)
        ]
        self._collection = krm.MetricCollection(self.metrics)
        self._values = _compiled(self._trace_values, optimized)
        self._step = _compiled(self._trace_step, optimized)

    def per_list(self, *batch: Any) -> np.ndarray:
        """`[cells, lists]`, or `[cells]` for a single list."""
        return _numpy(self._values(*batch))

    def states(self, *batches: Batch) -> list[list[np.ndarray]]:
        """The state of each metric after the batches."""
        return self._by_metric(list(self._all_states(*batches))[-1])

    def result(self, *batches: Batch) -> np.ndarray:
        """`[cells]`, after the batches."""
        return self.result_of(self.states(*batches))

    def results(self, *batches: Batch) -> np.ndarray:
        """`[batches, cells]`, after each batch."""
        return np.stack(
            [
                self.result_of(self._by_metric(state))
                for state in self._all_states(*batches)
            ]
        )

    def result_of(self, states: list[list[np.ndarray]]) -> np.ndarray:
        """`[cells]`, of metrics in these states."""
        for metric, state in zip(self.metrics, states, strict=True):
            metric.set_state(state)
        return np.array([_numpy(metric.result()) for metric in self.metrics])

    def _all_states(self, *batches: Batch) -> Iterator[list[np.ndarray]]:
        variables = self._collection.variables
        state = [np.zeros(tuple(v.shape), v.dtype) for v in variables]
        for batch in batches:
            state = self._step(state, *batch)
            yield [_numpy(variable) for variable in state]

    def _trace_values(self, *batch: Any) -> Any:
        arguments = _arguments(*batch)
        values = self._collection.per_list(*arguments)
        return ops.stack(list(values.values()))

    def _trace_step(self, state: list[Any], *batch: Any) -> list[Any]:
        return self._collection.stateless_update_state(
            state, *_arguments(*batch)
        )

    def _by_metric(self, state: list[Any]) -> list[list[Any]]:
        variables = self._collection.variables
        for variable, value in zip(variables, state, strict=True):
            variable.assign(value)
        return [metric.get_state() for metric in self.metrics]


def assert_same(
    cells: Sequence[Cell],
    found: np.ndarray,
    expected: np.ndarray,
    where: Callable[[Cell], bool] = lambda cell: True,
) -> None:
    """Asserts that two arrays, with one row for each cell, are the same.

    To 1e-6, times max(1, |expected|), where the cell says nothing else.

    Args:
        cells: what the rows belong to.
        found: `[cells]` or `[cells, lists]`.
        expected: in that shape. NaN is to be found as NaN.
        where: which cells to look at.
    """
    expected = np.asarray(expected, "float64")
    chosen = np.array([where(cell) for cell in cells])
    assert chosen.any()
    assert found.shape == expected.shape
    least, squared = np.array([cell.margins for cell in cells]).T.reshape(
        2, -1, *[1] * (expected.ndim - 1)
    )
    margin = np.maximum(
        least * np.maximum(1.0, np.abs(expected)), squared * expected**2
    )
    same = np.abs(found - expected) <= margin
    same |= np.isnan(found) & np.isnan(expected)
    wrong = [
        f"{cells[at[0]]}, list {at[1:]}: "
        f"{found[tuple(at)]!r}, expected {expected[tuple(at)]!r}"
        for at in np.argwhere(~same)
        if chosen[at[0]]
    ]
    assert not wrong, "\n".join([f"{len(wrong)} differ:", *wrong[:8]])


def from_levels(levels: np.ndarray, shape: tuple[int, ...]) -> Any:
    """A strategy for arrays of few different values."""
    index = hnp.arrays(np.int8, shape, elements=st.integers(0, len(levels) - 1))
    return index.map(lambda chosen: levels[chosen])


def as_lists(
    labels: np.ndarray,
    scores: np.ndarray,
    weights: np.ndarray | float | None = None,
    mask: np.ndarray | None = None,
) -> list[tuple]:
    """A batch as the oracle takes it: one tuple for each list."""
    n = len(labels)
    if weights is None or np.ndim(weights) == 0:
        weights = [weights] * n
    elif weights.shape == (n, 1):
        weights = weights[:, 0].tolist()
    else:
        weights = weights.tolist()
    masks = [None] * n if mask is None else mask.tolist()
    return list(
        zip(labels.tolist(), scores.tolist(), masks, weights, strict=True)
    )


def by_oracle(metric: Any, *batches: Batch) -> float:
    """Return the result of a metric by the oracle."""
    lists = [each for batch in batches for each in as_lists(*batch)]
    return oracle.result(
        metric.short_name,
        lists,
        k=metric.k,
        ties=metric.ties,
        empty=metric.empty,
        list_weight=metric.list_weight,
        **scale_of(metric),
    )


def assert_as_oracle(
    cells: Sequence[Cell], passed: Batch, labels: Any, scores: Any
) -> None:
    """Assert that what is passed has the values of labels and scores."""
    lists = as_lists(labels, scores)
    expected = [[cell.value(*each) for each in lists] for cell in cells]
    assert_same(cells, Suite(cells).per_list(*passed), expected)


def _arguments(
    labels: Any, scores: Any, weights: Any = None, mask: Any = None
) -> tuple[Any, Any, Any]:
    y_true = labels if mask is None else {"labels": labels, "mask": mask}
    return y_true, scores, weights


def _numpy(x: Any) -> np.ndarray:
    return ops.convert_to_numpy(x)


def _compiled(function: Callable, optimized: bool) -> Callable:
    if keras.backend.backend() == "jax":
        import jax

        options = {} if optimized else _QUICKLY
        return jax.jit(function, compiler_options=options)
    return function


_QUICKLY = {
    "xla_backend_optimization_level": 0,
    "xla_llvm_disable_expensive_passes": True,
}
