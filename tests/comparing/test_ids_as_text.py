"""Ids of queries and items, where they are odd or say little."""

import enum
import functools
import json

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.tables.ids import ids_of
from keras_rankmetrics.tables.item_rows import numbered

MRR = krm.MeanReciprocalRank()
ODD = [b"\xff", b"\xfe", b"\\xff", b"\\\\xff", b"\\xff\xff", b"a\\b", b"q"]


class Shop(str, enum.Enum):  # noqa: UP042
    TEA = "tea"
    PEN = "pencils"


@pytest.mark.parametrize(
    "ids, expected",
    [
        (["a", np.str_("bb")], ["a", "bb"]),
        ([b"a", np.bytes_(b"bb")], [b"a", b"bb"]),
        ([*Shop, "a"], ["tea", "pencils", "a"]),
        ([1, np.int64(2)], [1, 2]),
        ([], []),
    ],
)
def test_subclasses_of_a_type_are_that_type(ids, expected):
    assert ids_of(ids, "`run`").tolist() == expected


NAN, WHOLE = float("nan"), r'Convert the ids: `.astype\("int64"\)`'


@pytest.mark.parametrize(
    "ids, text",
    [
        ([1.0, 2.0], r"float64, such as 1.0. " + WHOLE),
        (
            [NAN, 2.0],
            r"such as 2.0, and 1 of 2 missing, the first in row 0. Remove .*"
            + WHOLE,
        ),
        ([2.0**53], r"Pass all ids as text, .* float64 .* up to 2 \*\* 53"),
        (np.float32([2**24, 1]), r"rounded them: float32 .* 2 \*\* 24 alone"),
        ([0.5, 1.0], "such as 0.5. Pass the column of ids, which have no frac"),
        ([1.0, float("inf")], "such as inf. Pass the column of ids"),
        (
            ["a", None, NAN],
            "'a', and 2 of 3 missing, .* row 1. Remove .* an id; if cells were",
        ),
        ([None], "Received: 1 of 1 missing, .* row 0. Remove the rows"),
        ([("a", 1), ("b", 2)], r"tuple, such as \('a', 1\). Join the parts"),
        ([("a",), ("b", 2)], "Join the parts of each id into one text"),
        (["a", 1], "int and str, such as 'a'. Pass all ids as text"),
        ([np.str_("1"), 1], "int and str_"),
        ([True], "bool"),
    ],
)
def test_ids_of_other_types_are_refused_with_a_remedy(ids, text):
    with pytest.raises(TypeError, match=f"of `run` should all be .*{text}"):
        ids_of(ids, "`run`")


def test_missing_ids_of_a_frame_are_counted():
    pd = pytest.importorskip("pandas")
    merged = pd.DataFrame({"id": ["a", "b"]}).merge(
        pd.DataFrame({"id": ["a"], "item": [7]}), how="left"
    )
    with pytest.raises(TypeError, match=r"7.0, and 1 of 2 missing.*int64"):
        ids_of(merged["item"], "`run`")
    with pytest.raises(TypeError, match="'a', and 1 of 2 missing"):
        ids_of(pd.Series(["a", None], dtype="string"), "`run`")


_TEXTS = ["b", "a", "b", "cc"]


@pytest.mark.parametrize(
    "column",
    [
        lambda pd, pl, pa, x: pd.Series(x),
        lambda pd, pl, pa, x: pd.Series(x, dtype=object),
        lambda pd, pl, pa, x: pd.Series(x, dtype="category"),
        lambda pd, pl, pa, x: pl.Series(x),
        lambda pd, pl, pa, x: pl.Series(x, dtype=pl.Categorical),
        lambda pd, pl, pa, x: pa.array(x),
        lambda pd, pl, pa, x: pa.array(["z", *x])[1:],
        lambda pd, pl, pa, x: pa.chunked_array([x[:1], [], x[1:]], pa.string()),
        lambda pd, pl, pa, x: pa.chunked_array(
            [pa.array(part).dictionary_encode() for part in (x[:2], x[2:])]
        ),
    ],
)
def test_a_column_of_texts_is_an_array(column):
    libraries = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    make = functools.partial(column, *libraries)
    found = ids_of(make(_TEXTS), "`run`")
    assert found.dtype.kind == "U"
    assert found.tolist() == _TEXTS
    with pytest.raises(TypeError, match="'b', and 1 of 5 missing"):
        ids_of(make([*_TEXTS, None]), "`run`")


@pytest.mark.parametrize("number, most", [(0, 1), (9, 3), (300_000, 10**6)])
def test_ids_are_numbered_by_their_first_occurrences(number, most):
    ids = np.random.default_rng(0).integers(-most, most, number)
    numbers, first = numbered(ids)
    expected = {}
    assert numbers.tolist() == [
        expected.setdefault(x, len(expected)) for x in ids.tolist()
    ]
    assert ids[first].tolist() == [*expected]


def test_different_bytes_stay_different():
    names = [as_text(name) for name in ODD]
    assert len(set(names)) == len(names)
    assert names[0] == "\\xff" and names[5:] == ["a\\b", "q"]
    "".join(names).encode()


def test_joined_queries_that_are_not_utf8_keep_their_values():
    truth = {name: {b"x": 1} for name in ODD[:2]}
    ranked = {b"x": 1.0}, {b"y": 2.0, b"x": 1.0}
    run = dict(zip(ODD[:2], ranked, strict=True))
    turned = dict(reversed(truth.items()))
    old = krm.compare(truth, {"old": run}, MRR)
    new = krm.compare(turned, {"new": run}, MRR)
    text = new.to_json().encode()
    assert len(set(json.loads(text)["per_list"]["lists"])) == 2
    for other in (new, krm.Compared.from_json(text)):
        assert old.join(other).per_list()["mrr"] == [1.0, 0.5, 1.0, 0.5]


def test_lists_of_one_id_cannot_be_joined():
    values = krm.compare(
        {"a": {"x": 1}, "b": {}}, {"s": {"a": {"x": 1.0}}}, MRR
    ).to_dict()
    values["per_list"]["lists"] = ["a", "a"]
    same = krm.Compared.from_dict(values)
    with pytest.raises(ValueError, match="lists of different ids"):
        same.join(same)


@pytest.mark.parametrize("ids", [str, str.encode, ord])
@pytest.mark.filterwarnings("ignore:The truth should have")
def test_a_query_without_judgements_is_a_list_in_which_nothing_counts(ids):
    truth = {ids("a"): {ids("x"): 1}, ids("b"): {}, ids("c"): {ids("x"): 1}}
    runs = {
        "some": {ids("b"): {ids("x"): 1.0}, ids("c"): {ids("x"): 1.0}},
        "few": {ids("a"): {ids("x"): 1.0}},
    }
    for empty, of_b in (("zero", 0.0), ("one", 1.0), ("skip", None)):
        metric = krm.HitRateAtK(k=1, empty=empty)
        compared = krm.compare(truth, runs, metric)
        found = compared.per_list()["hit_rate@1"]
        assert found == [0.0, of_b, 1.0, 1.0, of_b, 0.0]
        gaps = [s.overlap[:2] for s in compared.measured.systems.values()]
        assert gaps == [(1, 0), (2, 0)]
    run = {"some": runs["some"]}
    nothing = krm.compare({ids("b"): {}}, run, krm.HitRateAtK(1, empty="one"))
    assert not nothing.report.unjudged  # none could be
    assert nothing.per_list()["hit_rate@1"] == [1.0]
