"""The parameters, names and signatures of metrics about items."""

import inspect
import pydoc

import pytest
from test_tables import ROWS

import keras_rankmetrics as krm

COMMON = {
    "adjusted": None,
    "dtype": None,
    "empty": "skip",
    "inputs": "scores",
    "list_weight": "mean",
    "name": None,
    "seed": None,
    "ties": None,
    "unjudged": "irrelevant",
}
OF_RELEVANT = {**COMMON, "relevance_threshold": 1.0}
EXPOSURE = {"rank_discount_fn": krm.log2_discount}
COUNTED = {n: COMMON[n] for n in ("dtype", "inputs", "name", "seed", "ties")}
OF_COUNTERS = {"k": None, "num_items": None}

# The name, what is positional, and what is by name alone.
PARAMETERS = {
    krm.CatalogueCoverage: ("coverage", OF_COUNTERS, COUNTED),
    krm.ExposureGini: ("gini", OF_COUNTERS, COUNTED),
    krm.ExposureEntropy: ("entropy", OF_COUNTERS, COUNTED),
    krm.Personalization: ("personalization", OF_COUNTERS, COUNTED),
    krm.AveragePopularity: (
        "popularity",
        {"k": None},
        {**COMMON, "popularity": None},
    ),
    krm.Novelty: ("novelty", {"k": None}, {**COMMON, "popularity": None}),
    krm.TailShare: ("tail", {"k": None}, {**COMMON, "is_tail": None}),
    krm.PopularityLift: (
        "popularity_lift",
        {"k": None},
        {**OF_RELEVANT, "popularity": None},
    ),
    krm.Serendipity: (
        "serendipity",
        {"k": None},
        {**OF_RELEVANT, "popularity": None},
    ),
    krm.IntraListDiversity: ("ild", {"k": None}, {**COMMON, "vectors": None}),
    krm.AttentionWeightedFairness: (
        "awrf",
        {"k": None},
        {**COMMON, **EXPOSURE, "groups": None, "target": None},
    ),
    krm.ExpectedExposureLoss: (
        "ee_loss",
        {"k": None},
        {**OF_RELEVANT, **EXPOSURE, "part": "loss"},
    ),
}
DOWN = {
    krm.ExposureGini,
    krm.AveragePopularity,
    krm.PopularityLift,
    krm.ExpectedExposureLoss,
}
all_metrics = pytest.mark.parametrize(
    "metric", PARAMETERS, ids=lambda cls: cls.__name__
)


@all_metrics
def test_the_signature_has_each_parameter_with_its_default(metric):
    _, positional, by_name = PARAMETERS[metric]
    found = inspect.signature(metric).parameters.values()
    assert [
        (p.name, p.default) for p in found if p.kind is p.POSITIONAL_OR_KEYWORD
    ] == list(positional.items())
    assert {
        p.name: p.default for p in found if p.kind is p.KEYWORD_ONLY
    } == by_name
    assert all(p.annotation is not p.empty for p in found)
    lines = pydoc.plain(pydoc.render_doc(metric)).splitlines()
    [line] = [x for x in lines if x.startswith(f" |  {metric.__name__}(")]
    assert all(f"{p.name}: " in line for p in found)


@all_metrics
def test_names_and_directions(metric):
    options = {"num_items": 6}
    if metric in {row.metric for row in ROWS}:
        options = next(r.options for r in ROWS if r.metric is metric)
    made = metric(k=3, **options)
    assert made.name == f"{PARAMETERS[metric][0]}@3"
    assert made._direction == ("down" if metric in DOWN else "up")


@pytest.mark.parametrize(
    "part, direction",
    [("loss", "down"), ("disparity", "down"), ("relevance", "up")],
)
def test_callbacks_know_what_is_better_of_each_part(part, direction):
    metric = krm.ExpectedExposureLoss(k=3, part=part)
    assert metric._direction == direction
    again = krm.ExpectedExposureLoss.from_config(metric.get_config())
    assert again._direction == direction


def test_a_table_is_a_fingerprint_in_the_signature():
    metric = krm.TailShare(3, is_tail=[0, 1])
    name, table, *rest = metric.signature.split("|")
    assert name == "TailShare@3"
    assert table == f"is_tail:{table[-8:]}"
    assert rest[:4] == [
        "ties:average",
        "empty:skip",
        "list_weight:mean",
        "inputs:scores",
    ]


def test_every_metric_about_items_is_here():
    told = [
        metric
        for metric in map(vars(krm.metrics).get, krm.metrics.__all__)
        if getattr(metric, "of_catalogue", None)
    ]
    assert {*told, krm.ExpectedExposureLoss} == set(PARAMETERS)
