"""Files as a `Compared`, for the commands that measure runs."""

from __future__ import annotations

import argparse
import functools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence

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
from keras_rankmetrics.comparing.reading import warn_of_direction
from keras_rankmetrics.conventions import metrics_of
from keras_rankmetrics.files import FileError, QueriesReturnError, runs
from keras_rankmetrics.files.pipes import (
    File,
    kept_pipes,
    name_of,
    real_path,
    short_names,
)
from keras_rankmetrics.tables.item_rows import as_read, check_chosen


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
    # An unknown name is an error before large files are read.
    metrics_of(arguments.metrics, conventions.named(name) if name else None)
    qrels = runs.judgements_path(arguments.qrels)
    compare = functools.partial(
        krm.compare,
        metrics=arguments.metrics,
        convention=name,
        higher_is_better=_higher_is_better(arguments.lower_is_better, names),
        confidence=arguments.confidence,
    )
    with kept_pipes([qrels, *names]) as files:
        of_runs = {name: files[path] for path, name in names.items()}
        compared, apart = None, list[str]()
        while compared is None:
            try:
                compared = _compared(
                    compare, files[qrels], of_runs, arguments, apart
                )
            except QueriesReturnError as error:
                apart.append(error.path)
    return compared, list(_notes(apart))


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


def _compared(
    compare: Callable[..., Compared],
    qrels: File,
    of_runs: Mapping[str, File],
    arguments: argparse.Namespace,
    apart: Sequence[str],
) -> Compared:
    """Return the comparison.

    Args:
        compare: the function to call with the truth and the systems.
        qrels: the judgements.
        of_runs: the run of each system; the baseline first.
        arguments: those of the command.
        apart: the names of the runs to hold in memory and sort.

    Raises:
        QueriesReturnError: if the rows of a query are not together in another
            run, which is found while it is read.
    """
    columns = arguments.columns
    files = map(name_of, [qrels, *of_runs.values()])
    progress = Progress(files, terminal(arguments.progress))
    read_as: dict[str, dict[str, str]] = {x: {} for x in ("truth", *of_runs)}

    def chunks(name: str) -> Iterator[Rows]:
        """Yield a run in chunks of whole queries."""
        path, chunk = name_of(of_runs[name]), None
        read = runs.sorted_run_of if path in apart else runs.run_of
        watch = progress.watch(path)
        for chunk in read(of_runs[name], columns, watch, read_as[name]):
            yield runs.items_once(path, chunk)
        if chunk is None:
            expected = "A run should have at least one row."
            raise FileError(path, expected, "an empty file")
        progress.finish(path)

    try:
        watch = progress.watch(name_of(qrels))
        judged = runs.judgements_of(qrels, columns, watch, read_as["truth"])
        truth = runs.items_once(name_of(qrels), judged)
        progress.finish(name_of(qrels))
        with (
            np.errstate(divide="ignore", invalid="ignore"),
            warnings.catch_warnings(record=True) as caught,
        ):
            # These are printed below without a line of code.
            warnings.simplefilter("always", UserWarning)
            warn_of_direction(
                columns.get("score"), not arguments.lower_is_better
            )
            compared = compare(truth, {name: chunks(name) for name in of_runs})
        check_chosen(columns, [[*x.values()] for x in read_as.values()])
    finally:
        progress.clear()
    for each in caught:
        if issubclass(each.category, UserWarning):
            warn(with_options(str(each.message)))
        else:
            place = each.filename, each.lineno
            warnings.warn_explicit(each.message, each.category, *place)
    measured = compared.measured
    found = {
        name: [as_read(x, columns), measured.read_as.get(name)]
        for name, x in read_as.items()
    }
    texts = {name: ", ".join(filter(None, x)) for name, x in found.items()}
    measured = measured._replace(
        read_as={name: text for name, text in texts.items() if text}
    )
    return Compared(measured, compared.baseline, compared.confidence)


def _notes(apart: Sequence[str]) -> Iterator[str]:
    if apart:
        yield ""
        yield (
            f"The rows of a query are not together in {', '.join(apart)}, "
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
