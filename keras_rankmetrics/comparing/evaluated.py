"""`evaluate`: a system by some metrics, and `Evaluated`, its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from keras_rankmetrics.comparing import together
from keras_rankmetrics.comparing.measured import ALL
from keras_rankmetrics.comparing.measuring import measured_by
from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.comparing.report import warn_of_unjudged
from keras_rankmetrics.comparing.results import Results
from keras_rankmetrics.conventions.convention import Convention
from keras_rankmetrics.engine.aggregates import Estimate


class Evaluated(Results, Mapping[str, float]):
    """The values of a system by some metrics, as a mapping from their names.

    `evaluate` returns it. `print` shows it as a table, `dict` has the values
    alone, and `estimates` has their errors.

    Example:
        >>> import keras_rankmetrics as krm
        >>> truth = {"q1": {"a"}, "q2": {"b", "c"}}
        >>> run = {"q1": ["x", "a"], "q2": ["c", "b"]}
        >>> found = krm.evaluate(truth, run, "RR Recall@1", groups=["en", "de"])
        >>> dict(found)
        {'RR': 0.75, 'Recall@1': 0.25}
        >>> found.groups["de"]["RR"].value
        1.0
    """

    def __getitem__(self, metric: str) -> float:
        """Return the value of a metric, the mean over the lists."""
        return self.estimates[metric].value

    def __iter__(self) -> Iterator[str]:
        """Return the names of the metrics."""
        return iter(self.signatures)

    def __len__(self) -> int:
        """Return the number of metrics."""
        return len(self.signatures)

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The value of each metric with its standard error."""
        return self._by_metric(0)

    @property
    def groups(self) -> dict[str, dict[str, Estimate]]:
        """The values of each group of lists with their standard errors."""
        keys = enumerate(self.report.keys)
        return {
            group: self._by_metric(row) for row, (_, group) in keys if group
        }

    @property
    def judged(self) -> float | None:
        """The share of judged items among those retrieved; None without ids."""
        return self._judged[ALL]

    def per_list(self) -> dict[str, list[Any]]:
        """Return the value of each list, in columns by name.

        The columns are `query`, `group` if there are groups, and the name of
        each metric. The value of an excluded list is None.
        """
        found = super().per_list()
        del found["system"]
        return found

    def _by_metric(self, row: int) -> dict[str, Estimate]:
        cells = zip(self, self.report.cells[row], strict=True)
        return {name: cell.estimate for name, cell in cells}

    def _records(self) -> dict[str, list[Any]]:
        """Return the columns of the table, without those of comparisons."""
        found = super()._records()
        del found["system"], found["best"]
        return {
            name: column
            for name, column in found.items()
            if any(value is not None for value in column)
        }

    def __repr__(self) -> str:
        values = ", ".join(f"{name}: {self[name]:.4f}" for name in self)
        return f"<Evaluated: {values} on {len(self.measured.lists):,} lists>"


def evaluate(
    truth: Any,
    run: Any,
    metrics: Any,
    *,
    groups: Any = None,
    convention: str | Convention | None = None,
    columns: Mapping[str, str | None] | None = None,
    query_ids: Any = None,
    item_ids: Any = None,
    higher_is_better: bool = True,
    drop_same_id: bool | None = None,
    duplicates: Literal["error", "best"] = "error",
    sample_weight: Any = None,
    confidence: float = 0.95,
) -> Evaluated:
    """Evaluate a run: the mean of each metric over the queries, and its error.

    The truth and the run may be objects of many tools:

    - nested dicts, `{query: {item: label}}` and `{query: {item: score}}`. Items
      without grades may be a set or a list, `{query: {item, ...}}`;
    - ids best first, `{query: [item, ...]}`, or a list of such lists. An item
      that a list does not name has no rank;
    - search results: a pair of ids and scores, `[queries, items]`, in either
      order, as `index.search(...)` of FAISS returns it, with negative ids as
      padding; or a list of hits for each query, `{"corpus_id": ..., "score":
      ...}` or `(item, score)`;
    - tables with a row for each query and item: frames of pandas or polars,
      tables of Arrow, Hugging Face datasets, dicts of columns, `Rows`, or named
      tuples, as those of ir_datasets and ir_measures;
    - `Qrels` and `Run` of ranx;
    - paths: files of TREC, CSV, TSV, JSON, JSON lines or Parquet, and folders
      of BEIR datasets.

    Or both are arrays of labels and scores in the form that the metrics take by
    their `inputs`, usually `[lists, items]`.

    Ids are integers, str or bytes. Rows are joined by query and item:

    - A judged item that the run lacks is not retrieved. It counts for recall
      and for the ideal.
    - An item that the truth lacks, or whose label is below 0, is unjudged. The
      option `unjudged` of the metric decides whether it is irrelevant or left
      out.
    - A query that the run lacks counts as a list that retrieves nothing. A
      query that the truth lacks is left out. The result reports both numbers.
    - Only scores order items, not their positions in a row. Tied items count by
      the option `ties` of the metric: by default, as the mean over all their
      orders.

    Args:
        truth: the labels of the items. For metrics that are `JudgeCorrected`,
            those by humans and by a judge: `{"human": truth, "judge": truth}`.
        run: the scores of the items, or their order.
        metrics: a metric, a `MetricCollection`, a list of these, or text, such
            as `"NDCG@10 Recall@100 RR"`. `Quantiles` and `LowerMean` have
            columns of their own. They are not updated.
        groups: the group of each query, such as its language: a dict or a
            pandas `Series` by query, or a column in the order of the truth.
        convention: a tool, such as `"beir"`. Metrics in text are then those of
            the tool, and the run is read by its rules. Metrics that are objects
            keep their own options.
        columns: the names of columns by role, such as `{"query": "qid", "item":
            "docid", "score": "sim", "label": "grade"}`. Common names are
            recognized without it.
        query_ids: `[queries]`, the id of each row of an input without ids of
            queries; the number of the row by default.
        item_ids: `[items]`, the ids of items that the run numbers, as FAISS
            does; or a dict of ids by number.
        higher_is_better: False if scores are distances. Search results in the
            other order are an error, and other runs cause a warning.
        drop_same_id: True to drop items of the run whose id is that of the
            query, for corpora that contain the queries.
        duplicates: `"error"`, or `"best"` to keep the best of equal items of a
            query and to warn of the others.
        sample_weight: with ids, a dict of a weight for each query, finite and
            not negative; with arrays, in the form that the metrics take.
        confidence: the level of the intervals.

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
    """
    reading = Reading(
        columns, query_ids, item_ids, higher_is_better, drop_same_id, duplicates
    )
    if together.is_systems(run, reading):
        raise ValueError(
            "`run` should be one run. Received: a dict of several runs. Call "
            "`compare(truth, systems, metrics)`."
        )
    measured = measured_by(
        metrics, truth, {ALL: run}, reading, convention, groups, sample_weight
    )
    warn_of_unjudged(measured)
    return Evaluated(measured, ALL, confidence)
