"""Metrics about items beside RecTools, on 2,000 lists."""

import numpy as np
import pytest
from in_forms import values
from pytest import approx

from keras_rankmetrics import conventions

pytestmark = pytest.mark.peers
OURS = conventions.rectools

LISTS, ITEMS, WIDTH = 2_000, 40, 12
CUTOFFS = (1, 3, 10)


@pytest.fixture(scope="module")
def tables():
    """What RecTools reads, and what the metrics here do."""
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("rectools.metrics")
    rng = np.random.default_rng(19)
    order = rng.random((LISTS, ITEMS)).argsort(axis=-1)
    recommended, relevant = order[:, :WIDTH], rng.random((LISTS, ITEMS)) < 0.2
    before = rng.random((LISTS, ITEMS)) < rng.random(ITEMS) ** 2
    before[:, 0] = False
    users = np.repeat(np.arange(LISTS), WIDTH)
    reco = pandas.DataFrame(
        {
            "user_id": users,
            "item_id": recommended.ravel(),
            "rank": np.tile(np.arange(1, WIDTH + 1), LISTS),
        }
    )

    def pairs(x):
        user_id, item_id = np.nonzero(x)
        return pandas.DataFrame({"user_id": user_id, "item_id": item_id})

    ids = np.where(relevant, np.arange(ITEMS), -1)
    return (reco, pairs(relevant), pairs(before)), (ids, recommended), before


def per_user(series):
    return series.reindex(range(LISTS)).to_numpy()


@pytest.mark.parametrize("k", CUTOFFS)
def test_novelty(tables, k):
    from rectools.metrics import MeanInvUserFreq

    (reco, _, before), passed, known = tables
    theirs = MeanInvUserFreq(k=k).calc_per_user(reco, before)
    users = np.flatnonzero(known.any(axis=-1)).size
    # An item that nobody knows is there as if one user knew it.
    share = np.maximum(known.sum(axis=0), 1) / users
    ours = OURS.Novelty(k, popularity=share, inputs="ids")
    assert values(ours, *passed) == approx(per_user(theirs), rel=1e-6)


@pytest.mark.parametrize("k", CUTOFFS)
def test_average_popularity(tables, k):
    from rectools.metrics import AvgRecPopularity

    (reco, _, before), passed, known = tables
    theirs = AvgRecPopularity(k=k).calc_per_user(reco, before)
    counts = known.sum(axis=0)
    ours = OURS.AveragePopularity(k, popularity=counts, inputs="ids")
    assert values(ours, *passed) == approx(per_user(theirs), rel=1e-6)


@pytest.mark.parametrize("k", CUTOFFS)
def test_serendipity(tables, k):
    from rectools.metrics import Serendipity

    (reco, relevant, before), passed, known = tables
    theirs = Serendipity(k=k).calc_per_user(
        reco, relevant, before, range(ITEMS)
    )
    counts = known.sum(axis=0)
    ours = OURS.Serendipity(k, popularity=counts, inputs="ids")
    assert values(ours, *passed) == approx(per_user(theirs), abs=1e-6)


@pytest.mark.parametrize("k", CUTOFFS)
def test_coverage(tables, k):
    from rectools.metrics import CatalogCoverage

    (reco, _, _), passed, _ = tables
    few = reco[reco["user_id"] < 5]
    theirs = CatalogCoverage(k=k, normalize=True).calc(few, range(ITEMS))
    ours = OURS.CatalogueCoverage(k, ITEMS, inputs="ids")
    assert float(ours(*(x[:5] for x in passed))) == approx(theirs)


@pytest.mark.parametrize("k", CUTOFFS[1:])
def test_diversity_of_categories(tables, k):
    """Of rows with a single 1, their distance counts 2 where ours is 1."""
    import pandas
    from rectools.metrics import (
        IntraListDiversity,
        PairwiseHammingDistanceCalculator,
    )

    (reco, _, _), passed, _ = tables
    categories = np.eye(4)[np.arange(ITEMS) % 4]
    distances = PairwiseHammingDistanceCalculator(pandas.DataFrame(categories))
    theirs = IntraListDiversity(k, distances).calc_per_user(reco)
    ours = OURS.IntraListDiversity(k, vectors=categories, inputs="ids")
    found = values(ours, *passed)
    assert 2 * found == approx(per_user(theirs), abs=1e-5)
