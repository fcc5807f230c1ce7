"""The metrics about the items that lists show."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import oracle_of_items as oracle

import keras_rankmetrics as krm

from .rows import Row

# Where items tie all orders are tried, of which few items have few. A larger
# catalogue is for strict orders.
SMALL, LARGE = 5, 40


def shows(of: oracle.List, k: int | None) -> bool:
    return of.retrieved > 0


def shows_two(of: oracle.List, k: int | None) -> bool:
    return of.shown(k) > 1


def has_profile(of: oracle.List, k: int | None) -> bool:
    return bool(of.retrieved and of.relevant)


def has_relevant(of: oracle.List, k: int | None) -> bool:
    return bool(of.relevant)


@functools.cache
def rows(items: int) -> tuple[Row, ...]:
    """Each metric, for a catalogue of so many items."""
    rng = np.random.default_rng(items)
    counts = rng.integers(0, 9, items).tolist()
    shares = rng.choice([1.0, 0.9, 0.5, 0.25, 0.01], items).tolist()
    tail = rng.integers(0, 2, items).tolist()
    vectors = rng.integers(-1, 4, (items, 3)).tolist()
    groups = rng.choice([0.0, 0.0, 0.5, 1.0], (items, 3)).tolist()
    vectors[0], groups[1], target = [0] * 3, [0.0] * 3, [2, 1, 1]
    vectors[1], counts[1] = vectors[2], 0
    surprise: Callable[..., float] = oracle.serendipity(counts)
    by_table: list[tuple[type, dict[str, Any], Any, Any]] = [
        (
            krm.AveragePopularity,
            {"popularity": counts},
            oracle.mean_of(counts),
            shows,
        ),
        (
            krm.Novelty,
            {"popularity": shares},
            oracle.mean_of([-math.log2(x) for x in shares]),
            shows,
        ),
        (krm.TailShare, {"is_tail": tail}, oracle.mean_of(tail), shows),
        (
            krm.PopularityLift,
            {"popularity": shares},
            oracle.popularity_lift(shares),
            has_profile,
        ),
        (
            krm.PopularityLift,
            {"popularity": shares, "relevance_threshold": 0.5},
            oracle.popularity_lift(shares),
            has_profile,
        ),
        (krm.Serendipity, {"popularity": counts}, surprise, shows),
        (
            krm.Serendipity,
            {"popularity": counts, "unjudged": "condense"},
            surprise,
            shows,
        ),
        (
            krm.IntraListDiversity,
            {"vectors": vectors},
            oracle.intra_list_diversity(vectors),
            shows_two,
        ),
        (
            krm.AttentionWeightedFairness,
            {"groups": groups, "target": target},
            oracle.attention_weighted_fairness(groups, target),
            shows,
        ),
        *(
            (
                krm.ExpectedExposureLoss,
                {"part": part},
                oracle.expected_exposure(part),
                has_relevant,
            )
            # Of the best order, too, all orders of what ties are tried.
            for part in ("loss", "disparity", "relevance")
            if items < 7
        ),
    ]
    counters = {
        krm.CatalogueCoverage: oracle.coverage,
        krm.ExposureGini: oracle.gini,
        krm.ExposureEntropy: oracle.entropy,
        krm.Personalization: oracle.personalization,
    }
    return (
        *(
            Row(
                _named(metric, options, items),
                metric,
                options,
                value,
                has_value=has_value,
                items=items,
            )
            for metric, options, value, has_value in by_table
        ),
        *(
            Row(
                _named(metric, {}, items),
                metric,
                {"num_items": items},
                value,
                has_value=shows,
                items=items,
            )
            for metric, value in counters.items()
        ),
    )


def _named(metric: type, options: dict[str, Any], items: int) -> str:
    plain = [str(x) for x in options.values() if not isinstance(x, list)]
    return "-".join([metric.__name__, *plain, f"of {items}"])
