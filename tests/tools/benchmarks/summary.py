"""The page of one screen: its words, a table of answers, a picture."""

from collections.abc import Mapping, Sequence

from tests.tools.benchmarks import ahead, gpu
from tests.tools.benchmarks.answers import WORDS, answers
from tests.tools.benchmarks.circumstances import Circumstances
from tests.tools.benchmarks.comparisons import Ratio
from tests.tools.benchmarks.contenders import COLLECTION, OURS, REFERENCE
from tests.tools.benchmarks.markdown import bullets
from tests.tools.benchmarks.measurement import Run
from tests.tools.benchmarks.modes import MODES
from tests.tools.benchmarks.ratios import NEAREST
from tests.tools.benchmarks.scenarios import is_batch
from tests.tools.benchmarks.units import rounded

PACKAGES = {"keras", OURS, *NEAREST, *(m.backend for m in MODES.values())}


def summary(
    runs: Sequence[Run],
    circumstances: Circumstances,
    full: str,
    picture: str = "",
) -> str:
    """The whole page.

    Args:
        full: the file of the full tables.
        picture: the file to show at the top, if there is one.
    """
    parts = [" on ".join(["# Benchmarks", *gpu.used(runs)])]
    parts += [WORDS, answers(runs)]
    if picture:
        alt = "Times of other packages, relative to our plain list"
        parts.append(f"![{alt}]({picture})")
    parts += [
        bullets(
            [
                _what(),
                circumstances.in_brief(runs, PACKAGES),
                _ranges(runs),
                ahead.sentence(OURS, "our plain list", runs),
                ahead.sentence(COLLECTION, "our `MetricCollection`", runs),
            ]
        ),
        f"[The full tables]({full}) have the times and ratios of all "
        "contenders.",
    ]
    return "\n\n".join(parts) + "\n"


def _what() -> str:
    return (
        "Each mark in the picture is a package in one mode: its time, "
        "relative to our plain list. Ratios are taken within each round, and "
        "their median is shown. The reference is the least "
        "[work](benchmarking.md#what-is-measured) known to be needed."
    )


def _ranges(runs: Sequence[Run]) -> str:
    """What the numbers of the batches say."""
    batches = [run for run in runs if is_batch(run.scenario)]
    ours = {OURS: "our plain list", COLLECTION: "our `MetricCollection`"}
    says = [
        _spans(ours, REFERENCE, "the reference", batches),
        _spans({n: n for n in NEAREST}, OURS, "our plain list", batches),
    ]
    if not any(says):
        return "No batch was measured in which we take part."
    return f"In the batches, {'; '.join(filter(None, says))}."


def _spans(
    titles: Mapping[str, str], other: str, beside: str, runs: Sequence[Run]
) -> str:
    """From where to where the ratios of some to another go."""
    spans = {
        title: span
        for name, title in titles.items()
        if (span := _span(Ratio(name, other), runs))
    }
    if not spans:
        return ""
    (first, span), *others = spans.items()
    return ", ".join(
        [
            f"{first} takes {span} times as long as {beside}",
            *(f"{title} {span}" for title, span in others),
        ]
    )


def _span(ratio: Ratio, runs: Sequence[Run]) -> str:
    """The least and the most, over all batches and modes."""
    values = [v for r in runs if (v := ratio.value(r.values)) is not None]
    if not values:
        return ""
    ends = rounded(min(values)), rounded(max(values))
    return " to ".join(dict.fromkeys(ends))
