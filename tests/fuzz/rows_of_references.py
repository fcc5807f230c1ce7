"""The metrics of two rankings."""

import functools
import itertools
import math
from collections.abc import Callable
from typing import Any

import oracle_of_two_rankings as oracle

import keras_rankmetrics as krm

from .rows import Row

ITEMS = 4  # all orders of ties on both sides are enumerated


class ReferenceRow(Row):
    """A metric that averages over all orders, whatever the policy of ties."""

    @property
    def takes_k(self) -> bool:  # type: ignore[override]
        """Whether the metric has a cutoff."""
        return self.metric in (krm.RankBiasedOverlap, krm.OverlapAtK)

    def make(self, k: int | None, **options: Any) -> Any:
        """The metric, without what it does not take."""
        options.pop("ties", None)
        cut = {"k": k} if self.takes_k else {}
        return self.metric(**cut, **self.options, **options)


Sides = tuple[list[float], list[float]]


def _mean(of_orders: Callable[..., float], sides: Sides, whole: bool) -> float:
    """The mean over all orders of ties on both sides."""
    pairs = itertools.product(*(oracle.orders(x, whole) for x in sides))
    found = [of_orders(*pair) for pair in pairs]
    return math.fsum(found) / len(found)


def _overlapping(
    measure: Callable[..., float], k: int | None, *sides: list[float]
) -> float:
    return _mean(functools.partial(measure, k=k), sides, whole=False)


def _overlap(one: list[int], other: list[int], k: int | None) -> float:
    return oracle.overlap(
        one, other, max(len(one), len(other)) if k is None else k
    )


def _tau_ap(_: None, *sides: list[float]) -> float | None:
    return (
        _mean(oracle.tau_ap, sides, whole=True) if len(sides[0]) > 1 else None
    )


def _kendall_tau(_: None, *sides: list[float]) -> float | None:
    return oracle.kendall_tau(*sides)


@functools.cache
def rows() -> tuple[Row, ...]:
    """Each metric, with options."""
    rbo = krm.RankBiasedOverlap
    given: list[tuple[type, dict[str, Any], Callable[..., Any]]] = [
        (krm.OverlapAtK, {}, functools.partial(_overlapping, _overlap)),
        (krm.TauAP, {}, _tau_ap),
        (krm.KendallTau, {}, _kendall_tau),
        *(
            (
                rbo,
                options,
                functools.partial(
                    _overlapping,
                    functools.partial(oracle.rbo, **{"p": 0.9, **options}),
                ),
            )
            for options in ({}, {"p": 0.5}, {"tail": "zero"})
        ),
    ]
    return tuple(
        ReferenceRow(
            "-".join([metric.__name__, *map(str, options.values())]),
            metric,
            options,
            value,
        )
        for metric, options, value in given
    )
