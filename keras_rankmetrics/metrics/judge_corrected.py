"""A metric from few human labels and many labels of a judge.

Prediction-powered inference with a tuned weight (PPI++): the mean by the judge
over all lists, corrected by what humans say about a random sample of them. It
is computed from additive sums.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, PerList
from keras_rankmetrics.engine.aggregates.distributions import two_sided_p
from keras_rankmetrics.engine.aggregates.mean import over
from keras_rankmetrics.engine.aggregates.paired import (
    Findings,
    Statistic,
    against_first,
    means,
    ratio,
)
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.backend.tracing import concrete, unconverted
from keras_rankmetrics.engine.definition import checks_names
from keras_rankmetrics.engine.evaluation.evaluate import PerReading
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.metrics.bases import check_mean, register
from keras_rankmetrics.metrics.multi_value import OneValueMetric
from keras_rankmetrics.types import Tensor

__all__ = ["JudgeCorrected"]

KINDS = ("human", "judge")

# The variances are those of large samples.
LEAST_WITH_BOTH = 10

# The digits of a table.
_SHOWN = 5e-5

# Fewer lists that differ do not show whether the judge is right on them.
_LEAST_DIFFERENT = 5

# A variance below this share of the mean square may be nothing but rounding.
_ROUNDING = 2e-7

_ByKind = dict[str, PerReading]


class TooFewListsError(ValueError):
    """Fewer lists have both kinds of labels than a corrected mean needs.

    Args:
        both: the number of lists with both.
    """

    def __init__(self, both: int) -> None:
        super().__init__(
            "A mean corrected for the judge needs at least "
            f"{LEAST_WITH_BOTH} lists with labels by humans and by the judge. "
            f"Received: {both}. Let humans label more lists, drawn at random "
            "from those that the judge labelled."
        )
        self.both = both


@register
class JudgeCorrected(OneValueMetric):
    """A metric from labels of a judge, corrected by fewer human labels.

    A judge, such as a language model, labels many lists at little cost, but
    its labels are biased. Humans label a sample of these lists. With the values
    y of a list by human labels and f by the judge's, for n lists with both and
    N lists with the judge's alone, the result is

        λ · mean_N(f) + mean_n(y - λ f),
        λ = cov(y, f) / ((1 + n / N) · var f + 3 / n), clipped to [0, 1]

    Its expected value is that by human labels, however biased the judge is, and
    its standard error is below that of the human labels alone if the judge
    tends to agree with them. Lists with human labels alone count as well. The
    term 3 / n is for errors of the judge on lists that humans did not see (the
    rule of three). It is 0 for values that are not in [0, 1].

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
        >>> judge = np.tile([[1, 0], [1, 0], [1, 0], [0, 1]], (20, 1))
        >>> human = np.tile([[1, 0], [0, 1]], (40, 1))
        >>> human[32:] = -1  # humans labelled 32 lists
        >>> labels = {"human": human, "judge": judge}
        >>> corrected.update_state(labels, [[2, 1]] * 80)
        >>> estimate = corrected.estimate()
        >>> estimate.human_mean, estimate.judge_mean, round(estimate.weight, 4)
        (0.5, 0.75, 0.3047)

        With ids, `evaluate` and `compare` take both truths. Humans label some
        of the queries, down to the cutoff:

        >>> import keras_rankmetrics as krm
        >>> queries = [f"q{n}" for n in range(80)]
        >>> judge = {q: {"a": int(q[-1] != "3"), "b": 0} for q in queries}
        >>> human = {q: {"a": int(q[-1] in "02468")} for q in queries[:32]}
        >>> run = {q: {"a": 0.9, "b": 0.4} for q in queries}
        >>> truth = {"human": human, "judge": judge}
        >>> found = krm.evaluate(truth, run, JudgeCorrected(HitRateAtK(k=1)))
        >>> {name: round(value, 4) for name, value in found.items()}
        {'hit_rate@1/judge_corrected': 0.498}

    Angelopoulos, Duchi and Zrnic, PPI++, arXiv:2311.01453 (2023); for ranking:
    Oosterhuis et al., KDD, arXiv:2407.02464 (2024).

    Stability: provisional.
    """

    _parameters = ()
    _statistic_kind = "judge-corrected mean"

    @checks_names
    def __init__(self, metric: RankingMetric, name: str | None = None) -> None:
        check_mean(metric)
        if metric.inputs != "scores":
            raise ValueError(
                '`metric` should have `inputs="scores"`. Received: `inputs='
                f'"{metric.inputs}"`. Pass labels and scores of the same items.'
            )
        name = name or f"{metric.name}/judge_corrected"
        aggregate = JudgeCorrectedMean(metric.aggregate.bounded)
        super().__init__(metric, metric.definition, aggregate, name)

    @property
    def signature(self) -> str:
        """The signature of the metric, with that of the correction."""
        return f"{super().signature}|judge_corrected:ppi++"

    def _statistics(self) -> dict[str, float]:
        """Return an option that is not used, by the name of the metric."""
        return {self.name: 0.5}

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
        valid = per_list.valid & ~(highest < 0)
        terms = self.aggregate.of_batch(per_list._replace(valid=valid))
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

    def estimate(self) -> JudgeCorrectedEstimate:
        """Return the result with its standard error and the judge's weight.

        Raises:
            ValueError: for fewer than ten lists with both kinds of labels, and
                in compiled code.
        """
        sums, bounded = self._sums_on_host(), self.aggregate.bounded
        return JudgeCorrectedEstimate.of_sums(sums, bounded)

    def standard_error(self) -> float:
        """Return the standard error of the result.

        With λ and the n and N lists of the result it is

            √(var_n(y - λ f) / n + λ² (var_N(f) / N + 3 / n²))

        where var_n has n - 2 degrees of freedom, as λ is estimated, or n - 1 if
        it is 0. The term 3 / n² is that of `JudgeCorrected`.
        """
        return self.estimate().standard_error

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the interval of the result, see `JudgeCorrectedEstimate`.

        Args:
            level: the probability that it contains the mean by human labels.
        """
        return self.estimate().interval(level)

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
        human, judge = (by_kind[kind]["labels"] for kind in KINDS)
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
        others = {n: x for n, x in y_true.items() if n not in KINDS}
        if len(y_true) == len(others) + 2 and "labels" not in others:
            return {k: {**others, "labels": y_true[k]} for k in KINDS}
        received = f"the keys {sorted(map(str, y_true))}"
    else:
        both = ops.convert_to_tensor(y_true)
        if len(both.shape) > 1 and both.shape[-1] == 2:
            return {k: {"labels": both[..., i]} for i, k in enumerate(KINDS)}
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


# The sums.


class Corrected(NamedTuple):
    """A corrected mean, its variance, and what it is computed with.

    Attributes:
        weight: λ, the weight of the judge.
        share: the weight of the lists with both kinds of labels against those
            with human labels alone.
        value: the mean.
        variance: its variance.
    """

    weight: Any
    share: Any
    value: Any
    variance: Any


def sums_of(y: Any, has_y: Any, f: Any, has_f: Any, xp: Any = np) -> Any:
    """Return the sums of lists with labels of one or both kinds, `[..., 12]`.

    For lists with both kinds: their number, Σ y, Σ f, Σ y², Σ y f and Σ f². For
    lists with the judge's labels alone: their number, Σ f and Σ f². For lists
    with human labels alone: their number, Σ y and Σ y².

    Args:
        y: `[..., lists]`, the values by human labels.
        has_y: bool, True for lists with human labels. Other values are ignored.
        f: as `y`, by the labels of the judge.
        has_f: as `has_y`.
        xp: the namespace of the arrays, `numpy` or `keras.ops`.
    """
    y, f = xp.where(has_y, y, 0), xp.where(has_f, f, 0)
    one = xp.ones_like(y)
    parts = [
        *((has_y & has_f, x) for x in (one, y, f, y * y, y * f, f * f)),
        *((has_f & ~has_y, x) for x in (one, f, f * f)),
        *((has_y & ~has_f, x) for x in (one, y, y * y)),
    ]
    sums = [xp.sum(xp.where(kind, x, 0), axis=-1) for kind, x in parts]
    return xp.stack(sums, axis=-1)


def corrected(
    sums: Any, weight: float | None = None, bounded: bool = True, xp: Any = np
) -> Corrected:
    """Return the corrected mean for sums of any number of lists.

    With n lists of both kinds and N with the judge's labels alone, it is

        θ = mean_n(y - λ f) + λ mean_N(f)

    With further lists of human labels alone, it is a θ + (1 - a) mean(y), where
    a is the `share` for which the variance is smallest.

    Args:
        sums: the sums that `sums_of` returns, numbers or tensors.
        weight: λ from 0 to 1. By default the one with the smallest variance,
            cov(y, f) / ((1 + n / N) var f + 3 / n).
        bounded: True if values are in [0, 1]. Otherwise the term 3 / n, for
            errors of the judge that no list of the sample has, is 0.
        xp: the namespace of the sums, `numpy` or `keras.ops`.
    """
    n, y, f, yy, yf, ff, others, g, gg, alone, h, hh = sums
    humans = n + alone
    of_judge = _spread(n + others, f + g, ff + gg, xp)
    variance = over(_spread(humans, y + h, yy + hh, xp), humans - 1.0, xp)
    # The judge may be wrong on up to 3 / n of all lists, by 1, although humans
    # saw none of them (the rule of three).
    doubt = over(3.0, n, xp) if bounded else 0.0
    if weight is None:
        cov = over(yf - over(y * f, n, xp), n, xp)
        var = over(of_judge, n + others - 1.0, xp)
        best = over(cov, (1.0 + over(n, others, xp)) * var + doubt, xp)
        weight = xp.clip(best, 0.0, 1.0)
    # A judge that gives all lists the same value adds no information. A judge
    # without further lists adds none either.
    is_noise = of_judge <= _ROUNDING * (ff + gg)
    weight = xp.where((others > 0) & ~is_noise, weight, 0.0)
    squares = yy - 2.0 * weight * yf + weight**2 * ff
    residuals = _spread(n, y - weight * f, squares, xp)
    freedom = n * (n - 1.0 - xp.where(weight > 0, 1.0, 0.0))
    judge = over(_spread(others, g, gg, xp), others * (others - 1.0), xp)
    # Lists with human labels alone tell how much y varies, too.
    varies = variance - over(_spread(n, y, yy, xp), n - 1.0, xp)
    own = over(residuals, freedom, xp) + over(
        (1.0 - weight) ** 2 * varies, n, xp
    )
    own = xp.maximum(own, 0.0) + weight**2 * (judge + over(doubt, n, xp))
    other = over(variance, alone, xp)
    share = xp.where(alone > 0, over(other, own + other, xp), 1.0)
    # Without any variance, all lists count alike.
    share = xp.where(own + other > 0, share, over(n, humans, xp))
    theta = over(y - weight * f, n, xp) + weight * over(g, others, xp)
    value = share * theta + (1.0 - share) * over(h, alone, xp)
    total = share**2 * own + (1.0 - share) ** 2 * other
    return Corrected(weight, share, value, total)


def _spread(count: Any, x: Any, xx: Any, xp: Any = np) -> Any:
    """Return the sum of squared deviations, despite rounding not < 0."""
    return xp.maximum(xx - over(x * x, count, xp), 0.0)


@dataclasses.dataclass(frozen=True)
class JudgeCorrectedMean:
    """The aggregate of `JudgeCorrected`.

    Attributes:
        bounded: True if values are in [0, 1].
        shape: the shape of the sums of one metric.
        names: the names of the sums.
    """

    bounded: bool = True
    shape: ClassVar[tuple[int, ...]] = (12,)
    names: ClassVar[tuple[str, ...]] = tuple(
        f"{labels}/{x}"
        for labels, numbers in {
            "both": ("lists", "y", "f", "y*y", "y*f", "f*f"),
            "judge": ("lists", "f", "f*f"),
            "human": ("lists", "y", "y*y"),
        }.items()
        for x in numbers
    )

    def of_batch(self, x: PerList) -> Tensor:
        """Return the sums of a batch, `[1, 12]`.

        Args:
            x: the values by human labels, and by those of the judge, `[2,
                lists]`.
        """
        (y, f), (has_y, has_f) = ops.unstack(x.values), ops.unstack(x.valid)
        return sums_of(y, has_y, f, has_f, ops)[None]

    def result(self, sums: Tensor) -> Tensor:
        """Return the corrected mean; NaN for fewer than ten lists with both."""
        parts = ops.unstack(sums, *self.shape, axis=-1)
        value = corrected(parts, bounded=self.bounded, xp=ops).value
        return ops.where(sums[..., 0] >= LEAST_WITH_BOTH, value, float("nan"))


@dataclasses.dataclass(frozen=True, kw_only=True)
class JudgeCorrectedEstimate(Estimate):
    """A mean from few human labels and many labels of a judge.

    The interval is that of a mean over the lists with human labels, `rows`,
    with this standard error. The `effective_lists` are the lists with human
    labels that would be as precise without the judge.

    Attributes:
        weight: λ, the weight of the judge, from 0 to 1. At 0 its labels do not
            help, and the value is the mean over the lists with human labels.
        both: the number of lists with both kinds of labels.
        judge_only: the number of lists with the judge's labels alone.
        human_only: the number of lists with human labels alone.
        judge_mean: the mean by the judge, over all lists that it labelled.
        human_mean: the mean by humans, over all lists that they labelled.

    >>> import numpy as np
    >>> from keras_rankmetrics.metrics import judge_corrected
    >>> judge = np.tile([0.0, 0.5, 0.5, 1.0], 20)
    >>> human = np.tile([0.0, 0.0, 1.0, 1.0], 20)
    >>> has_human, yes = np.arange(80) < 32, np.full(80, True)
    >>> sums = judge_corrected.sums_of(human, has_human, judge, yes)
    >>> estimate = judge_corrected.JudgeCorrectedEstimate.of_sums(sums)
    >>> round(estimate.weight, 4), round(estimate.standard_error, 4)
    (0.4102, 0.081)
    """

    weight: float
    both: int
    judge_only: int
    human_only: int
    judge_mean: float
    human_mean: float

    @classmethod
    def of_sums(  # type: ignore[override]
        cls,
        sums: np.ndarray,
        bounded: bool = True,
        *,
        weight: float | None = None,
    ) -> JudgeCorrectedEstimate:
        """Return the estimate for the sums of `sums_of`, float64 `[12]`.

        Args:
            sums: the sums.
            bounded: True if values are in [0, 1].
            weight: as for `corrected`.

        Raises:
            ValueError: for fewer than ten lists with both kinds of labels.
        """
        n, y, f, _, _, _, others, g, _, alone, h, _ = sums
        if n < LEAST_WITH_BOTH:
            raise TooFewListsError(round(n))
        found = corrected(sums, weight, bounded)
        variance, by_humans = found.variance, corrected(sums, 0.0).variance
        gain = by_humans / variance if variance > 0 else 1.0
        return cls(
            value=float(found.value),
            standard_error=math.sqrt(variance),
            lists=round(n + alone + others),
            effective_lists=float((n + alone) * max(gain, 1.0)),
            rows=round(n + alone),
            bounded=bounded,
            weight=float(found.weight),
            both=round(n),
            judge_only=round(others),
            human_only=round(alone),
            judge_mean=float((f + g) / (n + others)),
            human_mean=float((y + h) / (n + alone)),
        )

    @property
    def limits(self) -> None:
        """None: there is a confidence sequence for plain means alone."""

    @property
    def over(self) -> str:
        """The numbers of lists, in words."""
        return (
            f"{self.lists:,} lists, {self.rows:,} with human labels and "
            f"{self.both + self.judge_only:,} with labels of the judge"
        )


def corrected_means(
    statistic: Statistic, names: Sequence[str], y: PerList, f: PerList
) -> Findings:
    """Return the means by humans, of which few labels and a judge's are known.

    A difference is that by human labels alone if fewer than five lists carry
    it: the judge may be wrong on just these.

    Args:
        statistic: the statistic.
        names: the names of the systems.
        y: the values of the systems by human labels, in numpy.
        f: the values by the judge's labels.
    """
    bounded = statistic.bounded
    _, differences, notes = means(statistic, names, y)
    rows = zip(differences, _rows(*map(against_first, (y, f))), strict=True)
    for i, (d, (own, has, *judged)) in enumerate(rows):
        sums, squares = sums_of(own, has, *judged), own[has] ** 2
        found = JudgeCorrectedEstimate.of_sums(sums, bounded)
        least = max(_LEAST_DIFFERENT * (squares**2).sum(), 1e-30)
        few = bounded and squares.sum() ** 2 < least
        if few or math.isnan(d.p):  # all lists have the same difference
            continue
        each = dataclasses.replace(found, bounded=False)
        t = ratio(each.value, each.standard_error)
        p = two_sided_p(t, each.rows - 1)
        deviation = each.standard_error * math.sqrt(each.rows)
        differences[i] = d.with_test(each, t, p, ratio(each.value, deviation))
    estimates: list[Estimate] = [
        JudgeCorrectedEstimate.of_sums(sums_of(*row), bounded)
        for row in _rows(y, f)
    ]
    first, *others = (x.value for x in estimates)
    apart = [
        abs(d.estimate.value - (value - first)) > _SHOWN
        for d, value in zip(differences, others, strict=True)
    ]
    if any(apart):
        notes.append(
            f"{statistic.name}: a difference is estimated on its own, so that "
            "it may not be one value less the other."
        )
    return estimates, differences, notes


def _rows(y: PerList, f: PerList) -> Iterator[tuple[np.ndarray, ...]]:
    """Return the arguments of `sums_of` for each system."""
    return zip(y.values, y.valid, f.values, f.valid, strict=True)
