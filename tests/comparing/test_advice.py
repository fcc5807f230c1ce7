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
SAME, TWO = dict.fromkeys(RANKED, 1), {q: [2, 1] for q in RANKED}
DENSE = _LABELS, sparse.csr_matrix(_SCORES)
SIGNED, POSITIVE = (np.where(_LABELS > 0, 1, x) for x in (-1, 0))
IN_CELLS = CELLS[["question", "retrieved"]]
WITH_COMMAS = of_lists(RANKED, ", ".join)
WITH_SPACES = of_lists(RANKED, " ".join)
# The truth, the run, which of them is wrong, the advice as it stands in the
# error or the warning, whose code makes that side right, and the value.
CODE = [
    (*DENSE, "run", "pass `.toarray()`", EXPECTED),
    (BINARY, FIRST, "run", WRAPPED, ndcg(BINARY, FIRST_OF_EACH)),
    (BINARY, WITH_SPACES, "run", SPLIT, EXPECTED_BINARY),
    (BINARY, WITH_COMMAS, "run", SPLIT_COMMAS, EXPECTED_BINARY),
    (BINARY, of_lists(RANKED, str), "run", LITERAL, EXPECTED_BINARY),
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
    """Expect an error or a warning with the advice."""
    with pytest.raises((TypeError, ValueError, UserWarning)) as error:
        call()
    assert advice in str(error.value)


@pytest.mark.parametrize("truth, run, side, advice, expected", CODE)
def test_code_of_an_advice_leads_to_the_right_number(
    truth, run, side, advice, expected
):
    sides = {"truth": truth, "run": run}
    said(advice, lambda: ndcg(**sides))
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
