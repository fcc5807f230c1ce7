"""Conventions in words."""

from __future__ import annotations

from collections.abc import Mapping

from keras_rankmetrics.conventions.convention import Convention


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


def by_name(conventions: Mapping[str, Convention], name: str) -> Convention:
    """The convention of that name. Raises where there is none."""
    if name not in conventions:
        raise ValueError(
            f"There should be a convention `{name}`. There are: "
            f"{', '.join(conventions)}."
        )
    return conventions[name]
