"""Conventions: the options that reproduce the numbers of another library."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeVar

from keras_rankmetrics import metrics as ours
from keras_rankmetrics.conventions.presets import (
    CUTOFF,
    Measure,
    Preset,
    option,
)
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.engine.messages import did_you_mean, nearest
from keras_rankmetrics.engine.metric.ranking_metric import (
    ConfiguredMetric,
    RankingMetric,
)
from keras_rankmetrics.metrics.names import class_meant

Value = TypeVar("Value")
# The options that say what a label is worth.
_OF_LABELS = {"relevance_threshold", "gain_fn", "labels"}


class _Presets:
    if typing.TYPE_CHECKING:
        # Type checkers infer a constructor's parameters from a value only; no
        # annotation can express them. As `Final` in `Convention` itself, they
        # would be fields of it.
        DCG: Final = Preset(ours.DCG, {})
        NDCG: Final = Preset(ours.NDCG, {})
        PrecisionAtK: Final = Preset(ours.PrecisionAtK, {})
        RecallAtK: Final = Preset(ours.RecallAtK, {})
        F1AtK: Final = Preset(ours.F1AtK, {})
        HitRateAtK: Final = Preset(ours.HitRateAtK, {})
        FBetaAtK: Final = Preset(ours.FBetaAtK, {})
        PFound: Final = Preset(ours.PFound, {})
        MeanAveragePrecision: Final = Preset(ours.MeanAveragePrecision, {})
        GeometricMAP: Final = Preset(ours.GeometricMAP, {})
        Count: Final = Preset(ours.Count, {})
        MeanReciprocalRank: Final = Preset(ours.MeanReciprocalRank, {})
        RPrecision: Final = Preset(ours.RPrecision, {})
        FallOutAtK: Final = Preset(ours.FallOutAtK, {})
        AUC: Final = Preset(ours.AUC, {})
        RankBiasedPrecision: Final = Preset(ours.RankBiasedPrecision, {})
        GradedRankBiasedPrecision: Final = Preset(
            ours.GradedRankBiasedPrecision, {}
        )
        ERR: Final = Preset(ours.ERR, {})
        MeanRank: Final = Preset(ours.MeanRank, {})
        AdjustedMeanRankIndex: Final = Preset(ours.AdjustedMeanRankIndex, {})
        AverageRelevancePosition: Final = Preset(
            ours.AverageRelevancePosition, {}
        )
        BPref: Final = Preset(ours.BPref, {})
        JudgedAtK: Final = Preset(ours.JudgedAtK, {})
        UnjudgedAtK: Final = Preset(ours.UnjudgedAtK, {})
        RBPResidual: Final = Preset(ours.RBPResidual, {})
        AlphaDCG: Final = Preset(ours.AlphaDCG, {})
        AlphaNDCG: Final = Preset(ours.AlphaNDCG, {})
        ERRIA: Final = Preset(ours.ERRIA, {})
        NRBP: Final = Preset(ours.NRBP, {})
        PrecisionIA: Final = Preset(ours.PrecisionIA, {})
        MeanAveragePrecisionIA: Final = Preset(ours.MeanAveragePrecisionIA, {})
        SubtopicRecall: Final = Preset(ours.SubtopicRecall, {})
        InterpolatedPrecision: Final = Preset(ours.InterpolatedPrecision, {})
        ElevenPointPrecision: Final = Preset(ours.ElevenPointPrecision, {})
        OrderedPairAccuracy: Final = Preset(ours.OrderedPairAccuracy, {})
        CatalogueCoverage: Final = Preset(ours.CatalogueCoverage, {})
        ExposureGini: Final = Preset(ours.ExposureGini, {})
        AveragePopularity: Final = Preset(ours.AveragePopularity, {})
        TailShare: Final = Preset(ours.TailShare, {})
        Novelty: Final = Preset(ours.Novelty, {})
        Serendipity: Final = Preset(ours.Serendipity, {})
        IntraListDiversity: Final = Preset(ours.IntraListDiversity, {})


@dataclasses.dataclass(repr=False, eq=False)
class Convention(_Presets):
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
            differ from the defaults, or are `Required` or `Fixed`. Metrics with
            the same options may share a key, as in `"NDCG RecallAtK"`, and so
            may names in `without` and `measures`.
        without: the metrics of the source that are not supported, by their name
            there or here, each with the reason.
        rules: how the source reads runs.
        subtopic_rules: how it reads them for metrics of subtopics, if that is
            another tool.
        own_rules: how it reads them for metrics that are those of yet other
            tools, by the names of their classes, followed by `@k` if that is so
            only with a cutoff.
        measures: the equivalents of the source's measures, by their names
            there, if the convention parses these. The options of the first
            measure of a metric need no entry in `metrics`.
        aliases: other names of the source, separated by spaces.
        mark: how the source writes a name with its cutoff.
        takes: what a call of the source takes: judgements and a run
            (`"run"`); relevant and retrieved items of the queries that are
            passed (`"samples"`); or labels and scores of retrieved items, so
            that it does not know of others (`"labels"`).
        list_weight: the weight of a list in the mean if lists are passed with
            weights; None for that weight.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> sklearn.NDCG(k=10).name
    'ndcg@10'
    """

    name: str
    about: str
    source: str
    metrics: dataclasses.InitVar[Mapping[str, Mapping[str, Any]]]
    without: Mapping[str, str] = dataclasses.field(default_factory=dict)
    rules: Rules = dataclasses.field(default_factory=Rules)
    measures: Mapping[str, Measure] = dataclasses.field(default_factory=dict)
    aliases: str = ""
    mark: str = "{name}@{k}"
    subtopic_rules: Rules | None = None
    own_rules: Mapping[str, Rules] = dataclasses.field(default_factory=dict)
    takes: Literal["run", "samples", "labels"] = "run"
    list_weight: Literal["relevance", "mean"] | None = None

    def __post_init__(self, metrics: Mapping[str, Mapping[str, Any]]) -> None:
        self.without = _per_name(self.without)
        self.measures = _per_name(self.measures)
        self.own_rules = _per_name(self.own_rules)
        options: dict[str, Mapping[str, Any]] = {}
        for each in self.measures.values():
            options.setdefault(each.metric.__name__, each.options)
        for name, own in _per_name(metrics).items():
            options[name] = {**options.get(name, {}), **own}
        self.presets: dict[str, Preset[..., Any]] = {
            name: Preset(getattr(ours, name), x, self.name)
            for name, x in options.items()
        }
        vars(self).update(self.presets)

    def rules_of(
        self, metric: RankingMetric, given: Collection[str] | None = None
    ) -> Rules:
        """Return how the source reads the input of a metric.

        A threshold or a gain that a user sets reads labels as they are.

        Args:
            metric: the metric.
            given: the names of the options that the user set; by default those
                that differ from the ones of the convention.
        """
        name, k = type(metric).__name__, metric.definition.k
        at_k = None if k is None else self.own_rules.get(f"{name}@k")
        of_kind = self.subtopic_rules if metric.reads == "subtopics" else None
        rules = at_k or self.own_rules.get(name) or of_kind or self.rules
        if rules.labels != "members":
            return rules
        if given is None:
            usual = inspect.signature(self.presets.get(name, type(metric)))
            given = {
                option
                for option, x in usual.parameters.items()
                if option in _OF_LABELS
                and metric.definition.config[option] != x.default
            }
        as_given = not _OF_LABELS.isdisjoint(given)
        return rules._replace(labels="grades") if as_given else rules

    def of_source(self, text: str, **options: Any) -> ConfiguredMetric | None:
        """Return the metric for a name of the source, or None if it is unknown.

        Args:
            text: the name, with anything that the source writes after it.
            **options: further options of the metric.
        """
        return None

    def _of_measure(
        self,
        name: str,
        measure: Measure,
        arguments: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> RankingMetric:
        """Return the metric for the arguments of a measure.

        Args:
            name: the name of the measure, for errors.
            measure: the measure.
            arguments: the values of its parameters.
            options: further options of the metric.
        """
        of_measure = self._options(name, measure, arguments)
        return self._preset(measure)(**{**of_measure, **options})

    def _preset(self, measure: Measure) -> Preset[..., Any]:
        return self.presets[measure.metric.__name__]

    def _options(
        self, name: str, measure: Measure, arguments: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the options of the metric for the arguments of a measure.

        Raises:
            ValueError: if a parameter does not exist, is missing, or has a
                value that is not supported.
        """
        for parameter in arguments:
            if parameter not in measure.parameters:
                raise ValueError(
                    f"`{name}` has no parameter {parameter}. It has: "
                    f"{', '.join(measure.parameters)}."
                )
        for parameter in measure.required:
            if parameter not in arguments:
                at = "@..." if parameter == measure.at else f"({parameter}=...)"
                raise ValueError(
                    f"`{name}` needs {parameter}: write `{name}{at}`."
                )
        ours = dict(measure.options)
        for parameter, value in arguments.items():
            try:
                ours |= measure.parameters[parameter](value)
            except (ValueError, TypeError) as error:
                raise ValueError(
                    f"`{name}` with {parameter}={value!r}: {error}"
                ) from None
        return ours

    def named_metrics(
        self, cutoffs: Sequence[int], grades: Sequence[float]
    ) -> Iterator[tuple[str, RankingMetric, int | None]]:
        """Yield the names of metrics with their arguments, metrics and cutoffs.

        Without a cutoff in the name, the metric has its own. With one, it may
        have another, and else has the options. Metrics that need other numbers
        or data are left out.

        Args:
            cutoffs: the cutoffs to offer.
            grades: the thresholds of relevance to offer.
        """
        for name, measure in self.measures.items():
            for arguments in measure.arguments(grades):
                text = self.with_arguments(name, arguments)
                for metric, k in self._at(measure, arguments, cutoffs):
                    yield (
                        self.written(text, k) if k else text,
                        metric,
                        k or metric.k,
                    )
        measured = {each.metric for each in self.measures.values()}
        for preset in self.presets.values():
            cls, name = preset.metric, preset.metric.short_name
            if cls not in measured and name is not None:
                measure = Measure(cls, CUTOFF if takes(cls, "k") else {})
                for metric, k in self._at(measure, {}, cutoffs):
                    yield f"{name}@{k}" if k else name, metric, k or metric.k

    def _at(
        self,
        measure: Measure,
        arguments: Mapping[str, Any],
        cutoffs: Sequence[int],
    ) -> Iterator[tuple[RankingMetric, int | None]]:
        """Yield the metric of a measure with None, and with each cutoff."""
        preset = self._preset(measure)
        with contextlib.suppress(ValueError):
            yield preset.shared(**self._options("", measure, arguments)), None
        meaning = measure.parameters.get(measure.at, option(measure.at))
        with contextlib.suppress(ValueError):
            if "k" in meaning(1):
                at_1 = {**arguments, measure.at: 1}
                metric = preset.shared(**self._options("", measure, at_1))
                yield from ((metric, k) for k in cutoffs)

    def with_arguments(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return the name of a measure with arguments, as in the source."""
        inside = ",".join(f"{name}={x}" for name, x in arguments.items())
        return f"{name}({inside})" if inside else name

    def written(self, name: str, k: int) -> str:
        """Return a name with its cutoff, as in the source."""
        return self.mark.format(name=name, k=k)

    def check_supported(self, name: str) -> None:
        """Raise ValueError if a metric of the source is not supported."""
        if name in self.without:
            raise ValueError(
                f"The convention `{self.name}` has no {name}: "
                f"{self.without[name]}."
            )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        metric = name if name in self.without else class_meant(name)
        if metric is None:
            after = f".{nearest(name, self.presets, 0.7)}"
        elif metric in self.presets:
            after = f".{did_you_mean(metric)}"
        else:
            name, undefined = metric, "the source does not define it"
            after = f": {self.without.get(name, undefined)}."
        raise AttributeError(
            f"The convention `{self.name}` has no {name}{after} It has: "
            f"{', '.join(self.presets)}.",
            name=name,
        )

    def __repr__(self) -> str:
        return f"<Convention {self.name}: {', '.join(self.presets)}>"

    def __str__(self) -> str:
        """Return a description: rules, metrics, and those that are missing."""
        lacks = (f"no {name}: {why}" for name, why in self.without.items())
        return "\n  ".join(
            [
                f"{self.name}: {self.about}",
                f"source: {self.source}",
                f"runs: {self.rules.in_words}",
                *(
                    f"{name}: {x.in_words}"
                    for name, x in self.own_rules.items()
                ),
                *map(repr, self.presets.values()),
                *lacks,
            ]
        )


def _per_name(rows: Mapping[str, Value]) -> dict[str, Value]:
    """Return a row for each name; the keys are names separated by spaces."""
    return {name: x for names, x in rows.items() for name in names.split()}
