"""`Compared.flips`: which queries are won and lost."""

import math

import pytest

import keras_rankmetrics as krm

TRUTH = {f"q{i}": {f"d{j}": int(j < 2) for j in range(6)} for i in range(30)}


@pytest.fixture
def systems(rng):
    return {
        name: {
            query: {item: float(rng.integers(0, 4)) for item in items}
            for query, items in TRUTH.items()
        }
        for name in ("old", "new", "other")
    }


@pytest.mark.parametrize("metric", ["NDCG@3", "HR@1", "MeanRank"])
def test_it_is_what_the_values_of_lists_say(metric, systems):
    compared = krm.compare(TRUTH, systems, "NDCG@3 HR@1 MeanRank")
    loaded = krm.Compared.from_json(compared.to_json())
    values = compared.per_list()
    sign = -1 if metric == "MeanRank" else 1
    of = {
        (query, name): value
        for query, name, value in zip(
            values["query"], values["system"], values[metric], strict=True
        )
    }
    for result in (compared, loaded):
        found = result.flips(metric, "new")
        gains = {
            query: sign * (of[query, "new"] - of[query, "old"])
            for query in TRUTH
        }
        won = {query for query, gain in gains.items() if gain > 1e-6}
        lost = {query for query, gain in gains.items() if gain < -1e-6}
        assert {*found["won"]} == won and {*found["lost"]} == lost
        assert {*found["tied"]} == {*TRUTH} - won - lost
        for flips in found.values():
            sizes = [abs(gains[query]) for query in flips]
            assert sizes == sorted(sizes, reverse=True)
            for query, pair in flips.items():
                assert pair == (of[query, "old"], of[query, "new"])


def test_it_agrees_with_the_report(systems):
    compared = krm.compare(TRUTH, systems, "NDCG@3")
    cell = compared.to_dict()["systems"]["other"]["NDCG@3"]
    found = compared.flips(system="other")
    numbers = [len(found[x]) for x in ("won", "tied", "lost")]
    assert numbers == [cell[x] for x in ("wins", "ties", "losses")]
    verdict = compared.gate(system="other", tolerance=0.1)
    said = f"Won {numbers[0]} and lost {numbers[2]} of the lists."
    assert said in str(verdict)
    text = str(found)
    assert text.startswith(f"NDCG@3 of other against old: {numbers[0]} won, ")
    assert text.count("more") == sum(n > 10 for n in numbers[::2])


def test_arrays_and_lists_that_do_not_count():
    labels = [[1, 0], [0, 0], [1, 0], [1, 0]]
    old = [[2, 1], [1, 2], [1, 2], [math.nan, 1]]
    new = [[1, 2], [2, 1], [2, 1], [1, 2]]
    metric = krm.NDCG(k=1, empty="skip")
    compared = krm.compare(labels, {"old": old, "new": new}, metric)
    found = compared.flips()
    assert found == {
        "won": {2: (0.0, 1.0)},
        "lost": {0: (1.0, 0.0)},
        "tied": {},
    }


def test_errors(systems):
    compared = krm.compare(TRUTH, systems, "NDCG@3 RR")
    with pytest.raises(ValueError, match=r"`metric` should name one of \['ND"):
        compared.flips()
    with pytest.raises(ValueError, match="`system` should name one of"):
        compared.flips("RR")
    alone = krm.compare(TRUTH, {"old": systems["old"]}, "RR")
    with pytest.raises(ValueError, match="Received: a baseline alone"):
        alone.flips()
    quantiles = krm.Quantiles(krm.NDCG(k=3), [0.1])
    compared = krm.compare(TRUTH, systems, [quantiles])
    assert compared.flips("ndcg@3", "new")["won"]
