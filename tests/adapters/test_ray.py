"""Ray Data, on this machine."""

import os
import subprocess
import sys

import logs
import numpy as np
import pyarrow
import pytest
from pytest import approx

import keras_rankmetrics as krm

ray = pytest.importorskip("ray", reason="needs the extra [ray]")
ray_data = pytest.importorskip("ray.data", reason="needs the extra [ray]")

from keras_rankmetrics.adapters import ray as on_ray  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    paths = os.environ.get("PYTHONPATH", "")
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": paths}},
    )
    yield
    ray.shutdown()


def same(found, expected):
    return logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


@pytest.mark.parametrize("strings", [False, True])
def test_ids(strings):
    rows = logs.of_ids(strings=strings)
    dataset = ray_data.from_items(rows, override_num_blocks=3)
    found = on_ray.evaluate(
        dataset,
        [logs.sliced(), krm.RecallAtK(3, inputs="ids")],
        "relevant",
        "recommended",
        group="market",
        sample_weight="weight",
    )
    ids = [logs.dense(rows, name, -1) for name in ("relevant", "recommended")]
    weights = np.array(logs.column(rows, "weight"))
    groups = {"target": ids[0], "group": logs.market(rows)}
    expected = [logs.sliced(), krm.RecallAtK(3, inputs="ids")]
    expected[0].update_state(groups, ids[1], weights)
    expected[1].update_state(*ids, weights)
    assert same(found, expected)


def test_scores_of_a_comparison():
    rows = logs.of_scores()
    found = on_ray.evaluate(
        ray_data.from_items(rows, override_num_blocks=2),
        logs.compared("scores"),
        "labels",
        {"old": "scores", "new": "new"},
        backend="numpy",
    )
    expected = logs.compared("scores")
    expected.update_state(
        logs.dense(rows, "labels", -1),
        {
            "old": logs.dense(rows, "scores", 0.0),
            "new": logs.dense(rows, "new", 0.0),
        },
    )
    assert same(found, expected)


def test_scores_of_a_catalogue():
    rows = logs.of_catalogue()
    found = on_ray.evaluate(
        ray_data.from_items(rows, override_num_blocks=2),
        logs.for_sparse(),
        "several",
        "scores",
        exclude="seen",
    )
    assert same(found, logs.of_one_process(rows, "several"))


@pytest.mark.parametrize("kind", [str, hash])
def test_a_row_for_each_item(kind):
    """The rows of a query lie in several blocks."""
    rows = logs.of_scores()
    items = [{**x, "query": kind(x["query"])} for x in logs.items_of(rows)]
    found = on_ray.evaluate(
        ray_data.from_items(items, override_num_blocks=5),
        logs.sliced("scores"),
        "label",
        "score",
        query="query",
        group="market",
        sample_weight="weight",
    )
    assert same(found, logs.of_items_in_one_process(rows))


def test_weights_of_queries():
    items, expected = logs.weighted_items(differing=False)
    found = on_ray.evaluate(
        ray_data.from_items(items, override_num_blocks=5),
        logs.BY_NAME,
        "label",
        "score",
        query="query",
        sample_weight="weight",
    )
    results = {name: float(x) for name, x in found.result().items()}
    assert results == approx(expected, abs=1e-6)


def test_values_of_queries_and_of_lists():
    rows = logs.of_scores()
    items = logs.items_of(rows)
    found = on_ray.per_query(
        ray_data.from_items(items, override_num_blocks=3),
        logs.for_scores(),
        "label",
        "score",
        query="query",
    )
    of_queries = {row["query"]: row["ndcg@3"] for row in found.iter_rows()}
    found = on_ray.per_query(
        ray_data.from_items(rows, override_num_blocks=2),
        logs.for_scores(),
        "labels",
        "scores",
        keep=["query"],
    )
    of_lists = {row["query"]: row["ndcg@3"] for row in found.iter_rows()}
    assert len(of_lists) == 90 and np.isnan(of_lists.pop("query 0"))
    assert of_lists == approx(of_queries, abs=1e-6)
    whole = krm.NDCG(3)
    whole.update_state(
        logs.dense(rows, "labels", -1), logs.dense(rows, "scores", 0.0)
    )
    assert np.mean([*of_lists.values()]) == approx(float(whole.result()))


def test_ties_in_the_order_of_a_column_and_scores_of_float64():
    rows, shuffled = logs.close_items()
    expected, of_queries = logs.of_sorted_items(rows)
    dataset = ray_data.from_items(shuffled, override_num_blocks=4)
    columns = {"query": "query", "order": "position"}
    found = on_ray.evaluate(dataset, logs.stable(), "label", "score", **columns)
    assert found.result() == approx(expected, abs=1e-6)
    found = on_ray.per_query(
        dataset, logs.stable(), "label", "score", **columns
    )
    values = {row["query"]: row["ndcg@3"] for row in found.iter_rows()}
    assert values == approx(of_queries, abs=1e-6, nan_ok=True)
    for door in (on_ray.evaluate, on_ray.per_query):
        with pytest.raises(ValueError, match=r"\['ndcg@3'\] without `order`"):
            door(dataset, logs.stable(), "label", "score", query="query")


@pytest.mark.parametrize("query", [None, "q"])
def test_an_error_names_the_row_or_query(query):
    rows = [{"q": f"q{n}", "y": 1, "x": 0.5} for n in range(30)]
    rows[7]["y"] = None
    place = "The error is in the query 'q7'"
    if query is None:
        rows = [{**row, "y": [row["y"]], "x": [row["x"]]} for row in rows]
        place = r"in row 7 of a batch, counted from 0: \{'q': 'q7', 'x'"
    dataset = ray_data.from_items(rows, override_num_blocks=1)
    with pytest.raises(Exception, match=rf"(?s)hold no null.*{place}"):
        on_ray.evaluate(dataset, krm.NDCG(), "y", "x", query=query)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_query_that_is_missing(missing):
    items = [{"query": missing, "label": 1, "score": 0.5}]
    items += [{"query": 1.0, "label": 1, "score": 0.5}]
    with pytest.raises(Exception, match="and 1 of 2 missing"):
        on_ray.evaluate(
            ray_data.from_items(items, override_num_blocks=1),
            krm.NDCG(),
            "label",
            "score",
            query="query",
        )


@pytest.mark.parametrize("query", [None, "q"])
def test_a_dataset_without_rows(query):
    pd = pytest.importorskip("pandas")
    columns = {"q": [1.0], "y": [[1]], "x": [[0.5]]}
    typed = ray_data.from_pandas(pd.DataFrame(columns).iloc[:0])
    for dataset in (ray_data.from_items([]), typed):
        found = on_ray.evaluate(dataset, krm.NDCG(), "y", "x", query=query)
        assert found.count() == 0


def of_arrays(**columns):
    """A dataset whose columns are tensors."""
    return ray_data.range(1).map_batches(lambda _: columns)


def test_dense_ids_are_padded_by_minus_one():
    dataset = of_arrays(
        y=np.array([[5, -1], [7, -8]]), x=np.array([[3, 5, -1], [-9, -8, -1]])
    )
    found = on_ray.evaluate(dataset, "RR(inputs=ids)", "y", "x")
    assert found.result() == {"RR(inputs=ids)": 0.5}


def test_arrays_of_numpy():
    labels = np.array([[1, 0, 2], [0, 1, 0]] * 20)
    scores = np.tile(np.array([0.1, 0.5, 0.3]), (40, 1))
    expected = krm.NDCG(2)
    expected.update_state(labels, scores)
    dataset = of_arrays(y=labels, x=scores)
    found = on_ray.evaluate(dataset, krm.NDCG(2), "y", "x")
    assert same(found, expected)


def items_of(label, score, query=lambda n: f"q{n // 4}"):
    """A dataset of items, in three blocks."""
    rows = [
        {"q": query(n), "y": label(n), "x": score(n), "i": f"d{n:03}"}
        for n in range(40)
    ]
    return ray_data.from_items(rows, override_num_blocks=3)


def test_the_driver_warns_once_of_what_workers_have_seen():
    dataset = items_of(
        lambda n: n % 4 - 1,
        lambda n: float(n * n % 41),
        lambda n: f"q{n // 4}" if n > 3 else "nan",
    )
    with pytest.warns(UserWarning) as caught:
        on_ray.evaluate(dataset, "RR", "y", "x", query="q")
    ours = [x for x in map(str, (x.message for x in caught)) if "should" in x]
    assert len(ours) == 2
    assert "the text 'nan'" in ours[0]
    assert "negative labels from -1 to -1" in ours[1]


@pytest.mark.parametrize("wrong, what", [(float("nan"), "NaN"), (None, "null")])
def test_what_is_missing_names_the_query(wrong, what):
    dataset = items_of(lambda n: n % 2, lambda n: wrong if n == 9 else 0.5)
    message = f"(?s)'x' should hold no {what}.*Remove.*in the query 'q2'"
    with pytest.raises(Exception, match=message):
        on_ray.evaluate(dataset, "RR", "y", "x", query="q")


def test_large_integers_and_a_convention():
    dataset = items_of(lambda n: int(n % 4 == 1), lambda n: 2**60 + n // 2)
    columns = {"query": "q", "order": "i", "convention": "trec_eval"}
    found = on_ray.evaluate(dataset, "recip_rank", "y", "x", **columns)
    assert float(found.result()["recip_rank"]) == approx(1 / 3)


@pytest.mark.parametrize("door", [on_ray.evaluate, on_ray.per_query])
def test_what_the_driver_refuses_before_anything_is_sent(door):
    dataset = items_of(lambda n: n % 2, float)
    columns = "RR", "y", "x"
    name = door.__name__
    with pytest.raises(TypeError, match=rf"^{name}\(\) on Ray .*\"ordr\""):
        door(dataset, *columns, query="q", ordr="i")
    with pytest.raises(ValueError, match=r"'trch'\. Did you mean \"torch\""):
        door(dataset, *columns, query="q", backend="trch")
    for x, remedy in (
        (dataset.to_pandas(), r"`ray\.data\.from_pandas\(dataset\)`"),
        ("s3://log", r"'s3://log'\..*`ray\.data\.read_parquet\(path\)`"),
        (dataset.groupby("q"), "that it was made of"),
        ([{"q": 1}], r"`ray\.data\.from_items\(rows\)`"),
    ):
        match = rf"`dataset` should be a `ray\.data\.Dataset`\..*{remedy}"
        with pytest.raises(TypeError, match=match):
            door(x, *columns, query="q")


def test_a_missing_column():
    dataset = ray_data.from_items(logs.of_ids())
    with pytest.raises(Exception, match="name of a column"):
        on_ray.evaluate(dataset, krm.NDCG(inputs="ids"), "gone", "new")


# Ray cancels a task so; here amid the import of the operations of Keras.
INTERRUPTED = """
import _thread, sys, time
from ray import cloudpickle

class Interrupt:
    def find_spec(name, path, target=None):
        if name == "keras.src.ops.nn":
            _thread.interrupt_main()
            time.sleep(0.2)

run, table = cloudpickle.loads(sys.stdin.buffer.read())
sys.meta_path.insert(0, Interrupt)
try:
    run(table)
except KeyboardInterrupt:
    print("interrupted,", len(run(table)["states"]))
"""


def test_a_task_after_one_that_is_cancelled_amid_an_import():
    from ray import cloudpickle

    from keras_rankmetrics.adapters import worker

    job = worker.Job(krm.MeanReciprocalRank(), "y", "x")
    run = worker.on_worker("table_to_states", job, None, cloudpickle.dumps(job))
    table = pyarrow.table({"y": [[0, 1]], "x": [[2.0, 1.0]]})
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        input=cloudpickle.dumps((run, table)),
        capture_output=True,
    )
    assert ended.stdout.decode() == "interrupted, 1\n", ended.stderr.decode()


def test_the_guide():
    names = {}
    [source] = logs.blocks("Ray")
    exec(source, names)
    assert float(names["found"].result()) == 0.5
    assert float(names["of_items"].result()) == 0.5
    assert names["of_queries"].take_all() == [{"query": "q1", "RR": 0.5}]
