"""What the pages of metrics about items say of packages."""

import numpy as np
import pytest
from in_forms import padded, values
from pytest import approx
from test_golden import COUNTS, DATA, ITEMS
from test_golden import theirs as theirs_of

import keras_rankmetrics as krm

CUTOFFS = (1, 3, 10)
RECOMMENDED = DATA["recommended"]
# What lists recommend; they ask nothing about relevance.
LISTS = np.zeros((len(RECOMMENDED), 1), int), padded(RECOMMENDED, 10)


@pytest.mark.parametrize("k", CUTOFFS)
def test_recommenders_divides_coverage_by_the_items_of_training(k):
    ours = krm.CatalogueCoverage(k, num_items=ITEMS, inputs="ids")
    of_training = np.count_nonzero(COUNTS)
    assert of_training < ITEMS
    theirs = float(theirs_of("recommenders", f"catalog_coverage@{k}"))
    found = float(ours(*LISTS)) * ITEMS / of_training
    assert found == approx(theirs, rel=1e-6)


@pytest.mark.parametrize("k", CUTOFFS)
def test_distributional_coverage_of_recommenders_is_entropy_in_bits(k):
    ours = krm.ExposureEntropy(k, num_items=ITEMS, inputs="ids")
    theirs = float(theirs_of("recommenders", f"distributional_coverage@{k}"))
    assert float(ours(*LISTS)) / np.log(2) == approx(theirs, rel=1e-6)


@pytest.mark.parametrize("k", CUTOFFS)
def test_novelty_of_recommenders_takes_shares_of_interactions(k):
    """Items without interactions count as 0, the least novel there is."""
    share = np.where(COUNTS > 0, COUNTS / COUNTS.sum(), 1.0)
    assert (COUNTS[LISTS[1]] == 0).any()
    ours = krm.Novelty(k, popularity=share, inputs="ids")
    theirs = float(theirs_of("recommenders", f"novelty@{k}"))
    assert float(ours(*LISTS)) == approx(theirs, rel=1e-6)


@pytest.mark.parametrize("k", CUTOFFS[1:])
def test_diversity_of_recommenders_by_vectors(k):
    categories = np.eye(6)[DATA["categories"]]
    ours = krm.IntraListDiversity(k, vectors=categories, inputs="ids")
    theirs = float(theirs_of("recommenders", f"diversity@{k}"))
    assert float(ours(*LISTS)) == approx(theirs, rel=1e-6)


@pytest.mark.peers
@pytest.mark.parametrize(
    ("features", "times"),
    [
        ([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]], 2),  # one-hot
        ([[0], [1], [0], [2]], 1),  # numbers of categories
        ([[1, 0, 1], [0, 1, 1], [1, 1, 1], [0, 0, 1]], None),  # several each
    ],
)
def test_the_hamming_distance_of_rectools(features, times):
    there = pytest.importorskip("rectools.metrics")
    pandas = pytest.importorskip("pandas")
    shown = pandas.DataFrame(
        {"user_id": 1, "item_id": range(4), "rank": range(1, 5)}
    )
    distances = there.PairwiseHammingDistanceCalculator(
        pandas.DataFrame(features)
    )
    theirs = there.IntraListDiversity(4, distances).calc(shown)
    vectors = np.array(features, "float32")
    if vectors.shape[1] == 1:
        vectors = np.eye(3, dtype="float32")[vectors[:, 0].astype(int)]
    metric = krm.IntraListDiversity(4, vectors=vectors, inputs="ids")
    ours = float(metric([[0]], [[0, 1, 2, 3]]))
    if times is None:
        assert theirs / ours != approx(1, abs=0.1)
        assert theirs / ours != approx(2, abs=0.1)
    else:
        assert theirs == approx(times * ours)


def test_rectools_takes_a_list_of_one_item_to_have_no_diversity():
    categories = np.eye(6)[DATA["categories"]]
    ours = krm.IntraListDiversity(1, vectors=categories, inputs="ids")
    assert np.isnan(values(ours, *LISTS)).all()
    assert not theirs_of("rectools", "IntraListDiversity@1").any()


@pytest.mark.peers
@pytest.mark.parametrize("k", CUTOFFS[1:])
@pytest.mark.parametrize("name", ["AveragePopularity", "Diversity"])
def test_pytorch_geometric(name, k):
    torch = pytest.importorskip("torch")
    there = pytest.importorskip("torch_geometric.metrics")
    if name == "Diversity":
        theirs = there.LinkPredDiversity(k, torch.tensor(DATA["categories"]))
        categories = np.eye(6)[DATA["categories"]]
        ours = krm.IntraListDiversity(k, vectors=categories, inputs="ids")
    else:
        theirs = there.LinkPredAveragePopularity(k, torch.tensor(COUNTS))
        ours = krm.AveragePopularity(k, popularity=COUNTS, inputs="ids")
    nothing = torch.zeros((2, 0), dtype=torch.long)
    theirs.update(torch.tensor(RECOMMENDED), nothing)
    assert float(ours(*LISTS)) == approx(float(theirs.compute()), rel=1e-5)


def test_fairness_of_the_trec_track_has_the_natural_logarithm():
    """1 - JS in nats, with the discount that leaves two ranks alike."""
    distance = pytest.importorskip("scipy.spatial.distance")
    groups, target = np.eye(6)[DATA["categories"]], [1, 2, 3, 4, 5, 6]
    weight = 1 / np.log2(np.maximum(np.arange(1, 11), 2))
    attention = weight @ groups[LISTS[1]]
    theirs = [1 - distance.jensenshannon(a, target) ** 2 for a in attention]
    ours = krm.AttentionWeightedFairness(
        groups=groups,
        target=target,
        rank_discount_fn=krm.original_discount,
        inputs="ids",
    )
    found = 1 - np.log(2) * (1 - values(ours, *LISTS))
    assert found == approx(np.array(theirs), rel=1e-5)
