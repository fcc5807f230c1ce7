"""A metric of the user's own: one measure, one class."""

import functools
import inspect

import keras
import numpy as np
import pytest
from given import in_a_program
from keras import ops

import keras_rankmetrics as krm
from keras_rankmetrics.engine.aggregates import WeightedMean


# --- what a user writes ---
def r_precision(ranking, k, at_least=1):
    """The precision at the rank R, the number of relevant items."""
    relevant = ranking.overall()
    reached = ops.maximum(relevant, at_least)
    return ops.divide_no_nan(ranking.hits(reached), relevant)


@keras.saving.register_keras_serializable("test_extension")
class RPrecision(krm.RankingMetric):
    measure = staticmethod(r_precision)


# --- what it gets for nothing ---


def code_lines(x):
    lines = inspect.getsource(x).splitlines()
    return [line for line in lines if line.strip() and '"""' not in line]


def test_it_takes_at_most_12_lines():
    assert len(code_lines(r_precision) + code_lines(RPrecision)) <= 12


def test_value():
    labels, scores = [[1, 0, 1, 0], [0, 1, 0, 0]], [[4.0, 3.0, 2.0, 1.0]] * 2
    metric = RPrecision()
    np.testing.assert_allclose(metric.per_list(labels, scores), [1 / 2, 0])
    assert float(metric(labels, scores)) == 1 / 4


def test_ties_are_averaged():
    # Two of four places, one of two relevant items at each on average.
    metric = RPrecision()
    assert float(metric([[1, 0, 1, 0]], [[0.0] * 4])) == 2 * (1 / 2) / 2
    assert float(RPrecision(ties="optimistic")([1, 0, 1, 0], [0.0] * 4)) == 1


@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_masks_weights_and_empty_lists():
    labels = [[1, -1, 0, 1], [0, 0, 0, 0], [1, 0, 0, 0]]
    scores = [[1.0, 9.0, 2.0, 3.0]] * 3
    skipping = RPrecision(empty="skip")
    # [1, 0, 1] by score: 1 hit among the first 2; [0, 0, 1]: none.
    result = skipping(labels, scores, sample_weight=[3.0, 1.0, 1.0])
    assert float(result) == pytest.approx((3 * 1 / 2 + 1 * 0) / (3 + 1))


def test_threshold():
    metric = RPrecision(relevance_threshold=2)
    assert float(metric([[1, 2], [2, 1]], [[2.0, 1.0]] * 2)) == (0 + 1) / 2


def test_name_config_and_signature():
    metric = RPrecision(at_least=2)
    assert metric.name == "r_precision"
    assert RPrecision(5).name == "r_precision@5"
    assert "at_least:2" in metric.signature
    assert "RPrecision|" in metric.signature
    copy = RPrecision.from_config(metric.get_config())
    assert copy.signature == metric.signature
    with pytest.raises(TypeError, match='RPrecision has no parameter "most"'):
        RPrecision(most=1)


# --- what is wrong with the class itself ---


def made(base=krm.RankingMetric, **attributes):
    functions = {
        name: staticmethod(value) if callable(value) else value
        for name, value in attributes.items()
    }
    return type("Mine", (base,), functions)


MISSING = {
    "no measure": ({}, "Mine has no `measure`. A metric needs one:"),
    "no measure, but a name": (
        {"short_name": "mine"},
        "Mine has no `measure`. A metric needs one:",
    ),
    "another name": (
        {"mesure": r_precision},
        "    @staticmethod\n    def measure(ranking, k):\n",
    ),
    "an option without a default": (
        {"measure": lambda ranking, k, patience, base=2: ranking.hits(k)},
        "The `measure` of Mine should be a static method that takes "
        "(ranking, k). Further parameters are options and need a default.",
    ),
    "an example of it": (
        {"measure": lambda ranking, k, patience, base=2: ranking.hits(k)},
        "    def measure(ranking, k, patience=0.5, base=2):",
    ),
    "an option without a default, by name": (
        {"measure": lambda ranking, k, *, patience: ranking.hits(k)},
        "    def measure(ranking, k, patience=0.5):",
    ),
    "no cutoff": (
        {"measure": lambda ranking: ranking.overall()},
        "    def measure(ranking, k):",
    ),
    "swapped arguments": (
        {"measure": lambda k, ranking: ranking.hits(k)},
        "Received: `measure(k, ranking)`. Write, for example:",
    ),
    "self": (
        {"measure": lambda self, ranking, k: ranking.hits(k)},
        "Received: `measure(self, ranking, k)`. Write, for example:\n\n"
        "    @staticmethod\n    def measure(ranking, k):",
    ),
    "the arguments of a metric of Keras": (
        {"measure": lambda y_true, y_pred: y_true},
        "    def measure(ranking, k",
    ),
    "no function": ({"measure": 3}, "Received: `3`."),
    "an option of the relevance": (
        {"measure": r_precision, "relevance": lambda label, top: label},
        "    def relevance(label, top=0.5):",
    ),
    "a value that depends on k": (
        {"measure": r_precision, "has_value": lambda ranking, k: ranking},
        "The `has_value` of Mine should be a static method that takes",
    ),
}


@pytest.mark.parametrize("attributes, message", MISSING.values(), ids=MISSING)
def test_a_class_that_is_no_metric(attributes, message):
    """It would construct, and print 0.0000 (0 lists)."""
    with pytest.raises(TypeError) as error:
        # A class without a body is refused when it is constructed.
        made(**attributes) if attributes else made()()
    assert message in str(error.value)
    # The same where a class has been changed since it was made.
    changed = made(measure=r_precision)
    for name, value in attributes.items():
        setattr(
            changed, name, staticmethod(value) if callable(value) else value
        )
    if "measure" in attributes:
        with pytest.raises(TypeError) as error:
            changed()
        assert message in str(error.value)


def test_a_class_may_be_filled_after_it_is_made():
    """As cloudpickle does, by which Spark and Ray send classes."""
    metric = made()
    metric.has_upper_bound = False
    metric.measure = staticmethod(lambda ranking, k: ranking.hits(k))
    assert float(metric(2)([[1, 1, 1]], [[3.0, 2.0, 1.0]])) == 2


def test_a_base_of_metrics_may_lack_a_measure():
    class Doubled(krm.RankingMetric, abstract=True):
        has_upper_bound = False

        @staticmethod
        def relevance(label):
            return 2 * ops.cast(label > 0, label.dtype)

    with pytest.raises(TypeError, match=r"RankingMetric, abstract=True\)`"):
        Doubled()
    metric = made(Doubled, measure=lambda ranking, k: ranking.hits(k))
    assert float(metric(2)([[1, 1, 1]], [[3.0, 2.0, 1.0]])) == 4
    with pytest.raises(TypeError, match="Mine has no `measure`"):
        made(Doubled)()
    with pytest.raises(TypeError, match="RankingMetric has no `measure`"):
        krm.RankingMetric()


def test_a_measure_may_come_from_elsewhere():
    class Hits:
        @classmethod
        def measure(cls, ranking, k, least: float = 0.0):
            return ops.maximum(ranking.hits(k), least)

    class Mixed(Hits, krm.RankingMetric):
        pass

    assert float(Mixed(1)([[1, 1]], [[2.0, 1.0]])) == 1
    assert Mixed(least=2).options["least"] == 2.0
    partial = made(measure=functools.partial(r_precision, at_least=2))
    assert float(partial()([[0, 1]], [[2.0, 1.0]])) == 1


# --- what holds of all it can ask ---

NOT_RETRIEVED = [[1, 0, 1, -1, 0]], [[2.0, -np.inf, -np.inf, 1.0, -np.inf]]
RECOMMENDED_AGAIN = [[1]], [[1, -1, 1, -1]]


@pytest.mark.long
@pytest.mark.parametrize("ties", ["average", "stable"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda ranking, k: ranking.hits(k),
        lambda ranking, k: ops.sum(ranking.share(k), axis=-1),
        lambda ranking, k: ops.sum(ranking.discount(krm.log2_discount, k), -1),
        lambda ranking, k: ops.sum(ranking.total() * ranking.precision(k), -1),
        lambda ranking, k: ranking.at_first_hit(krm.reciprocal_discount, k),
        lambda ranking, k: ranking.precision_per_hit(k),
        lambda ranking, k: ranking.reciprocal_rank_per_hit(k),
        lambda ranking, k: ops.sum(ranking.best(k), axis=-1),
        lambda ranking, k: ranking.discounted(
            ranking.best(), krm.log2_discount, k
        ),
    ],
    ids=[
        *("hits", "share", "discount", "precision"),
        *("first hit", "precision per hit", "reciprocal rank per hit"),
        *("best", "discounted"),
    ],
)
def test_each_list_may_have_a_cutoff_of_its_own(ask, ties):
    """What is asked to one rank or two is what is asked of each list."""

    def values(cutoff, k):
        class Asked(krm.RankingMetric):
            has_upper_bound = False

            @staticmethod
            def measure(ranking, k):
                return ask(ranking, cutoff)

        labels, scores = [[0, 1, 1, 1], [1, 0, 1, 0]], [[3.0, 2, 2, 1]] * 2
        return ops.convert_to_numpy(
            Asked(k, ties=ties).per_list(labels, scores)
        )

    for k in (3, None):
        first, second = values(1, k)[0], values(2, k)[1]
        np.testing.assert_allclose(
            values(ops.array([1, 2]), k), [first, second], rtol=1e-6
        )


def test_a_cutoff_that_is_negative_lets_nothing_in():
    class Nothing(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k):
            best = ranking.discounted(ranking.best(), ops.ones_like, k - 4)
            return ranking.hits(k - 4) + ops.sum(ranking.best(k - 4), -1) + best

    assert float(Nothing(2)([[1, 1, 1]], [[3.0, 2.0, 1.0]])) == 0


def test_what_entries_hold_ends_at_k_whatever_the_other_lists_are():
    class Total(krm.RankingMetric):
        has_upper_bound = False

        @staticmethod
        def measure(ranking, k):
            return ops.sum(ranking.total(), axis=-1)

    relevant, recommended = [1, 2, 3, 4], [1, 2, 3, 4, 5]
    metric = Total(2, inputs="ids")
    assert metric.per_list([relevant], [recommended])[0] == 2
    found = metric.per_list(
        [relevant, [1, -1, -1, -1]], [recommended, [1, 1, -1, -1, 7]]
    )
    np.testing.assert_array_equal(ops.convert_to_numpy(found), [2, 1])


def test_a_large_k_costs_no_more_than_the_list():
    asked = []

    class Asked(krm.RankingMetric):
        has_upper_bound = False

        @staticmethod
        def measure(ranking, k):
            def discount(rank):
                asked.append(rank.shape[0])
                return 1.0 / rank

            best = ranking.discounted(ranking.best(), discount, k)
            return best + ops.sum(ranking.discount(discount, k), axis=-1)

    Asked(10**9)([[1, 0, 1]], [[3.0, 2.0, 1.0]])
    assert max(asked) == 3


@pytest.mark.parametrize(
    "ask",
    [
        lambda ranking, k: ranking.share(k),
        lambda ranking, k: ranking.discount(krm.log2_discount, k),
        lambda ranking, k: ranking.precision(k),
    ],
    ids=["share", "discount", "precision"],
)
@pytest.mark.parametrize(
    ("inputs", "batch"),
    [("scores", NOT_RETRIEVED), ("ids", RECOMMENDED_AGAIN)],
)
@pytest.mark.filterwarnings("ignore:.*Labels should be")
def test_where_no_item_is_retrieved_there_is_nothing(ask, inputs, batch):
    """Of these, one item is, and it is relevant."""

    class Sum(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k):
            return ops.sum(ask(ranking, k), axis=-1)

    metric = Sum(3, inputs=inputs)
    np.testing.assert_allclose(metric.per_list(*batch), [1.0])


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 1, 0], 1),  # the third has another score
        ([2, 2, 2], 1),
        ([3, 0, 0], (1 + 1 / 2) / 2),
        ([0, 0, 4], 1 / 3),
    ],
)
def test_the_first_hit_is_the_first_with_any_gain(labels, expected):
    class FirstOfAnyGrade(krm.RankingMetric):
        relevance = staticmethod(lambda label: ops.clip(label / 4, 0.0, 1.0))

        @staticmethod
        def measure(ranking, k):
            return ranking.at_first_hit(krm.reciprocal_discount, k)

    values = FirstOfAnyGrade().per_list([labels], [[2.0, 2.0, 1.0]])
    np.testing.assert_allclose(values, [expected], rtol=1e-6)


class Found(krm.RankingMetric):
    """Shifted, so that values may be below 0 as well as above 1."""

    @staticmethod
    def measure(ranking, k, shift: float = 0.0):
        return ranking.hits(k) + shift


class FoundAny(Found):
    has_upper_bound = False


class FoundBy(FoundAny):
    @property
    def aggregate(self):
        return WeightedMean(bounded=False)


def test_an_aggregate_may_be_a_property():
    metric = FoundBy(2)
    metric.update_state(LABELS, SCORES)
    assert not metric.estimate().bounded


LABELS, SCORES = [[1, 1, 0], [1, 0, 0], [0, 0, 1]], [[3.0, 2.0, 1.0]] * 3


@pytest.mark.parametrize(("shift", "received"), [(0.0, "2"), (-1.5, "-1.5")])
def test_values_outside_of_the_unit_interval_are_an_error(shift, received):
    metric = Found(2, shift=shift)
    message = rf"Found .* in \[0, 1\].* {received}, by .* Set `has_upper_bound"
    with pytest.raises(ValueError, match=message):
        metric.update_state(LABELS, SCORES)
    assert metric.count() == 0
    with pytest.raises(ValueError, match=message):
        krm.MetricCollection([Found(2, shift=shift), krm.NDCG(2)])(
            LABELS, SCORES
        )
    assert float(Found(1)(LABELS, SCORES)) == pytest.approx(2 / 3)


class Graded(krm.RankingMetric):
    """A measure of the package, with gains above 1."""

    measure = staticmethod(krm.PrecisionAtK.measure)

    @staticmethod
    def relevance(label, highest: float = 3.0):
        return highest * label


class OddByChance(krm.RankingMetric):
    """In [0, 1] but for ties, which the values by chance have."""

    @staticmethod
    def measure(ranking, k):
        hits = ranking.hits(1)
        return ops.where((hits > 0) & (hits < 1), 7.0, hits)


class Sums(WeightedMean):
    """A mean that is not that of the package."""


class FoundInSums(Found):
    aggregate = Sums()


class Expected(krm.PrecisionAtK):
    @staticmethod
    def expected_measure(ranking, k, denominator="k"):
        return ranking.hits(k) * 2


def _minus(label):
    return label - 0.5


OUTSIDE = {
    "`measure`. Set `has_upper": Found(2, adjusted="chance"),
    "7, by your own `measure`": OddByChance(adjusted="chance"),
    "2, by your own `measure`": FoundInSums(2, adjusted="chance"),
    "`relevance`. Let `relevance` return what": Graded(k=1),
    "`expected_measure`. Set": Expected(3, labels="probabilities"),
    "`gain_fn`. Let `gain_fn` return 0 or more": krm.NDCG(2, gain_fn=_minus),
}


@pytest.mark.parametrize("message", OUTSIDE)
def test_each_function_of_a_user_is_checked(message):
    metric = OUTSIDE[message]
    with pytest.raises(ValueError, match=rf"in \[0, 1\], as .*{message}"):
        metric.update_state(LABELS, SCORES)
    assert float(metric.result()) == 0.0


class NanByChance(krm.RankingMetric):
    @staticmethod
    def measure(ranking, k):
        hits = ranking.hits(1)
        return ops.where((hits > 0) & (hits < 1), float("nan"), hits)


def test_an_adjusted_value_that_is_nan_stays_nan():
    metric = NanByChance(adjusted="chance")
    assert np.isnan(metric.per_list(LABELS, SCORES)).all()


class Effort(krm.RankingMetric):
    """Lower is better; infinite for a list without relevant items."""

    more_is_better = False

    @staticmethod
    def measure(ranking, k):
        return 0.5 / ranking.hits(k)


def test_lists_without_a_value_are_not_outside():
    metric = Effort(1, empty="skip")
    metric.update_state([[0, 0], [1, 1]], [[2.0, 1.0]] * 2)
    assert float(metric.result()) == 0.5
    with pytest.raises(ValueError, match="does not have 1 as its best value"):
        Effort(1, empty="one")


def test_values_outside_of_the_unit_interval_are_nan_in_programs():
    if keras.backend.backend() == "torch":
        pytest.skip("the torch backend runs no compiled programs")
    batch = np.array(LABELS, "float32"), np.array(SCORES, "float32")
    assert np.isnan(in_a_program(Found(2), batch))
    assert in_a_program(FoundAny(2), batch) == 1.0
    assert in_a_program(Found(1), batch) == pytest.approx(2 / 3)


@pytest.mark.parametrize("shift", [0.0, -1.5])
def test_intervals_of_values_without_bounds(shift):
    metric = FoundAny(2, shift=shift)
    metric.update_state(LABELS, SCORES)
    estimate = metric.estimate()
    assert not estimate.bounded
    low, high = estimate.interval()
    assert low + high == pytest.approx(2 * (1 + shift), abs=1e-6)
    assert high - low > 2
    # Chance-adjusted values need a highest one, and are not above it.
    with pytest.raises(ValueError, match="not have 1 as its best"):
        FoundAny(2, adjusted="chance")


@pytest.mark.parametrize("returned", [None, 0.5])
def test_a_measure_returns_a_tensor(returned):
    class Nothing(krm.RankingMetric):
        @staticmethod
        def measure(ranking, k):
            return returned

    with pytest.raises(ValueError, match=rf"shape \(3,\)\. .*{returned}\."):
        Nothing(2)(LABELS, SCORES)


def test_reads_is_one_of_a_few():
    with pytest.raises(ValueError, match=r"`reads` .*clicks.* 'click'"):

        class Wrong(krm.RankingMetric):
            reads = "click"

            @staticmethod
            def measure(ranking, k):
                return ranking.hits(k)
