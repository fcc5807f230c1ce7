"""A real Spark, on two workers of this machine."""

import runpy
import shutil

import logs
import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

pyspark = pytest.importorskip("pyspark", reason="needs the extra [spark]")
if shutil.which("java") is None:
    pytest.skip("Spark needs java", allow_module_level=True)

from pyspark.errors import PythonException  # noqa: E402

from keras_rankmetrics.adapters import spark as on_spark  # noqa: E402


@pytest.fixture
def on(engines):
    """Spark as the other engines: `on.table` makes a frame of rows."""
    return engines("pyspark")


@pytest.fixture
def spark(on):
    return on.session


@pytest.fixture
def ids(on):
    return logs.of_ids(), on.table(logs.of_ids())


def of_ids(rows, metrics, **options):
    metrics.update_state(
        logs.dense(rows, "relevant", -1),
        logs.dense(rows, "recommended", -1),
        **options,
    )
    return metrics


def test_uneven_and_empty_partitions(spark, ids):
    rows, df = ids
    by_device = df.rdd.keyBy(lambda row: 2 * row.device)
    uneven = spark.createDataFrame(
        by_device.partitionBy(4, lambda key: key).values(), df.schema
    )
    counts = uneven.rdd.glom().map(len).collect()
    assert counts[1] == 0 < counts[0] != counts[2]
    metric = krm.NDCG(5, inputs="ids")
    found = on_spark.evaluate(uneven, metric, "relevant", "recommended")
    assert logs.same(found, of_ids(rows, krm.NDCG(5, inputs="ids")))
    assert str(found).endswith("lists)")
    assert found.state.signature == metric.signature


def test_no_rows_at_all(ids):
    _, df = ids
    metric = krm.NDCG(5, inputs="ids")
    found = on_spark.evaluate(df.limit(0), metric, "relevant", "recommended")
    assert float(found.result()) == 0.0 and found.count() == 0


def test_a_metric_that_only_the_driver_knows(ids):
    class Share(krm.RankingMetric):
        has_upper_bound = False

        @staticmethod
        def measure(ranking, k, part: float = 0.5):
            return ranking.hits(k) * part

    # As in a notebook: else a worker would import this module.
    Share.__module__, Share.__qualname__ = "__main__", "Share"
    rows, df = ids
    found = on_spark.evaluate(
        df, Share(3, inputs="ids"), "relevant", "recommended"
    )
    assert logs.same(found, of_ids(rows, Share(3, inputs="ids")))


def test_the_driver_says_what_is_wrong_with_columns(ids):
    _, df = ids
    metric = krm.NDCG(inputs="ids")
    with pytest.raises(ValueError, match=r"name of a column.*'relevnt'"):
        on_spark.evaluate(df, metric, "relevnt", "recommended")
    with pytest.raises(TypeError, match=r"'weight' of `y_pred`.*double"):
        on_spark.evaluate(df, metric, "relevant", "weight")


def test_a_worker_says_what_is_wrong_and_in_which_row(spark):
    rows = [([1, 0], [0.5, 0.5])] * 60 + [([1, 0], [0.5]), ([1], [0.5])]
    schema = "y array<int>, x array<double>"
    df = spark.createDataFrame(rows, schema).coalesce(1)
    wrong = (
        r"(?s)2 labels and 1 scores.*in row 60 of partition 0, counted from 0: "
        r"\{'x': \[0.5\], 'y': \[1, 0\]\}"
    )
    with pytest.raises(PythonException, match=wrong):
        on_spark.evaluate(df, krm.NDCG(), "y", "x")
    with pytest.raises(PythonException, match=wrong):
        on_spark.per_query(df, krm.NDCG(), "y", "x").collect()


@pytest.mark.parametrize("door", [on_spark.evaluate, on_spark.per_query])
def test_what_is_no_frame(spark, ids, door):
    _, df = ids
    arguments = "RR(inputs=ids)", "relevant", "recommended"
    for x, remedy in (
        (df.toPandas(), r"`spark\.createDataFrame\(df\)`"),
        ("log", r"Received: 'log'\..*`spark\.table\(name\)`"),
        (df.groupBy("market"), "that it was made of"),
        (None, "Pass a DataFrame of Spark"),
    ):
        match = rf"`df` should be a `pyspark\.sql\.DataFrame`\..*{remedy}"
        with pytest.raises(TypeError, match=match):
            door(x, *arguments)
    stream = spark.readStream.format("rate").load()
    with pytest.raises(ValueError, match=r"Received: a stream.*foreachBatch"):
        door(stream, *arguments)


@pytest.mark.filterwarnings("ignore")
def test_a_frame_of_pandas_on_spark(ids, monkeypatch):
    monkeypatch.setenv("PYARROW_IGNORE_TIMEZONE", "1")
    _, df = ids
    frame = df.pandas_api()
    with pytest.raises(
        TypeError, match=r"`pyspark\.pandas.*`df\.to_spark\(\)`"
    ):
        on_spark.evaluate(frame, "RR(inputs=ids)", "relevant", "recommended")


def test_the_columns_of_values(on, ids):
    df = on.table(logs.items_of(logs.of_scores()))
    metrics = [logs.for_scores(), logs.compared("scores")]
    columns = "label", {"old": "score", "new": "new_score"}
    with pytest.raises(ValueError, match="only a `Comparison`"):
        on_spark.per_query(df, metrics, *columns, query="query")
    compared = on_spark.per_query(df, metrics[1], *columns, query="query")
    assert compared.columns == ["query", "ndcg@5/old", "ndcg@5/new"]
    named = df.withColumnRenamed("query", "a.q")
    found = on_spark.per_query(named, metrics[0], "label", "score", query="a.q")
    assert dict(found.dtypes)["a.q"] == "string"
    assert found.schema["ndcg@3"].dataType.simpleString() == "double"
    _, lists = ids
    columns = "relevant", "recommended"
    keep = ["market", "relevant"]
    found = on_spark.per_query(lists, logs.for_ids(), *columns, keep=keep)
    assert found.columns[:3] == [*keep, "ndcg@3"]
    assert found.where("isnan(`map`)").count() > 0
    with pytest.raises(ValueError, match="`keep` should be the name"):
        on_spark.per_query(lists, "RR(inputs=ids)", *columns, keep=["gone"])


def test_only_the_columns_of_the_job_are_read(on, spark, tmp_path):
    df = on.table(logs.items_of(logs.of_scores()))
    df.write.parquet(str(tmp_path / "log"))
    df = spark.read.parquet(str(tmp_path / "log"))
    found = on_spark.per_query(df, krm.NDCG(), "label", "score", query="query")
    plan = found._jdf.queryExecution().toString()
    [read] = {
        line.split("ReadSchema: ")[1]
        for line in plan.splitlines()
        if "ReadSchema" in line
    }
    assert read == "struct<query:string,label:bigint,score:double>"
    assert plan.split("Physical Plan")[1].count("Exchange") == 1


def test_names_with_a_dot_and_columns_that_nothing_reads(spark):
    rows = [([-7], [-8, -7], None)]
    schema = "`of.user` array<long>, `a``b` array<long>, at timestamp"
    df = spark.createDataFrame(rows, schema)
    found = on_spark.evaluate(df, "RR(inputs=ids)", "of.user", "a`b")
    assert found.result() == {"RR(inputs=ids)": 0.5}
    metric = krm.MeanReciprocalRank(inputs="ids")
    with pytest.raises(TypeError, match=r"'at' of `y_pred`.*timestamp"):
        on_spark.evaluate(df, metric, "of.user", "at")


def test_queries_that_are_missing(spark):
    nan = float("nan")
    rows = [(1.0, 1, 0.3), (1.0, 0, 0.4), (nan, 1, 0.1), (nan, 0, 0.1)]
    df = spark.createDataFrame(rows, "`a.q` double, y int, x double")
    with pytest.raises(PythonException, match=r"2 of \d missing"):
        on_spark.evaluate(df, krm.NDCG(), "y", "x", query="a.q")
    known = df.where("`a.q` = 1")
    found = on_spark.evaluate(known, krm.NDCG(), "y", "x", query="a.q")
    assert float(found.result()) == approx(1 / np.log2(3))


def test_a_worker_that_has_another_backend_says_so(ids):
    _, df = ids
    metric = krm.NDCG(5, inputs="ids")
    on_spark.evaluate(df, metric, "relevant", "recommended")
    with pytest.raises(PythonException, match="imported it on 'numpy'"):
        on_spark.evaluate(
            df, metric, "relevant", "recommended", backend="torch"
        )


def test_the_guide(spark, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for source in logs.blocks("Spark"):
        exec(source, names)
    assert names["spark"].sparkContext is spark.sparkContext
    assert names["found"].metrics[0].count() == 3
    assert float(names["found"].result()["recall@1"]) == approx(1 / 6)
    assert names["comparison"].differences()[0].wins == 1
    assert float(names["first_shown"].result()) == 0.75
    as_by_trec_eval = names["as_by_trec_eval"].result()
    assert as_by_trec_eval == {"ndcg_cut_10": 1.0, "recip_rank": 1.0}
    by_market = names["by_market"].estimates()
    assert [e.lists for e in by_market.values()] == [3, 2, 1]
    gain = 1 / np.log2(3)
    assert float(names["ndcg"].result()) == approx(gain)
    values = {row["query"]: row["ndcg@10"] for row in names["worst"].collect()}
    assert values == approx({"q1": gain, "q2": gain})
    assert names["of_users"].columns == ["market", "ndcg@10", "recall@1"]
    assert names["of_users"].count() == 3
    assert len(list(names["states"].iterdir())) >= 1
    assert names["so_far"].count() == 3
    assert float(names["so_far"].result()) == approx(
        float(names["found"].result()["ndcg@10"])
    )


def test_the_example(spark, capsys):
    path = logs.DOCS / "examples" / "distributed" / "spark.py"
    example = runpy.run_path(str(path))
    example["report"](example["generate"](spark, 60, 20))
    output = capsys.readouterr().out
    assert "ndcg@10/away" in output and "wins" in output
    with pytest.raises(SystemExit) as exit_info:
        example["main"](["--help"])
    assert exit_info.value.code == 0
    assert "--lists" in capsys.readouterr().out
