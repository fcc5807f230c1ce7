"""Lists that are there again, systems in one column, and labels from scores."""

import itertools
import warnings

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.engine.checks import Facts
from keras_rankmetrics.engine.checks.repeats import Repeats

_RNG = np.random.default_rng(5)
_LABELS = _RNG.integers(0, 3, (60, 20))
_SCORES = _LABELS + _RNG.normal(size=(60, 20))
_QUERY = np.repeat(np.arange(60), 20)


def words_of(call):
    """Return the warnings of a call, and the notes of its result."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        result = call()
    report = getattr(result, "report", None)
    notes = () if report is None else report.notes
    words = [str(x.message) for x in caught if x.category is UserWarning]
    return [*words, *notes]


def facts_of(lists, scores, labels, chunks=1):
    """Return the facts of rows that come in chunks of whole lists."""
    found = Facts()
    ends = np.linspace(0, lists.max() + 1, chunks + 1)
    for first, last in itertools.pairwise(ends):
        at = (lists >= first) & (lists < last)
        own = Facts()
        own.add_whole(lists[at], scores[at], labels[at])
        found += own
    return found


@pytest.mark.parametrize("chunks", [1, 3, 7])
@pytest.mark.parametrize("number", [60, 9000])  # more lists than are compared
def test_lists_that_are_there_again(chunks, number, rng):
    labels = rng.integers(0, 3, (number, 5))
    scores = rng.normal(size=labels.shape)
    lists = np.repeat(np.arange(3 * number), 5)
    columns = (np.tile(x, (3, 1)).ravel() for x in (scores, labels))
    assert facts_of(lists, *columns, chunks=chunks).repeats.times == 3
    others = rng.normal(size=3 * scores.size), np.tile(labels, (3, 1)).ravel()
    assert facts_of(lists, *others, chunks=chunks).repeats.times == 1


def test_scores_of_popular_items_are_no_lists_that_are_there_again(rng):
    lists = np.repeat(np.arange(300), 10)
    labels = np.eye(10)[np.arange(300) % 10].ravel()
    scores = np.tile(rng.normal(size=10), 300)
    assert facts_of(lists, scores, labels).repeats.times == 1


def test_a_gate_says_that_its_lists_are_there_again(rng):
    new = _SCORES + 0.3 * rng.normal(size=_SCORES.shape)
    systems = {"old": np.tile(_SCORES, (20, 1)), "new": np.tile(new, (20, 1))}
    labels = np.tile(_LABELS, (20, 1))
    found = words_of(lambda: krm.compare(labels, systems, "NDCG@10"))
    assert any("20 times or more" in x for x in found)


@pytest.mark.parametrize(
    "times, is_said", [(np.tile, True), (np.repeat, False)]
)
def test_systems_in_one_column(times, is_said, rng):
    """Neighbours with one label may be passages of one document."""
    query, labels = times(_QUERY, 3), times(_LABELS.ravel(), 3)
    scores = rng.normal(size=len(query))
    found = words_of(
        lambda: krm.evaluate_rows(query, labels, scores, "NDCG@10")
    )
    assert any("3 systems in one column" in x for x in found) == is_said


def test_chunks_show_what_all_rows_show(rng):
    """A list that disproves the systems has a say wherever it comes."""
    lists = np.repeat(np.arange(20), 10)
    labels = np.tile(rng.integers(0, 2, (20, 5)), 2).ravel()
    both = lists, rng.normal(size=200), labels
    few = np.repeat(np.arange(5), 4), rng.normal(size=20), np.arange(20) % 3
    for chunks in ((both, few), (few, both), (both, few, both)):
        found = Repeats()
        for columns in chunks:
            found = found.with_lists(*columns)
        assert not found.are_systems
    assert Repeats().with_lists(*both).are_systems


@pytest.mark.parametrize(
    "pattern",
    [[1, 0, 0, 0, 0], [0, 0, 1, 0, 0], [1, 0], [1, 1, 1, 0, 0, 0]],
)
def test_negatives_after_each_positive_are_no_systems(pattern, rng):
    labels = np.tile(pattern, (60, 4))
    query = np.repeat(np.arange(60), labels.shape[1])
    scores = labels + rng.normal(size=labels.shape)
    columns = labels.ravel(), scores.ravel()
    assert not words_of(lambda: krm.evaluate_rows(query, *columns, "NDCG@10"))


def test_what_argsort_returned_for_all_rows_or_columns():
    rows = np.argsort(-_SCORES.ravel())
    table = {"query": _QUERY, "label": _LABELS.ravel(), "score": rows}
    columns = np.argsort(-_SCORES, 0)
    of_both = {
        "in all rows": lambda: krm.evaluate(table, metrics="NDCG@10"),
        "in each column": lambda: krm.evaluate(_LABELS, columns, "NDCG@10"),
    }
    for where, call in of_both.items():
        assert any(where in x for x in words_of(call))
    ranks = np.argsort(np.argsort(_SCORES.ravel()))
    right = krm.evaluate_rows, _QUERY, _LABELS.ravel(), ranks, "NDCG@10"
    assert not words_of(lambda: right[0](*right[1:]))


def noted(labels, scores, metrics="NDCG@10"):
    """Return what `evaluate` says of arrays, in one text."""
    return " ".join(words_of(lambda: krm.evaluate(labels, scores, metrics)))


_BINARY = (_LABELS > 1).astype(int)


@pytest.mark.parametrize(
    "labels, scores",
    [
        ((_SCORES > 0.5).astype(int), _SCORES),
        (_BINARY, 0.8 * _BINARY + 0.1),  # smoothed labels
        (np.sort(_BINARY, 1)[:, ::-1], np.sort(_SCORES, 1)[:, ::-1]),
    ],
)
def test_labels_and_scores_with_one_order(labels, scores):
    assert "better scores of `run` than all others" in noted(labels, scores)
    some = labels.copy()
    some[0, np.argmax(scores[0])] = 0
    assert "than all others" not in noted(some, scores)
    assert "than all others" not in noted(labels[:19], scores[:19])


@pytest.mark.parametrize("labels", [np.ones, lambda x: np.full(x, 2.0)])
def test_arrays_of_relevant_items_alone(labels):
    assert "makes each one relevant" in noted(labels((60, 20)), _SCORES)


def test_labels_of_the_query(rng):
    labels = np.repeat(rng.random((60, 1)) < 0.3, 20, 1).astype(int)
    assert "so that scores do not count" in noted(labels, _SCORES)
    labels[0, 0] = 1 - labels[0, 0]
    assert "so that scores do not count" not in noted(labels, _SCORES)


def test_ranks_in_some_lists():
    ranks = np.argsort(np.argsort(-_SCORES, 1), 1) + 1.0
    some = np.where(np.arange(60)[:, None] < 25, ranks, _SCORES)
    assert "once in 25 lists" in noted(_LABELS, some)


def test_lists_that_were_not_filled():
    scores = _SCORES.copy()
    scores[20:30] = 0.5
    words = "one score for all items in 10 lists of 60"
    assert words in noted(_LABELS, scores)
    scores[30:] = 0
    assert "in 40 lists of 60" in noted(_LABELS, scores)
    scores[:, 0] = 0.7
    assert "one score for all items" not in noted(_LABELS, scores)
    scores = _SCORES.copy()
    scores[:2] = 0  # of two new users
    assert "one score for all items" not in noted(_LABELS, scores)
    fillers = np.where(np.arange(60)[:, None] < 50, (_LABELS, _SCORES), 0)
    found = noted(*fillers)
    assert "all 0 in 10 lists" in found
    assert "one score for all items" not in found


def test_scores_of_other_lists():
    words = "with the scores of other lists"
    places = np.arange(60)
    for those in (places % 15, places // 2, np.minimum(places, 45)):
        assert words in noted(_LABELS, _SCORES[those])
    for those in (places, np.where(places < 2, 0, places), 0 * places):
        assert words not in noted(_LABELS, _SCORES[those])
    ranks = np.broadcast_to(1 / (60.0 + np.arange(20)), _SCORES.shape)
    some = [
        {f"d{i}": x for i, x in enumerate(row[: 20 - q % 3])}
        for q, row in enumerate(ranks.tolist())
    ]
    run = dict(enumerate(some))
    truth = {q: {f"d{q % 19}": 1, f"d{q % 7}": 1} for q in run}
    assert not words_of(lambda: krm.evaluate(truth, run, "RR"))


def test_labels_of_whole_lists_that_are_all_above_0():
    labels = _LABELS.max(1, keepdims=True) + np.arange(60)[:, None] % 2
    labels = np.repeat(labels + 1, 20, 1)
    words = "one label for all items in each of 60 lists"
    assert words in noted(labels, _SCORES)
    table = {
        "query": _QUERY,
        "item": np.arange(1200),
        "label": labels.ravel(),
        "score": _SCORES.ravel(),
    }
    found = words_of(lambda: krm.evaluate(table, metrics="NDCG@10"))
    assert any(words in x for x in found)


_ODDS = np.exp(_SCORES)
_RANKS = 1.0 + np.argsort(np.argsort(_SCORES, 0), 0)


@pytest.mark.parametrize(
    "words, scores",
    [
        ("each adds up to 1", _ODDS / _ODDS.sum(0)),
        ("each adds up to 1", _SCORES - np.log(_ODDS.sum(0))),
        (
            "the lowest score 0 and the highest 1",
            (_SCORES - _SCORES.min(0)) / np.ptp(_SCORES, 0),
        ),
        ("the mean 0", (_SCORES - _SCORES.mean(0)) / _SCORES.std(0)),
        ("the ranks 1", _RANKS),
        ("the ranks 1", _RANKS / 60),
    ],
)
def test_scores_that_were_scaled_over_lists(words, scores):
    assert "columns of which each" in noted(_LABELS, scores)
    assert words in noted(_LABELS, scores)
    assert not noted(_LABELS.T, scores.T) or words == "the ranks 1"


@pytest.mark.parametrize(
    "scores",
    [
        _SCORES - _SCORES.mean(0) + 1 / 60,  # no shares, but add up to 1
        1.01 * _ODDS / _ODDS.sum(0),
        _SCORES - _SCORES.min(0),
        _SCORES - _SCORES.max(0) + 1,
        _SCORES - _SCORES.mean(0),
        _SCORES / _SCORES.std(0),
        np.where(_RANKS == 2, 1, _RANKS),
        np.where(_RANKS == 1, 2, _RANKS),
        np.where(_RANKS == 60, 59, _RANKS),
    ],
)
def test_columns_that_are_scaled_in_part(scores):
    assert "columns of which each" not in noted(_LABELS, scores)


def test_a_softmax_over_items():
    some = np.where(np.arange(60)[:, None] == 7, -np.inf, _SCORES)
    assert "columns" not in noted(_LABELS, some)
    assert not noted(_LABELS, _ODDS / _ODDS.sum(1, keepdims=True))


@pytest.mark.parametrize("shortest", [3, 12])
def test_padding_at_two_ends(shortest, rng):
    lengths = rng.integers(shortest, 21, 60)[:, None]
    at = np.arange(20)
    labels = np.where(at >= 20 - lengths, _LABELS, -1)
    scores = np.where(at < lengths, _SCORES, 0.0)
    for step in (1, -1):
        assert "padding at one end" in noted(
            labels[:, ::step], scores[:, ::step]
        )
    scores = np.where(labels >= 0, _SCORES, 0.0)
    for step in (1, -1):
        found = noted(labels[:, ::step], scores[:, ::step])
        assert "padding at one end" not in found


def test_padding_of_0_at_two_ends(rng):
    lengths = rng.integers(3, 20, 60)[:, None]
    at = np.arange(20)
    labels = np.where(at >= 20 - lengths, np.roll(_LABELS, -3, 1), 0)
    scores = np.where(at < lengths, _SCORES + 9, 0.0)
    assert "labels of 0 at the head" in noted(labels, scores)
    assert "should rank higher" not in noted(labels, scores)
    some = np.where(at < lengths, _LABELS, 0)
    assert not noted(some, scores)
    metric = krm.NDCG(10)
    [found] = words_of(lambda: metric.update_state(labels, scores))
    assert "labels of 0 at the head" in found
    assert not words_of(lambda: krm.NDCG(10).update_state(some, scores))


def in_batch(targets, noise=1.0):
    """Return the scores of queries for the items of all queries."""
    rng = np.random.default_rng(1)
    items = rng.normal(size=(500, 8))[targets]
    return (items + noise * rng.normal(size=items.shape)) @ items.T


@pytest.mark.parametrize("share", [0.1, 0.5])
def test_an_item_twice_among_those_of_a_batch(share):
    targets = np.arange(64)
    targets[: int(64 * share)] += 32
    scores = in_batch(targets)
    for says in (
        lambda: krm.evaluate(np.eye(64), scores, "HR@1"),
        lambda: krm.HitRateAtK(1).update_state(np.eye(64), scores),
    ):
        [found] = words_of(says)
        assert "64 items, of which" in found
        assert "have the scores of another one" in found
    same = (targets[:, None] == targets[None]).astype(float)
    with pytest.warns(UserWarning, match="another one"):
        wrong = krm.evaluate(np.eye(64), scores, "HR@1")["HR@1"]
    assert krm.evaluate(same, scores, "HR@1")["HR@1"] > wrong
    assert not words_of(lambda: krm.HitRateAtK(1).update_state(same, scores))


def test_batches_whose_items_are_there_once():
    plain = in_batch(np.arange(64))
    for scores in (
        plain,
        np.maximum(plain - 4, 0),  # most are 0
        plain.round(),
        np.where(np.arange(64) < 9, 0.5, plain),  # items without a vector
        np.ones((64, 64)),
    ):
        metric = krm.HitRateAtK(1)
        assert not words_of(lambda s=scores, m=metric: m(np.eye(64), s))


def test_labels_in_place_of_a_reference():
    lengths = np.random.default_rng(3).integers(6, 21, 60)[:, None]
    is_padding = np.arange(20) >= lengths
    labels = np.where(is_padding, -1, _LABELS)
    scores = np.where(is_padding, 0, _SCORES)
    [found] = words_of(lambda: krm.RankBiasedOverlap()(labels, scores))
    assert "which counts as the worst score" in found
    sides = (np.where(is_padding, -np.inf, x) for x in (_LABELS, _SCORES))
    metric = krm.RankBiasedOverlap()
    assert not words_of(lambda: metric.update_state(*sides))
    apart = [
        float(krm.RankBiasedOverlap()(_LABELS[i, :n], _SCORES[i, :n]))
        for i, n in enumerate(lengths.ravel())
    ]
    assert np.isclose(float(metric.result()), np.mean(apart), atol=1e-5)
    for teacher in (_LABELS, _LABELS - 1, np.where(is_padding, -1, _SCORES)):
        assert not words_of(
            lambda x=teacher: krm.RankBiasedOverlap()(x, _SCORES)
        )


def test_ones_and_ranks_of_relevant_items(rng):
    ranks = rng.integers(1, 50, 64)
    metric = krm.MeanReciprocalRank()
    [found] = words_of(lambda: metric.update_state(np.ones(64), ranks))
    assert "Some items should be irrelevant" in found
    some = np.append(np.ones(63), 0)
    assert not words_of(lambda: krm.MeanReciprocalRank()(some, ranks))


def test_sizes_of_lists_in_place_of_queries(rng):
    sizes = rng.integers(5, 25, 60)
    labels = rng.integers(0, 2, sizes.sum())
    scores = labels + rng.normal(size=len(labels))
    metrics = krm.NDCG(10)

    def words(query):
        call = krm.evaluate_rows, query, labels, scores, metrics
        return words_of(lambda: call[0](*call[1:]))

    [found] = words(np.repeat(sizes, sizes))
    assert "sizes of lists" in found
    assert not words(np.repeat(np.arange(60) + 1, sizes))


def test_labels_as_targets(rng):
    scores = rng.normal(size=(64, 500))
    metric = krm.RecallAtK(10, inputs="sparse")
    [found] = words_of(
        lambda: metric.update_state(_BINARY.ravel()[:64], scores)
    )
    assert "Targets should be numbers" in found
    first = np.zeros(64, int)
    assert not words_of(lambda: metric.update_state(first, scores))


def test_the_same_items_for_all_in_order_are_no_sorted_ids():
    """As the most popular items, which are often numbered by popularity."""
    truth = {u: {u % 40: 1, (3 * u) % 40: 1} for u in range(60)}
    same = {u: [*range(20)] for u in truth}
    others = {
        u: sorted({(7 * u + 3 * j) % 40 for j in range(9)}) for u in truth
    }
    for run, is_said in ((same, False), (others, True)):
        found = words_of(lambda run=run: krm.evaluate(truth, run, "HR@10"))
        assert any("ascend in each list" in x for x in found) == is_said


def test_the_best_score_for_items_that_were_not_scored():
    """As a pivot that is filled with 0; to turn scores round helps nobody."""
    rng = np.random.default_rng(0)
    scores = np.where(rng.random(_SCORES.shape) < 0.7, 0.0, _SCORES - 10)
    [found] = words_of(lambda: krm.evaluate(_LABELS, scores, "NDCG@10"))
    assert "one score for most items" in found
    assert not words_of(lambda: krm.evaluate(_LABELS, -scores, "NDCG@10"))


def dicts(rename=str):
    """Return a truth, and a run with other names of items."""
    both = []
    for values, own in ((_LABELS, str), (_SCORES, rename)):
        both.append(
            {
                f"q{i}": {
                    own(f"d{20 * i + j}"): float(x) for j, x in enumerate(row)
                }
                for i, row in enumerate(values)
            }
        )
    return both


@pytest.mark.parametrize(
    "rename, words",
    [
        (
            lambda x: "nan" if x.endswith("3") else x,
            "missing, padding or names",
        ),
        (lambda x: "doc_" * (int(x[1:]) % 2) + x, "prefix before a mark"),
        (lambda x: "i-20:" * (int(x[1:]) // 20 % 2) + x, "prefix before a"),
        (lambda x: f"[{x}]" if int(x[1:]) % 2 else x, "quotes or a mark"),
    ],
)
def test_ids_of_a_run(rename, words):
    truth, run = dicts(rename)
    run = {q: dict(items) for q, items in run.items()}
    found = words_of(lambda: krm.evaluate(truth, run, "NDCG@10"))
    assert any(words in x for x in found), found
    assert not words_of(lambda: krm.evaluate(*dicts(), "NDCG@10"))


def test_ids_that_are_tuples():
    query = np.empty(30, object)
    query[:] = [("a", i // 6) for i in range(30)]
    labels, scores = _LABELS.ravel()[:30], _SCORES.ravel()[:30]
    whole = krm.evaluate_rows(np.arange(30) // 6, labels, scores, "RR")
    assert krm.evaluate_rows(query, labels, scores, "RR") == whole


def test_items_that_no_query_retrieves_are_no_labels_of_the_query():
    truth = {q: {f"d{i}": 1 for i in range(4)} for q in range(8)}
    run = {
        q: {f"{'d' if q < 4 else 'e'}{i}": 0.1 * i + q for i in range(4)}
        for q in truth
    }
    found = words_of(lambda: krm.evaluate(truth, run, "Recall@4"))
    assert not any("so that scores do not count" in x for x in found)


@pytest.mark.parametrize("shape", [(3, 4), (4, 5), (5, 5)])
def test_few_lists_of_places_that_fit_are_quiet(shape, rng):
    labels = np.eye(*shape, dtype=int)
    scores = np.argsort(np.argsort(labels + 0.1 * rng.random(shape), 1), 1) + 1
    metric = krm.MeanReciprocalRank()
    assert not words_of(lambda: metric.update_state(labels, scores))


def test_scores_that_round_to_0_are_no_filled_ones():
    """As those of a reranker, of which some irrelevant items are left."""
    labels = np.zeros((100, 10), int)
    labels[:, 0] = 1
    rng = np.random.default_rng(0)
    logits = 0.5 * rng.normal(size=labels.shape) - 10
    logits[:, 0] = 3 * rng.normal(size=100) + 4
    scores = (1 / (1 + np.exp(-logits))).round(4)
    assert (np.ptp(scores[:, 1:], axis=1) == 0).mean() < 1
    assert "should be those of all items" not in noted(labels, scores, "RR")


@pytest.mark.parametrize("form", ["arrays", "batch", "dicts"])
def test_two_rankings_of_which_one_is_in_reverse(form, rng):
    ranks = 1 + np.argsort(np.argsort(-_SCORES, 1), 1)
    near = _SCORES + rng.normal(size=_SCORES.shape)

    def found(reference, scores):
        metric = krm.KendallTau()
        if form == "batch":
            return words_of(lambda: metric.update_state(reference, scores))
        if form == "dicts":
            reference, scores = (
                {q: dict(enumerate(row)) for q, row in enumerate(x.tolist())}
                for x in (reference, scores.astype(float))
            )
        return words_of(lambda: krm.evaluate(reference, scores, metric))

    [words] = found(_SCORES, ranks)
    assert "as ranks are" in words
    for right in ((_SCORES, near), (_SCORES, -ranks), (-ranks, -ranks)):
        assert not found(*(x * 1.0 for x in right))
    for reverse in ((ranks, _SCORES), (-_SCORES, near)):
        words = " ".join(found(*reverse))
        # A model that has learnt nothing may be so.
        assert ("lower ranks for them in" in words) == (form != "batch")


@pytest.mark.parametrize(
    "weights, words",
    [
        (_LABELS.ravel() + 1, "the labels"),
        (np.exp(_SCORES).ravel(), "the scores"),
        (_QUERY, "the queries"),
        (np.arange(1200) + 5, "the numbers of the rows"),
        (np.zeros(1200), "0 in all rows"),
        (np.ones(1200), ""),
        (1.0 + _QUERY % 7, ""),
        (np.abs(_SCORES).ravel(), ""),
    ],
)
def test_weights_that_are_another_column(weights, words):
    rows = _QUERY, _LABELS.ravel() + 1, np.exp(_SCORES).ravel()
    found = words_of(
        lambda: krm.evaluate_rows(*rows, "NDCG@10", sample_weight=weights)
    )
    assert any(f"weights that are {words}." in x for x in found) == bool(words)


def test_weights_of_a_table_that_are_its_queries():
    table = {
        "query": _QUERY,
        "label": _LABELS.ravel(),
        "score": _SCORES.ravel(),
        "w": _QUERY % 7,
    }
    for name in ("query", "w"):
        found = words_of(
            lambda: krm.evaluate(
                table,
                metrics="NDCG@10",
                columns={"weight": name},  # noqa: B023
            )
        )
        is_said = any("weights that are the queries" in x for x in found)
        assert is_said == (name == "query")


def test_labels_that_are_queries():
    rows = _LABELS.ravel(), _QUERY, _SCORES.ravel(), "RR"
    [words] = words_of(lambda: krm.evaluate_rows(*rows))
    assert "labels that are whole numbers in blocks of rows" in words


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8])
def test_scores_of_few_bits(dtype):
    rows = _QUERY, _LABELS.ravel(), (_SCORES > 1).ravel()
    expected = krm.evaluate_rows(*rows[:2], rows[2] * 1.0, "NDCG@10")
    found = krm.evaluate_rows(*rows[:2], rows[2].astype(dtype), "NDCG@10")
    assert found == expected


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_arrays_of_other_classes():
    expected = krm.evaluate(_LABELS, _SCORES, "NDCG@10")
    matrices = map(np.matrix, (_LABELS, _SCORES))
    assert krm.evaluate(*matrices, "NDCG@10")["NDCG@10"] == expected["NDCG@10"]
    for side in (0, 1):
        sides = [_LABELS, _SCORES]
        sides[side] = (sides[side] + 0.1234).astype(str)
        with pytest.raises(ValueError, match=r"Pass `x.astype\(float\)`"):
            krm.evaluate(*sides, "NDCG@10")


@pytest.mark.parametrize("of", [list, lambda x: list(set(x)), sorted])
def test_ids_in_the_order_of_a_set(of):
    rng = np.random.default_rng(0)
    run = {q: rng.permutation(9000)[:12].tolist() for q in range(40)}
    truth = {q: dict.fromkeys(x[:3], 1) for q, x in run.items()}
    run = {q: of(x) for q, x in run.items()}
    found = words_of(lambda: krm.evaluate(truth, run, "RR"))
    is_said = any("list(dict.fromkeys(ids))" in x for x in found)
    assert is_said == (of not in (list, sorted))


@pytest.mark.parametrize(
    "names", [("en", "EN"), ("en", "en "), ("1", "1.0"), ("True", "true")]
)
def test_two_spellings_of_a_group(names):
    groups = [names[q % 2] for q in range(60)]
    [words] = words_of(
        lambda: krm.evaluate(_LABELS, _SCORES, "RR", groups=groups)
    )
    assert f"{names[0]!r} and {names[1]!r}, which count as two groups" in words
    names = "en", "de", "1.5", "15", "p53", "P53", "mW", "MW", "a", "A"
    groups = [names[q % 10] for q in range(60)]
    assert not noted(_LABELS, _SCORES, "RR")
    assert not words_of(
        lambda: krm.evaluate(_LABELS, _SCORES, "RR", groups=groups)
    )
