"""Inputs that looked like others, and had a wrong number without a word."""

import json
import re
import warnings

import numpy as np
import pytest

import keras_rankmetrics as krm

SCORES = np.array([[0.9, 0.8], [0.7, 0.6]])


def rr(truth, run, **options):
    return krm.evaluate(truth, run, "RR", **options)["RR"]


def refused(text, truth, run, error=ValueError, **options):
    with pytest.raises(error, match=text):
        rr(truth, run, **options)


def test_an_index_that_repeats_is_refused():
    """Only the last row of each query had been read."""
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    run = {"u1": ["x", "a"], "u2": ["c", "y"]}
    for entries in (["a", "b", "c"], [["a"], ["b"], ["c"]]):
        series = pd.Series(entries, index=["u1", "u1", "u2"])
        refused("name each query once. Received: 'u1' twice", series, run)
        refused("name each query once", run, series)
    relevant = pd.Series(["a", "b", "c"], index=["u1", "u1", "u2"])
    assert rr(relevant.groupby(level=0).agg(list), run) == 0.75


def test_texts_with_spaces_may_be_several_ids():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    series = pd.Series(["a b", "c"], index=["u1", "u2"])
    run = {"u1": ["x", "b"], "u2": ["c"]}
    refused(r"Pass `.str.split\(\)`", series, run)
    assert rr(series.str.split(), run) == 0.75


def test_frames_that_json_has_written_are_no_queries():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    names = ("user_id", "item_id", "rating")
    rows = [(1, 10, 1), (1, 11, 0), (2, 12, 1)]
    truth = pd.DataFrame(rows, columns=names)
    run = truth.assign(rating=[0.2, 0.9, 0.4])
    texts = [json.loads(frame.to_json()) for frame in (truth, run)]
    assert rr(*texts) == rr(truth, run) == 0.75
    odd = [
        json.loads(frame.set_axis([*"uir"], axis=1).to_json())
        for frame in (truth, run)
    ]
    refused("`columns=", *odd)


def test_integers_that_cannot_be_grades_may_be_ids():
    """Padded by 0, they had been labels and scores."""
    run = np.array([[5, 6, 9], [8, 7, 1]])
    for truth in ([[5, 0, 0], [7, 8, 0]], [[5, 5, 2], [7, 8, 2]]):
        refused("could be either", np.array(truth), run)


def test_pairs_of_queries_and_items_are_no_items():
    search = np.array([[0.9, 0.8], [0.7, 0.6]]), np.array([[11, 10], [13, 12]])
    refused(
        "pairs of a query and an item", np.array([[0, 10], [1, 13]]), search
    )
    run = [["x", "a"], ["b", "y"]]
    for options in ({}, {"query_ids": ["u1", "u2"]}):
        refused("tuples of two ids", [("u1", "a"), ("u2", "b")], run, **options)


def test_each_query_may_find_itself_first():
    run = np.array([[0, 5], [1, 7], [2, 3]])
    assert rr({0: [5], 1: [7], 2: [2]}, run) == pytest.approx(2 / 3)
    assert rr(np.array([[0, 5]]), {0: [9, 5]}) == 0.5


def test_scores_of_a_reference_ranking_may_be_times():
    run = {"q": {"a": 1.7e9, "b": 1.6e9}}
    found = krm.evaluate(run, run, krm.RankBiasedOverlap(p=0.9))
    assert [*found.values()] == pytest.approx([1.0])


def test_a_matrix_of_labels_is_no_matrix_of_ids():
    search = np.array([[0.9, 0.8], [0.7, 0.6]]), np.array([[0, 1], [0, 1]])
    refused(
        "0 and 1 alone, which look like labels", np.eye(2, dtype=int), search
    )


def test_empty_ids_are_refused():
    truth = np.array([["d1", "d2"], ["d3", ""]])
    run = np.array([["d1", "d2"], ["d3", "d9"]])
    refused("Received: an empty id for the item '' of", truth, run)
    refused("an empty id", {"u1": ["c"]}, {"u1": ["a", "", "c"]})
    refused("an empty id", {"": ["c"], "u": ["c"]}, {"": ["c"], "u": ["c"]})
    refused("an empty id", {b"u": [b"c"]}, {b"u": [b"a", b"", b"c"]})


def test_large_integers_are_not_tied():
    truth = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    scores = {"d1": 2**60 + 1, "d2": 2**60 + 2}
    run = {"q1": scores, "q2": {"d2": 1}}
    assert rr(truth, run) == 0.75
    assert rr(truth, run, higher_is_better=False) == 1.0
    table = {"qid": ["q1", "q1", "q2"], "docno": ["d1", "d2", "d2"]}
    for kind in (np.int64, np.uint64):
        values = np.array([*scores.values(), 1], kind)
        assert rr(truth, {**table, "score": values}) == 0.75


def test_ids_without_an_order_are_refused():
    search = np.array([[0.9, 0.8]]), np.array([[1, 0]])
    text = "should be in order. Received: "
    refused(text, {0: ["a"]}, search, TypeError, item_ids={"a", "b"})
    refused(text, {"a": ["a"]}, [["a"]], TypeError, query_ids={"a"})
    refused(text, {"a": ["a"]}, [["a"]], TypeError, query_ids={"a": 0})


def test_one_hit_for_each_query_is_a_list():
    truth = {1: {"id": 5, "rating": 3}, 2: {"id": 6, "rating": 4}}
    refused("looks like one hit. Pass a list of hits", truth, truth)


def test_labels_that_look_like_times_are_refused(tmp_path):
    path = tmp_path / "u.data"
    lines = [f"{u}\t{100 + u}\t{3 + u % 3}\t{881250949 + u}" for u in range(9)]
    path.write_text("\n".join(lines) + "\n")
    run = {str(u): [str(i) for i in (1, 2, 3, 100 + u)] for u in range(9)}
    refused("8.8.*looks like a time", path, run)


@pytest.mark.parametrize("convention", [None, "trec_eval"])
def test_an_infinite_label_is_refused(convention):
    truth, run = {"q": {"a": np.inf}}, {"q": {"a": 1.0}}
    refused("should be finite", truth, run, convention=convention)
    truth["q"] = {"a": 1, "b": -np.inf, "c": -1.0}  # without a label
    assert rr(truth, run, convention=convention) == 1.0


def test_a_column_of_distances_is_doubted():
    table = {"qid": ["q", "q"], "docno": ["a", "b"], "distance": [0.1, 0.5]}
    chosen = {"score": "distance"}
    truth = {"q": {"a": 1}}
    with pytest.warns(UserWarning, match="pass `higher_is_better=False`"):
        assert rr(truth, table, columns=chosen) == 0.5
    assert rr(truth, table, columns=chosen, higher_is_better=False) == 1.0


@pytest.mark.parametrize("kind", ["uint8", "uint32", "int64", "float32"])
def test_ranks_of_any_type(kind):
    ranks = np.array([0, 1, 2], kind)
    table = {"qid": ["q"] * 3, "docno": [*"abc"], "rank": ranks}
    assert rr({"q": {"b": 1}}, table) == 0.5


@pytest.mark.parametrize("value", ["90%", "relevant", "1_0", b"1"])
def test_values_that_are_no_numbers_are_shown(value):
    text = r"The values of `run` should be numbers. Received: "
    refused(text, {"q": {"a": 1}}, {"q": {"a": value}})


def test_dicts_of_other_things_name_the_forms():
    truth = {"q": {"a": 1}}
    with pytest.raises(ValueError, match=r"\{query: \{item: score\}\}"):
        rr(truth, {("q", "a"): 1.0})


def test_a_file_of_a_frame_is_no_nested_run(tmp_path):
    path = tmp_path / "qrels.json"
    path.write_text(
        '{"user_id": {"0": 1, "1": 2}, "item_id": {"0": 7, "1": 8}, '
        '"rating": {"0": 1, "1": 1}}'
    )
    refused("Write the frame with `to_csv`", path, {"1": ["7"]})


def test_ranks_that_contradict_the_scores_are_refused():
    """A reranker may leave the ranks as they were, or the scores."""
    truth = {"q1": ["a"], "q2": ["c"]}
    run = {
        "query_id": ["q1", "q1", "q2"],
        "item_id": ["a", "b", "c"],
        "score": [0.1, 0.2, 0.3],
        "rank": [1, 2, 1],
    }
    text = (
        "the ranks 1 and 2 for the scores 0.1 and 0.2 of the query 'q1'. "
        'Choose: `columns={"score": "score"}`, with `higher_is_better=False` '
        'for distances, or `columns={"rank": "rank"}`'
    )
    refused(re.escape(text), truth, run)
    assert rr(truth, run, columns={"score": "score"}) == 0.75
    by_rank = {"columns": {"score": "rank"}, "higher_is_better": False}
    assert rr(truth, run, **by_rank) == rr(truth, run, higher_is_better=False)
    assert rr(truth, run, **by_rank) == 1.0
    run["rank"] = ["first", "second", "first"]
    assert rr(truth, run) == 0.75  # a column of texts says nothing


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]])
def test_ranks_are_compared_in_any_order_of_the_rows(order):
    columns = {
        "query_id": ["q1", "q2", "q1", "q2"],
        "item_id": ["a", "a", "b", "b"],
        "score": [0.5, 0.5, 0.9, 0.2],
        "rank": [1, 1, 2, 2],
    }
    run = {name: [x[row] for row in order] for name, x in columns.items()}
    text = "the ranks 1 and 2 for the scores 0.5 and 0.9 of the query 'q1'"
    refused(re.escape(text), {"q1": ["a"], "q2": ["a"]}, run)
    run["rank"] = [-score for score in run["score"]]
    assert rr({"q1": ["a"], "q2": ["a"]}, run) == 0.75


def test_ranks_of_queries_in_several_blocks_are_compared():
    columns = {
        "query_id": ["q1", "q1", "q2", "q2"] * 2,
        "item_id": [*"ababcdcd"],
        "score": [0.5, 0.4, 0.5, 0.4, 0.9, 0.8, 0.9, 0.8],
        "rank": [1000001, 1000002] * 2 + [1000003, 1000004] * 2,
    }
    text = "the ranks 1000002 and 1000003 for the scores 0.4 and 0.9 of"
    refused(text, {"q1": ["a"], "q2": ["a"]}, columns)


@pytest.mark.parametrize(
    "ranks, scores",
    [
        ([1, 2, 1, 2], [0.9, 0.8, 0.4, 0.3]),
        ([1, 1, 3, np.inf], [0.9, 0.9, 0.4, 0.3]),
    ],
)
def test_ranks_of_pages_or_of_equal_scores_are_no_contradiction(ranks, scores):
    run = {
        "query_id": ["q"] * 4,
        "item_id": [*"abcd"],
        "score": scores,
        "rank": ranks,
    }
    assert rr({"q": ["c"]}, run) == pytest.approx(1 / 3)


# A run whose ranks contradict the scores of `q2`, in each kind of file.
RANKED = [("q1", "a", 1, 0.9), ("q1", "b", 2, 0.8), ("q1", "c", 3, 0.8)]
RANKED += [("q2", "a", 2, 0.7), ("q2", "b", 1, 0.6), ("q2", "c", 3, 0.1)]
FIELDS = "query_id", "item_id", "rank", "score"


def delimited(rows, delimiter):
    lines = [FIELDS, *rows]
    return "".join(delimiter.join(map(str, x)) + "\n" for x in lines)


def in_file(path, rows):
    """Write a run in the format of the ending."""
    if path.suffix == ".parquet":
        pa = pytest.importorskip("pyarrow", reason="needs [files]")
        pq = pytest.importorskip("pyarrow.parquet", reason="needs [files]")
        columns = dict(zip(FIELDS, zip(*rows, strict=True), strict=True))
        pq.write_table(pa.table(columns), path)
    elif path.suffix == ".jsonl":
        objects = (dict(zip(FIELDS, row, strict=True)) for row in rows)
        path.write_text("".join(json.dumps(x) + "\n" for x in objects))
    elif path.suffix == ".trec":
        lines = (f"{q} Q0 {d} {rank} {x} tag\n" for q, d, rank, x in rows)
        path.write_text("".join(lines))
    else:
        path.write_text(
            delimited(rows, {".csv": ",", ".tsv": "\t"}[path.suffix])
        )
    return path


TRUTH = {"q1": ["a"], "q2": ["b"]}
KINDS = ["csv", "tsv", "jsonl", "parquet", "trec"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [slice(None), [0, 3, 1, 4, 2, 5]])
def test_ranks_of_files_are_compared(tmp_path, kind, order):
    rows = [RANKED[at] for at in np.arange(6)[order]]
    path = in_file(tmp_path / f"run.{kind}", rows)
    text = "the ranks 1 and 2 for the scores 0.6 and 0.7 of the query 'q2'"
    if kind == "trec":  # whose scores count by definition
        with pytest.warns(UserWarning, match=f"{text}. Scores count"):
            assert rr(TRUTH, path) == 0.75
        return
    refused(f'{text}. Choose: `columns={{"score": "score"}}`', TRUTH, path)
    assert rr(TRUTH, path, columns={"score": "score"}) == 0.75
    by_rank = {"columns": {"score": "rank"}, "higher_is_better": False}
    assert rr(TRUTH, path, **by_rank) == 1
    [found] = [x for x in krm.diagnose(TRUTH, path, k=3) if x.name == "ranks"]
    assert text in found.what and found.severity == "error"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "ranks",
    [
        [1, 2, 3, 1, 2, 3],
        [1, 1, 1, 1, 1, 1],
        [0, 1, 1, 0, 1, 2],
        [1, 2, 2, 1, 2, 2],  # of pages
        [1.5, 2.5, 3.5, 1, 2, 4],
    ],
)
def test_ranks_that_order_scores_are_quiet(tmp_path, kind, ranks):
    rows = [(*x[:2], r, x[3]) for x, r in zip(RANKED, ranks, strict=True)]
    assert rr(TRUTH, in_file(tmp_path / f"run.{kind}", rows)) == 0.75


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("ranks", [[None, 3, 2, 1, None, 3], [*"fedcba"]])
def test_ranks_that_are_no_numbers_are_not_read(tmp_path, kind, ranks):
    rows = [(*x[:2], r, x[3]) for x, r in zip(RANKED, ranks, strict=True)]
    rows = rows[3:] if ranks[0] is None else rows
    truth = {"q2": ["b"]}
    assert rr(truth, in_file(tmp_path / f"run.{kind}", rows)) == 0.5


def test_a_table_of_labels_and_scores_in_a_file_compares_ranks(tmp_path):
    text = "query,item,label,score,rank\nq,a,1,0.4,1\nq,b,0,0.9,2\n"
    path = tmp_path / "table.csv"
    path.write_text(text)
    wrong = "ranks 1 and 2 for the scores 0.4 and 0.9 of the query 'q'"
    with pytest.raises(ValueError, match=wrong):
        krm.evaluate(path, metrics="RR")
    named = {"columns": {"score": "score"}}
    assert krm.evaluate(path, metrics="RR", **named)["RR"] == 0.5


RATED = {"q1": {"a": 1, "b": 5}, "q2": {"c": 3}}
FOUND = {"q1": {"a": 0.2, "b": 0.1}, "q2": {"c": 1.0}}


@pytest.mark.parametrize(
    "metrics, truth, notes",
    [
        ("RR NDCG", RATED, ("Read as: relevant=label>=1.",)),
        ("NDCG", RATED, ()),
        ("RR(relevance_threshold=4)", RATED, ()),
        ("RR", {"q1": {"a": 0, "b": 5}, "q2": {"c": 3}}, ()),
        ("RR", {"q1": {"a": 1}, "q2": {"c": 1}}, ()),
    ],
)
def test_ratings_from_1_on_are_said_to_be_relevant(metrics, truth, notes):
    found = krm.evaluate(truth, FOUND, metrics)
    assert found.report.notes == notes
    roles = {"truth": {"relevant": "label>=1"}} if notes else {}
    assert found.to_dict()["read_as"] == roles


def test_files_of_ratings_say_the_same(tmp_path):
    (tmp_path / "truth.csv").write_text("user,item,rating\nq,a,1\nq,b,5\n")
    (tmp_path / "run.csv").write_text("user,item,score\nq,a,1\nq,b,5\n")
    found = krm.evaluate(tmp_path / "truth.csv", tmp_path / "run.csv", "RR")
    truth = {"query": "user", "item": "item", "label": "rating"}
    truth["relevant"] = "label>=1"
    assert found.to_dict()["read_as"]["truth"] == truth


def test_a_table_without_scores_may_have_ranks_or_lists():
    recommended = {"user": ["u1"], "item": ["a"]}
    text = "If the order of the items ranks them: name a column `rank`"
    refused(text, {"u1": ["a"]}, recommended)
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    rows = pd.DataFrame({"query": [1], "label": [1], "score": [0.1]})
    refused(r"\.{3}.*alone: `evaluate\(table, ", rows, rows)


def test_ids_of_queries_are_for_inputs_without_them():
    """They had been ignored."""
    refused("`query_ids` should be for", RATED, FOUND, query_ids=["q1", "q2"])


def test_objects_have_no_convention():
    with pytest.warns(UserWarning, match="should be text"):
        krm.evaluate(RATED, FOUND, krm.NDCG(5), convention="beir")


def test_arguments_in_another_order_are_noticed():
    with pytest.raises(TypeError, match=r"dict\. `evaluate` takes"):
        krm.evaluate(RATED, "NDCG", FOUND)


# Queries by number, by name, and in order.


def test_rows_in_order_are_not_joined_to_other_numbers():
    run = [[7, 5], [5, 6], [6, 7]]
    refused("The first row may be the query 2", {2: [7], 0: [5], 1: [6]}, run)
    refused("The first row may be the query 1", [[7], [5]], {1: [7], 0: [5]})
    assert rr({0: [5], 1: [6], 2: [7]}, [[5], [6], [7]]) == 1.0
    truth = {2: [7], 0: [5], 1: [6]}
    assert rr(truth, run, query_ids=[2, 0, 1]) == 1.0


SELF = np.array([[1.0, 0.9], [1.0, 0.9]]), np.array([[0, 1], [1, 0]])


def test_the_query_itself_is_dropped_or_not_but_told():
    truth = {0: [1], 1: [0]}
    refused("should have ids of queries", truth, SELF, drop_same_id=True)
    ids = {"drop_same_id": True, "query_ids": range(2)}
    assert rr(truth, SELF, **ids) == 1.0
    with pytest.warns(UserWarning, match="2 items with the number of their"):
        krm.evaluate(truth, SELF, "MRR@10", convention="beir")
    texts = {"0": [1], "1": [0]}, {"0": [0, 1], "1": [1, 0]}
    with pytest.warns(UserWarning, match="none that has the id of its query"):
        rr(*texts, drop_same_id=True)


def test_an_index_of_rows_does_not_name_queries():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    names = ("user_id", "item_id", "label", "lang")
    rows = [(0, 1, 1, "en"), (0, 2, 1, "en"), (1, 3, 1, "de"), (1, 4, 1, "de")]
    frame = pd.DataFrame(rows, columns=names)
    run = {0: [1], 1: [8]}
    for name in ("groups", "sample_weight"):
        values = frame["lang" if name == "groups" else "label"]
        refused("the numbers of rows", frame, run, **{name: values})
        by_user = values.groupby(frame["user_id"]).first()
        krm.evaluate(frame, run, "P@1", **{name: by_user})
        twice = values.set_axis(frame["user_id"])
        refused("some queries twice", frame, run, **{name: twice})
    refused("Received: set", frame, run, TypeError, groups={"en", "de"})
    column = frame["lang"].tolist()
    refused("Received: list", frame, run, TypeError, groups=column)


# Ids, columns and scores that look like others.


def test_integers_are_in_the_order_of_their_texts_where_ids_decide():
    run = {1: {9: 0.5, 10: 0.5}}
    for truth, found in (
        ({1: {9: 1, 10: 0}}, run),
        ({"1": {"9": 1, "10": 0}}, {"1": {"9": 0.5, "10": 0.5}}),
    ):
        assert (
            krm.evaluate(truth, found, "recip_rank", convention="trec_eval")[
                "recip_rank"
            ]
            == 1.0
        )


@pytest.mark.filterwarnings("ignore:The truth should have")
def test_hashes_of_64_bits():
    large = 2**63 + 5
    assert rr({"q": [5, large]}, {"q": [large, 5]}) == 1.0
    ids = np.array([5, large], np.uint64)
    queries = np.array(["q", "q"])
    one = krm.Rows(queries, ids, np.ones(2))
    other = krm.Rows(queries, ids.view(np.int64), np.array([0.9, 0.8]))
    for sides in ((one, other), (other, one)):
        refused('negative ids: `.view."uint64".`', *sides, TypeError)


def test_bytes_that_numpy_would_cut_are_refused():
    run = {"q": {b"\x01": 0.9, b"\x02": 0.8}}
    refused("should not end with a zero byte", {"q": {b"\x01\0": 1}}, run)


@pytest.mark.not_on("numpy", reason="masked arrays are its tensors")
def test_masks_of_arrays_are_refused():
    masked = np.ma.array([[0, 6]], mask=[[1, 0]])
    scores = np.array([[0.9, 0.8]])
    for run in ((scores, masked), (masked * 1.0, np.array([[3, 6]]))):
        refused("should have no mask", {0: [6]}, run, TypeError)
    refused("should have no mask", {0: [6]}, {0: masked[0]}, TypeError)


def test_classes_of_hugging_face_are_names():
    datasets = pytest.importorskip("datasets", reason="needs the extra [doors]")
    columns = {
        "query_id": ["q", "q"],
        "item_id": ["a", "b"],
        "label": ["exact", "wrong"],
    }
    found = datasets.Dataset.from_dict(columns)
    classes = datasets.ClassLabel(names=["exact", "wrong"])
    found = found.cast_column("label", classes)
    refused("should be numbers. Received: 'exact'", found, {"q": ["b", "a"]})


@pytest.mark.parametrize("text", ["[1,2]", "a,b", "a;b", "a|b"])
def test_texts_of_several_ids(text):
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    series = pd.Series({"p": text, "q": "c"})
    refused("may be several ids", series, {"p": ["a"], "q": ["c"]})


def test_hits_with_two_keys_of_items_are_refused():
    hits = [
        {"id": 1, "product_id": 2, "score": 0.9},
        {"id": 2, "product_id": 1, "score": 0.8},
    ]
    refused("one key for the item", {"q": [1]}, {"q": hits})
    named = {"item": "id", "score": "score"}
    assert rr({"q": [1]}, {"q": hits}, columns=named) == 1.0


def test_one_column_is_not_the_labels_and_the_scores():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    names = ("user_id", "item_id", "rating", "pred_rating")
    rows = [("a", 1, 5, 0.1), ("a", 2, 0, 0.2)]
    frame = pd.DataFrame(rows, columns=names)
    refused("different columns. Received: 'rating' for both", frame, frame)
    assert rr(frame, frame, columns={"score": "pred_rating"}) == 0.5
    alone = frame[list(names[:3])]
    assert rr(alone, alone) == 1.0


@pytest.mark.parametrize("name", ["rank", "Position", "l2_distance"])
def test_chosen_columns_of_ranks_are_doubted(name):
    run = {"query_id": ["q"], "item_id": ["a"], name: [1]}
    chosen = {"score": name}
    with pytest.warns(UserWarning, match="pass `higher_is_better=False`"):
        rr({"q": ["a"]}, run, columns=chosen)


def test_options_of_the_wrong_type():
    names = {"columns": ["a"]}
    refused(
        r"`columns` should be a dict .*Received: \['a'\]", RATED, FOUND, **names
    )
    by_name = {"higher_is_better": {"run": False}}
    refused("True or False for one run", RATED, FOUND, TypeError, **by_name)


def test_places_of_items_are_no_scores():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (9, 6))
    ranks = np.argsort(np.argsort(-labels - rng.random((9, 6)))) + 1
    for places in (ranks, ranks - 1, ranks * 1.0):
        with pytest.warns(UserWarning, match=r"[01], [12], .* once in each"):
            rr(labels, places)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        rr(labels, 7 - ranks)  # the highest is the best
        rr(labels, rng.integers(0, 9, (9, 6)))


def test_ratings_around_0_are_no_unjudged_items():
    run = {"q": {"a": 0.9, "c": 0.7, "d": 0.6}}
    with pytest.warns(UserWarning, match=r"Received: -1\.7 to -0\.4"):
        rr({"q": {"a": -0.4, "c": -1.7, "d": 1.8}}, run)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        rr({"q": {"a": -1, "c": -2, "d": 1}}, run)


@pytest.mark.parametrize(
    "one, other, difference",
    [
        ("5", "5.0", "the ending `.0`"),
        ("07", "7", "leading zeros"),
        ("Tea", "tea", "case"),
        ("tea ", "tea", "spaces around them"),
        ("doc1", "img1", ""),
    ],
)
def test_some_ids_of_another_spelling_are_told(one, other, difference):
    """The warning had come only if almost no item was judged."""
    truth = {"q": [one, "same"], "r": ["x", "y"]}
    run = {"q": ["same", other], "r": ["x", "y"]}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        found = krm.evaluate(truth, run, "Recall@2")
    texts = [str(x.message) for x in caught if x.category is UserWarning]
    assert found["Recall@2"] == 0.75
    assert list(found.report.notes) == texts
    assert len(texts) == bool(difference)
    for text in texts:
        assert f"it retrieves {other!r}, and the truth judges {one!r}" in text
        assert text.endswith(f"Do the ids differ only in {difference}?")


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_missing_ids_that_became_text_are_told(missing):
    truth = np.array([["a", missing]]).astype(str)
    with pytest.warns(UserWarning, match="not be missing or padding"):
        rr(truth, [["a", "x"]])
    with pytest.warns(UserWarning, match="not be missing or padding"):
        rr({"a": ["b"], str(missing): ["c"]}, {"a": ["b"]})


def test_tables_of_several_parts_are_refused():
    columns = {"query_id": ["q", "q"], "item_id": ["a", "b"]}
    truth = {**columns, "label": [1, 1], "split": ["train", "test"]}
    run = {**columns, "score": [0.1, 0.2], "Model": ["m1", "m2"]}
    refused("train and test in the column 'split'", truth, {"q": ["a"]})
    refused("m1 and m2 in the column 'Model'", {"q": ["a"]}, run)
    assert rr({"q": ["a"]}, {**run, "Model": ["m1", "m1"]}) == 0.5
    named = {"query": "query_id", "item": "item_id", "score": "score"}
    assert rr({"q": ["a"]}, run, columns=named) == 0.5


@pytest.mark.parametrize("of", ["pandas", "polars"])
def test_cells_with_lists_are_refused(of):
    library = pytest.importorskip(of, reason="needs the extra [interop]")
    columns = {"query_id": ["q", "r"], "item_id": [["a", "b"], ["c"]]}
    refused("Call `.explode", library.DataFrame(columns), {"q": ["a"]})


def test_dicts_by_number_are_no_frames_if_items_are_numbers():
    run = {0: {10: 7, 11: 3, 12: 1}, 1: {10: 1, 11: 3, 12: 7}}
    assert rr({0: [10], 1: [11]}, run) == 0.75


def test_ids_of_a_series_in_another_order_are_refused():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    run = np.array([[0.9, 0.5]]), np.array([[0, 1]])
    truth = {"q": {"a": 1, "b": 0}}
    names = pd.Series(["b", "a"], index=[1, 0])
    options = {"query_ids": ["q"], "item_ids": names}
    refused("The index of `item_ids` should be in order", truth, run, **options)
    options["item_ids"] = names.sort_index()
    assert rr(truth, run, **options) == 1.0


def test_numbers_that_a_spreadsheet_cut_are_told():
    truth, run = {"q": ["1.23457E+15"]}, {"q": ["1.23457E+15"]}
    with pytest.warns(UserWarning, match="should have all their digits"):
        rr(truth, run)


def test_spellings_are_not_asked_about_if_the_item_was_found():
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        rr({"q": ["dQw4", "x"]}, {"q": ["dQw4", "DQw4"]})


# Files, columns and grades of a fourth hostile reading.


def test_files_joined_without_a_line_feed_are_refused(tmp_path):
    """A row had been the tag of the one before it."""
    rows = "q1 Q0 a 1 0.9 x\nq1 Q0 b 2 0.5 xq2 Q0 a 1 0.9 x\nq2 Q0 b 2 0.5 x\n"
    (tmp_path / "run").write_text(rows)
    truth = {"q1": ["a"], "q2": ["b"]}
    refused("line 2: .*joined without a line feed", truth, tmp_path / "run")
    (tmp_path / "run").write_text("q1 Q0 Q0 1 0.9 my Q0 tag\n")
    assert rr({"q1": ["Q0"]}, tmp_path / "run") == 1.0


def test_chosen_distances_in_files_and_hits_are_doubted(tmp_path):
    (tmp_path / "run.csv").write_text(
        "query_id,item_id,distance\nq,a,0.4\nq,b,0.1\n"
    )
    hits = {"q": [{"id": "a", "distance": 0.4}, {"id": "b", "distance": 0.1}]}
    for run in (tmp_path / "run.csv", hits):
        with pytest.warns(UserWarning, match="'distance' should have higher"):
            rr({"q": ["b"]}, run, columns={"score": "distance"})
    lower = {"columns": {"score": "distance"}, "higher_is_better": False}
    assert rr({"q": ["b"]}, tmp_path / "run.csv", **lower) == 1.0


def test_columns_of_items_have_no_roles():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    wide = pd.DataFrame({"user": [1], "rec_1": [10], "rec_2": [11]})
    refused(r"'rec_2'\]. Give each item a row", {1: [10]}, wide)


def test_ranks_that_repeat_are_told():
    pages = {
        "query_id": ["q"] * 4,
        "item_id": list("abcd"),
        "rank": [1, 2, 1, 2],
    }
    with pytest.warns(UserWarning, match="Received: [12] twice in the query"):
        rr({"q": ["b"]}, pages)


def test_a_series_of_values_by_item_is_no_list_of_ids():
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    truth = {"q": pd.Series([1, 0], index=[7, 8])}
    refused("Pass `.to_dict..` for a value of each item", truth, {"q": [7, 8]})
    ids = {"q": pd.Series([7, 8])}
    assert rr({"q": [8]}, ids) == 0.5


def test_large_grades_with_an_exponential_gain_are_doubted():
    truth, run = {"q": {"a": 95, "b": 90}}, {"q": ["b", "a"]}
    with pytest.warns(UserWarning, match="Received: 95, so that only the high"):
        krm.evaluate(truth, run, "NDCG")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        krm.evaluate(truth, run, "NDCG(gain_fn=linear_gain)")
