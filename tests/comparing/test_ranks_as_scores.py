"""`columns={"rank": ...}`: ranks, 1 the best, in place of scores."""

import functools

import numpy as np
import pytest

import keras_rankmetrics as krm

pd = pytest.importorskip("pandas", reason="needs the extra [interop]")

_RNG = np.random.default_rng(0)
_SHAPE = 8, 6
_LABELS = _RNG.integers(0, 3, _SHAPE)
_SCORES = _LABELS + _RNG.normal(size=_SHAPE)
TABLE = pd.DataFrame(
    {
        "query": np.repeat([f"q{i}" for i in range(_SHAPE[0])], _SHAPE[1]),
        "item": [f"d{i}" for i in range(_LABELS.size)],
        "label": _LABELS.ravel(),
        "place": 1 + np.argsort(np.argsort(-_SCORES, 1), 1).ravel(),
    }
)
LABELS, RUN = TABLE.drop(columns="place"), TABLE.drop(columns="label")
EXPECTED = krm.evaluate(_LABELS, _SCORES, "NDCG@3")["NDCG@3"]
of_place = functools.partial(
    krm.evaluate, metrics="NDCG@3", columns={"rank": "place"}
)


def of_trec(folder, score=1.0):
    rows = RUN.sort_values(["query", "place"]).itertuples()
    path = folder / "run.trec"
    path.write_text(
        "".join(f"{x.query} Q0 {x.item} {x.place} {score} tag\n" for x in rows)
    )
    return path


@pytest.mark.parametrize("inputs", [(TABLE,), (LABELS, RUN)])
@pytest.mark.parametrize("as_file", [False, True])
def test_ranks_of_tables(inputs, as_file, tmp_path):
    if as_file:
        paths = [tmp_path / f"{i}.csv" for i in range(len(inputs))]
        for path, table in zip(paths, inputs, strict=True):
            table.to_csv(path, index=False)
        inputs = paths
    assert of_place(*inputs)["NDCG@3"] == EXPECTED


def test_ranks_of_hits():
    hits = {
        query: [
            {"item": x.item, "place": x.place}
            for x in of.sample(frac=1, random_state=0).itertuples()
        ]
        for query, of in RUN.groupby("query")
    }
    assert of_place(LABELS, hits)["NDCG@3"] == EXPECTED


def test_ranks_of_a_run_of_trec(tmp_path):
    path = of_trec(tmp_path)
    options = {"metrics": "NDCG@3", "columns": {"rank": "rank"}}
    found = krm.evaluate(LABELS, path, **options)
    assert found["NDCG@3"] == EXPECTED
    assert "Read as: query=field 1, item=field 3, score=-rank." in str(found)
    ranked = RUN.rename(columns={"place": "rank"})
    compared = krm.compare(LABELS, {"a": path, "b": ranked}, **options)
    values = compared.per_list()
    by_system = {"a": [], "b": []}
    for system, value in zip(values["system"], values["NDCG@3"], strict=True):
        by_system[system].append(value)
    assert by_system["a"] == by_system["b"]


@pytest.mark.parametrize(
    "place", [[2, 2, 3], [1.5, 1.5, 3], [1, 1, 3], [0, 1, 2]]
)
def test_ranks_of_tied_items(place):
    run = {"query": ["q"] * 3, "item": ["a", "b", "c"], "place": place}
    labels = {"query": ["q"], "item": ["a"], "label": [1]}
    expected = 0.75 if place[0] == place[1] else 1.0
    found = krm.evaluate(
        labels,
        pd.DataFrame(run),
        "RR",
        columns={"rank": "place"},
    )
    assert found["RR"] == expected


def test_ranks_of_several_systems(tmp_path, capsys):
    from krm_command import main

    table = TABLE.assign(other=TABLE.place)
    columns = {"rank": ["place", "other"]}
    found = krm.compare(table, metrics="NDCG@3", columns=columns)
    assert {*found.per_list()["NDCG@3"]} == {
        *krm.compare(
            table.assign(place=-table.place, other=-table.other),
            metrics="NDCG@3",
            columns={"score": ["place", "other"]},
        ).per_list()["NDCG@3"]
    }
    path = str(tmp_path / "table.csv")
    table.to_csv(path, index=False)
    arguments = ["eval", path, "-m", "NDCG@3", "--columns"]
    assert main([*arguments, "rank=place,rank=other"]) == 0
    printed = capsys.readouterr().out
    assert printed.count(f"{EXPECTED:.4f}") == 2
    assert main([*arguments, "score=place,rank=other"]) == 2
    assert "scores or ranks" in capsys.readouterr().err


def test_calls_of_ranks_give_the_number():
    options = {"columns": {"rank": "place"}}
    text = str(krm.explain(EXPECTED, TABLE, metrics="NDCG@3", **options))
    [call, *_] = [x for x in text.split("\n") if "krm.evaluate(" in x]
    found = eval(call, {"krm": krm, "truth": TABLE})
    assert round(next(iter(found.values())), 6) == round(EXPECTED, 6)


@pytest.mark.parametrize("door", [krm.tie_range, krm.explain, krm.diagnose])
def test_other_doors_read_ranks(door):
    options = {"columns": {"rank": "place"}}
    if door is krm.tie_range:
        found = door(LABELS, RUN, "NDCG@3", **options)["NDCG@3"].mean
        assert found == EXPECTED
    elif door is krm.explain:
        text = str(door(EXPECTED, LABELS, RUN, metrics="NDCG@3", **options))
        assert "NDCG@3" in text
    else:
        names = [x.name for x in door(LABELS, RUN, **options)]
        assert "distances" not in names and "reversed" not in names


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"columns": {"rank": "place", "score": "x"}}, "scores or ranks"),
        (
            {"columns": {"rank": "place"}, "higher_is_better": {"a": False}},
            "scores or ranks, for all systems",
        ),
        ({"columns": {"rank": ["place", "x"]}}, "one column of scores"),
        ({"columns": {"rank": "places"}}, "'places'"),
    ],
)
def test_what_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        krm.compare(LABELS, {"a": RUN, "b": RUN}, "NDCG@3", **given)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: x.where(x <= 3, -1), "a rank below 0"),
        (lambda x: x.where(x <= 3, 0), "0 where ranks have gaps or repeat"),
        (lambda x: x + (np.arange(len(x)) < 6), "queries without the first"),
        (lambda x: x + 2, "queries without the first"),
    ],
)
@pytest.mark.parametrize("form", ["two frames", "one frame", "csv", "hits"])
def test_ranks_of_parts_of_lists_are_refused(change, words, form, tmp_path):
    table = TABLE.assign(place=change(TABLE.place))
    run = table.drop(columns="label")
    inputs = {
        "two frames": (LABELS, run),
        "one frame": (table,),
        "csv": (LABELS, tmp_path / "run.csv"),
        "hits": (
            LABELS,
            {
                query: of[["item", "place"]].to_dict("records")
                for query, of in run.groupby("query")
            },
        ),
    }
    run.to_csv(tmp_path / "run.csv", index=False)
    with pytest.raises(ValueError, match=words):
        of_place(*inputs[form])


@pytest.mark.parametrize("form", ["a dict", "TREC"])
def test_runs_without_the_ranks_are_refused(form, tmp_path):
    run = (
        {"q0": {"d0": 1.0, "d1": 2.0}}
        if form == "a dict"
        else of_trec(tmp_path)
    )
    systems, words = {"a": RUN, "b": run}, "no such column in the system 'b'"
    with pytest.raises(ValueError, match=words):
        krm.compare(LABELS, systems, "NDCG@3", columns={"rank": "place"})
