"""The calls that `explain` prints, executed for each form of input."""

import re
import shlex

import numpy as np
import pytest
from runs import by_query

import keras_rankmetrics as krm
from keras_rankmetrics.explaining.explain import candidates_of
from keras_rankmetrics.explaining.settings import named_metrics
from krm_command import main

pd = pytest.importorskip("pandas", reason="pandas is not installed")

# One relevant item is not retrieved, a query has no run, and a query of the run
# has no judgements.
LABELS = [
    ("q1", "a", 1),
    ("q1", "b", 1),
    ("q1", "c", 0),
    ("q2", "b", 1),
    ("q2", "e", 1),
    ("q3", "a", 1),
]
SCORES = [
    ("q1", "c", 0.9),
    ("q1", "a", 0.8),
    ("q1", "x", 0.3),
    ("q2", "x", 0.7),
    ("q2", "e", 0.6),
    ("q4", "a", 0.5),
]


TRUTH, RUN = by_query(LABELS), by_query(SCORES)
JUDGED = pd.DataFrame(LABELS, columns=["qid", "doc", "grade"])
FOUND = pd.DataFrame(SCORES, columns=["qid", "doc", "sim"])
COLUMNS = {"query": "qid", "item": "doc", "label": "grade", "score": "sim"}
FORMS = {
    "dicts": (TRUTH, RUN, {}),
    "sets": ({q: {x for x in y if y[x]} for q, y in TRUTH.items()}, RUN, {}),
    "lists": (TRUTH, {q: list(x) for q, x in RUN.items()}, {}),
    "frames": (JUDGED, FOUND, {"columns": COLUMNS}),
    "a dict and a frame": (
        TRUTH,
        FOUND,
        {"columns": {x: COLUMNS[x] for x in ("query", "item", "score")}},
    ),
    "records": (
        [dict(zip(("query", "item", "label"), x, strict=True)) for x in LABELS],
        RUN,
        {},
    ),
    "distances": (
        TRUTH,
        {q: {x: 1 - y for x, y in z.items()} for q, z in RUN.items()},
        {"higher_is_better": False},
    ),
    "duplicates": (
        TRUTH,
        pd.DataFrame(
            [*SCORES, ("q1", "a", 0.1)], columns=["query", "item", "score"]
        ),
        {"duplicates": "best"},
    ),
    "queries in order": (
        [["a", "b"], ["b", "e"], ["a"]],
        [["c", "a", "x"], ["x", "e"], []],
        {},
    ),
    "a search": (
        {"q1": {"a": 1, "b": 1}, "q2": {"b": 1, "e": 1}, "q3": {"a": 1}},
        (
            np.array([[2, 0, 3], [3, 4, -1]]),
            np.array([[0.1, 0.2, 0.7], [0.3, 0.4, 0.9]]),
        ),
        {
            "query_ids": ["q1", "q2"],
            "item_ids": [*"abcxe"],
            "higher_is_better": False,
        },
    ),
    "arrays": (
        np.array([[0, 1, 0, 1], [0, 1, 1, -1]]),
        np.array([[0.9, 0.8, 0.3, 0.1], [0.7, 0.6, 0.5, 0.0]]),
        {},
    ),
}


def printed(found):
    """Yield the code of each answer that has some, and its value."""
    text = str(found)
    for answer in text.split("\n\n")[1:]:
        lines = [line.strip() for line in answer.splitlines()]
        code = [x for x in lines if x.startswith(("known =", "krm.evaluate("))]
        if code:
            yield code, float(lines[0].rpartition(" = ")[2].split(",")[0])


def executed(code, scope):
    *before, call = code
    for line in before:
        exec(line, scope)
    [value] = eval(call, scope).values()
    return value


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("form", FORMS)
def test_each_printed_call_gives_its_number(form):
    truth, run, arguments = FORMS[form]
    metrics = "map ndcg mrr precision recall"
    kinds = set()
    for value in ("0.5", "0.25", "0.1667"):
        found = krm.explain(value, truth, run, metrics, **arguments)
        for code, number in printed(found):
            scope = {"krm": krm, "truth": truth, "run": run, **arguments}
            assert executed(code, scope) == pytest.approx(number, abs=1e-6)
            kinds.add(len(code))
    assert 1 in kinds
    # Arrays have all labels; elsewhere some calls need what a tool knows.
    assert (2 in kinds) == (form != "arrays")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("known", ["items", "queries"])
@pytest.mark.parametrize("form", [x for x in FORMS if x != "arrays"])
def test_what_a_tool_knows(form, known):
    truth, run, arguments = FORMS[form]
    found = krm.explain("0.5", truth, run, "map", **arguments)
    judgements = found.judgements(known)
    first = next(iter(judgements))
    is_whole = form == "queries in order" and known == "queries"
    assert len(judgements) == (3 if is_whole else 2)
    if known == "items":
        assert [*judgements[first].values()].count(0) == 2
    else:
        assert judgements[first]["b"] == 1


@pytest.fixture
def files(tmp_path):
    qrels, run, table = (tmp_path / x for x in ("qrels", "my run", "t.csv"))
    qrels.write_text("".join(f"{q} 0 {x} {y}\n" for q, x, y in LABELS))
    run.write_text("".join(f"{q} Q0 {x} 1 {y} t\n" for q, x, y in SCORES))
    distances = FOUND.assign(sim=1 - FOUND.sim)
    distances.to_csv(table, index=False)
    return str(qrels), str(run), str(table)


@pytest.mark.filterwarnings("ignore")
def test_the_calls_for_files(files):
    qrels, run, table = files
    columns = {"query": "qid", "item": "doc", "score": "sim"}
    kinds = set()
    for path, arguments in (
        (run, {}),
        (table, {"columns": columns, "higher_is_better": False}),
    ):
        for value in ("0.5", "0.25", "0.1667"):
            found = krm.explain(value, qrels, path, "map mrr", **arguments)
            for code, number in printed(found):
                scope = {"krm": krm}
                assert executed(code, scope) == pytest.approx(number, abs=1e-6)
                kinds.add(len(code))
    assert kinds == {1, 2}


@pytest.mark.filterwarnings("ignore")
def test_the_lines_of_the_command(files, capsys):
    qrels, run, table = files
    columns = ["--columns", "query=qid,item=doc,score=sim", "--lower-is-better"]
    shells = pythons = 0
    for path, options in ((run, []), (table, columns)):
        for value in ("0.5", "0.25", "0.1667"):
            asked = ["--truth", qrels, "--run", path, "-m", "map mrr", *options]
            assert main(["explain", value, *asked]) == 0
            for answer in capsys.readouterr().out.split("\n\n")[1:]:
                lines = [line.strip() for line in answer.splitlines()]
                number = lines[0].rpartition(" = ")[2].split(",")[0]
                for line in lines:
                    if line.startswith("krm eval"):
                        assert main(shlex.split(line)[1:]) == 0
                        assert f"{float(number):.4f}" in capsys.readouterr().out
                        shells += 1
                if "The command cannot say this. In Python:" in lines:
                    scope = {}
                    at = lines.index("import keras_rankmetrics as krm")
                    code = [x for x in lines[at:] if "|" not in x]
                    found = executed(code, scope)
                    assert found == pytest.approx(float(number), abs=1e-6)
                    pythons += 1
    assert shells and pythons


@pytest.mark.filterwarnings("ignore")
def test_all_names_are_accepted():
    """By `evaluate` with the convention, and by `explain` as they are."""
    truth, run = {"q": {"a": 1, "c": 0}}, {"q": ["a", "x", "b"]}
    grades = 0.5, 1.0
    names: dict[str, set[str]] = {}
    for each in named_metrics(grades):
        names.setdefault(each.convention.name, set()).add(each.name)
    for tool, of_tool in names.items():
        found = krm.evaluate(truth, run, sorted(of_tool), convention=tool)
        assert set(found) == of_tool, tool
    for name in set().union(*names.values()):
        if not re.search(r"@[2-9]|_[2-9]|=[2-9]|\d\d", name):  # other cutoffs
            assert candidates_of(name, grades), name


def test_names_with_grades_and_signs():
    truth = {"q": {"a": 2, "b": 1, "c": 0}, "p": {"a": 0}}
    run = {"q": ["b", "x", "a", "c"], "p": ["a"]}
    for name, tool in (("P(rel=2.0)@3", "ir_measures"), ("map@2-", "xgboost")):
        [value] = krm.evaluate(truth, run, name, convention=tool).values()
        found = krm.explain(f"{value:.6f}", truth, run, name)
        assert any(name in x.tools.get(tool, ()) for x in found.answers)


def test_metrics_that_do_not_take_the_labels():
    truth = {"q": {"a": 1, "b": 0.5}}
    with pytest.raises(ValueError, match="one that takes the labels"):
        krm.explain("0.5", truth, {"q": ["a", "b"]}, "mrr")


TABLE = pd.DataFrame(
    [
        ("q1", "a", 2, 0.5),
        ("q1", "b", 0, 0.5),
        ("q1", "c", 1, 0.1),
        ("q2", "a", 0, 0.9),
        ("q2", "d", 1, 0.9),
        ("q2", "e", 1, -np.inf),
        ("q3", "a", 0, 0.2),
        ("q3", "f", 1, 0.1),
    ],
    columns=["qid", "doc", "grade", "sim"],
)
OF_TABLES = {
    "items": (TABLE, COLUMNS),
    "rows": (TABLE, {**COLUMNS, "item": None}),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", OF_TABLES)
@pytest.mark.parametrize("ending", ["", ".csv"])
def test_calls_of_one_table(tmp_path, capsys, kind, ending):
    table, columns = OF_TABLES[kind]
    table = table.assign(sim=table.sim.clip(lower=-5)) if ending else table
    if ending:
        table.to_csv(tmp_path / "t.csv", index=False)
    truth = str(tmp_path / "t.csv") if ending else table
    names = "map ndcg mrr precision recall"
    tools = {None: "NDCG@3", "sklearn": "ndcg@3", "lightgbm": "ndcg@3"}
    tools |= {"trec_eval": "ndcg_cut_3"} if kind == "items" else {}
    for tool, name in tools.items():
        arguments = {"convention": tool, "columns": columns}
        [value] = krm.evaluate(truth, metrics=name, **arguments).values()
        found = krm.explain(f"{value:.6f}", truth, None, names, columns=columns)
        assert any(tool in x.tools for x in found.answers) or tool is None
        calls = [*printed(found)]
        for code, number in calls:
            assert len(code) == 1  # all labels are known
            scope = {"krm": krm, "truth": truth}
            assert executed(code, scope) == pytest.approx(number, abs=1e-6)
        assert calls
        if not ending:
            continue
        roles = ",".join(f"{role}={x}" for role, x in columns.items())
        asked = ["--truth", truth, "--columns", roles, "-m", names]
        assert main(["explain", f"{value:.6f}", *asked]) == 0
        lines = capsys.readouterr().out.splitlines()
        [line, *_] = [x.strip() for x in lines if x.startswith("  krm eval")]
        assert main(shlex.split(line)[1:]) == 0
        assert f"{value:.4f}" in capsys.readouterr().out


def test_members_of_one_table_have_the_label_1():
    """A label of 0 beside a score is none, as `evaluate` reads it."""
    table = pd.DataFrame(
        {
            "query": ["q0"] * 4 + ["q1"] * 4,
            "label": [1, 0, 0, 0, 1, 1, 0, 0],
            "score": [4.0, 3, 2, 1, 1, 2, 3, 4],
        }
    )
    assert not krm.explain("1.0000", table, metrics="precision@4").answers
    asked = {"metrics": "precision@4", "convention": "replay"}
    assert krm.evaluate(table, **asked)["precision@4"] == 0.375
    [answer] = krm.explain("0.3750", table, **asked).answers
    assert answer.tools == {"replay": ["precision@4"]}
    with pytest.raises(ValueError, match="Received: none"):
        krm.explain(0.5, table.iloc[:0])


def test_no_query_of_several_items_is_a_note():
    truth = {f"q{n}": {"a": n % 2} for n in range(12)}
    found = krm.explain("0.5", truth, truth)
    assert "no query retrieves more than one item" in str(found)
