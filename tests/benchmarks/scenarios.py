"""What is measured: the data of one batch, and the metrics of it."""

import dataclasses
from typing import Any, ClassVar

import numpy as np

Tensor = Any

# A metric is the name of its class, the same in every Keras package, and its k,
# None for all ranks.
Suite = tuple[tuple[str, int | None], ...]

NINE: Suite = (
    ("NDCG", 1),
    ("NDCG", 5),
    ("NDCG", 10),
    ("MeanAveragePrecision", 10),
    ("MeanReciprocalRank", 10),
    ("PrecisionAtK", 5),
    ("PrecisionAtK", 10),
    ("RecallAtK", 5),
    ("RecallAtK", 10),
)


NEXT_ITEM: Suite = (
    ("HitRateAtK", 10),
    ("NDCG", 10),
    ("MeanReciprocalRank", None),
)


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One batch of labels and scores, and the metrics to compute of it.

    Args:
        name: what `--scenarios` calls it.
        title: what it stands for, for the report.
        lists: lists in the batch.
        items: items in each list.
        relevant: the share of the items whose label is not 0.
        suite: the metrics.
    """

    name: str
    title: str
    lists: int
    items: int
    relevant: float
    suite: Suite = NINE

    inputs: ClassVar[str] = "scores"
    floor_title: ClassVar[str] = (
        "`top_k` of the scores and of the labels at the deepest cutoff"
    )

    @property
    def depth(self) -> int:
        """The deepest rank that any metric of the suite looks at."""
        return max(k for _, k in self.suite if k is not None)

    @property
    def metric_names(self) -> list[str]:
        """The metrics in the order of their results."""
        return [f"{name}@{k or 'all'}" for name, k in self.suite]

    def smaller(self) -> "Scenario":
        """An eighth of the lists, each as long as before."""
        return dataclasses.replace(self, lists=max(self.lists // 8, 1))

    def data(self) -> tuple[np.ndarray, np.ndarray]:
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

    def floor(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The least that must be done: the best scores and the best labels."""
        from keras import ops

        return [*ops.top_k(y_pred, self.depth), *ops.top_k(y_true, self.depth)]


class NextItem(Scenario):
    """One relevant item in each list, given by its index."""

    inputs = "sparse"
    floor_title = "`sum(scores > t)` and `sum(scores == t)` for the targets' t"

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """The best scored one of the relevant items, and the scores."""
        labels, scores = super().data()
        scored = np.where(labels > 0, scores, -np.inf)
        return np.argmax(scored, axis=1).astype("int32"), scores

    def floor(self, y_true: Tensor, y_pred: Tensor) -> list[Tensor]:
        """The least that must be done: how many score higher, how many tie."""
        from keras import ops

        of_target = ops.take_along_axis(y_pred, y_true[:, None], axis=-1)
        # Floats: that is how both are added up fastest.
        return [
            ops.sum(ops.cast(y_pred > of_target, "float32"), axis=-1),
            ops.sum(ops.cast(y_pred == of_target, "float32"), axis=-1),
        ]


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "catalogue",
            "a whole catalogue scored for each user",
            lists=256,
            items=20_000,
            relevant=0.01,
        ),
        Scenario(
            "ltr",
            "learning to rank, a hundred candidates for each query",
            lists=1024,
            items=100,
            relevant=0.45,
        ),
        NextItem(
            "next-item",
            "the next item, in a whole catalogue scored for each user",
            lists=256,
            items=100_000,
            relevant=0.0001,
            suite=NEXT_ITEM,
        ),
    )
}
