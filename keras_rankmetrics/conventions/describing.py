"""Conventions in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.naming.names import closest, did_you_mean


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
