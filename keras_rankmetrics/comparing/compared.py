"""`Compared`: the result of `compare`, to print, save, load and plot."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from keras_rankmetrics.comparing.agreement import Agreement
from keras_rankmetrics.comparing.results import Results
from keras_rankmetrics.comparing.statistics import differences_of
from keras_rankmetrics.comparing.verdict import Verdict, chosen, verdict_of
from keras_rankmetrics.metrics.two_rankings import RankBiasedOverlap


class Compared(Results):
    """Systems on the same lists, compared to a baseline by some metrics.

    `compare` returns it. `print` shows it as a table. It is immutable: for
    another baseline, create `Compared(compared.measured, "another")`.

    Example:
        >>> import keras_rankmetrics as krm
        >>> labels, scores = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
        >>> compared = krm.compare(labels, {"ours": scores}, krm.NDCG(k=1))
        >>> compared.systems, compared.per_list()["ndcg@1"]
        (['ours'], [1.0, 0.0])
        >>> print(compared.to_csv().partition(",")[0])
        system
    """

    _agreement_by: Callable[[Any], Agreement] | None = None

    @property
    def baseline(self) -> str:
        """The name of the system to which the others are compared."""
        return self._baseline

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.measured.systems)

    @property
    def judged(self) -> dict[str, float | None]:
        """The share of judged items among the items that a system retrieves.

        None if items have no ids.
        """
        return self._judged

    def __repr__(self) -> str:
        return (
            f"<Compared: the systems {self.systems} by {list(self.signatures)} "
            f"on {len(self.measured.lists):,} lists>"
        )

    def join(self, other: Compared) -> Compared:
        """Return the systems of both, compared to the baseline of this one.

        Both must have the same metrics, lists and labels.

        Raises:
            ValueError: if signatures, lists or labels differ, or a system is in
                both.
        """
        if not isinstance(other, Compared):
            raise TypeError(
                f"`other` should be a result of `compare`. Received: {other!r}."
            )
        measured = self.measured.joined(other.measured)
        return type(self)(measured, self.baseline, self.confidence)

    def lists_needed(
        self,
        difference: float,
        *,
        level: float | None = None,
        power: float = 0.8,
    ) -> dict[str, dict[str, int | None]]:
        """Return how many lists like these detect a true difference.

        See `Difference.lists_needed`.

        Args:
            difference: the size of the true difference from the baseline, in
                units of the metrics, above 0.
            level: the level of the interval, which excludes 0 if the difference
                is detected; by default `confidence`.
            power: the probability to detect it.

        Returns:
            By metric and system the number of lists; None if all lists have the
            same difference.

        Raises:
            ValueError: if an argument is invalid.

        Example:
            >>> import keras_rankmetrics as krm
            >>> labels = [[1, 0], [0, 1], [1, 0]]
            >>> systems = {
            ...     "old": [[2, 1], [1, 2], [2, 1]],
            ...     "new": [[2, 1], [2, 1], [2, 1]],
            ... }
            >>> compared = krm.compare(labels, systems, krm.NDCG())
            >>> compared.lists_needed(0.05)
            {'ndcg': {'new': 145}}
        """
        level = self.confidence if level is None else level
        found: dict[str, dict[str, int | None]] = {}
        for place, metric in enumerate(self.signatures):
            _, ds, _ = differences_of(self.measured, place, self.baseline)
            found[metric] = {
                d.system: d.lists_needed(difference, level, power)
                if d.estimate.standard_error > 0.0
                else None
                for d in filter(None, ds)
            }
        return found

    def agreement(self, metrics: Any = None) -> Agreement:
        """Return how similar the rankings of each two systems are.

        Two systems with equal means may retrieve different items. The values do
        not depend on labels, and lists of which no item is retrieved count as
        the metrics say.

        Args:
            metrics: a metric of two rankings, such as `OverlapAtK(k=10)`, or a
                list of these; by default `RankBiasedOverlap()`.

        Returns:
            A dict by metric and pair `(reference, system)` of estimates with
            standard errors. `print` shows it as tables.

        Raises:
            ValueError: if this result was loaded or joined, so that it does not
                have the rankings; if a system was an iterator; or if a metric
                takes labels.

        Example:
            >>> import keras_rankmetrics as krm
            >>> truth = {"q1": {"a"}, "q2": {"b"}}
            >>> systems = {
            ...     "old": {"q1": ["a", "b", "c"], "q2": ["b", "c", "a"]},
            ...     "new": {"q1": ["a", "c", "b"], "q2": ["b", "a", "c"]},
            ... }
            >>> compared = krm.compare(truth, systems, "RR")
            >>> print(compared.agreement(krm.OverlapAtK(k=2)))
            overlap@2     old     new
            old                0.5000
            new        0.5000
        """
        if self._agreement_by is None:
            raise ValueError(
                "`agreement` needs the rankings of the systems. Received: a "
                "result that was loaded or joined, which has values alone. "
                "Call it on what `compare` returns."
            )
        asked = RankBiasedOverlap() if metrics is None else metrics
        return self._agreement_by(asked)

    def gate(
        self,
        metric: str | None = None,
        system: str | None = None,
        *,
        tolerance: float,
        level: float | None = None,
    ) -> Verdict:
        """Return whether a system is worse than the baseline, beyond a margin.

        The interval of the mean paired difference decides (a test of
        non-inferiority). A system passes if no loss in it exceeds the
        tolerance, fails if each loss in it does, and is undecided otherwise. A
        system whose true loss is within the tolerance fails with a probability
        of at most (1 - level) / 2, as far as the t interval is exact. The same
        bounds how often a system with a larger loss passes.

        Args:
            metric: the name of a metric; by default the only one.
            system: the name of a system; by default the only other one than
                the baseline.
            tolerance: the largest loss to accept, at least 0, in units of the
                metric, such as 0.01. A loss is a drop, or a rise where lower is
                better. Below 1 for a metric whose values are in [0, 1].
            level: the level of the interval; by default `confidence`.

        Returns:
            A `Verdict`, which is true only if the system passes.

        Raises:
            ValueError: if an argument is invalid; if a system retrieves no
                judged items or has a value of 0 on all lists; if lists count
                for one system alone; if queries are missing and lower values
                are better; or if fewer than two lists count or a value is NaN.

        Example:
            >>> import keras_rankmetrics as krm
            >>> labels = [[1, 0], [0, 1], [1, 0]]
            >>> systems = {
            ...     "old": [[2, 1], [1, 2], [2, 1]],
            ...     "new": [[2, 1], [2, 1], [2, 1]],
            ... }
            >>> compared = krm.compare(labels, systems, krm.NDCG())
            >>> compared.gate(tolerance=0.01).outcome
            'undecided'
        """
        metric = chosen("metric", metric, list(self.signatures))
        others = [name for name in self.systems if name != self.baseline]
        names = self.baseline, chosen("system", system, others)
        both = {name: self.measured.systems[name] for name in names}
        measured = self.measured._replace(systems=both)
        level = self.confidence if level is None else level
        return verdict_of(measured, metric, tolerance, level)
