"""Conventions that parse the names of their sources."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.conventions.presets import number
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.gains import GainTable
from keras_rankmetrics.metrics.names import parsed

_SUFFIXED = re.compile(
    r"(?P<name>\w[\w-]*?)"
    r"([_.@]((?P<parameter>\w+)=)?(?P<number>\d+\.?\d*|\.\d+))?"
    r"(?P<sign>-?)"
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
            cutoff = None if at is None else number(at)
        except ValueError:
            raise malformed from None
        self.check_supported(name)
        if name not in self.measures:
            raise ValueError(
                f"The convention `{self.name}` has no measure {name}. It "
                f"has: {', '.join(self.measures)}."
            )
        measure = self.measures[name]
        if cutoff is not None and measure.at in arguments:
            raise ValueError(
                f"`{name}` has two cutoffs: {measure.at}="
                f"{arguments[measure.at]!r} and `@{at}`. Remove one of them."
            )
        if cutoff is not None:
            arguments = {**arguments, measure.at: cutoff}
        return self._of_measure(name, measure, arguments, options)


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

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return the metric, or None for names of this package: `NDCG@10`."""
        return None if "@" in text else super().of_source(text, **options)

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
            read = number if found["parameter"] else measure.read
            arguments[parameter] = read(found["number"])
        if set(measure.required) <= set(arguments) <= set(measure.parameters):
            return self._of_measure(name, measure, arguments, options)
        if measure.default and not arguments:
            every = " ".join(f"{text}_{x}" for x in measure.default)
            raise ValueError(
                f"`{text}` should be followed by a number. Received: none. "
                f"{self.name} then takes several: write `{every}`."
            )
        return None


class Leveled(Suffixed):
    """A convention whose source ends a name with the lowest relevant label.

    Lower labels have no gain.

    >>> from keras_rankmetrics.conventions import ranx
    >>> ranx.of_source("recall@100-l2").options["relevance_threshold"]
    2.0
    >>> ranx.of_source("ndcg@10-l2").options["gain_fn"].gains
    {1.0: 0.0}
    >>> ranx.of_source("rbp.05").options["p"]
    0.05
    """

    def of_source(self, text: str, **options: Any) -> RankingMetric | None:
        """Return the metric for a name such as `recall@100-l2`, or None."""
        bare, _, level = text.partition("-l")
        if bare in self.measures and self.measures[bare].required:
            raise ValueError(
                f"`{bare}` should be followed by the digits of its persistence."
                f" Received: none. Write `{bare}.80`, or `{bare}(p=0.8)`."
            )
        found = super().of_source(bare, **options)
        if found is None or not level.isdecimal():
            return None if level else found
        least = int(level)
        for option in {"relevance_threshold", "gain_fn"} & options.keys():
            raise ValueError(
                f"`{text}` should set the lowest relevant label once. "
                f"Received: `-l{level}` and `{option}`. Remove one of them."
            )
        if "relevance_threshold" in found.options:
            own: dict[str, Any] = {"relevance_threshold": least}
        else:
            none = {float(label): 0.0 for label in range(1, least)}
            own = {"gain_fn": GainTable(none, found.options["gain_fn"])}
        return super().of_source(bare, **{**options, **own})
