"""Verdicts: whether a system is worse than a baseline beyond a tolerance."""

import dataclasses
import itertools
import json
import math

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.comparing.measured import Measured, Overlap, Values
from keras_rankmetrics.engine.aggregates import PerList
from keras_rankmetrics.engine.aggregates.paired import Statistic, means

# Student's t with 4 degrees of freedom, at .975 and .95, by scipy.
T975, T95 = 2.7764451051977987, 2.1318467863266499

# Exact in float32: the mean is -1/16, the sum of squares around it 9/64.
OLD = [0.5, 0.5, 0.5, 0.5, 0.5]
NEW = [0.5, 0.25, 0.25, 0.5, 0.6875]
MEAN = -1 / 16
ERROR = math.sqrt(9 / 64 / 20)


def compared_of(
    old,
    new,
    *,
    up=True,
    bounded=False,
    valid=None,
    overlaps=(),
    weights=None,
    **options,
):
    """A comparison of two systems with these values of lists."""
    one, two = overlaps or (Overlap(), Overlap())
    valid = np.ones((2, len(old)), bool) if valid is None else valid
    weights = np.ones(len(old)) if weights is None else weights
    systems = {
        name: Values(
            np.array([x], float),
            valid[None],
            weights[None],
            overlap=overlap,
        )
        for name, x, valid, overlap in zip(
            ("old", "new"), (old, new), valid, (one, two), strict=True
        )
    }
    measure = Statistic("m", "m|version", up, bounded)
    return krm.Compared(
        Measured((measure,), tuple(range(len(old))), "truth", systems),
        **options,
    )


def test_the_interval_is_that_of_the_paired_t_test():
    verdict = compared_of(OLD, NEW).gate(tolerance=0.01)
    estimate = verdict.difference.estimate
    assert (estimate.value, estimate.lists) == (MEAN, 5)
    assert estimate.standard_error == pytest.approx(ERROR, rel=1e-6)
    ends = MEAN - T975 * ERROR, MEAN + T975 * ERROR
    assert verdict.interval == pytest.approx(ends, rel=1e-6)
    assert math.isnan(verdict.detectable)  # five lists do not say
    assert (verdict.difference.system, verdict.metric) == ("new", "m")
    assert (verdict.difference.baseline, verdict.level) == ("old", 0.95)


def test_scipy_has_the_same_interval():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    old, new = rng.random((2, 60)).astype(np.float32).astype(float)
    verdict = compared_of(old, new).gate(tolerance=0.01, level=0.9)
    test = stats.ttest_rel(new, old).confidence_interval(0.9)
    assert verdict.interval == pytest.approx(tuple(test), abs=1e-7)
    quantiles = stats.t.ppf(0.95, 59) + stats.t.ppf(0.8, 59)
    error = stats.sem(new - old)
    assert verdict.detectable == pytest.approx(quantiles * error, rel=1e-6)


LOW, HIGH = MEAN - T975 * ERROR, MEAN + T975 * ERROR


@pytest.mark.parametrize(
    ("shift", "tolerance", "outcome"),
    [
        (0, -LOW + 1e-4, "pass"),
        (0, -LOW - 1e-4, "undecided"),
        (0, 0, "undecided"),
        (0.25, 0.25 - HIGH + 1e-4, "undecided"),
        (0.25, 0.25 - HIGH - 1e-4, "fail"),
        (0.25, 0, "fail"),
        (-0.375, 0, "pass"),
    ],
)
def test_outcomes_where_an_end_is_next_to_the_tolerance(
    shift, tolerance, outcome
):
    old = [x + shift for x in OLD]
    up = compared_of(old, NEW).gate(tolerance=tolerance)
    # Where lower values are better, the same numbers with the other sign.
    down = [1 - x for x in old], [1 - x for x in NEW]
    turned = compared_of(*down, up=False).gate(tolerance=tolerance)
    for verdict in (up, turned):
        assert verdict.outcome == outcome
        code = {"pass": 0, "fail": 1, "undecided": 3}[outcome]
        assert verdict.exit_code == code
        assert bool(verdict) == (outcome == "pass")
        old, new = (
            np.mean(x) for x in (down if verdict is turned else (old, NEW))
        )
        moved = "fell" if new < old else "rose"
        assert str(verdict).startswith(
            f"{outcome}: m {moved} from {old:.4f} (old) to {new:.4f} (new) on "
        )
    change = up.difference.estimate.value
    assert turned.difference.estimate.value == -change  # as the metric has it
    assert "drop" in str(up) and "rise" in str(turned)
    assert up.bounds == pytest.approx(up.interval)
    assert turned.bounds == pytest.approx(up.bounds)


def test_the_level_is_that_of_the_comparison_unless_it_is_passed():
    compared = compared_of(OLD, NEW, confidence=0.9)
    ends = MEAN - T95 * ERROR, MEAN + T95 * ERROR
    by_default = compared.gate(tolerance=0.01)
    assert by_default.interval == pytest.approx(ends, rel=1e-6)
    assert by_default == compared_of(OLD, NEW).gate(tolerance=0.01, level=0.9)


def test_the_sentences():
    verdict = compared_of(OLD, NEW).gate(tolerance=0.01)
    assert str(verdict) == (
        "undecided: m fell from 0.5000 (old) to 0.4375 (new) on 5 lists, "
        "perhaps a drop of more than 0.01. The change is -0.0625, with the 95% "
        f"interval {LOW:+.4f} to {HIGH:+.4f}. Too few lists, or too few that "
        "differ, to say how small a change is noticed. A tolerance of 0.2954 "
        "would pass; more lists would not help, if the change stays. "
        "Won 1 and lost 2 of the lists. Lost most, 100% of all losses: 1 "
        "(0.5000 to 0.2500), 2 (0.5000 to 0.2500)."
    )
    verdict = compared_of(OLD * 12, NEW * 12).gate(tolerance=0.03)
    assert (
        "With 60 lists like these, a true drop of "
        f"{verdict.detectable:.4f} is noticed 80% of the time. A tolerance of "
        "0.1062 would pass; more lists would not help, if the change stays. "
        "Won 12 and lost 24 of the lists. Lost most, 12% of all losses: 1 "
        "(0.5000 to 0.2500)"
    ) in str(verdict)
    line = verdict.to_markdown()
    assert line == "**undecided**" + str(verdict).removeprefix("undecided")


def test_the_line_of_markdown_is_one_line_and_escapes_names():
    missing = Overlap(missing=2, retrieved=9, judged=9, judgements=9)
    compared = compared_of(OLD, NEW, overlaps=(missing, missing))
    measured = compared.measured
    systems = dict(
        zip(("a|b", "new_1_"), measured.systems.values(), strict=True)
    )
    verdict = krm.Compared(measured._replace(systems=systems)).gate(tolerance=0)
    assert verdict.notes == (
        "a|b: 2 of 5 queries have no rows, and count as lists that retrieve "
        "nothing.",
        "new_1_: 2 of 5 queries have no rows, and count as lists that retrieve "
        "nothing.",
    )
    assert str(verdict).splitlines()[1:] == list(verdict.notes)
    line = verdict.to_markdown()
    assert "\n" not in line and r"new\_1\_" in line and r"a\|b" in line
    assert line.startswith("**undecided**: ") and "2 of 5 queries" in line


@pytest.mark.parametrize("bounded", [True, False])
def test_equal_values_of_other_rankings_are_undecided(bounded):
    """Lists that none of the sample is of may lose all."""
    compared = compared_of(NEW, NEW, bounded=bounded)
    verdict = compared.gate(tolerance=0.5)
    assert verdict.outcome == "undecided" and math.isnan(verdict.detectable)
    assert verdict.unseen == pytest.approx(1 - 0.025 ** (1 / 5))
    if not bounded:
        said = "All lists have the same difference: others may differ."
        assert said in str(verdict)
    assert (compared.gate(tolerance=0.8).outcome == "pass") == bounded


def test_the_interval_alone_does_not_decide():
    """Small differences, and lists that the sample lacks."""
    compared = compared_of(OLD * 12, NEW * 12, bounded=True)
    verdict = compared.gate(tolerance=0.11)
    assert verdict.interval[0] > -0.11 and verdict.outcome == "undecided"
    assert (
        "The interval alone would decide, but up to 6.0% of all lists may be "
        "of a kind that these lack, and lose or gain all."
    ) in str(verdict)
    assert compared.gate(tolerance=0.12).outcome == "pass"
    assert compared.gate(tolerance=0.01).outcome == "undecided"
    assert (
        compared_of(OLD * 12, NEW * 12).gate(tolerance=0.01).outcome == "fail"
    )


def test_equal_rankings_pass_at_any_tolerance():
    [old, _] = compared_of(NEW, NEW).measured.systems.values()
    compared = compared_of(NEW, NEW)
    for fingerprints, outcome in [
        (("a", "a"), "pass"),
        (("a", "b"), "undecided"),
        (("", ""), "undecided"),  # saved by an earlier version
    ]:
        systems = {
            name: old._replace(ranking=x)
            for name, x in zip(("old", "new"), fingerprints, strict=True)
        }
        measured = compared.measured._replace(systems=systems)
        verdict = krm.Compared(measured).gate(tolerance=0)
        assert verdict.outcome == outcome
    assert krm.Compared(measured).gate(tolerance=0).same is False


def gated(one, other, form):
    truth = {f"q{q}": {"a": 1, "b": 0, "c": 0} for q in range(4)}
    systems = {"old": form(one), "new": form(other)}
    return krm.compare(truth, systems, krm.HitRateAtK(k=1)).gate(tolerance=0)


def run_of(*scores):
    return {
        f"q{q}": dict(zip("abc", of_query, strict=True))
        for q, of_query in enumerate(scores)
    }


@pytest.mark.parametrize("form", [dict, lambda x: dict(reversed(x.items()))])
def test_rankings_are_equal_whatever_the_scores(form):
    one = run_of([3, 2, 1], [0.5, 0.5, 0.1], [9, 8, 7], [1, 0, -1])
    other = run_of([30, 2, 1], [0.2, 0.2, 0.1], [3, 2, 1], [3, 2, 1])
    assert gated(one, other, form).same
    swapped = run_of([30, 1, 2], [0.2, 0.2, 0.1], [3, 2, 1], [3, 2, 1])
    untied = run_of([30, 2, 1], [0.3, 0.2, 0.1], [3, 2, 1], [3, 2, 1])
    for another in (swapped, untied):
        verdict = gated(one, another, form)
        assert not verdict.same and verdict.outcome != "pass"


def test_equal_scores_of_arrays_are_equal_rankings():
    labels, scores = np.eye(3), np.eye(3)
    for other, same in [(scores.copy(), True), (2 * scores, False)]:
        systems = {"old": scores, "new": other}
        compared = krm.compare(labels, systems, krm.HitRateAtK(k=1))
        assert compared.gate(tolerance=0).same == same


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize(
    ("lists", "drop", "outcome"),
    [(2, 0.3, "undecided"), (40, 0.3, "fail"), (40, 0.02, "undecided")],
)
def test_the_same_drop_on_all_lists_is_bounded_by_unseen_lists(
    lists, drop, level, outcome
):
    old = np.linspace(0.5, 1, lists)  # rounded differently in each list
    new = (old - drop).astype(np.float32)
    compared = compared_of(old, new, bounded=True)
    verdict = compared.gate(tolerance=0.01, level=level)
    assert verdict.outcome == outcome
    assert verdict.difference.estimate.standard_error == 0
    unseen = 1 - ((1 - level) / 2) ** (1 / lists)
    expected = [(1 - unseen) * -drop + unseen * end for end in (-1, 1)]
    (low, high), (worst, best) = verdict.interval, verdict.bounds
    assert low < -drop < high
    ends = min(low, expected[0]), max(high, expected[1])
    assert (worst, best) == pytest.approx(ends, abs=1e-6)
    # Without bounds of the metric, nothing is known of other lists.
    assert compared_of(old, new).gate(tolerance=0.01).outcome == "undecided"


def test_the_queries_that_lost_most():
    old = np.array([1.0, 0.9, 0.5, 0.8, 0.7, 0.6])
    new = np.array([0.5, 0.9, 0.9, 0.7, 0.4, 0.5])
    valid = np.ones((2, 6), bool)
    valid[:, 5] = False
    verdict = compared_of(old, new, valid=valid, bounded=True).gate(tolerance=0)
    assert [x.query for x in verdict.losses] == [0, 4, 3]
    assert verdict.losses[0][1:3] == (1.0, 0.5)
    assert [x.share for x in verdict.losses] == pytest.approx(
        [5 / 9, 3 / 9, 1 / 9]
    )
    said = "Lost most, 100% of all losses: 0 (1.0000 to 0.5000), 4 (0.7000 to"
    assert said in str(verdict) and said in verdict.to_markdown()
    found = json.loads(verdict.to_json())
    assert found["losses"][0] == {
        "query": 0,
        "baseline": 1.0,
        "system": 0.5,
        "share": pytest.approx(5 / 9),
    }
    assert found["outcome"] == "undecided" and found["detectable"] is None
    assert found["interval"] == list(verdict.interval)
    # Where lower values are better, the lists that rise lose.
    down = compared_of(old, new, up=False, valid=valid).gate(tolerance=0)
    assert [x.query for x in down.losses] == [2]
    assert not compared_of(new, new).gate(tolerance=0).losses


@pytest.mark.long
def test_equal_means_with_rare_gains_seldom_fail():
    random, fails = np.random.default_rng(0), 0
    for _ in range(1000):
        # 95% of lists lose .025, and 5% gain .475.
        change = np.where(random.random(20) < 0.05, 0.475, -0.025)
        if len(set(change)) == 1:
            compared = compared_of([0.5] * 20, 0.5 + change, bounded=True)
            fails += compared.gate(tolerance=0).outcome == "fail"
    assert fails == 0


def test_names_are_those_of_the_comparison():
    labels, rng = [[1, 0, 0]] * 9, np.random.default_rng(0)
    systems = {name: rng.random((9, 3)) for name in ("a", "b", "c")}
    metrics = [krm.NDCG(k=2), krm.MeanReciprocalRank()]
    compared = krm.compare(labels, systems, metrics, baseline="b")
    verdict = compared.gate("mrr", "c", tolerance=0.5)
    cell = compared.to_dict()["systems"]["c"]["mrr"]
    estimate = verdict.difference.estimate
    assert estimate.value == pytest.approx(cell["difference"])
    assert estimate.standard_error == pytest.approx(cell["difference_error"])
    assert verdict.difference.wins == cell["wins"]
    for arguments, received in [
        (
            ("mrr",),
            "`system` should name one of ['a', 'c']. Received: None. Name one "
            "system, or call it for each.",
        ),
        (("mrr", "b"), "one of ['a', 'c']. Received: 'b'."),
        (
            (None, "a"),
            "`metric` should name one of ['ndcg@2', 'mrr']. Received: None. "
            "Name one metric, or call it for each.",
        ),
        (("NDCG@2", "a"), "Received: 'NDCG@2'."),
    ]:
        with pytest.raises(ValueError) as error:
            compared.gate(*arguments, tolerance=0.1)
        assert str(error.value).endswith(received)
    alone = krm.compare(labels, {"a": systems["a"]}, krm.NDCG())
    with pytest.raises(ValueError, match=r"a baseline alone"):
        alone.gate(tolerance=0.1)


@pytest.mark.parametrize(
    "tolerance",
    [-0.01, math.nan, math.inf, "1%", "0,01", True, "1e400", 10**400],
)
def test_a_tolerance_that_is_refused(tolerance):
    with pytest.raises(ValueError, match="`tolerance` should be a number of"):
        compared_of(OLD, NEW).gate(tolerance=tolerance)


def test_a_drop_of_1_cannot_happen_to_values_from_0_to_1():
    compared = compared_of(OLD, NEW)
    assert compared.gate(tolerance=5).outcome == "pass"
    [measure] = compared.measured.metrics
    bounded = (measure._replace(bounded=True),)
    compared = krm.Compared(compared.measured._replace(metrics=bounded))
    assert compared.gate(tolerance=0.99).outcome == "pass"
    for tolerance in (1, 5.0):
        with pytest.raises(ValueError, match=r"below 1 .* 0.01 for 1%|0.01"):
            compared.gate(tolerance=tolerance)


@pytest.mark.parametrize(
    "level", [0, 1, -0.5, 95, math.nan, "0.95", 1e-300, 1 - 1.2e-16, 10**400]
)
def test_a_level_that_is_refused(level):
    with pytest.raises(ValueError, match="`level` should be a number between"):
        compared_of(OLD, NEW).gate(tolerance=0.01, level=level)


@pytest.mark.parametrize(
    ("old", "new", "valid"),
    [
        ([0.5], [0.25], None),
        ([0.5, 0.25], [0.5, math.nan], None),
        ([0.5, 0.25, 1], [0.5, 0.5, 1], [[1, 0, 0], [1, 0, 0]]),
    ],
)
@pytest.mark.parametrize("up", [True, False])
def test_too_few_lists_and_nan_are_refused(old, new, valid, up):
    valid = None if valid is None else np.array(valid, bool)
    with pytest.raises(ValueError, match="needs a difference with a standard"):
        compared_of(old, new, up=up, valid=valid).gate(tolerance=0.01)


def test_no_lists_at_all_are_refused():
    none = np.zeros((2, 5), bool)
    for up in (True, False):
        with pytest.raises(ValueError, match=r"value 0 on|standard error"):
            compared_of(OLD, NEW, up=up, valid=none).gate(tolerance=0.01)


@pytest.mark.parametrize("place", [0, 1])
def test_a_system_of_zeros_is_refused(place):
    small = [0.004, 0.0, 0.005, 0.002, 0.003]  # within the tolerance of zeros
    values = [small, small]
    values[place] = [0.0] * 5
    name = ("old", "new")[place]
    with pytest.raises(ValueError, match=f"'{name}' should .* 0 on all lists"):
        compared_of(*values).gate(tolerance=0.01)
    # Where lower values are better, these are the best.
    assert compared_of(small, [0.0] * 5, up=False).gate(tolerance=0.01)


def test_lists_that_count_for_one_system_alone_are_refused():
    masks = np.array([[1, 1, 1, 1, 1], [1, 1, 1, 0, 1]], bool)
    for valid in (masks, masks[::-1]):
        with pytest.raises(ValueError, match="count for one system alone"):
            compared_of(OLD, NEW, valid=valid).gate(tolerance=0.01)
    both = np.array([masks[1]] * 2)
    assert (
        compared_of(OLD, NEW, valid=both)
        .gate(tolerance=0.01)
        .difference.estimate.lists
        == 4
    )


TRUTH = {f"q{q}": {f"d{q}": 1, f"e{q}": 1} for q in range(8)}
GOOD = {f"q{q}": {f"d{q}": 2.0, "x": 1.0 + q % 2 * 2} for q in range(8)}


def test_a_system_whose_ids_match_nothing_is_refused():
    upper = {q: {"D": 2.0, "X": 1.0} for q in TRUTH}
    metrics = [krm.NDCG(), krm.MeanRank()]
    for systems in ({"a": GOOD, "b": upper}, {"a": upper, "b": GOOD}):
        with pytest.warns(UserWarning, match="are judged"):
            compared = krm.compare(TRUTH, systems, metrics)
        for metric in ("ndcg", "mean_rank"):
            with pytest.raises(ValueError, match=r"0 judged items\. For the q"):
                compared.gate(metric, tolerance=1)


def test_a_system_whose_items_are_not_retrieved_is_refused():
    nothing = {q: {"x": -math.inf} for q in TRUTH}
    compared = krm.compare(TRUTH, {"a": GOOD, "b": nothing}, krm.MeanRank())
    with pytest.raises(ValueError, match="0 judged items"):
        compared.gate(tolerance=10)


def test_missing_queries_count_as_retrieving_nothing_and_are_noted():
    part = {q: GOOD[q] for q in list(GOOD)[:5]}
    found = krm.compare(TRUTH, {"a": GOOD, "b": part}, krm.RecallAtK(k=1))
    verdict = found.gate(tolerance=0.01)
    lost = sum(
        d > x for d, x in (GOOD[q].values() for q in GOOD if q not in part)
    )
    assert verdict.difference.estimate.value == -lost / 2 / 8
    assert verdict.notes == (
        "b: 3 of 8 queries have no rows, and count as lists that retrieve "
        "nothing.",
    )


def test_missing_queries_are_refused_where_they_would_be_the_best():
    """A list that retrieves nothing has the mean rank 1."""
    part = {q: GOOD[q] for q in list(GOOD)[:5]}
    for systems in ({"a": GOOD, "b": part}, {"a": part, "b": GOOD}):
        compared = krm.compare(TRUTH, systems, krm.MeanRank())
        with pytest.raises(ValueError, match="no rows for 3 of them"):
            compared.gate(tolerance=1)
    # AUC leaves such lists out.
    truth = {q: {**items, "x": 0} for q, items in TRUTH.items()}
    compared = krm.compare(truth, {"a": GOOD, "b": part}, krm.AUC())
    with pytest.raises(ValueError, match="count for one system alone"):
        compared.gate(tolerance=1)


def test_a_saved_comparison_has_the_same_verdict():
    compared = compared_of(OLD, NEW)
    again = krm.Compared.from_json(compared.to_json())
    assert again.gate(tolerance=0.01) == compared.gate(tolerance=0.01)


# Equivalence, and what would decide

VALUES_OF_OLD = np.random.default_rng(7).uniform(0.2, 0.8, 100)
NOISE = np.random.default_rng(8).normal(0, 0.1, 100)


def moved(change=0.0, times=1, **options):
    """New values with noise, whose mean moves by the change."""
    new = VALUES_OF_OLD + NOISE - NOISE.mean() + change
    both = np.tile(VALUES_OF_OLD, times), np.tile(new, times)
    return compared_of(*both, bounded=True, **options)


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    ("change", "equivalent", "outcome"),
    [
        (0.0, 0.05, "pass"),
        (0.0, 0.01, "undecided"),
        (0.1, 0.01, "fail"),
        (0.1, 0.1, "undecided"),
        (0.1, 0.2, "pass"),
    ],
)
def test_equivalence_is_two_tests(up, sign, change, equivalent, outcome):
    compared = moved(sign * change, up=up)
    verdict = compared.gate(equivalent=equivalent)
    assert verdict.outcome == outcome and bool(verdict) == (outcome == "pass")
    claim = {
        "pass": "the same",
        "fail": "not the same",
        "undecided": "not shown to be the same",
    }
    assert f", {claim[outcome]} within {equivalent:g}. The " in str(verdict)
    worst, best = verdict.bounds
    inside = worst >= -equivalent and best <= equivalent
    assert inside == (outcome == "pass")
    found = verdict.to_dict()
    assert found["equivalent"] is True and found["tolerance"] == equivalent
    # It passes with a tolerance, too, and a gain alone passes with any.
    assert outcome != "pass" or compared.gate(tolerance=equivalent)
    is_gain = (sign > 0) == up
    assert not (change and is_gain) or compared.gate(tolerance=0.0)


@pytest.mark.parametrize("options", [{}, {"tolerance": 0.1, "equivalent": 0.1}])
def test_a_verdict_needs_one_margin(options):
    said = "needs either `tolerance`.*Pass one, such as `tolerance=0.01`"
    for gate in (moved().gate, lambda **x: evaluated(3).gate(0.5, **x)):
        with pytest.raises(ValueError, match=said):
            gate(**options)
    with pytest.raises(ValueError, match=r"`equivalent` should be a number"):
        moved().gate(equivalent=1.0)


@pytest.mark.parametrize(
    "margin", [{"tolerance": 0.02}, {"equivalent": 0.02}, {"tolerance": 0.012}]
)
def test_so_many_lists_like_these_would_decide(margin):
    verdict = moved(-0.01).gate(**margin)
    assert verdict.outcome == "undecided"
    lists = verdict.lists_needed
    assert f"so would about {lists:,} lists like these" in str(verdict)
    enough, few = math.ceil(lists / 100), max(1, lists // 200)
    assert moved(-0.01, enough).gate(**margin).outcome == "pass"
    assert moved(-0.01, few).gate(**margin).outcome == "undecided"
    [name] = margin
    of_both = {
        "tolerance": "A tolerance of",
        "equivalent": "Equivalence within",
    }
    farthest = farthest_of(verdict)
    assert f"{of_both[name]} {farthest:g} would pass" in str(verdict)
    assert moved(-0.01).gate(**{name: farthest}).outcome == "pass"


def farthest_of(verdict):
    worst, best = verdict.bounds
    farthest = max(-worst, best) if verdict.equivalent else -worst
    return math.ceil(farthest * 1e4) / 1e4


def test_no_number_of_lists_decides():
    """A larger change; a published mean; nothing is known of other lists."""
    for verdict in (
        moved(-0.01).gate(tolerance=0.01),
        moved(0.01).gate(equivalent=0.01),
        evaluated(20).gate(0.9, tolerance=0.01, lists=200),
        compared_of(NEW, NEW).gate(tolerance=0.1),
    ):
        assert verdict.outcome == "undecided"
        assert verdict.lists_needed is None and "so would" not in str(verdict)
        assert verdict.to_dict()["lists_needed"] is None
    # Nor is there a tolerance for values in [0, 1].
    verdict = compared_of([1.0, 0.0], [0.0, 1.0], bounded=True).gate(
        tolerance=0.1
    )
    assert "A tolerance of" not in str(verdict)
    assert moved(-0.01).gate(tolerance=0.9).lists_needed == 100


def test_the_queries_that_flipped():
    old = np.array([1.0, 0.5, 0.5, 0.5, 0.0, 0.0, 0.2])
    new = np.array([0.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.3])
    verdict = compared_of(old, new, bounded=True).gate(tolerance=0.1)
    assert verdict.flipped == ((0, 1, 2, 3), (4,))
    said = "Of the queries, 4 fell to 0 (0, 1, 2, ...) and 1 rose from 0 (4)."
    assert str(verdict).endswith(said)
    assert json.loads(verdict.to_json())["flipped"] == [[0, 1, 2, 3], [4]]
    valid = np.ones((2, 7), bool)
    valid[:, 4] = False
    less = compared_of(old, new, bounded=True, valid=valid).gate(tolerance=0.1)
    assert less.flipped == ((0, 1, 2, 3), ())
    for none in (
        compared_of(OLD, NEW),
        compared_of(old, new, up=False),  # 0 is the best, if lower is better
    ):
        verdict = none.gate(tolerance=0.1)
        assert verdict.flipped == ((), ()) and "rose from 0" not in str(verdict)


def test_weights_alone_leave_a_verdict_undecided():
    """Few lists lose, whose weights may differ from those of others."""
    lists = np.arange(400)
    old = np.full(400, 0.5)
    new = old - 0.5 * (lists < 12)
    heavy = np.where(lists % 2, 1.0, 6.0)
    compared = compared_of(old, new, bounded=True, weights=heavy)
    low, _ = compared.gate(tolerance=0.9).interval
    verdict = compared.gate(tolerance=-low + 1e-4)
    assert verdict.outcome == "undecided"
    found = verdict.difference.estimate
    unseen = verdict.unseen * (1 + found.value)
    distance = math.hypot(found.value - found.guarded()[0], unseen)
    assert verdict.bounds[0] == pytest.approx(found.value - distance)
    assert found.guarded()[0] < low
    assert "say little about the weights of others" in str(verdict)


def test_few_clicks_decide_nothing():
    """Two lists carry the change, which has no limits."""
    rng = np.random.default_rng(0)
    clicks = np.zeros((100, 5))
    clicks[[3, 70], 0] = 1
    ips = krm.IPS(k=3, propensities=1 / np.arange(1.0, 6.0) ** 2)
    systems = {name: rng.random((100, 5)) for name in ("old", "new")}
    compared = krm.compare(clicks, systems, ips)
    for margin in ({"tolerance": 1.0}, {"equivalent": 1.0}):
        verdict = compared.gate(**margin)
        assert verdict.outcome == "undecided" and verdict.carriers <= 2
        assert "lists of equal difference would carry the change" in (
            verdict.reason
        )
        assert verdict.lists_needed is None
    alone = krm.evaluate(clicks, systems["old"], ips)
    assert alone.gate(0.0, tolerance=5.0).outcome == "undecided"


@pytest.mark.parametrize("lists", [12, 60])
@pytest.mark.parametrize("margin", [0.05, 0.01])
def test_lists_needed_where_none_differs(lists, margin):
    values = [0.0] * (lists // 4) + [1.0] * (lists - lists // 4)

    def gate(times):
        both = compared_of(values * times, values * times, bounded=True)
        return both.gate(tolerance=margin)

    needed = gate(1).lists_needed
    assert gate(math.ceil(needed / lists)).outcome == "pass"
    assert gate(needed // lists).outcome == "undecided"


# Marks of tables


@pytest.mark.parametrize("bounded", [True, False])
@pytest.mark.parametrize("lost", range(1, 16))
def test_marks_are_those_of_the_interval(lost, bounded):
    """Rare losses have a small p of t before the interval excludes 0."""
    lists = np.arange(50)
    new = np.where(lists < lost, 0.0, 0.5)
    compared = compared_of(np.full(50, 0.5), new, bounded=bounded)
    [cell] = compared.report.cells[1]
    mark, (_, high) = cell.mark, cell.difference.interval()
    assert mark == ("worse" if high < 0 else "")
    if lost == 7 and bounded:
        assert cell.difference.p < 0.01 and mark == ""
        assert cell.difference.alpha == pytest.approx(0.104, abs=1e-3)
    if not bounded:
        assert cell.difference.alpha == pytest.approx(cell.difference.p)
        assert (mark == "worse") == (cell.difference.p < 0.05)
    assert ("▼" in str(compared).partition("Means")[0]) == (mark == "worse")


# A saved result, and numbers

MANY = {f"q{q}": {"a": 1} for q in range(200)}


def evaluated(misses, truth=MANY):
    run = {q: ["b", "a"] if i < misses else ["a"] for i, q in enumerate(truth)}
    return krm.evaluate(truth, run, krm.HitRateAtK(k=1))


@pytest.mark.parametrize("saved", [False, True])
def test_a_result_against_a_baseline(saved):
    old, new = evaluated(10), evaluated(30)
    if saved:
        old = krm.Evaluated.from_json(old.to_json())
    verdict = new.gate(old, tolerance=0.01)
    assert verdict.outcome == "fail"
    assert verdict.difference.estimate.value == pytest.approx(-0.1)
    assert str(verdict).startswith(
        "fail: hit_rate@1 fell from 0.9500 (baseline) to 0.8500 (run) on 200 "
    )
    assert new.gate(new, tolerance=0).outcome == "pass"
    both = krm.Compared(old.measured.renamed("all", "old"))
    assert new.gate(both, tolerance=0.01) == verdict
    with pytest.raises(ValueError, match="the same queries"):
        evaluated(0, {"q0": {"a": 1}}).gate(old, tolerance=0.1)


def test_a_result_has_its_lists():
    found = evaluated(20)
    with pytest.raises(ValueError, match="`lists` should be None"):
        found.gate(found, tolerance=0.1, lists=200)


def test_a_result_against_a_threshold():
    found = evaluated(20)  # .9 of 200
    low, high = found.estimates["hit_rate@1"].interval()
    assert found.gate(low - 1e-6, tolerance=0).outcome == "pass"
    assert found.gate(low + 1e-6, tolerance=0).outcome == "undecided"
    assert found.gate(high + 1e-6, tolerance=0).outcome == "fail"
    assert found.gate(0.95, tolerance=0).to_dict()["bounds"][0] < -0.05
    verdict = found.gate(0.95, tolerance=0.01)
    assert verdict.interval == pytest.approx((low - 0.95, high - 0.95))
    said = " fell from 0.95 to 0.9000 (the run) on 200 lists, "
    assert said in str(verdict)
    # Where lower is better, and values have no bounds.
    run = {q: ["b", "a"] if q == "q0" else ["a"] for q in MANY}
    ranks = krm.evaluate(MANY, run, krm.MeanRank())
    assert ranks.gate(1.1, tolerance=0).outcome == "pass"
    assert ranks.gate(0.9, tolerance=0.01).outcome == "fail"


def test_a_result_against_a_published_mean():
    found = evaluated(20)
    verdict = found.gate(0.9, tolerance=0.01, lists=200)
    assert verdict.outcome == "undecided"
    # Both intervals are those of a share of hits; their lengths add up.
    low, high = found.estimates["hit_rate@1"].interval()
    assert verdict.interval == pytest.approx((low - high, high - low))
    said = "cannot be decided with 200 lists of which the mean alone is known"
    assert said in str(verdict) and "0.9 (a mean over 200 lists)" in str(
        verdict
    )
    assert said in verdict.to_dict()["notes"][0]
    assert found.gate(0.9, tolerance=0.2, lists=200).outcome == "pass"
    assert found.gate(1.0, tolerance=0, lists=200).outcome == "fail"
    assert found.gate(0.0, tolerance=0, lists=2).outcome == "undecided"


@pytest.mark.parametrize(
    "mean", [1.5, math.nan, -0.1, "high", None, True, [0.5, 0.6]]
)
def test_a_mean_that_is_refused(mean):
    with pytest.raises(ValueError, match="baseline should be a number that"):
        evaluated(3).gate(mean, tolerance=0.1)


@pytest.mark.parametrize("lists", [1, "200", 200.5, True])
def test_numbers_of_lists_that_are_refused(lists):
    with pytest.raises(ValueError, match="`lists` should be an integer"):
        evaluated(3).gate(0.5, tolerance=0.1, lists=lists)
    lowest = krm.LowerMean(krm.HitRateAtK(k=1))
    found = krm.evaluate(MANY, {q: ["a"] for q in MANY}, lowest)
    with pytest.raises(ValueError, match="a published mean of a metric in"):
        found.gate(0.5, tolerance=0.1, lists=200)


def test_a_number_has_any_type_of_number():
    found = evaluated(20)
    # As text: a verdict with a NaN does not equal itself from Python 3.13 on.
    expected = repr(found.gate(0.5, tolerance=0.1))
    for number in (np.float32(0.5), np.array(0.5), "0.5"):
        assert repr(found.gate(number, tolerance=0.1)) == expected


def test_a_run_that_matches_nothing_is_refused_against_a_number():
    with pytest.warns(UserWarning, match="are judged"):
        found = krm.evaluate(
            MANY, {q: ["A"] for q in MANY}, krm.HitRateAtK(k=1)
        )
    with pytest.raises(ValueError, match="should retrieve judged items"):
        found.gate(0.0, tolerance=0.01)


def test_equal_values_without_limits_are_undecided_against_a_number():
    found = krm.evaluate(MANY, {q: ["a"] for q in MANY}, krm.MeanRank())
    assert found.gate(1.0, tolerance=0.01).outcome == "undecided"


def test_a_threshold_has_lists_that_the_sample_lacks():
    """Hits of nearly one value, and 2% that are 0, which it may lack."""
    values = np.random.default_rng(0).normal(0.95, 0.01, 100).clip(0, 1)
    [old, _] = compared_of(values, values, bounded=True).measured.systems
    measured = compared_of(values, values, bounded=True).measured
    alone = measured.renamed(old, "all")
    verdict = krm.Evaluated(alone).gate(0.95, tolerance=0.02)
    assert verdict.interval[0] > -0.02 and verdict.outcome == "undecided"
    low, high = verdict.bounds
    value, unseen = verdict.difference.estimate.value, 1 - 0.025 ** (1 / 100)
    assert low == pytest.approx((1 - unseen) * value - unseen * 0.95)
    assert high == pytest.approx(verdict.interval[1])


def test_lists_that_weigh_more_count_for_the_unseen_ones():
    heavy = np.where(np.arange(60) < 3, 50.0, 1.0)
    both = OLD * 12, NEW * 12
    compared = compared_of(*both, bounded=True, weights=heavy)
    verdict = compared.gate(tolerance=0.1)
    lists = heavy.sum() ** 2 / (heavy**2).sum()
    assert verdict.unseen == pytest.approx(1 - 0.025 ** (1 / lists), rel=1e-5)


def test_a_published_mean_of_a_metric_without_bounds_is_refused():
    found = krm.evaluate(MANY, {q: ["a"] for q in MANY}, krm.DCG())
    with pytest.raises(ValueError, match=r"metric in \[0, 1\]. Received: 100"):
        found.gate(0.5, tolerance=0.1, lists=100)
    with pytest.raises(ValueError, match=r"a quantile\. Choose"):
        krm.evaluate(
            MANY, {q: ["a"] for q in MANY}, krm.Quantiles(krm.NDCG(), [0.1])
        ).gate(0.5, tolerance=0.1)


# Equal systems: which value is of which system is a coin flip for each list.

TIMES = 10_000
VALUES = {
    "any": lambda rng, shape: rng.random(shape),
    "skewed": lambda rng, shape: rng.random(shape) ** 8,
    "hits": lambda rng, shape: rng.integers(0, 2, shape).astype(float),
    "seldom": lambda rng, shape: (rng.random(shape) < 0.1).astype(float),
}


def most(share, times=TIMES):
    """The share with three and a half standard errors of so many samples."""
    return share + 3.5 * math.sqrt(share * (1 - share) / times)


def share_of_fails(lists, values, level, rng):
    old, new = VALUES[values](rng, (2, TIMES, lists))
    d = new - old
    errors = d.std(1, ddof=1) / math.sqrt(lists)
    unknown = krm.Estimate(0, 0, lists, lists, lists)
    difference = krm.Difference("new", "old", unknown, 0, 1, 1, 0, 0, 0, 0)
    fails = 0
    for mean, error in zip(d.mean(1).tolist(), errors.tolist(), strict=True):
        estimate = dataclasses.replace(
            unknown, value=mean, standard_error=error
        )
        each = dataclasses.replace(difference, estimate=estimate)
        fails += krm.Verdict("m", each, 0, level).outcome == "fail"
    return fails / TIMES


@pytest.mark.long
@pytest.mark.parametrize(
    ("lists", "values", "level"),
    [(2, "hits", 0.95), (6, "hits", 0.95), (9, "seldom", 0.8)]
    + [(50, values, 0.95) for values in VALUES],
)
def test_equal_systems_fail_at_most_in_the_stated_share(lists, values, level):
    rng = np.random.default_rng(lists)
    found = share_of_fails(lists, values, level, rng)
    share = (1 - level) / 2
    assert found <= most(share)
    if values == "any":  # nor much less often
        assert found >= 2 * share - most(share)


@pytest.mark.long
def test_resampled_comparisons_fail_at_most_in_the_stated_share():
    """The same with `Compared`, on lists drawn again from two real systems."""
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, (80, 6))
    systems = {name: rng.normal(size=(80, 6)) for name in ("old", "new")}
    measured = krm.compare(labels, systems, krm.NDCG(k=3)).measured
    both = np.stack([s.values[0] for s in measured.systems.values()])
    fails, times = 0, 2000
    for _ in range(times):
        drawn = both[:, rng.integers(80, size=80)]
        old, new = rng.permuted(drawn, axis=0)
        verdict = compared_of(old, new).gate(tolerance=0)
        fails += verdict.outcome == "fail"
    assert 0 < fails / times <= most(0.025, times)


@pytest.mark.parametrize("seed", range(20))
def test_intervals_of_sessions_are_nested_and_marks_follow(seed):
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(2, 9))
    values = rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], (2, rows, 3))
    x = PerList(
        values.clip(0, 1).reshape(2, -1),
        np.ones((2, rows * 3)),
        np.ones((2, rows * 3), bool),
        np.ones((2, rows * 3), bool),
        (rows, 3),
    )
    _, [d], _ = means(Statistic("m", "m", True, True), ["old", "new"], x)
    ends = [d.interval(level) for level in (0.5, 0.8, 0.9, 0.95, 0.99)]
    for (low, high), (lower, higher) in itertools.pairwise(ends):
        assert lower <= low + 1e-9 and high <= higher + 1e-9
    low, high = d.interval()
    if not math.isnan(d.p):
        assert (d.alpha < 0.05) == (low > 0 or high < 0)


def test_more_lists_of_a_constant_difference_decide():
    verdict = compared_of([0.05] * 100, [0.042] * 100, bounded=True).gate(
        tolerance=0.02
    )
    assert verdict.outcome == "undecided"
    times = math.ceil(verdict.lists_needed / 100)
    more = compared_of(
        [0.05] * 100 * times, [0.042] * 100 * times, bounded=True
    )
    assert more.gate(tolerance=0.02).outcome == "pass"
