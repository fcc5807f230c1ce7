"""The classes that users subclass: a definition with a state."""

from __future__ import annotations

import abc
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Literal, Self, cast

import keras
import numpy as np

from keras_rankmetrics.engine.aggregates import Estimate, WeightedMean
from keras_rankmetrics.engine.aggregates.aggregate import check_aggregate
from keras_rankmetrics.engine.definition import Definition, takes
from keras_rankmetrics.engine.definition.common_options import (
    chosen,
    float_dtype,
)
from keras_rankmetrics.engine.definition.options import check_class
from keras_rankmetrics.engine.metric.accumulator import (
    Accumulator,
    is_known,
    on_host,
)
from keras_rankmetrics.engine.naming.names import in_words, name_at
from keras_rankmetrics.engine.naming.saving import deserialized, serialized
from keras_rankmetrics.engine.naming.signature import signature_of_object
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import relevant
from keras_rankmetrics.types import (
    Adjustment,
    EmptyPolicy,
    InputForm,
    ListWeight,
    Tensor,
    TiePolicy,
    UnjudgedPolicy,
)

# `Defined`: an accumulator that is made from what a metric is.

_OF_EMPTY_CLASSES = {"__module__", "__doc__"}


class Defined(Accumulator):
    """An accumulator that is made from the options of a metric.

    Subclasses say what is computed of a list, and which sums are kept. The
    parameters are described on `RankingMetric`.
    """

    short_name: ClassVar[str | None] = None
    """The default name, without k; else it is made from that of the class."""

    option_in_name: ClassVar[str | None] = None
    """The option that the default name ends with, in place of k."""

    has_upper_bound: ClassVar[bool] = True
    """Whether 1 is the best value, so that `empty="one"` has a meaning."""

    more_is_better: ClassVar[bool] = True
    """Whether a higher value is a better one."""

    turns_under: ClassVar[tuple[str, str] | None] = None
    """An option and its value under which the other direction is better."""

    needs_whole_lists: ClassVar[bool] = False
    """Whether the measure looks at all ranks, whatever `k` is."""

    by_subtopic: ClassVar[bool] = False
    """Whether labels are those of subtopics, `[..., items, subtopics]`."""

    averages_orders: ClassVar[bool] = True
    """Whether the value of tied items is the mean over their orders."""

    needs_labels: ClassVar[str | None] = None
    """What labels tell it that ids cannot, if that is so."""

    needs_k_under: ClassVar[tuple[str, str] | None] = None
    """An option and its value under which the measure needs a k."""

    strict_order_under: ClassVar[tuple[str, str] | Literal["always"] | None] = (
        None
    )
    """An option and its value under which `ties` must not be `"average"`; or
    `"always"`."""

    of_catalogue: ClassVar[str | None] = None
    """The option that tells how many items there are, if that matters."""

    k = property(operator.attrgetter("definition.k"))
    ties = property(operator.attrgetter("definition.ties"))
    seed = property(operator.attrgetter("definition.seed"))
    empty = property(operator.attrgetter("definition.empty"))
    list_weight = property(operator.attrgetter("definition.list_weight"))
    adjusted = property(operator.attrgetter("definition.adjusted"))
    inputs = property(operator.attrgetter("definition.inputs"))
    unjudged = property(operator.attrgetter("definition.unjudged"))
    options = property(lambda self: dict(self.definition.options))

    def __init_subclass__(
        cls, *, abstract: bool = False, **kwargs: Any
    ) -> None:
        """Raise TypeError if the class lacks what a metric needs.

        Args:
            abstract: whether the class is only a base of other metrics. It may
                lack a measure, and cannot be constructed without one.
            **kwargs: for further bases.
        """
        super().__init_subclass__(**kwargs)
        # Spark and Ray make an empty class before they fill it. What stays
        # empty is refused when it is constructed.
        if not abstract and vars(cls).keys() - _OF_EMPTY_CLASSES:
            check_class(cls)

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        adjusted: Adjustment = None,
        inputs: InputForm = "scores",
        unjudged: UnjudgedPolicy = "irrelevant",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        check_class(type(self))
        words = self.short_name or in_words(type(self).__name__)
        name = name or name_at(words, options.get(self.option_in_name or "", k))
        super().__init__(name, dtype)
        self.definition = Definition.checked(
            type(self),
            name=name,
            k=k,
            ties=ties,
            shuffle_ties=shuffle_ties,
            seed=seed,
            options=options,
            empty=empty,
            list_weight=list_weight,
            adjusted=adjusted,
            inputs=inputs,
            unjudged=unjudged,
            dtype=float_dtype(self.dtype),
        )
        # Keras reads no public attribute for this. With it, callbacks know
        # what is better.
        turned = bool(chosen(options, self.turns_under))
        self._direction = "up" if self.more_is_better != turned else "down"
        self._keep_sums(name)

    common_parameters: ClassVar[frozenset[str]] = frozenset(
        inspect.signature(__init__).parameters
    ) - {"self", "options"}
    """The parameters of all metrics; an option cannot have such a name."""

    @classmethod
    def at(cls, *cutoffs: int | None, **options: Any) -> list[Self]:
        """One metric for each cutoff: `NDCG.at(1, 5, 10)` for three.

        A `name` becomes `name@1`, `name@5` and so on.
        """
        if not cutoffs or np.ndim(cast(Any, cutoffs[0])) > 0:
            received = ", ".join(map(repr, cutoffs)) or "none"
            raise ValueError(
                f"`at` takes cutoffs: `{cls.__name__}.at(1, 5, 10)`. Received: "
                f"{received}. Unpack a list by a star: `at(*cutoffs)`."
            )
        name = options.pop("name", None)
        return [
            cls(k, name=name and name_at(name, k), **options) for k in cutoffs
        ]

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raises where options do not go together."""

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same metric."""
        config = self._config()
        for name, value in self.definition.options.items():
            if callable(value):
                config[name] = serialized(value, name)
            elif isinstance(value, np.ndarray):
                config[name] = keras.saving.serialize_keras_object(value)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The metric that `get_config` describes."""
        return cls(**deserialized(config))

    def remade(self) -> Self:
        """Another one of the same definition and name, without a state."""
        return self.from_config(self._own_config())

    def _config(self) -> dict[str, Any]:
        config = {
            "name": self.name,
            "dtype": self.dtype,
            **self.definition.config,
        }
        return {n: x for n, x in config.items() if takes(type(self), n)}

    def _own_config(self) -> dict[str, Any]:
        # Functions need not be registered to be copied.
        if type(self).get_config is Defined.get_config:
            return self._config()
        options = self.definition.options.items()
        return {
            **self.get_config(),
            **{n: x for n, x in options if not _is_plain(x)},
        }


def _is_plain(value: Any) -> bool:
    return not callable(value) and not isinstance(value, np.ndarray)


# `Estimated`: a number with its error, and what it rests on.


class Estimated(Accumulator):
    """A metric whose number is a mean, and so has a standard error."""

    aggregate: Any = WeightedMean()
    """Which sums are kept of the values of the lists, an `Aggregate`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Raise TypeError if the class has an `aggregate` that is none."""
        super().__init_subclass__(**kwargs)
        if not hasattr(cls.aggregate, "__get__"):  # a property, of an object
            check_aggregate(cls.__name__, cls.aggregate)

    def estimate(self) -> Estimate:
        """The result with its standard error and what it rests on.

        It is computed in double precision, from the state as it is: not in a
        compiled program, where `MetricCollection(..., errors=True)` has the
        standard errors among its results.
        """
        if type(self.aggregate) is not WeightedMean:
            raise TypeError(
                f"{type(self).__name__} has an `aggregate` of its own, of "
                "which no standard error is known."
            )
        return Estimate.of_sums(on_host(self._seen()), self.aggregate.bounded)

    def standard_error(self) -> float:
        """The standard error of the result; NaN for fewer than two lists.

        For lists with the values v and the weights w it is

            √(n / (n - 1) · Σ w² (v - result)²) / Σ w

        linearised for lists that take the mean weight of the others. Lists of
        one row of the batch, as in `[batch, time]`, are not independent: n is
        the number of rows, and w (v - result) is summed over each before it is
        squared.

        >>> from keras_rankmetrics import PrecisionAtK
        >>> metric = PrecisionAtK(k=2)
        >>> metric.update_state([[1, 0], [1, 1], [0, 0]], [[2, 1]] * 3)
        >>> float(metric.result()), round(metric.standard_error(), 4)
        (0.5, 0.2887)

        Särndal, Swensson and Wretman, Model Assisted Survey Sampling (1992),
        section 5.5.
        """
        return self.estimate().standard_error

    def confidence_interval(self, level: float = 0.95) -> tuple[float, float]:
        """The interval result ± t · standard error, by Student's t.

        It holds the mean of all lists, of which those seen are a sample, in so
        many cases. With few lists and values close to 0 or 1 it is too short,
        and may go beyond them.

        Args:
            level: the chance, between 0 and 1.
        """
        return self.estimate().interval(level)

    def count(self) -> int:
        """How many lists counted."""
        return self.estimate().lists

    def effective_count(self) -> float:
        """How many lists of equal weight tell as much: (Σ w)² / Σ w².

        Kish, Survey Sampling (1965).
        """
        return self.estimate().effective_lists

    def __str__(self) -> str:
        """`ndcg@10 = 0.7719 ± 0.0123 (95%, 1,204 lists)`."""
        is_mean = type(self.aggregate) is WeightedMean
        if not is_mean or not is_known(self._seen()):
            return repr(self)
        return f"{self.name} = {self.estimate()}"


# `RankingMetric`: a definition, and the mean of what it says of the lists.


class RankingMetric(Defined, Estimated, abstract=True):
    """The base of all ranking metrics, and of those you write yourself.

    A ranking metric is a *measure*, which gives each list a value, and the
    weighted mean of these values over all lists it has seen. The mean depends
    on nothing else: not on the batch size, on padding, or on the order in
    which tied items happen to stand.

    **Input.** By `inputs`, with any number of leading dimensions, `[batch]` as
    a rule, none for a single list:

    - `"scores"`: `y_true` holds labels, `[..., items]`, and `y_pred` the scores
      of the same items. A last dimension of 1, as `Dense(1)` over items leaves
      it, is dropped.
    - `"sparse"`: `y_true` holds indices of the relevant items, `[...]` or
      `[..., targets]`, and `y_pred` scores of all items, `[..., items]`.
    - `"ids"`: `y_true` holds ids of the relevant items, `[...]` or
      `[..., relevant]`, and `y_pred` recommended ids, best first,
      `[..., recommended]`.
    - `"counts"`: `y_true` holds ids of the relevant items, as for `"ids"`, and
      `y_pred` a dict: how many items score higher, `"above"`, and how many
      others the same, `"tied"`, both `[..., relevant]`, and `"num_items"`, how
      many were ranked, one number or `[...]`. A negative `"above"` says that
      the item is not retrieved.

    Negative indices and ids are padding. Relevant items have the label 1, all
    others 0. An id that comes twice counts at its first place. Python lists may
    have unequal lengths, and so may the rows of a `tf.RaggedTensor`.

    In direct calls `y_true` may be a dict of `"labels"` (or `"target"`, for
    indices and ids) and maybe a `"mask"` of items or of lists, items to
    `"exclude"` from the ranking, by index or id, and with labels
    `"num_relevant"`, how many relevant items there are in truth, where the list
    has been cut off.

    **Masks.** An item does not exist if its label is below 0 (but for -2, see
    below), the mask is False
    (that in `y_true`, or the one that Keras layers attach to `y_pred`), or its
    weight is 0. What it holds never matters. `compile` hands on no dict, and on
    jax `fit` loses the attached mask: negative labels always work. A valid item
    of score `-inf` (of integers: the smallest) is *not retrieved*: it has no
    rank, but counts as relevant where relevant items are counted. NaN in a
    valid item makes the value of its list, and so the result, NaN.

    **Unjudged items.** An item that is ranked, and that nobody has judged, has
    the label `keras_rankmetrics.UNJUDGED`, -2; or in direct calls `False` in
    `y_true["judged"]`, `[..., items]`, whatever its label. It is worth nothing,
    or with `unjudged="condense"` does not exist.

    **Ties.** Items of equal score have no order. `ties` says what then counts:
    `"average"`, the exact mean over all orders of the tied items; `"shuffle"`,
    one random order, from `seed`, a new one for each batch; `"stable"`, the
    order of the input; `"pessimistic"` or `"optimistic"`, the lowest or the
    highest labels first.

    **Weights.** `sample_weight` is a scalar, or holds one weight per list or,
    with labels, per item. What weights of items do to a value, its metric
    says. The weight of a list in the mean is, by `list_weight`, either
    `"relevance"`: Σ w r / Σ r over its items, where r is the gain or relevance
    of an item, and for a list without relevance the mean weight of all lists
    that have some; or `"mean"`: the mean weight of its items.

    **Empty lists.** A list without any valid item does not count, nor one
    without a target, nor one that names no id. Any other without relevant items
    counts as 0, as 1, or not at all, by `empty`: `"zero"`, `"one"`, `"skip"`.

    To write a metric, subclass and give it a `measure`:

    >>> from keras import ops
    >>> from keras_rankmetrics import RankingMetric
    >>> class Enough(RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k, enough: float = 2.0):
    ...         return ops.minimum(ranking.hits(k) / enough, 1.0)
    >>> float(Enough(k=2)([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
    0.5

    Args:
        k: how many ranks count, or None for all. More than the list has is no
            error.
        shuffle_ties: the spelling of keras_rs: True for `ties="shuffle"`,
            False for `ties="stable"`.
        seed: for `ties="shuffle"`, an integer (0 by default) or a
            `keras.random.SeedGenerator`.
        ties: see above. Defaults to `"average"`.
        empty: see above.
        list_weight: see above.
        adjusted: `"chance"` for (value - chance) / (1 - chance) of each list,
            chance being the mean over all orders of the retrieved items: 0 is
            as good as chance, 1 is the best. 0 where chance is closer than 1e-4
            to 1. Not with `"ids"`.
        inputs: see above. But with `"scores"`, an option under which the
            label 1 is worth nothing, or 0 something, is an error.
        unjudged: see above.
        name: defaults to the short name of the metric and k: `"ndcg@10"`.
        dtype: `"float64"` to compute and sum in double precision, on
            TensorFlow; the Keras operations of the other backends round to
            float32. Anything else means float32.
        **options: those of `measure` and `relevance`, by name.
    """

    relevance: ClassVar[Callable[..., Tensor]] = staticmethod(relevant)
    """What a label is worth: `relevance(labels, **options)`, elementwise.

    A label below 0 stands for no item, and is worth nothing whatever it says.
    """

    @staticmethod
    @abc.abstractmethod
    def measure(ranking: Ranking, k: int | None) -> Tensor:
        """Return the value of each list, `[lists]`.

        Override it with a static method, or assign a function wrapped in
        `staticmethod`. Its parameters beyond these two must have defaults:
        they are the options of the metric.

        A class without a measure is an error. If it is only a base of your
        metrics, declare it as `class Base(RankingMetric, abstract=True)`.

        Args:
            ranking: the items of each list, by rank.
            k: the cutoff, None for all ranks.
        """

    @staticmethod
    def has_value(ranking: Ranking) -> Tensor:
        """Which lists have a value, bool `[lists]`; others are *empty*.

        By default those in which an item has a gain.
        """
        return ranking.has_gain()

    @property
    def signature(self) -> str:
        """All that the number depends on, in one line that can be quoted."""
        if type(self.aggregate) is WeightedMean:
            return super().signature
        aggregate = signature_of_object(self.aggregate)
        return f"{super().signature}|aggregate:{aggregate}"

    def _keep_sums(self, name: str) -> None:
        if self.adjusted is not None and type(self.aggregate) is WeightedMean:
            self.aggregate = WeightedMean(bounded=False)
        super()._keep_sums(name)
