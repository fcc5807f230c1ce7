"""Constructors from declarations: each parameter of a metric is said once.

A class that is `declared` says its parameters as a dataclass says its fields.
Those of its bases, if they are declared, come before. Type checkers and editors
know this from `typing.dataclass_transform`, `help` from the signature that the
constructor is given here.
"""

from __future__ import annotations

import inspect
import typing
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


class _Parameter(typing.NamedTuple):
    default: Any
    kw_only: bool


def parameter(*, default: Any, kw_only: bool = True) -> Any:
    """A parameter with its default, which may be positional."""
    return _Parameter(default, kw_only)


@typing.dataclass_transform(kw_only_default=True, field_specifiers=(parameter,))
def declared(cls: C) -> C:
    """Gives the class a constructor with the parameters that it declares.

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
    base = _constructor_that_takes_all(cls)

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
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
