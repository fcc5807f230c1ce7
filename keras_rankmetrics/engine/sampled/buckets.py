"""Ranks that a sample cannot tell apart, taken together."""

from __future__ import annotations

import numpy as np

from keras_rankmetrics.engine.sampled.sampling import Sampling

# A bucket is no wider than this part of what the sample resolves, and of the
# ranks above it. What the estimates lose by it is below 2e-4.
_OF_RESOLUTION = 0.1
_OF_RANK = 0.125


def buckets_of(
    sampling: Sampling, cutoff: int | None
) -> tuple[np.ndarray, np.ndarray]:
    """`(start, stop)` of each: the ranks `start + 1` to `stop`.

    Each has an odd number of ranks as a rule, so that one is in the middle.

    Args:
        sampling: how items are drawn.
        cutoff: a bucket ends there, None without one.
    """
    stops, start = [], 0
    while start < sampling.catalogue:
        widest = min(
            _OF_RESOLUTION * sampling.resolution(start), _OF_RANK * start
        )
        width = int(max(widest, 1.0))
        stop = min(start + width - 1 + width % 2, sampling.catalogue)
        if cutoff is not None and start < cutoff < stop:
            stop = cutoff
        stops.append(stop)
        start = stop
    return np.array([0, *stops[:-1]]), np.array(stops)
