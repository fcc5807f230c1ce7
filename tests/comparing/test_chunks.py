"""Runs of chunks next to a truth of documents: `parents`."""

import json

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main

METRICS = "NDCG@5 Recall@3 P@3 RR MAP"
TRUTH = {
    f"q{i}": {f"d{j}": (i * j) % 3 for j in range(1, 8)} for i in range(1, 13)
}


@pytest.fixture
def chunks(rng):
    """The scores of chunks, some of which tie, by query."""
    return {
        query: {
            f"d{d}#{c}": float(rng.integers(0, 12))
            for d in rng.permutation(12)[:6]
            for c in rng.permutation(9)[: rng.integers(1, 4)]
        }
        for query in TRUTH
    }


def document(chunk):
    return chunk.split("#")[0]


def best(scores, document=document):
    """The best score of each document, in plain Python."""
    found = {}
    for chunk, score in scores.items():
        at = document(chunk)
        found[at] = max(score, found.get(at, -np.inf))
    return found


def same(found, expected):
    assert dict(found) == pytest.approx(dict(expected), abs=1e-6)


def forms(chunks):
    rows = [(q, c, s) for q, found in chunks.items() for c, s in found.items()]
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(rows, columns=["query", "item", "score"])
    return {
        "dict": chunks,
        "hits": {
            query: [
                {"id": c, "score": s}
                for c, s in sorted(found.items(), key=lambda pair: -pair[1])
            ]
            for query, found in chunks.items()
        },
        "frame": frame,
        "shuffled": frame.sample(frac=1, random_state=1),
    }


@pytest.mark.parametrize("form", ["dict", "hits", "frame", "shuffled"])
def test_a_document_counts_at_its_best_chunk(form, chunks):
    expected = krm.evaluate(
        TRUTH, {query: best(found) for query, found in chunks.items()}, METRICS
    )
    documents = {c: document(c) for found in chunks.values() for c in found}
    run = forms(chunks)[form]
    pd = pytest.importorskip("pandas")
    for parents in ("#", document, documents, pd.Series(documents)):
        found = krm.evaluate(TRUTH, run, METRICS, parents=parents)
        same(found, expected)
    later = sum(len(x) - len(best(x)) for x in chunks.values())
    words = f"documents=those of chunks (later ones left out: {later:,})"
    assert words in " ".join(str(found).split())
    both = krm.compare(TRUTH, {"a": run, "b": run}, METRICS, parents="#")
    assert both.to_dict()["systems"]["b"]["RR"]["value"] == expected["RR"]


def test_later_chunks_that_keep_their_ranks(chunks):
    """As a run in which each of them is an item that nobody judged."""

    def others(found):
        seen, renamed = {}, {}
        for chunk, score in sorted(found.items(), key=lambda pair: -pair[1]):
            first = seen.setdefault(document(chunk), chunk)
            renamed[document(chunk) if first is chunk else chunk] = score
        return renamed

    run = {query: others(found) for query, found in chunks.items()}
    found, expected = (
        krm.evaluate(TRUTH, x, METRICS, **options)
        for x, options in (
            (chunks, {"parents": "#", "duplicates": "unjudged"}),
            (run, {}),
        )
    )
    same(found, expected)
    assert "(later ones unjudged:" in " ".join(str(found).split())


def test_numbers_of_documents_and_distances(rng):
    """Ids of FAISS are numbers of chunks; `parents` numbers their documents."""
    parents = dict(enumerate(rng.integers(0, 20, 90).tolist()))
    distances = np.sort(rng.random((12, 30)), axis=1)
    ids = np.stack([rng.permutation(90)[:30] for _ in range(12)])
    truth = {q: {int(x): 1 for x in rng.permutation(20)[:4]} for q in range(12)}
    run = {
        q: best(dict(zip(row.tolist(), -of_row, strict=True)), parents.get)
        for q, (row, of_row) in enumerate(zip(ids, distances, strict=True))
    }
    found = krm.evaluate(
        truth,
        (ids, distances),
        METRICS,
        higher_is_better=False,
        parents=parents,
    )
    same(found, krm.evaluate(truth, run, METRICS))
    kept = krm.evaluate(
        truth,
        (ids, distances),
        METRICS,
        higher_is_better=False,
        parents=parents.get,
        duplicates="unjudged",
    )
    assert kept["RR"] < found["RR"]


@pytest.mark.parametrize("command", ["eval", "gate", "doctor", "explain"])
def test_the_command(command, chunks, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [f"{q} 0 {d} {x}" for q, of in TRUTH.items() for d, x in of.items()]
    (tmp_path / "qrels.txt").write_text("\n".join(lines))
    for name, run in (
        ("chunks", chunks),
        ("best", {query: best(found) for query, found in chunks.items()}),
    ):
        (tmp_path / f"{name}.txt").write_text(
            "\n".join(
                f"{query} Q0 {item} {rank} {score} r"
                for query, found in run.items()
                for rank, (item, score) in enumerate(
                    sorted(found.items(), key=lambda pair: -pair[1]), 1
                )
            )
        )
    run = krm.evaluate(
        TRUTH, {query: best(found) for query, found in chunks.items()}, "RR"
    )
    value = f"{run['RR']:.4f}"
    more = {
        "eval": ["-m", "RR", "--format", "json"],
        "gate": [value, "-m", "RR", "--tolerance", "0.001", "--json"],
        "doctor": ["-k", "1"],
        "explain": [value, "-m", "RR", "--truth", "qrels.txt"],
    }
    printed = []
    for name, option in (("chunks", ["--parents", "#"]), ("best", [])):
        files = ["qrels.txt", f"{name}.txt"]
        words = [*files, *more[command]]
        if command == "explain":
            words = [*more[command], "--run", files[1]]
        main([command, *words, *option])
        printed.append(capsys.readouterr().out.replace(f"{name}.txt", "RUN"))
    if command == "eval":
        chunks, plain = map(json.loads, printed)
        assert chunks["metrics"] == plain["metrics"]
    elif command == "explain":
        assert "--parents '#'" in printed[0]
    else:
        assert printed[0].splitlines()[0] == printed[1].splitlines()[0]


def test_advice_on_chunks_is_the_argument(chunks):
    with pytest.warns(UserWarning, match="the number of a chunk") as caught:
        krm.evaluate(TRUTH, chunks, METRICS)
    assert any('pass `parents="#"`' in str(x.message) for x in caught)


@pytest.mark.parametrize(
    ("parents", "error", "message"),
    [
        ("::", ValueError, "items without the mark '::', such as 'd"),
        ({"d1#0": "d1"}, ValueError, "without a document in `parents`"),
        (lambda chunk: None, ValueError, "without a document in `parents`"),
        ("", TypeError, r"Received: ''. Write `parents=\"#\"`"),
        (3, TypeError, "should be a dict of documents by chunk"),
    ],
)
def test_errors(parents, error, message, chunks):
    with pytest.raises(error, match=message):
        krm.evaluate(TRUTH, chunks, METRICS, parents=parents)


def test_a_chunk_of_two_documents(chunks):
    pd = pytest.importorskip("pandas")
    parents = pd.Series(["d1", "d2"], ["d1#0", "d1#0"])
    with pytest.raises(ValueError, match="'d1' and 'd2' for 'd1#0'"):
        krm.evaluate(TRUTH, chunks, METRICS, parents=parents)


def test_inputs_without_chunks_refuse_parents():
    table = {"query": [1, 1], "item": [1, 2], "label": [0, 1], "score": [1, 2]}
    with pytest.raises(ValueError, match="`parents` is for a truth and a run"):
        krm.evaluate(table, metrics="RR", parents="#")
    with pytest.raises(ValueError, match="`parents` is for inputs with ids"):
        krm.evaluate([[0, 1]], [[0.5, 0.2]], "RR", parents="#")
