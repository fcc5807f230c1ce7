"""A case for each seed and number."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import keras
import numpy as np

from . import pools
from .breaks import BREAKS
from .case import Case
from .kinds import LABELS, SCORES, WEIGHTS, permuted
from .parts import Part

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
SUBTOPICS = 2  # where all batches are of one shape


@dataclasses.dataclass(frozen=True)
class Variety:
    """How many kinds of cases there are: each costs a backend that compiles.

    Attributes:
        shapes: of the lists, the items and the targets, if they are few; else
            None for any.
        suites: how many of each form.
        ways: of which one is drawn.
    """

    shapes: tuple[tuple[tuple[int, ...], int, int], ...] | None
    suites: int
    ways: tuple[str, ...]


_ONE = (((3,), 5, 2),)
VARIETIES = {
    "torch": Variety(None, pools.SUITES, ("together", "alone")),
    "tensorflow": Variety(None, pools.SUITES, ("together", "alone")),
    "jax": Variety(_ONE, 1, ("together",)),
}
# How programs are compiled, all for the same shape, and one suite of metrics
# for each form and seed.
PROGRAMS = {
    "torch": (),
    "tensorflow": ("graph", "xla"),
    "jax": ("graph",),
}
SHARE_OF_PROGRAMS = {"torch": 0.0, "tensorflow": 0.5, "jax": 0.95}
BROKEN = 0.2


SHARES = {
    "relevance": 0.35,
    "items": 0.35,
    "subtopics": 0.15,
    "references": 0.15,
}
SHARES_OF_FORMS = {"scores": 0.6, "sparse": 0.2, "ids": 0.2}


class Drawn(NamedTuple):
    """Who gets a batch, and of what kind it is.

    Attributes:
        family: of the metrics.
        form: of the input.
        suite: the metrics.
    """

    family: str
    form: str
    suite: pools.Suite

    @property
    def ids(self) -> int:
        """How many different ids there are."""
        return pools.catalogue(self.suite) or 10

    @property
    def items(self) -> int:
        """How many items a list has where all lists are of one shape."""
        most = pools.most_items(self.family, self.suite) or 5
        return pools.catalogue(self.suite) or min(most, 5)

    def case(self, parts: dict[str, Part], **how: Any) -> Case:
        """With such a batch, unless `how` says of whom, for all metrics."""
        given = {"cells": self.suite, "family": self.family, **how}
        return Case(self.form, parts=parts, **given)

    def breaks(self, of_values: bool = False) -> list[str]:
        """The names of what makes such a batch invalid."""
        return [
            name
            for name, x in BREAKS.items()
            if x.fits(self.family, self.form) and of_values <= x.of_values
        ]


def drawn(seed: int, number: int) -> Case:
    """The case of that number; the same each time, on a backend."""
    rng = np.random.default_rng([seed, number])
    backend = keras.backend.backend()
    family = str(rng.choice(list(SHARES), p=list(SHARES.values())))
    forms = pools.FAMILIES[family]
    shares = np.array([SHARES_OF_FORMS[form] for form in forms])
    form = str(rng.choice(forms, p=shares / shares.sum()))
    suites = pools.suites(family, form)
    if rng.random() < SHARE_OF_PROGRAMS[backend]:
        of = Drawn(family, form, suites[seed % len(suites)])
        return _of_a_program(rng, of, PROGRAMS[backend])
    variety = VARIETIES[backend]
    first = seed + int(rng.integers(variety.suites))
    of = Drawn(family, form, suites[first % len(suites)])
    if rng.random() < BROKEN and of.breaks():
        return _broken(rng, of)
    shape = _shape(rng, of, variety)
    parts = _parts(rng, of, *shape) | _others(rng, of, *shape)
    return of.case(
        parts, how=_how(rng, parts), way=str(rng.choice(variety.ways))
    )


def _how(rng: Any, parts: dict[str, Part]) -> str:
    sizes = [part.values.size for part in parts.values()]
    ways = ["arrays", "tensors", "lists"]
    narrow = all(part.dtype != "bfloat16" for part in parts.values())
    return str(rng.choice(ways if all(sizes) and narrow else ways[:2]))


def _shape(
    rng: Any, of: Drawn, variety: Variety
) -> tuple[tuple[int, ...], int, int]:
    if variety.shapes is not None:
        leading, _, targets = _chosen(rng, variety.shapes)
        return leading, of.items, targets
    leading = _chosen(rng, [(3,), (2,), (1,), (5,), (0,), (), (2, 2), (7,)])
    items = int(rng.choice([0, 1, 2, 3, 5, 8, 15, 16, 17, 40, 130]))
    items = min(items, pools.most_items(of.family, of.suite) or items)
    if items == 1 and (len(leading) > 1 or of.family == "subtopics"):
        items = 2  # a last dimension of 1 is dropped
    if of.form != "ids":
        items = pools.catalogue(of.suite) or items
    return leading, items, int(rng.choice([1, 1, 2, 5]))


def _broken(rng: Any, of: Drawn) -> Case:
    return of.case(
        plain(rng, of.family, of.form, 3, of.items),
        cells=(_chosen(rng, of.suite),),
        way=str(rng.choice(["together", "alone"])),
        broken=str(rng.choice(of.breaks())),
    )


def _of_a_program(rng: Any, of: Drawn, ways: Sequence[str]) -> Case:
    [(leading, _, targets)], way = _ONE, str(rng.choice(ways))
    shape = leading, of.items, targets
    if rng.random() < BROKEN and of.breaks(of_values=True):
        parts = plain(rng, of.family, of.form, *leading, of.items)
        parts |= _nothing_else(of.form, *leading, of.items)
        broken = str(rng.choice(of.breaks(of_values=True)))
        return of.case(parts, way=way, broken=broken)
    parts = _parts(rng, of, *shape, dtype="float32")
    parts |= _others_of_programs(rng, of, *shape)
    return of.case(parts, way=way)


def plain(
    rng: Any, family: str, form: str, lists: int, items: int
) -> dict[str, Part]:
    """A batch in which every list and every item counts."""
    scores = Part.of(permuted(rng, (lists, items)), "float32")
    subtopics = (SUBTOPICS,) if family == "subtopics" else ()
    labels = rng.integers(0, 4, (lists, items, *subtopics))
    labels[:, 0] = 2
    if form == "scores":
        return {"labels": Part.of(labels, "float32"), "scores": scores}
    target = Part.of(rng.integers(0, items, (lists, 2)), "int32")
    if form == "sparse":
        return {"target": target, "scores": scores}
    ids = [rng.permutation(items) for _ in range(lists)]
    return {"target": target, "ids": Part.of(ids, "int32")}


# What is ranked


def _parts(
    rng: Any,
    of: Drawn,
    leading: tuple[int, ...],
    items: int,
    targets: int,
    dtype: str | None = None,
) -> dict[str, Part]:
    shape = (*leading, items)
    if of.form == "scores":
        return {
            "labels": _labels(rng, of.family, shape, dtype),
            "scores": _numbers(rng, shape, SCORES, dtype),
        }
    shape_of_targets = (*leading, targets)
    if of.form == "sparse":
        target = rng.integers(-2, max(items, 1), shape_of_targets)
        return {
            "target": _integers(rng, np.minimum(target, items - 1), dtype),
            "scores": _numbers(rng, shape, SCORES, dtype),
        }
    target = rng.integers(-1, of.ids, shape_of_targets)
    if targets > 2:  # which must not look like labels
        target[..., 0] = of.ids - 1
    return {
        "target": _integers(rng, target, dtype),
        "ids": _integers(rng, rng.integers(-1, of.ids, shape), dtype),
    }


def _labels(
    rng: Any, family: str, shape: tuple[int, ...], dtype: str | None
) -> Part:
    if family != "subtopics":
        kinds = SCORES if family == "references" else LABELS
        return _numbers(rng, shape, kinds, dtype)
    number = SUBTOPICS if dtype else int(rng.choice([1, 2, 2, 3]))
    every = [_values(rng, shape, LABELS) for _ in range(number)]
    return _part(rng, np.stack(every, axis=-1), dtype)


def _integers(rng: Any, x: np.ndarray, dtype: str | None) -> Part:
    return Part.of(x, "int32" if dtype else str(rng.choice(SIGNED)))


def _numbers(
    rng: Any,
    shape: tuple[int, ...],
    kinds: Sequence[Callable],
    dtype: str | None,
) -> Part:
    return _part(rng, _values(rng, shape, kinds), dtype)


def _values(
    rng: Any, shape: tuple[int, ...], kinds: Sequence[Callable]
) -> np.ndarray:
    """Of one kind in all lists, or of another one in each."""
    if rng.random() < 0.5 and len(shape) == 2:
        rows = [_chosen(rng, kinds)(rng, shape[1:]) for _ in range(shape[0])]
        return np.reshape(rows, shape)
    return np.asarray(_chosen(rng, kinds)(rng, shape), "float64")


def _part(rng: Any, values: np.ndarray, dtype: str | None) -> Part:
    """With a dtype that holds such numbers, if none is given."""
    if dtype is None:
        dtype = str(rng.choice(FLOATS))
        whole = np.all(np.isfinite(values)) and np.all(values % 1 == 0)
        if whole and np.all(np.abs(values) < 100) and rng.random() < 0.5:
            dtype = str(rng.choice(SIGNED))
            if np.all((values == 0) | (values == 1)):
                dtype = str(rng.choice(["bool", "uint8", "int64"]))
    with np.errstate(over="ignore"):
        return Part.of(values, dtype)


# What belongs to the lists


def _others(
    rng: Any, of: Drawn, leading: tuple[int, ...], items: int, _: int
) -> dict[str, Part]:
    found = {}
    form = of.form
    of_items = (*leading, items)
    kinds = [(), leading]
    if leading:
        kinds.append((*leading, 1))
    if form == "scores":
        kinds += [of_items] * 3
        # One weight for each item of a batch of one list, or for each list?
        if len(leading) == 1 and leading[0] == 1 and items == 1:
            kinds = [()]
    if rng.random() < 0.5:
        found["weights"] = _numbers(rng, _chosen(rng, kinds), WEIGHTS, None)
    if rng.random() < 0.3:
        shape = of_items if rng.random() < 0.7 else leading
        mask = rng.random(shape) < rng.choice([0.0, 0.5, 0.9, 1.0])
        found["mask"] = Part.of(mask, "bool")
    if of.family == "references":
        return found
    if rng.random() < 0.25:
        found["exclude"] = _excluded(rng, of, leading, items)
    if form == "scores":
        if rng.random() < 0.15:
            found["judged"] = Part.of(rng.random(of_items) < 0.7, "bool")
        counts = of.family == "relevance" and "weights" not in found
        if rng.random() < 0.15 and counts:
            count = rng.integers(0, 30, leading)
            dtype = str(rng.choice(["int32", "float32", "float64"]))
            found["num_relevant"] = Part.of(count, dtype)
    return found


def _others_of_programs(
    rng: Any, of: Drawn, leading: tuple[int, ...], items: int, _: int
) -> dict[str, Part]:
    """Always the same, so that few programs are compiled."""
    of_items = (*leading, items)
    shape = of_items if of.form == "scores" else leading
    share = rng.choice([0.5, 0.9, 1.0])
    found = {
        "weights": _numbers(rng, shape, WEIGHTS, "float32"),
        "mask": Part.of(rng.random(of_items) < share, "bool"),
    }
    if of.family != "references":
        excluded = _excluded(rng, of, leading, items).values
        found["exclude"] = Part.of(excluded, "int32")
    return found


def _nothing_else(form: str, lists: int, items: int) -> dict[str, Part]:
    """The parts that programs always have, without any effect."""
    shape = (lists, items) if form == "scores" else (lists,)
    return {
        "weights": Part.of(np.ones(shape), "float32"),
        "mask": Part.of(np.ones((lists, items)), "bool"),
        "exclude": Part.of(np.full((lists, 2), -1), "int32"),
    }


def _excluded(
    rng: Any, of: Drawn, leading: tuple[int, ...], items: int
) -> Part:
    least, most = (-1, of.ids) if of.form == "ids" else (-2, items)
    rows = rng.integers(least, max(most, 1), (*leading, 2))
    return Part.of(np.minimum(rows, most - 1), "int64")


def _chosen(rng: Any, values: Sequence) -> Any:
    return values[rng.integers(len(values))]
