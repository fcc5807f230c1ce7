"""Names that do not exist: the error says which name was meant."""

import inspect
import pickle
import re

import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.engine.definition.constructor import _SPELLINGS
from keras_rankmetrics.engine.metric.ranking_metric import ConfiguredMetric
from krm_command import main

METRICS = [
    cls
    for cls in vars(krm).values()
    if isinstance(cls, type)
    and issubclass(cls, ConfiguredMetric)
    and cls is not krm.RankingMetric
]


def refusal(call, **options):
    """The message of the TypeError that a call with these options raises."""
    with pytest.raises(TypeError) as error:
        call(**options)
    return str(error.value)


# Parameters


@pytest.mark.parametrize("metric", METRICS, ids=lambda cls: cls.__name__)
def test_each_spelling_is_explained_by_each_metric(metric):
    """Also those that a metric has no parameter for."""
    known = inspect.signature(metric).parameters
    for ours, row in _SPELLINGS.items():
        what, spellings = row.split(": ")
        for name in set(spellings.split()) - set(known):
            message = refusal(metric, **{name: 1})
            start = f'{metric.__name__} has no parameter "{name}". '
            assert message.startswith(start)
            if ours in known:
                assert message == f'{start}Its {what} is "{ours}".'
            elif "Its parameters are" in message:
                assert message.count(f"It has no {what}.") == 1


@pytest.mark.parametrize("name", ["top_k", "topK", "top-k", "K", "Cut_Off"])
def test_case_hyphens_and_underscores_do_not_matter(name):
    expected = f'NDCG has no parameter "{name}". Its cutoff is "k".'
    assert refusal(krm.NDCG, **{name: 10}) == expected


CALLS = {
    "a metric": (krm.NDCG, "idael", "ideal"),
    "cutoffs": (lambda **x: krm.NDCG.at(1, 5, **x), "seeed", "seed"),
    "a preset": (conventions.trec_eval.NDCG, "idael", "ideal"),
    "a subclass": (type("Own", (krm.NDCG,), {}), "gainfn", "gain_fn"),
    "a collection": (lambda **x: krm.MetricCollection([], **x), "p", "prefix"),
    "a comparison": (krm.Comparison, "system", "systems"),
    "slices": (krm.Sliced, "group", "groups"),
    "sampled ranks": (krm.SampledRanks, "negative", "negatives"),
}


@pytest.mark.parametrize("call, wrong, right", CALLS.values(), ids=CALLS)
def test_a_misspelt_parameter(call, wrong, right):
    message = refusal(call, **{wrong: 1})
    assert f'has no parameter "{wrong}".' in message
    assert f'"{right}"' in message or f" {right}," in message


def test_too_many_positional_arguments():
    with pytest.raises(TypeError) as error:
        krm.InterpolatedPrecision(0.3)
    expected = "InterpolatedPrecision takes nothing by position. Received: 0.3."
    assert str(error.value).startswith(f"{expected} Pass the others by name: ")
    with pytest.raises(TypeError, match="takes only k, shuffle_ties, seed by"):
        krm.RecallAtK(1, None, 3, 4)


def test_an_unknown_parameter_gets_the_list_of_all():
    for metric in METRICS:
        message = refusal(metric, xyz=1)
        listed = message.partition("Its parameters are: ")[2].rstrip(".")
        names = list(inspect.signature(metric).parameters)
        assert listed.split(", ") == names, metric


def test_what_is_right_is_as_before():
    collection = krm.MetricCollection([krm.NDCG(3)], prefix="a ", errors=True)
    assert (collection.prefix, collection.errors) == ("a ", True)
    names = inspect.signature(krm.MetricCollection).parameters
    assert list(names) == ["metrics", "prefix", "name", "errors"]
    again = pickle.loads(pickle.dumps(krm.Sliced(krm.NDCG(3), 2)))
    assert again.groups == 2


# Names of metrics and of conventions

MEANT = {
    "MAP": "MeanAveragePrecision",
    "MRR": "MeanReciprocalRank",
    "Ndcg": "NDCG",
    "Recall": "RecallAtK",
    "HitRate": "HitRateAtK",
    "AveragePrecision": "MeanAveragePrecision",
    "NDGC": "NDCG",
    "RetrievalMAP": "MeanAveragePrecision",
    "RetrievalNormalizedDCG": "NDCG",
    "RetrievalAUROC": "AUC",
    "PrecisionMetric": "PrecisionAtK",
    "ndcg_at_k": "NDCG",
    "PrecisionAt10": "PrecisionAtK",
    "F1Score": "F1AtK",
    "CatalogCoverage": "CatalogueCoverage",
}


@pytest.mark.parametrize("name, meant", MEANT.items())
def test_a_metric_of_another_name(name, meant):
    hint = re.escape(f' Did you mean "{meant}"?')
    for module in (krm, krm.metrics):
        assert not hasattr(module, name)
        with pytest.raises(AttributeError, match=hint):
            getattr(module, name)


def test_each_short_name_leads_to_its_class():
    named = [x for x in METRICS if x.short_name and x.short_name.isidentifier()]
    for cls in named:
        for name in {cls.short_name, cls.short_name.upper()} - {*dir(krm)}:
            with pytest.raises(AttributeError, match=f'mean "{cls.__name__}"'):
                getattr(krm, name)


@pytest.mark.parametrize(
    "name, meant",
    [
        ("treceval", "trec_eval"),
        ("pytrec_eval", "trec_eval"),
        ("rax", "tf_ranking"),
        ("torchmetric", "torchmetrics"),
    ],
)
def test_a_convention_of_another_name(name, meant, capsys):
    hint = f'Did you mean "{meant}"?'
    with pytest.raises(AttributeError, match=re.escape(hint)):
        getattr(conventions, name)
    with pytest.raises(ValueError, match=re.escape(hint)):
        conventions.named(name)
    command = ["eval", "qrels", "run", "-m", "MRR", "--convention", name]
    assert main(command) == 2
    assert hint in capsys.readouterr().err


def test_a_metric_of_another_name_in_a_convention():
    with pytest.raises(AttributeError) as error:
        conventions.torchmetrics.MAP  # noqa: B018
    assert 'no MAP. Did you mean "MeanAveragePrecision"? It' in str(error.value)
    with pytest.raises(
        AttributeError, match="no F1AtK: it has F only for whole lists"
    ):
        conventions.trec_eval.F1  # noqa: B018


@pytest.mark.parametrize("module", [krm, krm.metrics, conventions])
def test_names_of_python_are_just_missing(module):
    with pytest.raises(AttributeError) as error:
        module.__wrapped__  # noqa: B018
    assert str(error.value).endswith('has no attribute "__wrapped__".')
    assert not hasattr(module, "_private")
    assert getattr(module, "nothing", None) is None
