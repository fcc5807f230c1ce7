"""Systems that show no items below a score: `worst_score`."""

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.command.script.krm_command import main

TRUTH = {"q1": {"d1": 1, "d2": 1}, "q2": {}, "q3": {"d3": 1}}
RUN = {
    "q1": {"d1": 9, "d2": 2, "d4": 5},
    "q2": {"d2": 3},
    "q3": {"d1": 8, "d3": 1},
}
NAMES = "Recall@3 P@3 RR NDCG@3"


def shown(least):
    return {
        q: {d: s for d, s in x.items() if s >= least} for q, x in RUN.items()
    }


@pytest.mark.parametrize("kind", [int, float, np.float32, np.int64])
@pytest.mark.parametrize("least", [0, 2, 5, 8.5])
def test_items_below_it_are_not_retrieved(least, kind):
    run = {q: {d: kind(s) for d, s in x.items()} for q, x in RUN.items()}
    found = krm.evaluate(TRUTH, run, NAMES, worst_score=least)
    assert dict(found) == dict(krm.evaluate(TRUTH, shown(least), NAMES))
    left = sum(s < least for x in RUN.values() for s in x.values())
    text = f"retrieved=score>={least:g} (left out: {left})"
    assert text in " ".join(str(found).split())


def test_distances():
    run = {q: {d: 10 - s for d, s in x.items()} for q, x in RUN.items()}
    how = {"higher_is_better": False, "worst_score": 5}
    found = krm.evaluate(TRUTH, run, NAMES, **how)
    assert dict(found) == dict(krm.evaluate(TRUTH, shown(5), NAMES))
    assert "score<=5 (left out: 3)" in " ".join(str(found).split())


def test_a_number_that_float32_rounds():
    run = {"q1": {"d1": np.float32(0.7), "d2": np.float32(0.1)}}
    found = krm.evaluate(TRUTH, run, "P@3", worst_score=0.7)
    assert found["P@3"] == pytest.approx(1 / 3)


def test_with_chunks():
    run = {q: {f"{d}#0": s for d, s in x.items()} for q, x in RUN.items()}
    found = krm.evaluate(TRUTH, run, NAMES, worst_score=5, parents="#")
    assert dict(found) == dict(krm.evaluate(TRUTH, shown(5), NAMES))


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("a 0 x 1\nb 0 y 1\n")
    (tmp_path / "run.txt").write_text("a Q0 x 1 .4 r\nb Q0 y 1 .9 r\n")
    words = ["eval", "qrels.txt", "run.txt", "-m", "RR", "--format", "csv"]
    assert main([*words, "--worst-score", "0.5"]) == 0
    assert ",0.5," in capsys.readouterr().out


def test_errors():
    with pytest.raises(TypeError, match="`worst_score` should be the score"):
        krm.evaluate(TRUTH, RUN, NAMES, worst_score="0.5")
    for wrong in (float("nan"), True):
        with pytest.raises(TypeError, match="Pass one number"):
            krm.evaluate(TRUTH, RUN, NAMES, worst_score=wrong)
    run = {query: [*items] for query, items in RUN.items()}
    with pytest.raises(ValueError, match="`worst_score` is for runs with"):
        krm.evaluate(TRUTH, run, NAMES, worst_score=0)
    with pytest.raises(
        ValueError, match="`worst_score` is for inputs with ids"
    ):
        krm.evaluate([[0, 1]], [[0.5, 0.2]], "RR", worst_score=0.3)
    table = {"query": [1, 1], "item": [1, 2], "label": [0, 1], "score": [1, 2]}
    with pytest.raises(ValueError, match="is for a truth and a run"):
        krm.evaluate(table, metrics="RR", worst_score=0.3)


@pytest.mark.parametrize(
    ("least", "rejected"), [(None, 1 / 3), (3, 1 / 3), (4, 2 / 3), (9, 1.0)]
)
def test_questions_without_an_answer(least, rejected):
    """One has no run, one an empty truth, one irrelevant items alone."""
    truth = {**TRUTH, "q4": {"d1": 0}, "q5": {}}
    run = {**RUN, "q4": {"d1": 6}}
    names = "RejectionRate Recall(empty=skip)@3"
    found = krm.evaluate(truth, run, names, worst_score=least)
    assert found["RejectionRate"] == pytest.approx(rejected)
    alone = {query: TRUTH[query] for query in ("q1", "q3")}
    answered = krm.evaluate(alone, RUN, "Recall@3", worst_score=least)
    assert found["Recall(empty=skip)@3"] == pytest.approx(answered["Recall@3"])


def test_lists_below_the_score_are_no_lists_of_one_score(rng):
    scores = rng.random((60, 8))
    scores[:20] /= 2
    truth = {
        f"q{i}": {f"d{j}": int(j < 2) for j in range(8)} for i in range(60)
    }
    run = {
        query: dict(zip(items, row, strict=True))
        for (query, items), row in zip(
            truth.items(), scores.tolist(), strict=True
        )
    }
    found = krm.evaluate(truth, run, "RR", worst_score=0.6)
    assert not any("one score" in x for x in found.report.notes)
