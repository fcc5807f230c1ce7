"""`krm eval`: metrics of runs in files, beside a baseline."""

from __future__ import annotations

import argparse
import csv
import io
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.command.printing import Progress, terminal
from keras_rankmetrics.command.specs import metrics_of
from keras_rankmetrics.comparing import Compared, Rows
from keras_rankmetrics.files.errors import FileError, QueriesReturnError
from keras_rankmetrics.files.pipes import (
    File,
    kept_pipes,
    name_of,
    real_path,
    short_names,
)
from keras_rankmetrics.files.reading import (
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
_COLUMNS = ("query", "item", "score", "label")


def add_to(parsers: Any) -> None:
    """Adds the sub-command."""
    parser = parsers.add_parser(
        "eval",
        help="evaluate runs, beside a baseline",
        description="Metrics of runs, and which run differs from the baseline.",
    )
    parser.add_argument("qrels", metavar="QRELS", help="file of judgements")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="file of a run")
    parser.add_argument(
        "-m",
        "--metrics",
        required=True,
        help="such as 'NDCG@10 MAP(denominator=min)@100 RR'",
    )
    parser.add_argument(
        "--convention",
        metavar="NAME",
        help="whose metrics are meant: see `krm conventions`",
    )
    parser.add_argument(
        "--baseline", metavar="RUN", help="(default: the first run)"
    )
    parser.add_argument(
        "--confidence",
        type=float,
        default=0.95,
        help="of intervals and tests (default: 0.95)",
    )
    parser.add_argument(
        "--columns",
        metavar="WHAT=NAME,...",
        default="",
        help="the columns of a table: query=...,item=...,score=...,label=...",
    )
    parser.add_argument(
        "--format", choices=_FORMATS, default="text", help="(default: text)"
    )
    parser.add_argument(
        "--output", metavar="FILE", help="where the table goes, not to stdout"
    )
    parser.add_argument(
        "--per-list", metavar="FILE", help="a CSV of the value of each query"
    )
    parser.add_argument(
        "--progress",
        action="store_true",
        help="draw a bar also where stderr is no terminal",
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> str:
    """The text to print."""
    columns = _columns(given.columns)
    convention = given.convention and conventions.named(given.convention)
    by_id = convention.ties_by_id if convention else None
    options = {"ties": "stable"} if by_id else {}
    metrics = metrics_of(given.metrics, convention, **options)
    first = _path_of(given.baseline, given.runs)
    paths = _different([*first, *given.runs])
    names = _names(paths)
    baseline = names[paths[0]] if first else None
    with kept_pipes([given.qrels, *paths]) as files:
        compared, apart = _compared(
            given, files, names, metrics, baseline, columns, by_id
        )
    if given.per_list:
        _write(given.per_list, _per_list(compared))
    for note in [*_repeated(given.runs), *compared.report.unjudged]:
        sys.stderr.write(f"krm: warning: {note}\n")
    text = _FORMATS[given.format](compared)
    if given.format == "text":
        text += "".join(f"\n{note}" for note in _notes(by_id, apart))
    if given.output:
        _write(given.output, text.rstrip("\n") + "\n")
        return ""
    return text


def _compared(
    given: argparse.Namespace,
    files: Mapping[str, File],
    names: Mapping[str, str],
    metrics: list[Any],
    baseline: str | None,
    columns: Mapping[str, str],
    by_id: str | None,
) -> tuple[Compared, list[str]]:
    """What was compared, and the runs of which queries were apart."""
    apart: list[str] = []
    paths = list(names)
    while True:
        progress = Progress([given.qrels, *paths], terminal(given.progress))
        truth = judgements_of(
            files[given.qrels], columns, progress.watch(given.qrels)
        )
        progress.finish(given.qrels)
        systems = {
            names[path]: _run(
                path, files[path], columns, progress, apart, by_id
            )
            for path in paths
        }
        try:
            with (
                np.errstate(divide="ignore", invalid="ignore"),
                warnings.catch_warnings(),
            ):
                # `run` writes it without the line of code.
                warnings.filterwarnings("ignore", ".*items are judged")
                found = krm.compare(
                    systems,
                    truth,
                    metrics,
                    baseline=baseline,
                    confidence=given.confidence,
                )
        except QueriesReturnError as error:
            apart.append(error.path)
        except FileError:
            raise
        except ValueError:
            # If it is of the rows, this tells the file and the lines.
            check_items_once(files[given.qrels], "label", columns)
            for path in paths:
                check_items_once(files[path], "score", columns)
            raise
        else:
            return found, apart
        finally:
            progress.clear()


def _run(
    path: str,
    file: File,
    columns: Mapping[str, str],
    progress: Progress,
    apart: list[str],
    by_id: str | None,
) -> Iterator[Rows]:
    """Yield the chunks of a run, with the scores as the source reads them."""
    read = sorted_run_of if name_of(file) in apart else run_of
    chunk = None
    for chunk in read(file, columns, progress.watch(path)):
        scores = chunk.value
        as_read = scores.astype(by_id) if by_id else scores
        yield chunk._replace(value=as_read)
    if chunk is None:
        raise FileError(
            name_of(file), "There should be a run.", "an empty file"
        )
    progress.finish(path)


def _columns(text: str) -> dict[str, str]:
    columns = {}
    for part in filter(None, text.split(",")):
        what, _, name = part.partition("=")
        if what not in _COLUMNS or not name:
            raise ValueError(
                "`--columns` should be as query=NAME,item=NAME,score=NAME,"
                f"label=NAME. Received: {part!r}."
            )
        columns[what] = name
    return columns


def _path_of(baseline: str | None, runs: list[str]) -> list[str]:
    """The path of the baseline, which may be called as the table calls it."""
    if baseline is None:
        return []
    named = [path for path, name in _names(runs).items() if name == baseline]
    return named or [baseline]


def _different(paths: list[str]) -> list[str]:
    """The paths of different files, each as it stands there first."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(real_path(path), path)
    return list(found.values())


def _repeated(paths: list[str]) -> list[str]:
    """Return a sentence for each run that is given again."""
    again = list(paths)
    for path in _different(paths):
        again.remove(path)
    return [
        f"{path} is a file that is given more than once. It is evaluated once."
        for path in again
    ]


def _names(paths: list[str]) -> dict[str, str]:
    """What each run is called: its file, or its path if two are called so."""
    short = short_names(paths)
    bare = [
        name.removesuffix(".gz").rpartition(".")[0] or name for name in short
    ]
    for names in (bare, short):
        if len(set(names)) == len(names):
            return dict(zip(paths, names, strict=True))
    return {path: path for path in paths}


def _notes(by_id: str | None, apart: list[str]) -> list[str]:
    notes = []
    if by_id:
        notes.append(
            f"Items of equal {by_id} score are in the order of their ids, the "
            "last one first."
        )
    if apart:
        notes.append(
            f"The lines of a query are apart in {', '.join(apart)}: it was "
            "read whole, and sorted."
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
