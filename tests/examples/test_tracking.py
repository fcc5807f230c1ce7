"""The recipes for MLflow and Weights & Biases, run offline."""

import json
import math
import pathlib
import re

import pytest
from pytest import approx

import keras_rankmetrics as krm

pytestmark = pytest.mark.long
PAGE = pathlib.Path(__file__).parents[2] / "docs/tracking.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
NAMES = ["ndcg_at_10", "recall_at_1"]


@pytest.fixture
def recipes(tmp_path, monkeypatch):
    """Run the blocks that do not import the other tracker."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/runs.db")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_ERROR_REPORTING", "false")
    monkeypatch.setenv("WANDB_SILENT", "true")
    names = {}

    def run(*without):
        for block in BLOCKS:
            if not any(word in block for word in without):
                exec(block, names)
                yield names

    return run


def test_each_block_is_run():
    assert len(BLOCKS) == 8
    assert sum("mlflow." in block for block in BLOCKS) == 3
    assert sum("wandb." in block for block in BLOCKS) == 2


def test_mlflow(recipes):
    mlflow = pytest.importorskip("mlflow", reason="is not installed")
    for names in recipes("wandb."):
        found = names["found"]
    evaluated, trained, *systems = mlflow.search_runs(
        output_format="list", order_by=["attributes.start_time ASC"]
    )
    values = evaluated.data.metrics
    for name, tracked in zip(found, NAMES, strict=True):
        estimate = found.estimates[name]
        assert values[tracked] == approx(found[name])
        assert values[f"{tracked}_se"] == approx(estimate.standard_error)
        signature = evaluated.data.params[f"{tracked}_signature"]
        assert signature == found.signatures[name]
    table = mlflow.load_table("per_list.json", [evaluated.info.run_id])
    assert list(table["query"]) == ["q1", "q2", "q3"]
    assert list(table["recall@1"]) == found.per_list()["recall@1"]
    uri = f"runs:/{evaluated.info.run_id}/evaluated.json"
    again = krm.Evaluated.from_json(mlflow.artifacts.load_text(uri))
    assert dict(again) == dict(found)

    logged = {
        f"{split}{name}"
        for split in ("", "val_")
        for name in ("loss", "ndcg_at_10", "ndcg_at_10_se")
    }
    assert logged <= set(trained.data.metrics)
    client = mlflow.MlflowClient()
    history = client.get_metric_history(
        trained.info.run_id, "val_ndcg_at_10_se"
    )
    assert len(history) == 2 and all(0 < m.value < 1 for m in history)
    assert trained.data.params["ndcg_at_10_signature"].startswith("NDCG@10|")

    assert [run.info.run_name for run in systems] == ["old", "new"]
    assert systems[0].data.metrics["ndcg_at_10"] == approx(found["ndcg@10"])
    assert systems[1].data.metrics["ndcg_at_10"] > 0.9


def test_mlflow_refuses_the_names_of_metrics(recipes):
    """The page says so: if MLflow takes "@" some day, it can be shorter."""
    mlflow = pytest.importorskip("mlflow", reason="is not installed")
    next(recipes())
    with (
        mlflow.start_run(),
        pytest.raises(mlflow.MlflowException, match="alphanumerics"),
    ):
        mlflow.log_metric("ndcg@10", 0.5)


def test_weights_and_biases(recipes, tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="is not installed")
    logged, leave = [], wandb.Run.__exit__

    def left(self, *args):
        logged.append((dict(self.config), dict(self.summary)))
        return leave(self, *args)

    monkeypatch.setattr(wandb.Run, "__exit__", left)
    for names in recipes("mlflow."):
        found = names.get("found")
    [(config, summary), (_, trained)] = logged
    for name, tracked in zip(found, NAMES, strict=True):
        error = found.estimates[name].standard_error
        assert summary[tracked] == approx(found[name])
        assert summary[f"{tracked}_se"] == approx(error)
        assert config["signatures"][tracked] == found.signatures[name]
    [table] = tmp_path.glob("wandb/*/files/media/table/*.json")
    written = json.loads(table.read_text())
    assert written["columns"] == ["query", "ndcg@10", "recall@1"]
    assert [row[0] for row in written["data"]] == ["q1", "q2", "q3"]
    assert trained["epoch"] == 1
    for name in ("loss", "ndcg_at_10", "val_ndcg_at_10", "val_ndcg_at_10_se"):
        assert math.isfinite(trained[name])
