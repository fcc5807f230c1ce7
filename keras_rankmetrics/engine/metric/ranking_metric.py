"""`RankingMetric` and its bases: a metric made from options, and a mean."""

from __future__ import annotations

import abc
import inspect
import operator
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, cast

import keras
import numpy as np

from keras_rankmetrics.engine import naming
from keras_rankmetrics.engine.aggregates import Estimate, WeightedMean
from keras_rankmetrics.engine.aggregates.aggregate import check_aggregate
from keras_rankmetrics.engine.backend.keras_internals import keras_config
from keras_rankmetrics.engine.definition import Definition, takes
from keras_rankmetrics.engine.definition.constructor import check_config
from keras_rankmetrics.engine.definition.definition import chosen
from keras_rankmetrics.engine.definition.options import check_class
from keras_rankmetrics.engine.metric.accumulator import Accumulator
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.ranking.relevance import relevant
from keras_rankmetrics.types import (
    Adjustment,
    EmptyPolicy,
    InputForm,
    Labels,
    ListWeight,
    Tensor,
    TensorFn,
    TiePolicy,
    Truth,
    UnjudgedPolicy,
)

_IN_EMPTY_CLASSES = {"__module__", "__doc__"}


def _of_definition(name: str) -> Any:
    """Return a property that reads an attribute of the definition."""
    return property(operator.attrgetter(f"definition.{name}"))


class ConfiguredMetric(Accumulator):
    """A metric with a definition made from options.

    Subclasses define the measure and the aggregate. `RankingMetric` describes
    the parameters.
    """

    short_name: ClassVar[str | None] = None
    """The default name without k; None derives it from the class name."""

    option_in_name: ClassVar[str | None] = None
    """The option whose value the default name ends with, instead of k."""

    has_upper_bound: ClassVar[bool] = True
    """True if values are in [0, 1], as confidence intervals then assume.

    Values outside are an error, or NaN in compiled programs. Metrics of the
    package may also have negative values, and say so by their aggregate.
    """

    more_is_better: ClassVar[bool] = True
    """True if higher values are better."""

    turns_under: ClassVar[tuple[str, str] | None] = None
    """An option and a value of it that reverse `more_is_better`."""

    needs_whole_lists: ClassVar[bool] = False
    """True if the measure depends on all ranks, whatever `k` is."""

    whole_lists_under: ClassVar[tuple[str, str] | None] = None
    """An option and a value of it with which it does."""

    reads: ClassVar[Truth | None] = None
    """The content of `y_true`, if it is not labels of items.

    `"subtopics"` for labels by subtopic, `[..., items, subtopics]`;
    `"two_rankings"` for reference scores, or ids in reference order; and
    `"clicks"` for clicks, with what was logged about the items.
    """

    own_weight: ClassVar[TensorFn | None] = None
    """A factor of a list's weight in the mean, of `(ranking, **options)`."""

    averages_orders: ClassVar[bool] = True
    """True if the value of tied items is the mean over their orders."""

    expected_measure: ClassVar[TensorFn | None] = None
    """The measure for `labels="probabilities"`: its expectation.

    None if the metric does not take such labels. It has the parameters of the
    measure, except for options that then keep their defaults.
    """

    needs_labels: ClassVar[str | None] = None
    """For errors: what the metric needs that labels have and ids lack."""

    needs_k_under: ClassVar[tuple[str, str] | None] = None
    """An option and a value of it with which the measure needs a k."""

    strict_order_under: ClassVar[tuple[str, str] | Literal["always"] | None] = (
        None
    )
    """An option and a value of it with which `ties` must not be `"average"`; or
    `"always"`."""

    of_catalogue: ClassVar[str | None] = None
    """The option that determines the number of items, if there is one."""

    k: int | None = _of_definition("k")
    ties: TiePolicy | None = _of_definition("ties")
    seed: int | keras.random.SeedGenerator | None = _of_definition("seed")
    empty: EmptyPolicy = _of_definition("empty")
    list_weight: ListWeight = _of_definition("list_weight")
    adjusted: Adjustment = _of_definition("adjusted")
    inputs: InputForm = _of_definition("inputs")
    unjudged: UnjudgedPolicy = _of_definition("unjudged")
    labels: Labels = _of_definition("labels")

    @property
    def options(self) -> dict[str, Any]:
        """The options of `measure` and `relevance`, by name."""
        return dict(self.definition.options)

    def __init_subclass__(
        cls, *, abstract: bool = False, **kwargs: Any
    ) -> None:
        """Raise TypeError if the class lacks what a metric needs.

        Args:
            abstract: whether the class is only a base of other metrics. It may
                lack a measure, and cannot be constructed without one.
            **kwargs: arguments for further bases.
        """
        super().__init_subclass__(**kwargs)
        # Spark and Ray create an empty class before they fill it. The
        # constructor checks classes that stay empty.
        if not abstract and vars(cls).keys() - _IN_EMPTY_CLASSES:
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
        labels: Labels = "grades",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        check_class(type(self))
        words = self.short_name or naming.in_words(type(self).__name__)
        name = name or naming.name_at(
            words, options.get(self.option_in_name or "", k)
        )
        super().__init__(name, dtype)
        self.definition: Definition = Definition.checked(
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
            labels=labels,
            # Half precision is too coarse for sums.
            dtype="float64" if self.dtype == "float64" else "float32",
        )
        # Callbacks of Keras read this to choose their `mode`. There is no
        # public attribute for it.
        turned = bool(chosen(options, self.turns_under))
        self._direction = "up" if self.more_is_better != turned else "down"
        self._create_variables(name)

    common_parameters: ClassVar[frozenset[str]] = frozenset(
        inspect.signature(__init__).parameters
    ) - {"self", "options"}
    """The parameters of all metrics; an option cannot have such a name."""

    @classmethod
    def at(cls, *cutoffs: int | None, **options: Any) -> list[Self]:
        """Return one metric for each cutoff: `NDCG.at(1, 5, 10)` for three.

        Args:
            *cutoffs: the cutoffs `k`, integers or None.
            **options: the parameters of the metrics. A `name` becomes `name@1`,
                `name@5` and so on.

        Raises:
            ValueError: if there is no cutoff, or a list of cutoffs.
        """
        if not cutoffs or np.ndim(cast(Any, cutoffs[0])) > 0:
            received = ", ".join(map(repr, cutoffs)) or "none"
            raise ValueError(
                f"`at` takes cutoffs: `{cls.__name__}.at(1, 5, 10)`. Received: "
                f"{received}. Unpack a list with a star: `at(*cutoffs)`."
            )
        name = options.pop("name", None)
        return [
            cls(k=k, name=name and naming.name_at(name, k), **options)
            for k in cutoffs
        ]

    @staticmethod
    def check_options(options: Mapping[str, Any]) -> None:
        """Raise ValueError if options contradict each other."""

    def get_config(self) -> dict[str, Any]:
        """Return the config for `from_config`."""
        config = self._config()
        for name, value in self.definition.options.items():
            if callable(value):
                config[name] = naming.serialized(value, name)
            elif isinstance(value, np.ndarray):
                config[name] = keras_config(value)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """Return a metric with a config from `get_config`."""
        return cls(**naming.deserialized(config))

    def remade(self, **changed: Any) -> Self:
        """Return a metric with the same definition and name, and no state.

        Args:
            **changed: the parameters that have another value.
        """
        return self.from_config({**self._own_config(), **changed})

    def _config(self) -> dict[str, Any]:
        config = {
            "name": self.name,
            "dtype": self.dtype,
            **self.definition.config,
        }
        check_config(type(self), config)
        return {n: x for n, x in config.items() if takes(type(self), n)}

    def _own_config(self) -> dict[str, Any]:
        # A copy needs no registered functions, so it takes them as they are.
        if type(self).get_config is ConfiguredMetric.get_config:
            return self._config()
        options = self.definition.options.items()
        return {
            **self.get_config(),
            **{n: x for n, x in options if _is_serialized(x)},
        }


def _is_serialized(value: Any) -> bool:
    return callable(value) or isinstance(value, np.ndarray)


class MeanMetric(Accumulator):
    """A metric whose result is a mean, with a standard error."""

    aggregate: Any = WeightedMean()
    """The `Aggregate` of the values of the lists."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Raise TypeError if the `aggregate` of the class is not valid."""
        super().__init_subclass__(**kwargs)
        # A property has its value in instances alone.
        if not hasattr(cls.aggregate, "__get__"):
            check_aggregate(cls.__name__, cls.aggregate)

    def estimate(self) -> Estimate:
        """Return the result with its standard error and counts.

        It is computed in double precision from the current state. Compiled code
        cannot call it: there, use `MetricCollection(..., errors=True)`, whose
        results include the standard errors.

        Raises:
            TypeError: if the metric has its own `aggregate`.
            ValueError: in compiled code.
        """
        if type(self.aggregate) is not WeightedMean:
            raise TypeError(
                "Only a mean over lists has a standard error. Received: "
                f"{type(self).__name__}, which has its own `aggregate`."
            )
        return Estimate.of_sums(self._sums_on_host(), self.aggregate.bounded)

    def standard_error(self) -> float:
        """Return the standard error; NaN for fewer than two lists.

        For lists with values v and weights w it is

            √(n / (n - 1) · Σ w² (v - result)²) / Σ w

        linearised for lists with the mean weight of the others. Lists of one
        row of the batch, as in `[batch, time]`, are not independent: n is then
        the number of rows, and w (v - result) is summed over each row before it
        is squared.

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
        """Return the confidence interval of the mean over all lists.

        It contains the mean of the population, from which the lists are a
        sample, with the given probability. For metrics with values in [0, 1] it
        is the interval of Korn and Graubard, which holds for few lists and
        close to 0 and 1; for others it is result ± t · standard error. The
        formulas are those of `Estimate.interval`.

        Args:
            level: the probability, between 0 and 1.

        Korn and Graubard, Survey Methodology 24 (1998).
        """
        return self.estimate().interval(level)

    def anytime_interval(
        self, level: float = 0.95, planned: int = 500
    ) -> tuple[float, float]:
        """Return an interval that may be read after every batch.

        All the intervals of a run together contain the mean of the population
        with the given probability, so you may stop as soon as one is decisive,
        from about 30 lists on. It is wider than `confidence_interval`. See
        `Estimate.anytime_interval` for the formula.

        Args:
            level: the probability, between 0 and 1.
            planned: the number of lists at which the interval is narrowest
                compared to others.

        Stability: provisional.
        """
        return self.estimate().anytime_interval(level, planned)

    def count(self) -> int:
        """Return the number of valid lists so far."""
        return self.estimate().lists

    def effective_count(self) -> float:
        """Return the effective sample size of the lists: (Σ w)² / Σ w².

        Kish, Survey Sampling (1965).
        """
        return self.estimate().effective_lists

    def __str__(self) -> str:
        """Return `ndcg@10 = 0.7719 ± 0.0123 (95%, 1,204 lists)`."""
        try:
            return f"{self.name} = {self.estimate()}"
        except (TypeError, ValueError):  # it has none, or it is traced
            return repr(self)


class RankingMetric(ConfiguredMetric, MeanMetric, abstract=True):
    """The base class of all ranking metrics, including your own.

    A ranking metric has a *measure*, which gives each list a value, and returns
    the weighted mean of these values over all lists it has seen. The mean
    depends on nothing else: not on the batch size, on padding, or on the input
    order of tied items.

    **Input.** `inputs` selects the form. The leading dimensions, written `...`,
    are usually `[batch]`; there may be more, or none for a single list:

    - `"scores"`: `y_true` contains labels, `[..., items]`, and `y_pred` the
      scores of the same items. A last dimension of 1, as `Dense(1)` over items
      leaves it, is dropped.
    - `"sparse"`: `y_true` contains indices of the relevant items, `[...]` or
      `[..., targets]`, and `y_pred` the scores of all items, `[..., items]`.
    - `"ids"`: `y_true` contains ids of the relevant items, `[...]` or
      `[..., relevant]`, and `y_pred` recommended ids, best first,
      `[..., recommended]`.
    - `"counts"`: `y_true` contains ids of the relevant items, as for `"ids"`,
      and `y_pred` is a dict of the number of items with a higher score,
      `"above"`, and of others with the same score, `"tied"`, both
      `[..., relevant]`, and the number of ranked items, `"num_items"`, one for
      all lists or `[...]`. A negative `"above"` means that the item is not
      retrieved.

    Negative indices and ids are padding. Relevant items have the label 1, all
    others 0. A repeated id counts at its first position. Python lists may have
    unequal lengths, and so may the rows of a `tf.RaggedTensor`.

    In direct calls, `y_true` may be a dict. Its main entry is `"labels"`, or
    `"target"` for indices and ids. Optional entries are a `"mask"` of items or
    of lists; items to `"exclude"` from the ranking, by index or id, of which
    relevant ones count as not retrieved; with `"scores"` `"num_relevant"`, the
    true number of relevant items of a list that was cut off; and with `"ids"`
    `"labels"`, a label for each id of `"target"`, in the same shape. An id with
    a negative label is padding.

    **Masks.** An item is masked if its label is negative (except -2, see
    below), if the mask is False (the one in `y_true`, or the one that Keras
    layers attach to `y_pred`), or if its weight is 0. The contents of a masked
    item never matter. `compile` passes no dict on, and `fit` on jax loses the
    attached mask, but negative labels always work. A valid item with the score
    `-inf` (the smallest integer, for integers) is *not retrieved*: it has no
    rank, but still counts as a relevant item. NaN in a valid item makes the
    value of its list NaN, and so the result.

    **Unjudged items.** An item that was ranked but never judged has the label
    `keras_rankmetrics.UNJUDGED`, -2, or in direct calls any label and False in
    `y_true["judged"]`, `[..., items]`. It is irrelevant by default, and masked
    with `unjudged="condense"`. With labels of ids, so are recommended ids
    without a label. A list of unjudged items alone has no relevant item: it
    counts as an empty list.

    **Labels that are probabilities** (stability: provisional). With
    `labels="probabilities"`, a label is the probability that its item is
    relevant, as by a judge or a click model, and the value of a list is the
    expectation of the metric over all labellings of 0 and 1, for items that are
    relevant independently of each other: the sum of value times probability
    over 2^items labellings. A labelling without a relevant item has the value 0
    in it. A list in which all labels are 0 is empty, and a label above 1 is an
    error, or makes the value NaN in compiled code. The result is exact, to
    single precision, for all `ties` but those that depend on labels, which are
    refused: precision and DCG add up
    probabilities; hit rate and reciprocal rank follow the first relevant item
    down the ranks; NDCG and recall weight each item by the expected reciprocal
    of the best value, given that it is relevant; AP and recall are integrals of
    products over the items. Without k, NDCG takes memory for `[lists, items,
    items]`, and so does R-precision with ties or items that are not retrieved.
    Weights of items only mask items. It needs labels of all items, with
    `inputs="scores"`, and no `adjusted`. It is available for the metrics with
    an argument `labels`, and for your own with an `expected_measure`.

    **Ties.** Items with equal scores have no order. `ties` selects the value of
    their list: `"average"`, the exact mean over all orders of the tied items;
    `"shuffle"`, one random order, from `seed`, a new one for each batch;
    `"stable"`, the input order; `"pessimistic"` and `"optimistic"`, the lowest
    and the highest labels first.

    **Weights.** `sample_weight` is a scalar or contains one weight per list or,
    with labels, one per item. Each metric documents how weights of items enter
    a value. `list_weight` selects the weight of a list in the mean:
    `"relevance"` for Σ w r / Σ r over its items, where r is the gain or
    relevance of an item, and the mean weight of all other lists for a list
    without relevance; `"mean"` for the mean weight of its items. `print` says
    how many lists have the mean weight of the others.

    **Empty lists.** A list without valid items, without a target or without any
    id is excluded. Any other list without relevant items has the value 0 or 1
    or is excluded, by `empty`: `"zero"`, `"one"`, `"skip"`.

    To write a metric, subclass this and define a `measure`:

    >>> from keras import ops
    >>> from keras_rankmetrics import RankingMetric
    >>> class Enough(RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k, enough: float = 2.0):
    ...         return ops.minimum(ranking.hits(k) / enough, 1.0)
    >>> float(Enough(k=2)([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
    0.5

    Args:
        k: the cutoff, the number of ranks that count; None for all. It may
            exceed the length of a list.
        shuffle_ties: the parameter of keras_rs: True means `ties="shuffle"`,
            False `ties="stable"`.
        seed: for `ties="shuffle"`, an integer (0 by default) or a
            `keras.random.SeedGenerator`.
        ties: the value of lists with tied scores. Defaults to `"average"`.
        empty: the value of lists without relevant items.
        list_weight: the weight of a list in the mean.
        adjusted: `"chance"` for (value - c) / (1 - c) of each list, where c,
            the chance level, is the mean over all orders of the retrieved
            items: 0 is the chance level, 1 is the best. The value is 0 where c
            is above 1 - 1e-4. Not available with `"ids"`.
        inputs: the form of the input. For forms other than `"scores"`, options
            with which the label 1 has no gain, or the label 0 has one, raise an
            error; for `"ids"` only once ids are passed without labels.
        unjudged: `"irrelevant"`, or `"condense"` to mask these items.
        labels: `"grades"`, or `"probabilities"` of relevance.
        name: defaults to the short name of the metric and k: `"ndcg@10"`.
        dtype: `"float64"` to compute and sum in double precision, on
            TensorFlow; the Keras operations of the other backends round to
            float32. Anything else means float32.
        **options: the options of `measure` and `relevance`, by name.

    Stability: stable.
    """

    relevance: ClassVar[TensorFn] = staticmethod(relevant)
    """The gain of a label: `relevance(labels, **options)`, elementwise.

    The gain of a negative label is 0, whatever the function returns.
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
        """Return True for lists with a value, False for *empty* ones.

        By default, a list has a value if one of its items has a gain.

        Args:
            ranking: the items of each list, by rank.

        Returns:
            Bool `[lists]`.
        """
        return ranking.has_gain()

    @property
    def signature(self) -> str:
        """Everything that the value depends on, in one line to cite."""
        if type(self.aggregate) is WeightedMean:
            return super().signature
        aggregate = naming.signature_of_object(self.aggregate)
        return f"{super().signature}|aggregate:{aggregate}"

    def _create_variables(self, name: str) -> None:
        is_bounded = self.has_upper_bound and self.adjusted is None
        if not is_bounded and self.aggregate == WeightedMean():
            self.aggregate: Any = WeightedMean(bounded=False)
        super()._create_variables(name)
