"""`Results`: values of metrics, to print, save and load."""

from __future__ import annotations

import functools
import itertools
import json
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from keras_rankmetrics.comparing import formats
from keras_rankmetrics.comparing.measured import Measured, loaded, saved
from keras_rankmetrics.comparing.report import Report, reported
from keras_rankmetrics.engine.definition.options import invalid
from keras_rankmetrics.files import KIND


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
        self._baseline, self._confidence = checked(
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
        return {m.name: m.signature for m in self.measured.columns}

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
        return formats.as_html(self.report)

    def to_text(self, p_values: bool = False) -> str:
        """Return the table that `print` shows, with notes and signatures.

        Args:
            p_values: True to show the p value of each difference.
        """
        return formats.as_text(self.report, p_values)

    def to_markdown(self, p_values: bool = False) -> str:
        """Return a table in GitHub's Markdown, the best values in bold.

        Args:
            p_values: True to show the p value of each difference.
        """
        return formats.as_markdown(self.report, p_values)

    def to_latex(
        self,
        *,
        digits: int = 4,
        errors: bool = True,
        signatures: formats.Place = "footnote",
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
        layout = formats.Layout(
            digits, errors, signatures, caption, label, wide, p_values
        )
        return formats.as_latex(self.report, layout)

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame` with a row for each value.

        Raises:
            ImportError: if pandas is not installed.
        """
        return formats.as_frame(self._records())

    def _records(self) -> dict[str, list[Any]]:
        return self.report.records()

    def to_csv(self) -> str:
        """Return comma-separated values, a row for each value of the table."""
        return formats.as_csv(self._records())

    def to_dict(self, per_list: bool = True) -> dict[str, Any]:
        """Return everything as plain values, None for unknown numbers.

        Args:
            per_list: True to include the values of each list, which `from_dict`
                needs.
        """
        found = {
            "kind": KIND + type(self).__name__,
            **formats.as_plain(self.report),
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
            raise ValueError(
                "`values` should be an unchanged dict from `to_dict`, with the "
                f"values of each list. Received: {type(values).__name__} that "
                f"cannot be read, with {error!r}. Save `to_dict()` instead of "
                "`to_dict(per_list=False)`."
            ) from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the results that `to_json` was called on.

        Raises:
            ValueError: if the text is something else, or has no values of
                lists.
        """
        return cls.from_dict(json.loads(text))

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
        values = [system.values.of_lists() for system in systems.values()]
        for place, measure in enumerate(self.measured.measures):
            of_systems = (of_system[place] for of_system in values)
            found[measure.name] = [*itertools.chain.from_iterable(of_systems)]
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
        raise invalid("baseline", f"one of the systems {names}", baseline)
    is_number = isinstance(confidence, int | float | np.number)
    if not is_number or not 0.0 < confidence < 1.0:
        expected = "a number between 0 and 1, such as 0.95"
        raise invalid("confidence", expected, confidence)
    return names[0] if baseline is None else baseline, float(confidence)
