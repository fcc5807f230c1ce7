"""Named conventions: the options that reproduce the numbers of other libraries.

>>> from keras_rankmetrics.conventions import trec_eval
>>> print(trec_eval.NDCG(k=10).signature)
NDCG@10|gain:linear|discount:log2|ideal:relevant|ties:average|empty:zero|list_weight:relevance|inputs:scores|keras_rankmetrics:0.1.0
>>> trec_eval.F1AtK  # doctest: +ELLIPSIS
Traceback (most recent call last):
    ...
AttributeError: The convention `trec_eval` has no F1AtK: ...

The convention of ir_measures also parses the measure names of its source:

>>> from keras_rankmetrics.conventions import ir_measures
>>> ir_measures.parse("P(rel=2)@5").name
'precision@5'

`krm conventions` lists them on the command line. Every convention accepts all
forms of input, and reproduces no bugs of its source: tied items get the exact
average over their orders unless the source defines an order for them, and masks
and weights work as everywhere in this package.
"""

# ruff: noqa: F403

from __future__ import annotations

import typing
from collections.abc import Iterable

from keras_rankmetrics.conventions.convention import Convention as Convention

# The conventions are listed in the order of these imports.
from keras_rankmetrics.conventions.retrieval import *

# isort: split
from keras_rankmetrics.conventions.recommending import *

# isort: split
from keras_rankmetrics.conventions.boosting import *

# isort: split
from keras_rankmetrics.conventions.generation import *
from keras_rankmetrics.engine.messages import (
    closest,
    did_you_mean,
    no_attribute,
)


def names() -> list[str]:
    """Return the names of all conventions.

    >>> names()[:3]
    ['keras_rs', 'tf_ranking', 'trec_eval']
    """
    return [convention.name for convention in all_of_them()]


def all_of_them() -> list[Convention]:
    """Return all conventions.

    >>> {convention.name for convention in all_of_them()} == set(names())
    True
    """
    return [each for each in globals().values() if isinstance(each, Convention)]


def named(name: str) -> Convention:
    """Return the convention of that name, or raise ValueError.

    >>> named("trec_eval").name
    'trec_eval'
    """
    found = {each.name: each for each in all_of_them()}
    if name not in found:
        raise ValueError(
            f'No convention has the name "{name}".{_hint(str(name), found)} '
            f"The conventions are: {', '.join(found)}."
        )
    return found[name]


def table() -> str:
    """Return a description of all conventions.

    >>> table().partition(":")[0]
    'keras_rs'
    """
    return "\n\n".join(map(str, all_of_them()))


def _hint(name: str, known: Iterable[str]) -> str:
    """Return "Did you mean ...?" for a convention, or an empty text."""
    if name.startswith("_"):
        return ""
    aliases = {
        alias: each.name
        for each in all_of_them()
        for alias in each.aliases.split()
    }
    found = closest(name, [*known, *aliases])
    return did_you_mean(*dict.fromkeys(aliases.get(x, x) for x in found))


# mypy reads only literal lists, and exports what a star imports without one.
if not typing.TYPE_CHECKING:
    __all__ = [*names(), "Convention", "all_of_them", "named", "names", "table"]

    def __dir__():
        """Return the public names."""
        return __all__

    def __getattr__(name):
        """Raise an error that names the convention the user probably means."""
        raise no_attribute(__name__, name, _hint(name, __all__))
