"""Which metrics are computed together."""

from collections.abc import Container

# A metric is the name of its class, the same in every Keras package, and its k,
# None for all ranks.
Metric = tuple[str, int | None]
Suite = tuple[Metric, ...]

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

NINE_AT_100: Suite = (
    ("NDCG", 10),
    ("NDCG", 50),
    ("NDCG", 100),
    ("MeanAveragePrecision", 100),
    ("MeanReciprocalRank", 100),
    ("PrecisionAtK", 50),
    ("PrecisionAtK", 100),
    ("RecallAtK", 50),
    ("RecallAtK", 100),
)

FIFTEEN: Suite = (
    *NINE,
    ("HitRateAtK", 10),
    ("F1AtK", 10),
    ("FallOutAtK", 10),
    ("ERR", 10),
    ("RankBiasedPrecision", 10),
    ("QMeasure", 10),
)

# How often each item of a catalogue is shown.
COUNTERS: Suite = (
    ("CatalogueCoverage", 10),
    ("ExposureGini", 10),
    ("ExposureEntropy", 10),
)

# Precision, recall and hit rate of a whole list do not look at its order.
WITHOUT_CUTOFF: Suite = (
    ("NDCG", None),
    ("DCG", None),
    ("MeanAveragePrecision", None),
    ("MeanReciprocalRank", None),
)

NEXT_ITEM: Suite = (
    ("HitRateAtK", 10),
    ("NDCG", 10),
    ("MeanReciprocalRank", None),
)

OF_IDS: Suite = (
    ("NDCG", 10),
    ("NDCG", 100),
    ("MeanAveragePrecision", 100),
    ("MeanReciprocalRank", 100),
    ("PrecisionAtK", 10),
    ("PrecisionAtK", 100),
    ("RecallAtK", 10),
    ("RecallAtK", 100),
    ("HitRateAtK", 10),
)


def in_words(metric: Metric) -> str:
    """A metric by a name: NDCG@10."""
    name, k = metric
    return f"{name}@{k or 'all'}"


def having(names: Container[str], suite: Suite) -> Suite:
    """The metrics of these names."""
    return tuple(metric for metric in suite if metric[0] in names)


def computable_of(retrieved: int, items: int, suite: Suite) -> Suite:
    """The metrics that need no more than the best `retrieved` of the items."""
    return tuple(m for m in suite if (m[1] or items) <= retrieved)
