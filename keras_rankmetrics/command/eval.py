"""`krm eval`: metrics of runs in files, compared with a baseline."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.command.printing import Progress, terminal
from keras_rankmetrics.comparing import Compared, Rows
from keras_rankmetrics.comparing.formats import as_csv
from keras_rankmetrics.conventions.convention import Rules
from keras_rankmetrics.conventions.specs import metrics_of
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
    judgements_path,
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


class _Sources(NamedTuple):
    """The files to compare, and how to read them.

    Attributes:
        qrels: the file of judgements.
        runs: the file of each run, by the name of the run; the baseline first.
        score_dtype: the dtype in which scores tie; None for that of the file.
        arguments: those of the command.
        scattered: the paths of the runs that are known to have the rows of a
            query apart. They are held in memory and sorted.
    """

    qrels: File
    runs: Mapping[str, File]
    score_dtype: str | None
    arguments: argparse.Namespace
    scattered: list[str]


def table(arguments: argparse.Namespace) -> str:
    """Return the text to print."""
    name = arguments.convention
    convention = conventions.named(name) if name else None
    rules = convention.rules if convention else Rules()
    dtype = rules.score_dtype
    options = {} if rules.ties == "options" else {"ties": "stable"}
    metrics = metrics_of(arguments.metrics, convention, **options)
    first = _baseline_path(arguments.baseline, arguments.runs)
    paths, _ = _distinct([*first, *arguments.runs])
    names = _names(paths)
    truth = judgements_path(arguments.qrels)
    _check_outputs(arguments, [truth, *paths])
    with kept_pipes([truth, *paths]) as files:
        runs = {names[path]: files[path] for path in paths}
        qrels = files[truth]
        sources = _Sources(qrels, runs, dtype, arguments, scattered=[])
        compared = None
        while compared is None:
            compared = _compared(sources, metrics)
    if arguments.per_list:
        _write(arguments.per_list, as_csv(compared.per_list()))
    _, again = _distinct(arguments.runs)
    for path in again:
        _warn(f"{path} was passed more than once. It is evaluated once.")
    for note in compared.report.unjudged:
        _warn(note)
    text = _FORMATS[arguments.format](compared)
    if arguments.format == "text":
        text = "\n".join([text, *_notes(sources)])
    if arguments.output:
        _write(arguments.output, text.rstrip("\n") + "\n")
        return ""
    return text


def _compared(sources: _Sources, metrics: list[Any]) -> Compared | None:
    """Return the comparison, or None to start again.

    A run whose rows of a query are not together is found while it is read. It
    is then one of `sources.scattered`.
    """
    qrels, runs, _, arguments, _ = sources
    files = map(name_of, [qrels, *runs.values()])
    progress = Progress(files, terminal(arguments.progress))
    systems = {
        name: _chunks(file, sources, progress) for name, file in runs.items()
    }
    try:
        watch = progress.watch(name_of(qrels))
        truth = judgements_of(qrels, arguments.columns, watch)
        progress.finish(name_of(qrels))
        with (
            np.errstate(divide="ignore", invalid="ignore"),
            warnings.catch_warnings(),
        ):
            # `table` prints this warning without a line of code.
            warnings.filterwarnings("ignore", ".*items are judged")
            return krm.compare(
                systems,
                truth,
                metrics,
                convention=arguments.convention,
                confidence=arguments.confidence,
            )
    except QueriesReturnError as error:
        sources.scattered.append(error.path)
        return None
    except FileError:
        raise
    except ValueError:
        # Rows have no line numbers, so a duplicate is located only now.
        check_items_once(qrels, "label", arguments.columns)
        for file in runs.values():
            check_items_once(file, "score", arguments.columns)
        raise
    finally:
        progress.clear()


def _chunks(
    file: File, sources: _Sources, progress: Progress
) -> Iterator[Rows]:
    """Yield a run in chunks of whole queries."""
    path = name_of(file)
    read = sorted_run_of if path in sources.scattered else run_of
    chunk = None
    for chunk in read(file, sources.arguments.columns, progress.watch(path)):
        scores = chunk.value
        if sources.score_dtype:
            scores = scores.astype(sources.score_dtype)
        yield chunk._replace(value=scores)
    if chunk is None:
        raise FileError(path, "There should be a run.", "an empty file")
    progress.finish(path)


def _baseline_path(baseline: str | None, runs: list[str]) -> list[str]:
    """Return the path of the baseline, named by its path or as in the table."""
    if baseline is None:
        return []
    named = [path for path, name in _names(runs).items() if name == baseline]
    return named or [baseline]


def _distinct(paths: list[str]) -> tuple[list[str], list[str]]:
    """Return the first path of each file, and the further ones."""
    found: dict[str, str] = {}
    again = []
    for path in paths:
        if real_path(path) in found:
            again.append(path)
        else:
            found[real_path(path)] = path
    return list(found.values()), again


def _names(paths: list[str]) -> dict[str, str]:
    """Return the shortest names that distinguish the runs, by path."""
    short = short_names(paths)
    bare = [
        name.removesuffix(".gz").rpartition(".")[0] or name for name in short
    ]
    for names in (bare, short):
        if len(set(names)) == len(names):
            return dict(zip(paths, names, strict=True))
    return {path: path for path in paths}


def _notes(sources: _Sources) -> Iterator[str]:
    if sources.score_dtype or sources.scattered:
        yield ""
    if sources.score_dtype:
        yield (
            f"Items of equal {sources.score_dtype} score are in the order of "
            "their ids, the last one first."
        )
    if sources.scattered:
        yield (
            "The rows of a query are not together in "
            f"{', '.join(sources.scattered)}, so it was held in memory and "
            "sorted."
        )


def _check_outputs(arguments: argparse.Namespace, inputs: list[str]) -> None:
    """Raise ValueError if an output would overwrite an input or the other."""
    taken = {real_path(path): "an input" for path in inputs}
    for option in ("output", "per_list"):
        path = getattr(arguments, option)
        if path and real_path(path) in taken:
            name = option.replace("_", "-")
            raise FileError(
                path,
                f"`--{name}` should be a file of its own.",
                taken[real_path(path)],
                remedy="Choose another name.",
            )
        if path:
            taken[real_path(path)] = f"the file of `--{option}`"


def _warn(note: str) -> None:
    sys.stderr.write(f"krm: warning: {note}\n")


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
