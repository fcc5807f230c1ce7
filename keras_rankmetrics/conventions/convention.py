"""Conventions: the options that reproduce the numbers of another library."""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import itertools
import re
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeVar

import numpy as np

from keras_rankmetrics import metrics as ours
from keras_rankmetrics.engine.definition import check_names, takes
from keras_rankmetrics.engine.messages import did_you_mean, nearest
from keras_rankmetrics.engine.metric.ranking_metric import (
    ConfiguredMetric,
    RankingMetric,
)
from keras_rankmetrics.metrics.names import class_meant, parsed

Value = TypeVar("Value")
_SUFFIXED = re.compile(
    r"(?P<name>\w+?)"
    r"([_.@]((?P<parameter>\w+)=)?(?P<number>\d+\.?\d*|\.\d+))?"
    r"(?P<sign>-?)"
)

MetricT = TypeVar("MetricT", bound=ConfiguredMetric)
Parameters = typing.ParamSpec("Parameters")


class Required(NamedTuple):
    """Placeholder for an option that each call must set.

    Args:
        what: the value that the source expects, such as a table of the items.
    """

    what: str


class Fixed(NamedTuple):
    """An option that no call may change, as the source does not have it.

    Args:
        value: the value of the option.
        why: the rule of the source that other values do not follow.
    """

    value: Any
    why: str


# From the value of a source's parameter to options here, or a ValueError that
# says why there are none.
Meaning = Callable[[Any], Mapping[str, Any]]


def option(name: str) -> Meaning:
    """Return the meaning of a parameter that is the option of that name."""
    return lambda value: {name: value}


@dataclasses.dataclass(frozen=True)
class Choices:
    """The meaning of a parameter that has few supported values.

    Args:
        options: the options here for each value, the default first.
        remedy: a sentence for the error of other values, or "".
    """

    options: Mapping[Any, Mapping[str, Any]]
    remedy: str = ""

    def __call__(self, value: Any) -> Mapping[str, Any]:
        """Return the options for a value, or raise ValueError."""
        if value not in list(self.options):  # it need not be hashable
            supported = " or ".join(map(repr, self.options))
            raise ValueError(f"it should be {supported}. {self.remedy}".strip())
        return self.options[value]


class Measure(NamedTuple):
    """A measure of the source, and its equivalent here.

    Args:
        metric: the class. The convention has a preset for it.
        parameters: the meaning of each parameter of the measure.
        required: the parameters that the measure needs.
        options: options that the measure sets beyond those of the preset.
        at: the parameter that is written after `@`.
        default: the numbers that the source takes where none is written.
    """

    metric: type[RankingMetric]
    parameters: Mapping[str, Meaning] = {}
    required: tuple[str, ...] = ()
    options: Mapping[str, Any] = {}
    at: str = "cutoff"
    default: tuple[int | str, ...] = ()

    def arguments(self, grades: Sequence[float]) -> Iterator[dict[str, Any]]:
        """Yield the values of parameters that have few: {} and others.

        Args:
            grades: the thresholds of relevance to offer.
        """
        few = {
            name: [*x.options]
            for name, x in self.parameters.items()
            if isinstance(x, Choices)
        }
        for values in itertools.product(*few.values()):
            named = zip(few, values, strict=True)
            yield {name: x for name, x in named if x != few[name][0]}
        for name in self.parameters.keys() - few:
            if "relevance_threshold" in self.parameters[name](1):
                yield from ({name: grade} for grade in grades)


CUTOFF = {"cutoff": option("k")}


def at(metric: type[RankingMetric], **options: Any) -> Measure:
    """Return a measure that may have a cutoff."""
    return Measure(metric, CUTOFF, options=options)


def at_k(metric: type[RankingMetric], *default: int, **options: Any) -> Measure:
    """Return a measure that needs a cutoff."""
    return Measure(metric, CUTOFF, ("cutoff",), options, default=default)


def over_k(metric: type[RankingMetric], **options: Any) -> Measure:
    """Return a measure of precision that divides by its cutoff, if any."""

    def meaning(k: Any) -> Mapping[str, Any]:
        return {"k": k, "denominator": "k"}

    whole = {"denominator": "retrieved", **options}
    return Measure(metric, {"cutoff": meaning}, options=whole)


class Rules(NamedTuple):
    """Rules by which a source reads runs, beyond the options of its metrics.

    Args:
        score_dtype: the dtype in which the source compares scores; None for
            that of the scores.
        ties: the order of tied items: by descending id (`"last_id_first"`), by
            ascending id (`"first_id_first"`), as in the run
            (`"first_row_first"`), or by the option `ties` of each metric
            (`"options"`).
        queries: the queries that count: all that have judgements (`"truth"`),
            or only those that the run also contains (`"both"`).
        drop_same_id: if True, items whose id is that of the query are dropped
            from the run.
        labels: the meaning of judgements: `"grades"`; `"integers"` if grades
            must be whole numbers; `"not_negative"` if there is no padding;
            `"binary"` if labels of 1 or more count as 1, and others as 0; or
            `"members"` if each judged item is relevant, whatever its label.
        decimals: the decimals to which the value of each list is rounded; None
            if it is not.
    """

    score_dtype: Literal["float32", "float64"] | None = None
    ties: Literal[
        "options", "last_id_first", "first_id_first", "first_row_first"
    ] = "options"
    queries: Literal["truth", "both"] = "truth"
    drop_same_id: bool = False
    labels: Literal[
        "grades",
        "integers",
        "not_negative",
        "binary",
        "members",
    ] = "grades"
    decimals: int | None = None

    def read_labels(self, labels: np.ndarray) -> np.ndarray:
        """Return judgements as grades, or raise ValueError if one is none."""
        if self.labels == "members":
            return np.ones(len(labels))
        if self.labels == "binary":
            return np.where(labels < 0, labels, labels >= 1)
        refused = {
            "integers": ("whole numbers", labels % 1 > 0, "integers"),
            "not_negative": ("0 or more", labels < 0, "lists without padding"),
        }
        if self.labels in refused:
            expected, wrong, remedy = refused[self.labels]
            for label in labels[wrong][:1]:
                raise ValueError(
                    f"Labels should be {expected} in this convention, as its "
                    f"source takes no others. Received: {label:g}. Pass "
                    f"{remedy}, or leave `convention` out."
                )
        return labels

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """Return the values of lists with the decimals that count."""
        if self.decimals is None:
            return values
        unit: float = 10.0**self.decimals
        return np.floor(values * unit + 0.5) / unit

    def __str__(self) -> str:
        """Return the rules that differ from the defaults."""
        return "|".join(
            f"{name}:{value}"
            for name, value in self._asdict().items()
            if value != self._field_defaults[name]
        )

    @property
    def options(self) -> dict[str, Any]:
        """The options of metrics that read runs by these rules."""
        return {} if self.ties == "options" else {"ties": "stable"}


class Preset(typing.Generic[Parameters, MetricT]):
    """A metric with some options set, called like the metric itself.

    Args:
        metric: the class.
        options: the options to set, which a call may override. `Required` marks
            an option that each call must set, and `Fixed` one that no call may
            change.

    >>> from keras_rankmetrics.conventions import sklearn
    >>> [metric.name for metric in sklearn.NDCG.at(1, 5)]
    ['ndcg@1', 'ndcg@5']
    """

    def __init__(
        self, metric: Callable[Parameters, MetricT], options: Mapping[str, Any]
    ) -> None:
        # Typed as a `Callable`, so that type checkers infer its parameters.
        self.metric = typing.cast(type[MetricT], metric)
        self.required = _of_kind(Required, options)
        self.fixed = _of_kind(Fixed, options)
        self.options = {
            name: self.fixed[name].value if name in self.fixed else value
            for name, value in options.items()
            if name not in self.required
        }
        self.__doc__ = self.metric.__doc__
        self.__name__ = self.metric.__name__
        signature = inspect.signature(metric)
        defaults = dict(signature.parameters)
        for name, value in self.options.items():
            defaults[name] = defaults[name].replace(default=value)
        self.__signature__ = signature.replace(parameters=[*defaults.values()])

    def __call__(
        self, *args: Parameters.args, **options: Parameters.kwargs
    ) -> MetricT:
        """Return the metric. Arguments override the options of the preset."""
        check_names(self.__name__, options, self.__signature__.parameters)
        bound = self.__signature__.bind_partial(*args, **options)
        return self.metric(**self._completed(bound.arguments))

    def at(self, *cutoffs: int | None, **options: Any) -> list[MetricT]:
        """Return one metric per cutoff."""
        for k in cutoffs:
            self._check_fixed({"k": k})
        completed = self._completed(options)
        if "k" not in options:
            completed.pop("k", None)  # the cutoff of a measure without one
        return self.metric.at(*cutoffs, **completed)

    def _completed(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options; raise ValueError if one is missing or fixed."""
        self._check_fixed(arguments)
        for name, required in self.required.items():
            if arguments.get(name) is None:
                raise ValueError(
                    f"`{self.__name__}` needs `{name}`, {required.what}. "
                    f"Received: `{name}={arguments.get(name)!r}`."
                )
        return {**self.options, **arguments}

    def _check_fixed(self, arguments: Mapping[str, Any]) -> None:
        """Raise ValueError if an argument changes a fixed option."""
        for name, (value, why) in self.fixed.items():
            if arguments.get(name, value) != value:
                raise ValueError(
                    f"`{self.__name__}` should have `{name}={value!r}` in this "
                    f"convention: {why}. Received: `{name}={arguments[name]!r}`"
                    f". Use the class `{self.__name__}` for our `{name}`."
                )

    def __repr__(self) -> str:
        has_k = "k" in self.__signature__.parameters and "k" not in self.options
        parameters = [
            *(["k"] if has_k else []),
            *(
                f"{name}={getattr(value, '__name__', repr(value))}"
                for name, value in self.options.items()
            ),
            *(f"{name}=<{x.what}>" for name, x in self.required.items()),
        ]
        return f"{self.__name__}({', '.join(parameters)})"


@dataclasses.dataclass(repr=False, eq=False)
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
            differ from the defaults, or are `Required` or `Fixed`. Metrics with
            the same options may share a key, as in `"NDCG RecallAtK"`, and so
            may names in `without` and `measures`.
        without: the metrics of the source that are not supported, by their name
            there or here, each with the reason.
        rules: how the source reads runs.
        subtopic_rules: how it reads them for metrics of subtopics, if that is
            another tool.
        measures: the equivalents of the source's measures, by their names
            there, if the convention parses these. The options of the first
            measure of a metric need no entry in `metrics`.
        aliases: other names of the source, separated by spaces.
        mark: how the source writes a name with its cutoff.

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

    if typing.TYPE_CHECKING:
        # Type checkers infer a constructor's parameters from a value only; no
        # annotation can express them.
        DCG = Preset(ours.DCG, {})
        NDCG = Preset(ours.NDCG, {})
        PrecisionAtK = Preset(ours.PrecisionAtK, {})
        RecallAtK = Preset(ours.RecallAtK, {})
        F1AtK = Preset(ours.F1AtK, {})
        HitRateAtK = Preset(ours.HitRateAtK, {})
        FBetaAtK = Preset(ours.FBetaAtK, {})
        PFound = Preset(ours.PFound, {})
        MeanAveragePrecision = Preset(ours.MeanAveragePrecision, {})
        MeanReciprocalRank = Preset(ours.MeanReciprocalRank, {})
        RPrecision = Preset(ours.RPrecision, {})
        FallOutAtK = Preset(ours.FallOutAtK, {})
        AUC = Preset(ours.AUC, {})
        RankBiasedPrecision = Preset(ours.RankBiasedPrecision, {})
        GradedRankBiasedPrecision = Preset(ours.GradedRankBiasedPrecision, {})
        ERR = Preset(ours.ERR, {})
        MeanRank = Preset(ours.MeanRank, {})
        AdjustedMeanRankIndex = Preset(ours.AdjustedMeanRankIndex, {})
        AverageRelevancePosition = Preset(ours.AverageRelevancePosition, {})
        BPref = Preset(ours.BPref, {})
        JudgedAtK = Preset(ours.JudgedAtK, {})
        UnjudgedAtK = Preset(ours.UnjudgedAtK, {})
        RBPResidual = Preset(ours.RBPResidual, {})
        AlphaDCG = Preset(ours.AlphaDCG, {})
        AlphaNDCG = Preset(ours.AlphaNDCG, {})
        ERRIA = Preset(ours.ERRIA, {})
        NRBP = Preset(ours.NRBP, {})
        PrecisionIA = Preset(ours.PrecisionIA, {})
        MeanAveragePrecisionIA = Preset(ours.MeanAveragePrecisionIA, {})
        SubtopicRecall = Preset(ours.SubtopicRecall, {})
        InterpolatedPrecision = Preset(ours.InterpolatedPrecision, {})
        ElevenPointPrecision = Preset(ours.ElevenPointPrecision, {})
        OrderedPairAccuracy = Preset(ours.OrderedPairAccuracy, {})
        CatalogueCoverage = Preset(ours.CatalogueCoverage, {})
        ExposureGini = Preset(ours.ExposureGini, {})
        AveragePopularity = Preset(ours.AveragePopularity, {})
        TailShare = Preset(ours.TailShare, {})
        Novelty = Preset(ours.Novelty, {})
        Serendipity = Preset(ours.Serendipity, {})
        IntraListDiversity = Preset(ours.IntraListDiversity, {})

    def __post_init__(self, metrics: Mapping[str, Mapping[str, Any]]) -> None:
        self.without = _per_name(self.without)
        self.measures = _per_name(self.measures)
        options: dict[str, Mapping[str, Any]] = {}
        for each in self.measures.values():
            options.setdefault(each.metric.__name__, each.options)
        for name, own in _per_name(metrics).items():
            options[name] = {**options.get(name, {}), **own}
        self.presets: dict[str, Preset[..., Any]] = {
            name: Preset(getattr(ours, name), x) for name, x in options.items()
        }
        vars(self).update(self.presets)

    def rules_for(self, reads: str | None) -> Rules:
        """Return how the source reads runs for metrics that read a truth."""
        own = self.subtopic_rules if reads == "subtopics" else None
        return own or self.rules

    def of_source(self, text: str, **options: Any) -> ConfiguredMetric | None:
        """Return the metric for a name of the source, or None if it is unknown.

        Args:
            text: the name, with anything that the source writes after it.
            **options: further options of the metric.
        """
        return None

    def _of_measure(
        self, name: str, arguments: Mapping[str, Any], options: dict[str, Any]
    ) -> RankingMetric:
        """Return the metric for the arguments of a measure.

        Raises:
            ValueError: if a parameter does not exist, is missing, or has a
                value that is not supported.
        """
        measure = self.measures[name]
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
        return self.presets[measure.metric.__name__](**{**ours, **options})

    def named_metrics(
        self, cutoffs: Sequence[int], grades: Sequence[float]
    ) -> Iterator[tuple[str, RankingMetric, int | None]]:
        """Yield the names of metrics with their arguments, metrics and cutoffs.

        The metric may have another cutoff than this, and else has the options.

        Metrics that need other numbers or data are left out.

        Args:
            cutoffs: the cutoffs to offer.
            grades: the thresholds of relevance to offer.
        """
        for name, measure in self.measures.items():
            meaning = measure.parameters.get(measure.at, option(measure.at))
            for arguments in measure.arguments(grades):
                text = self.with_arguments(name, arguments)
                with contextlib.suppress(ValueError):
                    metric = self._of_measure(name, arguments, {})
                    yield text, metric, metric.k
                with contextlib.suppress(ValueError):
                    if "k" in meaning(1):
                        at_1 = {**arguments, measure.at: 1}
                        metric = self._of_measure(name, at_1, {})
                        for k in cutoffs:
                            yield self.written(text, k), metric, k
        measured = {each.metric.__name__ for each in self.measures.values()}
        for preset in self.presets.values():
            name = preset.metric.short_name
            if preset.__name__ not in measured and name is not None:
                with contextlib.suppress(ValueError):
                    metric = preset()
                    yield name, metric, metric.k
                with contextlib.suppress(ValueError):
                    if takes(preset.metric, "k"):
                        metric = preset(k=1)
                        for k in cutoffs:
                            yield f"{name}@{k}", metric, k

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
        """Return a description: the metrics, and those that are missing."""
        lacks = (f"no {name}: {why}" for name, why in self.without.items())
        return "\n  ".join(
            [
                f"{self.name}: {self.about}",
                f"source: {self.source}",
                *map(repr, self.presets.values()),
                *lacks,
            ]
        )


class Vocabulary(Convention):
    """A convention that parses the names its source has for measures.

    The parameters are those of `Convention`.

    >>> from keras_rankmetrics.conventions import ir_measures
    >>> ir_measures.parse("nDCG@10").name
    'ndcg@10'
    """

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return `parse(text)`, or None if the source has no such name.

        Args:
            text: the measure, as the source writes it.
            **options: further options of the metric.
        """
        name = re.split(r"\W", text, maxsplit=1)[0]
        if name in self.measures or name in self.without:
            return self.parse(text, **options)
        return None

    def parse(self, measure: object, **options: Any) -> RankingMetric:
        """Return the metric for a measure of the source.

        Args:
            measure: the measure as the source writes it, such as
                `"P(rel=2)@5"`, or an object whose `str` is that.
            **options: further options of the metric, such as `inputs="ids"`.

        Raises:
            ValueError: if the measure is malformed, or not supported.
        """
        text = str(measure)
        malformed = ValueError(
            f"A measure of {self.name} should be a name, parameters in "
            "parentheses, and a cutoff after `@`, such as `P(rel=2)@5`. "
            f"Received: {text!r}."
        )
        if "(" in text.partition("@")[2]:
            raise malformed
        try:
            name, at, arguments = parsed(text)
            cutoff = None if at is None else _number(at)
        except ValueError:
            raise malformed from None
        self.check_supported(name)
        if name not in self.measures:
            raise ValueError(
                f"The convention `{self.name}` has no measure {name}. It "
                f"has: {', '.join(self.measures)}."
            )
        found = self.measures[name]
        if cutoff is not None and found.at in arguments:
            raise ValueError(
                f"`{name}` has two cutoffs: {found.at}={arguments[found.at]!r} "
                f"and `@{at}`. Remove one of them."
            )
        if cutoff is not None:
            arguments = {**arguments, found.at: cutoff}
        return self._of_measure(name, arguments, options)


class Listed(Vocabulary):
    """A vocabulary whose source lists parameters after a colon.

    >>> from keras_rankmetrics.conventions import catboost
    >>> catboost.parse("NDCG:top=10;type=Exp").name
    'ndcg@10'
    """

    def parse(self, measure: object, **options: Any) -> RankingMetric:
        """Return the metric for a measure such as `NDCG:top=10;type=Exp`."""
        name, _, parameters = str(measure).partition(":")
        inside = parameters.replace(";", ",")
        return super().parse(f"{name}({inside})", **options)

    def with_arguments(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return the name of a measure with arguments, as in the source."""
        inside = ";".join(f"{name}={x}" for name, x in arguments.items())
        return f"{name}:{inside}" if inside else name

    def written(self, name: str, k: int) -> str:
        """Return a name with its cutoff, as in the source."""
        return f"{name}{';' if ':' in name else ':'}top={k}"


class Suffixed(Convention):
    """A convention whose source writes numbers after the names of measures.

    >>> from keras_rankmetrics.conventions import trec_eval
    >>> trec_eval.of_source("ndcg_cut_10").name
    'ndcg@10'
    """

    def written(self, name: str, k: int) -> str:
        """Return a name with its cutoff, before a sign at its end."""
        stem = name.removesuffix("-")
        return super().written(stem, k) + name.removeprefix(stem)

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return the metric for a name of the source, or None.

        Args:
            text: the measure as the source writes it, such as
                `"ndcg_cut_10"`, `"ndcg_cut.10"` or `"rbp.p=0.8"`.
            **options: further options of the metric.

        Raises:
            ValueError: if the source has the name, but it is not supported, or
                means several metrics.
        """
        found = _SUFFIXED.fullmatch(text)
        name = found["name"] + found["sign"] if found else text
        self.check_supported(name)
        measure, arguments = self.measures.get(name), {}
        if found is None or measure is None:
            return None
        if found["number"] is not None:
            parameter = found["parameter"] or measure.at
            arguments[parameter] = _number(found["number"])
        if set(measure.required) <= set(arguments) <= set(measure.parameters):
            return self._of_measure(name, arguments, options)
        if measure.default and not arguments:
            every = " ".join(f"{text}_{x}" for x in measure.default)
            raise ValueError(
                f"`{text}` should be followed by a number. Received: none. "
                f"{self.name} then takes several: write `{every}`."
            )
        return None


def _number(text: str) -> float:
    return int(text) if text.isdecimal() else float(text)


def _of_kind(kind: type[Value], options: Mapping[str, Any]) -> dict[str, Value]:
    """Return the options of a kind."""
    return {name: x for name, x in options.items() if isinstance(x, kind)}


def _per_name(rows: Mapping[str, Value]) -> dict[str, Value]:
    """Return a row for each name; the keys are names separated by spaces."""
    return {name: x for names, x in rows.items() for name in names.split()}
