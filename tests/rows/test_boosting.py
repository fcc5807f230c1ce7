"""What docs/rows.md tells users of LightGBM, XGBoost and CatBoost to write."""

from __future__ import annotations

import functools
import pathlib
import re
import types

import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "rows.md"
ROUNDS = 4


def documented(holding, folder, **names):
    """What a block of the page defines, in a file, which CatBoost reads."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S)
    [source] = [b for b in blocks if ">>>" not in b and holding in b]
    names = {"krm": krm, "np": np, **names}
    file = folder / "block.py"
    file.write_text(source)
    exec(compile(source, file, "exec"), names)
    return names


@pytest.fixture(scope="module")
def data():
    """Features, labels and sizes of queries, some with nothing relevant."""
    rng = np.random.default_rng(0)
    sizes = rng.integers(3, 12, 80)
    features = rng.normal(size=(sizes.sum(), 4))
    signal = features[:, 0] + features[:, 1] * features[:, 2]
    return features, np.clip(np.floor(signal + 1), 0, 4).astype(int), sizes


def metrics():
    return [
        krm.NDCG(10, empty="one", ties="stable", name="own_ndcg"),
        krm.MeanAveragePrecision(10),
    ]


def by_hand(data, scores):
    """Of lists, one by one."""
    _, labels, sizes = data
    ends = np.cumsum(sizes)[:-1]
    found = {}
    for metric in metrics():
        metric.update_state(
            [x.tolist() for x in np.split(labels, ends)],
            [x.tolist() for x in np.split(scores, ends)],
        )
        found[metric.name] = float(metric.result())
    return found


@pytest.fixture(scope="module")
def tied(data):
    """Labels of 0 and 1, scores of which many tie, and sizes of queries."""
    _, labels, sizes = data
    scores = np.random.default_rng(1).integers(1, 5, len(labels))
    return np.minimum(labels, 1), scores.astype("float32"), sizes


def with_documented_options(name, tied, **others):
    """Return the value by the options in the table of the page."""
    [options] = re.findall(
        rf"^\| `{name}` \| `(.*)` \|$", PAGE.read_text(), re.M
    )
    labels, scores, sizes = tied
    metric = eval(options, vars(krm))
    metric = type(metric).from_config({**metric.get_config(), **others})
    query = np.repeat(np.arange(len(sizes)), sizes)
    [value] = krm.evaluate_rows(query, labels, scores, metric).values()
    return approx(value, abs=1e-6)


def test_the_metrics_of_lightgbm_have_the_documented_options(tied):
    lgb = pytest.importorskip("lightgbm", reason="needs the extra [boosting]")
    labels, scores, sizes = tied
    features = np.arange(len(labels), dtype=float)[:, None]
    rows = lgb.Dataset(features, labels, group=sizes, init_score=scores)
    logged = {}
    lgb.train(
        {
            "objective": "lambdarank",
            "metric": ["ndcg", "map"],
            "eval_at": [10],
            "learning_rate": 1e-30,  # adds nothing to the scores
            "verbose": -1,
            "num_threads": 1,
        },
        rows,
        1,
        valid_sets=[rows],
        callbacks=[lgb.record_evaluation(logged)],
    )
    [found] = logged.values()
    for name in ("ndcg@10", "map@10"):
        assert found[name] == [with_documented_options(name, tied)]


def test_the_metrics_of_xgboost_have_the_documented_options(tied):
    xgb = pytest.importorskip("xgboost", reason="needs the extra [boosting]")
    labels, scores, sizes = tied
    features = np.arange(len(labels), dtype=float)[:, None]
    rows = xgb.DMatrix(features, labels, base_margin=scores)
    rows.set_group(sizes)
    logged = {}
    xgb.train(
        {
            "objective": "rank:map",
            "eval_metric": ["ndcg@10", "map@10", "ndcg@10-", "map@10-"],
            "learning_rate": 0.0,
            "nthread": 1,
        },
        rows,
        1,
        evals=[(rows, "valid")],
        evals_result=logged,
        verbose_eval=False,
    )
    for name in ("ndcg@10", "map@10"):
        found = logged["valid"]
        assert found[name] == [with_documented_options(name, tied)]
        of_zero = with_documented_options(name, tied, empty="zero")
        assert found[f"{name}-"] == [of_zero] != found[name]


def test_lightgbm(data, tmp_path):
    lgb = pytest.importorskip("lightgbm", reason="needs the extra [boosting]")
    features, labels, sizes = data
    rows = lgb.Dataset(features, labels, group=sizes, free_raw_data=False)
    params = {"objective": "lambdarank", "verbose": -1, "num_threads": 1}
    made = documented(
        "lgb.train", tmp_path, params=params, train=rows, valid=rows
    )
    [scored] = made["model"].best_score.values()
    assert {"krm_ndcg@10", "map@10"} < set(scored)
    made["metrics"] = metrics()
    logged = {}
    model = lgb.train(
        {**params, "metric": "ndcg", "eval_at": [10]},
        rows,
        ROUNDS,
        valid_sets=[rows],
        valid_names=["valid"],
        feval=made["rank_metrics"],
        callbacks=[lgb.record_evaluation(logged)],
    )
    found = logged["valid"]
    assert found["own_ndcg"] == approx(found["ndcg@10"], abs=1e-6)
    last = {name: values[-1] for name, values in found.items()}
    del last["ndcg@10"]
    assert last == approx(by_hand(data, model.predict(features)), abs=1e-6)
    assert len(set(found["map@10"])) > 1


@pytest.mark.each_backend
@pytest.mark.filterwarnings("ignore:The argument 'eval_set'")
def test_lightgbm_in_the_interface_of_scikit_learn(data, tmp_path):
    lgb = pytest.importorskip("lightgbm", reason="needs the extra [boosting]")
    pytest.importorskip("sklearn", reason="the interface needs scikit-learn")
    features, labels, sizes = data
    made = documented(
        "eval_metric=rank_metrics",
        tmp_path,
        # Its threads would wait for those of other tests.
        lgb=types.SimpleNamespace(
            LGBMRanker=functools.partial(lgb.LGBMRanker, n_jobs=1)
        ),
        metrics=metrics(),
        features=features,
        labels=labels,
        sizes=sizes,
        valid_features=features,
        valid_labels=labels,
        valid_sizes=sizes,
    )
    [found] = made["ranker"].evals_result_.values()
    assert set(found) == {"own_ndcg", "map@10"}  # and none of LightGBM
    ranker = lgb.LGBMRanker(n_estimators=ROUNDS, n_jobs=1, verbose=-1)
    ranker.fit(
        features,
        labels,
        group=sizes,
        eval_set=[(features, labels)],
        eval_group=[sizes],
        eval_at=[10],
        eval_metric=made["rank_metrics"],
        callbacks=[lgb.early_stopping(ROUNDS, verbose=False)],
    )
    [found] = ranker.evals_result_.values()
    assert found["own_ndcg"] == approx(found["ndcg@10"], abs=1e-6)
    last = {name: found[name][-1] for name in ("own_ndcg", "map@10")}
    scores = ranker.predict(features, num_iteration=ROUNDS)
    assert last == approx(by_hand(data, scores), abs=1e-6)


@pytest.mark.filterwarnings("ignore:Pass `rounds`")
def test_xgboost(data, tmp_path):
    xgb = pytest.importorskip("xgboost", reason="needs the extra [boosting]")
    features, labels, sizes = data
    rows = xgb.DMatrix(features, labels)
    rows.set_group(sizes)
    params = {"objective": "rank:ndcg", "nthread": 1}
    made = documented(
        "xgb.train", tmp_path, params=params, train=rows, valid=rows
    )
    assert 0 < made["model"].best_score <= 1
    made["metrics"] = metrics()
    stop = xgb.callback.EarlyStopping(
        2, metric_name="map@10", data_name="valid", maximize=True
    )
    logged = {}
    model = xgb.train(
        params,
        rows,
        ROUNDS,
        evals=[(rows, "valid")],
        custom_metric=made["rank_metrics"],
        callbacks=[stop],
        evals_result=logged,
        verbose_eval=False,
    )
    last = {name: logged["valid"][name][-1] for name in ("own_ndcg", "map@10")}
    # XGBoost rounds what it logs.
    assert last == approx(by_hand(data, model.predict(rows)), abs=1e-5)
    assert len(set(logged["valid"]["map@10"])) > 1


@pytest.mark.each_backend
@pytest.mark.filterwarnings("ignore")  # what numba cannot compile
def test_catboost(data, tmp_path):
    catboost = pytest.importorskip(
        "catboost", reason="needs the extra [boosting]"
    )
    features, labels, sizes = data
    query = np.repeat(np.arange(len(sizes)), sizes)
    made = documented("class ByQuery", tmp_path)
    some = query < 50  # other rows than those of the validation
    own = made["ByQuery"](krm.NDCG(10), [query, query[some]])
    model = catboost.CatBoost(
        {
            "loss_function": "YetiRank",
            "iterations": 12,
            "eval_metric": own,
            "verbose": False,
            "thread_count": 1,
            "allow_writing_files": False,
        }
    )
    pool = catboost.Pool(features, labels, group_id=query)
    train = catboost.Pool(features[some], labels[some], group_id=query[some])
    model.fit(train, eval_set=pool, use_best_model=False)
    stages = documented(
        "staged_predict",
        tmp_path,
        catboost_model=model,
        pool=pool,
        query=query,
        labels=labels,
    )
    found = [stage["ndcg@10"] for stage in stages["found"]]
    assert len(set(found)) == 2  # after 10 trees, and after all 12
    assert found[stages["best"]] == max(found)
    [logged] = [
        values
        for name, values in model.get_evals_result()["validation"].items()
        if name.startswith("ByQuery")
    ]
    assert [logged[9], logged[11]] == approx(found, abs=1e-6)
