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

from __future__ import annotations

import typing

from keras_rankmetrics.conventions.convention import Convention, by_name
from keras_rankmetrics.conventions.convention import suggestion as _suggestion
from keras_rankmetrics.conventions.learning import (
    keras_rs,
    mllib,
    pykeen,
    sklearn,
    tf_ranking,
    torchmetrics,
)
from keras_rankmetrics.conventions.recommending import (
    din,
    kaggle,
    lenskit,
    merlin,
    recbole,
    recommenders,
    recsys,
    rectools,
    replay,
)
from keras_rankmetrics.conventions.retrieval import (
    beir,
    ir_measures,
    mteb,
    ranx,
    sentence_transformers,
    trec_eval,
    trec_eval_without_c,
)
from keras_rankmetrics.engine.messages import no_attribute as _no_attribute

# The conventions are listed in this order.
__all__ = [  # noqa: RUF022
    "keras_rs",
    "tf_ranking",
    "trec_eval",
    "trec_eval_without_c",
    "ir_measures",
    "sklearn",
    "ranx",
    "sentence_transformers",
    "beir",
    "mteb",
    "torchmetrics",
    "mllib",
    "recommenders",
    "replay",
    "rectools",
    "lenskit",
    "recbole",
    "din",
    "merlin",
    "kaggle",
    "pykeen",
    "recsys",
    "Convention",
    "all_of_them",
    "named",
    "names",
    "table",
]
# Other names of the sources.
_ALIASES = {
    "keras_recommenders": "keras_rs",
    "microsoft_recommenders": "recommenders",
    "pyspark": "mllib",
    "pytrec_eval": "trec_eval",
    "rax": "tf_ranking",
    "sbert": "sentence_transformers",
    "scikit-learn": "sklearn",
    "sentence-transformers": "sentence_transformers",
    "spark": "mllib",
    "tensorflow_ranking": "tf_ranking",
    "tfr": "tf_ranking",
}


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
    public = map(globals().get, __all__)
    return [each for each in public if isinstance(each, Convention)]


def named(name: str) -> Convention:
    """Return the convention of that name, or raise ValueError.

    >>> named("trec_eval").name
    'trec_eval'
    """
    return by_name(all_of_them(), name, _ALIASES)


def table() -> str:
    """Return a description of all conventions.

    >>> table().partition(":")[0]
    'keras_rs'
    """
    return "\n\n".join(map(str, all_of_them()))


if not typing.TYPE_CHECKING:

    def __getattr__(name):
        """Raise an error that names the convention the user probably means."""
        hint = _suggestion(name, __all__, _ALIASES)
        raise _no_attribute(__name__, name, hint)
