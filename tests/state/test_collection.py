"""`MetricCollection`: the numbers of its members, from one look at a batch."""

import itertools
from xml.etree import ElementTree

import keras
import numpy as np
import pytest
from catalogue import PLAIN_ROWS, ROWS, Cell, in_turns
from given import assert_same_state, numbers
from keras import ops
from suites import Suite, nine

import keras_rankmetrics as krm
from keras_rankmetrics import MetricCollection
from keras_rankmetrics.engine.aggregates import WeightedMean
from keras_rankmetrics.engine.ranking import Scored

[SUMS] = WeightedMean.shape

TIES = ("average", "stable", "shuffle", "pessimistic", "optimistic")
POLICIES = ({"empty": "skip"}, {"list_weight": "mean"}, {"empty": "one"})


def batch(seed, lists=6, items=20):
    """Labels, scores and weights, with ties, masks and empty lists."""
    rng = np.random.default_rng([5, seed])
    labels = rng.integers(-1, 4, (lists, items)).astype("float32")
    labels[0] = np.minimum(labels[0], 0)
    labels[1] = -1
    scores = rng.integers(0, 5, (lists, items)).astype("float32")
    weights = rng.integers(0, 3, (lists, items)).astype("float32")
    return labels, scores, weights


# The numbers of its members


def every_row_and_policy():
    """Each row of the catalogue, with cutoffs, ties and policies in turns."""
    cells = list(in_turns(ROWS, (1, 3, 17, None), TIES))
    bounded = [row for row in PLAIN_ROWS if row.bounded]
    for i, row in enumerate(bounded):
        ties = "stable" if row.strict_only else "average"
        cells.append(Cell(row, 3, ties, POLICIES[i % len(POLICIES)]))
    return cells


@pytest.mark.long
def test_the_numbers_of_each_alone():
    cells = every_row_and_policy()
    metrics = [cell.make() for cell in cells]
    batches = [batch(1), batch(2), batch(3, lists=2)]
    for metric, each in itertools.product(metrics, batches):
        metric.update_state(*each)
    alone = [float(metric.result()) for metric in metrics]
    together = Suite(cells).result(*batches)
    assert together == pytest.approx(alone, rel=1e-6, nan_ok=True)
    assert len(np.unique(alone)) > len(cells) / 2


def test_members_that_read_differently():
    """One reads labels, one indices, one in double precision."""
    y_true = np.array([[1, 0, 2], [2, 1, 0]])
    y_pred = np.array([[0.3, 0.2, 0.1], [0.1, 0.3, 0.2]])
    metrics = [
        krm.MeanReciprocalRank(name="labels"),
        krm.HitRateAtK(1, inputs="sparse", name="indices"),
        krm.NDCG(dtype="float64", name="double"),
        krm.NDCG(name="single"),
    ]
    together = MetricCollection(metrics)
    together.update_state(y_true, y_pred)
    assert list(together.result()) == ["labels", "indices", "double", "single"]
    for alone in [
        metric.from_config(metric.get_config()) for metric in metrics
    ]:
        alone.update_state(y_true, y_pred)
        assert float(together.result()[alone.name]) == pytest.approx(
            float(alone.result()), rel=1e-6
        )


def test_thresholds_share_a_ranking_not_their_numbers():
    labels, scores = [[0, 1, 2, 3]], [[4, 3, 2, 1]]
    together = MetricCollection(
        [
            krm.MeanReciprocalRank(relevance_threshold=t, name=f"from {t}")
            for t in (1, 2, 3)
        ]
    )
    assert numbers(together(labels, scores)) == pytest.approx(
        {"from 1": 1 / 2, "from 2": 1 / 3, "from 3": 1 / 4}
    )


def test_gains_and_discounts_share_a_ranking_not_their_numbers():
    labels, scores = [[1, 2]], [[2, 1]]

    def cubic(label):
        return label**3

    together = MetricCollection(
        [
            krm.DCG(gain_fn=cubic, name="cubic"),
            krm.DCG(gain_fn=lambda label: label, name="linear"),
            krm.DCG(rank_discount_fn=lambda rank: 0.5**rank, name="halves"),
            krm.DCG(rank_discount_fn=krm.reciprocal_discount, name="1/rank"),
        ]
    )
    log = 1 / np.log2(3)
    assert numbers(together(labels, scores)) == pytest.approx(
        {
            "cubic": 1 + 8 * log,
            "linear": 1 + 2 * log,
            "halves": 1 / 2 + 3 / 4,
            "1/rank": 1 + 3 / 2,
        }
    )


def positions_that_count(rank):
    """Which has no more than five values."""
    values = ops.convert_to_tensor(np.array([1, 0.5, 0.3, 0.2, 0.1], "float32"))
    return ops.take(values, ops.cast(rank, "int32") - 1, axis=0)


@pytest.mark.parametrize(
    "discount", [lambda rank: ops.log(11 - rank), positions_that_count]
)
def test_a_discount_is_not_asked_beyond_its_own_cutoff(discount):
    labels, scores, _ = batch(2, items=130)
    metric = krm.DCG(5, rank_discount_fn=discount)
    together = MetricCollection([metric, krm.NDCG(100), krm.NDCG(10)])
    alone = metric.per_list(labels, scores)
    np.testing.assert_allclose(
        ops.convert_to_numpy(together.per_list(labels, scores)["dcg@5"]),
        ops.convert_to_numpy(alone),
        rtol=1e-6,
    )
    assert float(ops.nan_to_num(alone)[2]) > 0


class ScaledBy:
    """An option all of which are equal."""

    def __init__(self, scale):
        self.scale = scale

    def __eq__(self, other):
        return isinstance(other, ScaledBy)

    def __hash__(self):
        return 0


class Harmonic(ScaledBy):
    """A discount, all of which are equal."""

    def __call__(self, rank):
        return self.scale / rank


class ScaledHits(krm.RankingMetric):
    has_upper_bound = False

    @staticmethod
    def relevance(label, scaled: object = None):
        return scaled.scale * ops.cast(label >= 1, label.dtype)

    @staticmethod
    def measure(ranking, k):
        two, three = Harmonic(2.0), Harmonic(3.0)
        means = ranking.discount(two, k) + ranking.discount(three, k)
        return ops.sum(ranking.total() * means, axis=-1)


def test_what_is_equal_is_not_taken_for_the_same():
    together = MetricCollection(
        [
            ScaledHits(3, scaled=ScaledBy(scale), name=f"{scale}")
            for scale in (1.0, 10.0)
        ]
    )
    assert numbers(together([[1, 0]], [[2, 1]])) == pytest.approx(
        {"1.0": 5.0, "10.0": 50.0}
    )


class InBranches(krm.RankingMetric):
    """Asks first in a branch, and then outside."""

    has_upper_bound = False

    @staticmethod
    def measure(ranking, k):
        found = ops.cond(
            ops.any(ranking.retrieved > 1e9),
            lambda: ranking.hits(k) + 1,
            lambda: ranking.hits(k),
        )
        return found + ranking.hits(k)


@pytest.mark.each_backend
@pytest.mark.long
@pytest.mark.parametrize("k", [2, None])
def test_a_measure_that_branches(k):
    """Compiled, what it asked in a branch must not reach the others."""
    inputs = keras.Input((2,))
    model = keras.Model(inputs, keras.layers.Identity()(inputs))
    metrics = MetricCollection(
        [
            InBranches(k, name="branches"),
            krm.RecallAtK(k, name="r"),
            krm.NDCG(k),
        ]
    )
    model.compile(loss="mse", metrics=[metrics, InBranches(k, name="alone")])
    x, y = np.array([[2.0, 1.0]]), np.array([[1.0, 1.0]])
    logs = model.evaluate(x, y, verbose=0, return_dict=True)
    assert logs["branches"] == logs["alone"] == 4
    assert logs["r"] == 1


def test_num_relevant_under_several_thresholds():
    """What a list does not hold is relevant under every threshold."""
    y_true = {"labels": [[2, 0, 1]], "num_relevant": [4]}
    together = MetricCollection(
        [
            krm.RecallAtK(2, relevance_threshold=1, name="from 1"),
            krm.RecallAtK(2, relevance_threshold=2, name="from 2"),
            krm.NDCG(2),
        ]
    )
    alone = krm.NDCG(2)
    found = numbers(together(y_true, [[3, 2, 1]]))
    assert found == pytest.approx(
        {
            "from 1": 1 / 4,
            "from 2": 1 / 4,
            "ndcg@2": float(alone(y_true, [[3, 2, 1]])),
        }
    )


# One look


@pytest.fixture
def looks(monkeypatch):
    """How often a batch was ranked, and to which cutoff."""
    seen = []

    rank = Scored.ranked

    def counted(content, order, *others):
        seen.append((order.ties, order.k))
        return rank(content, order, *others)

    monkeypatch.setattr(Scored, "ranked", counted)
    return seen


def test_one_ranking_to_the_largest_cutoff(looks):
    MetricCollection(nine()).update_state(*batch(6))
    assert looks == [("average", 10)]


def test_a_ranking_for_each_way_to_settle_ties(looks):
    metrics = [
        krm.NDCG(3),
        krm.NDCG(5, ties="stable", name="stable"),
        krm.RecallAtK(9, relevance_threshold=2),
        krm.PrecisionAtK(7, ties="stable"),
        krm.MeanReciprocalRank(),
        krm.NDCG(3, ties="shuffle", name="one seed"),
        krm.NDCG(4, ties="shuffle", seed=1, name="another"),
    ]
    MetricCollection(metrics).update_state(*batch(6))
    assert sorted(looks, key=str) == [
        ("average", 9),
        ("average", None),
        ("shuffle", 3),
        ("shuffle", 4),
        ("stable", 7),
    ]


# In Keras


@pytest.mark.each_backend
@pytest.mark.long
def test_a_prefix_keeps_what_keras_would_lose():
    rng = np.random.default_rng(7)
    x = rng.standard_normal((8, 12)).astype("float32")
    y = rng.integers(0, 3, (8, 12)).astype("float32")
    weights = np.arange(8, dtype="float32")
    inputs = keras.Input((12,))
    model = keras.Model(inputs, keras.layers.Dense(12)(inputs))
    model.compile(
        "sgd",
        "mse",
        metrics=[krm.NDCG(3, name="plain"), MetricCollection([krm.NDCG(3)])],
        weighted_metrics=[
            krm.NDCG(3, name="plain"),
            MetricCollection([krm.NDCG(3)], prefix="weighted "),
        ],
    )
    logs = model.evaluate(
        x, y, sample_weight=weights, verbose=0, return_dict=True
    )
    assert logs["ndcg@3"] == pytest.approx(logs["plain"])
    assert logs["weighted ndcg@3"] == pytest.approx(logs["weighted_plain"])
    assert abs(logs["ndcg@3"] - logs["weighted ndcg@3"]) > 1e-4


def test_reset_state():
    together = MetricCollection(nine(ties="shuffle"))
    first = numbers(together(*batch(8)))
    together.update_state(*batch(9))
    together.reset_state()
    assert set(numbers(together.result()).values()) == {0.0}
    assert numbers(together(*batch(8))) == first


def test_members_share_a_variable_for_each_kind_of_state():
    together = MetricCollection(
        [*nine(ties="shuffle"), krm.HitRateAtK(3, inputs="ids")]
    )
    shapes = [tuple(v.shape) for v in together.variables]
    assert shapes == [(9, SUMS, 2), (9,), (1, SUMS, 2)]
    own = {id(v) for metric in together.metrics for v in metric.variables}
    assert {id(v) for v in together.variables} == own


def test_members_keep_what_they_have_seen_and_their_own_state():
    first, second = krm.NDCG(3), krm.PrecisionAtK(3, ties="shuffle")
    labels, scores, weights = batch(4)
    first.update_state(labels, scores, weights)
    before = float(first.result())
    together = MetricCollection([first, second])
    assert numbers(together.result()) == {"ndcg@3": before, "precision@3": 0.0}
    second.update_state(labels, scores)
    assert float(together.result()["precision@3"]) == float(second.result())
    first.reset_state()
    assert float(together.result()["ndcg@3"]) == 0.0
    assert float(second.result()) > 0.0


def test_a_member_of_two_collections_counts_in_both():
    metrics = [krm.NDCG(3), krm.RecallAtK(3)]
    one = MetricCollection(metrics)
    other = MetricCollection([metrics[1]])
    one.update_state(*batch(4))
    assert numbers(other.result())["recall@3"] == float(metrics[1].result())
    assert numbers(one.result()) == pytest.approx(
        numbers(MetricCollection([krm.NDCG(3), krm.RecallAtK(3)])(*batch(4)))
    )


# State


def three(denominator="relevant"):
    return MetricCollection(
        [
            krm.NDCG(3),
            krm.HitRateAtK(3),
            krm.RecallAtK(3, denominator=denominator),
        ]
    )


# Only the last metric differs.
REFUSED = {
    "denominator:min": lambda: three("min"),
    r"names.*Received: \['ndcg@3'\]": lambda: MetricCollection([krm.NDCG(3)]),
    r"\[\(3,\)\]": lambda: {**three().get_state(), "recall@3": [np.zeros(3)]},
    "AUC": lambda: {**three().state, "recall@3": krm.AUC().state},
    "A state of RecallAtK": lambda: {
        **three().get_state(),
        "recall@3": [np.full((SUMS, 2), "x")],
    },
    "None": lambda: None,
    "list": lambda: krm.NDCG(3).get_state(),
}


@pytest.mark.parametrize("message", REFUSED)
def test_a_refused_state_leaves_the_whole_collection(message):
    """Neither states before it nor its own first metrics are added."""
    ones = {name: [np.ones((SUMS, 2))] for name in three().get_state()}
    one, fitting, wrong = three(), three(), REFUSED[message]()
    for collection in (one, fitting):
        collection.set_state(ones)
    for place in range(3):
        others = [fitting, fitting.get_state()]
        others.insert(place, wrong)
        with pytest.raises((TypeError, ValueError), match=message):
            one.merge_state(others)
        with pytest.raises((TypeError, ValueError)):
            one.set_state(wrong)
        with pytest.raises((TypeError, ValueError)):
            one.state = wrong
        for arrays in one.get_state().values():
            np.testing.assert_array_equal(arrays, np.ones((1, SUMS, 2)))
    one.merge_state([fitting])  # and it goes on
    assert all(arrays[0].sum() > 77 for arrays in one.get_state().values())


def test_values_of_variables_are_no_state():
    """`stateless_update_state` returns them."""
    one = MetricCollection(nine())
    values = list(map(ops.convert_to_numpy, one.variables))
    with pytest.raises(ValueError) as caught:
        one.set_state(values)
    text = "Received: a list. What `stateless_update_state` returns are values"
    assert text in str(caught.value)


def test_states_of_plain_lists():
    """As they come back from JSON."""
    one, other = MetricCollection(nine()), MetricCollection(nine())
    one.update_state(*batch(1))
    state = {
        name: [array.tolist() for array in arrays]
        for name, arrays in one.get_state().items()
    }
    other.merge_state([state])
    assert numbers(other.result()) == pytest.approx(numbers(one.result()))


@pytest.mark.parametrize(
    "metric, y_true, wrong, message",
    [
        (
            krm.HitRateAtK(3, inputs="sparse"),
            [[1, 0, 2, -1]],
            [[1.5, 0.0, 2.0, 0.0]],
            "`y_true` should hold",
        ),
        (
            krm.Sliced(krm.RecallAtK(2), 2),
            {"labels": [[1, 0, 0, 0]], "group": [1]},
            {"labels": [[1, 0, 0, 0]], "group": [2]},
            "integer from 0 to 1",
        ),
        (
            krm.SampledRanks(krm.RecallAtK(2), 10, 3),
            [[1, 0, 0, 0]],
            [[1, 0, 1, 0]],
            "Each list should hold one relevant",
        ),
    ],
)
def test_bad_input_leaves_all_states(metric, y_true, wrong, message):
    together = MetricCollection([krm.NDCG(3), metric])
    together.update_state(y_true, [[0.4, 0.3, 0.2, 0.1]])
    before = together.get_state()
    with pytest.raises(ValueError, match=message) as raised:
        together.update_state(wrong, [[0.4, 0.3, 0.2, 0.1]])
    assert_same_state(together, before)
    if metric.name == "hit_rate@3":
        assert raised.value.__notes__ == [
            'The metrics with `inputs="sparse"` are: hit_rate@3.'
        ]


# Saving, and what it says


def test_signatures():
    together = MetricCollection([krm.NDCG(3, name="mine"), krm.RecallAtK(5)])
    assert together.signatures == {
        "mine": krm.NDCG(3).signature,
        "recall@5": krm.RecallAtK(5).signature,
    }


# What it does not take


@keras.saving.register_keras_serializable("test_collection")
class Percent(krm.HitRateAtK):
    def result(self):
        return 100 * super().result()


@pytest.mark.parametrize(
    "metrics, error, message",
    [
        ([], ValueError, "should hold a metric. Received: none"),
        (krm.NDCG(3), TypeError, r"should be a list: `MetricCollection\(\["),
        ({"mine": krm.NDCG(3)}, TypeError, "named after their metrics"),
        ([krm.NDCG], TypeError, r"call it: `NDCG\(k=10\)`"),
        ([MetricCollection([krm.NDCG()])], TypeError, r"\*collection.metrics"),
        ([krm.NDCG(3), krm.NDCG(3)], ValueError, '2 with the name "ndcg@3"'),
        ([krm.NDCG.at(1, 3)], TypeError, "with a star"),
        ([keras.metrics.Mean()], TypeError, "instances of `RankingMetric`"),
        ("NDCG@3 RR", TypeError, "Received: the text 'NDCG@3 RR'. Construct"),
        (["NDCG@3"], TypeError, "Received: the text 'NDCG@3'. Construct"),
        ([Percent(3)], TypeError, "Percent, which has its own `result`"),
    ],
)
def test_what_it_does_not_take(metrics, error, message):
    with pytest.raises(error, match=message):
        MetricCollection(metrics)


# In notebooks


def test_a_collection_is_shown_as_a_table():
    sliced = krm.Sliced(krm.PrecisionAtK(k=1), ["head", "<b>"])
    metrics = [krm.NDCG(k=3), sliced]
    together = MetricCollection(metrics, prefix="a/")
    labels, scores = [[1, 0], [0, 1], [1, 0]], [[2, 1]] * 3
    together.update_state({"labels": labels, "group": [0, 1, 1]}, scores)
    found = together._repr_html_()
    root = ElementTree.fromstring(found)
    rows = [["".join(x.itertext()) for x in row] for row in root.iter("tr")]
    ndcg, error = float(metrics[0].result()), metrics[0].standard_error()
    assert rows == [
        ["", "value", "standard error"],
        ["a/ndcg@3", f"{ndcg:.4f}", f"{error:.4f}"],
        ["a/precision@1", "0.6667", "0.3333"],
        ["a/precision@1/head", "1.0000", "nan"],
        ["a/precision@1/<b>", "0.5000", "0.5000"],
    ]
    signatures = [f"{n}: {s}" for n, s in together.signatures.items()]
    assert root.find("details/pre").text == "\n".join(signatures)
    with_errors = MetricCollection(metrics, prefix="a/", errors=True)
    with_errors.update_state({"labels": labels, "group": [0, 1, 1]}, scores)
    assert ElementTree.fromstring(with_errors._repr_html_()).tag == "div"
    assert "_se" not in with_errors._repr_html_()


def test_a_metric_without_an_error_is_shown_without_it():
    together = MetricCollection([krm.ExposureEntropy(k=1, num_items=2)])
    together.update_state([[1, 0], [0, 1]], [[2, 1], [1, 2]])
    entropy = float(together.metrics[0].result())
    assert f"<td>{entropy:.4f}</td><td></td>" in together._repr_html_()
