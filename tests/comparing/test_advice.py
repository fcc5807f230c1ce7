"""What an error or a warning advises works on the input that caused it."""

import ast
import json
import pathlib
import re
import tempfile
import uuid

import numpy as np
import pytest
from outcomes import rr

import keras_rankmetrics as krm

pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
sparse = pytest.importorskip("scipy.sparse")

# Beside other packages, too, a warning that no row names is an error.
pytestmark = pytest.mark.filterwarnings("error::UserWarning")

METRIC = "NDCG@3"
_RNG = np.random.default_rng(0)
_QUERIES, _ITEMS = 6, 6
ITEMS = [f"d{i}" for i in range(_ITEMS)]
_LABELS = _RNG.integers(0, 3, (_QUERIES, _ITEMS))
_LABELS[:, 0], _LABELS[:, 1] = 1, 0
_SCORES = (_LABELS + _RNG.normal(size=_LABELS.shape)).round(3)
TRUTH = {
    f"q{i}": dict(zip(ITEMS, row, strict=True))
    for i, row in enumerate(_LABELS.tolist())
}
RUN = {
    f"q{i}": dict(zip(ITEMS, row, strict=True))
    for i, row in enumerate(_SCORES.tolist())
}
QUERIES = [*TRUTH]
BINARY = {q: [d for d, x in row.items() if x] for q, row in TRUTH.items()}
RANKED = {q: sorted(row, key=lambda d: -row[d]) for q, row in RUN.items()}


def frame(of, value):
    rows = [(q, d, x) for q, row in of.items() for d, x in row.items()]
    return pd.DataFrame(rows, columns=["query", "item", value])


def ndcg(truth, run=None, **options):
    """The value; a warning is an error in these tests."""
    return rr(truth, run, METRIC, **options)


EXPECTED = ndcg(TRUTH, RUN)
EXPECTED_BINARY = ndcg(BINARY, RANKED)
LABELS_FRAME, SCORES_FRAME = frame(TRUTH, "label"), frame(RUN, "score")
RANKS = SCORES_FRAME.assign(
    score=SCORES_FRAME.groupby("query").score.rank(ascending=False)
)
UUIDS = {d: uuid.uuid5(uuid.NAMESPACE_DNS, d) for d in ITEMS}
TEXTS = {d: str(x) for d, x in UUIDS.items()}
CELLS = pd.DataFrame(
    {
        "question": QUERIES,
        "relevant": [*BINARY.values()],
        "retrieved": [*RANKED.values()],
    }
)
CHROMA = {
    "ids": [*RANKED.values()],
    "distances": [[-RUN[q][d] for d in row] for q, row in RANKED.items()],
    "documents": None,
}


HITS = {q: [{"id": d} for d in row] for q, row in RANKED.items()}
FOLDER = tempfile.TemporaryDirectory()


def trec(name, score):
    """A file of the run, in which a rank gives the score."""
    path = pathlib.Path(FOLDER.name, f"{name}.trec")
    rows = (
        f"{q} Q0 {d} {rank} {score(rank)} tag"
        for q, row in RANKED.items()
        for rank, d in enumerate(row, 1)
    )
    path.write_text("\n".join(rows) + "\n")
    return path


SWAPPED = {q: [(x, d) for d, x in row.items()] for q, row in RUN.items()}


def words(relevant, other):
    """The binary truth with two labels."""
    return {
        q: {d: relevant if x else other for d, x in row.items()}
        for q, row in TRUTH.items()
    }


def renamed(of, name):
    return {q: {name(d): x for d, x in row.items()} for q, row in of.items()}


def joined(lists, text):
    return {q: text.join(row) for q, row in lists.items()}


def of_lists(lists, change):
    return {q: change(row) for q, row in lists.items()}


SPLIT = "Pass `{query: text.split() for query, text in x.items()}`"
SPLIT_COMMAS = (
    'Pass `{query: [x.strip() for x in text.split(",")] for query, text in '
    "x.items()}`"
)
LITERAL = "Pass `{query: ast.literal_eval(text) for query, text in x.items()}`"
WRAPPED = "Pass `{query: [text] for query, text in x.items()}`"
WRAPPED_IDS = "Pass `{query: [id] for query, id in x.items()}`"
OF_HITS = (
    "pass their ids: `{query: [hit['id'] for hit in hits] for query, hits in "
    "x.items()}`"
)
OF_PAIRS = (
    "Pass the id first: `{query: {id: score for score, id in pairs} for query, "
    "pairs in x.items()}`"
)
TO_0 = "replace it by 0: `numpy.maximum(labels, 0)`"
OF_CELLS = "`dict(zip(x['question'], x['retrieved']))`"
OF_CHROMA = 'Pass ids best first, `dict(zip(queries, x["ids"]))`'
FIRST = {q: row[0] for q, row in RANKED.items()}
FIRST_OF_EACH = {q: row[:1] for q, row in RANKED.items()}
NO_ITEMS, NONE_ID = ({**RANKED, "q5": x} for x in ([], [None]))
SAME, TWO = dict.fromkeys(RANKED, 1), {q: [2, 1] for q in RANKED}
DENSE = _LABELS, sparse.csr_matrix(_SCORES)
SIGNED, POSITIVE = (np.where(_LABELS > 0, 1, x) for x in (-1, 0))
IN_CELLS = CELLS[["question", "retrieved"]].assign(note="no query, no item")
WITH_COMMAS = of_lists(RANKED, ", ".join)
WITH_SPACES = of_lists(RANKED, " ".join)
BY_ARROWS = of_lists(RANKED, " > ".join)
IN_BRACKETS = of_lists(RANKED, lambda x: " > ".join(f"[{d}]" for d in x))
RECOMMENDED = [
    {"user": q, "top": [{"item": d, "rating": x} for d, x in row.items()]}
    for q, row in RUN.items()
]
ANSWERS = [{"question": q, "ids": row} for q, row in RANKED.items()]
SORTED_BY_DATE = {
    q: [{"_id": d, "_score": None} for d in row] for q, row in RANKED.items()
}
# The truth, the run, which of them is wrong, the advice as it stands in the
# error or the warning, whose code makes that side right, and the value.
CODE = [
    (*DENSE, "run", "pass `.toarray()`", EXPECTED),
    (BINARY, FIRST, "run", WRAPPED, ndcg(BINARY, FIRST_OF_EACH)),
    (BINARY, NONE_ID, "run", "Leave out None: `{q", ndcg(BINARY, NO_ITEMS)),
    (BINARY, WITH_SPACES, "run", SPLIT, EXPECTED_BINARY),
    (BINARY, WITH_COMMAS, "run", SPLIT_COMMAS, EXPECTED_BINARY),
    (BINARY, of_lists(RANKED, str), "run", LITERAL, EXPECTED_BINARY),
    (BINARY, BY_ARROWS, "run", 'text.split(">")] for', EXPECTED_BINARY),
    (BINARY, IN_BRACKETS, "run", 'text.split(">")] for', EXPECTED_BINARY),
    (BINARY, pd.Series(BY_ARROWS), "run", "Pass `x.map(", EXPECTED_BINARY),
    (BINARY, pd.Series(WITH_COMMAS), "run", "Pass `x.map(", EXPECTED_BINARY),
    (TRUTH, RECOMMENDED, "run", "Pass `{row['user']: row['top'] ", EXPECTED),
    (BINARY, ANSWERS, "run", "Pass `{row['question']:", EXPECTED_BINARY),
    (TRUTH, SORTED_BY_DATE, "run", "`{query: [hit['_id']", ndcg(TRUTH, RANKED)),
    (of_lists(BINARY, " ".join), RANKED, "truth", SPLIT, EXPECTED_BINARY),
    (SAME, TWO, "truth", WRAPPED_IDS, 1 / np.log2(3)),
    (TRUTH, HITS, "run", OF_HITS, ndcg(TRUTH, RANKED)),
    (TRUTH, SWAPPED, "run", OF_PAIRS, EXPECTED),
    (SIGNED, _SCORES, "truth", TO_0, ndcg(POSITIVE, _SCORES)),
    (BINARY, IN_CELLS, "run", OF_CELLS, EXPECTED_BINARY),
    (TRUTH, CHROMA, "run", OF_CHROMA, EXPECTED),
]
WITH_RANKS = LABELS_FRAME.assign(rank=RANKS.score)[["query", "label", "rank"]]
OWN_FIRST = {q: {q: 9.0, **row} for q, row in RUN.items()}
BY_RANK = 'If ranks order them, pass `columns={"rank": "rank"}`'
NAMED = (
    'name them: `columns={"query": "query", "label": "label", "rank": "rank"}`.'
)
# The same with options to pass.
OPTIONS = [
    (TRUTH, trec("constant", lambda rank: 1.0), BY_RANK),
    (WITH_RANKS, None, NAMED),
    (TRUTH, RANKS, "For ranks, pass `higher_is_better=False`"),
    (TRUTH, OWN_FIRST, "pass `drop_same_id=True`"),
]
ONE_TABLE = LABELS_FRAME.assign(score=SCORES_FRAME.score)
MERGED = ONE_TABLE.assign(
    query=ONE_TABLE["query"].where(~ONE_TABLE["query"].duplicated())
)
TABLE_OF_LISTS = (
    ONE_TABLE.groupby("query")[["label", "score"]].agg(list).reset_index()
)
PIVOT = SCORES_FRAME.pivot(index="query", columns="item", values="score")
SPARSE = sparse.csr_matrix(_SCORES * (_SCORES > 0))
WEIGHTS = pd.Series(np.arange(1.0, 7), index=range(1, 7))


def per_row(scores, query=LABELS_FRAME["query"], labels=LABELS_FRAME.label):
    return krm.evaluate_rows(query, labels, scores, METRIC)[METRIC]


def with_items(change):
    """Both frames with other ids of items."""
    return [x.assign(item=change(x.item)) for x in (LABELS_FRAME, SCORES_FRAME)]


def by_id(x):
    rows = enumerate(sparse.csr_matrix(x))
    return {q: dict(zip(row.indices, row.data, strict=True)) for q, row in rows}


def code_of(advice):
    return advice.split("`")[-2]


def said(advice, call):
    """Expect an error or a warning with the advice, and return its text."""
    with pytest.raises((TypeError, ValueError, UserWarning)) as error:
        call()
    assert advice in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("truth, run, side, advice, expected", CODE)
def test_code_of_an_advice_leads_to_the_right_number(
    truth, run, side, advice, expected
):
    sides = {"truth": truth, "run": run}
    text = said(advice, lambda: ndcg(**sides))
    if advice.count("`") < 2:  # a part of the code
        advice = next(
            x for x in re.findall("[^`]*`[^`]*`", text) if advice in x
        )
    x, code = sides[side], code_of(advice)
    names = {"x": x, "labels": x, "queries": QUERIES, "numpy": np, "ast": ast}
    followed = eval("x" * code.startswith(".") + code, names)
    found = ndcg(**{**sides, side: followed})
    assert found == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("truth, run, advice", OPTIONS)
def test_options_of_an_advice_lead_to_the_right_number(truth, run, advice):
    said(advice, lambda: ndcg(truth, run))
    options = eval(f"dict({code_of(advice)})")
    assert ndcg(truth, run, **options) == pytest.approx(EXPECTED, abs=1e-6)


# Scores that are no numbers, the advice, and how to follow it.
NO_NUMBERS = {
    "text": (str, "`x.astype(float)`", lambda x: x.astype(float)),
    "text with decimal commas": (
        lambda x: str(x).replace(".", ","),
        '`float(x.replace(",", "."))`',
        lambda x: x.map(lambda x: float(x.replace(",", "."))),
    ),
    "percent": (
        "{}%".format,
        '`float(x.rstrip("%"))`',
        lambda x: x.map(lambda x: float(x.rstrip("%"))),
    ),
    "times": (
        lambda x: pd.Timestamp("2024-01-01") + pd.Timedelta(x, "s"),
        '`(x - x.min()) / numpy.timedelta64(1, "s")`',
        lambda x: (x - x.min()) / np.timedelta64(1, "s"),
    ),
}


def of_rows(values):
    rows = zip(SCORES_FRAME["query"], SCORES_FRAME["item"], values, strict=True)
    found = {q: {} for q in QUERIES}
    for q, d, x in rows:
        found[q][d] = x
    return found


FORMS_OF_SCORES = {
    "one table": lambda x: [LABELS_FRAME.assign(score=x)],
    "two frames": lambda x: [LABELS_FRAME, SCORES_FRAME.assign(score=x)],
    "dicts": lambda x: [TRUTH, of_rows(x)],
}
# What is passed, the advice, what follows it, and the value.
ADVICE = {
    "a sparse matrix, where the others are not retrieved": (
        lambda: ndcg(_LABELS, SPARSE),
        "pass both sides by id: `{query: dict(zip(row.indices, row.data)) for "
        "query, row in enumerate(x.tocsr())}`",
        lambda: ndcg(by_id(_LABELS), by_id(SPARSE)),
        ndcg(_LABELS, np.where(_SCORES > 0, _SCORES, -np.inf)),
    ),
    "labels that are words": (
        lambda: ndcg(words("yes", "no"), RANKED),
        "such as 1 for relevant items and 0 for others",
        lambda: ndcg(words(1, 0), RANKED),
        EXPECTED_BINARY,
    ),
    "lists in cells of one table": (
        lambda: ndcg(CELLS),
        "Pass a dict as the truth and one as the run, each made as "
        "`dict(zip(x['question'], x['relevant']))`",
        lambda: ndcg(
            dict(zip(CELLS["question"], CELLS["relevant"], strict=True)),
            dict(zip(CELLS["question"], CELLS["retrieved"], strict=True)),
        ),
        EXPECTED_BINARY,
    ),
    "what Chroma returns, by its distances": (
        lambda: ndcg(TRUTH, CHROMA),
        "with `query_ids=queries` and `higher_is_better=False`, the pair "
        '`(numpy.array(x["ids"]), numpy.array(x["distances"]))`',
        lambda: ndcg(
            TRUTH,
            (np.array(CHROMA["ids"]), np.array(CHROMA["distances"])),
            query_ids=QUERIES,
            higher_is_better=False,
        ),
        EXPECTED,
    ),
    "scores in lists of one": (
        lambda: ndcg(TRUTH, of_rows([[x] for x in SCORES_FRAME.score])),
        "the part of each that is the score, such as `x[0]`",
        lambda: ndcg(TRUTH, of_rows([[x][0] for x in SCORES_FRAME.score])),
        EXPECTED,
    ),
    "labels and scores in lists": (
        lambda: ndcg(TABLE_OF_LISTS),
        "Give each item a row of its own, as `explode`",
        lambda: ndcg(TABLE_OF_LISTS.explode(["label", "score"])),
        EXPECTED,
    ),
    "merged cells": (
        lambda: ndcg(MERGED),
        "if cells were merged, repeat their id: `x.ffill()`",
        lambda: ndcg(MERGED.assign(query=MERGED["query"].ffill())),
        EXPECTED,
    ),
    "ids that are objects, in lists": (
        lambda: ndcg(
            of_lists(BINARY, lambda x: [*map(UUIDS.get, x)]),
            of_lists(RANKED, lambda x: [*map(UUIDS.get, x)]),
        ),
        "Pass all ids as text",
        lambda: ndcg(
            of_lists(BINARY, lambda x: [*map(TEXTS.get, x)]),
            of_lists(RANKED, lambda x: [*map(TEXTS.get, x)]),
        ),
        EXPECTED_BINARY,
    ),
    "a pivot": (
        lambda: ndcg(TRUTH, PIVOT),
        "Give each item a row of its own, as by `melt` of pandas",
        lambda: ndcg(
            TRUTH, PIVOT.reset_index().melt("query", value_name="score")
        ),
        EXPECTED,
    ),
    "ids that are objects": (
        lambda: ndcg(renamed(TRUTH, UUIDS.get), renamed(RUN, UUIDS.get)),
        "Pass all ids as text",
        lambda: ndcg(renamed(TRUTH, TEXTS.get), renamed(RUN, TEXTS.get)),
        EXPECTED,
    ),
    "ids that are floats": (
        lambda: ndcg(*with_items(lambda x: x.str[1:].astype(float))),
        'Convert the ids: `.astype("int64")`',
        lambda: ndcg(*with_items(lambda x: x.str[1:].astype("int64"))),
        EXPECTED,
    ),
    "ranks as scores of rows": (
        lambda: per_row(RANKS.score),
        "For ranks, pass `-ranks`",
        lambda: per_row(-RANKS.score),
        EXPECTED,
    ),
    "the query last": (
        lambda: per_row(
            LABELS_FRAME["query"].str[1:].astype(int),
            query=LABELS_FRAME.label,
            labels=SCORES_FRAME.score.abs(),
        ),
        "Pass `evaluate_rows(query, y_true, y_pred, metrics)`",
        lambda: per_row(SCORES_FRAME.score),
        EXPECTED,
    ),
    "weights by another index": (
        lambda: ndcg(_LABELS, _SCORES, sample_weight=WEIGHTS),
        "Pass `.tolist()` for weights in the order of the lists",
        lambda: ndcg(_LABELS, _SCORES, sample_weight=WEIGHTS.tolist()),
        ndcg(_LABELS, _SCORES, sample_weight=np.arange(1.0, 7)),
    ),
    "rows that occur twice": (
        lambda: per_row(
            pd.concat([SCORES_FRAME.score] * 2),
            query=pd.concat([SCORES_FRAME["query"]] * 2),
            labels=pd.concat([LABELS_FRAME.label] * 2),
        ),
        "leave one of each",
        lambda: per_row(SCORES_FRAME.score),
        EXPECTED,
    ),
}


@pytest.mark.parametrize("name", ADVICE)
def test_advice_leads_to_the_right_number(name):
    passed, advice, followed, expected = ADVICE[name]
    said(advice, passed)
    assert followed() == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("form", FORMS_OF_SCORES)
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_scores_that_are_no_numbers(kind, form):
    (to_wrong, advice, right), of = NO_NUMBERS[kind], FORMS_OF_SCORES[form]
    wrong = SCORES_FRAME.score.map(to_wrong)
    said(advice, lambda: ndcg(*of(wrong)))
    assert ndcg(*of(right(wrong))) == pytest.approx(EXPECTED, abs=1e-6)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_truth_values_in_files(form, tmp_path):
    table = LABELS_FRAME.assign(label=LABELS_FRAME.label > 0)
    write = {
        "csv": lambda x, path: x.to_csv(path, index=False),
        "jsonl": lambda x, path: x.to_json(path, orient="records", lines=True),
        "parquet": lambda x, path: x.to_parquet(path),
    }[form]
    truth, run = tmp_path / f"truth.{form}", tmp_path / f"run.{form}"
    write(table, truth)
    write(SCORES_FRAME, run)
    with pytest.raises(ValueError, match="Write 1 for true, and 0 for false"):
        ndcg(truth, run)
    write(table.assign(label=table.label.astype(int)), truth)
    assert ndcg(truth, run) == pytest.approx(EXPECTED_BINARY, abs=1e-6)


def test_two_columns_that_may_be_scores():
    """Neither is proposed, since one of them has the labels."""
    table = ONE_TABLE.rename(columns={"score": "prediction", "label": "score"})
    advice = '"item": "item", "label": "...", "score": "..."}`.'
    said(advice, lambda: ndcg(table))
    named = {"label": "score", "score": "prediction"}
    assert ndcg(table, columns=named) == pytest.approx(EXPECTED, abs=1e-6)


@pytest.mark.parametrize("is_one", [False, True])
def test_a_rank_that_is_the_highest_for_the_best(is_one):
    labels = np.random.default_rng(0).integers(0, 2, (40, 12))
    scores = labels + np.random.default_rng(1).normal(size=labels.shape)
    query, item = (x.ravel() for x in np.indices(labels.shape))
    table = pd.DataFrame(
        {"query": query, "item": item, "label": labels.ravel()}
    ).assign(score=scores.ravel())
    table["rank"] = table.groupby("query").score.rank()
    roles = {"rank": "rank"}

    def passed(name):
        one = table[["query", "item", "label", "rank"]]
        sides = [one[["query", "item", x]] for x in ("label", "rank")]
        new = {"rank": name}
        return [x.rename(columns=new) for x in ([one] if is_one else sides)]

    advice = "it is a score: call its column `score`"
    for options in ({"columns": roles}, {}, {"higher_is_better": False}):
        if options.get("columns") or not is_one:
            said(
                advice, lambda options=options: ndcg(*passed("rank"), **options)
            )
    found = krm.diagnose(*passed("rank"), columns=roles)
    assert [x for x in found if x.name == "reversed_ranks"]
    assert ndcg(*passed("score")) == ndcg(labels, scores)


def test_a_file_with_semicolons_and_decimal_commas(tmp_path):
    path = tmp_path / "table.csv"
    ONE_TABLE.to_csv(path, index=False, sep=";", decimal=",")
    advice = 'Pass `pandas.read_csv(path, sep=";")`, which has `decimal=","`'
    with pytest.raises(ValueError, match=re.escape(advice)):
        ndcg(path)
    assert ndcg(pd.read_csv(path, sep=";", decimal=",")) == EXPECTED


def test_merged_cells_in_a_file(tmp_path):
    path = tmp_path / "table.csv"
    MERGED.drop(columns="item").to_csv(path, index=False)
    with pytest.raises(
        ValueError,
        match=r"Each row should have a query\. .*"
        "If cells were merged, repeat the query in each row",
    ):
        ndcg(path)
    ONE_TABLE.drop(columns="item").to_csv(path, index=False)
    assert ndcg(path) == EXPECTED


def test_columns_of_polars_in_a_dict():
    pl = pytest.importorskip("polars")
    truth, run = (of_lists(x, pl.Series) for x in (BINARY, RANKED))
    assert ndcg(truth, run) == EXPECTED_BINARY


def test_lists_in_another_order_are_not_called_a_prefix():
    lists = [[f"d{q}_{i}" for i in range(10)] for q in range(60)]
    truth = {f"q{q}": row[:3] for q, row in enumerate(lists)}
    run = dict(zip(truth, lists[32:] + lists[:32], strict=True))
    with pytest.warns(UserWarning) as said:
        krm.evaluate(truth, run, METRIC)
    messages = [str(each.message) for each in said]
    assert any("for other queries" in message for message in messages)
    assert not any("prefix" in message for message in messages)


def test_a_frame_as_json(tmp_path):
    path = tmp_path / "run.json"
    SCORES_FRAME.to_json(path)
    advice = '`to_json(orient="records", lines=True)`'
    with pytest.raises(ValueError, match=re.escape(advice)):
        ndcg(TRUTH, path)
    lines = tmp_path / "run.jsonl"
    SCORES_FRAME.to_json(lines, orient="records", lines=True)
    assert ndcg(TRUTH, lines) == EXPECTED
    assert ndcg(TRUTH, json.loads(path.read_text())) == EXPECTED


def test_masks_in_a_batch():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (8, 6)).astype("float32")
    labels[:, 0] = 1
    scores = rng.random((8, 6)).astype("float32")
    lengths = rng.integers(2, 6, 8)
    mask = np.arange(6) < lengths[:, None]

    def value(passed):
        metric = krm.NDCG(k=3)
        metric.update_state({"labels": labels, "mask": passed}, scores)
        return float(metric.result())

    for wrong, advice in (
        (lengths, r"pass `numpy.arange\(items\) < lengths.reshape\(-1, 1\)`"),
        (np.where(mask, 0.0, -1e9), "if it is added to scores, `mask == 0`"),
        (np.where(mask, 1.0, 0.0), "Make it bool: `mask > 0`"),
    ):
        with pytest.raises(ValueError, match=advice):
            value(wrong)
    expected = value(mask)
    assert value(np.where(mask, 0.0, -1e9) == 0) == expected
    assert value(np.where(mask, 1.0, 0.0) > 0) == expected
    labels[:, 2:] = 0
    labels[~mask] = 0
    with pytest.warns(UserWarning, match="pass `~mask`"):
        value(~mask)
    assert value(~~mask) > 0


@pytest.mark.parametrize("form", ["ids", "labels"])
def test_lists_without_relevant_items_are_told(form):
    labels = np.random.default_rng(0).integers(0, 2, (40, 9))
    labels[::2] = 0
    scores = labels + np.random.default_rng(1).normal(size=labels.shape)
    sides = labels, scores
    if form == "ids":
        sides = (
            {q: np.flatnonzero(x).tolist() for q, x in enumerate(labels)},
            {q: dict(enumerate(x)) for q, x in enumerate(scores)},
        )
    [note] = krm.evaluate(*sides, "Recall@3").report.notes
    assert note == (
        "20 of the first 40 lists have no relevant items, and count as 0. "
        'To leave them out, set the option `empty="skip"`.'
    )
    found = krm.evaluate(*sides, "Recall(empty=skip)@3")
    kept = krm.evaluate(labels[1::2], scores[1::2], "Recall@3")
    assert [*found.values()] == pytest.approx([*kept.values()])
