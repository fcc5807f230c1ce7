"""The data of one batch, the metrics of it, and its reference."""

import abc
import dataclasses
import functools
from typing import Any, ClassVar

import numpy as np

from tests.tools.benchmarks.backends import top_k
from tests.tools.benchmarks.documents import Documents, of_ids, of_scores
from tests.tools.benchmarks.suites import (
    COUNTERS,
    FIFTEEN,
    NEXT_ITEM,
    NINE,
    NINE_AT_100,
    OF_IDS,
    WITHOUT_CUTOFF,
    Suite,
)

Tensor = Any
Arrays = tuple[np.ndarray, np.ndarray]

# More, as dicts of names, would take gigabytes and minutes.
MOST_DOCUMENTS = 10**6


@dataclasses.dataclass(frozen=True)
class Batch(abc.ABC):
    """What metrics take, and which metrics.

    Args:
        name: what `--scenarios` calls it.
        title: what it stands for, for the report.
        suite: the metrics.
        lists: lists in the batch.
        items: items in each list.
    """

    name: str
    title: str
    suite: Suite
    lists: int
    items: int

    inputs: ClassVar[str]
    reference_title: ClassVar[str]

    @property
    def size(self) -> str:
        """How much it is, in words."""
        return f"{self.lists:,} x {self.items:,}"

    @property
    def options(self) -> dict[str, Any]:
        """What our metrics are told of it."""
        return {"inputs": self.inputs}

    @property
    def depth(self) -> int:
        """The deepest cutoff of the suite; all items, if it has none."""
        return max((k for _, k in self.suite if k), default=self.items)

    @property
    def retrieved(self) -> int:
        """How many of the items of a list its documents name.

        All, or where these would be too many, as far as any metric looks.
        """
        few = self.lists * self.items <= MOST_DOCUMENTS
        return self.items if few else self.depth

    @property
    def ranked_before(self) -> str:
        """What one must know of a time that begins with the documents."""
        if self.retrieved == self.items:
            return ""
        return (
            f"gets the best {self.retrieved} of {self.items:,} items: ranking "
            "them is not timed"
        )

    def smaller(self) -> "Batch":
        """A sixteenth of the lists, each as long as before."""
        return dataclasses.replace(self, lists=max(self.lists // 16, 1))

    @property
    @abc.abstractmethod
    def arrays(self) -> Arrays:
        """`y_true` and `y_pred`, as metrics of these `inputs` take them."""

    @property
    @abc.abstractmethod
    def dense(self) -> Arrays | None:
        """Labels and scores `[lists, items]`, where there are any."""

    @abc.abstractmethod
    def documents(self) -> Documents:
        """What is retrieved and what is relevant, by name."""

    @abc.abstractmethod
    def reference(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The least we know the work to need, whatever the metrics."""


@dataclasses.dataclass(frozen=True)
class Scored(Batch):
    """Graded labels and scores.

    Args:
        relevant: the share of the items whose label is not 0.
    """

    relevant: float

    inputs = "scores"
    reference_title = (
        "`top_k` of the scores and of the labels at the deepest cutoff"
    )

    @functools.cached_property
    def arrays(self) -> Arrays:
        """Labels and scores."""
        return self._draw()

    @property
    def dense(self) -> Arrays:
        """The same."""
        return self.arrays

    def documents(self) -> Documents:
        """The relevant items, and those that are retrieved."""
        return of_scores(*self.dense, self.retrieved)

    def reference(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The best scores and the best labels."""
        return [*top_k(y_pred, self.depth), *top_k(y_true, self.depth)]

    def _draw(self) -> Arrays:
        """Labels 0 to 4 and scores without ties, float32 `[lists, items]`."""
        rng = np.random.default_rng(0)
        shape = (self.lists, self.items)
        labels = rng.integers(1, 5, shape) * (rng.random(shape) < self.relevant)
        # Better than chance, not perfect: near 0 or 1 all metrics agree.
        order = np.argsort(rng.standard_normal(shape) + 0.3 * labels, axis=1)
        # Drawn floats would tie now and then (there are 2^24 of them), and
        # packages may then differ for a good reason. These are distinct.
        ladder = np.linspace(-4, 4, self.items, dtype="float32")
        assert len(np.unique(ladder)) == self.items
        scores = np.empty(shape, "float32")
        np.put_along_axis(scores, order, ladder[None], axis=1)
        return labels.astype("float32"), scores


class WholeLists(Scored):
    """No cutoff: all items must be put into order."""

    reference_title = "`argsort` of the scores and of the labels"

    def reference(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The order of both."""
        from keras import ops

        return [ops.argsort(y_pred, axis=-1), ops.argsort(y_true, axis=-1)]


class NextItem(Scored):
    """One relevant item in each list, given by its index."""

    inputs = "sparse"
    reference_title = (
        "`sum(scores > t)` and `sum(scores == t)` for the targets' t"
    )

    @functools.cached_property
    def arrays(self) -> Arrays:
        """The best scored one of the relevant items, and the scores."""
        labels, scores = self._draw()
        scored = np.where(labels > 0, scores, -np.inf)
        return np.argmax(scored, axis=1).astype("int32"), scores

    @functools.cached_property
    def dense(self) -> Arrays:
        """A label of 1 for the target, for those who do not take an index."""
        targets, scores = self.arrays
        labels = np.zeros_like(scores)
        np.put_along_axis(labels, targets[:, None], 1.0, axis=1)
        return labels, scores

    def reference(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """How many score higher than the target, and how many tie."""
        from keras import ops

        of_target = ops.take_along_axis(y_pred, y_true[:, None], axis=-1)
        # Floats: that is how both are added up fastest.
        return [
            ops.sum(ops.cast(y_pred > of_target, "float32"), axis=-1),
            ops.sum(ops.cast(y_pred == of_target, "float32"), axis=-1),
        ]


class Shown(NextItem):
    """The same, of which it is asked which items are shown."""

    reference_title = "`top_k` of the scores at the cutoff"

    @property
    def options(self) -> dict[str, Any]:
        """The size of the catalogue too."""
        return {**super().options, "num_items": self.items}

    def reference(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The best scores, and whose they are."""
        return [*top_k(y_pred, self.depth)]


class Ids(Batch):
    """`items` recommended ids for each user, up to twice as many relevant."""

    inputs = "ids"
    reference_title = (
        "one `sort` of the ids of both sides together, which makes equal ids "
        "neighbours"
    )
    # A prime: steps of any length through it come to every id once.
    CATALOGUE: ClassVar[int] = 49_999

    @property
    def size(self) -> str:
        """How much it is, in words."""
        return f"{super().size} of up to {2 * self.items:,}"

    @functools.cached_property
    def arrays(self) -> Arrays:
        """Relevant ids, padded with -1, and recommended ones, best first."""
        rng = np.random.default_rng(0)
        most = 2 * self.items
        first = rng.integers(0, self.CATALOGUE, (self.lists, 1))
        step = rng.integers(1, self.CATALOGUE, (self.lists, 1))
        places = np.arange(self.items + most)
        ids = ((first + step * places) % self.CATALOGUE).astype("int32")
        # What is recommended first is more often relevant.
        key = rng.random(ids.shape)
        key[:, : self.items] += np.linspace(-0.3, 0.3, self.items)
        relevant = np.take_along_axis(ids, np.argsort(key)[:, :most], axis=1)
        counts = rng.integers(1, most + 1, (self.lists, 1))
        relevant[np.arange(most) >= counts] = -1
        return relevant, ids[:, : self.items]

    @property
    def dense(self) -> None:
        """None: ids have neither labels nor scores."""

    def documents(self) -> Documents:
        """All that is recommended, and all that is relevant."""
        return of_ids(*self.arrays)

    def reference(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The ids in an order in which equal ones meet."""
        from keras import ops

        return [ops.sort(ops.concatenate([y_true, y_pred], axis=-1), axis=-1)]


CATALOGUE = Scored(
    "catalogue",
    "a whole catalogue scored for each user",
    NINE,
    lists=256,
    items=20_000,
    relevant=0.01,
)
CATALOGUE_100 = Scored(
    "catalogue-100",
    "the same catalogue, with cutoffs up to 100",
    NINE_AT_100,
    lists=256,
    items=20_000,
    relevant=0.01,
)
FIFTEEN_METRICS = Scored(
    "fifteen",
    "the same catalogue, with six more metrics",
    FIFTEEN,
    lists=256,
    items=20_000,
    relevant=0.01,
)
COUNTED = Shown(
    "counters",
    "how often each item of a catalogue is shown",
    COUNTERS,
    lists=256,
    items=20_000,
    relevant=0.0001,
)
LTR = Scored(
    "ltr",
    "learning to rank, a hundred candidates per query",
    NINE,
    lists=1024,
    items=100,
    relevant=0.45,
)
LTR_ALL = WholeLists(
    "ltr-all",
    "learning to rank, without a cutoff",
    WITHOUT_CUTOFF,
    lists=1024,
    items=100,
    relevant=0.45,
)
NEXT = NextItem(
    "next-item",
    "next item, with a whole catalogue scored for each user",
    NEXT_ITEM,
    lists=256,
    items=100_000,
    relevant=0.0001,
)
IDS = Ids(
    "ids",
    "ids recommended to users",
    OF_IDS,
    lists=10_000,
    items=100,
)
