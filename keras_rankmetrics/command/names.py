"""The names of metrics, and what else people call them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from keras_rankmetrics import metrics
from keras_rankmetrics.engine.naming.names import in_words
from keras_rankmetrics.engine.shells.defined import Defined

_ALIASES = {
    "AP": "MeanAveragePrecision",
    "F": "FBetaAtK",
    "HR": "HitRateAtK",
    "Hit": "HitRateAtK",
    "IPrec": "InterpolatedPrecision",
    "P": "PrecisionAtK",
    "Prec": "PrecisionAtK",
    "R": "RecallAtK",
    "RPrec": "RPrecision",
    "RR": "MeanReciprocalRank",
    "Success": "HitRateAtK",
    "recip_rank": "MeanReciprocalRank",
}


def class_of(name: str) -> str | None:
    """The name of the class of a metric, None if none is called so.

    The class itself, its short name and the usual ones are known, in small or
    capital letters; "P" and "p" are the same.
    """
    return _known().get(_plain(name))


def nearest(name: str, names: Iterable[str]) -> str:
    """What may have been meant, as a sentence, or an empty text."""
    by_plain = {_plain(each): each for each in names}
    found = difflib.get_close_matches(_plain(name), by_plain, n=3, cutoff=0.5)
    if not found:
        return ""
    return f" Did you mean {' or '.join(by_plain[each] for each in found)}?"


def all_names() -> list[str]:
    """All that a metric can be called."""
    short = [cls.short_name or in_words(cls.__name__) for cls in _classes()]
    return [*short, *_ALIASES, *class_names()]


def class_names() -> list[str]:
    """The names of the classes of all metrics."""
    return [cls.__name__ for cls in _classes()]


def _classes() -> list[type[Defined]]:
    found = (getattr(metrics, name) for name in metrics.__all__)
    return [
        each
        for each in found
        if isinstance(each, type) and issubclass(each, Defined)
    ]


def _known() -> dict[str, str]:
    short = {
        cls.short_name or in_words(cls.__name__): cls.__name__
        for cls in _classes()
    }
    names = {cls.__name__: cls.__name__ for cls in _classes()}
    return {_plain(n): cls for n, cls in {**_ALIASES, **short, **names}.items()}


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")
