"""A thousand million lists: the value, its error, and any order of merging.

Nobody ranks so many here. States of some lists are added to themselves until
they stand for that many, three by three, since a float doubles without any
rounding. States of very unequal sizes are added in orders that are as bad as
can be.
"""

import fractions
import functools
import operator

import numpy as np
import pytest
from given import mean, seen, standard_error

import keras_rankmetrics as krm
from keras_rankmetrics import State

RNG = np.random.default_rng(23)
VALUES = RNG.uniform(0.3, 0.9, 999).astype("float32")
WEIGHTS = RNG.uniform(0.5, 3.0, 999).astype("float32")
TRIPLINGS = 13
MANY = 999 * 3**TRIPLINGS  # 1,592,728,677


def tripled(state, times=TRIPLINGS):
    for _ in range(times):
        state = state + state + state
    return state


def told(state):
    """What a metric of that state says, by its own sums."""
    metric = seen([0.5])
    metric.state = state
    return metric


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_value_and_error_of_a_thousand_million_lists(weights):
    metric = told(tripled(seen(VALUES, weights).state))
    assert metric.count() == MANY
    ones = np.ones_like(VALUES)
    weights = ones if weights is None else weights
    values = VALUES.astype("float64")
    exact = mean(values, weights.astype("float64"), ones > 0, ones)
    assert float(metric.result()) == pytest.approx(exact, rel=1e-6)
    of_few = standard_error(values, weights.astype("float64"))
    factor = np.sqrt((MANY / (MANY - 1)) / (999 / 998) / 3**TRIPLINGS)
    expected = of_few * factor
    assert metric.standard_error() == pytest.approx(expected, rel=1e-3)


def test_lists_are_still_counted_one_by_one():
    """A float32 holds no odd number of that size."""
    metric = told(tripled(seen(VALUES).state))
    for _ in range(11):
        metric.update_state([[1.0, -1.0]], [[0.0, 0.0]])
    assert metric.count() == MANY + 11


# Orders


def of_all_sizes():
    """States that stand for 1 up to a thousand million lists."""
    return [
        tripled(seen(VALUES[place : place + 1 + place % 3]).state, times)
        for times in range(19)
        for place in (times, 31 + times, 61 + times)[: 2 + times % 2]
    ]


def lists_in(state):
    return state.sums[0].astype("float64").sum()


def alternating(states):
    """The largest, the smallest, the next largest, and so on."""
    ascending = sorted(states, key=lists_in)
    places = range(len(states))
    return [ascending[i // 2 if i % 2 else -1 - i // 2] for i in places]


def in_a_row(states):
    return functools.reduce(operator.add, states)


def in_a_tree(states):
    while len(states) > 1:
        pairs = zip(states[::2], states[1::2], strict=False)
        left = states[-1:] if len(states) % 2 else []
        states = [a + b for a, b in pairs] + left
    return states[0]


ORDERS = {
    "ascending": lambda states: in_a_row(sorted(states, key=lists_in)),
    "descending": lambda states: in_a_row(
        sorted(states, key=lists_in, reverse=True)
    ),
    "alternating": lambda states: in_a_row(alternating(states)),
    "a tree": in_a_tree,
    "a tree of the worst": lambda states: in_a_tree(alternating(states)),
    "at random": lambda states: in_a_row(
        [states[i] for i in np.random.default_rng(5).permutation(len(states))]
    ),
}


def exactly(states):
    """The sum of each number over the states, without rounding."""
    return np.array(
        [
            float(sum(fractions.Fraction(float(x)) for x in numbers.ravel()))
            for numbers in np.stack([s.sums for s in states], axis=1)
        ]
    )


@pytest.mark.long
@pytest.mark.parametrize("order", ORDERS)
def test_any_order_of_merging_gives_the_same(order):
    states = of_all_sizes()
    merged = ORDERS[order](states)
    assert merged.sums.dtype == np.float32
    exact = exactly(states)
    found = merged.sums.astype("float64").sum(axis=-1)
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=0)
    single = np.float32(0)
    for state in states:
        single += np.float32(lists_in(state))
    assert float(single) != exact[0]  # one float would have lost some


@pytest.mark.long
@pytest.mark.parametrize("order", ["ascending", "descending", "at random"])
def test_one_list_at_a_time_onto_many(order, rng):
    """10,000 states of a list each, and one of a thousand million."""
    one = seen(VALUES[:1]).state
    sums = np.stack([one.sums] * 10_000) * rng.uniform(0.5, 1, (10_000, 1, 1))
    # Sums that no rounding has made: of one float each.
    states = [
        State(one.signature, np.stack([s[:, 0], 0 * s[:, 0]], -1).astype("f"))
        for s in sums
    ]
    states.append(tripled(one, 19))
    found = ORDERS[order](states).sums.astype("float64").sum(axis=-1)
    np.testing.assert_allclose(found, exactly(states), rtol=1e-12, atol=0)


@pytest.mark.long
def test_means_of_any_order_are_the_same_number():
    states = of_all_sizes()
    metrics = [told(merged(states)) for merged in ORDERS.values()]
    means = {float(metric.result()) for metric in metrics}
    errors = [metric.standard_error() for metric in metrics]
    assert max(means) - min(means) <= 1e-7 * max(means)
    assert max(errors) == pytest.approx(min(errors), rel=1e-4)


@pytest.mark.long
def test_collections_merge_as_their_metrics_do():
    states = of_all_sizes()
    collection = krm.MetricCollection([seen([0.5], name="value")])
    collection.state = {"value": states[0]}
    collection.merge_state([{"value": state} for state in states[1:]])
    merged = in_a_row(states)
    np.testing.assert_array_equal(collection.state["value"].sums, merged.sums)
