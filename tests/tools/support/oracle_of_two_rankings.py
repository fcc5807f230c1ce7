"""Similarity of two rankings by the definitions, for strict orders."""

import itertools
import math

INF = float("inf")


def orders(scores, whole=False):
    """All orders of the retrieved items, the best first."""
    groups = []
    for score in sorted(set(scores), reverse=True):
        if score > -INF or whole:
            tied = [i for i, s in enumerate(scores) if s == score]
            groups.append(itertools.permutations(tied))
    for parts in itertools.product(*groups):
        yield list(itertools.chain(*parts))


def rbo(a, b, p=0.8, k=None, tail="extrapolated"):
    """Webber, Moffat and Zobel, equation 32, of two strict orders."""
    a, b = a[:k], b[:k]
    s, n = sorted([len(a), len(b)])
    x = [len(set(a[:d]) & set(b[:d])) for d in range(n + 1)]
    total = sum(x[d] / d * p**d for d in range(1, n + 1))
    if tail == "zero":
        return (1 - p) / p * total
    rate = x[s] / s if s else 0
    total += sum(rate * (d - s) / d * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + ((x[n] - x[s]) / n + rate) * p**n


def overlap(a, b, k):
    return len(set(a[:k]) & set(b[:k])) / min(k, max(len(a), len(b)))


def tau_ap(reference, order):
    place = {item: i for i, item in enumerate(reference)}
    right = [
        sum(place[j] < place[item] for j in order[:i]) / i
        for i, item in enumerate(order)
        if i
    ]
    return 2 * sum(right) / (len(order) - 1) - 1


def kendall_tau(reference, scores):
    """Kendall's tau-b of two lists of scores; None if all tie on a side."""
    signs = [
        tuple((x[i] > x[j]) - (x[i] < x[j]) for x in (reference, scores))
        for i, j in itertools.combinations(range(len(scores)), 2)
    ]
    untied = [sum(bool(pair[side]) for pair in signs) for side in (0, 1)]
    if not all(untied):
        return None
    return sum(a * b for a, b in signs) / math.sqrt(untied[0] * untied[1])
