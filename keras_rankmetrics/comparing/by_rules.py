"""Metrics by the rules that they read lists with: inputs are read once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from keras_rankmetrics.comparing.measured import Values
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric


class RuleSet(NamedTuple):
    """The metrics that read lists by the same rules.

    Attributes:
        rules: the rules.
        members: the metrics.
        places: their places among all metrics.
    """

    rules: Rules
    members: list[RankingMetric]
    places: list[int]

    @property
    def are_in_order(self) -> bool:
        """True if a metric reads tied items in an order."""
        return any(metric.ties == "stable" for metric in self.members)


class RulesBy(NamedTuple):
    """The rules of each metric.

    Attributes:
        usual: the rules of most metrics.
        of: returns the rules of a metric.
    """

    usual: Rules
    of: Callable[[RankingMetric], Rules]

    def sets(
        self, members: Sequence[RankingMetric], reading: Reading
    ) -> list[RuleSet]:
        """Return the metrics by their rules, those with the usual ones first.

        Args:
            members: the metrics.
            reading: what the user chose in place of rules.
        """
        places: dict[Rules, list[int]] = {}
        for place, member in enumerate(members):
            rules = reading.own(self.of(member))
            places.setdefault(rules, []).append(place)
        usual = reading.own(self.usual)
        ordered = sorted(places.items(), key=lambda x: x[0] != usual)
        return [
            RuleSet(rules, [members[place] for place in some], some)
            for rules, some in ordered
        ]


def in_order(sets: Sequence[RuleSet], found: Sequence[Values]) -> Values:
    """Return the values of all metrics in their order, with their decimals.

    Args:
        sets: the metrics by their rules.
        found: the values of each set.
    """
    for each, values in zip(sets, found, strict=True):
        values.values[:] = each.rules.rounded(values.values)
    if len(sets) == 1:
        return found[0]
    order = np.argsort(np.concatenate([each.places for each in sets]))
    columns = zip(*(values[:3] for values in found), strict=True)
    return found[0].with_arrays(np.concatenate(x)[order] for x in columns)


def in_words(usual: str, sets: Sequence[RuleSet]) -> str:
    """Return the rules as text, which names the metrics with other orders.

    Args:
        usual: the rules of the first set.
        sets: the metrics by their rules.
    """
    first, *others = sets
    texts = [usual]
    for rules, members, _ in others:
        own, known = ((x.ties, x.score_dtype) for x in (rules, first.rules))
        if own != known:
            names = (f"`{x.name}`".replace("|", "/") for x in members)
            texts.append(f"{', '.join(names)}:{rules.ties}")
    return "|".join(texts)
