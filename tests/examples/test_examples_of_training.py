"""The examples of loops, callbacks and a tuner: what they print and refuse."""

import csv
import importlib
import importlib.util
import re

import keras
import numpy as np
import pytest
from printed import assert_readable, epochs
from pytest import approx

BACKEND = keras.config.backend()
LOOPS = ("tensorflow", "jax", "torch")
OF_RATINGS = ("next_item", "pointwise", "two_tower")
OF_QUERIES = ("compare_models", "learning_to_rank")
PROGRAMS = (
    *(f"loop_{b}" for b in LOOPS),
    *("callbacks_by_ndcg", "tuner_by_ndcg", *OF_RATINGS, *OF_QUERIES),
)


def left(name, *arguments):
    """Return the exit code of an example, which ends at once."""
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(name).main([*arguments])
    return ended.value.code


@pytest.mark.parametrize("name", PROGRAMS)
def test_help(name, capsys):
    assert left(name, "--help") == 0
    output = capsys.readouterr().out
    assert "--epochs" in output and "--seed" in output
    if name in OF_RATINGS:
        for option in ("--ratings", "--batch-size", "--users"):
            assert option in output
    if name in OF_QUERIES:
        assert "--data" in output and "--queries" in output


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_that_are_refused(name, capsys):
    assert left(name, "--epochs", "0") not in (0, None)
    assert "0 is less than 1" in capsys.readouterr().err
    assert left(name, "--epochs", "x") not in (0, None)
    assert "--epochs" in capsys.readouterr().err


@pytest.mark.parametrize("name", [*OF_RATINGS, *OF_QUERIES])
def test_data_that_are_not_there_are_named(name):
    option = "--data" if name in OF_QUERIES else "--ratings"
    assert "no_such_file" in left(name, option, "no_such_file")


@pytest.mark.parametrize("backend", [b for b in LOOPS if b != BACKEND])
def test_the_loop_of_another_backend_says_so(backend, capsys):
    assert left(f"loop_{backend}") not in (0, None)
    assert f"set KERAS_BACKEND={backend}" in capsys.readouterr().err


@pytest.mark.long
def test_the_loop_learns(capsys):
    loop = importlib.import_module(f"loop_{BACKEND}")
    loop.main(["--epochs", "3", "--queries", "200", "--seed", "1"])
    output = capsys.readouterr().out
    assert_readable(output)
    losses = [float(x) for x in re.findall(r"loss (\S+)", output)]
    assert len(losses) == 3 and losses[2] < losses[0]
    of_tests = dict(
        re.findall(r"^(\S+@\d+) = (\S+) [±[].*40 lists", output, re.M)
    )
    assert list(of_tests) == ["ndcg@1", "ndcg@10", "map@10"]
    assert float(of_tests["ndcg@10"]) > 0.55  # chance is below 0.4


@pytest.mark.long
def test_the_loop_measures_what_the_metrics_measure():
    from queries import generate

    import keras_rankmetrics as krm

    loop = importlib.import_module(f"loop_{BACKEND}")
    splits = generate(60, np.random.default_rng(0))
    results = []
    for batch_size in (5, 12):
        keras.utils.set_random_seed(0)
        made = loop.make_loop(splits.train, batch_size)
        for _ in range(2):  # the second time counts no list twice
            metrics = made.measure(splits.validation)
        assert [metric.count() for metric in metrics.metrics] == [12] * 3
        results.append({n: float(v) for n, v in metrics.result().items()})
    assert results[0] == approx(results[1])
    keras.utils.set_random_seed(0)
    from learning_to_rank import build_model

    features, labels = splits.validation
    scores = build_model(splits.train).predict(features, verbose=0)
    expected = float(krm.NDCG(k=10)(labels, scores))
    assert results[0]["ndcg@10"] == approx(expected, abs=1e-5)


@pytest.mark.long
def test_the_callbacks_keep_the_best_model(tmp_path, capsys):
    import callbacks_by_ndcg

    folder = tmp_path / "new" / "run"
    options = ["--epochs", "4", "--queries", "120", "--seed", "1"]
    callbacks_by_ndcg.main([*options, "--output", str(folder)])
    output = capsys.readouterr().out
    lines = epochs(output)
    with (folder / "epochs.csv").open() as file:
        rows = list(csv.DictReader(file))
    values = [float(row["val_ndcg@10"]) for row in rows]
    assert [line["val_ndcg@10"] for line in lines] == approx(values, abs=1e-4)

    from learning_to_rank import listwise_softmax
    from queries import generate

    model = keras.saving.load_model(
        folder / "best.keras",
        custom_objects={"listwise_softmax": listwise_softmax},
    )
    splits = generate(120, np.random.default_rng(1))
    logs = model.evaluate(*splits.validation, verbose=0, return_dict=True)
    assert logs["ndcg@10"] == approx(max(values), abs=1e-5)
    assert re.search(r"ndcg@10 = 0\.\d+ [±[].*\d\]? \(95%, 24 lists\)", output)


def test_a_file_in_place_of_the_folder_is_named(tmp_path):
    import callbacks_by_ndcg

    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(SystemExit, match="file: "):
        callbacks_by_ndcg.main(["--output", str(file)])


def test_the_tuner_has_the_best_trial_first(capsys):
    pytest.importorskip("keras_tuner", reason="needs the extra [interop]")
    if BACKEND == "tensorflow":
        pytest.importorskip("tensorboard", reason="KerasTuner asks for it")
    import tuner_by_ndcg

    tuner_by_ndcg.main(["--trials", "3", "--epochs", "1", "--queries", "60"])
    head, *rows = capsys.readouterr().out.splitlines()[-4:]
    assert head.split() == ["val_ndcg@10", "width", "learning_rate"]
    scores = [float(row.split()[0]) for row in rows]
    assert len(scores) == 3
    assert scores == sorted(scores, reverse=True) and scores[0] > scores[-1]


def test_a_missing_tuner_is_named(monkeypatch):
    import tuner_by_ndcg

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="pip install keras-tuner"):
        tuner_by_ndcg.main([])
