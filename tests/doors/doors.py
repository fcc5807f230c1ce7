"""The doors of the package: each has the metric of data, in some form."""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import math
import pathlib
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import keras
import numpy as np
from data import Data, by_query
from table_files import written

import keras_rankmetrics as krm
from keras_rankmetrics.conventions.from_text import metrics_of

# What `diagnose` says of ordinary data.
_FACTS = ("grades", "only_relevant", "no_relevant")


class Answer(NamedTuple):
    """What a door says of data.

    Attributes:
        level: `"error"`, `"warning"`, `"note"` or `"quiet"`.
        words: the error, the warnings or the notes.
        value: that of the metric, or None if the door has no value.
    """

    level: str
    words: str
    value: float | None


class Found(NamedTuple):
    """What a door returns: a value, and sentences next to it."""

    value: float | None
    notes: tuple[str, ...] = ()


class Door(NamedTuple):
    """A way into the package.

    Attributes:
        call: takes data and an empty folder.
        has_others: whether it sees columns that have no role.
        has_queries: whether it sees the ids of queries.
        has_items: whether it sees the ids of items.
        has_notes: whether its result has a place for sentences.
    """

    call: Callable[[Data, pathlib.Path], Found]
    has_others: bool = False
    has_queries: bool = True
    has_items: bool = True
    has_notes: bool = True


def answer_of(door: Door, data: Data, folder: pathlib.Path) -> Answer:
    """Return what a door says of data."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        try:
            found = door.call(data, folder)
        except (TypeError, ValueError) as error:
            return Answer("error", str(error), None)
    said = tuple(str(each.message) for each in caught)
    level = "warning" if said else "note" if found.notes else "quiet"
    return Answer(level, "\n".join((*said, *found.notes)), found.value)


# Forms of data.


def _side(data: Data, name: str) -> dict[str, list]:
    """Return the columns of the truth ("label") or of the run ("score")."""
    names = ["query", "item", name, *(data.others if name == "score" else [])]
    return {column: list(data.columns[column]) for column in names}


def _dicts(data: Data) -> tuple[dict, dict]:
    """Return a truth and a run."""
    lists = by_query(data.columns, "item", "label", "score")
    truth = {q: {row[0]: row[1] for row in x} for q, x in lists.items()}
    return truth, {q: {row[0]: row[2] for row in x} for q, x in lists.items()}


def _frame(columns: Mapping[str, list]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


def _lazy(columns: Mapping[str, list]) -> Any:
    import polars as pl

    return pl.LazyFrame(columns, strict=False)


def _frames(data: Data, _: pathlib.Path) -> tuple[Any, Any]:
    return _frame(_side(data, "label")), _frame(_side(data, "score"))


def _lazies(data: Data, _: pathlib.Path) -> tuple[Any, Any]:
    return _lazy(_side(data, "label")), _lazy(_side(data, "score"))


def _csvs(data: Data, folder: pathlib.Path) -> tuple[Any, Any]:
    truth = written(folder / "truth.csv", _side(data, "label"))
    return truth, written(folder / "run.csv", _side(data, "score"))


def _trec(data: Data, folder: pathlib.Path) -> tuple[Any, Any]:
    """Return files of TREC, with ranks by the scores if there are no others."""
    names = ("query", "item", "label", "score")
    rows = list(zip(*map(data.columns.get, names), strict=True))
    ranks = data.columns.get("rank")
    if ranks is None:
        above = [sum(y[0] == x[0] and y[3] > x[3] for y in rows) for x in rows]
        ranks = [x + 1 for x in above]
    tags = data.columns.get("model", ["x"] * len(rows))
    run, truth = folder / "run.trec", folder / "qrels"
    truth.write_text("".join(f"{q} 0 {d} {y}\n" for q, d, y, _ in rows))
    run.write_text(
        "".join(
            f"{q} Q0 {d} {rank} {x} {tag}\n"
            for (q, d, _, x), rank, tag in zip(rows, ranks, tags, strict=True)
        )
    )
    return truth, run


def _svmlight(data: Data, folder: pathlib.Path) -> tuple[Any, Any]:
    """Return judgements with features, and a file of the scores alone."""
    names = ("query", "label", "score")
    rows = list(zip(*map(data.columns.get, names), strict=True))
    queries = list(dict.fromkeys(query for query, *_ in rows))
    rows.sort(key=lambda row: queries.index(row[0]))
    run, truth = folder / "scores", folder / "judged.svm"
    truth.write_text("".join(f"{y} qid:{q} 1:0.5 2:1\n" for q, y, _ in rows))
    run.write_text("".join(f"{x}\n" for *_, x in rows))
    return truth, run


def _table(data: Data, _: pathlib.Path) -> Any:
    return _frame(data.columns)


def _lazy_table(data: Data, _: pathlib.Path) -> Any:
    return _lazy(data.columns)


def _csv_table(data: Data, folder: pathlib.Path) -> Any:
    return written(folder / "table.csv", data.columns)


def _matrix(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Return labels, -1 as padding, and scores, `[queries, items]`."""
    lists = list(by_query(data.columns, "label", "score").values())
    shape = len(lists), max(map(len, lists))
    scores = np.zeros(shape, np.array(data.columns["score"]).dtype)
    labels = np.full(shape, -1.0)
    for place, rows in enumerate(lists):
        labels[place, : len(rows)] = [row[0] for row in rows]
        scores[place, : len(rows)] = [row[1] for row in rows]
    return labels, scores


# Doors of two inputs, and of one table.


def _of(result: Any) -> Found:
    """Return the value and the notes of what `evaluate` returns."""
    [value] = result.values()
    return Found(value, result.report.notes)


def _evaluate(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        return _of(krm.evaluate(*form(data, folder), metrics=data.metric))

    return call


def _of_two(compared: krm.Compared) -> Found:
    """Return what is found, but for the words on one run under two names."""
    notes = [x for x in compared.report.notes if "ranks all items" not in x]
    return Found(compared.report.cells[0][0].value, notes)


def _compare(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        truth, run = form(data, folder)
        compared = krm.compare(truth, {"a": run, "b": run}, data.metric)
        return _of_two(compared)

    return call


def _gate(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        truth, run = form(data, folder)
        verdict = krm.compare(truth, {"a": run, "b": run}, data.metric).gate(
            data.metric, tolerance=0.5
        )
        return Found(None, verdict.notes)

    return call


def _diagnose(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        found = krm.diagnose(*form(data, folder), metrics=data.metric)
        return Found(None, tuple(str(x) for x in found if x.name not in _FACTS))

    return call


def _explain(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        found = krm.explain(0.5, *form(data, folder), metrics=data.metric)
        return Found(None, found.notes)

    return call


def _tie_range(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        ranges = krm.tie_range(*form(data, folder), metrics=data.metric)
        _, _, *notes = ranges.notes  # the first two say what the columns are
        return Found(ranges[data.metric].mean, tuple(notes))

    return call


def _of_one(form: Callable) -> Callable:
    return lambda data, folder: (form(data, folder),)


def _arrays(data: Data, _: pathlib.Path) -> Found:
    return _of(krm.evaluate(*_matrix(data), data.metric))


def _compare_one(data: Data, _: pathlib.Path) -> Found:
    table = _frame({**data.columns, "other": data.columns["score"]})
    scores = {"score": ["score", "other"]}
    return _of_two(krm.compare(table, metrics=data.metric, columns=scores))


# Doors of rows and of batches.


def _rows(data: Data, _: pathlib.Path) -> Found:
    columns = (data.columns[x] for x in ("query", "label", "score"))
    return Found(krm.evaluate_rows(*columns, data.metric)[data.metric])


def _per_query(data: Data, _: pathlib.Path) -> Found:
    columns = (data.columns[x] for x in ("query", "label", "score"))
    values = krm.per_query(*columns, data.metric)[data.metric]
    return Found(float(np.mean(values)))


def _update(data: Data, _: pathlib.Path) -> Found:
    [metric] = metrics_of(data.metric, None)
    metric.update_state(*_matrix(data))
    return Found(float(metric.result()))


def _by_query(data: Data, _: pathlib.Path) -> Found:
    from keras_rankmetrics.callbacks import EvaluateByQuery

    inputs = keras.Input((1,))
    model = keras.Model(inputs, inputs)
    model.compile(loss="mse")
    x, y = (np.array(data.columns[name]) for name in ("score", "label"))
    callback = EvaluateByQuery(
        data.metric, x[:, None], y, query=data.columns["query"], verbose=0
    )
    callback.set_model(model)
    logs: dict[str, float] = {}
    callback.on_epoch_end(0, logs)
    return Found(logs[f"val_{data.metric}"])


def _job(data: Data, _: pathlib.Path) -> Found:
    """What a worker of Spark, Ray or Beam does with rows of items."""
    import pyarrow as pa

    worker = importlib.import_module("keras_rankmetrics.adapters.worker")
    from keras_rankmetrics.adapters.log_job import LogJob

    names = ("query", "label", "score")
    table = pa.table({x: list(data.columns[x]) for x in names})
    job = pickle.loads(
        pickle.dumps(LogJob(data.metric, "label", "score", query="query"))
    )
    sums = worker.sums_of_tables(job, [worker.lists_of(job, table)])
    job.say(sums)
    return Found(float(job.with_sums(sums).result()[data.metric]))


# The command.


def _krm(*words: Any) -> str:
    """Return what the command prints; raise ValueError if it stops."""
    folder = pathlib.Path(krm.__file__).parent / "command" / "script"
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    import krm_command

    printed, said = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
        try:
            krm_command.main(list(map(str, words)))
        except SystemExit as stop:
            if stop.code not in (0, 1, None):
                raise ValueError(f"{stop.code} {said.getvalue()}") from stop
    for line in said.getvalue().splitlines():
        warnings.warn(line, stacklevel=2)
    return printed.getvalue()


def _krm_eval(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        words = form(data, folder)
        text = _krm("eval", *words, "-m", data.metric, "--format", "json")
        found = json.loads(text)
        [system] = found["systems"].values()
        return Found(system[data.metric]["value"], tuple(found["notes"]))

    return call


def _krm_gate(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        words = (
            *form(data, folder),
            "0.5",
            "-m",
            data.metric,
            "--tolerance",
            "0.9",
        )
        printed = _krm("gate", *words, "--tolerance", "0.9", "--json")
        [verdict] = json.loads(printed)
        return Found(None, tuple(verdict["notes"]))

    return call


def _krm_explain(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        truth, *run = form(data, folder)
        runs = [word for path in run for word in ("--run", path)]
        words = "explain", "0.5", "--truth", truth, *runs, "-m", data.metric
        printed = "".join(_krm(*words).split())
        notes = krm.explain(0.5, truth, *run, metrics=data.metric).notes
        return Found(
            None, tuple(x for x in notes if "".join(x.split()) in printed)
        )

    return call


def _krm_doctor(form: Callable) -> Callable:
    def call(data: Data, folder: pathlib.Path) -> Found:
        text = _krm("doctor", *form(data, folder))
        found = re.findall("^(?:error|warning|note): .*", text, re.MULTILINE)
        facts = "labels are above|relevant items only|no relevant"
        return Found(None, tuple(x for x in found if not re.search(facts, x)))

    return call


DOORS = {
    "evaluate: dicts": Door(_evaluate(lambda data, _: _dicts(data))),
    "evaluate: frames": Door(_evaluate(_frames), has_others=True),
    "evaluate: lazy frames": Door(_evaluate(_lazies), has_others=True),
    "evaluate: CSV": Door(_evaluate(_csvs), has_others=True),
    "evaluate: TREC": Door(_evaluate(_trec), has_others=True),
    "evaluate: SVMlight": Door(_evaluate(_svmlight), has_items=False),
    "compare: frames": Door(_compare(_frames), has_others=True),
    "gate: frames": Door(_gate(_frames), has_others=True),
    "diagnose: frames": Door(_diagnose(_frames), has_others=True),
    "diagnose: CSV": Door(_diagnose(_csvs), has_others=True),
    "diagnose: one frame": Door(_diagnose(_of_one(_table)), has_others=True),
    "explain: frames": Door(_explain(_frames), has_others=True),
    "explain: one frame": Door(_explain(_of_one(_table)), has_others=True),
    "tie_range: frames": Door(_tie_range(_frames), has_others=True),
    "tie_range: one frame": Door(_tie_range(_of_one(_table)), has_others=True),
    "evaluate: arrays": Door(_arrays, has_queries=False, has_items=False),
    "evaluate: one frame": Door(_evaluate(_of_one(_table)), has_others=True),
    "evaluate: one lazy frame": Door(_evaluate(_of_one(_lazy_table)), True),
    "evaluate: one CSV": Door(_evaluate(_of_one(_csv_table)), has_others=True),
    "compare: one frame": Door(_compare_one, has_others=True),
    "evaluate_rows": Door(_rows, has_items=False, has_notes=False),
    "per_query": Door(_per_query, has_items=False, has_notes=False),
    "update_state": Door(
        _update, has_queries=False, has_items=False, has_notes=False
    ),
    "EvaluateByQuery": Door(_by_query, has_items=False, has_notes=False),
    "a worker": Door(_job, has_items=False, has_notes=False),
    "krm eval: CSV": Door(_krm_eval(_csvs), has_others=True),
    "krm eval: one CSV": Door(_krm_eval(_of_one(_csv_table)), has_others=True),
    "krm gate: CSV": Door(_krm_gate(_csvs), has_others=True),
    "krm explain: CSV": Door(_krm_explain(_csvs), has_others=True),
    "krm explain: one CSV": Door(
        _krm_explain(_of_one(_csv_table)), has_others=True
    ),
    "krm doctor: CSV": Door(_krm_doctor(_csvs), has_others=True),
    "krm doctor: one CSV": Door(_krm_doctor(_of_one(_csv_table)), True),
}


def is_right(answer: Answer, data: Data) -> bool:
    """Return True if a door has no value, or that of the formula."""
    return answer.value is None or math.isclose(
        answer.value, data.value, abs_tol=1e-6
    )
