"""The page of one screen."""

import dataclasses

import pytest
from recorded import HERE, batches, measured, run

from tests.tools.benchmarks.ahead import ahead_of, sentence
from tests.tools.benchmarks.answers import WORDS
from tests.tools.benchmarks.ratios import ratios
from tests.tools.benchmarks.summary import summary

OURS = "keras_rankmetrics"
SPACE = "\N{NO-BREAK SPACE}"


def page(runs, **options):
    text = summary(runs, HERE, "benchmarks_full.md", **options)
    return text.replace(SPACE, " ")


def test_it_is_one_screen():
    text = page(batches(), picture="benchmarks.svg")
    lines = text.splitlines()
    assert lines[0] == "# Benchmarks"
    assert len(lines) < 30
    assert sum(line.startswith("- ") for line in lines) == 9
    assert all(line.endswith(".") for line in lines if line.startswith("- "))
    assert "](benchmarks.svg)" in text
    assert "](benchmarks_full.md)" in text


def test_the_table_has_scenarios_down_and_modes_across():
    assert ratios(batches()).replace(SPACE, " ").splitlines() == [
        "| ours / reference · others / ours "
        "| jax, jit: ours · keras_rs · rax | torch, eager: ours · best other |",
        "| --- | --: | --: |",
        "| ltr | 2.00 · 10.0 · 20.0 |  |",
        "| ids |  | 10.0 · 0.1 |",
    ]


def test_three_rows_answer_what_a_user_asks():
    """In milliseconds and seconds, and the words come first."""
    lines = page(batches()).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert table[0] == "| time of nine metrics | jax, jit | torch, eager |"
    assert [line.split(" | ")[0] for line in table[2:]] == [
        "| One batch",
        "| One epoch of `fit`",
        "| The first call",
    ]
    assert lines.index(table[0]) > lines.index(WORDS.splitlines()[-1])


def test_it_says_what_the_numbers_say():
    assert (
        "- In the batches, our plain list takes 2.00 to 10.0 times as long as "
        "the reference, our `MetricCollection` 1.50 to 2.00; keras_rs takes "
        "10.0 times as long as our plain list, rax 20.0."
    ) in page(batches())


def test_it_says_when_and_where():
    text = page(batches())
    assert (
        "on a machine (GPU: none; load average: 1.0 to 3.0), on 2026-01-02, "
        "with Python 3.11.0, keras 3.15." in text
    )
    assert "numpy" not in text


def test_others_that_are_ahead_are_named():
    assert (
        "- Others are ahead of our plain list in: ids on torch "
        "(torch_geometric 0.1 with 8 of 9 metrics, rectools 0.4); with lists "
        "ranked before timing starts, in: ids on torch (ranx 0.5).\n"
        "- Others are ahead of our `MetricCollection` in: ids on torch "
        "(torch_geometric 0.5 with 8 of 9 metrics).\n"
    ) in page(batches())


def test_the_furthest_ahead_comes_first():
    slow, fast = run("import", "jax"), run("import", "torch")
    measured(measured(slow, OURS, 10.0), "keras_rs", 9.0)
    measured(measured(fast, OURS, 10.0), "keras_rs", 1.0)
    says = "import on torch (keras_rs 0.1) and on jax (keras_rs 0.9)."
    assert sentence(OURS, "us", [slow, fast]).endswith(f"in: {says}")


def test_where_nobody_is_ahead_it_says_so():
    only = batches()[:1]
    assert sentence(OURS, "us", only) == "No other is ahead of us."


def test_where_nobody_was_measured_it_says_so():
    alone = measured(run("ltr", "jax"), OURS, 1.0)
    assert sentence(OURS, "us", [alone]) == "No other was measured against us."


def test_a_hurry_is_told():
    hurried = dataclasses.replace(HERE, command="benchmarks --quick")
    assert " (`--quick`) on " in hurried.in_brief(batches(), ())
    assert "--quick" not in HERE.in_brief(batches(), ())


def test_who_takes_as_much_is_not_ahead():
    even = run("ltr", "jax")
    measured(even, OURS, 1.0)
    measured(even, "rax", 0.999)
    assert ahead_of(OURS, [even]) == []


def test_neither_the_reference_nor_we_are_ahead_of_us():
    found = ahead_of(OURS, batches())
    assert {one.contender for one in found} == {
        "ranx",
        "rectools",
        "torch_geometric",
    }


@pytest.mark.parametrize("contender", [OURS, None])
def test_a_failure_is_not_an_empty_cell(contender):
    failed = run("ltr", "jax", failure="" if contender else "it hangs")
    if contender:
        measured(failed, contender, failure="no memory")
    text = page([failed])
    assert "| ltr | failed |" in ratios([failed])
    assert "| One batch | – |" in text
    assert "No batch was measured in which we take part." in text


def test_what_is_not_there_has_a_dash():
    fit = run("fit", "jax")
    measured(fit, "keras_rankmetrics", 1.0)
    measured(fit, "keras_rs", 2.0)
    text = page([*batches(), fit])
    assert "| One epoch of `fit` | **1.00 s**<br>keras_rs 2.00 s | – |" in text
    assert "| The first call | – | – |" in text


def test_memory_is_not_set_beside_next_to_nothing():
    memory = run("memory", "torch")
    measured(memory, "reference", 0.01)
    measured(memory, "keras_rankmetrics", 1.0)
    measured(memory, "keras_rs", 5.0)
    assert "| memory | 5.00 |" in ratios([memory]).replace(SPACE, " ")
