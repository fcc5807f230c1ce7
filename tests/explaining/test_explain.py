"""A number explained: which tool, metric and options give it."""

import numpy as np
import pytest

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.explaining import explain as explaining
from keras_rankmetrics.explaining import means, settings
from keras_rankmetrics.explaining.data import Data
from keras_rankmetrics.explaining.grid import grid_of, recipes_of
from krm_command import main
from tests.tools.reported.draws import drawn

# Three expected ids, five retrieved ones.
TRUTH = {"q": {"a": 1, "b": 1, "c": 1}}
LABELS = np.float32([[0, 2, 1, 0, 1, 0, 2, 0]])
SCORES = np.arange(8, dtype="float32")[None]
RUN = {"q": ["a", "x", "b", "y", "z"]}
SEEDS = [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))]


def test_the_metrics_of_explain_are_no_peers_of_others():
    for cached in (settings.named_metrics, settings.own_metrics):
        cached.cache_clear()
    settings._DEFAULTS.clear()
    krm.RecallAtK(k=1)(LABELS, SCORES)  # the peers of others are known
    found = krm.explain(0.5556, TRUTH, RUN)
    metric = krm.NDCG(k=10)
    [shared] = metric._batch_cache._expected().sharing
    assert shared == (metric.definition, metric.aggregate)
    metric(LABELS, SCORES)  # does not warn
    assert found.answers


def first(value, metrics=None, truth=TRUTH, run=RUN):
    return krm.explain(value, truth, run, metrics).answers[0]


@pytest.mark.parametrize(
    "value, metric, tools, options",
    [
        (0.5556, "map", {"trec_eval", "haystack"}, {"denominator": "relevant"}),
        (0.8333, "map", {"deepeval", "ragas"}, {"denominator": "hits"}),
        (0.7039, "ndcg", {"llama_index", "pyg"}, {"ideal": "relevant"}),
        (0.9197, "ndcg", {"sklearn", "torchmetrics", "xgboost"}, {}),
        (
            0.6667,
            "recall",
            {"trec_eval", "mlflow"},
            {"denominator": "relevant"},
        ),
        (1.0, "hit_rate", {"haystack"}, {}),
        (0.4, "precision", {"phoenix"}, {"denominator": "retrieved"}),
    ],
)
def test_one_list_whose_numbers_differ(value, metric, tools, options):
    answer = first(value, metric)
    assert answer.setting.metric.short_name == metric
    assert tools <= set(answer.tools)
    assert options.items() <= answer.setting.metric.options.items()
    assert answer.setting.value == pytest.approx(value, abs=5e-5)


def test_the_words_name_the_choice_that_differs():
    text = str(krm.explain("0.8333", TRUTH, RUN, "map"))
    assert "It differs from our map, 0.555556:" in text
    assert "divided by the number of relevant items in the top k" in text
    assert "deepeval (contextual_precision)" in text
    assert "|denominator:hits|" in text


def what_tools_know(truth, run):
    """Yield the judgements, those of the queries of a run, and of its items."""
    yield truth
    yield {q: truth[q] for q in run}
    yield {q: {x: truth[q].get(x, 0) for x in run[q]} for q in run}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("form, grades", [("retrieved", 3), ("lists", 1)])
def test_each_answer_is_what_the_tool_reports(seed, form, grades):
    truth, run = drawn(seed, form, grades, queries=15, items=9)
    value = krm.evaluate(truth, run, "NDCG@5")["NDCG@5"]
    answers = krm.explain(f"{value:.2f}", truth, run).answers
    assert len(answers) > 3
    for answer in answers:
        for tool, names in answer.tools.items():
            # A longer cutoff than all lists is explained as none.
            assert any(
                krm.evaluate(each, run, names[0], convention=tool)[names[0]]
                == pytest.approx(answer.setting.value, abs=1e-6)
                for each in what_tools_know(truth, run)
            ), (tool, names)


@pytest.mark.long
@pytest.mark.parametrize("seed", SEEDS)
def test_each_setting_gives_its_value(seed):
    truth, run = drawn(seed, "retrieved", 2, queries=15, items=9)
    value = krm.evaluate(truth, run, "MAP")["MAP"]
    answers = krm.explain(f"{value:.2f}", truth, run).answers
    for answer in answers:
        setting = answer.setting
        rules = conventions.Convention("mine", "", "", {}, rules=setting.rules)
        all_known, _, of_run = what_tools_know(truth, run)
        known = all_known if setting.are_known else of_run
        with pytest.warns(UserWarning, match="metrics should be text"):
            [found] = krm.evaluate(
                known, run, setting.metric, convention=rules
            ).values()
        assert found == pytest.approx(setting.value, abs=1e-6)


def test_queries_that_the_run_lacks_and_lists_without_relevant_items():
    truth = {
        "found third": {"x": 1},
        "found first": {"x": 1, "y": 1},
        "nothing relevant": {},
        "not in the run": {"y": 1},
        "not there, too": {"y": 1},
    }
    run = {
        "found third": ["z", "y", "x"],
        "found first": ["y", "x"],
        "nothing relevant": ["x"],
    }
    total = 1 / 3 + 1
    for value, rules, empty in (
        (total / 5, "truth", "zero"),
        (total / 4, "truth", "skip"),
        (total / 3, "both", "zero"),
        (total / 2, "both", "skip"),
        ((total + 1) / 5, "truth", "one"),
    ):
        answers = krm.explain(f"{value:.6f}", truth, run, "rr").answers
        found = [x.setting for x in answers]
        assert (rules, empty) in [
            (x.rules.queries, x.metric.empty) for x in found
        ]


@pytest.mark.filterwarnings("ignore:The truth should have relevant items")
def test_a_truth_without_items():
    found = krm.explain("0.0", {"q": {}}, {"q": ["a", "b"]}, "NDCG@5")
    assert found.answers[0].setting.value == 0.0
    assert found.judgements("items") == {"q": {"a": 0.0, "b": 0.0}}


def test_the_order_of_ties():
    truth = {"tied": {"a": 1}, "third": {"x": 1}}
    run = {
        "tied": {"a": 1.0, "b": 1.0},
        "third": {"y": 3.0, "z": 2.0, "x": 1.0},
    }
    for at_tie, ties in (
        (3 / 4, {"average"}),
        (1 / 2, {"stable", "pessimistic"}),
        (1, {"stable", "optimistic"}),
    ):
        value = (at_tie + 1 / 3) / 2
        answer = first(f"{value:.5f}", "rr", truth, run)
        assert answer.setting.metric.ties in ties
        # Of equal scores, trec_eval ranks the last id first.
        assert ("trec_eval" in answer.tools) == (at_tie == 1 / 2)


def test_digits_that_count():
    assert not krm.explain("0.83330", TRUTH, RUN).answers
    assert not krm.explain("0.833300", TRUTH, RUN).answers
    tools = [
        first(value, "map").tools
        for value in ("0.83333", 5 / 6, "83.3%", "83.33", 0.833)
    ]
    assert tools[0] == tools[1]
    assert tools[2] == tools[3] == tools[4]


def test_a_number_that_is_cut_off():
    found = krm.explain("0.66", TRUTH, RUN, "recall")
    assert found.answers[0].setting.is_cut
    assert "cut off after its last digit" in str(found)
    assert not first("0.67", "recall").setting.is_cut


def test_values_that_are_rounded_in_each_list():
    truth, run = drawn(3, "retrieved", 3)
    name = "NDCG@10"
    theirs = krm.evaluate(truth, run, name, convention="search_relevance")[name]
    exact = krm.evaluate(truth, run, "NDCG@10")[name]
    assert abs(theirs - exact) > 2e-5
    answer = first(f"{theirs:.6f}", "ndcg", truth, run)
    assert "search_relevance" in answer.tools
    assert answer.setting.rules.decimals == 2


@pytest.mark.long
def test_a_number_of_few_digits_is_no_evidence():
    truth, run = drawn(1, "retrieved", 3)
    few, many = (krm.explain(x, truth, run) for x in ("0.43", "0.4317"))
    assert few.coincidences > 0.5
    assert "no evidence" in str(few)
    assert few.coincidences > 10 * many.coincidences
    assert few.tried > few.distinct > len(few.answers)


@pytest.mark.long
def test_the_number_of_matches_coincidences():
    """Numbers that have nothing to do with the data match as often as said."""
    truth, run = drawn(2, "retrieved", 1, queries=20)
    data = Data(truth, run, Reading())
    grid = grid_of(data, recipes_of(data, ()))
    rng = np.random.default_rng(0)
    said, matched = 0.0, 0
    for x in rng.uniform(0.1, 0.9, 300):
        number = explaining.Number.of(f"{x:.3f}")
        found = explaining.explanation(grid, number)
        said += found.coincidences
        matched += len({round(x.setting.value, 9) for x in found.answers})
    assert said == pytest.approx(matched, rel=0.1)


def test_without_an_answer_the_nearest_are_shown():
    found = krm.explain("0.8123", TRUTH, RUN, "map")
    assert not found.answers
    assert "No setting gives it.\nThe nearest are:" in str(found)
    assert found.nearest[0].setting.value == pytest.approx(5 / 6, abs=0.01)


def test_two_numbers():
    found = krm.explain(("0.5556", "0.8333"), TRUTH, RUN)
    step = found.steps[0]
    assert set(step.choices) == {"denominator"}
    assert step.choices["denominator"] == ("relevant", "hits")
    assert "\n1. map = 0.555556, as in ir_measures (AP), " in str(found)
    assert "\nbecomes map = 0.833333, as in ragas (context_prec" in str(found)
    cutoffs = krm.explain(("0.6667", "0.3333"), TRUTH, RUN, "recall")
    assert set(cutoffs.steps[0].choices) == {"metric"}


def test_two_numbers_whose_metrics_differ():
    """The choices that only one metric has are no difference."""
    found = krm.explain(("0.7039", "0.4000"), TRUTH, RUN)
    [step, *_] = found.steps
    assert set(step.choices) == {"metric"}
    assert "another option" not in str(found)


def code_of(answer, number, truth, run):
    data = Data(truth, run, Reading())
    return data.inputs.in_python(answer.call(number))


def test_tools_that_know_only_the_items_of_the_run():
    answer = first("0.9197", "ndcg")
    assert not answer.setting.are_known
    text = str(krm.explain("0.9197", TRUTH, RUN, "ndcg"))
    assert "Only the queries and the items of the run are known" in text
    known, call = code_of(answer, "0.9197", TRUTH, RUN)
    scope = {"krm": krm, "truth": TRUTH, "run": RUN}
    exec(known, scope)
    assert scope["known"] == {"q": {"a": 1, "x": 0, "b": 1, "y": 0, "z": 0}}
    [value] = eval(call, scope).values()
    assert value == pytest.approx(0.9197, abs=5e-5)
    # Files and frames have the same rows.
    step = krm.explain(("0.7039", "0.9197"), TRUTH, RUN, "ndcg").steps[0]
    assert step.choices == {"judgements": ("all", "of_run")}


def test_tools_that_are_passed_only_the_queries_of_the_run():
    truth, run = {**TRUTH, "p": {"a": 1}}, {**RUN, "other": ["a"]}
    answer = first("0.5556", "map", truth, run)
    assert {"haystack", "llama_index"} <= set(answer.tools)
    assert answer.setting.rules.queries == "both"
    # trec_eval counts all queries, unless it runs without `-c`.
    assert "trec_eval_without_c" in answer.tools
    assert "trec_eval" not in answer.tools
    assert "trec_eval" in first("0.2778", "map", truth, run).tools
    only = krm.explain("0.5556", truth, run, "map", convention="haystack")
    known, call = code_of(only.answers[0], "0.5556", truth, run)
    scope = {"krm": krm, "truth": truth, "run": RUN}
    exec(known, scope)
    assert scope["known"] == TRUTH
    assert [*eval(call, scope).values()] == [pytest.approx(5 / 9)]


def test_the_number_of_one_tool():
    found = krm.explain("0.8333", TRUTH, RUN, convention="deepeval")
    [answer] = found.answers
    assert set(answer.tools) == {"deepeval"}
    assert code_of(answer, "0.8333", TRUTH, RUN) == [
        'krm.evaluate(truth, run, "contextual_precision", '
        'convention="deepeval")'
    ]
    assert found.distinct < krm.explain("0.8333", TRUTH, RUN).distinct / 4
    assert not krm.explain("0.5556", TRUTH, RUN, convention="ragas").answers
    with pytest.raises(ValueError, match="No convention has the name"):
        krm.explain("0.5556", TRUTH, RUN, convention="deep")


def test_binary_labels_are_no_choice_of_a_binary_metric():
    truth = {"q": {"a": 3, "b": 1, "c": 2}}
    found = krm.explain("0.8333", truth, RUN, "map")
    assert "A label of 1 or more" not in str(found)


def test_hints_where_nothing_matches():
    run = {"q": {"a": 0.5, "x": 0.0, "b": -0.5}}
    found = krm.explain("0.7123", TRUTH, run)
    assert not found.answers
    assert "torchmetrics takes items with scores of 0 or less" in str(found)
    assert "equal scores" not in str(found)
    run["q"]["b"] = 0.5
    assert "equal scores" in str(krm.explain("0.7123", TRUTH, run))
    assert "scores of 0 or less" not in str(krm.explain("0.7123", TRUTH, RUN))


def test_padded_lists_are_explained_by_tools_without_padding():
    labels = np.array([[1, 0, 1, -1], [0, 1, 0, 0]])
    scores = np.array([[0.3, 0.2, 0.1, 0.0], [0.4, 0.1, 0.2, 0.3]])
    value = (0.5 * (1 + 2 / 3) + 1 / 4) / 2
    tools = first(f"{value:.4f}", "map", labels, scores).tools
    assert {"lightgbm", "sklearn", "xgboost"} <= set(tools)


def test_two_numbers_of_which_one_has_no_answer():
    found = krm.explain(("0.5556", "0.8123"), TRUTH, RUN, "map")
    assert not found.steps
    assert "No setting gives it" in str(found)


@pytest.mark.parametrize(
    "value, metrics, message",
    [
        ("0.8x", None, "The value should be a finite number"),
        ("nan", None, "The value should be a finite number"),
        ("1e400", None, "The value should be a finite number"),
        ("1e-400", None, "The value should be a finite number"),
        (0.5, "NDCG@0", "names of metrics that take labels"),
        (0.5, "CatalogueCoverage", "names of metrics that take labels"),
        (None, None, "The value should be a finite number"),
        ((0.1, 0.2, 0.3), None, "There should be one number, or two"),
        (0.5, "nonsense", "names of metrics that take labels"),
        (0.5, "MAP(denominator=min)", "Leave out options"),
    ],
)
def test_invalid_arguments(value, metrics, message):
    with pytest.raises(ValueError, match=message):
        krm.explain(value, TRUTH, RUN, metrics)


def test_names_of_tools():
    for name in ("ndcg_cut_2", "cosine_ndcg@2", "NDCG@2"):
        found = krm.explain("0.6131", TRUTH, RUN, name)
        assert found.answers[0].setting.metric.name == "ndcg@2"
        assert found.tried < krm.explain("0.6131", TRUTH, RUN, "ndcg").tried


def test_a_metric_that_a_tool_calls_by_another_name():
    truth, run = {"q": {"a": 1, "b": 1}}, {"q": ["x", "a"]}
    answer = first(1.0, "recall", truth, run)  # Haystack's default
    assert answer.setting.metric.short_name == "hit_rate"
    assert "haystack" in answer.tools
    text = str(krm.explain(1.0, truth, run, "recall"))
    assert "DocumentRecallEvaluator" in text
    assert 'convention="' in text


def test_a_cutoff_by_default_is_said():
    truth, run = drawn(5, "lists", 3, queries=6, items=60)
    value = krm.evaluate(truth, run, "ndcg", convention="xgboost")["ndcg"]
    text = str(krm.explain(f"{value:.6f}", truth, run, "ndcg"))
    assert "By default, xgboost stops at 32." in text


def test_a_cutoff_of_equal_values_is_no_default():
    names = [f"q{n}" for n in range(5)]
    truth = {name: {"a": 1, "b": 1} for name in names}
    scores = ({"a": 3 - n, "b": n, "c": 1.5, "d": 2} for n in range(5))
    answer = first(
        "0.4000", "map", truth, dict(zip(names, scores, strict=True))
    )
    assert answer.setting.metric.k == 1
    assert {"map_cut_2", "map_cut_3"} <= {*answer.tools["trec_eval"]}
    assert not answer.with_default_cutoffs


def test_tools_with_a_cutoff_by_default():
    truth, run = drawn(5, "lists", 3, queries=6, items=60)
    for name, tool in (("ndcg", "xgboost"), ("recall", "elasticsearch")):
        value = krm.evaluate(truth, run, name, convention=tool)[name]
        whole = krm.evaluate(truth, run, name)[name]
        assert abs(value - whole) > 1e-4
        for number in (value, whole):
            answer = krm.explain(f"{number:.6f}", truth, run, name).answers[0]
            is_named = name in answer.tools.get(tool, ())
            assert is_named == (number == value)


def test_a_percentage_has_as_many_digits():
    value = 5 / 9  # the average precision
    assert first("55.5556", "map").setting.value == pytest.approx(value)
    assert not krm.explain("55.5506", TRUTH, RUN, "map").answers


def test_labels_with_fractions():
    truth = {"q": {"a": 0.5, "b": 1.0}}
    found = krm.explain(0.8, truth, {"q": ["x", "a", "b"]}, "PFound")
    assert found.tried


def test_warnings_and_notes_of_the_input():
    truth, run = {"q": {"doc1": 1}, "p": {"x": 1}}, {"q": {"DOC1": 1.0}}
    with pytest.warns(UserWarning, match="case"):
        found = krm.explain(0.5, truth, run, "ndcg")
    assert "1 of 2 queries have no rows" in str(found)


@pytest.mark.long
def test_a_pair_says_how_much_it_proves():
    truth, run = drawn(1, "retrieved", 1)
    assert "no evidence" in str(krm.explain((0.5, 0.6), truth, run))


def test_invalid_input():
    with pytest.raises(ValueError, match="Received: NaN"):
        krm.explain(0.5, [[1, 0]], [[0.5, np.nan]])
    with pytest.raises(ValueError, match=r"\[queries, items\]"):
        krm.explain(0.5, np.ones(5), np.ones(5))
    with pytest.raises(ValueError, match="Received: 0 of 1"):
        krm.explain(0.5, TRUTH, {"other": ["a"]})
    with pytest.raises(ValueError, match="can be read again"):
        krm.explain(0.5, TRUTH, iter([("q", "a", 1.0)]))
    for metrics in (3, krm.NDCG(3)):
        with pytest.raises(TypeError, match=r"names of metrics\. .* Pass text"):
            krm.explain(0.5, TRUTH, RUN, metrics)


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("".join(f"q 0 {item} 1\n" for item in "abc"))
    run.write_text(
        "".join(f"q Q0 {item} 1 {5 - n} t\n" for n, item in enumerate("axbyz"))
    )
    return ["--truth", str(qrels), "--run", str(run)]


def test_the_command_for_two_numbers(files, capsys):
    assert main(["explain", "0.5556", "0.8333", *files]) == 0
    assert "becomes map = 0.833333, as in ragas" in capsys.readouterr().out
    assert main(["explain", "x", *files]) == 2
    assert "should be a finite number" in capsys.readouterr().err


def test_the_tool_reports_the_second_of_two_numbers():
    ours = krm.evaluate(TRUTH, RUN, "map")["map"]
    [theirs] = krm.evaluate(
        TRUTH, RUN, "contextual_precision", convention="deepeval"
    ).values()
    pair = f"{ours:.4f}", f"{theirs:.4f}"
    steps = krm.explain(pair, TRUTH, RUN, "map", convention="deepeval")
    first, second = steps.explanations
    assert first.answers and second.answers
    assert {*second.answers[0].tools} == {"deepeval"}


def test_the_first_line_is_for_people():
    def line(*arguments):
        return str(krm.explain(*arguments)).partition("\n")[0]

    one = krm.explain("0.8333", TRUTH, RUN, "map", convention="deepeval")
    assert str(one).startswith("0.8333 has one explanation; a random number ")
    cases = 1 / one.coincidences
    assert f"by chance in 1 of {round(cases, -1):,.0f} cases." in str(one)
    assert line("0.8123", TRUTH, RUN).startswith("0.8123 has no explanation; ")
    text = line("0.8", TRUTH, RUN)
    assert "explanations; a random number would have one by chance in " in text
    assert text.endswith(("% of cases.", "nearly all cases."))


def test_metrics_that_are_equal_here():
    truth = {f"q{n}": {"a": 1, **({"b": 1} if n % 2 else {})} for n in range(7)}
    run = {f"q{n}": [*("xab" if n % 3 else "axb")] for n in range(7)}
    found = krm.explain("0.428571", truth, run, "hit_rate precision mrr ndcg")
    [first, *_] = found.groups
    names = {x.setting.metric.name for x in first}
    assert names >= {"hit_rate@1", "precision@1", "mrr@1", "ndcg@1"}
    assert f"1. equal here: {first[0].setting.metric.name}, " in str(found)
    # Recall has the same mean in some data, but not in each list.
    assert all(len({x.setting.metric.k for x in y}) == 1 for y in found.groups)


def test_nearest_settings_exist():
    found = krm.explain("0.0001", TRUTH, RUN, "ndcg", convention="kaggle")
    assert not found.nearest and "nearest" not in str(found)
    few = krm.explain("0.9", TRUTH, RUN, "map", convention="deepeval")
    assert 0 < len(few.nearest) < 3
    assert "nan" not in str(few)


@pytest.mark.parametrize(
    "truth",
    [
        {"q": {"a": 4, "b": 1, "c": 2}, "p": {"x": 3}},
        {"q": {"a": 1, "b": 0, "c": 1}, "p": {"x": 0}},
    ],
)
def test_judged_items_are_also_tried_as_members(truth):
    run = {"q": ["b", "y", "a"], "p": ["z", "x"]}
    members = {q: set(items) for q, items in truth.items()}
    for name in ("NDCG@3", "Recall@2", "MAP"):
        value = krm.evaluate(members, run, name)[name]
        assert value != krm.evaluate(truth, run, name)[name] or name != "NDCG@3"
        found = krm.explain(f"{value:.6f}", truth, run, name)
        if value == pytest.approx(krm.evaluate(truth, run, name)[name]):
            continue
        read = {x.setting.rules.labels for x in found.answers}
        if any(0 in items.values() for items in truth.values()):
            assert "members" in read
            assert "Each judged item is relevant" in str(found)
        else:  # the same by an option, which is simpler than a rule
            assert "has the gain 1." in str(found)


@pytest.mark.long
def test_a_sample_of_the_lists_loses_no_answer(monkeypatch):
    truth, run = drawn(7, "retrieved", 3, queries=240, items=9)
    values = krm.evaluate(truth, run, "NDCG@5 MAP DCG@3")
    for name, value in values.items():
        number = f"{value:.5f}"
        whole, some = [], []
        for found, sample in ((whole, 500), (some, 20)):
            monkeypatch.setattr(means, "SAMPLE", sample)
            explained = krm.explain(number, truth, run, "NDCG MAP DCG")
            found += [
                (x.setting.signature, round(x.setting.value, 9), x.ours)
                for x in (*explained.answers, *explained.nearest[:1])
            ]
        assert whole == pytest.approx(some) if not whole else whole == some, (
            name
        )


@pytest.mark.parametrize("tool", ["ranx", "torchmetrics"])
def test_precision_without_a_cutoff_is_of_what_was_retrieved(tool):
    truth, run = {"u": {"a": 1, "b": 1}}, {"u": ["x", "b", "y"]}
    convention = conventions.named(tool)
    values = krm.evaluate(truth, run, "precision precision@5", convention=tool)
    assert [*values.values()] == pytest.approx([1 / 3, 1 / 5])
    made = convention.PrecisionAtK.at(None, 5)
    assert [x.options["denominator"] for x in made] == ["retrieved", "k"]
    found = krm.explain("0.3333", truth, run, "precision", convention=tool)
    assert found.answers


def test_items_that_are_not_retrieved_are_not_tied():
    infinity = float("inf")
    run = {"q": {"a": -infinity, "b": -infinity, "c": 1.0}, "r": {"a": 1.0}}
    found = krm.explain("0.5", {"q": {"a": 1}, "r": {"a": 1}}, run, "RR")
    assert not any("ties" in hint for hint in found.hints)
