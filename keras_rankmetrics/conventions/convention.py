"""`Convention`: the options under which metrics give a source's numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, cast

from keras_rankmetrics import metrics
from keras_rankmetrics.engine.shells.metric import RankingMetric

MetricT = TypeVar("MetricT", bound=RankingMetric)
Parameters = ParamSpec("Parameters")


class Preset(Generic[Parameters, MetricT]):
    """A metric with some options set, to be made as the metric itself is.

    Args:
        metric: the class.
        options: what is set. A call may override it.
    """

    def __init__(
        self,
        metric: Callable[Parameters, MetricT],
        options: Mapping[str, Any],
    ) -> None:
        # A `Callable` for type checkers, which then know its parameters.
        self.metric = cast(type[MetricT], metric)
        self.options = dict(options)
        self.__doc__ = self.metric.__doc__
        self.__name__ = self.metric.__name__
        signature = inspect.signature(metric)
        self.__signature__ = signature.replace(
            parameters=[
                parameter.replace(default=self.options[name])
                if name in self.options
                else parameter
                for name, parameter in signature.parameters.items()
            ]
        )

    def __call__(
        self, *args: Parameters.args, **options: Parameters.kwargs
    ) -> MetricT:
        """The metric, with what is given here before what is set."""
        given = self.__signature__.bind_partial(*args, **options).arguments
        return self.metric(**{**self.options, **given})

    def at(self, *cutoffs: int | None, **options: Any) -> list[MetricT]:
        """One metric for each cutoff."""
        return self.metric.at(*cutoffs, **{**self.options, **options})

    def __repr__(self) -> str:
        options = "".join(
            f", {name}={getattr(value, '__name__', repr(value))}"
            for name, value in self.options.items()
        )
        return f"{self.metric.__name__}(k{options})"


class Convention:
    """What one source means by each metric, as options of the metrics.

    Each metric of the source is an attribute: `trec_eval.NDCG(k=10)` is the
    ordinary `NDCG` with the options set that give the numbers of trec_eval. Any
    of them can be overridden.

    Args:
        name: the name of the convention, as that of a variable.
        about: what it is, in one sentence.
        source: where it is defined.
        metrics: the options of each metric that the source defines, where they
            are not the defaults.
        without: what the source defines and cannot be had, by its name there
            or here, and why.
    """

    if TYPE_CHECKING:
        # No annotation can name the parameters of a constructor. Values can.
        DCG = Preset(metrics.DCG, {})
        NDCG = Preset(metrics.NDCG, {})
        PrecisionAtK = Preset(metrics.PrecisionAtK, {})
        RecallAtK = Preset(metrics.RecallAtK, {})
        F1AtK = Preset(metrics.F1AtK, {})
        HitRateAtK = Preset(metrics.HitRateAtK, {})
        FBetaAtK = Preset(metrics.FBetaAtK, {})
        MeanAveragePrecision = Preset(metrics.MeanAveragePrecision, {})
        MeanReciprocalRank = Preset(metrics.MeanReciprocalRank, {})
        RPrecision = Preset(metrics.RPrecision, {})
        FallOutAtK = Preset(metrics.FallOutAtK, {})
        AUC = Preset(metrics.AUC, {})
        RankBiasedPrecision = Preset(metrics.RankBiasedPrecision, {})
        ERR = Preset(metrics.ERR, {})
        MeanRank = Preset(metrics.MeanRank, {})
        AdjustedMeanRankIndex = Preset(metrics.AdjustedMeanRankIndex, {})
        AverageRelevancePosition = Preset(metrics.AverageRelevancePosition, {})
        BPref = Preset(metrics.BPref, {})
        JudgedAtK = Preset(metrics.JudgedAtK, {})
        AlphaDCG = Preset(metrics.AlphaDCG, {})
        AlphaNDCG = Preset(metrics.AlphaNDCG, {})
        ERRIA = Preset(metrics.ERRIA, {})
        NRBP = Preset(metrics.NRBP, {})
        PrecisionIA = Preset(metrics.PrecisionIA, {})
        MeanAveragePrecisionIA = Preset(metrics.MeanAveragePrecisionIA, {})
        SubtopicRecall = Preset(metrics.SubtopicRecall, {})

    def __init__(
        self,
        name: str,
        about: str,
        source: str,
        metrics: Mapping[type[RankingMetric], Mapping[str, Any]],
        without: Mapping[str, str] | None = None,
    ) -> None:
        self.name = name
        self.about = about
        self.source = source
        self.without = dict(without or {})
        self.presets: dict[str, Preset[..., RankingMetric]] = {
            metric.__name__: Preset(metric, options)
            for metric, options in metrics.items()
        }
        vars(self).update(self.presets)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        unknown = "the source does not define it" if _is_metric(name) else ""
        reason = self.without.get(name, unknown)
        raise AttributeError(
            f"The convention `{self.name}` has no {name}"
            f"{reason and f': {reason}'}. It has: {', '.join(self.presets)}.",
            name=name,
            obj=self,
        )

    def __repr__(self) -> str:
        return f"<Convention {self.name}: {', '.join(self.presets)}>"


def _is_metric(name: str) -> bool:
    value = getattr(metrics, name, None)
    return isinstance(value, type) and issubclass(value, RankingMetric)
