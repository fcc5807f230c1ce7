"""The referee for subtopics: plain Python, one list at a time.

A list is its items, `(labels, score)` each, with a label for each subtopic; an
item of which no label is 0 or more does not exist.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from oracle import log2_discount, reciprocal


class Item(NamedTuple):
    hits: tuple[bool, ...]  # to which subtopics it is relevant
    score: float


def items_of(
    labels: Sequence[Sequence[float]], scores: Sequence[float]
) -> list[Item]:
    return [
        Item(tuple(label >= 1 for label in of_item), score)
        for of_item, score in zip(labels, scores, strict=True)
        if max(of_item) >= 0
    ]


def ranked(items: list[Item]) -> list[Item]:
    """The retrieved items, best first; of equal ones the first of the input."""
    found = [item for item in items if item.score != -math.inf]
    return sorted(found, key=lambda item: -item.score)


def all_orders(items: list[Item]) -> Iterator[list[Item]]:
    groups = itertools.groupby(ranked(items), key=lambda item: item.score)
    shuffles = [itertools.permutations(list(group)) for _, group in groups]
    for parts in itertools.product(*shuffles):
        yield list(itertools.chain(*parts))


def subtopics(items: list[Item]) -> list[int]:
    """Those with a relevant item, retrieved or not."""
    number = len(items[0].hits) if items else 0
    return [t for t in range(number) if any(item.hits[t] for item in items)]


def novel(
    order: list[Item], k: int | None, alpha: float, discount: Callable
) -> float:
    """The discounted gains, each less for what stands above."""
    total = 0.0
    seen = [0] * (len(order[0].hits) if order else 0)
    for rank, item in enumerate(order[:k], start=1):
        for t, hit in enumerate(item.hits):
            if hit:
                total += discount(rank) * (1 - alpha) ** seen[t]
                seen[t] += 1
    return total


def greedy(items: list[Item], alpha: float) -> list[Item]:
    """At each rank the item that adds most."""
    left, order = list(items), []
    while left:
        seen = [sum(x.hits[t] for x in order) for t in range(len(left[0].hits))]
        added = [_added(x, seen, alpha) for x in left]
        order.append(left.pop(added.index(max(added))))
    return order


def _added(item: Item, seen: list[int], alpha: float) -> float:
    pairs = zip(seen, item.hits, strict=True)
    return sum((1 - alpha) ** above for above, hit in pairs if hit)


def alpha_dcg(order, items, k, alpha=0.5):
    return novel(order, k, alpha, log2_discount)


def alpha_ndcg(order, items, k, alpha=0.5):
    best = novel(greedy(items, alpha), k, alpha, log2_discount)
    return novel(order, k, alpha, log2_discount) / best


def err_ia(order, items, k, alpha=0.5, normalized=False):
    found = novel(order, k, alpha, reciprocal)
    if normalized:
        return found / novel(greedy(items, alpha), k, alpha, reciprocal)
    return alpha * found / len(subtopics(items))


def nrbp(order, items, k, alpha=0.5, p=0.5, normalized=False):
    found = novel(order, k, alpha, lambda rank: p ** (rank - 1))
    if normalized:
        best = greedy(items, alpha)
        return found / novel(best, k, alpha, lambda rank: p ** (rank - 1))
    return (1 - (1 - alpha) * p) * found / len(subtopics(items))


def precision_ia(order, items, k, denominator="retrieved"):
    length = len(order) if k is None else min(k, len(order))
    by = k if denominator == "k" else length
    hits = sum(sum(item.hits) for item in order[:k])
    return hits / by / len(subtopics(items)) if by else 0.0


def subtopic_recall(order, items, k):
    found = [t for t in subtopics(items) if any(x.hits[t] for x in order[:k])]
    return len(found) / len(subtopics(items))


def map_ia(order, items, k):
    total = 0.0
    for t in subtopics(items):
        relevant, hits = sum(item.hits[t] for item in items), 0
        for rank, item in enumerate(order[:k], start=1):
            if item.hits[t]:
                hits += 1
                total += hits / rank / relevant
    return total / len(subtopics(items))


MEASURES = {
    function.__name__: function
    for function in (
        alpha_dcg,
        alpha_ndcg,
        err_ia,
        nrbp,
        precision_ia,
        subtopic_recall,
        map_ia,
    )
}


def stable(items: list[Item]) -> list[list[Item]]:
    return [ranked(items)]


def value(measure, labels, scores, k=None, orders=all_orders):
    """The mean over orders of tied items; NaN for a list without items."""
    items = items_of(labels, scores)
    if not items:
        return math.nan
    if not subtopics(items):
        return 0.0
    found = [measure(order, items, k) for order in orders(items)]
    return math.fsum(found) / len(found)
