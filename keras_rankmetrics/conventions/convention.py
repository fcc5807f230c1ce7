"""Conventions: the options that reproduce the numbers of another library."""

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
from keras_rankmetrics.engine.naming import closest, did_you_mean, nearest
from keras_rankmetrics.metrics.aliases import meant

MetricT = TypeVar("MetricT", bound=ConfiguredMetric)
Parameters = ParamSpec("Parameters")


class Required(NamedTuple):
    """Placeholder for an option that each call must set.

    Args:
        what: the value that the source expects, such as a table of the items.
    """

    what: str


class Preset(Generic[Parameters, MetricT]):
    """A metric with some options set, called like the metric itself.

    Args:
        metric: the class.
        options: the options to set, which a call may override. `Required` marks
            an option that each call must set, since its value depends on the
            data.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> [metric.name for metric in sklearn.NDCG.at(1, 5)]
    ['ndcg@1', 'ndcg@5']
    """

    def __init__(
        self,
        metric: Callable[Parameters, MetricT],
        options: Mapping[str, Any],
    ) -> None:
        # Typed as a `Callable`, so that type checkers infer its parameters.
        self.metric = cast(type[MetricT], metric)
        self.options = {
            name: value
            for name, value in options.items()
            if not isinstance(value, Required)
        }
        self.required = {
            name: value.what
            for name, value in options.items()
            if isinstance(value, Required)
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
        """Return the metric. Arguments override the options of the preset."""
        check_names(self.__name__, options, self.__signature__.parameters)
        bound = self.__signature__.bind_partial(*args, **options)
        return self.metric(**self._completed(bound.arguments))

    def at(self, *cutoffs: int | None, **options: Any) -> list[MetricT]:
        """Return one metric per cutoff."""
        return self.metric.at(*cutoffs, **self._completed(options))

    def _completed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options, or raise ValueError if one is missing."""
        for name, what in self.required.items():
            if arguments.get(name) is None:
                raise ValueError(
                    f"`{self.__name__}` needs `{name}`, {what}. Received: "
                    f"`{name}={arguments.get(name)!r}`."
                )
        return {**self.options, **arguments}

    def __repr__(self) -> str:
        parameters = [
            *(["k"] if "k" in self.__signature__.parameters else []),
            *(
                f"{name}={getattr(value, '__name__', repr(value))}"
                for name, value in self.options.items()
            ),
            *(f"{name}=<{what}>" for name, what in self.required.items()),
        ]
        return f"{self.__name__}({', '.join(parameters)})"


class Convention:
    """The meaning of each metric in one source, as options of our metrics.

    Each metric of the source is an attribute: `trec_eval.NDCG(k=10)` is the
    ordinary `NDCG` with the options that reproduce the numbers of trec_eval.
    Any option can be overridden. Options that depend on the data are required:
    `recbole.AveragePopularity(10, popularity=...)`.

    Args:
        name: the name of the convention, as a Python identifier.
        about: a description, in one sentence.
        source: the place where the convention is defined.
        metrics: for each metric that the source defines, the options that
            differ from the defaults, or are `Required`.
        without: the metrics of the source that are not supported, by their name
            there or here, each with the reason.
        ties_by_id: the precision in which the source compares scores, such as
            `"float32"`, if it breaks ties by descending item id; None if it
            does not.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> sklearn.NDCG(k=10).name
    'ndcg@10'
    """

    if TYPE_CHECKING:
        # Type checkers infer a constructor's parameters from a value only; no
        # annotation can express them.
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
        """Return the metric for a name of the source, or None if it is unknown.

        Args:
            text: the name, with anything that the source writes after it.
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


def in_words(convention: Convention) -> str:
    """Return a description of a convention: its metrics, and what it lacks."""
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
    """Return the name, padded to a column width, and the description."""
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
        name: the name that does not exist.
        names: the names that exist.
        aliases: further names, each with the one of `names` that it means.
    """
    if name.startswith("_"):
        return ""
    found = closest(name, [*names, *aliases])
    return did_you_mean(*dict.fromkeys(aliases.get(x, x) for x in found))
