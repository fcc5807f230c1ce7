"""`RankingMetric`: a definition, and the mean of what it says of the lists."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import ClassVar

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.naming.signature import signature_of_object
from keras_rankmetrics.engine.ranking import Ranking
from keras_rankmetrics.engine.shells.defined import Defined
from keras_rankmetrics.engine.shells.estimated import Estimated
from keras_rankmetrics.types import Tensor


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

    relevance: ClassVar[Callable[..., Tensor]] = staticmethod(gains.relevant)
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
