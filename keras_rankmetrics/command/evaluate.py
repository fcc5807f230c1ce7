"""`krm eval`: metrics of runs in files, compared with a baseline."""

from __future__ import annotations

import argparse
import csv
import io
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.command.printing import Progress, terminal
from keras_rankmetrics.command.specs import metrics_of
from keras_rankmetrics.comparing import Compared, Rows
from keras_rankmetrics.files import FileError, QueriesReturnError
from keras_rankmetrics.files.pipes import (
    File,
    kept_pipes,
    name_of,
    real_path,
    short_names,
)
from keras_rankmetrics.files.runs import (
    check_items_once,
    judgements_of,
    run_of,
    sorted_run_of,
)

_FORMATS: dict[str, Callable[[Compared], str]] = {
    "text": str,
    "markdown": Compared.to_markdown,
    "latex": Compared.to_latex,
    "json": lambda compared: compared.to_json(per_list=False, indent=2),
    "csv": Compared.to_csv,
}
_ROLES = ("query", "item", "score", "label")


class _Sources(NamedTuple):
    """The files to compare, and how to read them.

    Attributes:
        qrels: the file of judgements.
        runs: the file of each run, by the name of the run.
        columns: the names of columns that the user chose, by role.
        score_dtype: the dtype in which scores tie; None for that of the file.
        progress: whether to draw a bar even without a terminal.
    """

    qrels: File
    runs: Mapping[str, File]
    columns: Mapping[str, str]
    score_dtype: str | None
    progress: bool


def run(arguments: argparse.Namespace) -> str:
    """Return the text to print."""
    columns = _columns(arguments.columns)
    name = arguments.convention
    convention = conventions.named(name) if name else None
    by_id = convention.ties_by_id if convention else None
    options = {"ties": "stable"} if by_id else {}
    metrics = metrics_of(arguments.metrics, convention, **options)
    first = _baseline_path(arguments.baseline, arguments.runs)
    paths = _distinct([*first, *arguments.runs])
    names = _names(paths)
    with kept_pipes([arguments.qrels, *paths]) as files:
        sources = _Sources(
            files[arguments.qrels],
            {names[path]: files[path] for path in paths},
            columns,
            by_id,
            arguments.progress,
        )
        compared, scattered = _compared(
            sources,
            metrics,
            baseline=names[paths[0]] if first else None,
            confidence=arguments.confidence,
        )
    if arguments.per_list:
        _write(arguments.per_list, _per_list(compared))
    for note in [*_repeated(arguments.runs), *compared.report.unjudged]:
        sys.stderr.write(f"krm: warning: {note}\n")
    text = _FORMATS[arguments.format](compared)
    if arguments.format == "text":
        text += "".join(f"\n{note}" for note in _notes(by_id, scattered))
    if arguments.output:
        _write(arguments.output, text.rstrip("\n") + "\n")
        return ""
    return text


def _compared(
    sources: _Sources,
    metrics: list[Any],
    scattered: tuple[str, ...] = (),
    **options: Any,
) -> tuple[Compared, tuple[str, ...]]:
    """Return the comparison, and the runs with scattered queries.

    A run whose rows of a query are not together is found while it is read. The
    comparison then starts again and sorts this run first.
    """
    files = [sources.qrels, *sources.runs.values()]
    progress = Progress(map(name_of, files), terminal(sources.progress))
    try:
        return _compare(
            sources, metrics, scattered, progress, options
        ), scattered
    except QueriesReturnError as error:
        scattered = (*scattered, error.path)
    finally:
        progress.clear()
    return _compared(sources, metrics, scattered, **options)


def _compare(
    sources: _Sources,
    metrics: list[Any],
    scattered: tuple[str, ...],
    progress: Progress,
    options: Mapping[str, Any],
) -> Compared:
    qrels = name_of(sources.qrels)
    watch = progress.watch(qrels)
    truth = judgements_of(sources.qrels, sources.columns, watch)
    progress.finish(qrels)
    systems = {
        name: _chunks(file, sources, name_of(file) in scattered, progress)
        for name, file in sources.runs.items()
    }
    try:
        with (
            np.errstate(divide="ignore", invalid="ignore"),
            warnings.catch_warnings(),
        ):
            # `run` prints this warning without a line of code.
            warnings.filterwarnings("ignore", ".*items are judged")
            return krm.compare(systems, truth, metrics, **options)
    except FileError:
        raise
    except ValueError:
        # Rows have no line numbers, so a duplicate is located only now.
        check_items_once(sources.qrels, "label", sources.columns)
        for file in sources.runs.values():
            check_items_once(file, "score", sources.columns)
        raise


def _chunks(
    file: File, sources: _Sources, is_scattered: bool, progress: Progress
) -> Iterator[Rows]:
    """Yield a run in chunks of whole queries."""
    path = name_of(file)
    read = sorted_run_of if is_scattered else run_of
    chunk = None
    for chunk in read(file, sources.columns, progress.watch(path)):
        scores = chunk.value
        if sources.score_dtype:
            scores = scores.astype(sources.score_dtype)
        yield chunk._replace(value=scores)
    if chunk is None:
        raise FileError(path, "There should be a run.", "an empty file")
    progress.finish(path)


def _columns(text: str) -> dict[str, str]:
    columns = {}
    for part in filter(None, text.split(",")):
        role, _, name = part.partition("=")
        if role not in _ROLES or not name:
            raise ValueError(
                "`--columns` should be like query=NAME,item=NAME,score=NAME,"
                f"label=NAME. Received: {part!r}."
            )
        columns[role] = name
    return columns


def _baseline_path(baseline: str | None, runs: list[str]) -> list[str]:
    """Return the path of the baseline, named by its path or as in the table."""
    if baseline is None:
        return []
    named = [path for path, name in _names(runs).items() if name == baseline]
    return named or [baseline]


def _distinct(paths: list[str]) -> list[str]:
    """Return the first path of each file, in the order of the paths."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(real_path(path), path)
    return list(found.values())


def _repeated(paths: list[str]) -> list[str]:
    """Return a sentence for each run that was passed before."""
    again = list(paths)
    for path in _distinct(paths):
        again.remove(path)
    return [
        f"{path} was passed more than once. It is evaluated once."
        for path in again
    ]


def _names(paths: list[str]) -> dict[str, str]:
    """Return the shortest names that tell the runs apart, by path."""
    short = short_names(paths)
    bare = [
        name.removesuffix(".gz").rpartition(".")[0] or name for name in short
    ]
    for names in (bare, short):
        if len(set(names)) == len(names):
            return dict(zip(paths, names, strict=True))
    return {path: path for path in paths}


def _notes(by_id: str | None, scattered: tuple[str, ...]) -> list[str]:
    notes = []
    if by_id:
        notes.append(
            f"Items of equal {by_id} score are in the order of their ids, the "
            "last one first."
        )
    if scattered:
        notes.append(
            f"The rows of a query are not together in {', '.join(scattered)}, "
            "so it was held in memory and sorted."
        )
    return ["", *notes] if notes else []


def _per_list(compared: Compared) -> str:
    columns = compared.per_list()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue()


def _write(path: str, text: str) -> None:
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise FileError(
            path,
            "The output should be a file that can be written.",
            error.strerror,
            remedy="Pass the path of a file, in a directory that exists.",
        ) from None
