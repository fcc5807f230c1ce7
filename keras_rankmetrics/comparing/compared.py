"""The result of `compare`: values, tests, export and reload."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

import keras
import numpy as np

from keras_rankmetrics.comparing import formats, picture
from keras_rankmetrics.comparing.arguments import (
    check_baseline,
    check_confidence,
    check_systems,
)
from keras_rankmetrics.comparing.overlap import Overlap
from keras_rankmetrics.comparing.report import Report, reported
from keras_rankmetrics.comparing.systems import Gaps, Measure, Measured, System
from keras_rankmetrics.comparing.values import Values

# `Measured` as plain values, and back.


def as_plain(measured: Measured) -> dict[str, Any]:
    """All of it; None stands for what is not known."""
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


def from_plain(given: Mapping[str, Any]) -> Measured:
    """What `as_plain` made."""
    return Measured(
        measures=tuple(Measure(**measure) for measure in given["metrics"]),
        lists=tuple(given["lists"]),
        truth=given["truth"],
        systems={
            name: _system(system) for name, system in given["systems"].items()
        },
    )


def _system(given: Mapping[str, Any]) -> System:
    values = np.array(given["values"], np.float64)
    weights = given["weights"]
    return System(
        Values(
            values,
            np.array([[x is not None for x in row] for row in given["values"]]),
            np.ones_like(values)
            if weights is None
            else np.array(weights, np.float64),
            given["lists_of_row"],
        ),
        Gaps(given["missing"], given["unknown"]),
        Overlap(**{x: given[x] for x in Overlap._fields if x in given}),
    )


def _values(values: Values) -> list[list[float | str | None]]:
    """None for what does not count; JSON has no number for NaN."""
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
    """None where lists weigh alike."""
    if (array == 1).all():
        return None
    rows: list[list[float]] = array.tolist()
    return [[None if x != x else x for x in row] for row in rows]


# `Compared`: systems beside a baseline, as a table, a file or a plot.

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
        return formats.as_text(self.report)

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
        return formats.as_markdown(self.report)

    def to_latex(self, label: str | None = None) -> str:
        r"""A table of LaTeX, which needs the package `booktabs`.

        Args:
            label: of the table, for `\ref`; none by default.
        """
        return formats.as_latex(self.report, label)

    def to_pandas(self) -> Any:
        """A `formats.DataFrame` with a row for each system and metric.

        Raises:
            ImportError: if pandas is not installed.
        """
        return formats.as_frame(self.report)

    def to_csv(self) -> str:
        """Comma-separated values, a row for each system and metric."""
        return formats.as_csv(self.report)

    def to_dict(self, per_list: bool = True) -> dict[str, Any]:
        """All of it as plain values, None for what is not known.

        Args:
            per_list: whether the values of each list are there. `from_dict`
                needs them.
        """
        found = {
            "kind": _KIND,
            **formats.as_plain(self.report),
            "judged": self.judged,
        }
        if per_list:
            found["per_list"] = as_plain(self.measured)
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
            measured = from_plain(values["per_list"])
            return cls(measured, values["baseline"], values["confidence"])
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(
                "`values` should be a dict that `to_dict` made, with all that "
                f"was in it. Received one that cannot be read: {error!r}."
            ) from error

    @classmethod
    def from_json(cls, formats: str | bytes) -> Self:
        """What `to_json` made.

        Raises:
            ValueError: as `from_dict`.
        """
        return cls.from_dict(json.loads(formats))

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


# Whether two truths are the same, from a few letters.

_NUMBERS_OF_PART = 2**16


def of_arrays(truth: Any) -> str:
    """The same for the same arrays, or lists."""
    if isinstance(truth, Mapping):
        parts = [f"{key}:{of_arrays(truth[key])}" for key in sorted(truth)]
        return _hashed([",".join(parts).encode()])
    if keras.ops.is_tensor(truth):
        truth = keras.ops.convert_to_numpy(truth)
    try:
        array = np.asarray(truth)
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
    """The same for equal numbers of any dtype, a part at a time."""
    flat = array.ravel()
    for begin in range(0, len(flat), _NUMBERS_OF_PART):
        part = flat[begin : begin + _NUMBERS_OF_PART]
        yield (part.astype(np.float64) + 0.0).tobytes()  # -0.0 is 0.0


def _hashed(parts: Iterable[bytes]) -> str:
    found = hashlib.blake2b(digest_size=8)
    for part in parts:
        found.update(part)
    return found.hexdigest()
