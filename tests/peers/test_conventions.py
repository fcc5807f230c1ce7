"""Conventions: what they are, and the numbers of their sources.

`test_peers.py` and others run the packages that can be installed beside this
one, and `test_golden.py` has the numbers of those that can be installed alone.
`test_reported.py` compares drawn data, also by the formulas in the source of
those that cannot be installed. `docs/conventions.md` has the values of one
ranking in all conventions, which a test makes again.
"""

import ast
import functools
import inspect
import itertools
import pathlib
import re

import keras
import numpy as np
import pytest
from in_forms import RECOMMENDED, RELEVANT
from pytest import approx

import keras_rankmetrics
from keras_rankmetrics import (
    NDCG,
    MeanAveragePrecision,
    MetricCollection,
    PrecisionAtK,
    conventions,
    exponential_gain,
    linear_gain,
    log2_discount,
    reciprocal_discount,
)
from keras_rankmetrics.engine.definition import takes

ALL = conventions.all_of_them()
each_convention = pytest.mark.parametrize(
    "convention", ALL, ids=lambda c: c.name
)

# The ranking `x a y b c`, where a, b and c are relevant.
LABELS, SCORES = [0, 1, 0, 1, 1], [5, 4, 3, 2, 1]


# What F takes for the precision of lists shorter than k: of k, or of what is
# retrieved.
OF_F = {
    "cornac": "k",
    "ir_measures": "retrieved",
    "pyg": "k",
    "ranx": "k",
    "rectools": "k",
    "recsys": "k",
    "trec_eval": "retrieved",
    "trec_eval_without_c": "retrieved",
}


def test_f_of_lists_that_are_shorter_than_k():
    """F = (1 + β²) P R / (β² P + R), β² hits to recall."""
    asked = []
    for convention in ALL:
        for name, betas in (("F1AtK", (1.0,)), ("FBetaAtK", (0.5, 1.0, 2.0))):
            asked += [(convention, name, b) for b in betas] * (
                name in convention.presets
            )
    assert {convention.name for convention, _, _ in asked} == set(OF_F)
    # Of 4 relevant items 2 are among the 3 that are retrieved.
    labels = [1, 0, 1, 0, 1, 1]
    scores = [6, 5, 4, -np.inf, -np.inf, -np.inf]
    metrics, expected = [], {}
    for (convention, name, beta), (k, hits) in itertools.product(
        asked, ((1, 1), (2, 1), (3, 2), (5, 2), (40, 2))
    ):
        options = {"beta": beta} if name == "FBetaAtK" else {}
        case = f"{convention.name} {name} {beta} at {k}"
        make = getattr(convention, name)
        metrics.append(make(k=k, name=case, **options))
        of = {"k": k, "retrieved": min(k, 3)}[OF_F[convention.name]]
        precision, recall = hits / of, hits / 4
        expected[case] = (1 + beta**2) * precision * recall
        expected[case] /= beta**2 * precision + recall
    assert values_by_name(metrics, labels, scores) == approx(expected)


def values_by_name(metrics, labels, scores):
    """Return the value of the only list by each metric."""
    together = MetricCollection(metrics).per_list(labels, scores)
    return {
        name: float(keras.ops.convert_to_numpy(x).item())
        for name, x in together.items()
    }


def log2_sum(gains):
    return sum(g / np.log2(i + 2) for i, g in enumerate(gains))


# Retrieved in this order; the second one is not judged. Of 4 relevant items 3
# are retrieved, of 3 others 2.
GRADES = [2, keras_rankmetrics.UNJUDGED, 0, 1, 3, 0, 1, 0]
RETRIEVED = [9, 8, 7, 6, 5, 4, -np.inf, -np.inf]
# By subtopics, all retrieved in this order.
TOPICS = [[[1, 0], [1, 1], [0, 1]]]

# What ir_measures says of them by its definitions, exactly. It was held against
# its providers by `test_ir_measures.py`, where they are installed.
MEASURED = {
    "AP": (1 + 2 / 4 + 3 / 5) / 4,
    "MAP@4": (1 + 2 / 4) / 4,
    "AP(rel=2)": (1 + 2 / 5) / 2,
    "AP(judged_only=True)": (1 + 2 / 3 + 3 / 4) / 4,
    "BPref": (1 + (1 - 1 / 3) + (1 - 1 / 3)) / 4,
    "Bpref(rel=2)": (1 + (1 - 2 / 2)) / 2,
    "ERR@5": 3 / 16 + (13 / 16) * (1 / 16) / 4 + 13 * 15 / 16**2 * 7 / 16 / 5,
    "ERR@4": 3 / 16 + (13 / 16) * (1 / 16) / 4,
    "INSQ(max_rel=1)": (2 / 2**2 + 1 / 5**2 + 3 / 6**2) / (np.pi**2 / 6 - 1),
    "IPrec@0.0": 1.0,
    "IPrec@0.5": 3 / 5,
    "IPrec@1.0": 0.0,
    "Judged@2": 1 / 2,
    "Judged@5": 4 / 5,
    "MRR(rel=3)": 1 / 5,
    "RR(rel=3)@4": 0.0,
    "RR(rel=3,judged_only=True)": 1 / 4,
    "nDCG": log2_sum([2, 0, 0, 1, 3]) / log2_sum([3, 2, 1, 1]),
    "NDCG@4": log2_sum([2, 0, 0, 1]) / log2_sum([3, 2, 1, 1]),
    "nDCG@2": log2_sum([2]) / log2_sum([3, 2]),
    "nDCG(judged_only=True)@4": log2_sum([2, 0, 1, 3]) / log2_sum([3, 2, 1, 1]),
    "nDCG(dcg='exp-log2')@5": log2_sum([3, 0, 0, 1, 7])
    / log2_sum([7, 3, 1, 1]),
    "nDCG(dcg='log2')@5": log2_sum([2, 0, 0, 1, 3]) / log2_sum([3, 2, 1, 1]),
    "NumRet": 6,
    "NumRelRet": 3,
    "NumRet(rel=2)": 2,
    "P@4": 2 / 4,
    "P@10": 3 / 10,  # of k, where fewer are retrieved
    "P(rel=2)@5": 2 / 5,
    "P(judged_only=True)@4": 3 / 4,
    "Precision@40": 3 / 40,
    "R@4": 2 / 4,
    "R(rel=2)@4": 1 / 2,
    "Recall@40": 3 / 4,
    "RBP(rel=1)": 0.2 * (1 + 0.8**3 + 0.8**4),
    "RBP(rel=2,p=0.5)@4": 0.5,
    "RBP(rel=2,p=0.5)": 0.5 * (1 + 0.5**4),
    "Rprec": 2 / 4,
    "RPrec(rel=2)": 1 / 2,
    "SetP": 3 / 6,
    "SetP(rel=2)": 2 / 6,
    "SetR": 3 / 4,
    "SetR(rel=3)": 1.0,
    # What is called beta is its square.
    "SetF": 2 * (1 / 2 * 3 / 4) / (1 / 2 + 3 / 4),
    "SetF(beta=0.5)": 1.5 * (1 / 2 * 3 / 4) / (0.5 / 2 + 3 / 4),
    "SetF(beta=2.0,rel=2)": 3 * (1 / 3) / (2 / 3 + 1),
    "Success(rel=3)@4": 0.0,
    "Success(rel=3)@5": 1.0,
}
# With the chance alpha = 1/2 that a document satisfies a subtopic, a second
# one is worth half as much.
MEASURED_BY_TOPIC = {
    "alpha_nDCG@2": log2_sum([1, 1.5]) / log2_sum([2, 0.5]),
    "α_nDCG@3": log2_sum([1, 1.5, 0.5]) / log2_sum([2, 0.5, 0.5]),
    "alpha_nDCG(alpha=0.2)@3": log2_sum([1, 1.8, 0.8])
    / log2_sum([2, 0.8, 0.8]),
    "AP_IA": (1 + (1 / 2 + 2 / 3) / 2) / 2,
    "MAP_IA": (1 + (1 / 2 + 2 / 3) / 2) / 2,
    "P_IA@1": 1 / 2,
    "P_IA@5": (1 + 2 + 1) / 2 / 5,
    "StRecall@1": 1 / 2,
    "StRecall@2": 1.0,
    "NRBP": (1 - 0.5 * 0.5) / 2 * (1 + 0.5 * 1.5 + 0.25 * 0.5),
    "NRBP(alpha=0.2,beta=0.8)": (1 - 0.8 * 0.8)
    / 2
    * (1 + 0.8 * 1.8 + 0.64 * 0.8),
    "nNRBP": (1 + 0.5 * 1.5 + 0.25 * 0.5) / (2 + 0.5 * 0.5 + 0.25 * 0.5),
    "nERR_IA@2": (1 + 1.5 / 2) / (2 + 0.5 / 2),
    "nERR_IA@3": (1 + 1.5 / 2 + 0.5 / 3) / (2 + 0.5 / 2 + 0.5 / 3),
}


def test_every_measure_of_ir_measures_has_its_number():
    ours = conventions.ir_measures
    named = {
        asked.partition("(")[0].partition("@")[0]
        for asked in (*MEASURED, *MEASURED_BY_TOPIC)
    }
    assert named == set(ours.measures)
    for expected, labels, scores in (
        (MEASURED, GRADES, RETRIEVED),
        (MEASURED_BY_TOPIC, TOPICS, [[3.0, 2.0, 1.0]]),
    ):
        metrics = [ours.parse(asked, name=asked) for asked in expected]
        found = values_by_name(metrics, labels, scores)
        assert found == approx(expected, rel=1e-5, abs=1e-7)
    # The same by the names that these metrics have here.
    at = {"k": 5}
    for name, asked in (
        ("NDCG", "nDCG@5"),
        ("PrecisionAtK", "P@5"),
        ("RecallAtK", "R@5"),
        ("ERR", "ERR@5"),
        ("HitRateAtK", "Success@5"),
        ("MeanAveragePrecision", "AP@5"),
        ("AlphaNDCG", "alpha_nDCG@5"),
        ("PrecisionIA", "P_IA@5"),
    ):
        expected = ours.parse(asked).signature
        assert getattr(ours, name)(**at).signature == expected


def test_average_precision_of_scikit_learn_without_k():
    metric = conventions.sklearn.MeanAveragePrecision()
    assert float(metric.per_list(LABELS, SCORES)) == approx(8 / 15)


def test_every_metric_of_every_convention_has_a_number_to_meet():
    """By its package or its formula, as it was stored, or as published."""
    from test_golden import CASES
    from test_peers import PEERS
    from test_reported import COMPLETE

    met = {"recsys": set(conventions.recsys.presets)}  # see below
    # By files of their own.
    met["ir_measures"] = set(conventions.ir_measures.presets)
    met["pykeen"] = set(conventions.pykeen.presets)
    met["trec_eval"] = set(conventions.trec_eval.presets)
    met["trec_eval_without_c"] = met["trec_eval"]  # it differs in its rules
    for name in ("sentence_transformers", "beir", "mteb"):
        met[name] = set(getattr(conventions, name).presets)
    met["keras_rs"] = set(conventions.keras_rs.presets)
    met["rectools"] = {"F1AtK"}  # stored as F-beta, of which it is a case
    for name in COMPLETE:
        met[name] = set(getattr(conventions, name).presets)
    for name, metrics in PEERS.items():
        met[name] = met.get(name, set()) | set(metrics)
    for name, cases in CASES.items():
        metrics = {case.metric for case in cases.values()}
        met[name] = met.get(name, set()) | metrics
    assert {x.name: set(x.presets) for x in ALL} == met


def test_every_source_has_a_version():
    """A number of the release, or the year of a paper."""
    without = {
        convention.name
        for convention in ALL
        if not re.search(r"version \d+\.\d|\(20\d\d\)", convention.source)
    }
    # A rule of competitions, and one of our own.
    assert without == {"kaggle", "recsys"}
    assert "version 10.0" in conventions.trec_eval.source


def test_recsys():
    """The five users, as in `tests/inputs/test_ids.py`."""
    recsys = conventions.recsys
    expected = {
        "PrecisionAtK": (1 / 3, 1 / 3, 4 / 15),
        "RecallAtK": (1 / 18, 2 / 9, 1 / 3),
        "F1AtK": (2 / 21, 7 / 27, 19 / 66),
        "MeanAveragePrecision": (1 / 3, 1 / 2, 1 / 2),
        "MeanReciprocalRank": (1 / 3, 1 / 2, 1 / 2),
        "NDCG": (1 / 3, 1.6309297535714574 / 3, 1.6509209298071323 / 3),
        "HitRateAtK": (1 / 3, 2 / 3, 2 / 3),
    }
    assert set(expected) == set(recsys.presets)
    for name, numbers in expected.items():
        metrics = getattr(recsys, name).at(1, 3, 5, inputs="ids")
        found = [float(metric(RELEVANT, RECOMMENDED)) for metric in metrics]
        assert found == approx(numbers, rel=1e-6)


# What a convention is


@each_convention
def test_its_metrics_are_the_ordinary_ones(convention):
    for name, preset in convention.presets.items():
        has_k = takes(preset.metric, "k") and "k" not in preset.fixed
        cutoff = {"k": 7} if has_k else {}
        given = {name: GIVEN[name] for name in preset.required}
        metric = getattr(convention, name)(**cutoff, **given)
        assert type(metric) is getattr(keras_rankmetrics, name)
        assert metric.k == cutoff.get("k")
        assert metric.name.endswith("@7") == bool(cutoff)
        if cutoff:
            (at,) = preset.at(7, **given)
            assert at.signature == metric.signature
        again = type(metric).from_config(metric.get_config())
        assert again.signature == metric.signature
        assert preset.metric is type(metric)


# What only the data have, of a catalogue of two items, and a choice that a
# source makes in a way that is not to be had.
GIVEN = {
    "empty": "zero",
    "num_items": 2,
    "popularity": [1.0, 0.5],
    "is_tail": [False, True],
    "vectors": [[1.0, 0.0], [0.0, 1.0]],
}


def by(convention, metric):
    """Return the value of a text in a convention."""
    return keras_rankmetrics.evaluate(
        [LABELS], [SCORES], metric, convention=convention
    )


def test_what_only_the_data_have_is_required():
    recbole = conventions.recbole
    for options in ({}, {"popularity": None}):
        with pytest.raises(
            ValueError,
            match=r"^`AveragePopularity` needs `popularity`, the number of "
            r"interactions with each item\. Received: `popularity=None`\.$",
        ):
            recbole.AveragePopularity(10, **options)
        with pytest.raises(ValueError, match="needs `popularity`, the number"):
            recbole.AveragePopularity.at(1, 10, **options)
    with pytest.raises(ValueError, match="needs `num_items`, the number of"):
        recbole.CatalogueCoverage(10)
    # By position too.
    expected = keras_rankmetrics.CatalogueCoverage(10, 3)
    assert recbole.CatalogueCoverage(10, 3).signature == expected.signature
    assert repr(recbole.ExposureGini) == (
        "ExposureGini(k, num_items=<the number of items in the catalogue>)"
    )
    assert repr(conventions.trec_eval.RPrecision) == "RPrecision()"
    assert repr(conventions.recbole.PrecisionAtK) == (
        "PrecisionAtK(k, denominator='k')"
    )


def test_an_option_with_another_meaning_in_the_source_cannot_be_changed():
    auc = conventions.torchmetrics.AUC
    changes = (
        lambda: auc(k=2),
        lambda: auc(2),
        lambda: auc.at(None, 2),
        lambda: by("torchmetrics", "AUC@2"),
        lambda: auc(empty="skip"),
        lambda: by("torchmetrics", "AUC(empty=skip)"),
    )
    for change, option in zip(
        changes, ["k=2"] * 4 + ["empty='skip'"] * 2, strict=True
    ):
        with pytest.raises(ValueError, match=f"`AUC` should .*: `{option}`"):
            change()
    with pytest.raises(
        ValueError,
        match=r"^`AUC` should have `k=None` in the convention `torchmetrics`: "
        r"torchmetrics cuts off the list at its `top_k`\. Received: `k=2`\. "
        r"Use the class `AUC` for our `k`\.$",
    ):
        auc(k=2)
    expected = keras_rankmetrics.AUC(empty="zero").signature
    assert auc(None, empty="zero").signature == auc().signature == expected
    assert repr(auc) == "AUC(k=None, empty='zero')"


def test_options_can_be_overridden():
    trec_eval = conventions.trec_eval
    assert trec_eval.PrecisionAtK(5).options["denominator"] == "k"
    metric = trec_eval.PrecisionAtK(5, denominator="retrieved")
    assert metric.signature == PrecisionAtK(5).signature
    # By position too.
    metric = trec_eval.NDCG(5, exponential_gain, reciprocal_discount)
    expected = NDCG(5, rank_discount_fn=reciprocal_discount)
    assert metric.signature == expected.signature
    assert trec_eval.NDCG(5).options == {
        "gain_fn": linear_gain,
        "rank_discount_fn": log2_discount,
        "ideal": "relevant",
    }
    with pytest.raises(TypeError, match="no_such"):
        trec_eval.NDCG(no_such=1)


def test_what_a_source_does_not_define():
    with pytest.raises(
        AttributeError,
        match=r"^The convention `kaggle` has no NDCG: the source does not "
        r"define it\. It has: MeanAveragePrecision\.$",
    ):
        conventions.kaggle.NDCG  # noqa: B018
    with pytest.raises(
        AttributeError,
        match=r"`rectools` has no NDCG: its ideal .* `recommenders`\.",
    ):
        conventions.rectools.NDCG  # noqa: B018
    assert not hasattr(conventions.kaggle, "NDCG")
    # By the name that it has there, too.
    with pytest.raises(
        AttributeError,
        match=r"`rectools` has no MCC: it also counts .* catalogue\.",
    ):
        conventions.rectools.MCC  # noqa: B018
    with pytest.raises(
        AttributeError,
        match=r'^The convention `trec_eval` has no NDGC\. Did you mean "NDCG"',
    ):
        conventions.trec_eval.NDGC  # noqa: B018


# Metrics of a source that have the name of another metric here.
OTHERWISE = {"catboost": {"AUC"}}


def test_auc_of_catboost_is_not_the_mean_over_lists():
    """Its `AUC` is over the items of all lists, `QueryAUC` is our AUC."""
    catboost = conventions.catboost
    for parse in (catboost.parse, functools.partial(by, "catboost")):
        with pytest.raises(
            ValueError,
            match=r"`catboost` has no AUC: it is over .*; `QueryAUC` is the",
        ):
            parse("AUC")
    expected = catboost.parse("QueryAUC").signature
    assert catboost.AUC().signature == expected


# Measures that are not the usual one of their metric in the source.
NOT_USUAL = {
    ("trec_eval", "relative_P"),
    ("trec_eval_without_c", "relative_P"),
    ("beir", "R_cap"),
    ("mteb", "R_cap_at"),
    ("cornac", "NCRR"),
    ("ranx", "dcg_burges"),
    ("ranx", "ndcg_burges"),
    ("xgboost", "ndcg-"),
    ("xgboost", "map-"),
    ("ragas", "non_llm_context_precision_with_reference"),
}


def test_presets_have_the_options_of_their_measures():
    """A name here and a name of the source mean the same at a cutoff."""
    different = set()
    pairs = [(each, name) for each in ALL for name in each.measures]
    for convention, name in pairs:
        try:
            metric = convention.of_source(convention.written(name, 1))
        except ValueError:  # it has no cutoff, or another parameter
            continue
        if metric is None or metric.k != 1:
            continue
        preset = getattr(convention, type(metric).__name__)
        if preset(k=1).signature != metric.signature:
            different.add((convention.name, name))
    assert different == NOT_USUAL


@each_convention
def test_attributes_can_be_discovered(convention):
    metrics = {
        name
        for name in keras_rankmetrics.__all__
        if isinstance(getattr(keras_rankmetrics, name), type)
    } - {"Ranking", "RankingMetric"}
    assert set(dir(convention)) & metrics == set(convention.presets)
    both = set(convention.without) & set(convention.presets)
    assert both == OTHERWISE.get(convention.name, set())
    assert set(convention.presets) <= metrics
    for name, preset in convention.presets.items():
        assert preset.__doc__ == getattr(keras_rankmetrics, name).__doc__
        assert name in repr(preset) and name in repr(convention)
        parameters = inspect.signature(preset).parameters
        assert preset.options == {
            option: parameters[option].default for option in preset.options
        }
    assert convention.about.endswith(".")
    assert convention.source


def test_names():
    assert conventions.names() == [x.name for x in ALL]
    for name in conventions.names():
        assert getattr(conventions, name).name == name


def test_the_table_has_all_of_them():
    table = conventions.table()
    for convention in ALL:
        assert f"{convention.name}: {convention.about}" in table


# What says what each source does, and decides nothing.
SAYING = "boosting", "generation", "recommending", "retrieval"


def test_no_code_knows_a_convention_by_name():
    package = pathlib.Path(keras_rankmetrics.__file__).parent
    names = set(conventions.names())
    data = [package / "conventions" / f"{name}.py" for name in SAYING]
    for path in package.rglob("*.py"):
        if path in data:
            continue
        strings = {
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant)
        }
        assert not names & strings, path
    # And there, nothing is decided.
    for path in data:
        for node in ast.walk(ast.parse(path.read_text())):
            decides = isinstance(
                node, ast.If | ast.IfExp | ast.While | ast.Match
            )
            if decides and ast.unparse(node.test) != "not typing.TYPE_CHECKING":
                pytest.fail(f"{path.name}, line {node.lineno}")


def test_saved_metrics_are_ordinary():
    metric = conventions.kaggle.MeanAveragePrecision(k=3)
    expected = MeanAveragePrecision(k=3, denominator="min")
    assert metric.get_config() == expected.get_config()


@pytest.mark.parametrize(
    "measure, error",
    [
        ("AP(judged_only='no')", "judged_only='no'"),
        ("AP(judged_only=2)", "judged_only=2"),
        ("SetF(beta='a')", "beta='a'"),
        ("P(cutoff=5)@10", "two cutoffs"),
        ("AP(**{'rel': 1})", "A measure of ir_measures should be"),
    ],
)
def test_measures_that_cannot_be_parsed(measure, error):
    with pytest.raises(ValueError, match=error):
        conventions.ir_measures.parse(measure)


@pytest.mark.parametrize(
    "text", ["", "AP(", "P(5)@5", "Judged@", "R@5(rel=2)", "P(rel=2)@5(rel=1)"]
)
def test_an_error_shows_the_whole_measure_and_the_form_of_ir_measures(text):
    with pytest.raises(ValueError, match=r"`P\(rel=2\)@5`.") as found:
        conventions.ir_measures.parse(text)
    assert f"Received: {text!r}." in str(found.value)


def test_a_value_without_quotes_is_as_it_was_written():
    plain = conventions.ir_measures.parse("nDCG(dcg=exp-log2)@10")
    quoted = conventions.ir_measures.parse("nDCG(dcg='exp-log2')@10")
    assert plain.signature == quoted.signature
