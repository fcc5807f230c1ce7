"""Ray Data, on this machine."""

import subprocess
import sys

import logs
import numpy as np
import pyarrow
import pytest

import keras_rankmetrics as krm

ray = pytest.importorskip("ray", reason="needs the extra [ray]")
ray_data = pytest.importorskip("ray.data", reason="needs the extra [ray]")

from keras_rankmetrics.adapters import ray as on_ray  # noqa: E402


@pytest.fixture(autouse=True)
def cluster(engines):
    return engines("ray")


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
    found = on_ray.evaluate(dataset, krm.NDCG(2), "y", "x", backend="numpy")
    assert logs.same(found, expected)


@pytest.mark.parametrize("door", [on_ray.evaluate, on_ray.per_query])
def test_what_is_no_dataset(door):
    dataset = ray_data.from_items([{"q": 1, "y": 1, "x": 0.5}])
    columns = "RR", "y", "x"
    for x, remedy in (
        (dataset.to_pandas(), r"`ray\.data\.from_pandas\(dataset\)`"),
        ("s3://log", r"'s3://log'\..*`ray\.data\.read_parquet\(path\)`"),
        (dataset.groupby("q"), "that it was made of"),
        ([{"q": 1}], r"`ray\.data\.from_items\(rows\)`"),
    ):
        match = rf"`dataset` should be a `ray\.data\.Dataset`\..*{remedy}"
        with pytest.raises(TypeError, match=match):
            door(x, *columns, query="q")


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
