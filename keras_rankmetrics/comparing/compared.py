"""`Compared`: systems beside a baseline, as a table, a file or a plot."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any, Self

from keras_rankmetrics.comparing import saving
from keras_rankmetrics.comparing.checks import (
    check_baseline,
    check_confidence,
    check_systems,
)
from keras_rankmetrics.comparing.formats import (
    csv,
    latex,
    markdown,
    pandas,
    picture,
    plain,
    text,
)
from keras_rankmetrics.comparing.report import Report
from keras_rankmetrics.comparing.reporting import reported
from keras_rankmetrics.comparing.systems import Measured

_KIND = "keras_rankmetrics.Compared"


class Compared:
    """Systems on the same lists, by some metrics, beside a baseline.

    `compare` makes it. Printed, it is a table. It does not change: for another
    baseline, `Compared(compared.measured, "another")` makes another one.

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
        check_systems(measured.systems)
        self._measured = measured
        self._baseline = check_baseline(baseline, measured.systems)
        self._confidence = check_confidence(confidence)

    @property
    def measured(self) -> Measured:
        """The values of each list."""
        return self._measured

    @property
    def baseline(self) -> str:
        """The name of the system to which the others are compared."""
        return self._baseline

    @property
    def confidence(self) -> float:
        """Of the intervals, and of the test."""
        return self._confidence

    @property
    def systems(self) -> list[str]:
        """The names of the systems."""
        return list(self.measured.systems)

    @property
    def judged(self) -> dict[str, float | None]:
        """The share of judged items among those that each system retrieves.

        None where items have no ids.
        """
        systems = self.measured.systems
        return {name: system.overlap.share for name, system in systems.items()}

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by its name."""
        return {m.name: m.signature for m in self.measured.measures}

    @functools.cached_property
    def report(self) -> Report:
        """The table as plain values, of which all formats are made."""
        return reported(self.measured, self.baseline, self.confidence)

    def __str__(self) -> str:
        """The table, and what it shows."""
        return text.as_text(self.report)

    def __repr__(self) -> str:
        return (
            f"<Compared: the systems {self.systems} by {list(self.signatures)} "
            f"on {len(self.measured.lists):,} lists>"
        )

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.to_markdown()

    def to_markdown(self) -> str:
        """A table of GitHub's Markdown, the best of each column in bold."""
        return markdown.as_markdown(self.report)

    def to_latex(self, label: str | None = None) -> str:
        r"""A table of LaTeX, which needs the package `booktabs`.

        Args:
            label: of the table, for `\ref`; none by default.
        """
        return latex.as_latex(self.report, label)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` with a row for each system and metric.

        Raises:
            ImportError: if pandas is not installed.
        """
        return pandas.as_frame(self.report)

    def to_csv(self) -> str:
        """Comma-separated values, a row for each system and metric."""
        return csv.as_csv(self.report)

    def to_dict(self, per_list: bool = True) -> dict[str, Any]:
        """All of it as plain values, None for what is not known.

        Args:
            per_list: whether the values of each list are there. `from_dict`
                needs them.
        """
        found = {
            "kind": _KIND,
            **plain.as_plain(self.report),
            "judged": self.judged,
        }
        if per_list:
            found["per_list"] = saving.as_plain(self.measured)
        return found

    def to_json(self, per_list: bool = True, indent: int | None = None) -> str:
        """What `to_dict` has, as JSON.

        Args:
            per_list: as for `to_dict`.
            indent: for a text of several lines, by how much they are indented.
        """
        found = self.to_dict(per_list)
        return json.dumps(
            found, indent=indent, allow_nan=False, ensure_ascii=False
        )

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """What `to_dict` made.

        Raises:
            ValueError: if it is something else, or has no values of lists.
        """
        if not isinstance(values, Mapping) or values.get("kind") != _KIND:
            raise ValueError(
                "`values` should be a dict that `to_dict` made. Received: "
                f"{type(values).__name__} without `kind: {_KIND!r}`."
            )
        if "per_list" not in values:
            raise ValueError(
                "`values` should have the values of each list. Received: a "
                "dict without `per_list`. Write it by `to_dict()`, and not by "
                "`to_dict(per_list=False)`."
            )
        try:
            measured = saving.from_plain(values["per_list"])
            return cls(measured, values["baseline"], values["confidence"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(
                "`values` should be a dict that `to_dict` made, with all that "
                f"was in it. Received one that cannot be read: {error!r}."
            ) from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """What `to_json` made.

        Raises:
            ValueError: as `from_dict`.
        """
        return cls.from_dict(json.loads(text))

    def per_list(self) -> dict[str, list[Any]]:
        """The value of each list: columns `query`, `system`, and each metric.

        None for a list that does not count. NaN is a value that could not be
        computed, as of scores that are NaN. Without queries, `query` is the
        number of the list.
        """
        measured = self.measured
        found: dict[str, list[Any]] = {"query": [], "system": []}
        found |= {measure.name: [] for measure in measured.measures}
        for name, system in measured.systems.items():
            found["query"] += measured.lists
            found["system"] += [name] * len(measured.lists)
            for place, measure in enumerate(measured.measures):
                values = system.values.values[place].tolist()
                counts = system.values.counts[place].tolist()
                found[measure.name] += [
                    value if counted else None
                    for value, counted in zip(values, counts, strict=True)
                ]
        return found

    def join(self, other: Compared) -> Compared:
        """The systems of both, beside the baseline of this one.

        Both must have been compared by the same metrics on the same lists.

        Raises:
            ValueError: if signatures, lists or labels differ, or a system is in
                both.
        """
        if not isinstance(other, Compared):
            raise TypeError(
                "Only what `compare` returns can be joined. Received: "
                f"{other!r}."
            )
        measured = self.measured.joined(other.measured)
        return type(self)(measured, self.baseline, self.confidence)

    def plot(self, axes: Any = None) -> Any:
        """The values with their intervals, a panel for each metric.

        Args:
            axes: of matplotlib, one for each metric; new ones by default.

        Returns:
            The axes: one, or an array where there are several metrics.

        Raises:
            ImportError: if matplotlib is not installed.
        """
        return picture.plotted(self.report, axes)
