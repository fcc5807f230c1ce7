"""Inputs that looked like others, and had a wrong number without a word."""

import numpy as np
import pytest
from outcomes import of_rows, refused, row, rr, said, warned
from table_files import written

import keras_rankmetrics as krm

A, GRADED = {"q": ["a"]}, {"q": {"a": 1}}
SCORES = np.array([[0.9, 0.8], [0.7, 0.6]])
RATED = {"q1": {"a": 1, "b": 5}, "q2": {"c": 3}}
FOUND = {"q1": {"a": 0.2, "b": 0.1}, "q2": {"c": 1.0}}
IDS = np.array([[5, 6, 9], [8, 7, 1]])
LISTS = [["x", "a"], ["b", "y"]]
PAIRED, NEAR = np.array([[0, 10], [1, 13]]), np.array([[11, 10], [13, 12]])
PAIRS = [("u1", "a"), ("u2", "b")]
EMPTY = np.array([["d1", "d2"], ["d3", ""]])
HIT = {1: {"id": 5, "rating": 3}, 2: {"id": 6, "rating": 4}}
INFINITE = {"q": {"a": np.inf}}
UNJUDGED = {"q": {"a": 1, "b": -np.inf, "c": -1.0}}
CUT = {"q": {b"\x01": 0.9, b"\x02": 0.8}}
KEYS = {"q": [{"id": 1, "product_id": 2, "score": 0.9}]}
KEYS["q"] += [{"id": 2, "product_id": 1, "score": 0.8}]
BY_NUMBER, ROWS = {2: [7], 0: [5], 1: [6]}, [[7, 5], [5, 6], [6, 7]]
# Of queries whose numbers are those of items, each finds itself.
SELF = np.array([[1.0, 0.9], [1.0, 0.9]]), np.array([[0, 1], [1, 0]])
OTHERS = {0: [1], 1: [0]}
LOWER = {"higher_is_better": False}
HASH = 2**63 + 5
UNSIGNED, QUERIES = np.array([5, HASH], np.uint64), np.array(["q", "q"])
HASHES = krm.Rows(QUERIES, UNSIGNED, np.ones(2))
SIGNED = krm.Rows(QUERIES, UNSIGNED.view(np.int64), np.array([0.9, 0.8]))


def table(query, item, **columns):
    return {"query_id": [*query], "item_id": [*item], **columns}


PARTS = table("qq", "ab", score=[0.1, 0.2], Model=["m1", "m2"])
SPLIT = table("qq", "ab", label=[1, 1], split=["train", "test"])
CLOSE = table("qq", "ab", distance=[0.1, 0.5])
BY_DISTANCE = {"columns": {"score": "distance"}}
# A reranker may leave the ranks as they were, or the scores.
RERANKED = table("ppq", "abc", score=[0.1, 0.2, 0.3], rank=[1, 2, 1])
BY_RANK = {"columns": {"score": "rank"}, **LOWER}
FIRST, BOTH = {"p": ["a"], "q": ["c"]}, {"p": ["a"], "q": ["a"]}
NAMES = {"query": "query_id", "item": "item_id", "score": "score"}
BLOCKS = table("ppqq" * 2, "ababcdcd", score=[0.5, 0.4] * 2 + [0.9, 0.8] * 2)
BLOCKS["rank"] = [1000001, 1000002] * 2 + [1000003, 1000004] * 2
AB = {"p": {"a": 1}, "q": {"b": 1}}
LARGE = 2**60 + np.array([1, 2])
LARGE_SCORES = {"p": dict(zip("ab", LARGE.tolist(), strict=True))}
LARGE_SCORES["q"] = {"b": 1}


def in_order(order, **changed):
    """Rows of two queries, in any order."""
    columns = table("pqpq", "aabb", score=[0.5, 0.5, 0.9, 0.2])
    columns |= {"rank": [1, 1, 2, 2], **changed}
    return {name: [x[i] for i in order] for name, x in columns.items()}


NO_NUMBERS = r"The values of `run` should be numbers. Received: "
NO_DICT = r"`columns` should be a dict .*Received: \['a'\]"
NO_RANK = "If the order of the items ranks them: name a column `rank`"
DISORDER = "the ranks 1 and 2 for the scores 0.5 and 0.9 of the query 'p'"
LATER = "the ranks 1000002 and 1000003 for the scores 0.4 and 0.9 of"
ORDERS = [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]]
REFUSED = [
    # Padded by 0, they had been labels and scores.
    row("could be either", np.array([[5, 0, 0], [7, 8, 0]]), IDS),
    row("could be either", np.array([[5, 5, 2], [7, 8, 2]]), IDS),
    row("pairs of a query and an item", PAIRED, (SCORES, NEAR)),
    row("tuples of two ids", PAIRS, LISTS),
    row("tuples of two ids", PAIRS, LISTS, query_ids=["u1", "u2"]),
    row("0 and 1 alone, which look like labels", NEAR % 2, (SCORES, NEAR)),
    row("Received: an empty id for the item '' of", EMPTY, EMPTY[[0, 0]]),
    row("an empty id", {"u1": ["c"]}, {"u1": ["a", "", "c"]}),
    row("an empty id", {"": ["c"], "u": ["c"]}, {"": ["c"], "u": ["c"]}),
    row("an empty id", {b"u": [b"c"]}, {b"u": [b"a", b"", b"c"]}),
    row("looks like one hit. Pass a list of hits", HIT, HIT),
    row("should be finite", INFINITE, {"q": {"a": 1.0}}),
    row("should be finite", INFINITE, GRADED, convention="trec_eval"),
    row(NO_NUMBERS, GRADED, {"q": {"a": "90%"}}),
    row(NO_NUMBERS, GRADED, {"q": {"a": "relevant"}}),
    row(NO_NUMBERS, GRADED, {"q": {"a": "1_0"}}),
    row(NO_NUMBERS, GRADED, {"q": {"a": b"1"}}),
    row(r"\{query: \{item: score\}\}", GRADED, {("q", "a"): 1.0}),
    row(
        "the ranks 1 and 2 for the scores 0.1 and 0.2 of the query 'p'. "
        'Choose: `columns={"score": "score"}`, with `higher_is_better=False` '
        'for distances, or `columns={"rank": "rank"}`',
        FIRST,
        RERANKED,
    ),
    *(row(DISORDER, BOTH, in_order(order)) for order in ORDERS),
    # The rows of a query come in several blocks.
    row(LATER, BOTH, BLOCKS),
    row(NO_RANK, A, {"user": ["q"], "item": ["a"]}),
    # They had been ignored.
    row("`query_ids` should be for", RATED, FOUND, query_ids=["q1", "q2"]),
    row("The first row may be the query 2", BY_NUMBER, ROWS),
    row("The first row may be the query 1", [[7], [5]], {1: [7], 0: [5]}),
    row("should have ids of queries", OTHERS, SELF, drop_same_id=True),
    row("should not end with a zero byte", {"q": {b"\x01\0": 1}}, CUT),
    row("one key for the item", {"q": [1]}, KEYS),
    row(NO_DICT, RATED, FOUND, columns=["a"]),
    row("train and test in the column 'split'", SPLIT, A),
    row("m1 and m2 in the column 'Model'", A, PARTS),
]


@of_rows("words", REFUSED)
def test_what_is_refused(words, truth, run, options):
    refused(words, truth, run, **options)


BY_SYSTEM = {"higher_is_better": {"run": False}}
ONE = np.array([[0.9, 0.8]]), np.array([[1, 0]])


@of_rows(
    "words",
    [
        row("should be in order. Received: ", A, ONE, item_ids={"a", "b"}),
        row("should be in order. Received: ", A, [["a"]], query_ids={"q"}),
        row("should be in order. Received: ", A, [["a"]], query_ids={"q": 0}),
        row('negative ids: `.view."uint64".`', HASHES, SIGNED),
        row('negative ids: `.view."uint64".`', SIGNED, HASHES),
        row("True or False for one run", RATED, FOUND, **BY_SYSTEM),
        row(r"dict\. `evaluate` takes", RATED, "NDCG", metrics=FOUND),
    ],
)
@pytest.mark.filterwarnings("ignore:The truth should have")
def test_types_that_are_refused(words, truth, run, options):
    refused(words, truth, run, TypeError, **options)


TIMES = [f"{u}\t{100 + u}\t{3 + u % 3}\t{881250949 + u}\n" for u in range(9)]
FRAME = (
    '{"user_id": {"0": 1, "1": 2}, "item_id": {"0": 7, "1": 8}, '
    '"rating": {"0": 1, "1": 1}}'
)
JOINED = "q1 Q0 a 1 0.9 x\nq1 Q0 b 2 0.5 xq2 Q0 a 1 0.9 x\nq2 Q0 b 2 0.5 x\n"


@pytest.mark.parametrize(
    "words, name, text",
    [
        ("8.8.*looks like a time", "u.data", "".join(TIMES)),
        ("Write the frame with `to_csv`", "qrels.json", FRAME),
    ],
)
def test_files_of_a_truth_that_are_refused(words, name, text, tmp_path):
    (tmp_path / name).write_text(text)
    run = {str(u): [str(i) for i in (1, 2, 3, 100 + u)] for u in range(9)}
    refused(words, tmp_path / name, run)


def test_files_joined_without_a_line_feed_are_refused(tmp_path):
    """A row had been the tag of the one before it."""
    (tmp_path / "run").write_text(JOINED)
    words = "line 2: .*joined without a line feed"
    refused(words, {"q1": ["a"], "q2": ["b"]}, tmp_path / "run")
    (tmp_path / "run").write_text("q1 Q0 Q0 1 0.9 my Q0 tag\n")
    assert rr({"q1": ["Q0"]}, tmp_path / "run") == 1.0


PAGES = table("qqqq", "abcd", rank=[1, 2, 1, 2])
TIED = {**PAGES, "rank": [1, 1, 3, np.inf]}
NUMBERS = {0: {10: 7, 11: 3, 12: 1}, 1: {10: 1, 11: 3, 12: 7}}
SAME, TEXTS = {1: {9: 0.5, 10: 0.5}}, {"1": {"9": 0.5, "10": 0.5}}
TREC = {"metrics": "recip_rank", "convention": "trec_eval"}
RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, (9, 6))
RANKS = np.argsort(np.argsort(-LABELS - RNG.random((9, 6)))) + 1
LARGE_GRADES, LINEAR = {"q": {"a": 95, "b": 90}}, "NDCG(gain_fn=linear_gain)"
OF_RATED = {"q": {"a": 0.9, "c": 0.7, "d": 0.6}}
VALUES = [
    row(2 / 3, {0: [5], 1: [7], 2: [2]}, np.array([[0, 5], [1, 7], [2, 3]])),
    row(0.5, np.array([[0, 5]]), {0: [9, 5]}),
    # Large integers are not tied.
    row(0.75, AB, LARGE_SCORES),
    row(1.0, AB, LARGE_SCORES, **LOWER),
    row(0.75, AB, table("ppq", "abb", score=np.array([*LARGE, 1]))),
    row(0.75, AB, table("ppq", "abb", score=np.array([*LARGE, 1], np.uint64))),
    row(1.0, UNJUDGED, {"q": {"a": 1.0}}),
    row(1.0, UNJUDGED, {"q": {"a": 1.0}}, convention="trec_eval"),
    row(1.0, GRADED, CLOSE, **BY_DISTANCE, **LOWER),
    *(
        row(0.5, {"q": ["b"]}, table("qqq", "abc", rank=np.arange(3).astype(x)))
        for x in ("uint8", "uint32", "int64", "float32")
    ),
    row(0.75, FIRST, RERANKED, columns={"score": "score"}),
    row(1.0, FIRST, RERANKED, **LOWER),
    row(1.0, FIRST, RERANKED, **BY_RANK),
    # A column of texts says nothing.
    row(0.75, FIRST, {**RERANKED, "rank": ["first", "second", "first"]}),
    *(
        row(0.75, BOTH, in_order(order, rank=[-0.5, -0.5, -0.9, -0.2]))
        for order in ORDERS
    ),
    # Ranks of pages, or of equal scores.
    row(1 / 3, {"q": ["c"]}, {**PAGES, "score": [0.9, 0.8, 0.4, 0.3]}),
    row(1 / 3, {"q": ["c"]}, {**TIED, "score": [0.9, 0.9, 0.4, 0.3]}),
    row(1.0, {0: [5], 1: [6], 2: [7]}, [[5], [6], [7]]),
    row(1.0, BY_NUMBER, ROWS, query_ids=[2, 0, 1]),
    row(1.0, OTHERS, SELF, drop_same_id=True, query_ids=range(2)),
    # Integers are in the order of their texts where ids decide.
    row(1.0, {1: {9: 1, 10: 0}}, SAME, **TREC),
    row(1.0, {"1": {"9": 1, "10": 0}}, TEXTS, **TREC),
    row(1.0, {"q": [5, HASH]}, {"q": [HASH, 5]}),
    row(1.0, {"q": [1]}, KEYS, columns={"item": "id", "score": "score"}),
    row(0.5, A, {**PARTS, "Model": ["m1", "m1"]}),
    row(0.5, A, PARTS, columns=NAMES),
    # Dicts by number are no frames if items are numbers.
    row(0.75, {0: [10], 1: [11]}, NUMBERS),
    # The highest is the best.
    row(8 / 9, LABELS, 7 - RANKS),
    row(7 / 9, LABELS, RNG.integers(0, 9, (9, 6))),
    row(1 / 3, {"q": {"a": -1, "c": -2, "d": 1}}, OF_RATED),
    # The item was found as it is written.
    row(1.0, {"q": ["dQw4", "x"]}, {"q": ["dQw4", "DQw4"]}),
    row(0.98784220, LARGE_GRADES, {"q": ["b", "a"]}, metrics=LINEAR),
]


@of_rows("value", VALUES)
@pytest.mark.filterwarnings("ignore:The truth should have")
def test_what_has_a_value_without_a_warning(value, truth, run, options):
    assert rr(truth, run, **options) == pytest.approx(value)


CUT_BY_SHEET = {"q": ["1.23457E+15"]}
BY_SELF = {"0": [1], "1": [0]}, {"0": [0, 1], "1": [1, 0]}
HITS = [{"id": "a", "distance": 0.4}, {"id": "b", "distance": 0.1}]
CLOSER, AROUND_0 = {"q": ["b"]}, {"q": {"a": -0.4, "c": -1.7, "d": 1.8}}
OF_LOWER = "pass `higher_is_better=False`"
ONE_GRADE = "Received: 95, so that only the high"
BEIR = {"metrics": "MRR@10", "convention": "beir"}
WARNED = [
    row(OF_LOWER, 0.5, GRADED, CLOSE, **BY_DISTANCE),
    row("'distance' should have higher", 1, A, {"q": HITS}, **BY_DISTANCE),
    row("2 items with the number of their", 0.5, OTHERS, SELF, **BEIR),
    row("none that has the id of its query", 0.5, *BY_SELF, drop_same_id=True),
    *(
        row(OF_LOWER, 1, A, table("q", "a", **{x: [1]}), columns={"score": x})
        for x in ("rank", "Position", "l2_distance")
    ),
    row(r"[01], [12], .* once in each", 0.32407408, LABELS, RANKS),
    row(r"[01], [12], .* once in each", 0.32407408, LABELS, RANKS - 1),
    row(r"[01], [12], .* once in each", 0.32407408, LABELS, RANKS * 1.0),
    row(r"Received: -1\.7 to -0\.4", 1 / 3, AROUND_0, OF_RATED),
    *(
        row("not be missing, padding or names", 0.5, truth, run)
        for x in (None, float("nan"))
        for truth, run in (
            (np.array([["a", x]]).astype(str), [["x", "a"]]),
            ({"a": ["b"], str(x): ["c"]}, {"a": ["b"]}),
        )
    ),
    row("should have all their digits", 1, CUT_BY_SHEET, CUT_BY_SHEET),
    row("Received: [12] twice in the query", 7 / 24, {"q": ["b"]}, PAGES),
    row(ONE_GRADE, 0.64937633, LARGE_GRADES, {"q": ["b", "a"]}, metrics="NDCG"),
]


@of_rows("words, value", WARNED)
def test_what_has_a_warning(words, value, truth, run, options):
    warned(words, value, truth, run, **options)


def test_objects_have_no_convention():
    with pytest.warns(UserWarning, match="should be text"):
        krm.evaluate(RATED, FOUND, krm.NDCG(5), convention="beir")


def test_scores_of_a_reference_ranking_may_be_times():
    run = {"q": {"a": 1.7e9, "b": 1.6e9}}
    found = krm.evaluate(run, run, krm.RankBiasedOverlap(p=0.9))
    assert [*found.values()] == pytest.approx([1.0])


def test_chosen_distances_in_files_are_doubted(tmp_path):
    path = tmp_path / "run.csv"
    path.write_text("query_id,item_id,distance\nq,a,0.4\nq,b,0.1\n")
    warned("'distance' should have higher", 0.5, CLOSER, path, **BY_DISTANCE)
    assert rr(CLOSER, path, **BY_DISTANCE, **LOWER) == 1.0


@pytest.mark.not_on("numpy", reason="masked arrays are its tensors")
def test_masks_of_arrays_are_refused():
    masked = np.ma.array([[0, 6]], mask=[[1, 0]])
    scores = np.array([[0.9, 0.8]])
    for run in ((scores, masked), (masked * 1.0, np.array([[3, 6]]))):
        refused("should have no mask", {0: [6]}, run, TypeError)
    refused("should have no mask", {0: [6]}, {0: masked[0]}, TypeError)


def test_classes_of_hugging_face_are_names():
    datasets = pytest.importorskip("datasets", reason="needs the extra [doors]")
    found = datasets.Dataset.from_dict(table("qq", "ab", label=["yes", "no"]))
    classes = datasets.ClassLabel(names=["yes", "no"])
    found = found.cast_column("label", classes)
    refused("should be numbers. Received: 'yes'", found, {"q": ["b", "a"]})


# A run whose ranks contradict the scores of `q2`, in each kind of file.
RANKED = [("q1", "a", 1, 0.9), ("q1", "b", 2, 0.8), ("q1", "c", 3, 0.8)]
RANKED += [("q2", "a", 2, 0.7), ("q2", "b", 1, 0.6), ("q2", "c", 3, 0.1)]
FIELDS = "query_id", "item_id", "rank", "score"


def in_file(path, rows):
    """Write a run in the format of the ending."""
    if path.suffix == ".trec":
        lines = (f"{q} Q0 {d} {rank} {x} tag\n" for q, d, rank, x in rows)
        path.write_text("".join(lines))
        return path
    columns = zip(*rows, strict=True)
    return written(path, dict(zip(FIELDS, columns, strict=True)))


TRUTH = {"q1": ["a"], "q2": ["b"]}
KINDS = ["csv", "tsv", "jsonl", "parquet", "trec"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", [slice(None), [0, 3, 1, 4, 2, 5]])
def test_ranks_of_files_are_compared(tmp_path, kind, order):
    rows = [RANKED[at] for at in np.arange(6)[order]]
    path = in_file(tmp_path / f"run.{kind}", rows)
    text = "the ranks 1 and 2 for the scores 0.6 and 0.7 of the query 'q2'"
    if kind == "trec":  # whose scores count by definition
        warned(f"{text}. Scores count", 0.75, TRUTH, path)
        return
    refused(f'{text}. Choose: `columns={{"score": "score"}}`', TRUTH, path)
    assert rr(TRUTH, path, columns={"score": "score"}) == 0.75
    assert rr(TRUTH, path, **BY_RANK) == 1
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


@pytest.mark.parametrize(
    "metrics, truth, notes",
    [
        ("RR NDCG", RATED, ("Read as: relevant=label>=1 (all labels).",)),
        ("NDCG", RATED, ()),
        ("RR(relevance_threshold=4)", RATED, ()),
        ("RR", {"q1": {"a": 0, "b": 5}, "q2": {"c": 3}}, ()),
        ("RR", {"q1": {"a": 1}, "q2": {"c": 1}}, ()),
    ],
)
def test_ratings_from_1_on_are_said_to_be_relevant(metrics, truth, notes):
    found = krm.evaluate(truth, FOUND, metrics)
    assert found.report.notes == notes
    roles = {"truth": {"relevant": "label>=1 (all labels)"}} if notes else {}
    assert found.to_dict()["read_as"] == roles


@pytest.mark.parametrize(
    ("metric", "words"),
    [
        (krm.ERR(), "Labels are at most 1, and `max_grade` is 4"),
        (krm.ERR(max_grade=3), ""),
        (krm.DCG(gain_fn=lambda x: 2.0**x), "a gain of 1, so that lists with"),
        (krm.DCG(gain_fn=lambda x: 2.0 * x), ""),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_gains_that_do_not_fit_the_labels_are_noted(metric, words):
    truth = {"q1": {"a": 0, "b": 1}, "q2": {"c": 1, "d": 0}}
    run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"c": 2.0, "d": 1.0}}
    table = {
        "query": ["q1", "q1", "q2", "q2"],
        "label": [0, 1, 1, 0],
        "score": [2.0, 1.0, 2.0, 1.0],
    }
    arrays = [[0, 1, 0], [1, 0, 0]], [[2.0, 1.0, 0.5]] * 2
    for inputs in ((truth, run), (table,), arrays):
        notes = krm.evaluate(*inputs, metrics=metric).report.notes
        assert words in "".join(notes)
        assert sum("Read as" not in note for note in notes) == bool(words)


@pytest.mark.each_backend
def test_gains_that_decrease_with_labels_are_warned_of():
    metric = krm.DCG(gain_fn=lambda label: label == 1)
    with pytest.warns(UserWarning, match="1 for the label 1 and 0 for the"):
        krm.evaluate({"q": {"a": 3, "b": 1, "c": 0}}, {"q": ["a", "b"]}, metric)
    krm.evaluate({"q": {"b": 1, "c": 0}}, {"q": ["b", "c"]}, metric)
    metric = krm.NDCG(gain_fn=lambda label: 1.0)
    with pytest.warns(UserWarning, match="the gain 1 for all, from 0 to 1"):
        krm.evaluate({"q": {"b": 1, "c": 0}}, {"q": ["b", "c"]}, metric)


@pytest.mark.parametrize("threshold", [0, -1])
def test_a_threshold_that_makes_0_relevant(threshold):
    metric = f"RR(relevance_threshold={threshold})"
    truth, run = {"q": {"a": 0, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    arrays = np.array([[0, 1, 0]]), np.array([[3.0, 2.0, 1.0]])
    for call in (
        lambda: krm.evaluate(truth, run, metric),
        lambda: krm.compare(truth, {"a": run, "b": run}, metric),
        lambda: krm.evaluate(*arrays, metric),
    ):
        with pytest.warns(UserWarning, match="0 or more for all of them"):
            call()


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
    found, texts = said(lambda: krm.evaluate(truth, run, "Recall@2"))
    assert found["Recall@2"] == 0.75
    assert list(found.report.notes) == texts
    assert len(texts) == bool(difference)
    for text in texts:
        assert f"it retrieves {other!r}, and the truth judges {one!r}" in text
        assert text.endswith(f"Do the ids differ only in {difference}?")
