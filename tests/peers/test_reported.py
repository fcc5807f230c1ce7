"""The values of tools, installed or stored, beside those of their conventions.

`python -m tests.tools.reported` prints how far they are apart.
"""

import functools

import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.conventions.from_text import metrics_of
from tests.tools.reported import __main__ as reported
from tests.tools.reported import store

pytestmark = [
    pytest.mark.peers,
    # The tools warn of much: numba of casts, and others of numpy.
    pytest.mark.filterwarnings("ignore"),
]

# What takes longest: numba compiles ranx.
LONG = ("ranx",)
# The conventions each of whose metrics is compared here.
COMPLETE = (
    "mllib",
    "merlin",
    "kaggle",
    "din",
    "recommenders",
    "elasticsearch",
    "search_relevance",
    "lenskit_2026",
    "pyg",
    "torchrec",
    "cornac",
    "xgboost",
    "lightgbm",
    "catboost",
    "llama_index",
    "haystack",
    "ragas",
    "deepeval",
    "phoenix",
    "mlflow",
    "evidently",
)
values_of = functools.cache(reported.values_of)


def parameter(tool):
    marks = [pytest.mark.long] if tool.convention in LONG else []
    return pytest.param(
        tool, id=f"{tool.convention}-{tool.form}-{tool.grades}", marks=marks
    )


@pytest.mark.parametrize("tool", [*map(parameter, reported.tools())])
def test_values_are_those_of_the_convention(tool):
    found = values_of(tool)
    if found is None:
        pytest.skip(f"{tool.package} is not installed, and has nothing stored")
    for seed, theirs in enumerate(found[1]):
        data = store.data_of(tool, seed)
        assert theirs
        ours = krm.evaluate(
            data.truth, data.run, [*theirs], convention=tool.convention
        )
        assert dict(ours) == pytest.approx(theirs, rel=0, abs=tool.tolerance)


def test_each_convention_is_compared_on_grades():
    """What counts as relevant there shows in labels other than 0 and 1."""
    graded = {x.convention for x in reported.tools() if x.grades > 1}
    sources = {conventions.named(name).source for name in graded}
    every = conventions.all_of_them()
    missing = {x.name for x in every if x.source not in sources}
    # pytrec_eval, which is compared, is version 9 of trec_eval.
    assert missing <= {"trec_eval"}


@pytest.mark.parametrize("name", COMPLETE)
def test_each_metric_is_compared(name):
    convention = getattr(conventions, name)
    tools = [each for each in reported.tools() if each.convention == name]
    compared = set()
    for tool in tools:
        found = values_of(tool)
        if found is None:
            pytest.skip(f"{tool.package} is not installed, nor stored")
        for text in found[1][0]:
            metrics = metrics_of(text, convention, **convention.rules.options)
            compared |= {type(metric).__name__ for metric in metrics}
    assert compared == set(convention.presets)
