"""Kinds of numbers: what makes an array of a shape, of one of many kinds."""

from collections.abc import Callable
from typing import Any

import numpy as np

NAN, INF = float("nan"), float("inf")
TINY = 1e-45  # the smallest float32, which is denormal


def _of(*values: float) -> Callable:
    return lambda rng, shape: rng.choice(values, shape)


def _grades(most: int, share: float) -> Callable:
    def grades(rng: Any, shape: tuple[int, ...]) -> np.ndarray:
        return rng.integers(1, most + 1, shape) * (rng.random(shape) < share)

    return grades


def _with(some: Callable, value: float, share: float = 0.2) -> Callable:
    def changed(rng: Any, shape: tuple[int, ...]) -> np.ndarray:
        values = np.asarray(some(rng, shape), "float64")
        return np.where(rng.random(shape) < share, value, values)

    return changed


def permuted(rng: Any, shape: tuple[int, ...]) -> np.ndarray:
    """0, 1, 2, ... in each list, in any order."""
    return rng.permuted(np.arange(shape[-1]) + np.zeros(shape), axis=-1)


def _normal(rng: Any, shape: tuple[int, ...]) -> np.ndarray:
    return rng.normal(size=shape)


LABELS = (
    _of(0, 1),
    _grades(4, 0.4),
    _grades(4, 0.4),
    _with(_grades(4, 0.5), -1),
    _with(_grades(4, 0.5), -2),
    _with(_grades(3, 0.9), 0.5),
    _of(0),
    _of(-1),
    _of(1),
    _of(-3, -2, -1, 0),
    _of(0, -0.0, 1, 1e-3),
    _with(_grades(4, 0.4), NAN, 0.05),
    _with(_with(_grades(4, 0.4), -INF), -1.5),
    _with(_grades(4, 0.4), INF, 0.05),
    _of(0, 1, 30),
    _of(0, 1, 127),
    _of(0, 1, 1e30),
    _of(0.999999, 1, 1.000001, 2),
)
SCORES = (
    permuted,
    _normal,
    _of(0, 1, 2),
    _of(0.1),
    _with(permuted, 2),
    _with(_normal, -INF),
    _with(_normal, INF),
    _of(-INF),
    _of(INF, -INF, 0),
    _with(permuted, NAN, 0.05),
    _of(0.0, -0.0),
    _of(0.0, -0.0, 1.0, -1.0),
    _of(TINY, 0, -TINY, 2 * TINY),
    _of(1e-39, 2e-39, 0.0, -1e-39),
    _of(3e38, -3e38, 3.4e38, 0),
    _of(1e8, 1e8 + 8, 1e8 + 16),
    _of(1.0, 1 + 1e-12, 1 + 1e-7, 1 + 1e-3),
    _of(1e300, -1e300, 0),
    _of(65504, -65504, 1e-8),
)
WEIGHTS = (
    _of(1),
    _of(0, 0.5, 1, 2, 3.3),
    _of(0, 1),
    _of(0),
    _with(_of(0.5, 1), NAN, 0.1),
    _of(1e-30, 2e-30),
    _of(1e15, 3e15),
    _of(1e30, 2e30),
    _of(TINY, 1),
    _of(0.1, 1e6),
)
