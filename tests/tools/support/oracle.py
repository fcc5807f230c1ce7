"""The referee: every metric in plain Python, one list at a time.

Nothing here is fast or shared with the package: loops, float64, and
definitions written out with 1-based ranks. A list is given as `labels`,
`scores`, an optional `mask` and optional `weights` (one number for the list,
or one per item). `value` and `weight` speak of one list, `result` of many,
and `enumerated` averages over all orders of tied items by brute force.

What is exact about `ties="average"`:

- DCG, hits and all that divides them by something that no tie can change are
  sums over ranks, so by linearity each rank may hold the *mean* of its tie
  group (`mean_row`).
- Average precision, reciprocal rank and hit rate are not; each has a function
  of its own (`expected_...`) that counts the orders of a tie group.
"""

import bisect
import itertools
import math
import numbers
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

UNJUDGED = -2  # the label of an item that nobody has judged


class Item(NamedTuple):
    """A valid item."""

    label: float
    score: float
    weight: float


Quantity = Callable[[Item], float]
# What each rank holds of a quantity, best rank first: `row(f)[i - 1]`.
Row = Callable[[Quantity], list[float]]


# Options


def exponential_gain(label: float) -> float:
    return 2.0**label - 1.0


def log2_discount(rank: int) -> float:
    return 1.0 / math.log2(rank + 1)


_GAINS = {"gain_fn": exponential_gain, "rank_discount_fn": log2_discount}
_BINARY = {"relevance_threshold": 1.0}

DEFAULTS: dict[str, dict[str, Any]] = {
    "dcg": {**_GAINS},
    "ndcg": {**_GAINS, "ideal": "relevant"},
    "precision": {**_BINARY, "denominator": "retrieved"},
    "recall": {**_BINARY, "denominator": "relevant"},
    "f1": {**_BINARY, "denominator": "retrieved"},
    "hit_rate": {**_BINARY},
    "map": {**_BINARY, "denominator": "relevant"},
    # `least` is of the mean over lists.
    "gmap": {**_BINARY, "denominator": "relevant", "least": 1e-5},
    "count": {**_BINARY, "of": "lists"},
    "mrr": {**_BINARY},
    "r_precision": {**_BINARY},
    "all_hit": {**_BINARY},
    "reciprocal_rank_of_all": {**_BINARY, "denominator": "relevant"},
    "map_at_r": {**_BINARY},
    "bedroc": {**_BINARY, "alpha": 20.0},
    "ef": {**_BINARY, "fraction": 0.01},
    "f_beta": {**_BINARY, "beta": 1.0, "denominator": "retrieved"},
    "fall_out": {**_BINARY},
    "auc": {**_BINARY},
    "amri": {**_BINARY},
    "mean_rank": {**_BINARY},
    "arp": {"gain_fn": lambda label: label},
    "rbp": {**_BINARY, "p": 0.8},
    "graded_rbp": {"p": 0.8},
    "err": {"max_grade": 4.0, "normalized": False},
    # `highest` is not an option of the package: the label of probability 1.
    "pfound": {"decay": 0.85, "highest": 1.0},
    "bpref": {**_BINARY, "unjudged": "condense"},
    "judged": {},
    "rbp_residual": {"p": 0.8, "tail": "always"},
    "unjudged": {"denominator": "retrieved"},
    "q_measure": {"beta": 1.0, "gain_fn": lambda label: label},
    "opa": {},
    "iprec": {**_BINARY, "recall": 0.5, "rounding": "up"},
    "11pt": {**_BINARY, "rounding": "up"},
    "gap": {"probabilities": (0.25, 0.25, 0.25, 0.25)},
}

STRICT = ("iprec", "11pt")
UNBOUNDED = (
    "count",
    "dcg",
    "ef",
    "fall_out",
    "mean_rank",
    "arp",
    "rbp_residual",
    "unjudged",
)

for options in DEFAULTS.values():
    options["adjusted"] = None
    options.setdefault("unjudged", "irrelevant")

CHOICES = {
    ("ndcg", "ideal"): ("relevant", "retrieved", "uncut", "shown"),
    ("precision", "denominator"): ("retrieved", "k"),
    ("recall", "denominator"): ("relevant", "min"),
    ("f1", "denominator"): ("retrieved", "k"),
    ("map", "denominator"): ("relevant", "min", "hits"),
    ("gmap", "denominator"): ("relevant", "min", "hits"),
    ("reciprocal_rank_of_all", "denominator"): ("relevant", "hits"),
    ("count", "of"): ("lists", "retrieved", "relevant", "hits"),
}


def complete(metric: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of `metric`, with defaults for those not given."""
    if metric not in DEFAULTS:
        raise ValueError(
            f"There should be an oracle for {metric!r}. Received: none. Write "
            "its measure in `oracle.py`, with its options in `DEFAULTS`."
        )
    unknown = set(options) - set(DEFAULTS[metric])
    if unknown:
        raise TypeError(f"{metric} has no option {sorted(unknown)}")
    for name, choice in options.items():
        allowed = CHOICES.get((metric, name), (choice,))
        if choice not in allowed:
            raise ValueError(f"{metric}: {name}={choice!r} not in {allowed}")
    return {**DEFAULTS[metric], **options}


def check_k(k: int | None, options: dict[str, Any]) -> None:
    if k is not None and k < 1:
        raise ValueError(f"k={k} is not a rank")
    if k is None and options.get("denominator") == "k":
        raise ValueError('denominator="k" needs a k')


def check_empty(metric: str, empty: str) -> None:
    if empty not in ("zero", "one", "skip"):
        raise ValueError(f"empty={empty!r}")
    if metric in UNBOUNDED and empty == "one":
        raise ValueError(f'{metric}: 1 is not the best, empty="one" no value')


# Lists


def valid_items(
    labels: Sequence[float],
    scores: Sequence[float],
    mask: Sequence[bool] | None,
    weights: float | Sequence[float] | None,
    unjudged: str = "irrelevant",
) -> list[Item]:
    """The items that nothing removes, in input order.

    To condense a list removes its unjudged items; if there are no others, they
    stay and are not retrieved.
    """
    assert unjudged in ("irrelevant", "condense")
    n = len(labels)
    if mask is None:
        mask = [True] * n
    if weights is None:
        weights = 1.0
    if isinstance(weights, numbers.Real):
        weights = [weights] * n
    assert len(scores) == len(mask) == len(weights) == n
    items = []
    for label, score, kept, weight in zip(
        labels, scores, mask, weights, strict=True
    ):
        there = label == UNJUDGED or not label < 0  # NaN is neither
        if not kept or not there or weight <= 0:
            continue
        items.append(Item(float(label), float(score), float(weight)))
    if unjudged == "irrelevant":
        return items
    judged = [item for item in items if item.label != UNJUDGED]
    return judged or [item._replace(score=-math.inf) for item in items]


def holds_nan(items: list[Item]) -> bool:
    return any(math.isnan(number) for item in items for number in item)


def retrieved(items: list[Item]) -> list[Item]:
    return [item for item in items if item.score != -math.inf]


def relevance(metric: str, options: dict[str, Any]) -> Quantity:
    """What the metric sees in a label: its gain, or whether it is relevant."""
    if "max_grade" in options:
        most = 2.0 ** options["max_grade"]
        return lambda item: worth(exponential_gain, item) / most
    if "highest" in options:
        return lambda item: probability(item, options["highest"])
    if "probabilities" in options:
        return lambda item: up_to_grade(item.label, options["probabilities"])
    if metric in ("opa", "graded_rbp"):
        return grade
    if "gain_fn" in options:
        return lambda item: worth(options["gain_fn"], item)
    if "relevance_threshold" not in options:
        return lambda item: float(item.label != UNJUDGED)
    return lambda item: float(item.label >= options["relevance_threshold"])


def worth(gain_fn: Callable, item: Item) -> float:
    """The gain of an item, which is none if nobody has judged it."""
    return 0.0 if item.label == UNJUDGED else float(gain_fn(item.label))


def grade(item: Item) -> float:
    """The label, 0 if nobody has judged the item."""
    return max(item.label, 0.0)


def probability(item: Item, highest: float) -> float:
    """The label as a share of the highest one; NaN if it is above that."""
    return grade(item) / highest if grade(item) <= highest else math.nan


def up_to_grade(label: float, probabilities: Sequence[float]) -> float:
    """The sum of the probabilities of the grades 1, 2, ... up to the label."""
    return math.fsum(probabilities[: max(math.floor(label), 0)])


def relevant_items(items: list[Item], threshold: float) -> list[Item]:
    return [item for item in items if item.label >= threshold]


def other_items(items: list[Item], threshold: float) -> list[Item]:
    """The retrieved items that are not relevant."""
    return [item for item in retrieved(items) if item.label < threshold]


def has_value(metric: str, items: list[Item], options: dict[str, Any]) -> bool:
    """Whether there is what the metric measures; else the list is empty."""
    r = relevance(metric, options)
    if metric in ("count", "rbp_residual", "unjudged"):
        return True
    has_gain = math.fsum(r(item) for item in items) != 0
    if metric == "opa":
        return pairs(items) > 0
    if metric not in ("fall_out", "auc", "amri", "bedroc"):
        return has_gain
    others = other_items(items, options["relevance_threshold"])
    return bool(others) and (has_gain or metric == "fall_out")


def pairs(items: list[Item]) -> int:
    """Of which one has a higher label, and the other one is retrieved."""
    labels = sorted(map(grade, items))
    return sum(higher(labels, item) for item in retrieved(items))


def higher(labels: list[float], item: Item) -> int:
    """How many of the sorted labels are higher than that of the item."""
    return len(labels) - bisect.bisect_right(labels, grade(item))


def relevance_weight(items: list[Item], r: Quantity) -> float:
    """The mean weight of the items, each as often as it is relevant."""
    weighted = math.fsum(item.weight * r(item) for item in items)
    return weighted / math.fsum(r(item) for item in items)


def ratio(numerator: float, denominator: float) -> float:
    """A fraction in which 0 / 0 is 0."""
    return numerator / denominator if denominator else 0.0


def mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


# Orders


def tie_groups(items: list[Item]) -> list[list[Item]]:
    """The retrieved items by score, best first, equal scores together."""
    by_score: dict[float, list[Item]] = {}
    for item in retrieved(items):
        by_score.setdefault(item.score, []).append(item)  # 0.0 == -0.0
    return [by_score[score] for score in sorted(by_score, reverse=True)]


def one_order(items: list[Item], ties: str) -> list[Item]:
    """The retrieved items, best first, tied ones as the policy says."""
    within = {
        "stable": lambda group: group,
        "pessimistic": lambda group: sorted(group, key=lambda x: x.label),
        "optimistic": lambda group: sorted(group, key=lambda x: -x.label),
    }
    if ties not in within:
        raise ValueError(f"ties={ties!r}")
    groups = [within[ties](group) for group in tie_groups(items)]
    return list(itertools.chain(*groups))


def all_orders(items: list[Item]) -> Iterator[list[Item]]:
    """Every order of the retrieved items that the scores allow."""
    shuffles = [itertools.permutations(group) for group in tie_groups(items)]
    for groups in itertools.product(*shuffles):
        yield list(itertools.chain(*groups))


def order_row(order: list[Item]) -> Row:
    """Each rank holds one item."""
    return lambda f: [f(item) for item in order]


def mean_row(items: list[Item]) -> Row:
    """Each rank holds each item of its tie group equally often."""

    def row(f: Quantity) -> list[float]:
        ranks = []
        for group in tie_groups(items):
            ranks += [mean([f(item) for item in group])] * len(group)
        return ranks

    return row


# Measures that are sums over ranks: `row` is an order, or the mean of many


def discounted_sum(
    gains: list[float], k: int | None, rank_discount_fn: Callable
) -> float:
    return math.fsum(
        gain * rank_discount_fn(rank)
        for rank, gain in enumerate(gains[:k], start=1)
    )


def dcg(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    gain_fn: Callable,
    rank_discount_fn: Callable,
) -> float:
    """The discounted sum of w * gain, over the weight of the list."""
    gains = row(lambda item: item.weight * worth(gain_fn, item))
    weight = relevance_weight(items, lambda item: worth(gain_fn, item))
    return discounted_sum(gains, k, rank_discount_fn) / weight


def ndcg(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    gain_fn: Callable,
    rank_discount_fn: Callable,
    ideal: str,
) -> float:
    """The discounted sum of w * gain, over that of the best order."""

    def weighted_gain(item: Item) -> float:
        return item.weight * worth(gain_fn, item)

    gains = row(weighted_gain)
    of_all = sorted(map(weighted_gain, items), reverse=True)
    best = {
        "relevant": of_all[:k],
        "retrieved": sorted(gains[:k], reverse=True),
        "uncut": of_all,
        "shown": of_all[: len(gains[:k])],
    }[ideal]
    return ratio(
        discounted_sum(gains, k, rank_discount_fn),
        discounted_sum(best, None, rank_discount_fn),
    )


def hits(row: Row, k: int | None, threshold: float) -> float:
    """The number of relevant items at the first k ranks."""
    return math.fsum(row(lambda item: float(item.label >= threshold))[:k])


def precision_denominator(
    items: list[Item], k: int | None, denominator: str
) -> int:
    if denominator == "k":
        return k
    n = len(retrieved(items))
    return n if k is None else min(k, n)


def precision(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    """The share of the first k ranks that is relevant."""
    return ratio(
        hits(row, k, relevance_threshold),
        precision_denominator(items, k, denominator),
    )


def recall(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    """The share of the relevant items that the first k ranks hold."""
    total = len(relevant_items(items, relevance_threshold))
    if denominator == "min" and k is not None:
        total = min(k, total)
    return hits(row, k, relevance_threshold) / total


def f1(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    """The harmonic mean of precision and recall: 2 hits / (dP + R)."""
    total = len(relevant_items(items, relevance_threshold))
    both = precision_denominator(items, k, denominator) + total
    return 2.0 * hits(row, k, relevance_threshold) / both


def r_precision(
    row: Row, items: list[Item], k: None, *, relevance_threshold: float
) -> float:
    """The precision at as many ranks as there are relevant items."""
    total = len(relevant_items(items, relevance_threshold))
    return hits(row, total, relevance_threshold) / total


def all_of_list(items: list[Item], threshold: float) -> int:
    """How many items are retrieved or relevant."""
    return sum(x.score > -math.inf or x.label >= threshold for x in items)


def bedroc(
    row: Row,
    items: list[Item],
    k: None,
    *,
    relevance_threshold: float,
    alpha: float,
) -> float:
    """Exponential weights of ranks, from the worst order to the best."""
    n = all_of_list(items, relevance_threshold)
    relevant = len(relevant_items(items, relevance_threshold))
    weights = [math.exp(-alpha * rank / n) for rank in range(1, n + 1)]
    hits = row(lambda item: float(item.label >= relevance_threshold))
    found = math.fsum(h * w for h, w in zip(hits, weights, strict=False))
    found += math.fsum(weights[len(hits) :])  # of what is not retrieved
    best = math.fsum(weights[:relevant])
    worst = math.fsum(weights[n - relevant :])
    return (found - worst) / (best - worst)


def enrichment_factor(
    row: Row,
    items: list[Item],
    k: None,
    *,
    relevance_threshold: float,
    fraction: float,
) -> float:
    """The precision of the first share, over that of a random order."""
    n = all_of_list(items, relevance_threshold)
    first = math.ceil(Fraction(repr(fraction)) * n)
    relevant = len(relevant_items(items, relevance_threshold))
    return hits(row, first, relevance_threshold) / first / (relevant / n)


def f_beta(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    beta: float,
    denominator: str,
) -> float:
    """The weighted harmonic mean: (1 + b²) hits / (dP + b² R)."""
    total = len(relevant_items(items, relevance_threshold))
    both = precision_denominator(items, k, denominator) + beta**2 * total
    return (1 + beta**2) * hits(row, k, relevance_threshold) / both


def fall_out(
    row: Row, items: list[Item], k: int | None, *, relevance_threshold: float
) -> float:
    """The share of the others that the first k ranks hold."""
    others = row(lambda item: float(item.label < relevance_threshold))[:k]
    return math.fsum(others) / len(other_items(items, relevance_threshold))


def mean_rank(
    row: Row, items: list[Item], k: None, *, relevance_threshold: float
) -> float:
    """The mean rank of the relevant items; behind all if not retrieved."""
    return _average_position(
        row, items, lambda x: float(x.label >= relevance_threshold)
    )


def arp(row: Row, items: list[Item], k: None, *, gain_fn: Callable) -> float:
    """The mean rank, each item as often as it has gain."""
    return _average_position(row, items, lambda x: worth(gain_fn, x))


def _average_position(row: Row, items: list[Item], gain: Quantity) -> float:
    at_ranks = [rank * g for rank, g in enumerate(row(gain), start=1)]
    behind = len(retrieved(items)) + 1
    missed = [behind * gain(x) for x in items if x.score == -math.inf]
    return math.fsum(at_ranks + missed) / math.fsum(map(gain, items))


def rbp(
    row: Row,
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    p: float,
) -> float:
    """What a user finds who goes on to the next item with the chance p."""
    found = row(lambda item: float(item.label >= relevance_threshold))[:k]
    terms = [hit * p ** (rank - 1) for rank, hit in enumerate(found, start=1)]
    return (1 - p) * math.fsum(terms)


def graded_rbp(
    row: Row, items: list[Item], k: int | None, *, p: float
) -> float:
    """The same for users who are satisfied by a share of the best label."""
    by = max([1.0, *map(grade, items)])
    found = row(lambda item: grade(item) / by)[:k]
    terms = [part * p ** (rank - 1) for rank, part in enumerate(found, start=1)]
    return (1 - p) * math.fsum(terms)


def judged(row: Row, items: list[Item], k: int | None) -> float:
    """The share of the first k ranks that somebody has judged."""
    found = row(lambda item: float(item.label != UNJUDGED))[:k]
    return mean(found) if found else 0.0


def rbp_residual(
    row: Row, items: list[Item], k: int | None, *, p: float, tail: str
) -> float:
    """What is left of 1 where all that could be relevant is."""
    found = row(lambda item: float(item.label != UNJUDGED))[:k]
    if tail == "if_unjudged" and all(hit == 1 for hit in found):
        return 0.0
    terms = [hit * p ** (rank - 1) for rank, hit in enumerate(found, start=1)]
    return 1 - (1 - p) * math.fsum(terms)


def unjudged(
    row: Row, items: list[Item], k: int | None, *, denominator: str
) -> float:
    """The share of the first k ranks that nobody has judged."""
    found = row(lambda item: float(item.label == UNJUDGED))[:k]
    by = len(found) if denominator == "retrieved" or k is None else k
    return math.fsum(found) / by if by else 0.0


def count(
    row: Row, items: list[Item], k: None, *, relevance_threshold: float, of: str
) -> float:
    """1, or the number of items of a kind."""
    return {
        "lists": 1.0,
        "retrieved": float(len(retrieved(items))),
        "relevant": float(len(relevant_items(items, relevance_threshold))),
        "hits": hits(row, None, relevance_threshold),
    }[of]


SUMS = {
    "count": count,
    "judged": judged,
    "unjudged": unjudged,
    "rbp_residual": rbp_residual,
    "r_precision": r_precision,
    "bedroc": bedroc,
    "ef": enrichment_factor,
    "f_beta": f_beta,
    "fall_out": fall_out,
    "mean_rank": mean_rank,
    "arp": arp,
    "rbp": rbp,
    "graded_rbp": graded_rbp,
    "dcg": dcg,
    "ndcg": ndcg,
    "precision": precision,
    "recall": recall,
    "f1": f1,
}


# The other measures, of one order


def hit_rate(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
) -> float:
    """1 if any of the first k ranks is relevant."""
    return float(any(x.label >= relevance_threshold for x in order[:k]))


def all_hit(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
) -> float:
    """1 if the first k ranks hold all relevant items."""
    found = len(relevant_items(order[:k], relevance_threshold))
    return float(found == len(relevant_items(items, relevance_threshold)))


def reciprocal_rank_of_all(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    """The mean of 1 / rank over the relevant items, or over those up to k."""
    ranks = [
        rank
        for rank, item in enumerate(order[:k], start=1)
        if item.label >= relevance_threshold
    ]
    relevant = len(relevant_items(items, relevance_threshold))
    divisor = relevant if denominator == "relevant" else len(ranks)
    return ratio(math.fsum(1 / rank for rank in ranks), divisor)


def map_at_r(
    order: list[Item], items: list[Item], k: None, *, relevance_threshold: float
) -> float:
    """Average precision at as many ranks as there are relevant items."""
    return average_precision(
        [item._replace(weight=1.0) for item in order],
        [item._replace(weight=1.0) for item in items],
        len(relevant_items(items, relevance_threshold)),
        relevance_threshold=relevance_threshold,
        denominator="relevant",
    )


def mrr(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
) -> float:
    """1 / the first relevant rank; 0 if it is beyond k."""
    for rank, item in enumerate(order[:k], start=1):
        if item.label >= relevance_threshold:
            return 1.0 / rank
    return 0.0


def average_precision(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    """The sum of w * precision over the relevant ranks, normalised."""
    found = 0
    terms = []
    for rank, item in enumerate(order[:k], start=1):
        if item.label >= relevance_threshold:
            found += 1
            terms.append(item.weight * found / rank)
    relevant = relevant_items(items, relevance_threshold)
    divisor = {
        "relevant": len(relevant),
        "min": len(relevant) if k is None else min(k, len(relevant)),
        "hits": found,
    }[denominator]
    weight = mean([item.weight for item in relevant])
    return ratio(math.fsum(terms), divisor * weight)


def gmap(
    order: list[Item], items: list[Item], k: int | None, *, least: float, **o
) -> float:
    """The average precision; `result` has the geometric mean."""
    return average_precision(order, items, k, **o)


def auc(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
) -> float:
    """The share of pairs in the right order, with the first k others."""
    total = len(relevant_items(items, relevance_threshold))
    most = len(other_items(items, relevance_threshold))
    most = most if k is None else min(k, most)
    others = 0
    above = []
    for item in order:
        if item.label >= relevance_threshold:
            above.append(min(others, most))
        else:
            others += 1
    wrong = sum(above) + (total - len(above)) * most
    return 1 - wrong / (total * most)


def amri(order: list[Item], items: list[Item], k: None, **options) -> float:
    """1 - (mean rank - 1) / (that of chance - 1), each among the others."""
    others = len(other_items(items, **_threshold(options)))
    wrong = (1 - auc(order, items, None, **options)) * others
    return 1 - wrong / (others / 2)


def _threshold(options: dict[str, Any]) -> dict[str, float]:
    return {"threshold": options["relevance_threshold"]}


def err(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    max_grade: float,
    normalized: bool,
) -> float:
    """1 / the rank at which a user stops, maybe over that of the best."""
    r = relevance("err", {"max_grade": max_grade})
    value = _where_stopped([r(item) for item in order[:k]])
    if not normalized:
        return value
    return value / _where_stopped(sorted(map(r, items), reverse=True)[:k])


def reciprocal(rank: int) -> float:
    return 1 / rank


def _where_stopped(
    stops: list[float], value: Callable[[int], float] = reciprocal
) -> float:
    terms, still = [], 1.0
    for rank, stop in enumerate(stops, start=1):
        terms.append(still * stop * value(rank))
        still *= 1 - stop
    return math.fsum(terms)


def pfound(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    decay: float,
    highest: float,
) -> float:
    """The probability that users who go on with that of `decay` find one."""
    stops = [probability(item, highest) for item in order[:k]]
    return _where_stopped(stops, lambda rank: decay ** (rank - 1))


def bpref(
    order: list[Item], items: list[Item], k: None, *, relevance_threshold: float
) -> float:
    """How few others stand above each relevant item; 0 if not retrieved."""
    relevant = len(relevant_items(items, relevance_threshold))
    others = len(items) - relevant
    above, terms = 0, []
    for item in order:
        if item.label < relevance_threshold:
            above += 1
        elif above:
            most = min(relevant, others)
            terms.append(1 - min(above, relevant) / most)
        else:
            terms.append(1.0)
    return math.fsum(terms) / relevant


def q_measure(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    beta: float,
    gain_fn: Callable,
) -> float:
    """The mean of (hits + b gains) / (rank + b best gains) at the hits."""
    best = best_so_far(items, gain_fn)
    hits, so_far, terms = 0, 0.0, []
    for rank, item in enumerate(order[:k], start=1):
        gain = worth(gain_fn, item)
        so_far += gain
        if gain > 0:
            hits += 1
            terms.append((hits + beta * so_far) / (rank + beta * best(rank)))
    return math.fsum(terms) / sum(worth(gain_fn, item) > 0 for item in items)


def best_so_far(items: list[Item], gain_fn: Callable) -> Callable[[int], float]:
    """The gains at the ranks 1 to i of the best order of all items."""
    gains = sorted((worth(gain_fn, item) for item in items), reverse=True)
    return lambda rank: math.fsum(gains[:rank])


def iprec(
    order: list[Item],
    items: list[Item],
    k: None,
    *,
    relevance_threshold: float,
    recall: float,
    rounding: str,
) -> float:
    """The best precision at a rank with at least that recall."""
    total = len(relevant_items(items, relevance_threshold))
    enough = hits_for(recall, total, rounding)
    found, best = 0, 0.0
    for rank, item in enumerate(order, start=1):
        found += item.label >= relevance_threshold
        if found >= enough:
            best = max(best, found / rank)
    return best


def hits_for(recall: float, relevant: int, rounding: str) -> int:
    """The hits that a recall takes; a float stands for what it prints as."""
    if rounding == "up":
        return math.ceil(Fraction(repr(recall)) * relevant)
    product = recall * relevant
    if rounding == "nearest":
        return math.floor(Fraction(product) + Fraction(1, 2))
    assert rounding == "trec_eval_9"
    return int(product + 0.9)


def eleven_points(order: list[Item], items: list[Item], k: None, **o) -> float:
    """The mean over the recalls 0, 0.1, ... 1."""
    return mean([iprec(order, items, k, recall=i / 10, **o) for i in range(11)])


def gap(
    order: list[Item],
    items: list[Item],
    k: int | None,
    *,
    probabilities: Sequence[float],
) -> float:
    """Each pair by the lower of its labels, over the rank of the lower item."""
    terms = [
        up_to_grade(min(item.label, other.label), probabilities) / rank
        for rank, item in enumerate(order[:k], start=1)
        for other in order[:rank]
    ]
    everything = [up_to_grade(item.label, probabilities) for item in items]
    return math.fsum(terms) / math.fsum(everything)


def opa(order: list[Item], items: list[Item], k: None) -> float:
    """The share of the pairs that are in the right order."""
    above: list[float] = []
    right = 0
    for item in order:
        right += higher(above, item)
        bisect.insort(above, grade(item))
    return right / pairs(items)


OF_ORDER = {
    "bpref": bpref,
    "opa": opa,
    "iprec": iprec,
    "11pt": eleven_points,
    "gap": gap,
    "q_measure": q_measure,
    "err": err,
    "pfound": pfound,
    "hit_rate": hit_rate,
    "all_hit": all_hit,
    "reciprocal_rank_of_all": reciprocal_rank_of_all,
    "map_at_r": map_at_r,
    "map": average_precision,
    "gmap": gmap,
    "mrr": mrr,
    "auc": auc,
    "amri": amri,
}


# The same, expected over all orders of tied items


def first_relevant_rank(
    items: list[Item], k: int | None, threshold: float
) -> Iterator[tuple[int, float]]:
    """Each rank up to k, with the chance that it is the first relevant one.

    It lies in the first tie group that holds a relevant item. Of the
    comb(m, r) ways to place r relevant items among m, those whose first
    place is j put the other r - 1 into the m - j places below it.
    """
    above = 0
    for group in tie_groups(items):
        m, r = len(group), len(relevant_items(group, threshold))
        if r > 0:
            ways = math.comb(m, r)
            for place in range(1, m + 1):
                if k is None or above + place <= k:
                    yield above + place, math.comb(m - place, r - 1) / ways
            return
        above += m


def expected_hit_rate(
    items: list[Item], k: int | None, *, relevance_threshold: float
) -> float:
    ranks = first_relevant_rank(items, k, relevance_threshold)
    return math.fsum(chance for _, chance in ranks)


def expected_all_hit(
    items: list[Item], k: int | None, *, relevance_threshold: float
) -> float:
    """Of the group that k splits, the first places hold all relevant items."""
    left = len(relevant_items(items, relevance_threshold))
    above, chance = 0, 1.0
    for group in tie_groups(items):
        m, r = len(group), len(relevant_items(group, relevance_threshold))
        seen = m if k is None else max(0, min(m, k - above))
        chance *= math.comb(seen, r) / math.comb(m, r)
        above, left = above + m, left - r
    return chance * (left == 0)


def expected_reciprocal_rank_of_all(
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    """Each place of a tie group is relevant with the same probability.

    Of the group that k splits, h of the first places are, in comb(seen, h) *
    comb(m - seen, r - h) of comb(m, r) ways.
    """
    relevant = len(relevant_items(items, relevance_threshold))
    above = found = 0
    total = 0.0
    for group in tie_groups(items):
        m, r = len(group), len(relevant_items(group, relevance_threshold))
        seen = m if k is None else max(0, min(m, k - above))
        places = math.fsum(1 / (above + i) for i in range(1, seen + 1))
        if denominator == "hits" and 0 < seen < m:
            return math.fsum(
                math.comb(seen, h)
                * math.comb(m - seen, r - h)
                / math.comb(m, r)
                * ratio(total + h * places / seen, found + h)
                for h in range(min(r, seen) + 1)
            )
        total += places * r / m
        found += r * (seen > 0)
        above += m
    return ratio(total, relevant if denominator == "relevant" else found)


def expected_map_at_r(
    items: list[Item], k: None, *, relevance_threshold: float
) -> float:
    return expected_average_precision(
        [item._replace(weight=1.0) for item in items],
        len(relevant_items(items, relevance_threshold)),
        relevance_threshold=relevance_threshold,
        denominator="relevant",
    )


def expected_mrr(
    items: list[Item], k: int | None, *, relevance_threshold: float
) -> float:
    ranks = first_relevant_rank(items, k, relevance_threshold)
    return math.fsum(chance / rank for rank, chance in ranks)


def expected_precisions(
    above: int, found: int, m: int, r: int, seen: int
) -> float:
    """The expected sum of precisions at the relevant ranks of a tie group.

    `above` items, `found` of them relevant, stand above the group; r of its
    m items are relevant; only its first `seen` places count. Each place is
    relevant with chance r / m; if it is, each place of the group above it is
    one of the r - 1 others with chance (r - 1) / (m - 1).
    """
    terms = []
    for place in range(1, seen + 1):
        others = (place - 1) * (r - 1) / (m - 1) if m > 1 else 0.0
        terms.append(r / m * (found + 1 + others) / (above + place))
    return math.fsum(terms)


def expected_average_precision(
    items: list[Item],
    k: int | None,
    *,
    relevance_threshold: float,
    denominator: str,
) -> float:
    relevant = relevant_items(items, relevance_threshold)
    weight = mean([item.weight for item in relevant])
    above = found = 0
    terms = []
    for group in tie_groups(items):
        hit = relevant_items(group, relevance_threshold)
        m, r = len(group), len(hit)
        seen = m if k is None else max(0, min(m, k - above))
        if r > 0 and seen > 0:
            w = mean([item.weight for item in hit])
            if denominator == "hits" and seen < m:
                return _expected_over_hits(
                    math.fsum(terms), w, above, found, m, r, seen, weight
                )
            terms.append(w * expected_precisions(above, found, m, r, seen))
            found += r
        above += m
    divisor = {
        "relevant": len(relevant),
        "min": len(relevant) if k is None else min(k, len(relevant)),
        "hits": found,
    }[denominator]
    return ratio(math.fsum(terms), divisor * weight)


def expected_gmap(
    items: list[Item], k: int | None, *, least: float, **options
) -> float:
    return expected_average_precision(items, k, **options)


def _expected_over_hits(
    so_far: float,
    w: float,
    above: int,
    found: int,
    m: int,
    r: int,
    seen: int,
    weight: float,
) -> float:
    """The expected sum / hits where the cutoff splits a tie group.

    Of the ways to choose the group's first `seen` items, comb(r, h) *
    comb(m - r, seen - h) hold h relevant ones; given h, these places are a
    tie group of their own, all of it seen.
    """
    ways = math.comb(m, seen)
    terms = []
    for h in range(min(r, seen) + 1):
        chance = math.comb(r, h) * math.comb(m - r, seen - h) / ways
        if chance > 0.0:
            inside = expected_precisions(above, found, seen, h, seen)
            total = so_far + w * inside
            terms.append(chance * ratio(total, (found + h) * weight))
    return math.fsum(terms)


def expected_auc(
    items: list[Item], k: int | None, *, relevance_threshold: float
) -> float:
    """A relevant item is at any place among the others of its tie group."""
    relevant = relevant_items(items, relevance_threshold)
    others = other_items(items, relevance_threshold)
    most = len(others) if k is None else min(k, len(others))
    wrong = []
    for item in relevant:
        if item.score == -math.inf:
            wrong.append(most)
            continue
        above = sum(x.score > item.score for x in others)
        tied = sum(x.score == item.score for x in others)
        wrong.append(mean([min(above + u, most) for u in range(tied + 1)]))
    return 1 - math.fsum(wrong) / (len(relevant) * most)


def expected_amri(items: list[Item], k: None, **options) -> float:
    return 2 * expected_auc(items, None, **options) - 1


def expected_err(
    items: list[Item],
    k: int | None,
    *,
    max_grade: float,
    normalized: bool,
) -> float:
    r = relevance("err", {"max_grade": max_grade})
    value = _expected_where_stopped(items, k, r, reciprocal)
    if not normalized:
        return value
    return value / _where_stopped(sorted(map(r, items), reverse=True)[:k])


def expected_pfound(
    items: list[Item], k: int | None, *, decay: float, highest: float
) -> float:
    return _expected_where_stopped(
        items,
        k,
        lambda item: probability(item, highest),
        lambda rank: decay ** (rank - 1),
    )


def _expected_where_stopped(
    items: list[Item],
    k: int | None,
    r: Quantity,
    value: Callable[[int], float],
) -> float:
    """Of a tie group, the first s items are any of its subsets of that size.

    The chance to pass them is the mean product of their 1 - r.
    """
    terms, above, still = [], 0, 1.0
    for group in tie_groups(items):
        most = len(group) if k is None else max(0, min(len(group), k - above))
        # passed[s] of the first c items, s of them: that the last one is
        # among these has the chance s / c.
        passed = [1.0] + [0.0] * most
        for c, item in enumerate(group, start=1):
            for s in range(min(c, most), 0, -1):
                with_it = passed[s - 1] * (1 - r(item))
                passed[s] += s / c * (with_it - passed[s])
        for s in range(most):
            stopped = passed[s] - passed[s + 1]
            terms.append(still * stopped * value(above + s + 1))
        still *= math.prod(1 - r(item) for item in group)
        above += len(group)
    return math.fsum(terms)


def expected_bpref(
    items: list[Item], k: None, *, relevance_threshold: float
) -> float:
    """A relevant item is at any place among the others of its tie group."""
    relevant = relevant_items(items, relevance_threshold)
    others = other_items(items, relevance_threshold)
    most = min(len(relevant), len(items) - len(relevant))
    terms = []
    for item in relevant:
        if item.score == -math.inf:
            continue
        above = sum(x.score > item.score for x in others)
        tied = sum(x.score == item.score for x in others)
        lost = [min(above + u, len(relevant)) for u in range(tied + 1)]
        terms.append(1 - ratio(mean(lost), most))
    return math.fsum(terms) / len(relevant)


def expected_q_measure(
    items: list[Item],
    k: int | None,
    *,
    beta: float,
    gain_fn: Callable,
) -> float:
    """By the chance that places of a tie group hold items with a gain.

    One place holds one with the chance m / t, this and another place with
    m (m - 1) / (t (t - 1)); then either is any of the m items.
    """
    best = best_so_far(items, gain_fn)
    above, hits_above, gains_above, terms = 0, 0, 0.0, []
    for group in tie_groups(items):
        gains = [worth(gain_fn, item) for item in group]
        t, m, total = len(group), sum(g > 0 for g in gains), math.fsum(gains)
        here = m / t
        both = here * (m - 1) / (t - 1) if t > 1 else 0.0
        mean_gain = ratio(total, m)
        for place in range(1, t + 1):
            rank = above + place
            if k is not None and rank > k:
                break
            hits = here * (hits_above + 1) + both * (place - 1)
            so_far = here * (gains_above + mean_gain)
            so_far += both * (place - 1) * mean_gain
            terms.append((hits + beta * so_far) / (rank + beta * best(rank)))
        above, hits_above, gains_above = (
            above + t,
            hits_above + m,
            gains_above + total,
        )
    return math.fsum(terms) / sum(worth(gain_fn, item) > 0 for item in items)


def expected_gap(
    items: list[Item],
    k: int | None,
    *,
    probabilities: Sequence[float],
) -> float:
    """Average precisions of users who differ in what is relevant to them."""
    items = [item._replace(weight=1.0) for item in items]
    found, total = [], []
    for grade, probability in enumerate(probabilities, start=1):
        relevant = len(relevant_items(items, grade))
        total.append(probability * relevant)
        if relevant:
            of_user = expected_average_precision(
                items, k, relevance_threshold=grade, denominator="relevant"
            )
            found.append(probability * relevant * of_user)
    return math.fsum(found) / math.fsum(total)


def expected_opa(items: list[Item], k: None) -> float:
    """Half of the pairs that tie are in the right order."""
    above: list[float] = []
    right = 0.0
    for group in tie_groups(items):
        labels = sorted(map(grade, group))
        right += sum(higher(above, x) + higher(labels, x) / 2 for x in group)
        above = sorted([*above, *labels])
    return right / pairs(items)


EXPECTED = {
    "bpref": expected_bpref,
    "opa": expected_opa,
    "gap": expected_gap,
    "q_measure": expected_q_measure,
    "err": expected_err,
    "pfound": expected_pfound,
    "hit_rate": expected_hit_rate,
    "all_hit": expected_all_hit,
    "reciprocal_rank_of_all": expected_reciprocal_rank_of_all,
    "map_at_r": expected_map_at_r,
    "map": expected_average_precision,
    "gmap": expected_gmap,
    "mrr": expected_mrr,
    "auc": expected_auc,
    "amri": expected_amri,
}


# What the package answers


def _of_order(
    metric: str, order: list[Item], items: list[Item], k: int | None, options
) -> float:
    if metric in SUMS:
        return SUMS[metric](order_row(order), items, k, **options)
    return OF_ORDER[metric](order, items, k, **options)


def _average(
    metric: str, items: list[Item], k: int | None, options: dict[str, Any]
) -> float:
    if metric in SUMS:
        return SUMS[metric](mean_row(items), items, k, **options)
    return EXPECTED[metric](items, k, **options)


def _unranked(
    metric: str, items: list[Item], empty: str, options: dict[str, Any]
) -> float | None:
    """The value of a list whose order does not matter, else None."""
    if not items or holds_nan(items):
        return math.nan
    r = relevance(metric, options)
    if any(math.isnan(r(item)) for item in items):
        return math.nan
    if not has_value(metric, items, options):
        return {"zero": 0.0, "one": 1.0, "skip": math.nan}[empty]
    return None


def value(
    metric: str,
    labels: Sequence[float],
    scores: Sequence[float],
    *,
    k: int | None = None,
    mask: Sequence[bool] | None = None,
    weights: float | Sequence[float] | None = None,
    ties: str = "average",
    empty: str = "zero",
    **options: Any,
) -> float:
    """The metric of one list; NaN if it does not count or holds a NaN."""
    options = complete(metric, options)
    adjusted, unjudged = options.pop("adjusted"), options.pop("unjudged")
    check_k(k, options)
    check_empty(metric, empty)
    needs_order = options.get("ideal") == "retrieved" or metric in STRICT
    if ties == "average" and needs_order:
        raise ValueError(f"{metric} has no exact average over ties")
    if ties not in ("average", "stable", "pessimistic", "optimistic"):
        raise ValueError(f"ties={ties!r}")
    items = valid_items(labels, scores, mask, weights, unjudged)
    known = _unranked(metric, items, empty, options)
    if known is not None:
        return known
    if ties == "average":
        found = _average(metric, items, k, options)
    else:
        found = _of_order(metric, one_order(items, ties), items, k, options)
    return _beyond_chance(found, metric, items, k, options, adjusted)


def enumerated(
    metric: str,
    labels: Sequence[float],
    scores: Sequence[float],
    *,
    k: int | None = None,
    mask: Sequence[bool] | None = None,
    weights: float | Sequence[float] | None = None,
    empty: str = "zero",
    **options: Any,
) -> float:
    """The mean of the metric over all orders of tied items, one by one."""
    options = complete(metric, options)
    adjusted, unjudged = options.pop("adjusted"), options.pop("unjudged")
    check_k(k, options)
    check_empty(metric, empty)
    items = valid_items(labels, scores, mask, weights, unjudged)
    known = _unranked(metric, items, empty, options)
    if known is not None:
        return known

    def over_orders(items: list[Item]) -> float:
        orders = all_orders(items)
        return mean([_of_order(metric, o, items, k, options) for o in orders])

    found = over_orders(items)
    if adjusted is None:
        return found
    level = all_tied(items)
    if len(items) > _FEW:
        return _on_a_scale(found, _average(metric, level, k, options))
    return _on_a_scale(found, over_orders(level))


_FEW = 6  # items, all of whose orders are soon counted


def all_tied(items: list[Item]) -> list[Item]:
    """The same items, all that are retrieved with one score."""
    return [
        item if item.score == -math.inf else item._replace(score=0.0)
        for item in items
    ]


def _beyond_chance(
    found: float,
    metric: str,
    items: list[Item],
    k: int | None,
    options: dict[str, Any],
    adjusted: str | None,
) -> float:
    """(value - chance) / (1 - chance), if that is asked for."""
    if adjusted is None:
        return found
    return _on_a_scale(found, _average(metric, all_tied(items), k, options))


def _on_a_scale(found: float, chance: float) -> float:
    """0 where chance is as good as the best."""
    return (found - chance) / (1 - chance) if 1 - chance > 1e-4 else 0.0


def weight(
    metric: str,
    labels: Sequence[float],
    scores: Sequence[float],
    *,
    mask: Sequence[bool] | None = None,
    weights: float | Sequence[float] | None = None,
    list_weight: str | None = None,
    empty: str = "zero",
    **options: Any,
) -> float | None:
    """What one list weighs among others.

    0 if it does not count, NaN if it holds a NaN, and None if it takes the
    mean weight of the lists that have something relevant.
    """
    options = complete(metric, options)
    check_empty(metric, empty)
    if list_weight is None:
        list_weight = "mean" if metric == "count" else "relevance"
    if list_weight not in ("relevance", "mean"):
        raise ValueError(f"list_weight={list_weight!r}")
    items = valid_items(labels, scores, mask, weights, options["unjudged"])
    if not items:
        return 0.0
    if holds_nan(items):
        return math.nan
    r = relevance(metric, options)
    nothing_relevant = math.fsum(r(item) for item in items) == 0
    if empty == "skip" and not has_value(metric, items, options):
        return 0.0
    if list_weight == "mean":
        return mean([item.weight for item in items])
    return None if nothing_relevant else relevance_weight(items, r)


def result(
    metric: str,
    lists: Iterable[dict[str, Any] | tuple],
    *,
    k: int | None = None,
    ties: str = "average",
    empty: str = "zero",
    list_weight: str | None = None,
    **options: Any,
) -> float:
    """The weighted mean over the lists that count; 0 if none does.

    That of counts is a sum, and that of GMAP a geometric mean.

    A list is a dict of, or a tuple in this order: labels, scores, mask,
    weights (the last two may be missing).
    """
    names = ("labels", "scores", "mask", "weights")
    values, weights = [], []
    for one in lists:
        one = (
            one
            if isinstance(one, dict)
            else dict(zip(names, one, strict=False))
        )
        w = weight(
            metric, **one, list_weight=list_weight, empty=empty, **options
        )
        if w != 0.0:
            weights.append(w)
            values.append(
                value(metric, **one, k=k, ties=ties, empty=empty, **options)
            )
    known = [w for w in weights if w is not None]
    fallback = mean(known) if known else 1.0
    weights = [fallback if w is None else w for w in weights]
    if not weights:
        return 0.0
    if metric == "gmap":
        least = complete(metric, options)["least"]
        values = [math.log(least if v < least else v) for v in values]
    total = math.fsum(w * v for w, v in zip(weights, values, strict=True))
    if metric == "count":
        return total
    found = total / math.fsum(weights)
    return math.exp(found) if metric == "gmap" else found
