"""Labels by subtopic with ids: from dicts, records, frames and files."""

import csv
import json

import numpy as np
import pytest
from pytest import approx

import keras_rankmetrics as krm

# Labels are drawn, some of them of unjudged items.
pytestmark = pytest.mark.filterwarnings(
    "ignore:.*Received. -2 to -1", "ignore:.*Received. labels from -2 to 2"
)

NAMES = ("query_id", "iteration", "doc_id", "relevance")
METRICS = "AlphaNDCG@5 SubtopicRecall@1 ERRIA NRBP PrecisionIA@3"
RUN = {
    f"q{query}": {f"d{item}": float((7 * query + 5 * item) % 9)}
    | {f"d{other}": 0.5 * other for other in range(item)}
    for query, item in [(1, 5), (2, 3), (3, 8)]
}


def drawn():
    """Rows (query, subtopic, item, label) in no order, some labels below 0."""
    rng = np.random.default_rng(1)
    rows = [
        (f"q{query}", f"t{subtopic}", f"d{item}", int(rng.integers(-2, 3)))
        for query in (1, 2, 3, 4)
        for item in rng.choice(9, 6, replace=False).tolist()
        for subtopic in rng.choice(query + 1, query, replace=False).tolist()
    ]
    return [rows[place] for place in rng.permutation(len(rows)).tolist()]


ROWS = drawn()


def nested():
    found = {}
    for query, subtopic, item, label in ROWS:
        found.setdefault(query, {}).setdefault(item, {})[subtopic] = label
    return found


def arrays():
    """What the metrics take: the same lists, filled up."""
    truth = nested()
    labels = np.full((4, 9, 5), -1.0)
    scores = np.full((4, 9), -np.inf)
    for place, (query, items) in enumerate(sorted(truth.items())):
        for item in range(9):
            of_item = items.get(f"d{item}", {})
            score = RUN.get(query, {}).get(f"d{item}")
            if any(label >= 0 for label in of_item.values()):
                for subtopic in range(5):
                    label = of_item.get(f"t{subtopic}", 0)
                    labels[place, item, subtopic] = max(label, 0)
            elif of_item or score is not None:
                labels[place, item] = krm.UNJUDGED
            if score is not None:
                scores[place, item] = score
    # Of equal items, the best order has that with the last id.
    return labels[:, ::-1], scores[:, ::-1]


def frame(rows=ROWS):
    pd = pytest.importorskip("pandas", reason="needs the extra [interop]")
    return pd.DataFrame(rows, columns=NAMES)


def qrels(folder):
    path = folder / "qrels.txt"
    lines = (" ".join(map(str, row)) for row in ROWS)
    path.write_text("\n".join(lines) + "\n")
    return path


def table(folder):
    path = folder / "qrels.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([NAMES, *ROWS])
    return path


def parquet(folder):
    path = folder / "qrels.parquet"
    frame().rename(columns={"iteration": "subtopic"}).to_parquet(path)
    return path


def json_lines(folder):
    path = folder / "qrels.jsonl"
    frame().to_json(path, orient="records", lines=True)
    return path


FORMS = {
    "dict": lambda folder: nested(),
    "frame": lambda folder: frame(),
    "records": lambda folder: [*frame().itertuples(index=False)],
    "iterator": lambda folder: frame().itertuples(index=False),
    "trec": qrels,
    "csv": table,
    "parquet": parquet,
    "jsonl": json_lines,
}


@pytest.mark.parametrize("form", FORMS)
def test_all_forms_have_the_numbers_of_arrays(form, tmp_path):
    found = krm.evaluate(FORMS[form](tmp_path), RUN, METRICS)
    expected = krm.evaluate(*arrays(), METRICS)
    assert dict(found) == approx(dict(expected), abs=1e-6)
    truth = krm.evaluate(nested(), RUN, METRICS).measured.truth
    assert found.measured.truth == truth


def test_several_systems():
    found = krm.compare(nested(), {"a": RUN, "b": RUN}, METRICS)
    values = found.measured.systems
    assert (values["a"].values == values["b"].values).all()


def test_an_order_of_ties_does_not_depend_on_rows():
    other = {q: dict(reversed(items.items())) for q, items in RUN.items()}
    for convention in (None, "ir_measures"):
        metrics = "alpha_nDCG@5" if convention else METRICS
        one, two = (
            krm.evaluate(nested(), run, metrics, convention=convention)
            for run in (RUN, other)
        )
        assert dict(one) == dict(two)


def test_the_column_is_reported_and_can_be_chosen():
    assert "subtopic=iteration" in str(krm.evaluate(frame(), RUN, METRICS))
    named = frame().rename(columns={"iteration": "nugget"})
    chosen = krm.evaluate(named, RUN, METRICS, columns={"subtopic": "nugget"})
    assert dict(chosen) == dict(krm.evaluate(frame(), RUN, METRICS))
    with pytest.raises(ValueError, match='"subtopic": "nugget"'):
        krm.evaluate(named, RUN, METRICS)


def test_one_subtopic_for_all(tmp_path):
    """The second column of ordinary judgements is there, and always 0."""
    path = tmp_path / "qrels.txt"
    path.write_text("q1 0 a 1\nq1 0 b 0\nq2 0 c 1\n")
    run = {"q1": {"b": 2.0, "a": 1.0}, "q2": {"c": 1.0}}
    metrics = "SubtopicRecall@1 PrecisionIA@2"
    with pytest.warns(UserWarning, match="by several subtopics. Received: o"):
        found = krm.evaluate(path, run, metrics)
    assert [*found.values()] == approx([0.5, 0.75])


FLAT = {"q1": {"d1": 1}}


@pytest.mark.parametrize(
    "truth, metrics, text",
    [
        (FLAT, METRICS, "labels by subtopic. Received: labels of items alone"),
        (nested(), "NDCG@5", "a label for each item. Received: labels by sub"),
        (nested(), "NDCG@5 ERRIA", "once for each kind"),
        (
            {"q1": {"d1": {"t": 1}, "d2": 1}},
            METRICS,
            "Received: 1 in the",
        ),
        ([*ROWS, ROWS[0]], METRICS, "'d.' of the query 'q.' twice in one sub"),
        (ROWS, "NDCG@5", "'d.' of the query 'q.' twice in the truth"),
    ],
)
def test_what_is_refused(truth, metrics, text):
    if isinstance(truth, list):
        truth = frame(truth)
    with pytest.raises((TypeError, ValueError), match=text):
        krm.evaluate(truth, RUN, metrics)


def test_files_without_subtopics_are_refused(tmp_path):
    path = tmp_path / "qrels.tsv"
    path.write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with pytest.raises(ValueError, match="one column for the subtopic"):
        krm.evaluate(path, RUN, METRICS)
    path.write_text("query-id\tcorpus-id\tscore\titeration\nq1\td1\t1\t\n")
    with pytest.raises(ValueError, match=r"line 2: .* item and subtopic"):
        krm.evaluate(path, RUN, METRICS)
    path = tmp_path / "qrels.json"
    path.write_text(json.dumps(FLAT))
    with pytest.raises(ValueError, match="a column for the subtopic"):
        krm.evaluate(path, RUN, METRICS)


def test_fields_of_a_record_are_no_subtopics():
    record = {"relevance": 2, "confidence": 4}
    truth = {"q": {"a": record, "b": {"relevance": 0, "confidence": 1}}}
    run = {"q": {"a": 0.1, "b": 0.9}}
    with pytest.raises(ValueError, match="the fields of a record"):
        krm.evaluate(truth, run, krm.AlphaNDCG(k=10))
    aspects = {"q": {"a": {"relevance": 1, "credibility": 0}, "b": {"news": 1}}}
    assert krm.evaluate(aspects, run, krm.AlphaNDCG(k=10))["alpha_ndcg@10"] > 0
