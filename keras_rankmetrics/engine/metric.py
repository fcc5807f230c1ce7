"""`RankingMetric`: the options, the state and the result of every metric."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Hashable, Sequence
from typing import Any, ClassVar, Self, cast, get_args

import keras
import numpy as np
from keras import ops

from keras_rankmetrics import gains
from keras_rankmetrics.engine.aggregates import two_floats as summation
from keras_rankmetrics.engine.aggregates.mean import SUMS, Evaluation, mean_of
from keras_rankmetrics.engine.backend.autograph import unconverted
from keras_rankmetrics.engine.backend.known import known
from keras_rankmetrics.engine.evaluation import (
    Question,
    Reading,
    evaluate,
    read,
)
from keras_rankmetrics.engine.inputs import Lists
from keras_rankmetrics.engine.inputs.doubts import Doubts
from keras_rankmetrics.engine.naming.fingerprint import fingerprint
from keras_rankmetrics.engine.naming.functions import (
    serialized,
    signature_of,
    signature_of_class,
)
from keras_rankmetrics.engine.naming.version import __version__
from keras_rankmetrics.engine.options import (
    as_integer,
    check_choice,
    check_precision,
    checked_options,
    options_of,
)
from keras_rankmetrics.engine.ranking import (
    Order,
    Ranking,
    Relevance,
    ranks_that_count,
)
from keras_rankmetrics.engine.ranking.functions import Elementwise, Identity
from keras_rankmetrics.types import (
    EmptyPolicy,
    InputForm,
    ListWeight,
    Tensor,
    TiePolicy,
)


class RankingMetric(keras.metrics.Metric):
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

    Below 0 there is no item: whatever it says there counts as 0."""

    has_upper_bound: ClassVar[bool] = True
    """Whether 1 is the best value, so that `empty="one"` has a meaning."""

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
        k = _checked_k(k)
        options = self._checked_options(options)
        check_choice("empty", empty, get_args(EmptyPolicy))
        check_choice("list_weight", list_weight, get_args(ListWeight))
        check_choice("inputs", inputs, get_args(InputForm))
        if empty == "one" and not self.has_upper_bound:
            raise ValueError(
                f'`empty="one"` has no meaning for {type(self).__name__}, '
                'which has no best value. Use "zero" or "skip".'
            )
        name = name or self._default_name(k)
        # Until its variables have been made, one that TensorFlow takes for a
        # scope: it refuses "@" in a graph.
        super().__init__(
            name=re.sub(r"[^A-Za-z0-9_.>-]", "_", name), dtype=dtype
        )
        self.k = k
        self.ties = _tie_policy(ties, shuffle_ties)
        self.seed = _integer_seed(seed)
        self.empty = empty
        self.list_weight = list_weight
        self.inputs = inputs
        check_precision(options, _float_dtype(self.dtype))
        self.options = options
        self._doubts = Doubts()
        self._relevance = self._made_relevance()
        self._check_form()
        # Keras reads no public attribute for this. With it, callbacks know
        # that more is better.
        self._direction = "up"
        self._sums = self.add_variable(
            shape=(SUMS, 2),
            initializer="zeros",
            dtype=_float_dtype(self.dtype),
            name="sums",
        )
        if self.ties == "shuffle":
            self._draws = self.add_variable(
                shape=(), initializer="zeros", dtype="int32", name="draws"
            )
        self.name = name

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
            cls(k, name=name and _name_at(name, k), **options) for k in cutoffs
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

    @unconverted
    def update_state(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> None:
        """Adds a batch of lists, of any size.

        Args:
            y_true: labels, indices or ids, by `inputs`; or a dict.
            y_pred: scores or ids, by `inputs`.
            sample_weight: None, a scalar, one weight per list (`[batch]` or
                `[batch, 1]`), or with labels one per item.

        Raises:
            ValueError: if they do not fit together, or do not hold what they
                should. The state is then as before.
        """
        _, evaluation = self._evaluate(y_true, y_pred, sample_weight)
        terms = evaluation.sums()[0]
        sums = ops.convert_to_tensor(self._sums)
        self._advance(summation.add(sums, terms))

    @unconverted
    def result(self) -> Tensor:
        """The weighted mean over all lists so far, 0 if there are none."""
        return mean_of(summation.rounded(ops.convert_to_tensor(self._sums)))

    @unconverted
    def per_list(
        self, y_true: Any, y_pred: Any, sample_weight: Any = None
    ) -> Tensor:
        """The value of each list, in the leading shape; no state changes.

        NaN for a list that does not count.
        """
        lists, evaluation = self._evaluate(y_true, y_pred, sample_weight)
        return lists.leading.as_passed(evaluation.per_list()[0])

    def get_state(self) -> list[np.ndarray]:
        """The state as plain arrays, to be saved, sent and merged."""
        return [ops.convert_to_numpy(v) for v in self.variables]

    def set_state(self, state: Sequence[np.ndarray]) -> None:
        """Replaces the state by one that `get_state` returned."""
        for variable, value in zip(
            self.variables, self._checked_state(state), strict=True
        ):
            variable.assign(value)

    def merge_state(
        self, others: Sequence[RankingMetric | Sequence[np.ndarray]]
    ) -> None:
        """Adds what other metrics, or states from `get_state`, have seen.

        The result is that of one metric that has seen all the lists. The
        others must be the same metric: have the same signature. A plain state
        does not say what it is of: compare the signatures yourself.
        """
        if not isinstance(others, list | tuple) or any(
            isinstance(other, np.ndarray) for other in others
        ):
            raise TypeError(
                "`merge_state` takes a list of metrics or states. Received: "
                f"{others!r}. If that is one of them, wrap it in a list."
            )
        states = [self._state_of(other) for other in others]
        for sums, *draws in states:
            mine = ops.convert_to_tensor(self._sums)
            self._sums.assign(
                summation.merge(mine, ops.convert_to_tensor(sums))
            )
            for drawn in draws:
                self._draws.assign(self._draws + drawn)

    @property
    def signature(self) -> str:
        """All that the number depends on, in one line that can be quoted."""
        name = signature_of_class(type(self), self.measure, self.relevance)
        parts = {
            **{_short(name): value for name, value in self.options.items()},
            "ties": self.ties,
            **({"seed": self.seed} if self.ties == "shuffle" else {}),
            "empty": self.empty,
            "list_weight": self.list_weight,
            "inputs": self.inputs,
            **({"dtype": self.dtype} if self.dtype == "float64" else {}),
            gains.PACKAGE: __version__,
        }
        return "|".join(
            [
                _name_at(name, self.k),
                *(f"{key}:{_quoted(value)}" for key, value in parts.items()),
            ]
        )

    def get_config(self) -> dict[str, Any]:
        """What `from_config` needs to make the same metric."""
        config = self._config()
        for name, value in self.options.items():
            if callable(value):
                config[name] = serialized(value, name)
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The metric that `get_config` describes."""
        return cls(
            **{
                name: keras.saving.deserialize_keras_object(value)
                if isinstance(value, dict)
                else value
                for name, value in config.items()
            }
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """How it is copied and pickled: with its state.

        Its functions go as they are, which need not be registered for that.
        """
        config = self._config()
        if type(self).get_config is not RankingMetric.get_config:
            functions = {n: x for n, x in self.options.items() if callable(x)}
            config = {**self.get_config(), **functions}
        return self._with_state, (config, self.get_state())

    @classmethod
    def _with_state(
        cls, config: dict[str, Any], state: Sequence[np.ndarray]
    ) -> Self:
        metric = cls.from_config(config)
        metric.set_state(state)
        return metric

    def _config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "k": self.k,
            "seed": self.seed,
            "ties": self.ties,
            "empty": self.empty,
            "list_weight": self.list_weight,
            "inputs": self.inputs,
            **self.options,
        }

    def _evaluate(
        self, y_true: Any, y_pred: Any, sample_weight: Any
    ) -> tuple[Lists, Evaluation]:
        lists = read(self._reading, y_true, y_pred, sample_weight)
        self._doubts.utter(lists.doubt, self.name)
        return lists, evaluate(self._reading, lists, [self._question()])

    @property
    def _reading(self) -> Reading:
        return Reading(self.inputs, _float_dtype(self.dtype))

    def _question(self) -> Question:
        """What the metric asks of the next batch."""
        return Question(
            name=self.name,
            order=Order(
                k=ranks_that_count(self.k),
                ties=self.ties,
                seed=self.seed,
                draw=self._draws if self.ties == "shuffle" else 0,
            ),
            relevance=self._relevance,
            measure=lambda ranking: self.measure(
                ranking, self.k, **self._options_for(self.measure)
            ),
            may_branch=not _is_of_the_package(self.measure),
            empty=self.empty,
            list_weight=self.list_weight,
        )

    def _advance(self, sums: Tensor) -> None:
        """Goes on to the next batch, after which the sums are these."""
        self._sums.assign(sums)
        if self.ties == "shuffle":
            self._draws.assign(self._draws + 1)

    def _made_relevance(self) -> Relevance:
        options = self._options_for(self.relevance)
        given = ((name, _key_of(self.options[name])) for name in options)
        return Relevance(
            functools.partial(self.relevance, **options),
            unseen_label=max(self.options.get("relevance_threshold", 1.0), 0.0),
            key=(Identity(self.relevance), *given),
            is_binary=self.relevance is gains.relevant,
        )

    def _options_for(self, function: Callable[..., Tensor]) -> dict[str, Any]:
        options = {name: self.options[name] for name in options_of(function)}
        return {
            name: Elementwise(value, name)
            if callable(value) and not _is_of_the_package(value)
            else value
            for name, value in options.items()
        }

    def _checked_options(self, options: dict[str, Any]) -> dict[str, Any]:
        checked = {
            **checked_options(self.relevance, options),
            **checked_options(self.measure, options),
        }
        taken = set(checked) & set(options_of(RankingMetric.__init__))
        if taken:
            raise TypeError(
                f"`{min(taken)}` cannot be an option of the measure or "
                f"relevance of {type(self).__name__}: every metric has a "
                "parameter of that name. Give it another one."
            )
        unknown = set(options) - set(checked)
        if unknown:
            raise TypeError(
                f"{type(self).__name__} has no option `{min(unknown)}`. "
                f"Its own options are: {', '.join(checked) or 'none'}."
            )
        return checked

    def _check_form(self) -> None:
        """Raises where relevance by ids means nothing under the options."""
        if self.inputs == "scores":
            return
        relevant, other = ops.unstack(self._relevance(ops.array([1.0, 0.0])))
        if known((relevant <= 0) | (other > 0)):
            raise ValueError(
                f'With `inputs="{self.inputs}"` relevant items have the label '
                "1 and all others 0: the first should be worth something, the "
                f"others nothing. Received: options of {type(self).__name__} "
                f"under which they are worth {float(relevant)} and "
                f"{float(other)}."
            )

    def _state_of(
        self, other: RankingMetric | Sequence[np.ndarray]
    ) -> list[np.ndarray]:
        if not isinstance(other, RankingMetric):
            return self._checked_state(other)
        if other.signature != self.signature:
            raise ValueError(
                "Only the states of the same metric can be merged. Received: "
                f"{other.signature}, expected: {self.signature}."
            )
        return other.get_state()

    def _checked_state(self, state: Any) -> list[np.ndarray]:
        expected = [tuple(v.shape) for v in self.variables]
        arrays = (
            [np.asarray(array) for array in state]
            if isinstance(state, list | tuple)
            else []
        )
        received = [array.shape for array in arrays]
        if received != expected or any(
            a.dtype.kind not in "fiu" for a in arrays
        ):
            raise ValueError(
                f"A state of {type(self).__name__} should be a list of arrays "
                f"of the shapes {expected}, as `get_state` returns it. "
                f"Received the shapes: {received}."
            )
        return [
            array.astype(variable.dtype)
            for array, variable in zip(arrays, self.variables, strict=True)
        ]

    @classmethod
    def _default_name(cls, k: int | None) -> str:
        words = re.sub(
            r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])",
            "_",
            cls.__name__,
        )
        return _name_at(cls.short_name or words.lower(), k)


def _name_at(name: str, k: int | None) -> str:
    return name if k is None else f"{name}@{k}"


def _checked_k(k: Any) -> int | None:
    whole = None if k is None else as_integer(k)
    if k is not None and (whole is None or whole < 1):
        raise ValueError(
            f"`k` should be a positive integer or None. Received: `k` = {k!r}."
        )
    return whole


def _tie_policy(ties: Any, shuffle_ties: Any) -> TiePolicy:
    if shuffle_ties not in (None, True, False):
        raise ValueError(
            "`shuffle_ties` should be True, False or None. Received: "
            f"{shuffle_ties!r}."
        )
    if ties is not None:
        check_choice("ties", ties, get_args(TiePolicy))
    if shuffle_ties is None:
        return ties or "average"
    spelled: TiePolicy = "shuffle" if shuffle_ties else "stable"
    if ties not in (None, spelled):
        raise ValueError(
            f'`shuffle_ties={shuffle_ties}` means `ties="{spelled}"`. Received '
            f'also: ties="{ties}". Leave one of them out.'
        )
    return spelled


def _integer_seed(seed: Any) -> int:
    if isinstance(seed, keras.random.SeedGenerator):
        seed = seed.get_config()["seed"]
    if seed is None:
        return 0
    whole = as_integer(seed)
    if whole is None:
        raise ValueError(
            "`seed` should be an integer, a `keras.random.SeedGenerator` or "
            f"None. Received: {seed!r}."
        )
    return whole


def _float_dtype(dtype: str) -> str:
    """Sums and ranks need more digits than half precision has."""
    return "float64" if dtype == "float64" else "float32"


def _short(option: str) -> str:
    return {"gain_fn": "gain", "rank_discount_fn": "discount"}.get(
        option, option
    )


def _quoted(value: Any) -> str:
    if callable(value):
        return signature_of(value)
    plain = value is None or isinstance(value, str | int | float)
    return str(value) if plain else fingerprint(value)


def _key_of(value: Any) -> Hashable:
    """Rather two keys for one value than one for two."""
    plain = value is None or isinstance(value, str | int | float)
    return (type(value), value) if plain else Identity(value)


def _is_of_the_package(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    return module.startswith(f"{gains.PACKAGE}.")
