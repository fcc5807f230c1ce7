"""The answers of `explain`: settings in words, and steps between them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.rules import Rules
from keras_rankmetrics.engine.messages import plain
from keras_rankmetrics.engine.metric.ranking_metric import RankingMetric
from keras_rankmetrics.explaining.data import Data
from keras_rankmetrics.explaining.settings import DIGITS
from keras_rankmetrics.explaining.words import Call, Inputs, Known, sentence

_SHOWN = 5  # answers that are printed
_TOOLS = 8  # tools of one of them
_NO_EVIDENCE = 0.5  # matches by coincidence
_EQUAL = 1e-6  # marks of metrics that are equal on all lists
_FEW, _ALWAYS = 0.1, 0.995  # probabilities that are 1 of so many, and all


class Setting(NamedTuple):
    """A way to get a number from judgements and a run.

    Attributes:
        metric: the metric, with all its options.
        rules: how the run is read, and which queries count.
        value: the number that it gives.
        is_cut: True if the number is this value cut off, not rounded.
        are_known: False if only judgements of the items of the run are known.
        tools: the conventions of tools that report it, each with its names.
    """

    metric: RankingMetric
    rules: Rules
    value: float
    is_cut: bool = False
    are_known: bool = True
    tools: Mapping[str, Sequence[str]] = {}

    @property
    def signature(self) -> str:
        """The signature of the metric, and the rules."""
        known = "" if self.are_known else "judgements:of_run"
        rules = "|".join(filter(None, [str(self.rules), known]))
        return self.metric.signature + f" with the rules {rules}" * bool(rules)

    @property
    def choices(self) -> dict[str, str]:
        """All choices by name, as in signatures."""
        head, *parts = self.metric.signature.split("|")
        found = dict(part.split(":", 1) for part in parts)
        definition = self.metric.definition
        rules = self.rules._asdict()
        if self.rules.ties == "options":
            del rules["ties"]
            if definition.traits.needs_order(definition.options):
                del found["ties"]  # another choice entails it
        found |= {name: str(value) for name, value in rules.items()}
        found["judgements"] = "all" if self.are_known else "of_run"
        printed = "cut" if self.is_cut else "rounded"
        return {"metric": head, **found, "printed": printed}

    @property
    def departures(self) -> list[str]:
        """Sentences on the choices that differ from our defaults."""
        cls = type(self.metric)
        k: dict[str, Any] = {"k": self.metric.k} if self.metric.k else {}
        usual = Setting(cls(**k), Rules(), self.value).choices
        return [
            sentence(name, value)
            for name, value in self.choices.items()
            if usual.get(name) != value
        ]


def _tools(tools: Mapping[str, Sequence[str]], name: str, is_ours: bool) -> str:
    """Return the tools that report something, and its names there.

    Those that have another name for the metric come first.
    """
    if is_ours and not tools:
        return ", by our defaults"
    shortest = {tool: min(names, key=len) for tool, names in tools.items()}
    items = sorted(shortest.items(), key=lambda x: plain(name) in plain(x[1]))
    texts = [f"{tool} ({shown})" for tool, shown in items]
    if len(texts) > _TOOLS:
        texts[_TOOLS:] = [f"{len(texts) - _TOOLS} more"]
    return f", as in {', '.join(texts)}" if texts else ", in no tool"


class Answer(NamedTuple):
    """Settings of one metric and the same judgements, equal on this data.

    Attributes:
        setting: the setting that departs least from our defaults.
        number: the number of equal settings.
        tools: the conventions of tools that report it, each with the names that
            the tool has for it.
        ours: the value of this metric at this cutoff with our defaults.
        reported: the setting that a tool reports, None if none does.
        mark: a number that metrics share if they are equal on all lists.
    """

    setting: Setting
    number: int
    tools: Mapping[str, Sequence[str]]
    ours: float
    reported: Setting | None = None
    mark: float = math.nan

    def call(self, number: str) -> Call | None:
        """Return the call of a tool's convention that gives the number."""
        if self.reported is None:
            return None
        tool, [name, *_] = next(iter(self.reported.tools.items()))
        known: Known = "all"
        if not self.reported.are_known:
            known = "items"
        elif (
            self.reported.rules.queries
            != conventions.named(tool).rules.counted_queries
        ):
            known = "queries"
        return Call(number, name, tool, known)

    def equals(self, other: Answer) -> bool:
        """Return True if both metrics are equal here, at the same cutoff."""
        one, two = self.setting, other.setting
        return (
            one.metric.k == two.metric.k
            and one.are_known == two.are_known
            and one.is_cut == two.is_cut
            and abs(one.value - two.value) < _EQUAL
            and abs(self.mark - other.mark) < _EQUAL
        )

    @property
    def with_default_cutoffs(self) -> list[str]:
        """The tools that have a cutoff without one in the name."""
        k = self.setting.metric.k
        return [
            tool
            for tool, names in self.setting.tools.items()
            if k and str(k) not in min(names, key=len)
        ]

    def in_words(self, code: Sequence[str], others: Sequence[Answer]) -> str:
        """Return the setting in words.

        Args:
            code: the lines that give the number.
            others: answers that are equal here.
        """
        setting, name = self.setting, self.setting.metric.name
        words = setting.metric.short_name or name
        departures = setting.departures
        # The names of this setting, where other cutoffs have its value, too.
        names = {**self.tools, **setting.tools}
        for each in others:
            for tool, of_tool in {**each.tools, **each.setting.tools}.items():
                names[tool] = [*names.get(tool, ()), *of_tool]
        tools = _tools(names, words, not departures)
        equal = ", ".join([name, *(x.setting.metric.name for x in others)])
        equal = f"equal here: {equal}" if others else name
        lines = [f"{equal} = {setting.value:.6f}{tools}"]
        if departures:
            is_same = f"{self.ours:.6f}" == f"{setting.value:.6f}"
            lines.append(
                f"  It has the value of our {name} here, but other options:"
                if is_same
                else f"  It differs from our {name}, {self.ours:.6f}:"
            )
        lines += [f"  - {text}" for text in departures]
        if stopping := self.with_default_cutoffs:
            k, verb = setting.metric.k, "stop" + "s" * (len(stopping) == 1)
            lines.append(
                f"  - By default, {', '.join(stopping)} {verb} at {k}."
            )
        lines += [f"  {line}" for line in code]
        return "\n".join([*lines, f"  {setting.signature}"])


@dataclasses.dataclass(frozen=True)
class Explanation:
    """The settings of judgements and a run that give a number.

    Attributes:
        number: the number as text.
        answers: the settings that give its digits, those first that depart
            least from our defaults, and those of tools before others.
        nearest: where nothing gives it, the nearest ones.
        tried: the number of settings.
        distinct: the number of different values that they have.
        coincidences: how many of these values a number of as many digits would
            match on average if it had nothing to do with the data.
        of_tools: the same among the settings that some tool reports.
        notes: sentences on queries and items that do not match.
        hints: sentences on tools that may report another number for this run.
        data: the judgements and the run.

    >>> import keras_rankmetrics as krm
    >>> found = krm.explain("0.83", {"q": ["a", "b"]}, {"q": ["a", "x", "b"]})
    >>> len(found.answers), round(found.coincidences, 2)
    (3, 1.65)

    Stability: provisional.
    """

    number: str
    answers: tuple[Answer, ...]
    nearest: tuple[Answer, ...]
    tried: int
    distinct: int
    coincidences: float
    of_tools: float
    notes: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    data: Data | None = dataclasses.field(
        default=None, repr=False, compare=False
    )

    def judgements(self, known: Known = "all") -> dict[Any, dict[Any, float]]:
        """Return what a tool knows of the judgements, for `evaluate`.

        Args:
            known: `"items"` for the labels of the items of the run, 0 for
                those without one; `"queries"` for all judgements of the queries
                of the run; or `"all"`.
        """
        if self.data is None:
            raise ValueError(
                "There should be judgements. Received: an explanation without "
                "any. Call `explain`."
            )
        return self.data.judgements(known)

    @property
    def groups(self) -> list[list[Answer]]:
        """The answers, those together that are equal here."""
        found: list[list[Answer]] = []
        for answer in self.answers:
            same = (x for x in found if x[0].equals(answer))
            group = next(same, None)
            if group is None:
                found.append([answer])
            else:
                group.append(answer)
        return found

    @property
    def head(self) -> list[str]:
        """The lines that say how much a match proves."""
        values = len({round(x.setting.value, DIGITS) for x in self.answers})
        found = len(self.groups)
        explanations = {0: "no explanation", 1: "one explanation"}.get(
            found, f"{found:,} explanations"
        )
        lines = [
            f"{self.number} has {explanations}; a random number would have "
            f"one by chance in {_cases(self.coincidences)}.",
            f"{values:,} of {self.distinct:,} different values match, of "
            f"{self.tried:,} settings. By coincidence, "
            f"{self.coincidences:.2g} would, and {self.of_tools:.2g} of those "
            "that tools report.",
        ]
        if self.of_tools >= _NO_EVIDENCE:
            lines.append(
                "A match is no evidence: a number of so few digits matches "
                "some setting of any data. Pass more digits, or the metric."
            )
        elif self.coincidences >= _NO_EVIDENCE:
            lines.append("An answer that is in no tool is no evidence.")
        return lines

    def in_words(self, code: Callable[[Inputs, Call], list[str]]) -> str:
        """Return the answers in words.

        Args:
            code: returns the lines that give a number, `Inputs.in_python` or
                `Inputs.in_shell`.
        """
        lines, shown = [*self.head, *self.notes], self.groups[:_SHOWN]
        more = len(self.groups) - len(shown)
        if not self.answers:
            lines += ["No setting gives it.", *self.hints]
            lines += ["The nearest are:"] * bool(self.nearest)
            shown = [[x] for x in self.nearest]
        for n, (first, *others) in enumerate(shown, start=1):
            call = first.call(self.number)
            own = (
                []
                if call is None or not self.data
                else code(self.data.inputs, call)
            )
            lines.append(f"\n{n}. {first.in_words(own, others)}")
        if more:
            lines.append(f"\n... and {more:,} more.")
        return "\n".join(lines)

    def __str__(self) -> str:
        """Return the answers in words, with calls of Python."""
        return self.in_words(Inputs.in_python)


def _cases(expected: float) -> str:
    """Return how often there is a match if so many are expected, in words."""
    share = -math.expm1(-expected)
    if share >= _ALWAYS:
        return "nearly all cases"
    if share >= _FEW:
        return f"{share:.0%} of cases"
    if share <= 0:
        return "no case"
    number = 1 / share
    digits = 1 - math.floor(math.log10(number))
    return f"1 of {round(number, digits):,.0f} cases"


def _in_words(name: str, value: str) -> str:
    """Return a choice in words; the name of a metric is in words already."""
    if name == "metric" or not value:
        return value or "another option"
    return sentence(name, value)


class Step(NamedTuple):
    """A setting of one number, a setting of another, and how they differ.

    Attributes:
        settings: both settings.
        choices: the values of both, by the name of each choice that differs.
    """

    settings: tuple[Setting, Setting]
    choices: Mapping[str, tuple[str, str]]

    @classmethod
    def between(cls, one: Setting, other: Setting) -> Step:
        """Return the step from one setting to another."""
        ours, theirs = one.choices, other.choices
        names = [*dict.fromkeys([*ours, *theirs])]
        if type(one.metric) is not type(other.metric):
            names = [name for name in names if name in ours and name in theirs]
        pairs = {
            name: (ours.get(name, ""), theirs.get(name, "")) for name in names
        }
        differing = {name: x for name, x in pairs.items() if x[0] != x[1]}
        return cls((one, other), differing)

    def __str__(self) -> str:
        """Return the choices that differ, in words."""
        one, other = self.settings
        ours, theirs = (
            _tools(x.tools, x.metric.short_name or "", not x.departures)
            for x in self.settings
        )
        lines = [
            f"{one.metric.name} = {one.value:.6f}{ours},",
            f"becomes {other.metric.name} = {other.value:.6f}{theirs}:",
        ]
        for name, values in self.choices.items():
            texts = [_in_words(name, value) for value in values]
            lines.append(f"  - {name}: {' -> '.join(texts)}")
        lines += [f"  {setting.signature}" for setting in self.settings]
        return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Steps:
    """The choices that lead from one number to another.

    Attributes:
        explanations: the explanation of each number.
        steps: pairs of a setting of each, those with the fewest differing
            choices first.
    """

    explanations: tuple[Explanation, Explanation]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        """Return the steps in words, or why there are none."""
        return self.in_words(Inputs.in_python)

    def in_words(self, code: Callable[[Inputs, Call], list[str]]) -> str:
        """Return the same with other code, as of an `Explanation`."""
        if not self.steps:
            return "\n\n".join(x.in_words(code) for x in self.explanations)
        lines = [x for each in self.explanations for x in each.head]
        lines += self.explanations[0].notes
        lines += [f"\n{n}. {x}" for n, x in enumerate(self.steps, start=1)]
        return "\n".join(lines)
