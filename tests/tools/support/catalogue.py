"""The catalogue: every metric with every option worth a test, one row each.

The laws, the comparison with the oracle and the tests of ties run over all
rows. A new metric is one new row.
"""

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any

import keras
import oracle
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics import gains

# The highest label of the laws.
HIGHEST = 4.0


@keras.saving.register_keras_serializable("tests")
class PFoundOfGrades(krm.PFound):
    """PFound of grades, since the laws share batches, with labels above 1."""

    @staticmethod
    def relevance(label):
        return krm.PFound.relevance(label / HIGHEST)


STRICT_TIES = ("stable", "pessimistic", "optimistic")


def plus_one_gain(label):
    """A gain that is not 0 for the label 0."""
    return label + 1.0


def root_discount(rank):
    return ops.rsqrt(rank)


# The same functions for the oracle, in plain Python.
PLAIN = {
    gains.linear_gain: lambda label: label,
    gains.exponential_gain: oracle.exponential_gain,
    plus_one_gain: lambda label: label + 1.0,
    gains.natural_log_discount: lambda rank: 1.0 / math.log(rank + 1),
    gains.original_discount: lambda rank: 1.0 / math.log2(max(rank, 2)),
    gains.reciprocal_discount: lambda rank: 1.0 / rank,
    gains.inverse_square_discount: lambda rank: (
        1.0 / (math.pi**2 / 6.0 - 1.0) / (rank + 1) ** 2
    ),
    root_discount: lambda rank: 1.0 / math.sqrt(rank),
}


# What the perfect order gives, if it retrieves all n items of the list.


def always_1(k: int, n: int, relevant: int) -> float:
    return 1.0


def found_of_retrieved(k: int, n: int, relevant: int) -> float:
    return min(k, relevant) / min(k, n)


def found_of_k(k: int, n: int, relevant: int) -> float:
    return min(k, relevant) / k


def found_of_relevant(k: int, n: int, relevant: int) -> float:
    return min(k, relevant) / relevant


def found_of_both(k: int, n: int, relevant: int) -> float:
    return 2 * min(k, relevant) / (min(k, n) + relevant)


def found_of_k_and_relevant(k: int, n: int, relevant: int) -> float:
    return 2 * min(k, relevant) / (k + relevant)


def of_f2(k: int, n: int, relevant: int) -> float:
    return 5 * min(k, relevant) / (min(k, n) + 4 * relevant)


def all_of_relevant(k: int, n: int, relevant: int) -> float:
    return float(k >= relevant)


def reciprocals(k: int, n: int, relevant: int) -> float:
    return sum(1 / i for i in range(1, min(k, relevant) + 1)) / relevant


def reciprocals_of_found(k: int, n: int, relevant: int) -> float:
    return reciprocals(k, n, relevant) * relevant / min(k, relevant)


def patience_of_four_fifths(k: int, n: int, relevant: int) -> float:
    return 1 - 0.8 ** min(k, relevant)


@dataclasses.dataclass(frozen=True)
class Row:
    """A metric with some options.

    Attributes:
        metric: the class.
        oracle: what the oracle calls it.
        options: its own options.
        perfect: what the perfect order gives, from k, the number of items and
            how many are relevant; None where values have no upper bound.
        weighted: whether the weights of items change its values, other than
            by masking items.
        bounded_if_weighted: whether values stay within 1 then.
        needs_k: whether `k=None` is an error.
        takes_k: whether there is a `k`.
        margin: how far values may be off, of what they are above 1.
        by_labels: whether only labels say what it asks, and no ids.
        lowest: below which there is no value.
        less_is_better: whether the perfect order has the lowest value.
        strict_only: whether `ties="average"` is an error.
        certain_denominator: whether what it divides by is the same in all
            orders of tied items.
        stand_in: what is made in its place where it refuses labels above 1:
            the same metric of labels up to `HIGHEST`.
    """

    metric: type[krm.RankingMetric]
    oracle: str
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    _: dataclasses.KW_ONLY
    perfect: Callable[[int, int, int], float] | None = always_1
    weighted: bool = False
    bounded_if_weighted: bool = True
    needs_k: bool = False
    takes_k: bool = True
    margin: float = 1e-6
    by_labels: bool = False
    lowest: float = 0.0
    less_is_better: bool = False
    strict_only: bool = False
    certain_denominator: bool = True
    stand_in: type[krm.RankingMetric] | None = None

    def __str__(self) -> str:
        values = [getattr(v, "__name__", v) for v in self.options.values()]
        return "-".join(map(str, [self.metric.__name__, *values]))

    @property
    def bounded(self) -> bool:
        """Whether values stay within 1, if no weights of items are given."""
        return self.perfect is not None

    @property
    def for_oracle(self) -> dict[str, Any]:
        """The options as the oracle wants them."""
        options = {
            name: PLAIN[value] if callable(value) else value
            for name, value in self.options.items()
        }
        return options if self.stand_in is None else options | _SCALED

    def make(self, k: int | None = None, **options: Any) -> krm.RankingMetric:
        """The metric, with that cutoff if it takes one."""
        cutoff = {"k": k} if self.takes_k else {}
        made = self.stand_in or self.metric
        return made(**cutoff, **self.options, **options)

    def has_value(self, items: list[oracle.Item]) -> bool:
        """Whether a list of these items has a value."""
        options = oracle.complete(self.oracle, self.for_oracle)
        return oracle.has_value(self.oracle, items, options)

    def relevant(self, items: list[oracle.Item]) -> int:
        """How many of the items are relevant, or have a gain."""
        options = oracle.complete(self.oracle, self.for_oracle)
        relevance = oracle.relevance(self.oracle, options)
        return sum(relevance(item) > 0 for item in items)


_SCALED = {"highest": HIGHEST}

OWN_FUNCTIONS = {"gain_fn": plus_one_gain, "rank_discount_fn": root_discount}

EVERY_ROW = (
    Row(krm.DCG, "dcg", perfect=None, weighted=True),
    Row(krm.DCG, "dcg", OWN_FUNCTIONS, perfect=None, weighted=True),
    Row(
        krm.DCG,
        "dcg",
        {
            "gain_fn": gains.linear_gain,
            "rank_discount_fn": gains.reciprocal_discount,
        },
        perfect=None,
        weighted=True,
    ),
    Row(krm.NDCG, "ndcg", weighted=True),
    Row(krm.NDCG, "ndcg", OWN_FUNCTIONS, weighted=True),
    Row(krm.NDCG, "ndcg", {"gain_fn": gains.linear_gain}, weighted=True),
    *(
        Row(krm.NDCG, "ndcg", {"rank_discount_fn": function}, weighted=True)
        for function in (
            gains.natural_log_discount,
            gains.original_discount,
            gains.reciprocal_discount,
            gains.inverse_square_discount,
        )
    ),
    Row(
        krm.NDCG,
        "ndcg",
        {"ideal": "retrieved"},
        weighted=True,
        strict_only=True,
        certain_denominator=False,
    ),
    Row(
        krm.NDCG,
        "ndcg",
        {"ideal": "retrieved", "gain_fn": gains.linear_gain},
        weighted=True,
        strict_only=True,
        certain_denominator=False,
    ),
    Row(krm.NDCG, "ndcg", {"ideal": "uncut"}, perfect=None, weighted=True),
    Row(krm.NDCG, "ndcg", {"ideal": "shown"}, weighted=True),
    Row(
        krm.NDCG,
        "ndcg",
        {"ideal": "shown", "gain_fn": gains.linear_gain},
        weighted=True,
    ),
    Row(krm.PrecisionAtK, "precision", perfect=found_of_retrieved),
    Row(
        krm.PrecisionAtK,
        "precision",
        {"denominator": "k"},
        perfect=found_of_k,
        needs_k=True,
    ),
    Row(
        krm.PrecisionAtK,
        "precision",
        {"relevance_threshold": 2.0},
        perfect=found_of_retrieved,
    ),
    Row(krm.F1AtK, "f1", perfect=found_of_both),
    Row(
        krm.F1AtK,
        "f1",
        {"denominator": "k"},
        perfect=found_of_k_and_relevant,
        needs_k=True,
    ),
    Row(krm.F1AtK, "f1", {"relevance_threshold": 0.5}, perfect=found_of_both),
    Row(krm.RecallAtK, "recall", perfect=found_of_relevant),
    Row(krm.RecallAtK, "recall", {"denominator": "min"}),
    Row(
        krm.RecallAtK,
        "recall",
        {"relevance_threshold": 2.0},
        perfect=found_of_relevant,
    ),
    Row(krm.HitRateAtK, "hit_rate"),
    Row(krm.HitRateAtK, "hit_rate", {"relevance_threshold": 3.0}),
    Row(
        krm.MeanAveragePrecision,
        "map",
        perfect=found_of_relevant,
        weighted=True,
    ),
    Row(
        krm.MeanAveragePrecision,
        "map",
        {"denominator": "min"},
        weighted=True,
        bounded_if_weighted=False,
    ),
    Row(
        krm.MeanAveragePrecision,
        "map",
        {"denominator": "hits"},
        weighted=True,
        bounded_if_weighted=False,
        certain_denominator=False,
    ),
    Row(
        krm.MeanAveragePrecision,
        "map",
        {"denominator": "hits", "relevance_threshold": 2.0},
        weighted=True,
        bounded_if_weighted=False,
        certain_denominator=False,
    ),
    Row(krm.GeometricMAP, "gmap", perfect=found_of_relevant, weighted=True),
    Row(
        krm.GeometricMAP,
        "gmap",
        {"denominator": "min", "least": 0.01},
        weighted=True,
        bounded_if_weighted=False,
    ),
    *(
        Row(krm.Count, "count", options, perfect=None, takes_k=False)
        for options in (
            {},
            {"of": "retrieved"},
            {"of": "relevant"},
            {"of": "hits", "relevance_threshold": 2.0},
        )
    ),
    Row(krm.MeanReciprocalRank, "mrr"),
    Row(krm.MeanReciprocalRank, "mrr", {"relevance_threshold": 3.0}),
    Row(krm.ERR, "err", perfect=None),
    Row(krm.ERR, "err", {"max_grade": 6.0}, perfect=None),
    Row(krm.ERR, "err", {"normalized": True}),
    *(
        Row(
            krm.PFound, "pfound", options, perfect=None, stand_in=PFoundOfGrades
        )
        for options in ({}, {"decay": 0.5})
    ),
    Row(krm.RPrecision, "r_precision", takes_k=False),
    Row(
        krm.RPrecision,
        "r_precision",
        {"relevance_threshold": 2.0},
        takes_k=False,
    ),
    Row(krm.MeanAveragePrecisionAtR, "map_at_r", takes_k=False),
    Row(krm.AllHitAtK, "all_hit", perfect=all_of_relevant),
    Row(krm.ReciprocalRankOfAll, "reciprocal_rank_of_all", perfect=reciprocals),
    Row(
        krm.ReciprocalRankOfAll,
        "reciprocal_rank_of_all",
        {"denominator": "hits"},
        perfect=reciprocals_of_found,
        certain_denominator=False,
    ),
    *(
        Row(krm.BEDROC, "bedroc", options, takes_k=False)
        for options in ({}, {"alpha": 2.0})
    ),
    *(
        Row(krm.EnrichmentFactor, "ef", options, perfect=None, takes_k=False)
        for options in ({}, {"fraction": 0.3})
    ),
    Row(krm.FBetaAtK, "f_beta", perfect=found_of_both),
    Row(krm.FBetaAtK, "f_beta", {"beta": 2.0}, perfect=of_f2),
    Row(krm.FallOutAtK, "fall_out", perfect=None, less_is_better=True),
    Row(krm.AUC, "auc"),
    Row(krm.AUC, "auc", {"relevance_threshold": 2.0}),
    Row(krm.AdjustedMeanRankIndex, "amri", takes_k=False, lowest=-1.0),
    Row(
        krm.MeanRank,
        "mean_rank",
        perfect=None,
        takes_k=False,
        less_is_better=True,
    ),
    Row(
        krm.AverageRelevancePosition,
        "arp",
        perfect=None,
        takes_k=False,
        less_is_better=True,
    ),
    Row(
        krm.AverageRelevancePosition,
        "arp",
        {"gain_fn": gains.exponential_gain},
        margin=3e-6,  # of hundreds of ranks times gains that are no integers
        perfect=None,
        takes_k=False,
        less_is_better=True,
    ),
    Row(krm.RankBiasedPrecision, "rbp", perfect=patience_of_four_fifths),
    Row(krm.GradedRankBiasedPrecision, "graded_rbp", perfect=None),
    Row(krm.BPref, "bpref", takes_k=False),
    Row(krm.BPref, "bpref", {"unjudged": "irrelevant"}, takes_k=False),
    Row(krm.JudgedAtK, "judged", by_labels=True),
    Row(
        krm.RBPResidual,
        "rbp_residual",
        perfect=None,
        less_is_better=True,
        by_labels=True,
    ),
    Row(
        krm.RBPResidual,
        "rbp_residual",
        {"p": 0.6, "tail": "if_unjudged"},
        perfect=None,
        less_is_better=True,
        by_labels=True,
        strict_only=True,
    ),
    *(
        Row(
            krm.UnjudgedAtK,
            "unjudged",
            options,
            perfect=None,
            less_is_better=True,
            by_labels=True,
            needs_k=bool(options),
        )
        for options in ({}, {"denominator": "k"})
    ),
    Row(krm.NDCG, "ndcg", {"unjudged": "condense"}, weighted=True),
    Row(krm.QMeasure, "q_measure", perfect=found_of_relevant),
    Row(
        krm.QMeasure,
        "q_measure",
        {"beta": 3.0, "gain_fn": gains.exponential_gain},
        perfect=found_of_relevant,
    ),
    Row(
        krm.QMeasure,
        "q_measure",
        {"gain_fn": plus_one_gain},
        perfect=found_of_relevant,
    ),
    *(
        Row(
            krm.InterpolatedPrecision,
            "iprec",
            options,
            takes_k=False,
            strict_only=True,
        )
        for options in (
            {},
            {"recall": 0.0},
            {"recall": 0.7, "relevance_threshold": 2.0},
            {"recall": 0.6, "rounding": "nearest"},
            {"recall": 0.3, "rounding": "trec_eval_9"},
            {"recall": 1.0},
        )
    ),
    Row(krm.OrderedPairAccuracy, "opa", takes_k=False),
    Row(
        krm.OrderedPairAccuracy,
        "opa",
        {"adjusted": "chance"},
        perfect=None,
        lowest=-math.inf,
        takes_k=False,
    ),
    *(
        Row(
            krm.ElevenPointPrecision,
            "11pt",
            options,
            takes_k=False,
            strict_only=True,
        )
        for options in ({}, {"rounding": "nearest"})
    ),
    Row(krm.GradedAveragePrecision, "gap", perfect=None),
    Row(
        krm.GradedAveragePrecision,
        "gap",
        {"probabilities": (0.5, 0.0, 0.2)},
        perfect=None,
    ),
    *(
        Row(
            metric,
            name,
            {"adjusted": "chance"},
            perfect=None,
            lowest=-math.inf,
            weighted=weighted,
        )
        for metric, name, weighted in (
            (krm.NDCG, "ndcg", True),
            (krm.PrecisionAtK, "precision", False),
            (krm.HitRateAtK, "hit_rate", False),
            (krm.MeanAveragePrecision, "map", True),
            (krm.AUC, "auc", False),
            (krm.QMeasure, "q_measure", False),
            (krm.GradedAveragePrecision, "gap", False),
        )
    ),
)


def _is_tried(row: Row) -> bool:
    """Whether a backend tries the row.

    jax compiles each program anew, for minutes. The options that make none of
    another kind are left to the other backends.
    """
    if keras.config.backend() != "jax" or not row.options or row.strict_only:
        return True
    return "adjusted" in row.options or not row.certain_denominator


ROWS = tuple(filter(_is_tried, EVERY_ROW))

# The rows with the default options, one for each metric.
PLAIN_ROWS = tuple(row for row in ROWS if not row.options)
PLAIN_ROWS_OF_IDS = tuple(row for row in PLAIN_ROWS if not row.by_labels)
METRICS = tuple(row.metric for row in PLAIN_ROWS)


def one_of_each(
    k: int | None = None, **options: Any
) -> list[krm.RankingMetric]:
    """One metric for each class, with that cutoff if it takes one."""
    return [row.make(k, **options) for row in PLAIN_ROWS]


def scale_of(metric: krm.RankingMetric) -> dict[str, float]:
    """The option of the oracle for a metric that stands in for another."""
    return _SCALED if isinstance(metric, PFoundOfGrades) else {}


@dataclasses.dataclass(frozen=True)
class Cell:
    """A row with a cutoff and a tie policy: a metric to be made."""

    row: Row
    k: int | None
    ties: str
    policies: dict[str, str] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        values = [f"@{self.k}", self.ties, *self.policies.values()]
        return f"{self.row}-" + "-".join(values)

    def exists(self) -> bool:
        if self.row.strict_only and self.ties == "average":
            return False
        return not (self.row.needs_k and self.k is None)

    @property
    def margins(self) -> tuple[float, float]:
        """How far values may be off: at least, and by their squares.

        To be beyond chance, where chance is close to 1, multiplies errors.
        """
        if "adjusted" in self.row.options:
            return 1e-3, 1e-3
        return self.row.margin, 0.0

    @property
    def cutoff(self) -> int | None:
        """The `k` that counts."""
        return self.k if self.row.takes_k else None

    def make(self, name: str | None = None) -> krm.RankingMetric:
        options = {"ties": self.ties, "empty": "zero", **self.policies}
        return self.row.make(self.k, name=name, **options)

    def value(self, labels: Any, scores: Any, mask: Any, weights: Any) -> float:
        """What the oracle says of a list."""
        return oracle.value(
            self.row.oracle,
            labels,
            scores,
            mask=mask,
            weights=weights,
            k=self.cutoff,
            ties=self.ties,
            **self.row.for_oracle,
        )

    def result(self, lists: list[tuple]) -> float:
        """What the oracle says of many lists."""
        return oracle.result(
            self.row.oracle,
            lists,
            k=self.cutoff,
            ties=self.ties,
            **self.row.for_oracle,
            **self.policies,
        )


def cells(
    rows: Iterable[Row], ks: Iterable[int | None], ties: Iterable[str]
) -> tuple[Cell, ...]:
    """The cells of all combinations that exist."""
    every = [Cell(row, k, t) for row in rows for k in ks for t in ties]
    return tuple(cell for cell in every if cell.exists())


def in_turns(
    rows: Iterable[Row],
    ks: tuple[int | None, ...],
    ties: tuple[str, ...],
    turn: int = 0,
) -> tuple[Cell, ...]:
    """Each row once, with the cutoffs and the tie policies taking turns."""
    found = []
    for row in rows:
        # A step further for each row, and on to the next one that exists.
        for step in range(len(ks) * len(ties)):
            position = turn + len(found) + step
            t = ties[(position + position // len(ties)) % len(ties)]
            cell = Cell(row, ks[position % len(ks)], t)
            if cell.exists():
                found.append(cell)
                break
    return tuple(found)
