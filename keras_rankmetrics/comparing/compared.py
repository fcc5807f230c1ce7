"""`Compared`: the result of `compare`, to print, save, load and plot."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from keras_rankmetrics.comparing import formats
from keras_rankmetrics.comparing.arguments import (
    check_baseline,
    check_confidence,
    check_systems,
)
from keras_rankmetrics.comparing.measured import Gaps, Measure, Measured, System
from keras_rankmetrics.comparing.overlap import Overlap
from keras_rankmetrics.comparing.report import Report, reported
from keras_rankmetrics.comparing.values import Values
from keras_rankmetrics.tables.flat_columns import to_numpy

_KIND = "keras_rankmetrics.Compared"


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
        check_systems(measured.systems)
        self._measured = measured
        self._baseline = check_baseline(baseline, measured.systems)
        self._confidence = check_confidence(confidence)

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
            "kind": _KIND,
            **formats.as_plain(self.report),
            "judged": self.judged,
        }
        if per_list:
            found["per_list"] = _saved(self.measured)
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
        if not isinstance(values, Mapping) or values.get("kind") != _KIND:
            raise ValueError(
                "`values` should be a dict from `to_dict`. Received: "
                f"{type(values).__name__} without `kind: {_KIND!r}`."
            )
        if "per_list" not in values:
            raise ValueError(
                "`values` should have the values of each list. Received: a "
                "dict without `per_list`. Save `to_dict()` instead of "
                "`to_dict(per_list=False)`."
            )
        try:
            measured = _loaded(values["per_list"])
            return cls(measured, values["baseline"], values["confidence"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(
                "`values` should be an unchanged dict from `to_dict`. "
                f"Received one that cannot be read: {error!r}."
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


# `Measured` as plain values, and back.


def _saved(measured: Measured) -> dict[str, Any]:
    """Return everything as plain values, None for unknown numbers."""
    return {
        "metrics": [measure._asdict() for measure in measured.measures],
        "lists": list(measured.lists),
        "truth": measured.truth,
        "systems": {
            name: {
                **system.gaps._asdict(),
                **system.overlap._asdict(),
                "lists_of_row": system.values.lists_of_row,
                "values": _values(system.values),
                "weights": _weights(system.values.weights),
            }
            for name, system in measured.systems.items()
        },
    }


def _loaded(plain: Mapping[str, Any]) -> Measured:
    """Return the `Measured` that `_saved` was called on."""
    return Measured(
        measures=tuple(Measure(**measure) for measure in plain["metrics"]),
        lists=tuple(plain["lists"]),
        truth=plain["truth"],
        systems={
            name: _system(system) for name, system in plain["systems"].items()
        },
    )


def _system(plain: Mapping[str, Any]) -> System:
    values = np.array(plain["values"], np.float64)
    weights = plain["weights"]
    return System(
        Values(
            values,
            np.array([[x is not None for x in row] for row in plain["values"]]),
            np.ones_like(values)
            if weights is None
            else np.array(weights, np.float64),
            plain["lists_of_row"],
        ),
        Gaps(plain["missing"], plain["unknown"]),
        Overlap(**{x: plain[x] for x in Overlap._fields if x in plain}),
    )


def _values(values: Values) -> list[list[float | str | None]]:
    """Return rows with None for excluded lists, and NaN as a string."""
    return [
        [
            (x if math.isfinite(x) else str(x)) if counts else None
            for x, counts in zip(*row, strict=True)
        ]
        for row in zip(
            values.values.tolist(), values.counts.tolist(), strict=True
        )
    ]


def _weights(array: np.ndarray) -> list[list[float | None]] | None:
    """Return rows with None for NaN; None if all weights are 1."""
    if (array == 1).all():
        return None
    rows: list[list[float]] = array.tolist()
    return [[None if x != x else x for x in row] for row in rows]


# A hash to check that two comparisons have the same truth.

_NUMBERS_OF_PART = 2**16  # bounds the memory of the copy in float64


def fingerprint(truth: Any) -> str:
    """Return a hash that is equal for equal arrays or lists."""
    if isinstance(truth, Mapping):
        parts = [f"{key}:{fingerprint(truth[key])}" for key in sorted(truth)]
        return _hashed([",".join(parts).encode()])
    try:
        array = to_numpy(truth)
    except ValueError:  # lists of unequal lengths
        return _hashed([repr(_plain(truth)).encode()])
    if array.dtype.kind in "fiub":
        shape = str(array.shape).encode()
        return _hashed(itertools.chain([shape], _bytes_of(array)))
    return _hashed([repr(array.tolist()).encode()])


def _plain(x: Any) -> Any:
    if isinstance(x, list | tuple):
        return list(map(_plain, x))
    return x if isinstance(x, str | bytes) else float(x)


def _bytes_of(array: np.ndarray) -> Iterator[bytes]:
    """Yield bytes that are equal for equal numbers of any dtype."""
    flat = array.ravel()
    for begin in range(0, len(flat), _NUMBERS_OF_PART):
        part = flat[begin : begin + _NUMBERS_OF_PART]
        yield (part.astype(np.float64) + 0.0).tobytes()  # -0.0 is 0.0


def _hashed(parts: Iterable[bytes]) -> str:
    found = hashlib.blake2b(digest_size=8)
    for part in parts:
        found.update(part)
    return found.hexdigest()
