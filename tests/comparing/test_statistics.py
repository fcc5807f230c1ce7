"""Quantiles, lower means and means corrected for a judge, in tables."""

import json
import math

import numpy as np
import pytest

import keras_rankmetrics as krm

SYSTEMS = ("old", "new")
RANDOM = np.random.default_rng(0)
LABELS = RANDOM.integers(0, 2, (60, 6))
LABELS[:, 0] = 1
SCORES = {name: RANDOM.normal(size=LABELS.shape) for name in SYSTEMS}
SCORES["new"] += LABELS
NDCG = krm.NDCG(k=3)
TAILS = [NDCG, krm.Quantiles(NDCG, [0.1, 0.5]), krm.LowerMean(NDCG, 0.2)]


def judged(rng, lists=200, labelled=60):
    human = rng.integers(0, 2, (lists, 5))
    human[:, 0] = 1
    judge = np.where(rng.random(human.shape) < 0.2, 1, human)
    human[rng.permutation(lists)[labelled:]] = -1
    return {"human": human, "judge": judge}


def by_id(arrays):
    """Return a dict by query and item, without the lists of labels below 0."""
    return {
        f"q{i}": {f"d{j}": x for j, x in enumerate(row)}
        for i, row in enumerate(np.asarray(arrays).tolist())
        if max(row) >= 0 or isinstance(row[0], float)
    }


def streamed(metric, scores, labels=LABELS):
    metric = metric.from_config(metric.get_config())
    metric.update_state(labels, scores)
    return metric


@pytest.mark.parametrize("form", [np.asarray, by_id])
def test_tails_are_those_of_the_metrics(form):
    systems = {name: form(x) for name, x in SCORES.items()}
    compared = krm.compare(form(LABELS), systems, TAILS)
    names = ["ndcg@3", "ndcg@3/p10", "ndcg@3/p50", "ndcg@3/lowest20"]
    assert list(compared.signatures) == names
    for name, cells in zip(
        compared.report.systems, compared.report.cells, strict=True
    ):
        _, *quantiles, lower = cells
        found = streamed(TAILS[1], SCORES[name])
        values = map(float, found.result().values())
        for cell, value in zip(quantiles, values, strict=True):
            assert cell.value == pytest.approx(value, abs=1 / 4096)
            assert math.isnan(cell.estimate.standard_error)
        tail = streamed(TAILS[2], SCORES[name]).estimate()
        assert lower.value == pytest.approx(tail.value, abs=1e-4)
        assert lower.estimate.standard_error == pytest.approx(
            tail.standard_error, rel=1e-2
        )


def test_values_of_lists_are_stored_once():
    found = krm.evaluate(LABELS, SCORES["old"], TAILS)
    assert list(found.per_list()) == ["query", "ndcg@3"]
    assert list(found) == list(found.signatures)
    low, high = found.estimates["ndcg@3/p10"].interval()
    assert low <= found["ndcg@3/p10"] <= high


def test_quantiles_have_no_test():
    compared = krm.compare(LABELS, SCORES, TAILS)
    cell = compared.to_dict()["systems"]["new"]["ndcg@3/p50"]
    assert cell["p"] is None and cell["mark"] == ""
    one, two = (x[2].value for x in compared.report.cells)
    assert cell["difference"] == pytest.approx(two - one)
    assert "quantiles have no test" in " ".join(compared.report.notes)
    with pytest.raises(ValueError, match="A verdict needs a metric whose"):
        compared.gate("ndcg@3/p50", tolerance=0.1)


def test_the_difference_of_lower_means_is_paired():
    compared = krm.compare(LABELS, SCORES, TAILS)
    cell = compared.to_dict()["systems"]["new"]["ndcg@3/lowest20"]
    means = compared.to_dict()["systems"]["new"]["ndcg@3"]
    old, new = (x[3] for x in compared.report.cells)
    assert cell["difference"] == pytest.approx(new.value - old.value, abs=1e-6)
    assert [cell[x] for x in ("wins", "ties", "losses")] == [
        means[x] for x in ("wins", "ties", "losses")
    ]
    t = cell["difference"] / cell["difference_error"]
    assert cell["t"] == pytest.approx(t)
    verdict = compared.gate("ndcg@3/lowest20", tolerance=0.5)
    assert verdict.difference.p == cell["p"]
    assert verdict.outcome == "pass"


def test_a_tail_of_one_list_has_no_test():
    """Its difference is unknown, although that of the tails is one number."""
    few = slice(0, 8)
    systems = {name: scores[few] for name, scores in SCORES.items()}
    lowest = krm.LowerMean(NDCG, 1 / 8)
    compared = krm.compare(LABELS[few], systems, [NDCG, lowest])
    [note] = [x for x in compared.report.notes if "no test" in x]
    assert note.startswith(f"new: the values that {lowest.name} is the mean of")
    assert "on each of" not in note
    _, cell = compared.report.cells[1]
    d = cell.difference
    for number in (d.estimate.standard_error, d.t, d.p, d.effect_size):
        assert math.isnan(number)
    assert (d.wins, d.ties, d.losses, d.bounded) != (0, 0, 0, True)
    assert d.bounded
    with pytest.raises(ValueError, match=r"do not vary, .* a larger `share`"):
        compared.gate(tolerance=0.1, metric=lowest.name)


def test_a_verdict_says_why_it_has_no_standard_error():
    """Where the tails of both are 0, a drop elsewhere would not show."""
    labels = [[1, 0]] * 30 + [[0, 1]] * 30
    scores = np.tile([2.0, 1.0], (60, 1))
    reversed_at_first = np.where(np.arange(60) < 2, -1, 1)[:, None]
    systems = {"old": scores, "new": scores * reversed_at_first}
    lowest = krm.LowerMean(krm.HitRateAtK(k=1))
    found = krm.compare(labels, systems, lowest)
    with pytest.raises(ValueError, match=r"mean of \+0 .* on 60 lists"):
        found.gate(tolerance=0.1)
    twice = krm.compare(labels, {"old": scores, "new": scores.copy()}, lowest)
    assert twice.gate(tolerance=0.1).outcome == "pass"
    first = {name: scores[:1] for name, scores in SCORES.items()}
    one = krm.compare(LABELS[:1], first, NDCG)
    with pytest.raises(
        ValueError, match=r"1 lists .* worth 1 .* Evaluate more"
    ):
        one.gate(tolerance=0.1)


def test_judges_read_each_system_twice():
    truth = {"human": {"q": {"a": 1}}, "judge": {"q": {"a": 1}}}
    once = {"x": iter([krm.Rows(["q"], ["a"], [1.0])])}
    with pytest.raises(ValueError, match=r"by a judge, .* iterators for"):
        krm.compare(truth, once, krm.JudgeCorrected(NDCG))


def test_two_columns_of_one_name():
    clash = [krm.Quantiles(NDCG, [0.1]), krm.LowerMean(NDCG, name="ndcg@3/p10")]
    with pytest.raises(ValueError, match="different names"):
        krm.evaluate(LABELS, SCORES["old"], clash)


def test_a_query_with_negative_human_labels_alone_has_none(rng):
    arrays, scores = judged(rng), by_id(rng.normal(size=(200, 5)))
    truth = {kind: by_id(labels) for kind, labels in arrays.items()}
    negative = {q: truth["human"].get(q, {"d0": -1}) for q in truth["judge"]}
    metric = krm.JudgeCorrected(NDCG)
    found = krm.evaluate(truth, scores, metric).estimates
    same = krm.evaluate({**truth, "human": negative}, scores, metric).estimates
    assert found == same
    assert found["ndcg@3/judge_corrected"].both == 60


def test_the_error_of_a_difference_of_lower_means(rng):
    """The error is that of samples that are drawn again (the bootstrap)."""
    compared = krm.compare(LABELS, SCORES, TAILS[2])
    values = [
        np.array(compared.per_list()["ndcg@3"])[i * 60 :][:60] for i in (0, 1)
    ]
    samples = rng.integers(0, 60, (4000, 60))
    lowest = [np.sort(x[samples], axis=1)[:, :12].mean(axis=1) for x in values]
    cell = compared.to_dict()["systems"]["new"]["ndcg@3/lowest20"]
    expected = np.std(lowest[1] - lowest[0])
    assert cell["difference_error"] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("form", [np.asarray, by_id])
def test_judges(form, rng):
    labels = judged(rng)
    scores = {
        name: rng.normal(size=labels["human"].shape) + shift * labels["judge"]
        for name, shift in zip(SYSTEMS, (0.0, 1.0), strict=True)
    }
    metric = krm.JudgeCorrected(krm.NDCG(k=3))
    truth = {kind: form(x) for kind, x in labels.items()}
    systems = {name: form(x) for name, x in scores.items()}
    compared = krm.compare(truth, systems, metric)
    for name, [cell] in zip(scores, compared.report.cells, strict=True):
        estimate = cell.estimate
        expected = streamed(metric, scores[name], labels).estimate()
        assert estimate.value == pytest.approx(expected.value, abs=1e-6)
        assert estimate.standard_error == pytest.approx(
            expected.standard_error, rel=1e-4
        )
        assert estimate.both == expected.both == 60
    [cell] = compared.to_dict()["systems"]["new"].values()
    values = compared.per_list()
    y, f = (
        np.array(values[name], float).reshape(2, -1)
        for name in ("ndcg@3", "ndcg@3/judge")
    )
    d, of_judge = y[1] - y[0], f[1] - f[0]
    has = ~np.isnan(d)
    n, others = has.sum(), (~has).sum()
    cov = np.cov(d[has], of_judge[has], ddof=0)[0, 1]
    weight = cov / ((1 + n / others) * np.var(of_judge, ddof=1) + 3 / n)
    rest = d[has] - weight * of_judge[has]
    value = weight * of_judge[~has].mean() + rest.mean()
    error = math.sqrt(
        rest.var() / (n - 2)
        + weight**2 * (of_judge[~has].var() / (others - 1) + 3 / n**2)
    )
    assert cell["difference"] == pytest.approx(value, abs=1e-9)
    [of_new] = compared.report.cells[1]
    assert of_new.difference.bounded
    assert cell["difference_error"] == pytest.approx(error, abs=1e-9)
    assert cell["mark"] == "better"


def test_a_query_without_human_labels(rng):
    truth = {kind: by_id(x) for kind, x in judged(rng, 40, 15).items()}
    assert len(truth["human"]) == 15 and len(truth["judge"]) == 40
    run = by_id(rng.normal(size=(40, 5)))
    metric = krm.JudgeCorrected(krm.NDCG(k=3))
    found = krm.evaluate(truth, run, metric, groups=dict.fromkeys(run, "en"))
    estimate = found.estimates[metric.name]
    assert (estimate.both, estimate.judge_only) == (15, 25)
    assert found.groups["en"][metric.name].value == found[metric.name]
    assert len(found.per_list()["query"]) == 40


def test_saved_and_joined():
    whole = krm.compare(LABELS, SCORES, TAILS)
    parts = [
        krm.compare(LABELS, {name: x}, TAILS) for name, x in SCORES.items()
    ]
    text = parts[0].to_json()
    both = krm.Compared.from_json(text).join(parts[1])
    assert both.to_dict() == whole.to_dict()
    assert krm.Compared.from_json(whole.to_json()).to_dict() == whole.to_dict()
    with pytest.raises(ValueError, match="the same list of metrics"):
        both.join(krm.compare(LABELS, {"odd": SCORES["old"]}, TAILS[:2]))


def test_a_file_of_an_earlier_version_has_means():
    values = json.loads(krm.compare(LABELS, SCORES, NDCG).to_json())
    assert "statistics" not in values["per_list"]
    assert list(krm.Compared.from_dict(values).signatures) == ["ndcg@3"]


def test_groups():
    groups = ["a", "b"] * 30
    found = krm.evaluate(LABELS, SCORES["old"], TAILS, groups=groups)
    alone = krm.evaluate(LABELS[::2], SCORES["old"][::2], TAILS)
    for name, estimate in found.groups["a"].items():
        assert estimate.value == pytest.approx(alone[name], abs=1e-6)


@pytest.mark.parametrize(
    ("metrics", "truth", "message"),
    [
        (krm.JudgeCorrected(NDCG), LABELS, "`truth` should be"),
        ([NDCG], judged(RANDOM), "each metric should be `JudgeCorrected`"),
        (
            [krm.NDCG(k=5, name="ndcg@3"), krm.LowerMean(NDCG)],
            LABELS,
            "Metrics of the same name should be the same metric",
        ),
        (krm.JudgeCorrected(NDCG), judged(RANDOM, 60, 5), "at least 10 lists"),
    ],
)
def test_errors(metrics, truth, message, rng):
    scores = {"s": rng.normal(size=(len(LABELS), 6))}
    if isinstance(truth, dict):
        scores["s"] = rng.normal(size=truth["human"].shape)
    with pytest.raises(ValueError, match=message):
        print(krm.compare(truth, scores, metrics))


def test_a_value_that_is_nan_makes_its_statistics_nan():
    scores = SCORES["old"].copy()
    scores[3, 2] = math.nan
    found = krm.evaluate(LABELS, scores, TAILS)
    assert all(map(math.isnan, found.values()))
    assert all(map(math.isnan, found.estimates["ndcg@3/p10"].interval()))


def test_a_quantile_has_no_confidence_sequence():
    estimate = krm.evaluate(LABELS, SCORES["old"], TAILS).estimates
    compared = krm.compare(LABELS, SCORES, TAILS)
    cell = compared.to_dict()["systems"]["new"]["ndcg@3/p50"]
    assert cell["difference_low"] is cell["difference_margin"] is None
    for name in ("ndcg@3/p50", "ndcg@3/lowest20"):
        with pytest.raises(ValueError, match="needs a plain mean"):
            estimate[name].anytime_interval()


def test_means_are_not_taken_from_a_table_of_other_statistics(rng):
    """Else the values of a judge could pass for those by humans."""
    labels = judged(rng, 40, 20)
    scores = {"s": rng.normal(size=(40, 5))}
    saved = krm.compare(labels, scores, krm.JudgeCorrected(NDCG)).measured
    assert saved.by(saved.metrics[:1]) is saved


@pytest.mark.parametrize("of_arrays", [True, False])
def test_one_run_under_two_names(of_arrays):
    """A gate may compare a run with itself, and a few lists may be alike."""
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, (30, 8)), rng.normal(size=(30, 8))

    def compared(number, other):
        sides = labels[:number], scores[:number], other[:number]
        if not of_arrays:
            sides = [dict(enumerate(map(enumerate, x.tolist()))) for x in sides]
            sides = [{q: dict(x) for q, x in side.items()} for side in sides]
        truth, old, new = sides
        return krm.compare(truth, {"old": old, "new": new}, "NDCG@5")

    words = "new: ranks all items of all lists as old does."
    same = compared(30, scores.copy())
    assert words in str(same)
    assert words not in str(same.gate("NDCG@5", tolerance=0.5))
    for number, other in ((9, scores), (30, scores[::-1])):
        assert words not in str(compared(number, other))
