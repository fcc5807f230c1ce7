"""A convention: the options that give the numbers of a library."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    NamedTuple,
    ParamSpec,
    TypeVar,
    cast,
)

from keras_rankmetrics import metrics
from keras_rankmetrics.engine.definition import check_names
from keras_rankmetrics.engine.metric.configured import ConfiguredMetric
from keras_rankmetrics.engine.naming.names import closest, did_you_mean, nearest
from keras_rankmetrics.metrics.names import meant

# `Convention`: the options under which metrics give a source's numbers.

MetricT = TypeVar("MetricT", bound=ConfiguredMetric)
Parameters = ParamSpec("Parameters")


class Asked(NamedTuple):
    """In place of the value of an option: what a call must give it.

    Args:
        what: what the source takes there, such as a table of the items.
    """

    what: str


class Preset(Generic[Parameters, MetricT]):
    """A metric with some options set, to be made as the metric itself is.

    Args:
        metric: the class.
        options: what is set, which a call may override; or what is `Asked` of
            each call, since only the data have it.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> [metric.name for metric in sklearn.NDCG.at(1, 5)]
    ['ndcg@1', 'ndcg@5']
    """

    def __init__(
        self,
        metric: Callable[Parameters, MetricT],
        options: Mapping[str, Any],
    ) -> None:
        # A `Callable` for type checkers, which then know its parameters.
        self.metric = cast(type[MetricT], metric)
        self.options = {
            name: value
            for name, value in options.items()
            if not isinstance(value, Asked)
        }
        self.asked = {
            name: value.what
            for name, value in options.items()
            if isinstance(value, Asked)
        }
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
        check_names(self.__name__, options, self.__signature__.parameters)
        given = self.__signature__.bind_partial(*args, **options).arguments
        return self.metric(**self._completed(given))

    def at(self, *cutoffs: int | None, **options: Any) -> list[MetricT]:
        """One metric for each cutoff."""
        return self.metric.at(*cutoffs, **self._completed(options))

    def _completed(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """All options. Raises where one that is asked for is not given."""
        for name, what in self.asked.items():
            if given.get(name) is None:
                raise ValueError(
                    f"`{self.__name__}` needs `{name}`, {what}. Received: "
                    f"`{name}={given.get(name)!r}`."
                )
        return {**self.options, **given}

    def __repr__(self) -> str:
        parameters = [
            *(["k"] if "k" in self.__signature__.parameters else []),
            *(
                f"{name}={getattr(value, '__name__', repr(value))}"
                for name, value in self.options.items()
            ),
            *(f"{name}=<{what}>" for name, what in self.asked.items()),
        ]
        return f"{self.__name__}({', '.join(parameters)})"


class Convention:
    """What one source means by each metric, as options of the metrics.

    Each metric of the source is an attribute: `trec_eval.NDCG(k=10)` is the
    ordinary `NDCG` with the options set that give the numbers of trec_eval. Any
    of them can be overridden. What only the data have must be given:
    `recbole.AveragePopularity(10, popularity=...)`.

    Args:
        name: the name of the convention, as that of a variable.
        about: what it is, in one sentence.
        source: where it is defined.
        metrics: the options of each metric that the source defines, where they
            are not the defaults, or are `Asked` of the call.
        without: what the source defines and cannot be had, by its name there
            or here, and why.
        ties_by_id: the precision in which the source compares scores, such as
            `"float32"`, if it puts items of equal score in the order of their
            ids, the last one first; None if it does not.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> sklearn.NDCG(k=10).name
    'ndcg@10'
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
        GradedRankBiasedPrecision = Preset(
            metrics.GradedRankBiasedPrecision, {}
        )
        ERR = Preset(metrics.ERR, {})
        MeanRank = Preset(metrics.MeanRank, {})
        AdjustedMeanRankIndex = Preset(metrics.AdjustedMeanRankIndex, {})
        AverageRelevancePosition = Preset(metrics.AverageRelevancePosition, {})
        BPref = Preset(metrics.BPref, {})
        JudgedAtK = Preset(metrics.JudgedAtK, {})
        UnjudgedAtK = Preset(metrics.UnjudgedAtK, {})
        RBPResidual = Preset(metrics.RBPResidual, {})
        AlphaDCG = Preset(metrics.AlphaDCG, {})
        AlphaNDCG = Preset(metrics.AlphaNDCG, {})
        ERRIA = Preset(metrics.ERRIA, {})
        NRBP = Preset(metrics.NRBP, {})
        PrecisionIA = Preset(metrics.PrecisionIA, {})
        MeanAveragePrecisionIA = Preset(metrics.MeanAveragePrecisionIA, {})
        SubtopicRecall = Preset(metrics.SubtopicRecall, {})
        InterpolatedPrecision = Preset(metrics.InterpolatedPrecision, {})
        ElevenPointPrecision = Preset(metrics.ElevenPointPrecision, {})
        OrderedPairAccuracy = Preset(metrics.OrderedPairAccuracy, {})
        CatalogueCoverage = Preset(metrics.CatalogueCoverage, {})
        ExposureGini = Preset(metrics.ExposureGini, {})
        AveragePopularity = Preset(metrics.AveragePopularity, {})
        TailShare = Preset(metrics.TailShare, {})
        Novelty = Preset(metrics.Novelty, {})
        Serendipity = Preset(metrics.Serendipity, {})
        IntraListDiversity = Preset(metrics.IntraListDiversity, {})

    def __init__(
        self,
        name: str,
        about: str,
        source: str,
        metrics: Mapping[type[ConfiguredMetric], Mapping[str, Any]],
        without: Mapping[str, str] | None = None,
        ties_by_id: Literal["float32", "float64"] | None = None,
    ) -> None:
        self.name = name
        self.about = about
        self.source = source
        self.without = dict(without or {})
        self.ties_by_id = ties_by_id
        self.presets: dict[str, Preset[..., Any]] = {
            metric.__name__: Preset(metric, options)
            for metric, options in metrics.items()
        }
        vars(self).update(self.presets)

    def of_source(self, text: str, **options: Any) -> ConfiguredMetric | None:
        """The metric that the source calls so, None if that is not known.

        Args:
            text: the name, and what the source writes behind it.
            **options: further options of the metric.
        """
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        metric = None if name in self.without else meant(name)
        if metric in self.presets:
            after = f".{did_you_mean(metric)}"
        else:
            name = metric or name
            unknown = "the source does not define it" if metric else ""
            reason = self.without.get(name, unknown)
            hint = "" if reason else nearest(name, self.presets, 0.7)
            after = f"{reason and f': {reason}'}.{hint}"
        raise AttributeError(
            f"The convention `{self.name}` has no {name}{after} It has: "
            f"{', '.join(self.presets)}.",
            name=name,
        )

    def __repr__(self) -> str:
        return f"<Convention {self.name}: {', '.join(self.presets)}>"


# Conventions in words.


def in_words(convention: Convention) -> str:
    """What a convention is, what it has, and what cannot be had."""
    return "\n".join(
        [
            f"{convention.name}: {convention.about}",
            f"  source: {convention.source}",
            *(f"  {preset!r}" for preset in convention.presets.values()),
            *(
                f"  no {metric}: {reason}"
                for metric, reason in convention.without.items()
            ),
        ]
    )


def in_a_line(convention: Convention, width: int) -> str:
    """The name, in a column of that width, and what it is."""
    return f"{convention.name:{width}}  {convention.about}"


def by_name(
    conventions: Mapping[str, Convention], name: str, aliases: Mapping[str, str]
) -> Convention:
    """Return the convention of that name, or raise ValueError."""
    if not isinstance(name, str) or name not in conventions:
        hint = suggestion(str(name), conventions, aliases)
        raise ValueError(
            f'No convention has the name "{name}".{hint} The conventions are: '
            f"{', '.join(conventions)}."
        )
    return conventions[name]


def suggestion(
    name: str, names: Iterable[str], aliases: Mapping[str, str]
) -> str:
    """Return "Did you mean ...?" for a convention, or an empty text.

    Args:
        name: a name that does not exist.
        names: the names that exist.
        aliases: further names, each with the one of `names` that it means.
    """
    if name.startswith("_"):
        return ""
    found = closest(name, [*names, *aliases])
    return did_you_mean(*dict.fromkeys(aliases.get(x, x) for x in found))
