"""`Compared`: the result of `compare`, to print, save, load and plot."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from keras_rankmetrics.comparing import formats, saved
from keras_rankmetrics.comparing.gate import Verdict, chosen, verdict_of
from keras_rankmetrics.comparing.measured import Measured
from keras_rankmetrics.comparing.report import Report, reported

# Saved files begin with it.
KIND = "keras_rankmetrics.Compared"


class Compared:
    """Systems on the same lists, compared to a baseline by some metrics.

    `compare` returns it. `print` shows it as a table. It is immutable: for
    another baseline, create `Compared(compared.measured, "another")`.

    Example:
        >>> import keras_rankmetrics as krm
        >>> labels, scores = [[1, 0], [0, 1]], [[2, 1], [2, 1]]
        >>> compared = krm.compare({"ours": scores}, labels, krm.NDCG(k=1))
        >>> compared.systems, compared.per_list()["ndcg@1"]
        (['ours'], [1.0, 0.0])
        >>> print(compared.to_csv().partition(",")[0])
        system
    """

    def __init__(
        self,
        measured: Measured,
        baseline: str | None = None,
        confidence: float = 0.95,
    ) -> None:
        self._measured = measured
        self._baseline, self._confidence = checked(
            measured.systems, baseline, confidence
        )

    @property
    def measured(self) -> Measured:
        """The values of all systems, metrics and lists."""
        return self._measured

    @property
    def baseline(self) -> str:
        """The name of the system to which the others are compared."""
        return self._baseline

    @property
    def confidence(self) -> float:
        """The level of the confidence intervals."""
        return self._confidence

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.measured.systems)

    @property
    def judged(self) -> dict[str, float | None]:
        """The share of judged items among the items that a system retrieves.

        None if items have no ids.
        """
        systems = self.measured.systems
        return {name: system.overlap.share for name, system in systems.items()}

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by its name."""
        return {m.name: m.signature for m in self.measured.measures}

    @functools.cached_property
    def report(self) -> Report:
        """The table as plain values, from which all formats are made."""
        return reported(self.measured, self.baseline, self.confidence)

    def __str__(self) -> str:
        """Return the table with its notes and signatures."""
        return formats.as_text(self.report)

    def __repr__(self) -> str:
        return (
            f"<Compared: the systems {self.systems} by {list(self.signatures)} "
            f"on {len(self.measured.lists):,} lists>"
        )

    def _repr_markdown_(self) -> str:
        """Return the table as a notebook shows it."""
        return self.to_markdown()

    def to_markdown(self) -> str:
        """Return a table in GitHub's Markdown, the best values in bold."""
        return formats.as_markdown(self.report)

    def to_latex(self, label: str | None = None) -> str:
        r"""Return a table in LaTeX, which needs the package `booktabs`.

        Args:
            label: the label of the table, for `\ref`; none by default.
        """
        return formats.as_latex(self.report, label)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row for each system and metric.

        Raises:
            ImportError: if pandas is not installed.
        """
        return formats.as_frame(self.report)

    def to_csv(self) -> str:
        """Return comma-separated values, a row for each system and metric."""
        return formats.as_csv(self.report.records())

    def to_dict(self, per_list: bool = True) -> dict[str, Any]:
        """Return everything as plain values, None for unknown numbers.

        Args:
            per_list: True to include the values of each list, which `from_dict`
                needs.
        """
        found = {
            "kind": KIND,
            **formats.as_plain(self.report),
            "judged": self.judged,
        }
        if per_list:
            found["per_list"] = saved.saved(self.measured)
        return found

    def to_json(self, per_list: bool = True, indent: int | None = None) -> str:
        """Return the values of `to_dict` as JSON.

        Args:
            per_list: True to include the values of each list, which `from_json`
                needs.
            indent: the indentation of the lines; everything in one line by
                default.
        """
        found = self.to_dict(per_list)
        return json.dumps(
            found, indent=indent, allow_nan=False, ensure_ascii=False
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the `Compared` that `to_dict` was called on.

        Raises:
            ValueError: if `values` is something else, or has no values of
                lists.
        """
        try:
            measured = saved.loaded(values["per_list"])
            return cls(measured, values["baseline"], values["confidence"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(
                "`values` should be an unchanged dict from `to_dict`, with the "
                f"values of each list. Received: {type(values).__name__} that "
                f"cannot be read, with {error!r}. Save `to_dict()` instead of "
                "`to_dict(per_list=False)`."
            ) from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the `Compared` that `to_json` was called on.

        Raises:
            ValueError: if the text is something else, or has no values of
                lists.
        """
        return cls.from_dict(json.loads(text))

    def per_list(self) -> dict[str, list[Any]]:
        """Return the value of each list, in columns by name.

        The columns are `query`, `system`, and the name of each metric. The
        value of an excluded list is None. NaN is a value that could not be
        computed, such as that of NaN scores. Without ids of queries, `query` is
        the number of the list.
        """
        lists, systems = self.measured.lists, self.measured.systems
        found: dict[str, list[Any]] = {
            "query": list(lists) * len(systems),
            "system": [name for name in systems for _ in lists],
        }
        values = [system.values.of_lists() for system in systems.values()]
        for place, measure in enumerate(self.measured.measures):
            of_systems = (of_system[place] for of_system in values)
            found[measure.name] = list(
                itertools.chain.from_iterable(of_systems)
            )
        return found

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
                metric. A loss is a drop, or a rise where lower is better.
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
            >>> compared = krm.compare(systems, labels, krm.NDCG())
            >>> compared.gate(tolerance=0.01).outcome
            'undecided'
        """
        metric = chosen("metric", metric, list(self.signatures))
        others = [name for name in self.systems if name != self.baseline]
        names = self.baseline, chosen("system to judge", system, others)
        both = {name: self.measured.systems[name] for name in names}
        measured = self.measured._replace(systems=both)
        level = self.confidence if level is None else level
        return verdict_of(measured, metric, tolerance, level)

    def plot(self, axes: Any = None) -> Any:
        """Plot the values with their intervals, in a panel for each metric.

        Args:
            axes: matplotlib axes, one for each metric; new ones by
                default.

        Returns:
            The axes; an array of them if there are several metrics.

        Raises:
            ImportError: if matplotlib is not installed.
        """
        return formats.plotted(self.report, axes)


def checked(
    systems: Mapping[str, Any], baseline: Any, confidence: Any
) -> tuple[str, float]:
    """Return the baseline, by default the first system, and the confidence.

    Raises:
        ValueError: if there are no systems, a name is not a str, or an argument
            is invalid.
    """
    names = list(systems)
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(
            "`systems` should be a dict of systems by name, such as "
            f"{{'bm25': ..., 'ours': ...}}. Received: the names {names}."
        )
    if baseline is not None and baseline not in names:
        raise ValueError(
            f"`baseline` should be one of the systems {names}. Received: "
            f"{baseline!r}."
        )
    is_number = isinstance(confidence, int | float | np.number)
    if not is_number or not 0.0 < confidence < 1.0:
        raise ValueError(
            "`confidence` should be a number between 0 and 1, such as 0.95. "
            f"Received: {confidence!r}."
        )
    return names[0] if baseline is None else baseline, float(confidence)
