"""The next-item example: what it prints, measures, reads and refuses."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from printed import assert_readable, epochs
from scripts import ran

METRICS = ["hit_rate@10", "ndcg@10", "mrr@10"]
SCORERS = ["model", "popularity", "random", "constant"]


@pytest.fixture(scope="module")
def example():
    import next_item

    return next_item


@pytest.fixture(scope="module")
def sessions(example):
    return example.generate(60, np.random.default_rng(0), items=50)


def table(output: str) -> dict[str, dict[str, float]]:
    """The printed table: scorer, metric, number."""
    lines = [line.split() for line in output.splitlines()]
    start = lines.index(["test", *METRICS]) + 1
    return {
        scorer: dict(zip(METRICS, map(float, cells), strict=True))
        for scorer, *cells in lines[start : start + len(SCORERS)]
    }


def by_hand(held_out, scores) -> dict[str, float]:
    """The metrics, if all users get the same scores, by a plain loop.

    A tied target has each of its ranks with the same probability.
    """
    totals = dict.fromkeys(METRICS, 0.0)
    for seen, target in zip(held_out.seen, held_out.targets, strict=True):
        others = set(range(len(scores))) - {int(item) for item in seen}
        above = sum(scores[item] > scores[target] for item in others)
        tied = sum(scores[item] == scores[target] for item in others)
        for rank in range(above + 1, min(above + tied, 10) + 1):
            totals["hit_rate@10"] += 1 / tied
            totals["ndcg@10"] += 1 / math.log2(rank + 1) / tied
            totals["mrr@10"] += 1 / rank / tied
    return {name: total / len(held_out.seen) for name, total in totals.items()}


# The script, on generated sessions


@pytest.fixture(scope="module")
def generated_run():
    options = ["--users", "384", "--epochs", "6", "--seed", "1"]
    return ran("next_item.py", *options)


@pytest.mark.long
def test_script_runs_on_generated_sessions(generated_run):
    assert generated_run.returncode == 0, generated_run.stderr
    output = generated_run.stdout
    assert "generated from seed 1, not real" in output
    assert (
        "384 users, 300 items; users left out, with fewer than 3 items: 0"
        in output
    )
    assert_readable(output)
    assert 0 < len(epochs(output)) <= 6
    assert all(0 < line["val_ndcg@10"] < 1 for line in epochs(output))


@pytest.mark.long
def test_model_beats_popularity_and_popularity_beats_chance(generated_run):
    rows = table(generated_run.stdout)
    assert list(rows) == SCORERS
    for name in METRICS:
        assert rows["model"][name] > 1.5 * rows["popularity"][name]
        assert rows["popularity"][name] > 2 * rows["random"][name]
        assert rows["popularity"][name] > 2 * rows["constant"][name]


@pytest.mark.long
def test_a_signature_follows_the_table(generated_run):
    *_, last = generated_run.stdout.splitlines()
    assert last.startswith("NDCG@10|") and "|inputs:sparse|" in last


def test_generated_sessions_come_from_the_seed(example):
    one, again, other = (
        example.generate(20, np.random.default_rng(seed), items=30)
        for seed in (0, 0, 1)
    )
    as_lists = [
        [items.tolist() for items in of_seed.histories]
        for of_seed in (one, again, other)
    ]
    assert as_lists[0] == as_lists[1] != as_lists[2]


def test_generated_sessions_hold_no_item_twice(sessions):
    lengths = {len(items) for items in sessions.histories}
    assert min(lengths) == 5 and max(lengths) == 20
    for items in sessions.histories:
        assert len(set(items.tolist())) == len(items)
        assert items.min() >= 0 and items.max() < sessions.items


# Leave-one-out, and what the model sees

HISTORIES = [np.array(items) for items in ([4, 2, 7, 1, 0, 3], [5, 6, 4])]


def test_the_last_item_is_held_out_for_test_and_the_one_before_to_stop(
    example,
):
    test = example.hold_out(HISTORIES, -1)
    assert [seen.tolist() for seen in test.seen] == [[4, 2, 7, 1, 0], [5, 6]]
    assert test.targets.tolist() == [3, 4]
    validation = example.hold_out(HISTORIES, -2)
    assert [seen.tolist() for seen in validation.seen] == [[4, 2, 7, 1], [5]]
    assert validation.targets.tolist() == [0, 6]


def test_training_knows_no_item_that_is_held_out(example):
    windows = example.training_windows(HISTORIES, steps=2)
    assert windows.inputs.tolist() == [[4, 2], [7, -1]]
    assert windows.targets.tolist() == [[2, 7], [1, -1]]
    counts = example.count_items(example.Sessions(HISTORIES, 9))
    assert counts.tolist() == [0, 1, 1, 0, 1, 1, 0, 1, 0]


def test_only_the_last_step_of_validation_has_a_target(example):
    windows = example.last_windows(example.hold_out(HISTORIES, -2), steps=3)
    assert windows.inputs.tolist() == [[2, 7, 1], [5, -1, -1]]
    assert windows.targets.tolist() == [[-1, -1, 0], [6, -1, -1]]


def test_the_model_sees_no_later_step_and_no_padding(example):
    model = example.build_model(items=9, steps=4)
    inputs = np.array([[4, 2, 7, 1], [4, 2, 3, 8], [4, 2, -1, -1]], "int32")
    scores = model.predict_on_batch(inputs)
    assert scores.shape == (3, 4, 9)
    np.testing.assert_allclose(scores[1:, :2], scores[[0, 0], :2], rtol=1e-5)
    assert not np.allclose(scores[0, 2], scores[1, 2])
    # Longer ones are cut in front, and the scores are those of the last step.
    seen = [np.array([6, 4, 2, 7, 1]), np.array([4, 2])]
    np.testing.assert_allclose(
        example.score_next(model, seen), scores[[0, 2], [3, 1]], rtol=1e-5
    )


# What is measured


def test_seen_items_are_excluded(example):
    """They have the highest scores, so without that no target is found."""
    histories = [(start + np.arange(14)) % 30 for start in range(10)]
    test = example.hold_out(histories, -1)

    def score(seen):
        scores = np.zeros((len(seen), 30), "float32")
        for row, items in zip(scores, seen, strict=True):
            row[items] = 2.0
            row[(items[-1] + 1) % 30] = 1.0  # the target
        return scores

    assert example.measure(test, score) == dict.fromkeys(METRICS, 1.0)


@pytest.mark.parametrize("name", ["popularity", "constant"])
def test_baselines_are_those_of_a_plain_loop(example, sessions, name):
    test = example.hold_out(sessions.histories, -1)
    counts = np.zeros(sessions.items)
    for items in sessions.histories:
        for item in items[:-2]:
            counts[item] += name == "popularity"
    scorer = example.build_scorers(None, sessions, np.random.default_rng(0))
    # The last batch is short, and its users have their own lengths.
    found = example.measure(test, scorer[name], batch_size=40)
    assert found == pytest.approx(by_hand(test, counts), rel=1e-5)


# Ratings files

HEADER = "userId,movieId,rating,timestamp"
ROWS = [  # user, item, rating, timestamp
    (7, 30, 4, 100),
    (2, 50, 3, 900),
    (7, 20, 1, 50),
    (7, 90, 5, 100),  # in the same second as the first: stays behind it
    (2, 20, 2, 20),
    (3, 20, 2, 10),  # too few to hold out any
    (7, 10, 1, 99),
    (2, 30, 5, 899),
]


def write(path: Path, rows: list, separator: str = "\t") -> Path:
    lines = (separator.join(map(str, row)) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def refusal(example, capsys, path: Path) -> str:
    """The one line with which the script refuses a file."""
    with pytest.raises(SystemExit) as exit_info:
        example.main(["--ratings", str(path)])
    assert capsys.readouterr().err == ""
    message = exit_info.value.code
    assert isinstance(message, str) and "\n" not in message
    assert message.startswith(f"{path}:")
    return message.removeprefix(f"{path}:")


@pytest.mark.parametrize(
    ("separator", "header"), [("\t", []), ("  ", []), (",", [[HEADER]])]
)
def test_histories_are_by_time(example, tmp_path, separator, header):
    path = write(tmp_path / "ratings", header + ROWS, separator)
    assert example.read_histories(path) == [
        [20, 30, 50],  # user 2
        [20],
        [20, 10, 30, 90],  # user 7
    ]
    read, left_out = example.read_sessions(path)
    assert left_out == 1
    assert read.items == 5  # 10, 20, 30, 50 and 90 get the indices from 0
    histories = [items.tolist() for items in read.histories]
    assert histories == [[1, 2, 3], [1, 0, 2, 4]]


def test_windows_lines_blank_lines_and_a_mark_in_front(example, tmp_path):
    rows = "".join(f"{','.join(map(str, row))}\r\n\r\n" for row in ROWS)
    path = tmp_path / "ratings.csv"
    path.write_bytes(f"\ufeff{HEADER}\r\n{rows}".encode())
    plain = write(tmp_path / "u.data", ROWS)
    assert example.read_histories(path) == example.read_histories(plain)


@pytest.mark.long
def test_main_on_a_ratings_file(
    example, sessions, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(  # training is tested above, and takes its time
        example,
        "train_model",
        lambda sessions, steps, *_: example.build_model(sessions.items, steps),
    )
    # The items are numbered by 10, the times fall, so the lines are reversed.
    rows = [
        (user, 10 * item, 3.5, time)
        for user, items in enumerate(sessions.histories)
        for time, item in reversed(list(enumerate(items)))
    ]
    path = write(
        tmp_path / "ratings.csv", [[HEADER], *rows, (999, 0, 1, 1)], ","
    )
    example.main(["--ratings", str(path)])
    output = capsys.readouterr().out
    assert f"read from {path}" in output
    assert (
        "60 users, 50 items; users left out, with fewer than 3 items: 1"
        in output
    )
    test = example.hold_out(sessions.histories, -1)
    for scorer, counts in (
        ("popularity", example.count_items(sessions)),
        ("constant", np.zeros(sessions.items)),
    ):
        expected = by_hand(test, counts)
        assert table(output)[scorer] == pytest.approx(expected, abs=6e-5)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1 2 3", "3 columns, not the 4 of `user item rating timestamp`"),
        ("1 2 3 4 5", "5 columns, not the 4"),
        ("1::2::3::4", "1 columns, not the 4"),
        ("1,2,3,4", "1 columns, not the 4"),
        (HEADER, "1 columns, not the 4"),
        ("x 2 3 4", "user 'x' is not a whole number"),
        ("-1 2 3 4", "user '-1' is not a whole number"),
        ("1 2.5 3 4", "item '2.5' is not a whole number"),
        ("1 2 good 4", "rating 'good' is not a number"),
        ("1 2 nan 4", "rating 'nan' is not a finite float32"),
        ("1 2 3 now", "timestamp 'now' is not a whole number"),
        ("7 20 3 40", "user 7 has rated item 20 before, at line 3"),
    ],
)
def test_malformed_row_names_file_and_line(
    example, tmp_path, capsys, row, reason
):
    path = write(tmp_path / "u.data", [*ROWS, [], [row]])
    message = refusal(example, capsys, path)
    assert message.startswith(f"10: {reason}")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("1 2 3 4", "1 columns, not the 4"),
        ("1,2,3,4,", "5 columns, not the 4"),
        ("1,,3,4", "item '' is not a whole number"),
    ],
)
def test_malformed_row_below_a_header(example, tmp_path, capsys, row, reason):
    path = write(tmp_path / "ratings.csv", [[HEADER], [row]])
    assert refusal(example, capsys, path).startswith(f"2: {reason}")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], " no ratings"),
        ([[HEADER]], " no ratings"),
        (ROWS[:3], " no user has more than 3 ratings: none to train on"),
        (ROWS[1::3], " no user has more than 3 ratings: none to train on"),
    ],
)
def test_too_few_ratings_are_refused(example, tmp_path, capsys, rows, message):
    path = write(tmp_path / "u.data", rows)
    assert refusal(example, capsys, path) == message


def test_missing_file_is_named(example, tmp_path, capsys):
    message = refusal(example, capsys, tmp_path / "absent")
    assert message == " No such file or directory"
    assert refusal(example, capsys, tmp_path) == " Is a directory"
