"""What makes a batch invalid, each by a name.

Each takes a batch of a form, as it would be passed, and breaks it. All of them
are an error where the numbers can be seen. Those of values are NaN in programs
that are compiled.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

Given = dict[str, Any]
Passed = tuple[Any, Any, Any]


def arguments(given: Given, form: str) -> Passed:
    """`y_true`, `y_pred` and `sample_weight`."""
    y_true = {n: x for n, x in given.items() if n in _OF_TRUE}
    if len(y_true) == 1:
        [y_true] = y_true.values()
    return y_true, given[_PREDICTED[form]], given.get("weights")


_OF_TRUE = ("labels", "target", "mask", "judged", "exclude", "num_relevant")
_PREDICTED = {"scores": "scores", "sparse": "scores", "ids": "ids"}


@dataclasses.dataclass(frozen=True)
class Break:
    """Something that is wrong.

    Attributes:
        change: what becomes of the parts.
        forms: of which input.
        of_values: whether shapes and dtypes remain as they were, so that a
            program does not see it before it runs.
        families: of which metrics.
    """

    change: Callable[[Given], Given]
    forms: tuple[str, ...]
    of_values: bool = False
    families: tuple[str, ...] = ("relevance", "items", "subtopics")

    def fits(self, family: str, form: str) -> bool:
        """Whether there is such a thing in such a batch."""
        return form in self.forms and family in self.families

    def of(self, given: Given, form: str) -> Passed:
        given = {n: np.array(x) for n, x in given.items()}
        return arguments({**given, **self.change(given)}, form)


def main(given: Given) -> str:
    return "labels" if "labels" in given else "target"


def predicted(given: Given) -> str:
    return "ids" if "ids" in given else "scores"


def lists(given: Given) -> int:
    return len(given[predicted(given)])


def with_one(x: np.ndarray, value: Any) -> np.ndarray:
    """The array with another number at its first place."""
    x = x.copy()
    x[(0,) * x.ndim] = value
    return x


def weights(given: Given, value: float) -> np.ndarray:
    """Of items where there are labels, else of lists."""
    shape = given[predicted(given)].shape
    shape = shape if "labels" in given else shape[:-1]
    return with_one(np.ones(shape, "float32"), value)


def excluded(given: Given, index: int) -> np.ndarray:
    return with_one(np.full((lists(given), 2), -1, "int32"), index)


class Odd:
    """What converts to nothing."""


ALL = ("scores", "sparse", "ids")
S, T, IDS = ("scores",), ("sparse",), ("ids",)
ST = S + T
TI = T + IDS

BREAKS = {
    # The shapes
    "one label less": Break(lambda g: {"labels": g["labels"][:, 1:]}, S),
    "one list more": Break(
        lambda g: {main(g): np.concatenate([g[main(g)], g[main(g)][:1]])}, ALL
    ),
    "a single number": Break(lambda g: {predicted(g): 1.0}, ST),
    "a single id": Break(lambda g: {"ids": 1}, IDS),
    "three dimensions for two": Break(
        lambda g: {main(g): np.stack([g[main(g)]] * 2, -1)}, ALL
    ),
    "a mask of fewer items": Break(
        lambda g: {"mask": np.ones((lists(g), 2), bool)}, ALL
    ),
    "a mask of one list more": Break(
        lambda g: {"mask": np.ones(lists(g) + 1, bool)}, ALL
    ),
    "judged by list": Break(lambda g: {"judged": np.ones(lists(g), bool)}, S),
    "weights of one list more": Break(
        lambda g: {"weights": np.ones(lists(g) + 1, "float32")}, ALL
    ),
    "weights of one item more": Break(
        lambda g: {
            "weights": np.ones(np.add(g["scores"].shape, (0, 1)), "float32")
        },
        ST,
    ),
    "weights of items of a single list": Break(
        lambda g: {"weights": np.ones(g["scores"].shape[-1], "float32")}, S
    ),
    "num_relevant of one list more": Break(
        lambda g: {"num_relevant": np.ones(lists(g) + 1)}, S
    ),
    "exclude without a row": Break(
        lambda g: {"exclude": np.zeros(lists(g), int)}, ALL
    ),
    "exclude of one list more": Break(
        lambda g: {"exclude": np.zeros((lists(g) + 1, 1), int)}, ALL
    ),
    # The types
    "no labels": Break(lambda g: {main(g): None}, ALL),
    "no predictions": Break(lambda g: {predicted(g): None}, ALL),
    "labels of strings": Break(
        lambda g: {main(g): g[main(g)].astype(str)}, ALL
    ),
    "predictions of strings": Break(
        lambda g: {predicted(g): g[predicted(g)].astype(str)}, ALL
    ),
    "an object": Break(lambda g: {predicted(g): Odd()}, ALL),
    "a set": Break(lambda g: {main(g): {1, 2}}, ALL),
    "an array of objects": Break(
        lambda g: {main(g): np.full(g[main(g)].shape, None)}, ALL
    ),
    "complex scores": Break(
        lambda g: {"scores": g["scores"].astype("complex64")}, ST
    ),
    "dates": Break(
        lambda g: {
            predicted(g): np.zeros(g[predicted(g)].shape, "datetime64[s]")
        },
        ALL,
    ),
    "a function": Break(lambda g: {"weights": len}, ALL),
    "weights of strings": Break(lambda g: {"weights": ["a"] * lists(g)}, ALL),
    "scores of uint64": Break(
        lambda g: {"scores": np.full(g["scores"].shape, 2**64 - 1, "uint64")},
        ST,
    ),
    "a mask of floats": Break(
        lambda g: {"mask": np.ones(g[predicted(g)].shape, "float32")}, ALL
    ),
    "exclude of floats": Break(
        lambda g: {"exclude": np.zeros((lists(g), 1))}, ALL
    ),
    "targets of floats": Break(
        lambda g: {"target": g["target"].astype("float32")}, TI
    ),
    "ids of floats": Break(lambda g: {"ids": g["ids"].astype("float32")}, IDS),
    "ragged lists of other lengths": Break(
        lambda g: {
            "labels": [x.tolist()[i % 2 :] for i, x in enumerate(g["labels"])],
            "scores": [x.tolist()[i == 0 :] for i, x in enumerate(g["scores"])],
        },
        S,
    ),
    "a hidden label": Break(
        lambda g: {
            main(g): np.ma.masked_array(
                g[main(g)], g[main(g)] == g[main(g)].flat[0]
            )
        },
        ALL,
    ),
    # The values
    "a negative weight": Break(
        lambda g: {"weights": weights(g, -0.5)}, ALL, of_values=True
    ),
    "an infinite weight": Break(
        lambda g: {"weights": weights(g, np.inf)}, ALL, of_values=True
    ),
    "a weight of minus infinity": Break(
        lambda g: {"weights": weights(g, -np.inf)}, ALL, of_values=True
    ),
    "exclude beyond the items": Break(
        lambda g: {"exclude": excluded(g, g["scores"].shape[-1])},
        ST,
        of_values=True,
    ),
    "exclude far beyond the items": Break(
        lambda g: {"exclude": excluded(g, 2**31 - 1)}, ST, of_values=True
    ),
    "a target beyond the items": Break(
        lambda g: {"target": with_one(g["target"], g["scores"].shape[-1])},
        T,
        of_values=True,
    ),
    "a target far beyond the items": Break(
        lambda g: {"target": with_one(g["target"], 2**31 - 1)},
        T,
        of_values=True,
    ),
    "a negative weight of a list": Break(
        lambda g: {"weights": with_one(np.ones(lists(g), "float32"), -0.5)}, S
    ),
    "negative num_relevant": Break(
        lambda g: {
            "num_relevant": with_one(np.ones(lists(g), "float32"), -1.0)
        },
        S,
    ),
    "labels for targets": Break(
        lambda g: {"target": np.indices(g["scores"].shape)[-1] % 2}, T
    ),
    "a mask to exclude by": Break(
        lambda g: {"exclude": np.indices(g["scores"].shape)[-1] % 2}, ST
    ),
    # What one family alone refuses
    "scores of another catalogue": Break(
        lambda g: {
            n: x[:, 1:] for n, x in g.items() if n in ("labels", "scores")
        },
        ST,
        families=("items",),
    ),
    "an id beyond the catalogue": Break(
        lambda g: {"ids": with_one(g["ids"], g["ids"].shape[-1])},
        IDS,
        of_values=True,
        families=("items",),
    ),
    "a target beyond the catalogue": Break(
        lambda g: {"target": with_one(g["target"], g["ids"].shape[-1])},
        IDS,
        of_values=True,
        families=("items",),
    ),
    "a negative id": Break(
        lambda g: {"ids": with_one(g["ids"], -2)}, IDS, of_values=True
    ),
    "a negative target": Break(
        lambda g: {"target": with_one(g["target"], -2)}, IDS, of_values=True
    ),
    "labels without subtopics": Break(
        lambda g: {"labels": g["labels"][..., 0]}, S, families=("subtopics",)
    ),
    "labels of no subtopic": Break(
        lambda g: {"labels": g["labels"][..., :0]}, S, families=("subtopics",)
    ),
    "num_relevant of subtopics": Break(
        lambda g: {"num_relevant": np.ones(lists(g))},
        S,
        families=("subtopics",),
    ),
}
