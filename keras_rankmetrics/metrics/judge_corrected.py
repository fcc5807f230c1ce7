"""A metric from few human labels and many labels of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList
from keras_rankmetrics.engine.aggregates.judge_corrected import (
    JudgeCorrectedEstimate,
    JudgeCorrectedMean,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, unconverted
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.evaluation.evaluate import PerReading
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean, register
from keras_rankmetrics.metrics.multi_value import MultiValueMetric
from keras_rankmetrics.types import Tensor

__all__ = ["JudgeCorrected"]

_KINDS = ("human", "judge")
_ByKind = dict[str, PerReading]


@register
class JudgeCorrected(MultiValueMetric):
    """A metric from labels of a judge, corrected by fewer human labels.

    A judge, such as a language model, labels many lists at little cost, but
    its labels are biased. Humans label a sample of these lists. With the values
    y of a list by human labels and f by the judge's, for n lists with both and
    N lists with the judge's alone, the result is

        λ · mean_N(f) + mean_n(y - λ f),
        λ = cov(y, f) / ((1 + n / N) · var f), clipped to [0, 1]

    Its expected value is that by human labels, however biased the judge is, and
    its standard error is below that of the human labels alone if the judge
    tends to agree with them. Lists with human labels alone count as well.

    The lists with human labels must be a random sample of all lists. If humans
    label the hard ones, or those where the judge is unsure, the result is
    wrong, and no error says so.

    Pass `y_true={"human": labels, "judge": labels}`, both `[lists, items]`, or
    in `fit`, which passes no dict on, one tensor `[lists, items, 2]`, human
    labels first. A list whose labels of one kind are all negative has none of
    that kind; so has a list that the metric excludes by `empty="skip"`. Other
    entries of the dict, such as `"mask"`, apply to both kinds.

    All lists have the same weight. The result is NaN until ten lists have both
    kinds of labels, since the standard error is that of large samples.

    Args:
        metric: the metric, with `inputs="scores"`. It is not updated itself.
        name: the name; by default that of the metric and `/judge_corrected`.

    Example:
        >>> import numpy as np
        >>> from keras_rankmetrics import HitRateAtK, JudgeCorrected
        >>> corrected = JudgeCorrected(HitRateAtK(k=1))
        >>> judge = np.tile([[1, 0], [1, 0], [1, 0], [0, 1]], (10, 1))
        >>> human = np.tile([[1, 0], [0, 1]], (20, 1))
        >>> human[12:] = -1  # humans labelled twelve lists
        >>> labels = {"human": human, "judge": judge}
        >>> corrected.update_state(labels, [[2, 1]] * 40)
        >>> estimate = corrected.estimate()
        >>> estimate.human_mean, estimate.judge_mean, round(estimate.weight, 4)
        (0.5, 0.75, 0.455)

    Angelopoulos, Duchi and Zrnic, PPI++, arXiv:2311.01453 (2023); for ranking:
    Oosterhuis et al., KDD, arXiv:2407.02464 (2024).
    """

    _parameters = ()

    @checks_names
    def __init__(self, metric: RankingMetric, name: str | None = None) -> None:
        check_mean(metric)
        if metric.inputs != "scores":
            raise ValueError(
                '`metric` should have `inputs="scores"`. Received: `inputs='
                f'"{metric.inputs}"`. Pass labels and scores of the same items.'
            )
        name = name or f"{metric.name}/judge_corrected"
        super().__init__(metric, metric.definition, JudgeCorrectedMean(), name)
        self._direction = metric._direction

    @property
    def signature(self) -> str:
        """The signature of the metric, with that of the correction."""
        return f"{super().signature}|judge_corrected:ppi++"

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Add a batch of lists, of any size, to the state.

        Args:
            y_true: `{"human": labels, "judge": labels}`, both `[lists, items]`;
                or one tensor `[lists, items, 2]`, human labels first.
            y_pred: the scores, `[lists, items]`.
            sample_weight: None. All lists have the same weight.

        Raises:
            ValueError: if the inputs are invalid, or do not match, or there are
                weights. The state does not change.
        """
        found = self._by_kind(y_true, y_pred, sample_weight).values()
        per_list = PerList.joined([each.per_list for each in found])
        if per_list.rows is not None:
            raise ValueError(
                "Labels should be [lists, items] of each kind: all lists count "
                "as independent. Received: more than one leading dimension. "
                "Reshape labels and scores if these lists are independent."
            )
        highest = ops.stack([x.items.highest for x in per_list.rankings])
        # NaN is not below 0: its list has no valid value, but counts.
        counts = per_list.counts & ~(highest < 0)
        terms = self.aggregate.of_batch(per_list._replace(counts=counts))
        self._add(terms[0])

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> dict[str, Tensor]:
        """Return the values by `"human"` and by `"judge"` labels.

        The state does not change. Values of lists without labels of a kind are
        NaN.
        """
        found = self._by_kind(y_true, y_pred, sample_weight)
        return {
            kind: lists.leading.as_passed(per_list.per_list()[0])
            for kind, (_, lists, per_list) in found.items()
        }

    def named(self, result: Tensor) -> Any:
        """Return the result of the metric, a number."""
        return result

    def estimate(self) -> JudgeCorrectedEstimate:
        """Return the result with its standard error and the judge's weight.

        Raises:
            ValueError: for fewer than ten lists with both kinds of labels, and
                in compiled code.
        """
        return JudgeCorrectedEstimate.of_sums(self._sums_on_host())

    def estimates(self) -> dict[str, Estimate]:
        """Return the estimate by name."""
        return {self.name: self.estimate()}

    def standard_error(self) -> float:
        """Return the standard error of the result.

        With λ and the n and N lists of the result it is

            √(var_n(y - λ f) / n + λ² var_N(f) / N)
        """
        return self.estimate().standard_error

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval result ± t · standard error, by Student's t.

        Args:
            level: the probability that it contains the mean by human labels.
        """
        return self.estimate().interval(level)

    def __str__(self) -> str:
        """Return the estimate, or the repr where there is none."""
        try:
            return f"{self.name} = {self.estimate()}"
        except ValueError:
            return repr(self)

    def _by_kind(self, y_true: Any, y_pred: Any, weight: Any) -> _ByKind:
        """Return the lists and their values by kind of label."""
        if weight is not None:
            raise ValueError(
                "`sample_weight` should be None: JudgeCorrected gives all "
                "lists the same weight. Received: weights. Remove them, and in "
                "`compile` use `metrics` in place of `weighted_metrics`."
            )
        found = {}
        by_kind = _labels_by_kind(y_true)
        human, judge = (by_kind[kind]["labels"] for kind in _KINDS)
        if len(by_kind["human"]) == 1:  # a mask may leave items out
            check_depth(human, judge, y_pred, self.definition.k)
        for kind, labels in by_kind.items():
            try:
                found[kind] = self._evaluate(labels, y_pred, None)
            except (TypeError, ValueError) as error:
                error.add_note(f"The error is in the {kind} labels.")
                raise
        return found


def _labels_by_kind(y_true: Any) -> dict[str, dict[str, Any]]:
    """Return `y_true` for the metric, by kind of label."""
    if isinstance(y_true, Mapping):
        others = {n: x for n, x in y_true.items() if n not in _KINDS}
        if len(y_true) == len(others) + 2 and "labels" not in others:
            return {k: {**others, "labels": y_true[k]} for k in _KINDS}
        received = f"the keys {sorted(map(str, y_true))}"
    else:
        both = ops.convert_to_tensor(y_true)
        if len(both.shape) > 1 and both.shape[-1] == 2:
            return {k: {"labels": both[..., i]} for i, k in enumerate(_KINDS)}
        received = f"the shape {tuple(both.shape)}"
    raise ValueError(
        '`y_true` should be `{"human": labels, "judge": labels}`, or one '
        f"tensor [lists, items, 2], human labels first. Received: {received}. "
        "Give the lists without labels of one kind the label -1."
    )


def check_depth(human: Any, judge: Any, scores: Any, k: float | None) -> None:
    """Raise ValueError if humans labelled a list, but not down to rank k.

    The items without a label would count as irrelevant. Traced values, and
    arrays of other shapes, are not checked.

    Args:
        human: `[lists, items]`, the labels by humans, below 0 for none.
        judge: `[lists, items]`, those by the judge, below 0 for padding.
        scores: `[lists, items]`.
        k: the rank down to which the metric looks; None for all.
    """
    arrays: list[Any] = [human, judge, scores]
    if any(isinstance(x, Mapping) or hasattr(x, "columns") for x in arrays):
        return
    try:
        human, judge, scores = map(ops.convert_to_tensor, arrays)
    except (TypeError, ValueError):  # lists of unequal lengths
        return
    if not human.shape == judge.shape == scores.shape or len(human.shape) != 2:
        return
    has_labels = ops.max(human, axis=1, keepdims=True) >= 0
    lacking = (human < 0) & (judge >= 0) & has_labels
    if not concrete(ops.any(lacking)):
        return
    judge, scores, lacking = map(ops.convert_to_numpy, (judge, scores, lacking))
    for list_ in np.flatnonzero(lacking.any(1)).tolist():
        there = np.where(judge[list_] >= 0, scores[list_], -np.inf)
        ranks = (there > there[:, None]).sum(1)
        for item in np.flatnonzero(lacking[list_] & (ranks < (k or np.inf))):
            raise ValueError(
                "Humans should label all items of a list down to the cutoff of "
                "the metric, or none of them. Received: no human label for "
                f"item {item} of list {list_}, at rank {ranks[item] + 1}. "
                "Label it, or give all items of the list the human label -1."
            )
