"""Verdicts: whether a system is worse than a baseline beyond a tolerance."""

import dataclasses
import math

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.comparing.measured import Measured, Overlap, Values
from keras_rankmetrics.engine.aggregates.paired import Statistic

# Student's t with 4 degrees of freedom, at .975, .95 and .8, by scipy.
T975, T95, T80 = 2.7764451051977987, 2.1318467863266499, 0.9409645766

# Exact in float32: the mean is -1/16, the sum of squares around it 9/64.
OLD = [0.5, 0.5, 0.5, 0.5, 0.5]
NEW = [0.5, 0.25, 0.25, 0.5, 0.6875]
MEAN = -1 / 16
ERROR = math.sqrt(9 / 64 / 20)


def compared_of(
    old, new, *, up=True, bounded=False, valid=None, overlaps=(), **options
):
    """A comparison of two systems with these values of lists."""
    one, two = overlaps or (Overlap(), Overlap())
    valid = np.ones((2, len(old)), bool) if valid is None else valid
    systems = {
        name: Values(
            np.array([x], float),
            valid[None],
            np.ones((1, len(x))),
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
    found = verdict.detectable
    assert found == pytest.approx((T975 + T80) * ERROR, rel=1e-6)
    assert (verdict.difference.system, verdict.metric) == ("new", "m")
    assert (verdict.difference.baseline, verdict.level) == ("old", 0.95)


def test_scipy_has_the_same_interval():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    old, new = rng.random((2, 40)).astype(np.float32).astype(float)
    verdict = compared_of(old, new).gate(tolerance=0.01, level=0.9)
    test = stats.ttest_rel(new, old).confidence_interval(0.9)
    assert verdict.interval == pytest.approx(tuple(test), abs=1e-7)
    quantiles = stats.t.ppf(0.95, 39) + stats.t.ppf(0.8, 39)
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
        assert str(verdict).startswith(f"{outcome}: m of new is ")
    change = up.difference.estimate.value
    assert turned.difference.estimate.value == -change  # as the metric has it
    assert "drop" in str(up) and "rise" in str(turned)
    assert turned.detectable == pytest.approx(up.detectable)


def test_the_level_is_that_of_the_comparison_unless_it_is_passed():
    compared = compared_of(OLD, NEW, confidence=0.9)
    ends = MEAN - T95 * ERROR, MEAN + T95 * ERROR
    by_default = compared.gate(tolerance=0.01)
    assert by_default.interval == pytest.approx(ends, rel=1e-6)
    assert by_default == compared_of(OLD, NEW).gate(tolerance=0.01, level=0.9)


def test_the_sentences():
    verdict = compared_of(OLD, NEW).gate(tolerance=0.01)
    assert str(verdict) == (
        f"undecided: m of new is -0.0625 against old on 5 lists (95% interval "
        f"{LOW:+.4f} to {HIGH:+.4f}), perhaps a drop of more than 0.01. With 5 "
        f"lists like these, a true drop of {verdict.detectable:.4f} is "
        "noticed 80% of the time."
    )
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


def test_equal_systems_pass_at_any_tolerance():
    verdict = compared_of(NEW, NEW).gate(tolerance=0)
    assert verdict.outcome == "pass" and verdict.interval == (0, 0)
    assert math.isnan(verdict.detectable)
    said = "All lists have the same difference. Up to 52.2% of other lists "
    assert said in str(verdict)


def bounds(drop, lists, level):
    """The drop, if lists that the sample may lack have the other extremes."""
    unseen = 1 - ((1 - level) / 2) ** (1 / lists)
    return [(1 - unseen) * -drop + unseen * end for end in (-1, 1)]


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
    expected = bounds(drop, lists, level)
    assert list(verdict.interval) == pytest.approx(expected, abs=1e-6)
    # Without bounds of the metric, nothing is known of other lists.
    assert compared_of(old, new).gate(tolerance=0.01).outcome == "undecided"


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
            "`system` should name one of ['a', 'c']. Received: None. A verdict "
            "is on one system: call `gate` for each.",
        ),
        (("mrr", "b"), "one of ['a', 'c']. Received: 'b'."),
        (
            (None, "a"),
            "`metric` should name one of ['ndcg@2', 'mrr']. Received: None. A "
            "verdict is on one metric: call `gate` for each.",
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
    "tolerance", [-0.01, math.nan, math.inf, "1%", "0,01", None]
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


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan, "0.95"])
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
        with pytest.raises(ValueError, match="nothing for 3 of them"):
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


def test_a_verdict_needs_two_systems():
    compared = krm.compare([[1, 0]], {"s": [[2.0, 1.0]]}, krm.NDCG())
    with pytest.raises(ValueError, match="a baseline alone"):
        compared.gate(tolerance=0.1)
