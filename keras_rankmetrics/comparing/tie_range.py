"""`tie_range`: the extreme values over the orders of tied items."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Unpack

import numpy as np

from keras_rankmetrics.comparing import variants
from keras_rankmetrics.comparing.compare import of_members_for
from keras_rankmetrics.comparing.measured import ALL, Measured
from keras_rankmetrics.comparing.measuring import measured_by
from keras_rankmetrics.comparing.reading import HowToRead, Reading, reads
from keras_rankmetrics.comparing.report import gaps, order_of_ties
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.types import TiePolicy

# Before the order that users or tools have.
_ORDERS: tuple[TiePolicy, ...] = ("average", "pessimistic", "optimistic")
_EACH = len(_ORDERS) + 1
_ROUNDING = 1e-6  # of values in single precision


class TieRange(NamedTuple):
    """The values of a metric over the orders of tied items.

    Attributes:
        mean: the mean over all orders, `ties="average"`.
        lowest: the lowest value of any order.
        highest: the highest value of any order.
        in_order: the value by the rule of the convention or the metric, or
            with `ties="stable"`.
        lists: the number of lists whose value depends on the order.

    Stability: provisional.
    """

    mean: float
    lowest: float
    highest: float
    in_order: float
    lists: int

    @property
    def range(self) -> float:
        """The highest value minus the lowest."""
        return self.highest - self.lowest

    @property
    def bias(self) -> float:
        """The value of `in_order` minus the mean over all orders."""
        return self.in_order - self.mean


class TieRanges(dict[str, TieRange]):
    """The `TieRange` of each metric, by name. `print` shows a table.

    Stability: provisional.
    """

    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the table, and what it shows."""
        head = ["", "mean", "lowest", "highest", "range", "bias", "lists"]
        rows = [
            [
                name,
                *(f"{x:.4f}" for x in (*found[:3], found.range)),
                f"{found.bias:+.4f}",
                f"{found.lists:,}",
            ]
            for name, found in self.items()
        ]
        return "\n".join([as_table(head, rows), *self.notes])


@reads()
def tie_range(
    truth: Any,
    run: Any = None,
    metrics: Any = None,
    *,
    convention: str | Convention | None = None,
    sample_weight: Any = None,
    **how: Unpack[HowToRead],
) -> TieRanges:
    """Return how much the values of a run depend on the order of tied items.

    For each metric, it returns the mean over all orders of the tied items, the
    lowest and the highest value of any order, and the value of one order. With
    m the mean over the lists of a value v,

        range = m(max over orders of v) - m(min over orders of v)
        bias = m(v in one order) - m(mean over orders of v)

    The one order is that of the convention, such as the last id first for
    `"trec_eval"`, or that of the option `ties` of a metric. For metrics that
    take the mean over all orders, it is that of `ties="stable"`: the last id
    first, or for arrays the order of the input. The bias is 0 for a convention
    with that mean, such as `"sklearn"`.

    Args:
        truth: the labels of the items, or one table, as for `evaluate`.
        run: the scores of the items, or None for one table.
        metrics: metrics of labels, or their names. The extreme orders are not
            known with `denominator="hits"`, for metrics of subtopics, clicks,
            two rankings and exposure, for labels that are probabilities, and
            for metrics of your own.
        convention: the name of a tool, as for `evaluate`.
        sample_weight: weights of queries or lists, as for `evaluate`. Weights
            of items are refused.
        **how: how to read the inputs, as for `evaluate`.

    Returns:
        A `TieRange` for each metric, by name. `print` shows a table.

    Raises:
        ValueError: if the extreme orders of a metric are not known, if there
            are weights of items, or as `evaluate` does.

    Example:
        >>> import keras_rankmetrics as krm
        >>> labels = [[1, 0, 0, 1], [0, 1, 0, 0]]
        >>> rounded = [[0.5, 0.5, 0.5, 0.1], [0.9, 0.4, 0.4, 0.1]]
        >>> print(krm.tie_range(labels, rounded, "NDCG@3 RR"))
                  mean  lowest  highest   range     bias  lists
        NDCG@3  0.5005  0.4033   0.6220  0.2188  +0.1215      2
        RR      0.5139  0.3333   0.7500  0.4167  +0.2361      2
        lists: how many of 2 depend on the order of tied items.
        bias: the value in the order of the input, minus the mean.

    Yang et al., Reliable Evaluation Protocol for Low-Precision Retrieval,
    arXiv 2508.03306 (2025).

    Stability: provisional.
    """
    if not isinstance(sample_weight, Mapping | None):
        shape = np.shape(sample_weight)
        if len(shape) > 1 and shape[-1] > 1:
            raise ValueError(
                "`sample_weight` should have one weight for each list, "
                f"[lists]. Received: the shape {shape}. With weights of items, "
                "the extreme orders are not those of the labels: leave them "
                "out."
            )
    reading = Reading.of(tie_range, how, takes=("weight",))
    of_members = of_members_for(truth, run, metrics, reading)
    of_all = functools.partial(_in_each_order, of_members, bool(convention))
    asked = reading, convention, None, sample_weight
    measured = measured_by(metrics, truth, {ALL: run}, *asked, of_all)
    of_run, of_names = (
        measured.systems[ALL],
        variants.first_of_each(measured, _EACH),
    )
    means = variants.means_of_each(measured, _EACH)
    found = TieRanges()
    for place, (mean, lowest, highest, in_order) in enumerate(means):
        begin = place * _EACH
        _, low, high, _ = of_run.values[begin : begin + _EACH]
        largest = np.maximum(np.abs(low), np.abs(high))
        differ = high - low > _ROUNDING * largest
        lists = int((differ & of_run.valid[begin]).sum())
        name = of_names.metrics[place].name
        found[name] = TieRange(mean, lowest, highest, in_order, lists)
    order = f"in the order of {order_of_ties(measured) or 'the input'}"
    rules = [x.signature.partition("|ties:")[2] for x in measured.metrics]
    policies = dict.fromkeys(x.partition("|")[0] for x in rules[3::_EACH])
    orders = [order if x == "stable" else f'by `ties="{x}"`' for x in policies]
    found.notes = (
        f"lists: how many of {len(measured.lists):,} depend on the order of "
        "tied items.",
        f"bias: the value {' or '.join(orders)}, minus the mean.",
        *gaps(of_names),
    )
    return found


def _in_each_order(
    of_members: Callable[..., Measured],
    are_of_tool: bool,
    *asked: Any,
    **how: Any,
) -> Measured:
    """Return the values of each metric by `_ORDERS`, the first by its name."""

    def policies(metric: RankingMetric) -> tuple[TiePolicy, ...]:
        own: TiePolicy = metric.ties or "average"
        # Counts of ranks have no order.
        if own == "average" and not are_of_tool and metric.inputs != "counts":
            own = "stable"
        return *_ORDERS, own

    measured = variants.in_variants(of_members, policies, *asked, **how)
    of_run = measured.systems[ALL]
    values = of_run.values.copy()
    for place in range(1, len(values), _EACH):
        # Where lower is better, the highest labels first have the lowest value.
        values[place : place + 2] = np.sort(values[place : place + 2], axis=0)
    systems = {ALL: of_run._replace(values=values)}
    return measured._replace(systems=systems)
