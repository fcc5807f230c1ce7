"""A real Spark, on two workers of this machine."""

import os
import runpy
import shutil
import sys

import logs
import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

pyspark = pytest.importorskip("pyspark", reason="needs the extra [spark]")
if shutil.which("java") is None:
    pytest.skip("Spark needs java", allow_module_level=True)

from pyspark.errors import PythonException  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

from keras_rankmetrics.adapters import spark as on_spark  # noqa: E402

NAN = float("nan")
IDS = (
    "relevant array<{0}>, recommended array<{0}>, new array<{0}>, "
    "weight double, market string, device int"
)
SCORES = (
    "query string, labels array<int>, scores array<double>, "
    "new array<double>, weight double, market string"
)
ITEMS = (
    "query string, weight double, market string, label int, score double, "
    "new_score double"
)


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "25")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


def frame(spark, rows, schema, partitions=2):
    names = [part.split()[0] for part in schema.split(", ")]
    data = [tuple(row[name] for name in names) for row in rows]
    return (
        spark.createDataFrame(data, schema).coalesce(1).repartition(partitions)
    )


@pytest.fixture(scope="module")
def ids(spark):
    return logs.of_ids(), frame(spark, logs.of_ids(), IDS.format("long"))


@pytest.fixture(scope="module")
def scores(spark):
    return logs.of_scores(), frame(spark, logs.of_scores(), SCORES)


def same(found, expected):
    return logs.numbers(found) == approx(logs.numbers(expected), abs=1e-6)


def test_scores_of_a_catalogue(spark):
    rows = logs.of_catalogue()
    schema = "several array<int>, scores array<double>, seen array<int>"
    found = on_spark.evaluate(
        frame(spark, rows, schema),
        logs.for_sparse(),
        "several",
        "scores",
        exclude="seen",
    )
    assert same(found, logs.of_one_process(rows, "several"))


def of_ids(rows, metrics, **options):
    metrics.update_state(
        logs.dense(rows, "relevant", -1),
        logs.dense(rows, "recommended", -1),
        **options,
    )
    return metrics


def test_ids_of_integers_and_of_strings(spark, ids):
    rows, df = ids
    expected = of_ids(
        rows,
        logs.for_ids(),
        sample_weight=np.array(logs.column(rows, "weight")),
    )
    strings = frame(spark, logs.of_ids(strings=True), IDS.format("string"))
    for table in (df, strings):
        found = on_spark.evaluate(
            table,
            logs.for_ids(),
            "relevant",
            "recommended",
            sample_weight="weight",
        )
        assert isinstance(found, krm.MetricCollection)
        assert same(found, expected)


def test_uneven_and_empty_partitions(spark):
    rows = logs.of_ids()
    df = frame(spark, rows, IDS.format("long"))
    by_device = df.rdd.keyBy(lambda row: 2 * row.device)
    uneven = spark.createDataFrame(
        by_device.partitionBy(4, lambda key: key).values(), df.schema
    )
    counts = uneven.rdd.glom().map(len).collect()
    assert counts[1] == 0 < counts[0] != counts[2]
    metric = krm.NDCG(5, inputs="ids")
    found = on_spark.evaluate(uneven, metric, "relevant", "recommended")
    assert same(found, of_ids(rows, krm.NDCG(5, inputs="ids")))
    assert str(found).endswith("lists)")
    assert found.state.signature == metric.signature


def test_no_rows_at_all(ids):
    _, df = ids
    metric = krm.NDCG(5, inputs="ids")
    found = on_spark.evaluate(df.limit(0), metric, "relevant", "recommended")
    assert float(found.result()) == 0.0 and found.count() == 0


def test_labels_and_scores(scores):
    rows, df = scores
    expected = logs.for_scores()
    expected.update_state(
        logs.dense(rows, "labels", -1),
        logs.dense(rows, "scores", 0.0),
        np.array(logs.column(rows, "weight"))[:, None],
    )
    found = on_spark.evaluate(
        df, logs.for_scores(), "labels", "scores", sample_weight="weight"
    )
    assert same(found, expected)


def test_a_row_for_each_item(spark, scores):
    rows, _ = scores
    df = frame(spark, logs.items_of(rows), ITEMS, partitions=5)
    found = on_spark.evaluate(
        df,
        logs.sliced("scores"),
        "label",
        "score",
        query="query",
        group="market",
        sample_weight="weight",
    )
    assert same(found, logs.of_items_in_one_process(rows))


@pytest.mark.parametrize("differing", [False, True])
def test_weights_of_queries_and_of_items(spark, differing):
    items, expected = logs.weighted_items(differing)
    found = on_spark.evaluate(
        frame(spark, items, ITEMS, partitions=5),
        logs.BY_NAME,
        "label",
        "score",
        query="query",
        sample_weight="weight",
    )
    results = {name: float(x) for name, x in found.result().items()}
    assert results == approx(expected, abs=1e-6)


def test_groups(ids):
    rows, df = ids
    expected = logs.sliced()
    expected.update_state(
        {
            "target": logs.dense(rows, "relevant", -1),
            "group": logs.market(rows),
        },
        logs.dense(rows, "recommended", -1),
    )
    found = on_spark.evaluate(
        df, logs.sliced(), "relevant", "recommended", group="market"
    )
    assert same(found, expected)
    assert found.table() == expected.table()


def test_comparison(ids):
    rows, df = ids
    expected = logs.compared()
    expected.update_state(
        logs.dense(rows, "relevant", -1),
        {
            "old": logs.dense(rows, "recommended", -1),
            "new": logs.dense(rows, "new", -1),
        },
    )
    found = on_spark.evaluate(
        df, logs.compared(), "relevant", {"old": "recommended", "new": "new"}
    )
    assert same(found, expected)
    assert found.table() == expected.table()


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
    assert same(found, of_ids(rows, Share(3, inputs="ids")))


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


@pytest.mark.parametrize(
    "wrong, message",
    [
        ((None, 0.5, 1.0), "'y' should hold no null. Received: 1"),
        ((1.0, None, 1.0), "'x' should hold no null. Received: 1"),
        ((1.0, 0.5, None), "'w' should hold no null. Received: 1"),
        ((NAN, 0.5, 1.0), "'y' should hold no NaN. Received: 1"),
        ((1.0, NAN, 1.0), "'x' should hold no NaN. Received: 1"),
        ((1.0, 0.5, NAN), "'w' should hold no NaN. Received: 1"),
        ((1.0, 0.5, -1.0), "not negative. Received: -1"),
    ],
)
def test_a_worker_says_in_which_query(spark, wrong, message):
    rows = [(f"q{n // 2}", n % 2.0, 0.5, 1.0) for n in range(120)]
    rows[71] = ("q35", *wrong)
    df = spark.createDataFrame(rows, "q string, y double, x double, w double")
    match = f"(?s){message}.*The error is in the query 'q35'"
    with pytest.raises(PythonException, match=match):
        on_spark.evaluate(
            df, krm.NDCG(), "y", "x", query="q", sample_weight="w"
        )


def test_the_driver_warns_once_of_what_workers_have_seen(spark):
    rows = [(f"q{n // 4}", n % 4 - 1, float(n * 7 % 5)) for n in range(120)]
    rows[:4] = [("nan", *row[1:]) for row in rows[:4]]
    df = spark.createDataFrame(rows, "q string, y int, x double")
    with pytest.warns(UserWarning) as caught:
        on_spark.evaluate(df.repartition(4), "RR", "y", "x", query="q")
    ours = [x for x in map(str, (x.message for x in caught)) if "should" in x]
    assert len(ours) == 2
    assert "the text 'nan'" in ours[0]
    assert "negative labels from -1 to -1" in ours[1]


def test_scores_that_are_large_integers(spark):
    first = 2**60
    rows = [(f"q{n // 2}", n % 2, first + n * (-1) ** n) for n in range(40)]
    df = spark.createDataFrame(rows, "q string, y int, x long")
    found = on_spark.evaluate(df, "RR", "y", "x", query="q")
    assert float(found.result()["RR"]) == 0.5


def test_a_convention(spark):
    rows = [("q", f"d{n}", int(n == 1), float(n // 2)) for n in range(4)]
    df = spark.createDataFrame(rows, "q string, i string, y int, x double")
    columns = {"query": "q", "order": "i", "convention": "trec_eval"}
    found = on_spark.evaluate(df, "recip_rank map", "y", "x", **columns)
    assert found.result() == approx({"recip_rank": 1 / 3, "map": 1 / 3})
    of_queries = on_spark.per_query(df, "recip_rank", "y", "x", **columns)
    assert of_queries.collect()[0].recip_rank == approx(1 / 3)


@pytest.mark.parametrize("door", [on_spark.evaluate, on_spark.per_query])
def test_what_the_driver_refuses_before_anything_is_sent(spark, ids, door):
    _, df = ids
    arguments = "RR(inputs=ids)", "relevant", "recommended"
    name = door.__name__
    with pytest.raises(TypeError, match=rf"^{name}\(\) on Spark .*\"groupz\""):
        door(df, *arguments, groupz="market")
    with pytest.raises(ValueError, match=r"'trch'\. Did you mean \"torch\""):
        door(df, *arguments, backend="trch")
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


def test_values_of_queries(spark, scores):
    rows, _ = scores
    df = frame(spark, logs.items_of(rows), ITEMS, partitions=5)
    metrics = [logs.for_scores(), logs.compared("scores")]
    columns = "label", {"old": "score", "new": "new_score"}
    with pytest.raises(ValueError, match="only a `Comparison`"):
        on_spark.per_query(df, metrics, *columns, query="query")
    named = df.withColumnRenamed("query", "a.q")
    found = on_spark.per_query(
        named, logs.for_scores(), "label", "score", query="a.q"
    )
    assert dict(found.dtypes)["a.q"] == "string"
    assert found.schema["ndcg@3"].dataType.simpleString() == "double"
    compared = on_spark.per_query(df, metrics[1], *columns, query="query")
    assert compared.columns == ["query", "ndcg@5/old", "ndcg@5/new"]
    of_rows = {row["a.q"]: row for row in found.collect()}
    assert len(of_rows) == sum(bool(row["labels"]) for row in rows)
    for row in rows[1:]:
        expected = logs.for_scores().per_list([row["labels"]], [row["scores"]])
        values = [float(x[0]) for x in expected.values()]
        assert list(of_rows[row["query"]])[1:] == approx(
            values, abs=1e-6, nan_ok=True
        )


def test_values_of_lists_next_to_columns(spark, ids):
    rows, df = ids
    found = on_spark.per_query(
        df,
        logs.for_ids(),
        "relevant",
        "recommended",
        keep=["market", "relevant"],
    )
    assert found.columns[:3] == ["market", "relevant", "ndcg@3"]
    expected = logs.for_ids().per_list(
        logs.dense(rows, "relevant", -1), logs.dense(rows, "recommended", -1)
    )
    expected = np.stack([np.float64(x) for x in expected.values()], axis=1)
    by_row = sorted(
        (row["relevant"], row["market"], np.round(values, 5).tolist())
        for row, values in zip(rows, expected.tolist(), strict=True)
        if not np.isnan(values).any()
    )
    assert by_row == sorted(
        (row.relevant, row.market, np.round(row[2:], 5).tolist())
        for row in found.collect()
        if not np.isnan(row[2:]).any()
    )
    assert found.where("isnan(`map`)").count() > 0
    with pytest.raises(ValueError, match="`keep` should be the name"):
        on_spark.per_query(df, "RR(inputs=ids)", "new", "new", keep=["gone"])


def test_ties_in_the_order_of_a_column_and_scores_of_float64(spark):
    rows, shuffled = logs.close_items()
    schema = "query string, label int, score double, position int"
    expected, of_queries = logs.of_sorted_items(rows)
    columns = {"query": "query", "order": "position"}
    for partitions in (1, 4):
        df = frame(spark, shuffled, schema, partitions)
        found = on_spark.evaluate(
            df, logs.stable(), "label", "score", **columns
        )
        assert found.result() == approx(expected, abs=1e-6)
    found = on_spark.per_query(df, logs.stable(), "label", "score", **columns)
    values = {row["query"]: row["ndcg@3"] for row in found.collect()}
    assert values == approx(of_queries, abs=1e-6, nan_ok=True)
    for door in (on_spark.evaluate, on_spark.per_query):
        with pytest.raises(ValueError, match=r"\['ndcg@3'\] without `order`"):
            door(df, logs.stable(), "label", "score", query="query")
    with pytest.raises(ValueError, match="`order` should be the name"):
        on_spark.evaluate(
            df, logs.stable(), "label", "score", query="query", order="gone"
        )


def test_only_the_columns_of_the_job_are_read(spark, tmp_path):
    df = frame(spark, logs.items_of(logs.of_scores()), ITEMS)
    df.write.parquet(str(tmp_path / "log"))
    df = spark.read.parquet(str(tmp_path / "log"))
    found = on_spark.per_query(df, krm.NDCG(), "label", "score", query="query")
    plan = found._jdf.queryExecution().toString()
    [read] = {
        line.split("ReadSchema: ")[1]
        for line in plan.splitlines()
        if "ReadSchema" in line
    }
    assert read == "struct<query:string,label:int,score:double>"
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
