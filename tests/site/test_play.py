"""The page to play with: its script agrees with the package."""

import math
import random

import keras
import numpy as np
import pytest
from in_browser import CHROMIUM, opened

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.engine.definition import takes
from keras_rankmetrics.metrics.two_rankings import TwoRankingMetric
from tests.pages import play

AGAIN = "`python -m tests.pages.play` makes it anew."
STATIC = play.FILE.parent
PADDING, MISSED = -1, -math.inf
CUTOFFS = (1, 3, 10)
LONGEST = 8
# Options that no convention sets, or not alone.
OPTIONS = [
    {"relevance_threshold": 3},
    {"ties": "stable"},
    {"ties": "pessimistic", "relevance_threshold": 2},
    {"ties": "optimistic"},
    {"empty": "skip", "rank_discount_fn": krm.natural_log_discount},
    {"normalized": True, "beta": 2.0, "tail": "zero"},
    {"gain_fn": krm.exponential_gain, "recall": 0.3},
    {"rank_discount_fn": krm.reciprocal_discount},
]


def test_the_file_of_conventions_is_what_the_package_says():
    assert play.FILE.read_text() == play.written(), AGAIN


def lists_at_random(count):
    """Yield labels and scores, some all tied, some without relevance."""
    draws = random.Random(7)
    every_label = [0, 0, 0, 1, 1, 2, 3, 4, krm.UNJUDGED, PADDING]
    for number in range(count):
        size = draws.choice([1, 2, 3, 4, 5, 6, 6, 7])
        some = draws.choice([every_label, every_label, [0, 1], [0, -1, -2]])
        labels = draws.choices(some, k=size)
        scores = [
            draws.choices([1, 2, 3, 4, 0.5, -2, MISSED], k=size),
            draws.sample(range(20), size),
            draws.choices([1, 2], k=size),
            [1] * size,
        ][number % 4]
        yield labels, scores
    yield [1, 0, 0, 1, 0, 1, 1, 1], [8, 7, 6, 5, 4, 3, 2, 1]
    yield [4, 3, 2, 1, 0, -2, 1, 0], [1] * 8
    yield [1, 0], [0.1, 0.1 + 1e-12]  # a tie in float32


LISTS = [*lists_at_random(300)]


def cases():
    """Yield all metrics, and the name of the convention or None."""
    for metric in play.OF_ONE_LIST:
        cutoffs = CUTOFFS if takes(metric, "k") else (None,)
        usual = play.options_of(metric())
        some = [{x: o[x] for x in o if x in usual} for o in OPTIONS]
        some = [{}, *(o for o in some if o and is_taken(metric, o))]
        for k in cutoffs:
            with_k = {} if k is None else {"k": k}
            for options in some:
                yield metric(**options, **with_k), None
            for convention in conventions.all_of_them():
                if metric.__name__ in convention.presets:
                    preset = getattr(convention, metric.__name__)
                    yield preset(**with_k), convention.name


def is_taken(metric, options):
    """Return False for options whose combination the metric refuses."""
    try:
        metric(**options)
    except ValueError:
        return False
    return True


def by_package(metric):
    """Return the value of each list, NaN if it is excluded."""
    two_rankings = isinstance(metric, TwoRankingMetric)
    # A reference may have negative scores, so that only -inf is padding.
    padding = (MISSED, MISSED) if two_rankings else (PADDING, 0.0)
    rows = []
    for one in LISTS:
        row = [*zip(*one, strict=True)]
        row = [x for x in row if x[0] >= 0 or not two_rankings]
        rows.append(row + [padding] * (LONGEST - len(row)))
    labels, scores = ([[x[i] for x in row] for row in rows] for i in (0, 1))
    return keras.ops.convert_to_numpy(metric.per_list(labels, scores))


# JSON has no -Infinity, which is null here. Lists are the outer loop, since the
# script remembers the orders of the last lists.
BY_SCRIPT = """([lists, cases]) => lists.map(([labels, scores]) => {
  const values = scores.map((score) => score ?? -Infinity);
  return cases.map(([name, convention, k, options]) => {
    const usual = CONVENTIONS.metrics[name].options;
    const set = CONVENTIONS.conventions[convention]?.metrics[name];
    const all = { ...usual, ...set, ...options, k };
    return RankMetrics.evaluate(name, labels, values, all);
  });
})"""


def by_script(browser, asked):
    """Return the value of each case and list, NaN if it is excluded.

    The options of conventions are those of the stored file.
    """
    lists = [
        (labels, [None if s == MISSED else s for s in scores])
        for labels, scores in LISTS
    ]
    asked = [
        (
            type(metric).__name__,
            convention,
            getattr(metric, "k", None),
            {} if convention else play.options_of(metric),
        )
        for metric, convention in asked
    ]
    with opened(browser, "a desk") as (page, wrong):
        for name in ("conventions.js", "rank_metrics.js"):
            page.add_script_tag(content=(STATIC / name).read_text())
        found = page.evaluate(BY_SCRIPT, [lists, asked])
        assert wrong == []
    return np.array(found, dtype=float).T  # None becomes NaN


@pytest.mark.long
@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_the_script_agrees_with_the_package(browser):
    asked, known = [*cases()], {}
    for metric, _ in asked:
        config = str(metric.get_config())
        if config not in known:
            known[config] = by_package(metric)
    expected = np.array([known[str(m.get_config())] for m, _ in asked])
    found = by_script(browser, asked)
    alike = np.isclose(found, expected, rtol=1e-6, atol=1e-6, equal_nan=True)
    wrong = [
        f"{asked[i]}, {LISTS[j]}: {found[i, j]}, package {expected[i, j]}"
        for i, j in zip(*np.nonzero(~alike), strict=True)
    ]
    assert wrong == [], "\n".join([f"{len(wrong)} differ", *wrong[:20]])
    assert np.isnan(found).sum() > 1000 and (found > 0).sum() > 10000
