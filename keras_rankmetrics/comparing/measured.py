"""`Measured`: the values of all systems, metrics and lists."""

from __future__ import annotations

import functools
import hashlib
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates.paired import Statistic
from keras_rankmetrics.engine.inputs.tensors import to_numpy

# Fewer matches than this share of all possible ones look like a mistake.
_LOW = 0.01
ALL = "all"  # the name of the only system of `evaluate`
LEAST_CLUSTERS = 10  # of which intervals hold, in simulations


class Overlap(NamedTuple):
    """The numbers of queries and items that a system and the truth share.

    Items are counted in the queries that both of them have.

    Attributes:
        missing: the queries of the truth that the system lacks.
        unknown: the queries of the system that the truth lacks.
        retrieved: the items that the system retrieves.
        judged: the retrieved items that are judged.
        judgements: all judged items, retrieved or not.
        example: where few items match, or ids differ in spelling, a sentence
            with an item of each side.
        left_out: the `missing` queries that a convention leaves out.
        same_id: the retrieved items that were dropped, since they have the id
            of their query.
        unranked: the items of the system with a score of `-inf`.
        same_id_judged: the labels of the truth that were dropped, for the same
            reason.
        hidden: the relevant items of the truth that the system cannot retrieve:
            their score is `-inf`, or they are dropped or excluded.
    """

    missing: int = 0
    unknown: int = 0
    retrieved: int = 0
    judged: int = 0
    judgements: int = 0
    example: str = ""
    left_out: int = 0
    same_id: int = 0
    unranked: int = 0
    same_id_judged: int = 0
    hidden: int = 0

    @property
    def share(self) -> float | None:
        """The share of judged items among the retrieved ones, if there are any.

        None for arrays, whose items have no ids.
        """
        return self.judged / self.retrieved if self.retrieved else None

    @property
    def is_low(self) -> bool:
        """True if less than 1% of the possible matches were found."""
        return self.judged < max(1, _LOW * self.possible) and self.possible > 0

    @property
    def possible(self) -> int:
        """The number of items that could match.

        A query with one judgement has one possible match, however many items
        are retrieved.
        """
        return min(self.retrieved, self.judgements)


class Values(NamedTuple):
    """The values of a system, with everything that their means need.

    Attributes:
        values: `[metrics, lists]`. NaN is a value that could not be computed;
            the mean is then NaN, too.
        valid: bool `[metrics, lists]`, False for excluded lists, whose value
            may be NaN.
        weights: `[metrics, lists]`, NaN for a list without a weight of its own,
            which gets the mean weight of the others.
        lists_of_row: the number of consecutive lists that belong together, such
            as the steps of a session.
        overlap: the queries and items that the system shares with the truth.
        ranking: a fingerprint of the items at each rank, or of an array of
            scores; "" if unknown.
    """

    values: np.ndarray
    valid: np.ndarray
    weights: np.ndarray
    lists_of_row: int = 1
    overlap: Overlap = Overlap()
    ranking: str = ""

    def taken(self, place: Any) -> Values:
        """Return the values at an index of `[metrics, lists]`."""
        return self.with_arrays(array[place] for array in self[:3])

    def with_arrays(self, arrays: Iterable[np.ndarray]) -> Values:
        """Return the same with other values, valid lists and weights."""
        values, valid, weights = arrays
        return self._replace(values=values, valid=valid, weights=weights)

    def of_lists(self) -> list[list[float | None]]:
        """Return the values by metric and list, None for excluded lists."""
        return with_none(self.values, self.valid)


class Measured(NamedTuple):
    """The values of all systems, metrics and lists.

    Attributes:
        metrics: the means of the metrics whose values are held.
        lists: the ids of the queries, or the numbers of the lists.
        truth: a fingerprint of the truth.
        systems: the values of each system, by name.
        groups: the group of each list; empty without groups.
        rules: how the systems were read, as text; empty by default.
        statistics: those of the table; empty if they are these means.
        read_as: the name of the column of each role, and those of columns
            that were `"not_read"`, by `"truth"` and the names of the systems;
            empty if nothing was assumed, and all were read.
        notes: sentences about the labels of the truth.
        clusters: the cluster of each list, whose lists depend on each other;
            empty if all are independent.
    """

    metrics: tuple[Statistic, ...]
    lists: tuple[Any, ...]
    truth: str
    systems: Mapping[str, Values]
    groups: tuple[str, ...] = ()
    rules: str = ""
    statistics: tuple[Statistic, ...] = ()
    read_as: Mapping[str, Mapping[str, Any]] = {}
    notes: tuple[str, ...] = ()
    clusters: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[Statistic, ...]:
        """The statistics of the table, by default the mean of each metric."""
        return self.statistics or tuple(
            mean._replace(metrics=(place,))
            for place, mean in enumerate(self.metrics)
        )

    def of_group(self, group: str) -> Measured:
        """Return the values of the lists of a group; "" means all lists."""
        if not group:
            return self
        return self.taken(np.flatnonzero(np.array(self.groups) == group))

    def taken(self, lists: np.ndarray) -> Measured:
        """Return the values of the lists at these indices."""
        places, index = lists.tolist(), np.s_[:, lists]
        return self._replace(
            lists=tuple(self.lists[place] for place in places),
            groups=tuple(self.groups[place] for place in places if self.groups),
            clusters=tuple(
                self.clusters[place] for place in places if self.clusters
            ),
            systems={
                name: values.taken(index)
                for name, values in self.systems.items()
            },
        )

    def with_clusters(self, clusters: tuple[str, ...]) -> Measured:
        """Return the same values of lists that depend on each other.

        Raises:
            ValueError: if there are few clusters, or rows of several lists.
        """
        number = len(set(clusters))
        steps = max(x.lists_of_row for x in self.systems.values())
        if steps > 1 or number < LEAST_CLUSTERS:
            received = f"{number} clusters" + f", rows of {steps} lists" * (
                steps > 1
            )
            raise ValueError(
                f"`clusters` should be {LEAST_CLUSTERS} or more, of lists that "
                f"are in no rows. Received: {received}. Leave it out, or pass "
                "smaller clusters that do not depend on each other."
            )
        return self._replace(clusters=clusters)

    @property
    def rows(self) -> np.ndarray:
        """The lists of each cluster, `[clusters, most]`, then -1."""
        return _rows_of(self.clusters)

    def by(self, metrics: tuple[Statistic, ...]) -> Measured:
        """Return the means of the metrics that have these signatures.

        Their names may differ. If one is missing, or there are other statistics
        than means, return everything, which `joined` then refuses.
        """
        places = {m.signature: place for place, m in enumerate(self.metrics)}
        lacks = not {m.signature for m in metrics} <= places.keys()
        if lacks or self.statistics:
            return self
        order = [places[m.signature] for m in metrics]
        systems = {
            name: values.taken(order) for name, values in self.systems.items()
        }
        return self._replace(metrics=metrics, systems=systems)

    def renamed(self, system: str, name: str) -> Measured:
        """Return the values of one system, under another name."""
        read_as = {
            name if side == system else side: columns
            for side, columns in self.read_as.items()
            if side in (system, "truth")
        }
        systems = {name: self.systems[system]}
        return self._replace(systems=systems, read_as=read_as)

    def joined(self, other: Measured) -> Measured:
        """Return the values of the systems of both.

        Raises:
            ValueError: if metrics, lists or the truth differ, or a system is in
                both.
        """
        _check_same_lists(self, other)
        place = {name: i for i, name in enumerate(other.lists)}
        order = np.array([place[name] for name in self.lists], np.int64)
        other = other.taken(order)
        if self.truth != other.truth:
            raise _error("the same labels", "others for the same queries")
        if self.groups != other.groups:
            raise _error("the same groups", "others of the same queries")
        if self.clusters != other.clusters:
            raise _error("the same clusters", "others of the same queries")
        if self.rules != other.rules:
            received = f"{self.rules!r} and {other.rules!r}"
            raise _error("systems read by the same rules", received)
        if not _have_same_weights(self, other):
            raise _error("the same weights", "other weights of the same lists")
        both = sorted(set(self.systems) & set(other.systems))
        if both:
            raise _error("different names of systems", f"{both} in both")
        return self._replace(
            systems={**self.systems, **other.systems},
            read_as={**other.read_as, **self.read_as},
            notes=(*dict.fromkeys((*self.notes, *other.notes)),),
        )

    def notes_of_unjudged(self) -> Iterator[str]:
        """Yield a sentence for each system few of whose items are judged."""
        for name, system in self.systems.items():
            found = system.overlap
            if found.is_low:
                number, could = "none", ""
                if found.judged:
                    number = f"{found.judged:,}"
                    could = f", and {found.possible:,} could be"
                yield (
                    f"{name}: {number} of its {found.retrieved:,} retrieved "
                    f"items are judged ({found.share:.2%}){could}. "
                    f"{found.example}"
                )
            elif found.example:
                yield f"{name}: {found.example}"


@functools.lru_cache(maxsize=4)  # each metric of a table reads it
def _rows_of(clusters: tuple[str, ...]) -> np.ndarray:
    """Return the lists of each cluster, `[clusters, most]`, then -1."""
    _, of_list = np.unique(clusters, return_inverse=True)
    order = np.argsort(of_list, kind="stable")
    sizes = np.bincount(of_list)
    column = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    found = np.full((len(sizes), sizes.max()), -1)
    found[of_list[order], column] = order
    return found


def _check_same_lists(one: Measured, other: Measured) -> None:
    """Raise ValueError if metrics or lists differ, or lists share an id."""
    mine, theirs = (
        [f"{name}: {text}" for name, text, *_ in (*x.metrics, *x.statistics)]
        for x in (one, other)
    )
    if mine != theirs:
        one_rule, other_rule = (
            {re.sub(r"list_weight:\w+", "", text) for text in side}
            for side in (mine, theirs)
        )
        if one_rule & other_rule and not set(mine) & set(theirs):
            raise _error(
                "weights of queries, or none of them",
                "metrics that differ in `list_weight`, as by name with and "
                "without weights",
            )
        raise _error("the same list of metrics", _alone(mine, theirs))
    if set(one.lists) != set(other.lists):
        raise _error("the same queries", _alone(one.lists, other.lists))
    twice = len(one.lists) - len(set(one.lists))
    if twice or len(one.lists) != len(other.lists):
        received = f"{twice} of {len(one.lists)} ids twice"
        raise _error("lists of different ids", received)


def _have_same_weights(one: Measured, other: Measured) -> bool:
    """Return True if the lists that count in both have the same weights."""
    a, b = (next(iter(x.systems.values())) for x in (one, other))
    both = a.valid & b.valid
    return np.allclose(a.weights[both], b.weights[both], equal_nan=True)


def _alone(one: Sequence[Any], other: Sequence[Any]) -> str:
    """Return up to three examples of what is in one of two sequences alone."""
    pairs = (set(one) - set(other), set(other) - set(one))
    here, there = (sorted(x, key=repr)[:3] or "nothing" for x in pairs)
    return f"only the baseline has {here}, only the other side has {there}"


def _error(expected: str, received: str) -> ValueError:
    return ValueError(
        f"Both sides should have {expected}. Received: {received}. Evaluate "
        "both again, in the same way."
    )


def with_none(array: np.ndarray, known: np.ndarray) -> list[list[float | None]]:
    """Return lists of floats, with None where `known` is False."""
    objects = array.astype(object)
    objects[~known] = None
    found: list[list[float | None]] = objects.tolist()
    return found


# Values that JSON can contain.

_NAMES = ("name", "signature", "more_is_better", "bounded")
_KEYS = (*_NAMES, "statistic", "measures", "option")  # of `Statistic`, in order


def saved(measured: Measured) -> dict[str, Any]:
    """Return everything as values that JSON can contain."""
    several = [dict(zip(_KEYS, x, strict=True)) for x in measured.statistics]
    return {
        **({"statistics": several} if several else {}),
        "metrics": [
            dict(zip(_NAMES, mean, strict=False)) for mean in measured.metrics
        ],
        "lists": list(measured.lists),
        "groups": list(measured.groups),
        **({"clusters": [*measured.clusters]} if measured.clusters else {}),
        "rules": measured.rules,
        "roles": dict(measured.read_as),  # `read_as` had texts before
        "notes": list(measured.notes),
        "truth": measured.truth,
        "systems": {
            name: {
                **values.overlap._asdict(),
                "lists_of_row": values.lists_of_row,
                "ranking": values.ranking,
                "values": [
                    list(map(_as_json, row)) for row in values.of_lists()
                ],
                "weights": _weights(values.weights),
            }
            for name, values in measured.systems.items()
        },
    }


def loaded(values: Mapping[str, Any]) -> Measured:
    """Return the `Measured` that `saved` was called on."""
    return Measured(
        metrics=tuple(
            Statistic(*(mean[key] for key in _NAMES))
            for mean in values["metrics"]
        ),
        lists=tuple(values["lists"]),
        groups=tuple(values.get("groups", ())),
        clusters=tuple(values.get("clusters", ())),
        rules=values.get("rules", ""),
        read_as=values.get("roles", {}),
        notes=tuple(values.get("notes", ())),
        statistics=tuple(
            Statistic(*(each[key] for key in _KEYS))._replace(
                metrics=tuple(each["measures"])
            )
            for each in values.get("statistics", ())
        ),
        truth=values["truth"],
        systems={
            name: _values(of_name)
            for name, of_name in values["systems"].items()
        },
    )


def _as_json(x: float | None) -> float | str | None:
    """Return NaN and infinity as strings, since JSON has neither."""
    return x if x is None or math.isfinite(x) else str(x)


def _weights(weights: np.ndarray) -> Any:
    """Return rows with None for NaN; None if all weights are 1."""
    if (weights == 1).all():
        return None
    return with_none(weights, ~np.isnan(weights))


def _values(of_system: Mapping[str, Any]) -> Values:
    rows, weights = of_system["values"], of_system["weights"]
    values = np.array(rows, np.float64)
    valid = np.array([[x is not None for x in row] for row in rows])
    weights = np.ones_like(values) if weights is None else weights
    # Files of earlier versions have fewer numbers.
    known = {x: of_system[x] for x in Overlap._fields if x in of_system}
    return Values(
        values,
        valid,
        np.array(weights, np.float64),
        of_system["lists_of_row"],
        Overlap(**known),
        of_system.get("ranking", ""),
    )


# A hash to check that two comparisons have the same truth.

_NUMBERS_OF_PART = 2**16  # bounds the memory of the copy in float64


def fingerprint_of(truth: Any) -> str:
    """Return a hash that is equal for equal arrays or lists."""
    found = hashlib.blake2b(digest_size=8)
    for part in _parts(truth):
        found.update(part)
    return found.hexdigest()


def _parts(truth: Any) -> Iterator[bytes]:
    """Yield bytes that are equal for equal numbers of any dtype."""
    if isinstance(truth, Mapping):
        parts = [f"{key}:{fingerprint_of(truth[key])}" for key in sorted(truth)]
        yield ",".join(parts).encode()
        return
    try:
        array = to_numpy(truth)
    except ValueError:  # lists of unequal lengths
        yield repr(_plain(truth)).encode()
        return
    if array.dtype.kind not in "fiub":
        yield repr(array.tolist()).encode()
        return
    yield str(array.shape).encode()
    flat = array.ravel()
    for begin in range(0, len(flat), _NUMBERS_OF_PART):
        part = flat[begin : begin + _NUMBERS_OF_PART]
        yield (part.astype(np.float64) + 0.0).tobytes()  # -0.0 is 0.0


def _plain(x: Any) -> Any:
    """Return nested lists of floats, whose ids stay as they are."""
    if isinstance(x, str | bytes):
        return x
    if isinstance(x, list | tuple):
        return list(map(_plain, x))
    if isinstance(x, int | float | np.number):
        return float(x)
    array = to_numpy(x)
    is_number = array.dtype.kind in "fiub"
    return (array.astype(np.float64) if is_number else array).tolist()
