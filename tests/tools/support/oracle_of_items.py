"""Which items lists show, in plain Python: by all orders of tied items.

It shares no code with the package, and is for lists of few items.
"""

import collections
import dataclasses
import functools
import itertools
import math

from oracle import log2_discount


@dataclasses.dataclass(frozen=True)
class List:
    """A list, by the numbers of its items.

    Attributes:
        groups: the items that are retrieved, best first, in groups that tie.
        relevant: those that are relevant, retrieved or not.
        weight: of the list.
    """

    groups: list[list[int]]
    relevant: frozenset[int] = frozenset()
    weight: float = 1.0

    @functools.cached_property
    def orders(self):
        """All orders of the items, each as likely as any other."""
        ways = [itertools.permutations(group) for group in self.groups]
        return [list(itertools.chain(*way)) for way in itertools.product(*ways)]

    def mean(self, value):
        """The mean of `value(order)` over all orders."""
        return math.fsum(map(value, self.orders)) / len(self.orders)

    @property
    def retrieved(self):
        return sum(map(len, self.groups))

    def shown(self, k):
        """How many items the first k ranks hold."""
        return self.retrieved if k is None else min(k, self.retrieved)

    def exposures(self, k, discount=lambda rank: 1.0):
        """By item, the mean discount at its rank, 0 beyond rank k.

        Without a discount these are the chances to be within rank k.
        """
        sums = collections.Counter()
        for order in self.orders:
            for rank, item in enumerate(order[:k], start=1):
                sums[item] += discount(rank)
        return {item: x / len(self.orders) for item, x in sums.items()}


def by_score(scores, there):
    """Groups of items that have the same score, best first."""
    groups = {}
    for item, score in enumerate(scores):
        if there[item] and score != -math.inf:
            groups.setdefault(float(score), []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


# Of many lists.


def times_shown(lists, k, items):
    counts = [0.0] * items
    for each in lists:
        for item, chance in each.exposures(k).items():
            counts[item] += each.weight * chance
    return counts


def coverage(lists, k, items):
    absent = [1.0] * items
    for each in lists:
        for item, chance in each.exposures(k).items():
            absent[item] *= 1.0 - chance
    return sum(1.0 - x for x in absent) / items


def gini(lists, k, items):
    """By the mean difference of all pairs, which is another way."""
    counts = times_shown(lists, k, items)
    differences = sum(abs(a - b) for a in counts for b in counts)
    return differences / (2.0 * items * sum(counts))


def entropy(lists, k, items):
    counts = times_shown(lists, k, items)
    shares = [count / sum(counts) for count in counts if count]
    return -sum(share * math.log(share) for share in shares)


def personalization(lists, k, items):
    overlaps, weights = [], []
    known = [(x.weight, x.exposures(k), x.shown(k)) for x in lists]
    for one, other in itertools.combinations(known, 2):
        shared = sum(p * other[1].get(item, 0) for item, p in one[1].items())
        weights.append(one[0] * other[0])
        overlaps.append(weights[-1] * shared / math.sqrt(one[2] * other[2]))
    return 1.0 - math.fsum(overlaps) / math.fsum(weights)


# Of one list, which shows an item.


def mean_of(table):
    """The mean of a table over the items that are shown."""

    def value(of, k):
        return of.mean(
            lambda order: sum(table[i] for i in order[:k]) / of.shown(k)
        )

    return value


def popularity_lift(popularity):
    def value(of, k):
        profile = sum(popularity[i] for i in of.relevant) / len(of.relevant)
        return mean_of(popularity)(of, k) / profile - 1.0

    return value


def serendipity(popularity):
    n = len(popularity)
    counts = sorted(set(popularity), reverse=True)
    places = {count: place for place, count in enumerate(counts, start=1)}

    def worth(rank, item):
        likely = (n + 1 - places[popularity[item]]) / n
        if not popularity[item]:
            likely = 0.0
        return max((n + 1 - rank) / n - likely, 0.0)

    def value(of, k):
        return of.mean(
            lambda order: (
                sum(
                    worth(rank, item)
                    for rank, item in enumerate(order[:k], start=1)
                    if item in of.relevant
                )
                / of.shown(k)
            )
        )

    return value


def intra_list_diversity(vectors):
    def cosine(a, b):
        lengths = math.hypot(*a) * math.hypot(*b)
        return sum(map(math.prod, zip(a, b, strict=True))) / (lengths or 1.0)

    def of_order(items):
        pairs = list(itertools.combinations([vectors[i] for i in items], 2))
        return sum(1.0 - cosine(*pair) for pair in pairs) / len(pairs)

    return lambda of, k: of.mean(lambda order: of_order(order[:k]))


def attention_weighted_fairness(groups, target, discount=log2_discount):
    fair = [share / sum(target) for share in target]

    def divergence(p, q):
        return sum(a * math.log2(a / b) for a, b in zip(p, q, strict=True) if a)

    def value(of, k):
        exposures = of.exposures(k, discount).items()
        found = [
            sum(e * groups[item][group] for item, e in exposures)
            for group in range(len(target))
        ]
        if not sum(found):
            return 0.0
        found = [share / sum(found) for share in found]
        middle = [(a + b) / 2 for a, b in zip(found, fair, strict=True)]
        return 1 - (divergence(found, middle) + divergence(fair, middle)) / 2

    return value


def expected_exposure(part, discount=log2_discount):
    def value(of, k):
        others = [i for group in of.groups for i in group]
        others = [i for i in others if i not in of.relevant]
        best = dataclasses.replace(of, groups=[sorted(of.relevant), others])
        exposure, due = of.exposures(k, discount), best.exposures(k, discount)
        pairs = [
            (exposure.get(i, 0.0), due.get(i, 0.0))
            for i in [*of.relevant, *others]
        ]
        if part == "disparity":
            return sum(e**2 for e, _ in pairs)
        if part == "relevance":
            return sum(2.0 * e * ideal for e, ideal in pairs)
        return sum((e - ideal) ** 2 for e, ideal in pairs)

    return value
