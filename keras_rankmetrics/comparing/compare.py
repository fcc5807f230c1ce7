"""`evaluate` and `compare`: a system, or several of them, by some metrics."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

from keras_rankmetrics.comparing import one_table, together
from keras_rankmetrics.comparing.by_judge import parts_of
from keras_rankmetrics.comparing.forms import lines_of
from keras_rankmetrics.comparing.measured import ALL, Measured
from keras_rankmetrics.comparing.measuring import (
    measured_by,
    of_systems,
    values_by,
)
from keras_rankmetrics.comparing.reading import HowToRead, Reading, reads
from keras_rankmetrics.comparing.report import differences_of
from keras_rankmetrics.comparing.requirements import refuse_without_statistic
from keras_rankmetrics.comparing.results import (
    Agreement,
    Compared,
    Evaluated,
    checked_baseline,
)
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.tables.members import members_of
from keras_rankmetrics.tables.roles import OF_QUERIES, argument


@reads()
def evaluate(
    truth: Any,
    run: Any = None,
    metrics: Any = None,
    *,
    groups: Any = None,
    clusters: Any = None,
    convention: str | Convention | None = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    **how: Unpack[HowToRead],
) -> Evaluated:
    """Evaluate a run: the mean of each metric over the queries, and its error.

    A table that has a label and a score in each row is enough: then leave `run`
    out. The rows of a query are its list, in any order. If there is a column of
    items, none may occur twice in a list.

        evaluate(table, metrics="NDCG@10")

    Otherwise the truth and the run may be objects of many tools:

    - nested dicts, `{query: {item: label}}` and `{query: {item: score}}`. Items
      without grades may be a set or a list, `{query: {item, ...}}`;
    - ids best first, `{query: [item, ...]}`, or a list of such lists. An item
      that a list does not name has no rank. A frame of pandas or polars may
      have such a list in each row, next to its query and to no other list;
    - search results: a pair of ids and scores, `[queries, items]`, in either
      order, as `index.search(...)` of FAISS returns it, with -1 as padding; or
      a list of hits for each query, `{"corpus_id": ..., "score": ...}` or
      `(item, score)`;
    - tables with a row for each query and item, read by their columns and never
      as a matrix: frames of pandas, polars, Arrow, DuckDB, Ibis and PySpark,
      Hugging Face datasets, dicts of columns, `Rows`, or named tuples, as those
      of ir_datasets and ir_measures;
    - `Qrels` and `Run` of ranx;
    - for metrics of subtopics, judgements with a column `subtopic` or
      `iteration`, as the second one of TREC is, or `{query: {item: {subtopic:
      label}}}`;
    - paths: files of TREC, CSV, TSV, JSON, JSON lines or Parquet, and folders
      of BEIR datasets. Judgements of SVMlight (LETOR, MSLR, Istella, Yahoo) go
      with files of scores alone, one for each line.

    Or both are arrays of labels and scores in the form that the metrics take by
    their `inputs`, usually `[lists, items]`.

    Ids are integers, str or bytes. Rows are joined by query and item:

    - A judged item that the run lacks is not retrieved. It counts for recall
      and for the ideal.
    - An item that the truth lacks, or whose label is below 0, is unjudged. The
      option `unjudged` of the metric decides whether it is irrelevant or left
      out.
    - A query that the run lacks counts as a list that retrieves nothing, which
      has no value (NaN) of metrics for which lower is better. A query that the
      truth lacks is left out. The result reports both numbers.
    - Only scores order items, not their positions in a row. Tied items count by
      the option `ties` of the metric: by default, as the mean over all their
      orders.

    Args:
        truth: the labels of the items, or a table of labels and scores: a
            frame, a dict of columns, a file, or a lazy table of polars, DuckDB,
            Ibis or Arrow, which is read in chunks. For metrics that are
            `JudgeCorrected`, the labels by humans and by a judge: `{"human":
            truth, "judge": truth}`.
        run: the scores of the items, or their order; None for one table.
        metrics: a metric, a `MetricCollection`, a list of these, or text, such
            as `"NDCG@10 Recall@100 RR"`. `Quantiles` and `LowerMean` have
            columns of their own. They are not updated.
        groups: the group of each query, such as its language: a dict or a
            pandas `Series` by query; for arrays a column in their order.
        clusters: in the same form, what lists have in common that depend on
            each other, such as their user or their topic. Values stay the same;
            errors, intervals and tests take each cluster as one, and there
            should be 10 or more.
        convention: a tool, such as `"beir"`. Metrics in text are then those of
            the tool, and the run is read by its rules. Metrics that are objects
            keep their own options.
        sample_weight: with ids, a dict of a weight for each query, finite and
            not negative; with arrays, in the form that the metrics take. A
            weight of a query or list is its weight in the mean of metrics in
            text, which have `list_weight="mean"` then. Other metrics keep
            their option: by default, a list without relevant items has the
            mean weight of the others, and the table says how many do.
        confidence: the level of the intervals.
        columns: the names of columns by role, such as `{"query": "qid", "item":
            "docid", "score": "sim", "label": "grade", "subtopic": "nugget"}`.
            `"rank"` names ranks, 1 the best, in place of scores, which all
            runs should have; those of a file of TREC are called "rank".
            `"weight"` and `"group"` name columns of the truth, or of one table,
            in place of `sample_weight` and `groups`: rows of a query have one.
            Common names are recognized without it, and the result reports them
            as `Read as`, with the columns that were not read. A label of None
            means that each row is relevant; of one table, an item of None
            leaves that column out.
        query_ids: `[queries]`, the id of each row of an input without ids of
            queries; by default the number of the row, next to queries that are
            numbered 0, 1, 2, ... or also in order.
        item_ids: `[items]`, the ids of items that the run numbers, as FAISS
            does; or a dict of ids by number.
        higher_is_better: False if scores are distances. Search results in the
            other order are an error, and other runs cause a warning.
        drop_same_id: True to drop items whose id is that of the query from the
            run and from the truth, for corpora that contain the queries; by
            default, as the convention does. BEIR and MTEB drop them from the
            run alone. The result reports their numbers.
        duplicates: `"error"`, or `"best"` to keep the best of equal items of a
            query and to warn of the others; `"unjudged"` keeps the ranks of
            the others, too, as items without a label.
        parents: for a run of chunks and a truth of documents, the document of
            each chunk: a dict by chunk, a function, or a text such as `"#"`,
            before the last of which is the document. A document counts where
            its best chunk is, and its later chunks have no ranks, unless
            `duplicates="unjudged"`; the result says how many these are.
        worst_score: the score of the worst item that the system shows. Items
            with worse scores are not retrieved, and the result says how many.

    Returns:
        An `Evaluated`: a mapping from names to values, which can be printed,
        plotted, and written to files.

    Raises:
        TypeError: if ids, values or metrics have the wrong type.
        ValueError: if an input has no rows; if no query of the run is in the
            truth; if an item occurs twice in a list; if scores look like
            distances; or if a metric raises it.

    Example:
        >>> import keras_rankmetrics as krm
        >>> qrels = {"q1": {"d1": 2, "d2": 1}, "q2": {"d3": 1}}
        >>> ids, distances = [[2, 0], [1, 2]], [[0.1, 0.7], [0.2, 0.2]]
        >>> found = krm.evaluate(
        ...     qrels,
        ...     (ids, distances),
        ...     "NDCG@10 RR",
        ...     query_ids=["q1", "q2"],
        ...     item_ids=["d1", "d2", "d3"],
        ...     higher_is_better=False,
        ... )
        >>> {name: round(value, 4) for name, value in found.items()}
        {'NDCG@10': 0.6684, 'RR': 0.625}

        >>> table = {
        ...     "query": ["q1", "q1", "q2", "q2"],
        ...     "label": [0, 1, 1, 0],
        ...     "score": [0.9, 0.5, 0.8, 0.1],
        ... }
        >>> dict(krm.evaluate(table, metrics="RR"))
        {'RR': 0.75}

    Stability: stable.
    """
    reading = Reading.of(evaluate, how)
    asked = reading, convention, groups, sample_weight
    of_members = of_members_for(truth, run, metrics, reading)
    truth = truth if run is not None else one_table.tables_of(truth, reading)
    measured = measured_by(metrics, truth, {ALL: run}, *asked, of_members)
    measured = together.in_clusters(measured, clusters)
    return Evaluated(measured, ALL, confidence)


def of_members_for(
    truth: Any, run: Any, metrics: Any, reading: Reading
) -> Callable[..., Measured]:
    """Return the function that computes the values of a run.

    Raises:
        TypeError: if there are no metrics.
        ValueError: if there are several columns of scores, or an argument does
            not fit a table without a run.
    """
    _check_metrics(metrics)
    reading.column_of_scores()  # or raise an error
    return one_table.of_members if run is None else _of_two(truth, [run])


def _of_two(truth: Any, systems: Iterable[Any]) -> Callable[..., Measured]:
    """Return the function that computes the values of systems.

    Files whose lines belong together are one table.
    """
    lines = lines_of(truth, systems)
    if lines is None:
        return of_systems
    return lambda x, _, **others: one_table.of_members(x, lines, **others)


def _check_metrics(metrics: Any) -> None:
    """Raise TypeError if there are no metrics."""
    if metrics is None:
        raise TypeError(
            "`metrics` should be a metric, a list of metrics, or their names. "
            "Received: None. They come after the truth and the run. With one "
            "table of labels and scores, name them: `metrics=`."
        )


@reads()
def compare(
    truth: Any,
    systems: Mapping[str, Any] | None = None,
    metrics: Any = None,
    *,
    baseline: str | None = None,
    groups: Any = None,
    clusters: Any = None,
    convention: str | Convention | None = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    **how: Unpack[HowToRead],
) -> Compared:
    """Compare systems on the same lists, in a table of means and tests.

    For each system and metric, the table contains the mean over the lists with
    a confidence interval. Each system except the baseline is compared to the
    baseline by a two-sided paired t test of

        d = value(system) - value(baseline)

    over the lists. The p values of all systems and metrics in the table are
    corrected together by Holm's method.

    The truth and each system may be any objects that `evaluate` takes, whose
    rows are joined by query and item as described there. A system may also be
    an iterable of `Rows`, each with whole queries. It is then read chunk by
    chunk, so that it may be larger than the memory. If float32 would tie
    different scores of a system, they are replaced by integers in the same
    order.

    If no retrieved item of a system is judged, or less than 1% of those that
    could be, `compare` warns that the two sides may have different ids, as it
    does if some differ in case, spaces, leading zeros or the ending `.0`. The
    warning and the table show an id of each side. `Compared.judged` is the
    share of judged items.

    Args:
        truth: the labels of the items; or those by humans and by a judge, as
            for `evaluate`.
        systems: a dict of systems by name; None for a table of labels and
            scores, as for `evaluate`, whose columns of scores are the systems:
            `columns={"score": ["old", "new"]}`.
        metrics: a metric, a `MetricCollection`, a list of these, or text, such
            as `"NDCG@10 RR"`. They are not updated. The differences of
            `LowerMean` and `JudgeCorrected` have tests like those of means,
            and those of `GeometricMAP` are tests of the logarithms. `Quantiles`
            and `Count` have none.
        baseline: the name of the system to which the others are compared; the
            first one by default.
        groups: the group of each query, as for `evaluate`. The table then has a
            row for each system and group, and the correction is for all rows.
        clusters: what lists have in common that depend on each other, as for
            `evaluate`.
        convention: the name of a tool, as for `evaluate`.
        sample_weight: weights, as for `evaluate`.
        confidence: the level of the intervals. The level of the tests is
            1 - confidence.
        **how: how to read the inputs, as for `evaluate`. `higher_is_better`
            may be a dict of True or False by system.

    Returns:
        A `Compared`, which can be printed, plotted, and written to files.

    Raises:
        TypeError: if ids, values or metrics have the wrong type.
        ValueError: if some arguments have ids and others are arrays; if the
            truth or a system is empty; if a system has no query of the truth;
            if an item occurs twice in a list, or a query in two chunks; or if a
            metric raises it.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {"q1": {"a": 1, "b": 1}, "q2": {"c": 1}}
        >>> systems = {
        ...     "old": {"q1": {"x": 0.9, "a": 0.5}, "q2": {"x": 0.9, "c": 0.8}},
        ...     "new": {"q1": {"a": 0.9, "b": 0.5}, "q2": {"c": 0.9}},
        ... }
        >>> compared = krm.compare(truth, systems, krm.RecallAtK(k=1))
        >>> print(compared.to_markdown().partition("Means")[0].strip())
        |  | recall@1 |
        | --- | ---: |
        | old | 0.0000 [0.0000, 1.0000] |
        | new | **0.7500** [0.0000, 1.0000] |

    Smucker, Allan and Carterette, CIKM (2007); Holm, Scandinavian Journal of
    Statistics 6 (1979).

    Stability: stable.
    """
    _check_metrics(metrics)
    reading = Reading.of(compare, how, are_systems=True)
    scores = _columns_of_scores(systems, reading)
    asked = reading, convention, groups, sample_weight
    if systems is None:
        truth = one_table.tables_of(truth, reading)
        named, of_members = scores, one_table.of_members
    else:
        named = systems
        for part in parts_of(truth):
            together.check_systems(systems, part, reading)
        of_members = _of_two(truth, systems.values())
    together.check_higher(named, reading)
    checked_baseline(named, baseline, confidence)
    measured = measured_by(metrics, truth, named, *asked, of_members)
    measured = together.in_clusters(measured, clusters)
    compared = Compared(measured, baseline, confidence)
    if systems is not None:
        again = functools.partial(agreement_of, systems, reading)
        compared._agreement_by = again
    return compared


def _columns_of_scores(systems: Any, reading: Reading) -> Mapping[str, Any]:
    """Return the columns of scores of one table by the name of the system.

    Raises:
        ValueError: if there are no systems, and no columns of scores; or both.
    """
    columns = reading.columns
    scores: Any = reading.chosen.get("score")
    are_several = isinstance(scores, list | tuple) and len(scores) > 0
    if systems is not None and are_several:
        raise ValueError(
            "`columns` should name one column of scores for the systems. "
            f"Received: {scores!r}. For several columns in a table that has "
            "the labels too, leave out the systems: `compare(table, "
            "metrics=...)`."
        )
    if systems is None and not are_several:
        raise ValueError(
            "`systems` should be a dict of systems by name, or None for a "
            "table with a column of scores for each system. Received: None, "
            f"and {columns!r} as `columns`. Name them: "
            f"{argument({**(columns or {}), 'score': ['old', 'new']})}, or "
            "call `evaluate` for one."
        )
    return {str(name): name for name in scores} if are_several else {}


def agreement_of(
    systems: Mapping[str, Any], reading: Reading, metrics: Any
) -> Agreement:
    """Return the values of metrics of two rankings for each two systems.

    Args:
        systems: the systems by name, as for `compare`.
        reading: how to read them.
        metrics: the metrics.

    Raises:
        ValueError: if there is one system alone, a system can be read only
            once, or a metric takes labels.
    """
    if len(systems) < 2:
        raise ValueError(
            "There should be two systems or more. Received: "
            f"{list(systems)}. Pass more to `compare`."
        )
    together.check_read_again(systems, "`agreement`")
    of_labels = [
        metric.name
        for metric in members_of(metrics, refuse_without_statistic)
        if metric.definition.traits.reads != "two_rankings"
    ]
    if of_labels:
        raise ValueError(
            "The metrics should compare two rankings, such as "
            f"`RankBiasedOverlap()`. Received: {of_labels}, which take labels."
        )
    found = Agreement()
    for one in systems:
        others = {name: x for name, x in systems.items() if name != one}
        higher = reading.higher_is_better
        if isinstance(higher, Mapping):
            higher = {**higher, None: higher.get(one, True)}
        # The columns of the truth have nothing to do with two systems.
        columns = {
            role: name
            for role, name in (reading.columns or {}).items()
            if role not in OF_QUERIES
        }
        again = dataclasses.replace(
            reading, columns=columns or None, higher_is_better=higher
        )
        # That systems share few items is a result.
        measured = values_by(metrics, systems[one], others, again)
        for place, statistic in enumerate(measured.shown):
            means, _ = differences_of(measured, place, next(iter(others)))
            pairs = found.setdefault(statistic.name, {})
            for name, (mean, _) in zip(others, means, strict=True):
                pairs[one, name] = mean
    return found
