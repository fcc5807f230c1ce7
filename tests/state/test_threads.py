"""Threads, each with metrics of its own: they do not meet.

What metrics share of a batch is kept by thread, so that the same tensors may be
passed in all of them. The same input twice gives the same bits.
"""

import threading

import numpy as np
import pytest
from keras import ops

import keras_rankmetrics as krm

THREADS = 4
ROUNDS = 6
FORMS = ("scores", "sparse", "ids")


def tensors(seed, inputs, lists=16, items=30):
    """A batch with ties, as tensors that metrics know again."""
    rng = np.random.default_rng([41, seed])
    weights = rng.integers(1, 4, lists).astype("float32")
    scores = rng.integers(0, 9, (lists, items)).astype("float32")
    labels = rng.integers(-1, 4, (lists, items)).astype("float32")
    targets = rng.integers(0, items, (lists, 2)).astype("int32")
    ids = rng.permuted(np.tile(np.arange(items), (lists, 1)), axis=1)
    batch = {
        "scores": (labels, scores),
        "sparse": (targets, scores),
        "ids": (targets, ids[:, :12].astype("int32")),
    }[inputs]
    return tuple(map(ops.convert_to_tensor, (*batch, weights)))


def metrics(inputs):
    """Plain ones, which share what they read, and a collection."""
    options = {"inputs": inputs}
    return [
        *krm.NDCG.at(1, 5, 20, **options),
        krm.MeanAveragePrecision(k=10, **options),
        krm.RecallAtK(k=5, ties="shuffle", **options),
        krm.MetricCollection(
            [krm.MeanReciprocalRank(**options), krm.F1AtK(k=3, **options)]
        ),
    ]


def worked(its_metrics, batches, rounds=ROUNDS):
    """Updates all of them, and asks for results in between."""
    for round_ in range(rounds):
        for batch in batches:
            for metric in its_metrics:
                metric.update_state(*batch)
        if round_ % 2:
            its_metrics[0].result()


def bits(its_metrics):
    return [
        ops.convert_to_numpy(variable).tobytes()
        for metric in its_metrics
        for variable in metric.variables
    ]


def in_threads(works):
    """Runs them at the same time; raises what any of them does."""
    barrier, errors = threading.Barrier(len(works)), []

    def guarded(work):
        try:
            barrier.wait()
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(w,)) for w in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=300)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


@pytest.mark.long
@pytest.mark.parametrize("inputs", FORMS)
def test_the_same_input_twice_gives_the_same_bits(inputs):
    found = []
    for _ in range(2):
        some = metrics(inputs)
        worked(some, [tensors(seed, inputs) for seed in range(2)], rounds=2)
        found.append(bits(some))
    assert found[0] == found[1]
    other = metrics(inputs)
    worked(other, [tensors(7, inputs)], rounds=2)
    assert bits(other) != found[0]


@pytest.mark.long
@pytest.mark.parametrize("inputs", FORMS)
def test_threads_that_pass_the_same_objects(inputs):
    batches = [tensors(seed, inputs) for seed in range(3)]
    alone = metrics(inputs)
    worked(alone, batches)
    of_threads = [metrics(inputs) for _ in range(THREADS)]
    in_threads([lambda m=some: worked(m, batches) for some in of_threads])
    for some in of_threads:
        assert bits(some) == bits(alone)


@pytest.mark.long
def test_threads_that_pass_objects_of_their_own():
    """In each thread another form of input, and other numbers."""
    forms = [FORMS[i % 3] for i in range(THREADS)]
    batches = [[tensors(seed, f)] for seed, f in enumerate(forms)]
    of_threads = [metrics(form) for form in forms]
    in_threads(
        [
            lambda m=some, b=its: worked(m, b)
            for some, its in zip(of_threads, batches, strict=True)
        ]
    )
    for some, its, form in zip(of_threads, batches, forms, strict=True):
        alone = metrics(form)
        worked(alone, its)
        assert bits(some) == bits(alone)


@pytest.mark.long
def test_metrics_that_are_made_and_used_in_threads():
    """Who is made in a thread expects nobody that is made in another."""
    batch = tensors(0, "scores")
    found = {}

    def work(place):
        some = metrics("scores")
        worked(some, [batch], rounds=3)
        found[place] = bits(some)

    in_threads([lambda p=place: work(p) for place in range(THREADS)])
    alone = metrics("scores")
    worked(alone, [batch], rounds=3)
    assert [found[place] for place in range(THREADS)] == [bits(alone)] * THREADS


@pytest.mark.long
def test_a_thread_that_fails_leaves_the_others():
    batch = tensors(0, "scores")
    wrong = (batch[0][:, 1:], *batch[1:])
    good, bad = metrics("scores"), metrics("scores")

    def fails():
        for _ in range(ROUNDS):
            for metric in bad:
                with pytest.raises(ValueError, match="same shape"):
                    metric.update_state(*wrong)

    in_threads([lambda: worked(good, [batch]), fails])
    alone = metrics("scores")
    worked(alone, [batch])
    assert bits(good) == bits(alone)
    assert bits(bad) == bits(metrics("scores"))
