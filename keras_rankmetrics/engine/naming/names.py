"""The names of metrics: `ndcg@10`."""

from __future__ import annotations

import re


def name_at(name: str, k: float | None) -> str:
    """The name of what ends at rank `k`, or at another number."""
    if isinstance(k, float):
        return f"{name}@{k:g}"
    return name if k is None else f"{name}@{k}"


def in_words(name: str) -> str:
    """`DiscountedSuccess` as `discounted_success`."""
    return re.sub(
        r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name
    ).lower()


def as_scope(name: str) -> str:
    """A name that TensorFlow takes for a scope: it refuses "@" in a graph."""
    return re.sub(r"[^A-Za-z0-9_.>-]", "_", name)
