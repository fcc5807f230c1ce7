"""Constructors from declarations: each parameter of a metric is said once.

A class that is `declared` says its parameters as a dataclass says its fields.
Those of its bases, if they are declared, come before. Type checkers and editors
know this from `typing.dataclass_transform`, `help` from the signature that the
constructor is given here.

Every constructor refuses a parameter that it does not have by `check_names`,
which knows how other libraries spell ours.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ParamSpec, TypeVar

from keras_rankmetrics.engine.naming.names import nearest, plain

C = TypeVar("C", bound=type)
P = ParamSpec("P")

# A parameter, a description of it, and its names in other libraries, without
# case, hyphens and underscores.
_SPELLINGS = (
    (
        "k",
        "cutoff",
        "at atk ats cut cutoff cutoffs cutofflist depth k ks listsize n rank "
        "top topk topkargs topklist topks topn",
    ),
    (
        "relevance_threshold",
        "relevance threshold",
        "level minrel minrelevance rating ratingthreshold rel relevancelevel "
        "relevancethresh relevancylevel relevancythreshold relevantthreshold "
        "rellevel rellvl relthreshold threshold",
    ),
    (
        "gain_fn",
        "gain function",
        "exponential gain gainfunction gainkey gains gaintype linear",
    ),
    (
        "rank_discount_fn",
        "discount",
        "base dcg discount discountfn discountfunction discounts log logbase "
        "rankdiscount rankdiscountfunction",
    ),
    (
        "ties",
        "option for tied scores",
        "breakties ignoreties tie tiebreak tiebreaker tiebreaking tiemethod "
        "tiepolicy",
    ),
    (
        "empty",
        "option for lists without relevant items",
        "emptylists emptypolicy emptytargetaction ignorezerohits onempty "
        "zerodivision",
    ),
    ("unjudged", "option for unjudged items", "condensed judgedonly"),
    ("inputs", "form of input", "form format inputform inputtype"),
    ("num_items", "number of items", "catalogsize cataloguesize nitems"),
    ("catalogue", "number of items", "catalog nitems numitems"),
    ("negatives", "number of negatives", "nnegatives numnegatives"),
    ("max_grade", "highest grade", "maxlabel maxrel maxrelevance"),
    ("p", "persistence", "patience persistence"),
    ("seed", "seed", "randomstate rng"),
)


class _Parameter(typing.NamedTuple):
    default: Any
    kw_only: bool


def parameter(*, default: Any, kw_only: bool = True) -> Any:
    """A parameter with its default, which may be positional."""
    return _Parameter(default, kw_only)


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
def declared(cls: C) -> C:
    """Give the class a constructor with the parameters that it declares.

    The constructor hands them all to that of `RankingMetric`. A metric has what
    it was given as attributes of the same names.
    """
    own = {
        name: _as_parameter(name, annotation, vars(cls)[name])
        for name, annotation in inspect.get_annotations(cls).items()
    }
    of_bases = getattr(cls, "_declared", {})
    parameters = {**of_bases, **own}
    for name in own:
        _make_attribute(cls, name)
    signature = inspect.Signature(
        [
            inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD),
            *sorted(parameters.values(), key=lambda p: p.kind),
        ],
        return_annotation=None,
    )
    _, *names = signature.parameters
    base = _constructor_that_takes_all(cls)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        check_names(type(self).__name__, kwargs, names)
        _check_number(type(self).__name__, args, signature)
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        del bound.arguments["self"]
        base(self, **bound.arguments)

    made: Any = __init__
    made.__signature__ = signature
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    cls.__init__, cls._declared = made, parameters  # type: ignore
    return cls


def _check_number(
    callee: str, given: Sequence[Any], signature: inspect.Signature
) -> None:
    """Raise TypeError if there are too many positional arguments."""
    _, *parameters = signature.parameters.values()
    known = [p.name for p in parameters if p.kind is not p.KEYWORD_ONLY]
    if len(given) > len(known):
        taken = f"only {', '.join(known)}" if known else "nothing"
        rest = [p.name for p in parameters if p.name not in known]
        received = ", ".join(map(repr, given))
        raise TypeError(
            f"{callee} takes {taken} by position. Received: {received}. Pass "
            f"the others by name: {', '.join(rest)}."
        )


def checks_names(init: Callable[P, None]) -> Callable[P, None]:
    """Let a constructor that is written out refuse names by `check_names`."""
    _, *parameters = inspect.signature(init).parameters

    @functools.wraps(init)
    def __init__(*args: P.args, **kwargs: P.kwargs) -> None:  # noqa: N807
        check_names(type(args[0]).__name__, kwargs, parameters)
        init(*args, **kwargs)

    return __init__


def check_names(
    callee: str, given: Iterable[str], parameters: Iterable[str]
) -> None:
    """Raise TypeError if a parameter does not exist, and say what was meant.

    Args:
        callee: the name of the class.
        given: the names of the arguments.
        parameters: the names of the parameters.
    """
    known = list(parameters)
    for name in given:
        if name not in known:
            raise TypeError(
                f'{callee} has no parameter "{name}".{_hint(name, known)}'
            )


def _hint(name: str, known: Sequence[str]) -> str:
    meant = {
        ours: what
        for ours, what, spellings in _SPELLINGS
        if plain(name) in spellings.split()
    }
    for ours, what in meant.items():
        if ours in known:
            return f' Its {what} is "{ours}".'
    similar = nearest(name, known, least=0.6)
    if similar:
        return similar
    lacking = dict.fromkeys(meant.values())
    has_none = "".join(f" It has no {what}." for what in lacking)
    return f"{has_none} Its parameters are: {', '.join(known)}."


def takes(cls: type, name: str) -> bool:
    """Whether the constructor of the class has the parameter."""
    return name in getattr(cls, "_declared", {name})


def _as_parameter(name: str, annotation: Any, value: Any) -> inspect.Parameter:
    given = value if isinstance(value, _Parameter) else _Parameter(value, True)
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY
        if given.kw_only
        else inspect.Parameter.POSITIONAL_OR_KEYWORD,
        default=given.default,
        annotation=annotation,
    )


def _make_attribute(cls: Any, name: str) -> None:
    """What the metric was given, in place of the default of the class."""
    delattr(cls, name)
    if name not in cls.common_parameters:
        setattr(cls, name, property(lambda self: self.options[name]))


def _constructor_that_takes_all(cls: type) -> Any:
    """That of the first base that is not declared."""
    for base in cls.__mro__[1:]:
        if "_declared" not in vars(base) and "__init__" in vars(base):
            return vars(base)["__init__"]
    raise TypeError(f"{cls.__name__} has no base with a constructor.")
