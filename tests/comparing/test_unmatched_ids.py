"""Ids that do not match: what `compare` warns of, and what it refuses."""

import functools
import json
import re
import unicodedata

import numpy as np
import pytest
from outcomes import said

import keras_rankmetrics as krm

MRR = krm.MeanReciprocalRank()

DIFFERENT = {
    "case": ("D1", "d1"),
    "spaces around them": (" d1", "d1"),
    "leading zeros": ("007", "7"),
    "the ending `.0`": ("12.0", "12"),
    "a prefix before the digits": ("D5", "5"),
}


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("encode", [str, str.encode])
@pytest.mark.parametrize("difference", DIFFERENT)
def test_a_warning_names_an_id_of_each_side(difference, encode, swapped):
    mine, theirs = DIFFERENT[difference][:: -1 if swapped else 1]
    query = encode("q1")
    run = {query: {encode("other"): 2.0, encode(mine): 1.0}}
    truth = {query: {encode("another"): 0, encode(theirs): 1}}
    with pytest.warns(UserWarning) as caught:
        compared = krm.compare(truth, {"good": truth, "bad": run}, MRR)
    [warning] = [w for w in caught if w.category is UserWarning]
    assert warning.filename == __file__
    text = str(warning.message)
    assert text == (
        "bad: none of its 2 retrieved items are judged (0.00%). For the query "
        f"'q1' it retrieves {mine!r}, and the truth judges {theirs!r}. Do the "
        f"ids differ only in {difference}?"
    )
    assert text in compared.report.notes
    assert text in compared.to_dict()["notes"]
    assert " ".join(str(compared).split()).count(text) == 1
    assert compared.judged == {"good": 1.0, "bad": 0.0}


@pytest.mark.parametrize("encode", [str, str.encode])
def test_ids_that_look_alike_are_shown_in_ascii(encode):
    mine, theirs = encode("caf\u00e9"), encode("cafe\u0301")
    shown = (
        r"'caf\xe9', and the truth {} 'cafe\u0301'. Do the ids differ only in "
        "Unicode normalization?"
    )
    truth = {encode("q"): {theirs: 1}}
    text = re.escape(shown.format("judges"))
    with pytest.warns(UserWarning, match=text):
        krm.compare(truth, {"s": {encode("q"): {mine: 1.0}}}, MRR)
    with pytest.raises(ValueError) as error:
        krm.compare({theirs: {"d": 1}}, {"s": {mine: {"d": 1.0}}}, MRR)
    assert shown.format("has") in str(error.value)


def lists(queries, judged, retrieved, matches):
    """Many lists, of whose items as many match in all as asked for."""
    truth = {
        q: {f"d{i}": 1 for i in range(judged)} for q in map(str, range(queries))
    }
    run = {q: {f"x{i}": -float(i) for i in range(retrieved)} for q in truth}
    for place in range(matches):
        of_query = run[str(place % queries)]
        of_query.pop(f"x{place // queries}")
        of_query[f"d{place // queries}"] = 1.0
    return truth, run


def with_one_alike():
    truth, run = lists(300, 1, 20, 2)
    run["299"]["D0"] = 1.0  # the truth has d0
    return truth, run


NO_FORM = "retrieves 5, and the truth judges 15. Do both sides use the same"
OF_TWO = {"a": {"x": 1}, "b": {"D1": 1}}
OF_FIRST = "'d1', and the truth judges 'x'. Do b"
USE_SAME = "Do both sides use the same ids"


@pytest.mark.parametrize(
    "truth, run, text",
    [
        # There is no common form.
        ({1: {15: 1}}, {1: {5: 1.0}}, NO_FORM),
        # An id that is alike, of another query, is no explanation.
        (OF_TWO, {"a": {"d1": 1.0}, "b": {"y": 1.0}}, OF_FIRST),
        # Ids that look alike explain nothing where some match.
        (*with_one_alike(), USE_SAME),
    ],
)
def test_ids_without_a_difference_that_explains_all(truth, run, text):
    with pytest.warns(UserWarning, match=text):
        krm.compare(truth, {"s": run}, MRR)


@pytest.mark.parametrize(
    "shape, possible",
    # One judgement among many items is usual. It is little where both are many.
    [((300, 1, 20), 300), ((20, 40, 20), 400), ((4, 50, 500), 200)],
)
def test_less_than_one_percent_of_the_possible_matches(shape, possible):
    least = possible // 100
    retrieved = shape[0] * shape[2]
    for matches in (least - 1, least):
        truth, run = lists(*shape, matches)
        call = functools.partial(krm.compare, truth, {"s": run}, MRR)
        compared, texts = said(call)
        share = f"{matches / retrieved:.2%}"
        could = f", and {possible} could be" * bool(matches)
        words = f" retrieved items are judged ({share}){could}. "
        assert [words in text for text in texts] == [True] * (matches < least)
        assert compared.judged["s"] == matches / retrieved


def test_the_share_is_of_what_is_retrieved_and_judged():
    truth = {
        "a": {"x": 1, "y": 0, "z": -1, "w": 1},
        "b": {"x": 1},
        "c": {"x": 1},
    }
    run = {
        "a": {"x": 3.0, "y": 2.0, "z": 1.0, "v": 0.0, "w": -np.inf},
        "b": {"y": 1.0},
        "z": {"x": 1.0},
    }
    compared = krm.compare(truth, {"s": run}, MRR)
    [overlap] = [s.overlap for s in compared.measured.systems.values()]
    assert overlap == (1, 1, 5, 2, 4, "", 0, 0, 1, 0, 1)
    assert compared.judged == {"s": 2 / 5}
    assert compared.to_dict(per_list=False)["judged"] == {"s": 2 / 5}

    def chunk(query):
        items = run[query]
        ids = np.array([query] * len(items)), np.array([*items])
        return krm.Rows(*ids, np.array([*items.values()]))

    in_chunks = krm.compare(truth, {"s": map(chunk, run)}, MRR)
    assert in_chunks.measured.systems["s"].overlap == overlap
    arrays = krm.compare([[1, 0]], {"s": [[1.0, 0.0]]}, MRR)
    assert arrays.judged == {"s": None}


@pytest.mark.filterwarnings("ignore:s. none of its")
def test_what_is_saved_has_the_note():
    truth = {"q1": {"d1": 1}, "q2": {"d1": 1}}
    compared = krm.compare(truth, {"s": {"q1": {"D1": 1.0}}}, MRR)
    again = krm.Compared.from_json(compared.to_json())
    assert again.report == compared.report
    assert again.judged == compared.judged == {"s": 0.0}
    # Files of earlier versions have no counts of items.
    old = json.loads(compared.to_json())
    assert json.loads(again.to_json()) == old
    for name in compared.measured.systems["s"].overlap._fields:
        del old["per_list"]["systems"]["s"][name]
    assert krm.Compared.from_dict(old).judged == {"s": None}


@pytest.mark.parametrize("empty", [[], {}])
def test_a_truth_of_which_no_query_has_a_relevant_item(empty):
    run = {f"q{i}": ["a", "b"] for i in range(3)}
    words = "The truth should have relevant items. Received: none in any list"
    truth = dict.fromkeys(run, empty)
    for call in (
        lambda: krm.evaluate(truth, run, "NDCG@10"),
        lambda: krm.compare(truth, {"s": run}, "NDCG@10"),
        lambda: krm.tie_range(truth, run, "NDCG@10"),
        lambda: krm.explain(0.5, truth, run, "NDCG@10"),
    ):
        assert [words in x for x in said(call)[1]] == [True]
    truth["q1"] = type(empty)({"a": 1})
    assert not said(lambda: krm.evaluate(truth, run, "NDCG@10"))[1]


PLAIN = np.array([[3, 1], [2, 4], [0, 1]])
NONE = np.full((3, 1), -1)
COUNTS = {"above": NONE, "tied": 0 * NONE, "num_items": 9}


@pytest.mark.parametrize(
    ("form", "truth", "run", "side"),
    [
        ("ids", NONE, PLAIN, "`y_true` should have relevant"),
        ("ids", PLAIN[:, :1], np.full((3, 4), -1), "recommended"),
        ("sparse", NONE, np.sin(np.arange(30)).reshape(3, 10), "relevant"),
        ("counts", NONE, COUNTS, "relevant"),
        ("scores", NONE * np.ones(5), np.sin(np.arange(15)).reshape(3, 5), ""),
    ],
)
def test_arrays_without_a_relevant_or_a_recommended_id(form, truth, run, side):
    metric = krm.NDCG(5, inputs=form)
    with pytest.warns(UserWarning, match=f"{side} items. Received: none in"):
        krm.evaluate(truth, run, metric)
    metric.update_state(truth, run)  # one batch may be so


def test_a_metric_of_recommended_items_needs_no_relevant_ones():
    novelty = krm.Novelty(2, popularity=np.arange(1, 6) / 9, inputs="ids")
    assert not said(lambda: krm.evaluate(NONE, PLAIN, novelty))[1]


NO_ROWS = krm.Rows(*(np.zeros(0, t) for t in "UUf"))


@pytest.mark.parametrize(
    "truth, run, text",
    [
        *(
            ({"q1": {"d1": 1}}, run, "rows in the system 's'")
            for run in ({}, {"q1": {}}, iter([]), NO_ROWS)
        ),
        ({}, {"q1": {"d1": 1.0}}, "judgements in `truth`"),
        (NO_ROWS, {"q1": {"d1": 1.0}}, "judgements in `truth`"),
    ],
)
def test_an_empty_side_is_refused(truth, run, text):
    with pytest.raises(ValueError, match=text):
        krm.compare(truth, {"good": {"q1": {"d1": 1.0}}, "s": run}, MRR)


@pytest.mark.parametrize("encode", [str, str.encode])
def test_a_system_without_a_query_of_the_truth_is_refused(encode):
    truth = {encode(f"q{i}"): {encode("d"): 1} for i in range(3)}
    run = {encode(f"Q{i}"): {encode("d"): 1.0} for i in range(2, 9)}
    text = (
        "the system 's' should be in the truth. Received: 0 of 7. It has "
        "'Q2', and the truth has 'q2'. Do the ids differ only in case?"
    )
    with pytest.raises(ValueError, match=text):
        krm.compare(truth, {"s": run}, MRR)
    run[encode("q0")] = {encode("d"): 1.0}
    text = (
        "no rows of 'q2', and the truth has no query 'Q2'. Do the ids differ "
        "only in case?"
    )
    with pytest.warns(UserWarning, match=text):
        krm.compare(truth, {"s": run}, MRR)


def misspelt(item=str, query=str, every=2, truth_ids="d", run_ids="d", seed=0):
    """A truth, and a run that writes every second id or query differently."""
    rng = np.random.default_rng(seed)
    truth, run = {}, {}
    for i in range(20):
        asked = f"what is é {i}?"
        items = [f"{truth_ids}{x}" for x in rng.permutation(500)[:30]]
        others = [f"{run_ids}{x}" for x in rng.permutation(500)[:15]]
        truth[asked] = dict.fromkeys(items[:5], 1)
        found = items[:3] + (items[5:20] if run_ids == truth_ids else others)
        run[query(asked) if i % every else asked] = {
            item(x) if k % every else x: float(rng.random())
            for k, x in enumerate(found)
        }
    return truth, run


def some_misspelt(one, other):
    """A truth and a run, in which two of three ids are written differently."""
    ids = {str(query): f"{one} {query}" for query in range(9)}
    run = {
        q: {x.replace(one, other) if int(q) % 3 else x: 1.0, "tea": 0.5}
        for q, x in ids.items()
    }
    return {q: {x: 1, "tea": 0} for q, x in ids.items()}, run


def in_two_spellings():
    truth, run = misspelt()
    for found in run.values():
        found.update({x.upper(): y for x, y in list(found.items())[:5]})
    return truth, run


def joined(mark, in_run=False):
    """Lists, of which every second one has two ids of one side in a text."""
    rng = np.random.default_rng(0)
    sides = {}, {}
    for i in range(20):
        ids = [f"d{x}" for x in rng.permutation(500)[:8].tolist()]
        for side, others in zip(sides, (ids[:3], ids), strict=True):
            is_whole = (side is sides[1]) == in_run and i % 2
            one = [mark.join(others[:2])] if is_whole else others[:2]
            side[f"q{i}"] = [*one, *others[2:]]
    return sides


def shifted_by_one(as_id):
    rng = np.random.default_rng(0)
    rows = {f"u{i}": rng.permutation(300)[:20].tolist() for i in range(30)}
    truth = {q: [as_id(x + 1) for x in row[:5]] for q, row in rows.items()}
    return truth, {q: [*map(as_id, row[:15])] for q, row in rows.items()}


def of_others():
    """What a random recommender finds: relevant items of other users."""
    users = range(4)
    truth = {f"u{i}": [f"d{i}{x}" for x in range(5)] for i in users}
    return truth, {f"u{i}": truth[f"u{(i + 1) % 4}"] for i in users}


WWW = "https://www.a.org/p/"


def in_folder(url):
    return url.replace("/p/", "//p/")


def ranked(start=0, as_id=int, catalogue=2000, lists=40, popular=False):
    """A run whose items have lost their ids, but for some low ones."""
    rng = np.random.default_rng(0)
    truth, run = {}, {}
    for i in range(lists):
        truth[i] = [as_id(x) for x in rng.permutation(catalogue)[:3] + start]
        scores = np.sort(rng.random(6))[::-1] if not popular else -np.arange(6)
        run[i] = {as_id(x + start): s for x, s in enumerate(scores.tolist())}
    truth[0][:2] = run[0].keys() - {as_id(start + x) for x in range(4)}
    truth[7][0] = as_id(start + 3)
    return truth, run


def in_nfd(text):
    return unicodedata.normalize("NFD", text)


QUOTES = "differ only in quotes or a mark at the end"
CHUNKS = "differ only in the number of a chunk"
SHOWN = "differ only in a container such as `np.int64"
OF_URL = "only in the scheme or the slash of a URL"
JOINED = "Are several ids in one text\\? Split it at "


@pytest.mark.parametrize(
    "text, sides",
    [
        ("differ only in case", misspelt(str.upper)),
        (QUOTES, misspelt('"{}"'.format)),
        (CHUNKS, misspelt("{}#0".format)),
        (CHUNKS, misspelt("{}-0".format)),
        ("only in the parameters of a URL", misspelt("{}?utm=1".format)),
        ("differ only in the path before a name", misspelt("docs/{}".format)),
        (SHOWN, misspelt("np.int64({})".format)),
        (SHOWN, misspelt("tensor({})".format)),
        (SHOWN, misspelt("('{}',)".format)),
        (SHOWN, misspelt(query=lambda x: str((x,)))),
        (QUOTES, misspelt("{};".format)),
        (OF_URL, misspelt(lambda x: x[8:], truth_ids=WWW, run_ids=WWW)),
        (OF_URL, misspelt(in_folder, truth_ids=WWW, run_ids=WWW)),
        *((JOINED + f"'{x[0]}'", joined(x)) for x in (",", ", ", ";", " ")),
        (JOINED + "'[|]'", joined("|")),
        (JOINED + "','", joined(",", in_run=True)),
        ("differ only in case", misspelt(query=str.upper)),
        (QUOTES, misspelt(query=lambda x: x.rstrip("?"))),
        ("differ only in Unicode normalization", misspelt(query=in_nfd)),
        ("differ only in accents", some_misspelt("café", "cafe")),
        ("differ only in HTML entities", some_misspelt("a&b", "a&amp;b")),
        ("differ only in case", in_two_spellings()),
        ("numbered from 0 on one side", shifted_by_one(int)),
        ("numbered from 0 on one side", shifted_by_one(str)),
        ("for other queries", of_others()),
    ],
)
def test_what_some_ids_differ_in(text, sides):
    with pytest.warns(UserWarning, match=text):
        result = krm.evaluate(*sides, "Recall@10")
    assert text != "for other queries" or "same ids" not in str(result)


def with_genes(read):
    """A truth and a run, whose ids a spreadsheet has read, or has not."""
    ids = [f"{m}{i}" for m in ("MARCH", "SEPT", "TP") for i in range(1, 9)]
    truth = {f"q{i}": ids[i : i + 4] for i in range(16)}
    run = {q: [*map(read, x[:2]), ids[-1], "p53"] for q, x in truth.items()}
    return truth, run


def test_names_that_a_spreadsheet_takes_for_dates():
    def as_date(id_):
        return re.sub(r"(MARCH|SEPT)(\d)", lambda x: f"{x[2]}-{x[1][:3]}", id_)

    truth, run = with_genes(as_date)
    for sides in (truth, run), (run, truth):
        with pytest.warns(UserWarning, match="a spreadsheet takes for dates"):
            krm.evaluate(*sides, "Recall@4")
    of_dates = (
        {q: [*map(as_date, x)] for q, x in y.items()} for y in (truth, run)
    )
    for sides in with_genes(str), of_dates:
        assert "dates" not in str(krm.evaluate(*sides, "Recall@4"))


@pytest.mark.parametrize("step", [1, 3])
def test_integers_that_float32_has_rounded(step):
    """Those next to each other may be items, of which some are judged."""
    ids = 20_000_001 + step * np.arange(200).reshape(20, 10)
    rng = np.random.default_rng(0)
    truth, run = {}, {}
    for query, items in enumerate(ids):
        truth[query] = dict.fromkeys(items[:5].tolist(), 1)
        found = items if step == 1 else np.float32(items).astype(int)
        run[query] = {int(x): float(rng.random()) for x in found}
    if step == 1:
        assert "float32" not in str(krm.evaluate(truth, run, "Recall@5"))
    else:
        with pytest.warns(UserWarning, match="in digits that float32 loses"):
            krm.evaluate(truth, run, "Recall@5")


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("as_id", [int, str])
def test_ranks_in_place_of_ids(start, as_id):
    words = "should be those of the truth. Received: their ranks, 0, 1, 2"
    sides = ranked(start, as_id)
    with pytest.warns(UserWarning, match=words):
        krm.evaluate(*sides, "NDCG@10")
    assert "ranks_as_ids" in [x.name for x in krm.diagnose(*sides)]


@pytest.mark.parametrize(
    "options",
    [
        {"catalogue": 20},  # candidates have numbers in each list
        {"popular": True},
        {"lists": 8, "start": 2},
    ],
)
def test_low_ids_that_are_those_of_items(options):
    _, texts = said(lambda: krm.evaluate(*ranked(**options), "NDCG@10"))
    assert not [x for x in texts if "their ranks" in x]


def candidates(start=0, as_id=int, catalogue=400, number=12, same=False):
    """Places among candidates, in the order of a reranker, and their ids."""
    rng = np.random.default_rng(0)
    truth, places, ids = {}, {}, {}
    for i in range(40):
        of_list = rng.permutation(catalogue)[:number] + start
        scores = rng.random(number)
        scores[:2] += 0.5
        order = np.arange(number) if same else np.argsort(-scores)
        truth[f"q{i}"] = [as_id(x) for x in of_list[:2]]
        places[f"q{i}"] = [as_id(x + start) for x in order]
        ids[f"q{i}"] = [as_id(x) for x in of_list[order]]
    return truth, places, ids


@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("as_id", [int, str])
def test_places_among_candidates_in_place_of_ids(start, as_id):
    truth, places, ids = candidates(start, as_id)
    words = "or, in another order, their places among candidates"
    with pytest.warns(UserWarning, match=words):
        krm.evaluate(truth, places, "Recall@5")
    _, texts = said(lambda: krm.evaluate(truth, ids, "Recall@5"))
    assert not texts
    sides = [np.array([*x.values()]).astype(int) for x in (truth, places, ids)]
    for run, is_wrong in ((sides[1], True), (sides[2], False)):
        update = krm.RecallAtK(5, inputs="ids").update_state
        _, texts = said(functools.partial(update, sides[0], run))
        assert any(words in x for x in texts) == is_wrong


@pytest.mark.parametrize("options", [{"catalogue": 12}, {"same": True}])
def test_a_small_catalogue_and_popular_items_are_ids(options):
    """All items are ranked, or the same ones for all queries."""
    truth, places, _ = candidates(**options)
    _, texts = said(lambda: krm.evaluate(truth, places, "Recall@5"))
    assert not [x for x in texts if "their places" in x]


def rows_of(lists, name):
    """Return a frame with a row for each item of each list, from above."""
    pd = pytest.importorskip("pandas")
    rows = [(q, *x) for q, items in lists.items() for x in items.items()]
    return pd.DataFrame(rows, columns=["query", "doc", name]).reset_index()


def test_numbers_of_rows_in_place_of_ids():
    truth, _, ids = candidates()
    truth = {q: dict.fromkeys(x, 1) for q, x in truth.items()}
    run = {
        q: {x: 0.5 - i for i, x in enumerate(items)} for q, items in ids.items()
    }
    sides = rows_of(truth, "label"), rows_of(run, "score")
    columns = {"item": "index"}
    with pytest.warns(UserWarning, match="the numbers of rows on both sides"):
        krm.evaluate(*sides, "NDCG@10", columns=columns)
    columns = {"item": "doc"}  # as the warning says
    result, texts = said(
        lambda: krm.evaluate(*sides, "NDCG@10", columns=columns)
    )
    assert not texts
    assert result["NDCG@10"] == krm.evaluate(truth, run, "NDCG@10")["NDCG@10"]


def test_numbers_of_the_same_rows_are_ids():
    rng = np.random.default_rng(0)
    truth, run = {}, {}
    for i in range(20):
        numbers = range(12 * i, 12 * i + 12)
        truth[i] = {x: int(x % 12 < 3) for x in numbers}
        run[i] = {x: truth[i][x] + float(rng.normal()) for x in numbers}
    _, texts = said(lambda: krm.evaluate(truth, run, "NDCG@10"))
    assert not texts


def shards(of_shard=1000, popular=False, lists=60, skip=0):
    """A truth of 4,000 items, and a run whose ids lack those of their shard."""
    rng = np.random.default_rng(0)
    truth, run, right = {}, {}, {}
    for i in range(lists):
        found = rng.choice(4000, 30, replace=False)
        if popular:
            found = np.unique((4000 * rng.random(40) ** 6).astype(int))
        of_truth = np.arange(4000) if popular else found
        truth[i] = rng.choice(of_truth, 3, replace=False).tolist()
        if i >= skip:
            right[i] = found.tolist()
            run[i] = [*dict.fromkeys((found % of_shard).tolist())]
    return truth, run, right


def test_ids_of_parts_that_each_begin_with_0():
    truth, run, right = shards()
    result = krm.evaluate(truth, run, "Recall@10")
    words = "ids that are spread from 0 to 999, while"
    assert words in " ".join(result.report.notes)
    result = krm.evaluate(truth, right, "Recall@10")
    assert "are spread" not in " ".join(result.report.notes)


@pytest.mark.parametrize(
    "options",
    [
        {"popular": True},  # which are numbered by popularity
        {"lists": 12},
        {"of_shard": 4000, "skip": 20},
    ],
)
def test_ids_that_happen_to_be_low(options):
    truth, run, _ = shards(**options)
    result, _ = said(lambda: krm.evaluate(truth, run, "Recall@10"))
    assert "are spread" not in " ".join(result.report.notes)


def answers(shared=0, skill=2.0, lists=60):
    """Relevant items of questions, and answers in the order of these."""
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(500, 16))
    questions = vectors[:lists] + skill / 6 * rng.normal(size=(lists, 16))
    order = np.argsort(-questions @ vectors.T, axis=1)[:, :10]
    first = np.arange(lists) % shared if shared else np.arange(lists)
    return first[:, None], order, rng.permutation(lists)


@pytest.mark.parametrize("as_lists", [True, False])
def test_answers_in_another_order_than_the_questions(as_lists):
    truth, run, order = answers()
    words = "as of answers in another order than the questions"
    names = [f"q{i}" for i in range(len(truth))]

    def evaluated(names_of_run):
        if as_lists:
            sides = truth.tolist(), run[[*map(names.index, names_of_run)]]
            return krm.evaluate(sides[0], sides[1].tolist(), "RR")
        of_truth = dict(zip(names, truth.tolist(), strict=True))
        found = -np.arange(10.0) + 0 * run, run
        return krm.evaluate(of_truth, found, "RR", query_ids=names_of_run)

    right, texts = said(lambda: evaluated(names))
    assert not texts
    assert right["RR"] > 0.5
    _, texts = said(lambda: evaluated([names[i] for i in order]))
    assert any(words in x for x in texts)
    few = krm.NDCG(k=5, inputs="ids")
    _, texts = said(lambda: few.update_state(truth[:32], run[:32][::-1]))
    assert any(words in x for x in texts)


@pytest.mark.parametrize(
    "options", [{"shared": 20}, {"skill": 40.0}, {"lists": 19}]
)
def test_answers_in_another_order_that_nothing_shows(options):
    """Queries share relevant items, nothing is found, or there are few."""
    truth, run, order = answers(**options)
    for found in run, run[order]:
        _, texts = said(
            lambda found=found: krm.evaluate(
                truth.tolist(), found.tolist(), "RR"
            )
        )
        assert not any("in another order" in x for x in texts)


@pytest.mark.parametrize("mark", [",", "|"])
def test_a_remedy_for_ids_of_which_all_are_joined(mark):
    truth = {"q": [mark.join(["d3", "x17"])]}
    with pytest.warns(UserWarning, match="Are several ids in one text"):
        krm.evaluate(truth, {"q": ["x17", "d3", "d4"]}, "RR")
    found = krm.diagnose(*joined(mark))
    assert {x.name: x.severity for x in found}["unlike_ids"] == "warning"


@pytest.mark.parametrize(
    "truth, run",
    [
        # Phrases, and words of them.
        (["neural network", "deep net"], ["neural", "network", "deep", "net"]),
        # Pairs of items, and items: the run has other pairs.
        (["d1,d2", "d3,d4"], ["d1", "d2", "d3", "d4", "d1,d4"]),
        # Titles.
        (["Paris, Texas", "Troy"], ["Paris", "Troy", "Rome", "Oslo"]),
    ],
)
def test_ids_that_are_several_words_or_items(truth, run):
    truth = {f"q{i}": [*truth, "other"] for i in range(8)}
    run = {q: ["other", *run] for q in truth}
    assert "in one text" not in str(krm.evaluate(truth, run, "RR"))


GRADES = {f"d{x}": int(x < 5) for x in range(9)}
RELEVANT = {x: 1 for x, y in GRADES.items() if y}


@pytest.mark.parametrize(
    "labels, metric, is_told",
    [
        (GRADES, "RR", True),
        (RELEVANT, "RR", True),
        ({x: y + 1 for x, y in GRADES.items()}, "NDCG", False),
    ],
)
def test_a_run_of_relevant_items_alone(labels, metric, is_told):
    truth = {f"q{i}": labels for i in range(4)}
    run = {q: {x: -float(x[-1]) for x in RELEVANT} for q in truth}
    note = "All items that `run` retrieves are relevant."
    assert (note in str(krm.evaluate(truth, run, metric))) == is_told


@pytest.mark.parametrize("seed", range(10))
def test_two_kinds_of_items_are_not_two_spellings(seed):
    """Of 500 documents and 500 pictures, some have one number by chance."""
    data = misspelt(truth_ids="doc", run_ids="img", seed=seed)
    assert "differ" not in str(krm.evaluate(*data, "Recall@10"))


@pytest.mark.parametrize("as_id", [int, str])
def test_ids_of_which_some_match_are_not_shifted(as_id):
    truth, run = shifted_by_one(lambda x: x)
    some = {q: [*map(as_id, row[3:])] for q, row in run.items()}
    truth = {q: [*map(as_id, row[:5])] for q, row in run.items()}
    assert "numbered" not in str(krm.evaluate(truth, some, "Recall@10"))


@pytest.mark.parametrize(
    "item, other",
    [
        ("doc{0}_3", "doc{0}_5"),
        ("src/m{0}.py", "tests/m{0}.py"),
        ("IMG{0}.png", "IMG{0}.jpg"),
        ("sku{0}-2", "sku{0}-1"),
        ("img{0}", "doc{0}"),
    ],
)
def test_items_of_one_family_are_not_two_spellings(item, other):
    truth = {f"q{i}": [item.format(i)] for i in range(40)}
    run = {
        f"q{i}": [(item if i % 5 < 2 else other).format(i), f"x{i}", f"y{i}"]
        for i in range(40)
    }
    assert "differ" not in str(krm.evaluate(truth, run, "RR"))


def test_hits_that_are_not_in_order_of_their_scores():
    truth = {f"q{i}": ["a"] for i in range(5)}
    run = {q: [("a", 0.2), ("b", 0.9), ("c", 0.5)] for q in truth}
    note = "not in the order of their scores"
    assert note in " ".join(str(krm.evaluate(truth, run, "RR")).split())
    run = {q: sorted(x, key=lambda hit: -hit[1]) for q, x in run.items()}
    assert note not in " ".join(str(krm.evaluate(truth, run, "RR")).split())


def test_ids_that_a_set_has_sorted():
    rng = np.random.default_rng(0)
    items = [f"d{i:02}" for i in range(20)]
    truth = {f"q{i}": rng.permutation(items)[:3].tolist() for i in range(8)}
    run = {q: rng.permutation(items)[:8].tolist() for q in truth}
    note = "ascend in each list"
    assert note not in str(krm.evaluate(truth, run, "RR"))
    run = {q: sorted(x) for q, x in run.items()}
    assert note in str(krm.evaluate(truth, run, "RR"))


@pytest.mark.parametrize("form", [list, np.array])
def test_rows_of_ids_that_ascend(form):
    truth = {i: {3 * j: int(j == 4) for j in range(9)} for i in range(9)}
    ids = np.tile(3 * np.arange(9), (9, 1))
    ids[::2] += 3  # all lists with the same items have a popular order
    words = "The ids of `run` ascend in each list."
    run = form(ids.tolist())
    assert words in str(krm.evaluate(truth, run, "Recall@2"))
    run = form(ids[:, ::-1].tolist())
    assert words not in str(krm.evaluate(truth, run, "Recall@2"))


def test_labels_that_are_ranks_next_to_unjudged_items():
    truth = {f"q{i}": {f"d{j}": j + 1 for j in range(6)} for i in range(4)}
    run = {
        query: {**{x: -float(y) for x, y in labels.items()}, "other": -9.0}
        for query, labels in truth.items()
    }
    found = str(krm.evaluate(truth, run, "NDCG"))
    assert "The labels of the truth are 1, 2, 3, ..." in found
