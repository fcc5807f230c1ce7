"""Estimates of a metric among all items, from sampled ranks.

With the chance P(s | r) of s negatives above an item of the rank r, and the
value f(r) of the metric there.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.backend.branching import loop
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.types import Tensor


def bias_variance(
    chances: np.ndarray, prior: np.ndarray, values: np.ndarray, gamma: float
) -> np.ndarray:
    """What each sampled rank is worth, `[negatives + 1]`.

    The f^ that makes Σ_r p(r) {(E[f^ | r] - f(r))² + γ Var[f^ | r]} smallest:

        f^ = ((1 - γ) AᵀA + γ diag(c))⁻¹ Aᵀb

    with A_rs = √p(r) P(s | r), b_r = √p(r) f(r) and c_s = Σ_r p(r) P(s | r).
    Krichene and Rendle, KDD (2020).

    Args:
        chances: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, of sum 1.
        values: f, `[ranks]`.
        gamma: γ, above 0 and at most 1.
    """
    weighted = prior[:, None] * chances
    squares = (1.0 - gamma) * (chances.T @ weighted)
    squares += gamma * np.diag(weighted.sum(axis=0))
    found: np.ndarray = np.linalg.solve(squares, weighted.T @ values)
    return found


@dataclasses.dataclass(frozen=True, eq=False)
class Mixture:
    """The most likely distribution of the ranks, as far as it was followed.

    Expectation maximisation, from the prior p on: each step takes p to

        p(r) Σ_s P(s | r) h(s) / Σ_r p(r) P(s | r)

    for the distribution h of the sampled ranks. Jin et al., AAAI (2021).

    Attributes:
        chances: P, `[ranks, negatives + 1]`.
        prior: p, `[ranks]`, of sum 1.
        values: f, `[ranks]`.
        steps: how many.
    """

    chances: np.ndarray
    prior: np.ndarray
    values: np.ndarray
    steps: int

    def value(self, histogram: Tensor) -> Tensor:
        """Σ_r p(r) f(r), a scalar; 0 where nothing has been counted.

        Args:
            histogram: `[negatives + 1]`, of any sum. A tensor, or an array of
                numpy, for which nothing of a backend is used.
        """
        if isinstance(histogram, np.ndarray):
            return self._value(histogram, _ON_HOST)
        return self._value(histogram, _IN_BACKEND)

    def _value(self, histogram: Any, by: _Arithmetic) -> Any:
        xp = by.xp
        chances, back, prior, values = (
            xp.array(x, dtype=histogram.dtype)
            for x in (self.chances, self.chances.T, self.prior, self.values)
        )
        total = xp.sum(histogram)
        seen = histogram / xp.where(total == 0, 1.0, total)

        def step(_: Any, ranks: Any) -> Any:
            expected = by.times(back, ranks)
            some = expected > 0
            ratios = xp.where(some, seen / xp.where(some, expected, 1.0), 0.0)
            return ranks * by.times(chances, ratios)

        return xp.sum(by.repeated(self.steps, step, prior) * values)


class _Arithmetic(NamedTuple):
    """How to compute.

    Attributes:
        xp: has the operations.
        times: a matrix times a vector.
        repeated: `(times, step, x)`, as `loop`.
    """

    xp: Any
    times: Callable[[Any, Any], Any]
    repeated: Callable[..., Any]


def _times(matrix: Tensor, vector: Tensor) -> Tensor:
    # No product of matrices, which accelerators round.
    return ops.sum(matrix * vector, axis=-1)


def _repeated(times: int, step: Callable[[int, Any], Any], x: Any) -> Any:
    for i in range(times):
        x = step(i, x)
    return x


_ON_HOST = _Arithmetic(np, np.matmul, _repeated)
_IN_BACKEND = _Arithmetic(ops, _times, loop)
