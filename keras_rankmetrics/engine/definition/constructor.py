"""Constructors made from declared parameters.

A `declared` class lists its parameters like the fields of a dataclass, after
those of its declared bases. Type checkers and editors understand this through
`typing.dataclass_transform`, and `help` through the signature that is set here.

Every constructor rejects unknown parameters by `check_names`, which knows the
spellings of other libraries.
"""

from __future__ import annotations

import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter
from typing import Any, ParamSpec, TypeVar

from keras_rankmetrics.engine.messages import nearest, plain

C = TypeVar("C", bound=type)
P = ParamSpec("P")

_POSITIONAL = Parameter.POSITIONAL_OR_KEYWORD

# For each parameter, its description, and its names in other libraries in lower
# case without hyphens and underscores.
_SPELLINGS = {
    "k": "cutoff: at atk ats cut cutoff cutoffs cutofflist depth k ks listsize "
    "n rank top topk topkargs topklist topks topn",
    "relevance_threshold": "relevance threshold: level minrel minrelevance "
    "rating ratingthreshold rel relevancelevel relevancethresh relevancylevel "
    "relevancythreshold relevantthreshold rellevel rellvl relthreshold "
    "threshold",
    "gain_fn": "gain function: exponential gain gainfunction gainkey gains "
    "gaintype linear",
    "rank_discount_fn": "discount: base dcg discount discountfn "
    "discountfunction discounts log logbase rankdiscount rankdiscountfunction",
    "ties": "option for tied scores: breakties ignoreties tie tiebreak "
    "tiebreaker tiebreaking tiemethod tiepolicy",
    "empty": "option for lists without relevant items: emptylists emptypolicy "
    "emptytargetaction ignorezerohits onempty zerodivision",
    "unjudged": "option for unjudged items: condensed judgedonly",
    "inputs": "form of input: form format inputform inputtype",
    "num_items": "number of items: catalogsize cataloguesize nitems",
    "catalogue": "number of items: catalog nitems numitems",
    "negatives": "number of negatives: nnegatives numnegatives",
    "max_grade": "highest grade: maxlabel maxrel maxrelevance",
    "p": "persistence: patience persistence",
    "seed": "seed: randomstate rng",
}


def parameter(*, default: Any, kw_only: bool = True) -> Any:
    """Declare a parameter with its default, which may be positional."""
    kind = Parameter.KEYWORD_ONLY if kw_only else _POSITIONAL
    return Parameter("_", kind, default=default)  # `declared` names it


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
def declared(cls: C) -> C:
    """Give the class a constructor with the parameters that it declares.

    The constructor passes them all to the nearest handwritten constructor of a
    base. A metric has its arguments as attributes of the same names.
    """
    target: Any = cls
    parameters = dict(getattr(cls, "_declared", {}))
    for name, annotation in inspect.get_annotations(cls).items():
        if annotation.startswith("ClassVar["):
            continue
        value = vars(cls)[name]
        if not isinstance(value, Parameter):
            value = parameter(default=value)
        parameters[name] = value.replace(name=name, annotation=annotation)
        # The default of the class would hide the argument of an instance.
        delattr(cls, name)
        if name not in target.common_parameters:
            setattr(cls, name, _option(name))
    in_order = sorted(parameters.values(), key=lambda each: each.kind)
    signature = inspect.Signature(in_order)
    # Sphinx would follow a `__wrapped__`, and document that signature.
    handwritten: Any = getattr(target.__init__, "_calls", target.__init__)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        callee = type(self).__name__
        check_names(callee, kwargs, signature.parameters)
        _check_number(callee, args, signature)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        handwritten(self, **bound.arguments)

    made: Any = __init__
    made._calls = handwritten
    made.__signature__ = signature.replace(
        parameters=[Parameter("self", _POSITIONAL), *in_order],
        return_annotation=None,
    )
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    target.__init__, target._declared = made, parameters
    return cls


def _check_number(
    callee: str, arguments: Sequence[Any], signature: inspect.Signature
) -> None:
    """Raise TypeError if there are too many positional arguments."""
    parameters = signature.parameters
    positional = [n for n, p in parameters.items() if p.kind is _POSITIONAL]
    if len(arguments) > len(positional):
        taken = f"only {', '.join(positional)}" if positional else "nothing"
        rest = ", ".join(name for name in parameters if name not in positional)
        raise TypeError(
            f"{callee} takes {taken} by position. Received: "
            f"{', '.join(map(repr, arguments))}. Pass the others by name: "
            f"{rest}."
        )


def checks_names(init: Callable[P, None]) -> Callable[P, None]:
    """Make a handwritten constructor reject unknown names by `check_names`."""
    _, *parameters = inspect.signature(init).parameters

    @functools.wraps(init)
    def __init__(*args: P.args, **kwargs: P.kwargs) -> None:  # noqa: N807
        check_names(type(args[0]).__name__, kwargs, parameters)
        init(*args, **kwargs)

    return __init__


def check_names(
    callee: str, arguments: Iterable[str], parameters: Iterable[str]
) -> None:
    """Raise TypeError if an argument is not a parameter, with a suggestion.

    Args:
        callee: the name of the class.
        arguments: the names of the arguments.
        parameters: the names of the parameters.
    """
    names = list(parameters)
    for name in arguments:
        if name not in names:
            raise TypeError(
                f'{callee} has no parameter "{name}".{_hint(name, names)}'
            )


def takes(cls: type, name: str) -> bool:
    """Return True if the constructor of the class has the parameter."""
    return name in getattr(cls, "_declared", {name})


def check_config(cls: type, config: Iterable[str]) -> None:
    """Raise TypeError if a config lacks an argument of the constructor.

    With its default, a copy or a loaded metric would have other values without
    a word.

    Args:
        cls: the class of a metric.
        config: the names that the config of the package has.
    """
    written: Any = cls
    if _is_ours(written.__init__) or not _is_ours(written.get_config):
        return
    known = {"shuffle_ties", *config}
    for name, parameter in inspect.signature(cls).parameters.items():
        if parameter.default is not parameter.empty and name not in known:
            raise TypeError(
                f"The constructor of {cls.__name__} has the parameter `{name}`,"
                " which copies and loaded metrics would lack, and which the "
                "signature does not name. Make it an option, which is a "
                "parameter of `measure` with a default, or override "
                "`get_config` to return it, too."
            )


def _is_ours(function: Any) -> bool:
    package, _, _ = __name__.partition(".")
    return function.__module__.partition(".")[0] == package


def _hint(name: str, parameters: Sequence[str]) -> str:
    rows = {ours: row.split(": ") for ours, row in _SPELLINGS.items()}
    meant = {
        ours: description
        for ours, (description, spellings) in rows.items()
        if plain(name) in spellings.split()
    }
    for ours, description in meant.items():
        if ours in parameters:
            return f' Its {description} is "{ours}".'
    similar = nearest(name, parameters, least=0.6)
    if similar:
        return similar
    lacks = "".join(f" It has no {x}." for x in dict.fromkeys(meant.values()))
    return f"{lacks} Its parameters are: {', '.join(parameters)}."


def _option(name: str) -> property:
    return property(lambda self: self.options[name])
