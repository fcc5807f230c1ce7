"""`krm eval`, `krm gate` and `krm doctor`: runs in files, and judgements."""

from __future__ import annotations

import argparse
import csv
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import keras_rankmetrics as krm
from keras_rankmetrics.command.printing import (
    Progress,
    print_warning,
    with_options,
)
from keras_rankmetrics.comparing import Compared, Verdict
from keras_rankmetrics.comparing.measured import ALL
from keras_rankmetrics.comparing.reading import Reading, how_to_read
from keras_rankmetrics.comparing.report import POWER, percent
from keras_rankmetrics.comparing.table_formats import as_csv
from keras_rankmetrics.comparing.verdict import Margins, verdict_on_mean
from keras_rankmetrics.engine.messages import as_table
from keras_rankmetrics.files import KIND, FileError, unopened
from keras_rankmetrics.files.blocks import (
    Source,
    is_pipe,
    real_path,
    short_names,
)
from keras_rankmetrics.files.runs import judgements_path

FORMATS: dict[str, Callable[[Compared], str]] = {
    "text": str,
    "markdown": Compared.to_markdown,
    "latex": Compared.to_latex,
    "json": lambda compared: compared.to_json(per_list=False, indent=2),
    "csv": Compared.to_csv,
}


def evaluation(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return the table of `krm eval`, and 0."""
    first = _baseline_path(arguments.baseline, arguments.runs)
    paths = _distinct([*first, *arguments.runs])
    _check_outputs(arguments, paths)
    if arguments.runs:
        compared, notes = _compared(arguments, _names_of(paths))
    else:
        compared, notes = _of_one_table(arguments)
    if arguments.per_list:
        _write(arguments.per_list, as_csv(compared.per_list()))
    if arguments.save:
        _write(arguments.save, compared.to_json())
    again = Counter(arguments.runs) - Counter(_distinct(arguments.runs))
    for path in again.elements():
        print_warning(
            f"{path} was passed more than once. It is evaluated once."
        )
    text = FORMATS[arguments.format](compared)
    if arguments.ceilings:
        notes += _ceilings(arguments, _names_of(paths))
    if arguments.detect is not None:
        notes += ["", *_needed(compared, arguments)]
    if arguments.format == "text":
        text = "\n".join([text, *notes])
    if arguments.output:
        _write(arguments.output, text.rstrip("\n") + "\n")
        text = ""
    return text, 0


def _baseline_path(baseline: str | None, runs: list[str]) -> list[str]:
    """Return the path of the baseline, named by its path or as in the table."""
    if baseline is None or not runs:
        return []
    names = _names_of(runs).items()
    return [path for path, name in names if name == baseline] or [baseline]


def _needed(compared: Compared, arguments: argparse.Namespace) -> list[str]:
    """Return how many lists detect a difference, a line for each system.

    Raises:
        ValueError: if there is no other system, or no text to print it below.
    """
    others = [name for name in compared.systems if name != compared.baseline]
    if not others or arguments.format != "text":
        raise ValueError(
            "`--detect` should have two runs or more, and `--format text`. "
            f"Received: {len(others) + 1} and `--format {arguments.format}`."
        )
    needed = compared.lists_needed(arguments.detect)
    few = "at least " * compared.report.few
    rows = [
        [x, *(f"{few}{n:,}" if (n := of[x]) else "-" for of in needed.values())]
        for x in others
    ]
    return [
        "Lists like these that detect a true difference of "
        f"{arguments.detect:g} from {compared.baseline}, {percent(POWER)} of "
        "the time:",
        as_table(["", *needed], rows),
    ]


def _ceilings(
    arguments: argparse.Namespace, names: Mapping[str, str]
) -> Iterator[str]:
    """Yield the highest values that each run could reach, as text.

    Raises:
        ValueError: if there is no text to print them below, or no run.
    """
    if arguments.format != "text" or not names:
        raise ValueError(
            "`--ceilings` should have a run, and `--format text`. Received: "
            f"{len(names)} and `--format {arguments.format}`."
        )
    lower, systems = arguments.lower_is_better, list(names.values())
    higher = _higher_is_better(lower, systems, names)
    weights = _by_query(arguments.weights, "weight", float)
    for path, name in names.items():
        of_run = higher if isinstance(higher, bool) else higher.get(name, True)
        found = krm.ceilings(
            arguments.qrels,
            path,
            arguments.metrics,
            convention=arguments.convention,
            sample_weight=weights,
            higher_is_better=of_run,
            **how_to_read(vars(arguments)),
        )
        yield from ("", f"How high {name} could be:", str(found))


def verdicts(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return a verdict for each metric as text, and the worst exit code."""
    candidate, baseline = arguments.candidate, arguments.baseline
    mean = _number(baseline)
    if arguments.lists is not None and mean is None:
        raise ValueError(
            "`--lists` should come with a number as BASELINE. Received: "
            f"{baseline}. Leave it out."
        )
    _check_outputs(arguments, [candidate, baseline])
    if "group" in arguments.columns:
        raise ValueError(
            "`krm gate` should have no column for the group, since a verdict "
            f"is on all queries. Received: {arguments.columns['group']!r}. "
            "Leave it out."
        )
    if len(_distinct([candidate, baseline])) < 2:
        raise ValueError(
            "CANDIDATE and BASELINE should be two files. Received: "
            f"{candidate} for both. Put the run to judge first."
        )
    saved = _saved(baseline)
    is_alone = saved or mean is not None
    names = _names_of([candidate] if is_alone else [baseline, candidate])
    compared, _ = _compared(arguments, names)
    name, level = names[candidate], arguments.confidence
    if arguments.save:
        alone = Compared(compared.measured, baseline=name)
        _write(arguments.save, alone.to_json())
    compared = _joined(saved, compared, arguments) if saved else compared
    margins = Margins(arguments.tolerance, arguments.equivalent, level)
    found = [
        compared.gate(metric, name, **margins._asdict())
        if mean is None
        else verdict_on_mean(
            compared.measured, metric, mean, arguments.lists, margins
        )
        for metric in compared.signatures
    ]
    # A failure, 1, is worse than an undecided verdict, 3.
    code = min((v.exit_code for v in found if not v), default=0)
    if arguments.json:
        return json.dumps([v.to_dict() for v in found], indent=2), code
    show = Verdict.to_markdown if arguments.markdown else str
    return "\n".join(map(show, found)), code


def _number(text: str) -> float | None:
    """Return the number of a baseline; None if it is a file, or no number."""
    try:
        return None if os.path.exists(text) else float(text)
    except ValueError:
        return None


def _saved(path: str) -> bytes | None:
    """Return the text of a saved comparison, or None for a run."""
    if not os.path.isfile(path):
        return None
    with open(path, "rb") as file:
        head = file.read(2 * len(KIND))
        return head + file.read() if KIND.encode() in head else None


def _joined(
    text: bytes, compared: Compared, arguments: argparse.Namespace
) -> Compared:
    """Return the baseline of a saved comparison, and the candidate.

    Raise ValueError if they do not have the same metrics, queries and labels.
    """
    path = arguments.baseline
    try:
        saved = Compared.from_json(text)
        name = f"{saved.baseline} of {os.path.basename(path)}"
        same = saved.measured.by(compared.measured.metrics)
        systems = {name: same.systems[saved.baseline]}
        # A verdict is on all queries, whatever groups were saved.
        same = same._replace(systems=systems, groups=())
        return Compared(same).join(compared)
    except ValueError as error:
        weights = " --weights ..." * bool(arguments.weights)
        remedy = f"krm eval QRELS RUN -m ...{weights} --save {path}"
        remedy = f"Save it again: `{remedy}`."
        raise ValueError(f"{path} is no baseline: {error}\n{remedy}") from None


def findings(arguments: argparse.Namespace) -> tuple[str, int]:
    """Return the findings of `krm doctor`, and 1 if some are not just notes."""
    diagnosis = krm.diagnose(
        arguments.qrels,
        arguments.run,
        k=arguments.k,
        metrics=arguments.metrics,
        higher_is_better=not arguments.lower_is_better,
        **how_to_read(vars(arguments)),
    )
    return with_options(str(diagnosis)), int(not diagnosis.ok)


def _by_query(path: str | None, name: str, read: Callable[[str], Any]) -> Any:
    """Return a value of each query, from a table with a header.

    Args:
        path: the table, or None for no values.
        name: the name of its column.
        read: returns the value of a text.

    Raises:
        FileError: if the file is no such table, or a query has two values.
    """
    if path is None:
        return None
    found: dict[str, Any] = {}
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as file:
            header = file.readline().rstrip("\n")
            delimiter = "\t" if "\t" in header else ","
            names = next(csv.reader([header], delimiter=delimiter), [])
            expected = f"There should be the columns `query` and `{name}`."
            if not {"query", name} <= set(names):
                raise FileError(path, expected, header, 1)
            rows = csv.DictReader(file, names, delimiter=delimiter)
            for line, row in enumerate(rows, start=2):
                query, text = row["query"], row[name]
                if not query or not text:
                    raise FileError(path, expected, list(row.values()), line)
                try:
                    value = read(text)
                except ValueError:
                    expected = f"The {name} should be a number."
                    raise FileError(path, expected, text, line) from None
                if found.setdefault(query, value) != value:
                    expected = f"The query {query!r} should have one {name}."
                    raise FileError(path, expected, text, line)
    except OSError as error:
        raise unopened(path, error) from None
    return found


def _compared(
    arguments: argparse.Namespace,
    names: Mapping[str, str],
) -> tuple[Compared, list[str]]:
    """Return the comparison of runs in files, with notes on how they were read.

    Args:
        arguments: those of the command, with those of `_options`, `qrels`,
            `metrics`, `lower_is_better` and `progress`.
        names: the name of each run by its path; the baseline first.
    """
    qrels = judgements_path(arguments.qrels)
    if is_pipe(qrels) and real_path(qrels) in map(real_path, names):
        raise FileError(
            Source(qrels, "label", {}).path,
            "Only one argument should read this pipe.",
            "two arguments",
            remedy="Write its contents to a file, and pass that file.",
        )
    progress = Progress([qrels, *names], arguments.progress)

    columns = Reading(arguments.columns).chosen

    def source_of(path: str, value: str) -> Source:
        return Source(path, value, columns, progress.watch(path))

    truth = source_of(qrels, "label")
    runs = {name: source_of(path, "score") for path, name in names.items()}
    with progress:
        compared = krm.compare(
            truth,
            runs,
            arguments.metrics,
            higher_is_better=_higher_is_better(
                arguments.lower_is_better, list(names.values()), names
            ),
            **_options(arguments),
        )
    return compared, _notes_of_scattered([*runs.values()])


def _of_one_table(
    arguments: argparse.Namespace,
) -> tuple[Compared, list[str]]:
    """Return the comparison of the columns of scores of a table, with notes.

    Several columns have names of their own; a single one has that of the file.
    """
    path, options = arguments.qrels, _options(arguments)
    lower, metrics = arguments.lower_is_better, arguments.metrics
    progress = Progress([path], arguments.progress)
    columns = Reading(arguments.columns).chosen
    table = Source(path, "both", columns, progress.watch(path))
    scores = columns.get("score")
    with progress:
        if isinstance(scores, list):
            higher = _higher_is_better(lower, scores, {})
            found = krm.compare(
                table, None, metrics, higher_is_better=higher, **options
            ).measured
        else:
            [name] = _names_of([path]).values()
            higher = _higher_is_better(lower, [name], {path: name})
            found = krm.evaluate(
                table,
                metrics=metrics,
                higher_is_better=higher is True,
                **options,
            ).measured.renamed(ALL, name)
    compared = Compared(found, arguments.baseline, arguments.confidence)
    return compared, _notes_of_scattered([table])


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments of `compare` that any inputs have."""
    groups = getattr(arguments, "groups", None)
    return {
        "groups": _by_query(groups, "group", str),
        "clusters": _by_query(arguments.clusters, "cluster", str),
        "sample_weight": _by_query(arguments.weights, "weight", float),
        "convention": arguments.convention,
        "confidence": arguments.confidence,
        **how_to_read(vars(arguments)),
    }


def _notes_of_scattered(sources: Sequence[Source]) -> list[str]:
    """Return a note on the files whose rows of a query are not together."""
    scattered = [source.path for source in sources if source.is_scattered]
    if not scattered:
        return []
    return [
        "",
        f"The rows of a query are not together in {', '.join(scattered)}, "
        "so it was held in memory and sorted.",
    ]


def _higher_is_better(
    lower: list[str | None], systems: list[str], names: Mapping[str, str]
) -> bool | dict[str, bool]:
    """Return the argument of `compare` for runs with distances.

    Args:
        lower: the paths or names of these runs; None for all runs.
        systems: the names of all runs.
        names: the name of each run by its path.

    Raises:
        ValueError: if there is no such run.
    """
    higher = {}
    for run in lower:
        if run is None:
            return False
        higher[names.get(run, run)] = False
        if not set(higher) <= set(systems):
            raise ValueError(
                f"`--lower-is-better` should name one of the runs {systems}. "
                f"Received: {run!r}."
            )
    return higher or True


def _distinct(paths: list[str]) -> list[str]:
    """Return the first path of each file."""
    found: dict[str, str] = {}
    for path in paths:
        found.setdefault(real_path(path), path)
    return list(found.values())


def _names_of(paths: list[str]) -> dict[str, str]:
    """Return the shortest names that distinguish the runs, by path."""
    short = short_names(paths)
    bare = [
        name.removesuffix(".gz").rpartition(".")[0] or name for name in short
    ]
    for names in (bare, short):
        if len(set(names)) == len(names):
            return dict(zip(paths, names, strict=True))
    return {path: path for path in paths}


def _check_outputs(arguments: argparse.Namespace, paths: list[str]) -> None:
    """Raise ValueError if an output would overwrite an input or the other."""
    of_queries = [
        getattr(arguments, x, None) for x in ("groups", "clusters", "weights")
    ]
    inputs = [
        judgements_path(arguments.qrels),
        *paths,
        *filter(None, of_queries),
    ]
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


def _write(path: str, text: str) -> None:
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
