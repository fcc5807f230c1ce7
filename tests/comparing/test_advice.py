"""What an error or a warning advises works on the input that caused it."""

import ast
import json
import pathlib
import re
import tempfile
import uuid
import warnings

import numpy as np
import pytest

import keras_rankmetrics as krm

pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
sparse = pytest.importorskip("scipy.sparse")

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
    """The value, where a warning is an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return krm.evaluate(truth, run, METRIC, **options)[METRIC]


EXPECTED = ndcg(TRUTH, RUN)
EXPECTED_BINARY = ndcg(BINARY, RANKED)
LABELS_FRAME, SCORES_FRAME = frame(TRUTH, "label"), frame(RUN, "score")
RANKS = SCORES_FRAME.assign(
    score=SCORES_FRAME.groupby("query").score.rank(ascending=False)
)
UUIDS = {d: uuid.uuid5(uuid.NAMESPACE_DNS, d) for d in ITEMS}
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


def by_id(x):
    rows = enumerate(sparse.csr_matrix(x).tocsr())
    return {q: dict(zip(row.indices, row.data, strict=True)) for q, row in rows}


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


# What is passed, the advice as it stands in the error or the warning, what
# follows it, and the value.
ADVICE = {
    "a sparse matrix, where the others have the score 0": (
        lambda: ndcg(_LABELS, sparse.csr_matrix(_SCORES)),
        "pass `.toarray()`",
        lambda: ndcg(_LABELS, sparse.csr_matrix(_SCORES).toarray()),
        EXPECTED,
    ),
    "a sparse matrix, where the others are not retrieved": (
        lambda: ndcg(_LABELS, sparse.csr_matrix(_SCORES * (_SCORES > 0))),
        "pass both sides by id: `{query: dict(zip(row.indices, row.data)) for "
        "query, row in enumerate(x.tocsr())}`",
        lambda: ndcg(by_id(_LABELS), by_id(_SCORES * (_SCORES > 0))),
        ndcg(_LABELS, np.where(_SCORES > 0, _SCORES, -np.inf)),
    ),
    "an id for each query": (
        lambda: ndcg(BINARY, {q: row[0] for q, row in RANKED.items()}),
        "Pass `{query: [text] for query, text in x.items()}`",
        lambda: ndcg(BINARY, {q: [row[0]] for q, row in RANKED.items()}),
        ndcg(BINARY, {q: row[:1] for q, row in RANKED.items()}),
    ),
    "ids in a text": (
        lambda: ndcg(BINARY, {q: " ".join(row) for q, row in RANKED.items()}),
        "Pass `{query: text.split() for query, text in x.items()}`",
        lambda: ndcg(
            BINARY, {q: " ".join(row).split() for q, row in RANKED.items()}
        ),
        EXPECTED_BINARY,
    ),
    "one id for each query": (
        lambda: ndcg(dict.fromkeys(RANKED, 1), {q: [2, 1] for q in RANKED}),
        "Pass `{query: [id] for query, id in x.items()}`",
        lambda: ndcg({q: [1] for q in RANKED}, {q: [2, 1] for q in RANKED}),
        1 / np.log2(3),
    ),
    "hits without a score": (
        lambda: ndcg(TRUTH, HITS),
        "pass their ids: `{query: [hit['id'] for hit in hits] for query, hits "
        "in x.items()}`",
        lambda: ndcg(
            TRUTH, {query: [hit["id"] for hit in HITS[query]] for query in HITS}
        ),
        ndcg(TRUTH, RANKED),
    ),
    "a file of TREC of one score": (
        lambda: ndcg(TRUTH, trec("constant", lambda rank: 1.0)),
        'If ranks order them, pass `columns={"rank": "rank"}`',
        lambda: ndcg(
            TRUTH,
            trec("constant", lambda rank: 1.0),
            columns={"rank": "rank"},
        ),
        EXPECTED,
    ),
    "pairs of a score and an id": (
        lambda: ndcg(TRUTH, {q: SWAPPED[q] for q in RUN}),
        "Pass the id first: `{query: {id: score for score, id in pairs} for "
        "query, pairs in x.items()}`",
        lambda: ndcg(
            TRUTH,
            {
                query: {id: score for score, id in pairs}
                for query, pairs in SWAPPED.items()
            },
        ),
        EXPECTED,
    ),
    "labels that are words": (
        lambda: ndcg(words("yes", "no"), RANKED),
        "such as 1 for relevant items and 0 for others",
        lambda: ndcg(words(1, 0), RANKED),
        EXPECTED_BINARY,
    ),
    "labels of -1 and 1": (
        lambda: ndcg(np.where(_LABELS > 0, 1, -1), _SCORES),
        "replace it by 0: `numpy.maximum(labels, 0)`",
        lambda: ndcg(np.maximum(np.where(_LABELS > 0, 1, -1), 0), _SCORES),
        ndcg(np.where(_LABELS > 0, 1, 0), _SCORES),
    ),
    "ids in a text with commas": (
        lambda: ndcg(BINARY, {q: ", ".join(row) for q, row in RANKED.items()}),
        'Pass `{query: [x.strip() for x in text.split(",")] for query, text in '
        "x.items()}`",
        lambda: ndcg(
            BINARY,
            {
                q: [x.strip() for x in ", ".join(row).split(",")]
                for q, row in RANKED.items()
            },
        ),
        EXPECTED_BINARY,
    ),
    "lists as text": (
        lambda: ndcg(BINARY, {q: str(row) for q, row in RANKED.items()}),
        "Pass `{query: ast.literal_eval(text) for query, text in x.items()}`",
        lambda: ndcg(
            BINARY, {q: ast.literal_eval(str(x)) for q, x in RANKED.items()}
        ),
        EXPECTED_BINARY,
    ),
    "relevant ids in a text": (
        lambda: ndcg({q: " ".join(row) for q, row in BINARY.items()}, RANKED),
        "Pass `{query: text.split() for query, text in x.items()}`",
        lambda: ndcg(
            {q: " ".join(row).split() for q, row in BINARY.items()}, RANKED
        ),
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
    "lists in cells of a run": (
        lambda: ndcg(BINARY, CELLS[["question", "retrieved"]]),
        "`dict(zip(x['question'], x['retrieved']))`",
        lambda: ndcg(
            BINARY,
            dict(zip(CELLS["question"], CELLS["retrieved"], strict=True)),
        ),
        EXPECTED_BINARY,
    ),
    "what Chroma returns, by its order": (
        lambda: ndcg(TRUTH, CHROMA),
        'Pass ids best first, `dict(zip(queries, x["ids"]))`',
        lambda: ndcg(TRUTH, dict(zip(QUERIES, CHROMA["ids"], strict=True))),
        EXPECTED,
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
        lambda: ndcg(
            TRUTH,
            SCORES_FRAME.pivot(index="query", columns="item", values="score"),
        ),
        "Give each item a row of its own, as by `melt` of pandas",
        lambda: ndcg(
            TRUTH,
            SCORES_FRAME.pivot(index="query", columns="item", values="score")
            .reset_index()
            .melt("query", value_name="score"),
        ),
        EXPECTED,
    ),
    "ids that are objects": (
        lambda: ndcg(renamed(TRUTH, UUIDS.get), renamed(RUN, UUIDS.get)),
        "Pass all ids as text",
        lambda: ndcg(
            renamed(TRUTH, lambda d: str(UUIDS[d])),
            renamed(RUN, lambda d: str(UUIDS[d])),
        ),
        EXPECTED,
    ),
    "ids that are floats": (
        lambda: ndcg(
            LABELS_FRAME.assign(item=LABELS_FRAME.item.str[1:].astype(float)),
            SCORES_FRAME.assign(item=SCORES_FRAME.item.str[1:].astype(float)),
        ),
        'Convert the ids: `.astype("int64")`',
        lambda: ndcg(
            LABELS_FRAME.assign(item=LABELS_FRAME.item.str[1:].astype("int64")),
            SCORES_FRAME.assign(item=SCORES_FRAME.item.str[1:].astype("int64")),
        ),
        EXPECTED,
    ),
    "labels next to ranks": (
        lambda: ndcg(
            LABELS_FRAME.assign(rank=RANKS.score)[["query", "label", "rank"]]
        ),
        'name them: `columns={"query": "query", "label": "label", "rank": '
        '"rank"}`.',
        lambda: ndcg(
            LABELS_FRAME.assign(rank=RANKS.score)[["query", "label", "rank"]],
            columns={"query": "query", "label": "label", "rank": "rank"},
        ),
        EXPECTED,
    ),
    "ranks as scores": (
        lambda: ndcg(TRUTH, RANKS),
        "For ranks, pass `higher_is_better=False`",
        lambda: ndcg(TRUTH, RANKS, higher_is_better=False),
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
        lambda: ndcg(
            _LABELS,
            _SCORES,
            sample_weight=pd.Series(np.arange(1.0, 7), index=range(1, 7)),
        ),
        "Pass `.tolist()` for weights in the order of the lists",
        lambda: ndcg(
            _LABELS, _SCORES, sample_weight=np.arange(1.0, 7).tolist()
        ),
        ndcg(_LABELS, _SCORES, sample_weight=np.arange(1.0, 7)),
    ),
    "its own id first": (
        lambda: ndcg(TRUTH, {q: {q: 9.0, **row} for q, row in RUN.items()}),
        "pass `drop_same_id=True`",
        lambda: ndcg(
            TRUTH,
            {q: {q: 9.0, **row} for q, row in RUN.items()},
            drop_same_id=True,
        ),
        EXPECTED,
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


def per_row(scores, query=LABELS_FRAME["query"], labels=LABELS_FRAME.label):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return krm.evaluate_rows(query, labels, scores, METRIC)[METRIC]


@pytest.mark.parametrize("name", ADVICE)
def test_advice_leads_to_the_right_number(name):
    passed, advice, followed, expected = ADVICE[name]
    with pytest.raises((TypeError, ValueError, UserWarning)) as error:
        passed()
    assert advice in str(error.value)
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
