"""Files as a `Compared`, for the commands that measure runs."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

import keras_rankmetrics as krm
from keras_rankmetrics import conventions
from keras_rankmetrics.command.printing import (
    Progress,
    terminal,
    warn,
    with_options,
)
from keras_rankmetrics.comparing import Compared, Rows
from keras_rankmetrics.conventions.convention import Rules
from keras_rankmetrics.conventions.specs import metrics_of
from keras_rankmetrics.files import FileError, QueriesReturnError, runs
from keras_rankmetrics.files.pipes import (
    File,
    kept_pipes,
    name_of,
    real_path,
    short_names,
)
from keras_rankmetrics.tables.item_rows import as_read


def compared_of(
    arguments: argparse.Namespace, names: Mapping[str, str]
) -> tuple[Compared, list[str]]:
    """Return the comparison of runs in files, with notes on how they were read.

    Args:
        arguments: those of the command, with `qrels`, `metrics`, `convention`,
            `columns`, `lower_is_better`, `confidence` and `progress`.
        names: the name of each run by its path; the baseline first.
    """
    name = arguments.convention
    convention = conventions.named(name) if name else None
    rules = convention.rules if convention else Rules()
    metrics = metrics_of(arguments.metrics, convention, **rules.options)
    truth = runs.judgements_path(arguments.qrels)
    higher = _higher_is_better(arguments.lower_is_better, names)
    scattered: list[str] = []
    with kept_pipes([truth, *names]) as files:
        of_runs = {name: files[path] for path, name in names.items()}
        sources = _Sources(files[truth], of_runs, arguments, higher, scattered)
        while True:
            try:
                compared = _compared(sources, metrics)
                break
            except QueriesReturnError as error:
                scattered.append(error.path)
    return compared, list(_notes(rules.score_dtype, scattered))


def _higher_is_better(
    lower: list[str | None], names: Mapping[str, str]
) -> bool | dict[str, bool]:
    """Return the argument of `compare` for runs with distances.

    Args:
        lower: the paths or names of these runs; None for all runs.
        names: the name of each run by its path.

    Raises:
        ValueError: if there is no such run.
    """
    systems = list(names.values())
    higher = {}
    for run in lower:
        if run is None:
            return False
        name = names.get(run, run)
        if name not in systems:
            raise ValueError(
                f"`--lower-is-better` should name one of the runs {systems}. "
                f"Received: {run!r}."
            )
        higher[name] = False
    return higher


class _Sources(NamedTuple):
    """The files to compare, and how to read them.

    Attributes:
        qrels: the file of judgements.
        runs: the file of each run, by the name of the run; the baseline first.
        arguments: those of the command.
        higher_is_better: as for `compare`.
        scattered: the paths of the runs that are known to have the rows of a
            query apart. They are held in memory and sorted.
    """

    qrels: File
    runs: Mapping[str, File]
    arguments: argparse.Namespace
    higher_is_better: bool | dict[str, bool]
    scattered: list[str]


def _compared(sources: _Sources, metrics: list[Any]) -> Compared:
    """Return the comparison.

    Raises:
        QueriesReturnError: if the rows of a query are not together in a run,
            which is found while it is read. The run is then to be sorted.
    """
    qrels, of_runs, arguments, higher, _ = sources
    columns = arguments.columns
    files = map(name_of, [qrels, *of_runs.values()])
    progress = Progress(files, terminal(arguments.progress))
    assumed: dict[str, dict[str, str]] = {
        "truth": {},
        **{x: {} for x in of_runs},
    }
    systems = {
        name: _chunks(file, sources, progress, assumed[name])
        for name, file in of_runs.items()
    }
    try:
        watch = progress.watch(name_of(qrels))
        truth = runs.judgements_of(qrels, columns, watch, assumed["truth"])
        progress.finish(name_of(qrels))
        with (
            np.errstate(divide="ignore", invalid="ignore"),
            warnings.catch_warnings(record=True) as caught,
        ):
            # These are printed below without a line of code.
            warnings.simplefilter("always", UserWarning)
            compared = krm.compare(
                truth,
                systems,
                metrics,
                convention=arguments.convention,
                higher_is_better=higher,
                confidence=arguments.confidence,
            )
    except FileError:
        raise
    except ValueError:
        # Rows have no line numbers, so a duplicate is located only now.
        runs.check_items_once(qrels, "label", columns)
        for file in of_runs.values():
            runs.check_items_once(file, "score", columns)
        raise
    finally:
        progress.clear()
    for each in caught:
        if issubclass(each.category, UserWarning):
            warn(with_options(str(each.message)))
        else:
            place = each.filename, each.lineno
            warnings.warn_explicit(each.message, each.category, *place)
    texts = {name: as_read(x, columns) for name, x in assumed.items()}
    measured = compared.measured._replace(
        read_as={name: text for name, text in texts.items() if text}
    )
    return Compared(measured, compared.baseline, compared.confidence)


def _chunks(
    file: File,
    sources: _Sources,
    progress: Progress,
    assumed: dict[str, str],
) -> Iterator[Rows]:
    """Yield a run in chunks of whole queries."""
    path = name_of(file)
    is_scattered = path in sources.scattered
    read = runs.sorted_run_of if is_scattered else runs.run_of
    chunk, watch = None, progress.watch(path)
    for chunk in read(file, sources.arguments.columns, watch, assumed):
        yield chunk
    if chunk is None:
        raise FileError(
            path, "A run should have at least one row.", "an empty file"
        )
    progress.finish(path)


def _notes(score_dtype: str | None, scattered: list[str]) -> Iterator[str]:
    if score_dtype or scattered:
        yield ""
    if score_dtype:
        yield (
            f"Items of equal {score_dtype} score are in the order of their "
            "ids, the last one first."
        )
    if scattered:
        yield (
            f"The rows of a query are not together in {', '.join(scattered)}, "
            "so it was held in memory and sorted."
        )


def distinct(paths: list[str]) -> list[str]:
    """Return the first path of each file."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(real_path(path), path)
    return list(found.values())


def names_of(paths: list[str]) -> dict[str, str]:
    """Return the shortest names that distinguish the runs, by path."""
    short = short_names(paths)
    bare = [
        name.removesuffix(".gz").rpartition(".")[0] or name for name in short
    ]
    for names in (bare, short):
        if len(set(names)) == len(names):
            return dict(zip(paths, names, strict=True))
    return {path: path for path in paths}


def check_outputs(arguments: argparse.Namespace, paths: list[str]) -> None:
    """Raise ValueError if an output would overwrite an input or the other."""
    inputs = [runs.judgements_path(arguments.qrels), *paths]
    taken = {real_path(path): "an input" for path in inputs}
    for option in ("output", "per_list", "save"):
        path = getattr(arguments, option, None)
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


def write(path: str, text: str) -> None:
    """Write a text to a file. Raise FileError if that is not possible."""
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
