"""`RankingMetric`: a definition, and the mean of what it says of the lists."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any, ClassVar, Self, cast

import keras
import numpy as np

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import (
    Estimate,
    WeightedMean,
)
from keras_rankmetrics.engine.aggregates.mean import upgraded
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.definition.policies import float_dtype
from keras_rankmetrics.engine.naming.names import in_words, name_at
from keras_rankmetrics.engine.naming.saving import deserialized, serialized
from keras_rankmetrics.engine.naming.signature import signature_of_object
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.shells.accumulator import (
    Accumulator,
    is_known,
    on_host,
)
from keras_rankmetrics.types import (
    EmptyPolicy,
    InputForm,
    ListWeight,
    Tensor,
    TiePolicy,
)


class RankingMetric(Accumulator):
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

    Negative indices and ids are padding. Relevant items have the label 1, all
    others 0. An id that comes twice counts at its first place. Python lists may
    have unequal lengths, and so may the rows of a `tf.RaggedTensor`.

    In direct calls `y_true` may be a dict of `"labels"` (or `"target"`, for
    indices and ids) and maybe a `"mask"` of items or of lists, items to
    `"exclude"` from the ranking, by index or id, and with labels
    `"num_relevant"`, how many relevant items there are in truth, where the list
    has been cut off.

    **Masks.** An item does not exist if its label is below 0, the mask is False
    (that in `y_true`, or the one that Keras layers attach to `y_pred`), or its
    weight is 0. What it holds never matters. `compile` hands on no dict, and on
    jax `fit` loses the attached mask: negative labels always work. A valid item
    of score `-inf` (of integers: the smallest) is *not retrieved*: it has no
    rank, but counts as relevant where relevant items are counted. NaN in a
    valid item makes the value of its list, and so the result, NaN.

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

    >>> import keras
    >>> from keras import ops
    >>> from keras_rankmetrics import RankingMetric
    >>> @keras.saving.register_keras_serializable("my_package")
    ... class RPrecision(RankingMetric):
    ...     @staticmethod
    ...     def measure(ranking, k):
    ...         relevant = ranking.overall()
    ...         return ops.divide_no_nan(ranking.hits(relevant), relevant)
    >>> metric = RPrecision()
    >>> float(metric([[1, 0, 1, 0]], [[0.9, 0.8, 0.7, 0.6]]))
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
        inputs: see above. With `"sparse"` and `"ids"`, an option under which
            the label 1 is worth nothing, or 0 something, is an error.
        name: defaults to the short name of the metric and k: `"ndcg@10"`.
        dtype: `"float64"` to compute and sum in double precision, on
            TensorFlow; the Keras operations of the other backends round to
            float32. Anything else means float32.
        **options: those of `measure` and `relevance`, by name.
    """

    short_name: ClassVar[str | None] = None
    """The default name, without k; else it is made from that of the class."""

    relevance: ClassVar[Callable[..., Tensor]] = staticmethod(gains.relevant)
    """What a label is worth: `relevance(labels, **options)`, elementwise.

    A label below 0 stands for no item, and is worth nothing whatever it says.
    """

    has_upper_bound: ClassVar[bool] = True
    """Whether 1 is the best value, so that `empty="one"` has a meaning."""

    needs_k_under: ClassVar[tuple[str, str] | None] = None
    """An option and its value under which the measure needs a k."""

    strict_order_under: ClassVar[tuple[str, str] | None] = None
    """An option and its value under which it has no mean over tied orders.

    `ties` then defaults to `"stable"`, and `"average"` is an error."""

    aggregate: Any = WeightedMean()
    """Which sums are kept of the values of the lists, an `Aggregate`."""

    common_parameters: ClassVar[frozenset[str]] = frozenset()
    """The parameters of all metrics, of which no option may have the name."""

    k = property(operator.attrgetter("definition.k"))
    ties = property(operator.attrgetter("definition.ties"))
    seed = property(operator.attrgetter("definition.seed"))
    empty = property(operator.attrgetter("definition.empty"))
    list_weight = property(operator.attrgetter("definition.list_weight"))
    inputs = property(operator.attrgetter("definition.inputs"))
    options = property(lambda self: dict(self.definition.options))

    def __init__(
        self,
        k: int | None = None,
        shuffle_ties: bool | None = None,
        seed: int | keras.random.SeedGenerator | None = None,
        *,
        ties: TiePolicy | None = None,
        empty: EmptyPolicy = "zero",
        list_weight: ListWeight = "relevance",
        inputs: InputForm = "scores",
        name: str | None = None,
        dtype: Any = None,
        **options: Any,
    ) -> None:
        words = self.short_name or in_words(type(self).__name__)
        name = name or name_at(words, k)
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
            inputs=inputs,
            dtype=float_dtype(self.dtype),
        )
        # Keras reads no public attribute for this. With it, callbacks know
        # that more is better.
        self._direction = "up"
        self._keep_sums(name)

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
    def measure(ranking: Ranking, k: int | None) -> Tensor:
        """The value of each list, `[lists]`.

        Override it with a static method, or assign a function wrapped in
        `staticmethod`. Its parameters beyond these two must have defaults:
        they are the options of the metric.

        Args:
            ranking: what stands where in each list.
            k: the cutoff, None for all ranks.
        """
        raise NotImplementedError(
            "A subclass of `RankingMetric` should define "
            "`measure(ranking, k)`, a static method."
        )

    @property
    def signature(self) -> str:
        """All that the number depends on, in one line that can be quoted."""
        if type(self.aggregate) is WeightedMean:
            return super().signature
        aggregate = signature_of_object(self.aggregate)
        return f"{super().signature}|aggregate:{aggregate}"

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

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same metric."""
        config = self._config()
        for name, value in self.definition.options.items():
            if callable(value):
                config[name] = serialized(value, name)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The metric that `get_config` describes."""
        return cls(**deserialized(config))

    def remade(self) -> Self:
        """Another one of the same definition and name, without a state."""
        return self.from_config(self._own_config())

    def _config(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "dtype": self.dtype,
            **self.definition.config,
        }

    def _own_config(self) -> dict[str, Any]:
        # Functions need not be registered to be copied.
        if type(self).get_config is RankingMetric.get_config:
            return self._config()
        options = self.definition.options.items()
        return {
            **self.get_config(),
            **{n: x for n, x in options if callable(x)},
        }

    def _upgraded(self, arrays: list[np.ndarray]) -> list[np.ndarray]:
        return [upgraded(arrays[0]), *arrays[1:]] if arrays else []


RankingMetric.common_parameters = frozenset(
    name
    for name, parameter in inspect.signature(RankingMetric).parameters.items()
    if parameter.kind is not parameter.VAR_KEYWORD
)
