"""`Results`: values of metrics, to print, save, load, compare and plot."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

from keras_rankmetrics.comparing import plots, table_formats
from keras_rankmetrics.comparing.flips import Flips, flips_of
from keras_rankmetrics.comparing.measured import (
    ALL,
    Measured,
    loaded,
    saved,
)
from keras_rankmetrics.comparing.report import (
    Report,
    differences_of,
    reported,
)
from keras_rankmetrics.comparing.verdict import (
    Margins,
    Verdict,
    only_choice,
    verdict_of,
    verdict_on_mean,
)
from keras_rankmetrics.engine.aggregates import Estimate
from keras_rankmetrics.engine.aggregates.distributions import (
    check_level,
    is_number,
)
from keras_rankmetrics.engine.definition.options import invalid
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.files import KIND
from keras_rankmetrics.metrics.two_rankings import RankBiasedOverlap


class Results:
    """Values of metrics for systems on the same lists.

    `Evaluated` and `Compared` are results.

    Args:
        measured: the values of each list.
        baseline: the name of the system to which the others are compared.
        confidence: the level of the intervals.
    """

    def __init__(
        self,
        measured: Measured,
        baseline: str | None = None,
        confidence: float = 0.95,
    ) -> None:
        self._measured = measured
        self._baseline, self._confidence = checked_baseline(
            measured.systems, baseline, confidence
        )

    @property
    def measured(self) -> Measured:
        """The values of all systems, metrics and lists."""
        return self._measured

    @property
    def confidence(self) -> float:
        """The level of the confidence intervals."""
        return self._confidence

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by its name."""
        return {m.name: m.signature for m in self.measured.shown}

    @property
    def _judged(self) -> dict[str, float | None]:
        """The share of judged items among those that each system retrieves."""
        systems = self.measured.systems
        return {name: system.overlap.share for name, system in systems.items()}

    @functools.cached_property
    def report(self) -> Report:
        """The table as plain values, from which all formats are made."""
        return reported(self.measured, self._baseline, self.confidence)

    def __str__(self) -> str:
        """Return the table with its notes and signatures."""
        return self.to_text()

    def _repr_html_(self) -> str:
        """Return the table as a notebook shows it."""
        return table_formats.as_html(self.report)

    def to_text(self, p_values: bool = False) -> str:
        """Return the table that `print` shows, with notes and signatures.

        Args:
            p_values: True to show the p value of each difference.
        """
        return table_formats.as_plain_text(self.report, p_values)

    def to_markdown(self, p_values: bool = False) -> str:
        """Return a table in GitHub's Markdown, the best values in bold.

        Args:
            p_values: True to show the p value of each difference.
        """
        return table_formats.as_markdown(self.report, p_values)

    def to_latex(
        self,
        *,
        digits: int = 4,
        errors: bool = True,
        signatures: table_formats.Place = "footnote",
        caption: str | None = None,
        label: str | None = None,
        wide: bool = False,
        p_values: bool = False,
    ) -> str:
        r"""Return a table in LaTeX, which needs the package `booktabs`.

        Three systems by three metrics fit one column of a two-column paper, if
        the names of the systems are short.

        Args:
            digits: the decimal places of values and margins.
            errors: False to leave out the margins.
            signatures: `"footnote"` prints them below the table, `"caption"`
                at the end of the caption, None leaves them out. The parts that
                all metrics share are printed once.
            caption: the caption, in LaTeX. It replaces the default one, which
                says what the margins and marks mean.
            label: the label of the table, for `\ref`; none by default.
            wide: True for a table across both columns, a `table*`.
            p_values: True to print the corrected p values below each system.

        Raises:
            ValueError: if `digits` or `signatures` is invalid.
        """
        return table_formats.as_latex(
            self.report,
            digits,
            errors,
            signatures,
            caption,
            label,
            wide,
            p_values,
        )

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row for each value.

        Raises:
            ImportError: if pandas is not installed.
        """
        instead = "`to_dict` and `to_csv` need"
        pandas = table_formats.imported("pandas", "to_pandas", instead)
        return pandas.DataFrame(self._records())

    def _records(self) -> dict[str, list[Any]]:
        return self.report.records()

    def to_csv(self) -> str:
        """Return comma-separated values, a row for each value of the table."""
        return table_formats.as_csv(self._records())

    def to_dict(self, per_list: bool = True) -> dict[str, Any]:
        """Return everything as plain values, None for unknown numbers.

        Args:
            per_list: True to include the values of each list, which `from_dict`
                needs.
        """
        report, statistics = self.report, self.report.statistics
        many = report.comparisons
        test = "two-sided paired t test over the lists" if many else None
        found = {
            "kind": KIND + type(self).__name__,
            "baseline": report.baseline,
            "confidence": report.confidence,
            "lists": report.lists,
            "test": test,
            "correction": f"Holm, for {many} comparisons" if many else None,
            "notes": list(report.notes),
            "metrics": {
                c.name: {
                    "signature": c.signature,
                    "more_is_better": c.more_is_better,
                }
                for c in statistics
            },
            "systems": {
                system: {
                    c.name: cell.numbers()
                    for c, cell in zip(statistics, cells, strict=True)
                }
                for system, *cells in report.rows()
            },
            "read_as": dict(self.measured.read_as),
            "judged": self._judged,
        }
        if per_list:
            found["per_list"] = saved(self.measured)
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
        """Return the results that `to_dict` was called on.

        Raises:
            ValueError: if `values` is something else, or has no values of
                lists.
        """
        try:
            if values["kind"] != KIND + cls.__name__:
                raise TypeError(values["kind"])
            measured = loaded(values["per_list"])
            return cls(measured, values["baseline"], values["confidence"])
        except (AttributeError, KeyError, TypeError) as error:
            remedy = "Save `to_dict()` instead of `to_dict(per_list=False)`."
            kind = str(values.get("kind")) if isinstance(values, dict) else ""
            if kind.startswith(KIND) and kind != KIND + cls.__name__:
                name = kind.removeprefix(KIND)
                remedy = f"Call `{name}.from_dict`, or `from_json` for text."
            raise ValueError(
                "`values` should be an unchanged dict from `to_dict`, with the "
                f"values of each list. Received: {type(values).__name__} that "
                f"cannot be read, with {error!r}. {remedy}"
            ) from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the results that `to_json` was called on.

        Raises:
            ValueError: if the text is something else, or has no values of
                lists.
        """
        try:
            values = json.loads(text)
        except (TypeError, ValueError) as error:
            raise ValueError(
                "`text` should be what `to_json` returned. Received: "
                f"{type(text).__name__} that is no JSON, with {error!r}. For a "
                "file, pass `path.read_text()`."
            ) from error
        return cls.from_dict(values)

    def per_list(self) -> dict[str, list[Any]]:
        """Return the value of each list, in columns by name.

        The columns are `query`, `system` if there may be several, `group` if
        there are groups, and the name of each metric. The value of an excluded
        list is None. NaN is a value that could not be computed, such as that of
        NaN scores. Without ids of queries, `query` is the number of the list.
        """
        lists, systems = self.measured.lists, self.measured.systems
        found: dict[str, list[Any]] = {
            "query": list(lists) * len(systems),
            "system": [name for name in systems for _ in lists],
        }
        if self.measured.groups:
            found["group"] = list(self.measured.groups) * len(systems)
        values = [system.of_lists() for system in systems.values()]
        for place, metric in enumerate(self.measured.metrics):
            of_systems = (of_system[place] for of_system in values)
            found[metric.name] = [*itertools.chain.from_iterable(of_systems)]
        return found

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
        return plots.values_plotted(self.report, axes)

    def plot_cutoffs(self, axes: Any = None) -> Any:
        """Plot each metric that has several cutoffs over its cutoffs.

        A line with its intervals shows a system, or a group of lists.

        Args:
            axes: matplotlib axes, one for each metric with several cutoffs; new
                ones by default.

        Returns:
            The axes; an array of them if there are several such metrics.

        Raises:
            ImportError: if matplotlib is not installed.
            ValueError: if no metric has several cutoffs.

        Example:
            >>> import keras_rankmetrics as krm
            >>> labels, scores = [[1, 0, 1], [0, 1, 1]], [[3, 2, 1]] * 2
            >>> found = krm.evaluate(labels, scores, krm.NDCG.at(1, 2, 3))
            >>> axes = found.plot_cutoffs()  # doctest: +SKIP
        """
        return plots.cutoffs_plotted(self.report, axes)


class Evaluated(Results, Mapping[str, float]):
    """The values of a system by some metrics, as a mapping from their names.

    `evaluate` returns it. `print` shows it as a table, `dict` has the values
    alone, and `estimates` has their errors.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {"q1": {"a"}, "q2": {"b", "c"}}
        >>> run = {"q1": ["x", "a"], "q2": ["c", "b"]}
        >>> languages = {"q1": "en", "q2": "de"}
        >>> found = krm.evaluate(truth, run, "RR Recall@1", groups=languages)
        >>> dict(found)
        {'RR': 0.75, 'Recall@1': 0.25}
        >>> found.groups["de"]["RR"].value
        1.0

    Stability: stable.
    """

    def __getitem__(self, metric: str) -> float:
        """Return the value of a metric, the mean over the lists."""
        if metric not in self.estimates:
            names = list(self.estimates)
            raise KeyError(f"There is no metric {metric!r}, but {names}.")
        return self.estimates[metric].value

    def __iter__(self) -> Iterator[str]:
        """Return the names of the metrics."""
        return iter(self.signatures)

    def __len__(self) -> int:
        """Return the number of metrics."""
        return len(self.signatures)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The value of each metric with its standard error."""
        return self._by_metric(0)

    @property
    def groups(self) -> dict[str, dict[str, Estimate]]:
        """The values of each group of lists with their standard errors."""
        keys = enumerate(self.report.keys)
        return {
            group: self._by_metric(row) for row, (_, group) in keys if group
        }

    @property
    def judged(self) -> float | None:
        """The share of judged items among those retrieved; None without ids."""
        return self._judged[ALL]

    def gate(
        self,
        baseline: Evaluated | Compared | float,
        metric: str | None = None,
        *,
        tolerance: float | None = None,
        equivalent: float | None = None,
        lists: int | None = None,
        level: float | None = None,
    ) -> Verdict:
        """Return whether the system is worse than a baseline, beyond a margin.

        See `Compared.gate`. Of a published mean, only the number of lists may
        be known. It then has the widest interval that a mean of values in [0,
        1] can have, which is seldom enough to decide.

        Args:
            baseline: the result of the baseline on the same lists, such as
                `Evaluated.from_json(text)`; or a number.
            metric: the name of a metric; by default the only one.
            tolerance: the largest loss to accept, at least 0.
            equivalent: the largest change to accept in either direction, in
                place of a tolerance.
            lists: the number of lists that the number is the mean of. By
                default it is a threshold, without an error of its own.
            level: the level of the interval; by default `confidence`.

        Raises:
            ValueError: if an argument is invalid, or the baseline has other
                metrics, queries or labels.

        Example:
            >>> import keras_rankmetrics as krm
            >>> truth = {q: {"tea": 1} for q in range(200)}
            >>> run = {q: ["tea", "milk"][:: q % 20 or -1] for q in truth}
            >>> found = krm.evaluate(truth, run, "Success@1")
            >>> found.gate(0.5, tolerance=0).outcome
            'pass'
            >>> found.gate(0.9, tolerance=0.01, lists=200).outcome
            'undecided'
        """
        metric = only_choice("metric", metric, list(self.signatures))
        level = self.confidence if level is None else level
        margins = Margins(tolerance, equivalent, level)
        if not isinstance(baseline, Results):
            alone = self.measured.renamed(ALL, "the run")
            return verdict_on_mean(alone, metric, baseline, lists, margins)
        if lists is not None:
            raise invalid("lists", "None: a result has its lists", lists)
        name = baseline.baseline if isinstance(baseline, Compared) else ALL
        first = baseline.measured.by(self.measured.metrics)
        both = Compared(first.renamed(name, "baseline")).join(
            Compared(self.measured.renamed(ALL, "run"))
        )
        return both.gate(metric, **margins._asdict())

    def per_list(self) -> dict[str, list[Any]]:
        """Return the value of each list, in columns by name.

        The columns are `query`, `group` if there are groups, and the name of
        each metric. The value of an excluded list is None.
        """
        found = super().per_list()
        del found["system"]
        return found

    def _by_metric(self, row: int) -> dict[str, Estimate]:
        cells = zip(self, self.report.cells[row], strict=True)
        return {name: cell.estimate for name, cell in cells}

    def _records(self) -> dict[str, list[Any]]:
        """Return the columns of the table, without those of comparisons."""
        found = super()._records()
        del found["system"], found["best"]
        return {
            name: column
            for name, column in found.items()
            if any(value is not None for value in column)
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{name}: {self[name]:.4f}" for name in self)
        return f"<Evaluated: {values} on {len(self.measured.lists):,} lists>"


class Agreement(dict[str, dict[tuple[str, str], Estimate]]):
    """The similarity of each two systems, by metric.

    `Compared.agreement` returns it. The keys are names of metrics, and then
    pairs `(reference, system)` of names. `print` shows a table for each metric,
    with a row for each reference.
    """

    def __str__(self) -> str:
        """Return a table for each metric."""
        return "\n\n".join(map(_table, self, self.values()))


def _table(metric: str, pairs: Mapping[tuple[str, str], Estimate]) -> str:
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    rows = [
        [
            one,
            *(f"{pairs[one, x].value:.4f}" if x != one else "" for x in names),
        ]
        for one in names
    ]
    return as_table([metric, *names], rows)


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

    Stability: stable.
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

        See `Difference.lists_needed`. From fewer than 50 lists, it is rough:
        read "at least" so many.

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
            {'ndcg': {'new': 286}}
        """
        level = self.confidence if level is None else level
        found: dict[str, dict[str, int | None]] = {}
        for place, metric in enumerate(self.signatures):
            most = 1.0 if self.measured.shown[place].bounded else math.inf
            if not is_number(difference) or not 0.0 < difference < most:
                below = " and below 1" * (most == 1.0)
                raise ValueError(
                    f"`difference` should be a number above 0{below} for "
                    f"{metric}, such as 0.05. Received: {difference!r}."
                )
            pairs, _ = differences_of(self.measured, place, self.baseline)
            found[metric] = {
                d.system: d.lists_needed(difference, level, power)
                if d.estimate.standard_error > 0.0
                else None
                for _, d in pairs
                if d is not None
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
                "result that was loaded or joined, or of one table, which has "
                "values alone. Call it on what `compare(truth, systems, ...)` "
                "returns."
            )
        asked = RankBiasedOverlap() if metrics is None else metrics
        return self._agreement_by(asked)

    def flips(
        self, metric: str | None = None, system: str | None = None
    ) -> Flips:
        """Return the queries that a system wins and loses.

        Lists that are excluded for one of both are left out, and values that
        differ by rounding alone are equal.

        Args:
            metric: the name of a metric; by default the only one.
            system: the name of a system; by default the only other one than
                the baseline.

        Returns:
            A `Flips`: for `"won"`, `"lost"` and `"tied"` a dict by query of
            both values, those that change most first. `print` shows it.

        Raises:
            ValueError: if there is no such metric or system, or several of
                which none was named, or the metric has no value of a list.

        Example:
            >>> import keras_rankmetrics as krm
            >>> truth = {"q1": {"a"}, "q2": {"b"}, "q3": {"c"}}
            >>> systems = {
            ...     "old": {"q1": ["a"], "q2": ["a", "b"], "q3": ["c"]},
            ...     "new": {"q1": ["a"], "q2": ["b", "a"], "q3": ["a"]},
            ... }
            >>> compared = krm.compare(truth, systems, "HR@1 RR")
            >>> print(compared.flips("RR"))
            RR of new against old: 1 won, 1 lost, 1 tied.
            <BLANKLINE>
            won     old     new
            q2   0.5000  1.0000
            <BLANKLINE>
            lost     old     new
            q3    1.0000  0.0000
        """
        names = [x.name for x in self.measured.metrics]
        metric = only_choice("metric", metric, names)
        return flips_of(self._next_to_baseline(system), metric)

    def _next_to_baseline(self, system: str | None) -> Measured:
        """Return the values of the baseline and of one other system."""
        others = [name for name in self.systems if name != self.baseline]
        names = self.baseline, only_choice("system", system, others)
        both = {name: self.measured.systems[name] for name in names}
        return self.measured._replace(systems=both)

    def plot_lists(self, axes: Any = None) -> Any:
        """Plot the difference of each list from the baseline, highest first.

        There is a row of panels for each other system than the baseline, and a
        column for each metric; statistics such as quantiles have no value of a
        list. A list is left out where it is excluded for one of both.

        Args:
            axes: matplotlib axes, one for each panel; new ones by default.

        Returns:
            The axes; an array of them if there are several.

        Raises:
            ImportError: if matplotlib is not installed.
            ValueError: if there is no other system than the baseline.
        """
        return plots.lists_plotted(self.measured, self.baseline, axes)

    def gate(
        self,
        metric: str | None = None,
        system: str | None = None,
        *,
        tolerance: float | None = None,
        equivalent: float | None = None,
        level: float | None = None,
    ) -> Verdict:
        """Return whether a system is worse than the baseline, beyond a margin.

        The `bounds` of the mean paired difference decide (a test of
        non-inferiority). A system passes if no loss within them exceeds the
        tolerance, fails if each loss does, and is undecided otherwise. By a
        metric in [0, 1], a system with a larger loss than the tolerance passes
        with a probability of at most (1 - level) / 2, also if it loses all on
        few lists; by others, as far as the t interval is exact. One that ranks
        all items like the baseline passes.

        Args:
            metric: the name of a metric; by default the only one.
            system: the name of a system; by default the only other one than
                the baseline.
            tolerance: the largest loss to accept, at least 0, in units of the
                metric, such as 0.01. A loss is a drop, or a rise where lower is
                better. Below 1 for a metric whose values are in [0, 1].
            equivalent: in place of a tolerance, the largest change to accept in
                either direction: a system passes if it is the same within it
                (two one-sided tests).
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
        metric = only_choice("metric", metric, list(self.signatures))
        measured = self._next_to_baseline(system)
        level = self.confidence if level is None else level
        return verdict_of(
            measured, metric, Margins(tolerance, equivalent, level)
        )


def checked_baseline(
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
            f"{{'bm25': ..., 'ours': ...}}. Received: the names {names}. Pass "
            "one or more, with names of type str."
        )
    if baseline is not None and baseline not in names:
        raise invalid("baseline", f"one of the systems {names}", baseline)
    check_level("confidence", confidence, lowest=0.5)
    return names[0] if baseline is None else baseline, float(confidence)
