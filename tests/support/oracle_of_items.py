"""Which items lists show, in plain Python: by all orders of tied items.

It shares no code with the package, and is for lists of few items.
"""

import dataclasses
import itertools
import math


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

    def orders(self):
        """All orders of the items, each as likely as any other."""
        ways = [itertools.permutations(group) for group in self.groups]
        for order in itertools.product(*ways):
            yield [item for group in order for item in group]

    def mean(self, value):
        """The mean of `value(order)` over all orders."""
        values = [value(order) for order in self.orders()]
        return math.fsum(values) / len(values)

    def retrieved(self):
        return sum(map(len, self.groups))

    def shown(self, k):
        """How many items the first k ranks hold."""
        return self.retrieved() if k is None else min(k, self.retrieved())

    def chance(self, item, k):
        """That the item is within rank k."""
        return self.mean(lambda order: item in order[:k])

    def exposure(self, item, discount, k):
        """The mean discount at the rank of the item, 0 beyond rank k."""
        return self.mean(
            lambda order: sum(
                discount(rank)
                for rank, each in enumerate(order[:k], start=1)
                if each == item
            )
        )


def by_score(scores, there):
    """Groups of items that have the same score, best first."""
    groups = {}
    for item, score in enumerate(scores):
        if there[item] and score != -math.inf:
            groups.setdefault(float(score), []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


def log2_discount(rank):
    return 1 / math.log2(rank + 1)
