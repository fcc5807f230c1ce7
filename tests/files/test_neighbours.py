"""Files of the neighbours of vectors, as benchmarks of ANN have them."""

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main

METRICS = "Recall@10 P@5"


def as_ivecs(path, ids):
    lengths = np.full((len(ids), 1), ids.shape[1])
    np.hstack([lengths, ids]).astype("<i4").tofile(path)


def as_ibin(path, ids, distances=False):
    with open(path, "wb") as file:
        np.array(ids.shape, "<u4").tofile(file)
        ids.astype("<i4").tofile(file)
        if distances:
            np.sort(np.random.default_rng(0).random(ids.shape)).astype(
                "<f4"
            ).tofile(file)


def as_hdf5(path, ids):
    h5py = pytest.importorskip("h5py")
    with h5py.File(path, "w") as file:
        file["neighbors"], file["distances"] = ids, np.sort(ids.astype("f4"))


WRITERS = {
    "x.ivecs": as_ivecs,
    "x.ibin": as_ibin,
    "x.IBIN": lambda path, ids: as_ibin(path, ids, distances=True),
    "x.hdf5": as_hdf5,
}


@pytest.fixture
def neighbours(rng):
    """The true neighbours, and those that a search found, some of which."""
    true = np.stack([rng.permutation(200)[:20] for _ in range(50)])
    found = np.where(rng.random(true.shape) < 0.7, true, true + 200)
    return true, found[:, :10]


@pytest.mark.parametrize("name", WRITERS)
def test_a_truth_and_a_run(name, neighbours, tmp_path):
    true, found = neighbours
    truth = dict(enumerate(true.tolist()))
    run = dict(enumerate(found.tolist()))
    expected = krm.evaluate(truth, run, METRICS)
    path = tmp_path / name
    WRITERS[name](path, true)
    distances = np.sort(np.random.default_rng(1).random(found.shape))
    how = {"higher_is_better": False}
    read = krm.evaluate(path, run, METRICS)
    assert dict(read) == dict(expected)
    assert "Read as: relevant=all 20 neighbours of each query." in str(read)
    in_memory = krm.evaluate(path, (distances, found), METRICS, **how)
    assert dict(in_memory) == dict(expected)
    WRITERS[name](tmp_path / f"run_{name}", found)
    files = str(path), str(tmp_path / f"run_{name}")
    assert dict(krm.evaluate(*files, METRICS)) == dict(expected)
    overlap = krm.evaluate(*files, krm.OverlapAtK(k=10))
    shared = [
        len({*x} & {*y}) / 10 for x, y in zip(true[:, :10], found, strict=True)
    ]
    assert overlap["overlap@10"] == pytest.approx(np.mean(shared), abs=1e-6)


def test_padding_is_no_neighbour(tmp_path):
    ids = np.array([[3, 5, -1], [2, -1, -1]])
    as_ivecs(tmp_path / "run.ivecs", ids)
    found = krm.evaluate({0: [5], 1: [2]}, tmp_path / "run.ivecs", "RR P@3")
    assert dict(found) == pytest.approx({"RR": 0.75, "P@3": 0.75})


def test_the_command(neighbours, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    true, found = neighbours
    as_ivecs("true.ivecs", true)
    as_ibin("run.ibin", found)
    words = ["true.ivecs", "run.ibin", "-m", "Recall@10", "--format", "csv"]
    assert main(["eval", *words]) == 0
    value = krm.evaluate(
        dict(enumerate(true)), dict(enumerate(found)), "Recall@10"
    )
    assert f"{value['Recall@10']:.4f}"[:5] in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("x.ivecs", [2, 7, 8, 3, 9, 1]),
        ("x.ivecs", [2, 7, 8, 2, 9]),
        ("x.ivecs", []),
        ("x.ibin", [2, 2, 1, 2, 3]),
        ("x.ibin", [1]),
    ],
)
def test_files_of_something_else(name, numbers, tmp_path):
    np.array(numbers, "<i4").tofile(tmp_path / name)
    with pytest.raises(ValueError, match="The file should have") as caught:
        krm.evaluate(tmp_path / name, {0: [1]}, "RR")
    assert "Pass an array of the numbers" in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="The file should exist"):
        krm.evaluate(tmp_path / "x.ivecs", {0: [1]}, "RR")
