"""The rules by which a source reads runs."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np

# What orders tied items, by the rule.
ORDERS = {
    "last_id_first": "their ids, the last one first",
    "first_id_first": "their ids, the first one first",
    "first_row_first": "the run",
}
Ties = Literal["options", "last_id_first", "first_id_first", "first_row_first"]
SIGNS = {"first_id_first": 1, "last_id_first": -1}
"""The sign of the order of ids, by the rule of ties."""


class Rules(NamedTuple):
    """Rules by which a source reads runs, beyond the options of its metrics.

    Args:
        score_dtype: the dtype in which the source compares scores; None for
            that of the scores.
        ties: the order of tied items: by descending id (`"last_id_first"`), by
            ascending id (`"first_id_first"`), as in the run
            (`"first_row_first"`), or by the option `ties` of each metric
            (`"options"`).
        queries: the queries that count: all that have judgements (`"truth"`),
            or only those that the run also contains (`"both"`).
        drop_same_id: if True, items whose id is that of the query are dropped
            from the run, and from the judgements unless these are `"kept"`.
        labels: the meaning of judgements: `"grades"`; `"integers"` if grades
            must be whole numbers; `"not_negative"` if there is no padding; or
            `"members"` if each item of the truth is relevant, whatever its
            label. Gains and thresholds of labels are options of the metrics.
        nothing_retrieved: how a list without items in the run counts: as any
            other (`"counts"`), not at all (`"is_excluded"`), or as 1 if it has
            no relevant items either (`"is_1_if_none_relevant"`).
        decimals: the decimals to which the value of each list is rounded; None
            if it is not.
        same_id_in_truth: `"kept"` if `drop_same_id` concerns the run alone, so
            that a query that is relevant to itself is not retrieved.
    """

    score_dtype: Literal["float32", "float64"] | None = None
    ties: Ties = "options"
    queries: Literal["truth", "both"] = "truth"
    drop_same_id: bool = False
    labels: Literal[
        "grades",
        "integers",
        "not_negative",
        "members",
    ] = "grades"
    nothing_retrieved: Literal[
        "counts", "is_excluded", "is_1_if_none_relevant"
    ] = "counts"
    decimals: int | None = None
    same_id_in_truth: Literal["dropped", "kept"] = "dropped"

    def read_labels(self, labels: np.ndarray) -> np.ndarray:
        """Return judgements as grades, or raise ValueError if one is none."""
        if self.labels == "members":
            return np.ones(len(labels))
        whole = np.floor(labels)  # `%` warns of infinite ones
        refused = {
            "integers": ("whole numbers", labels > whole, "integers"),
            "not_negative": ("0 or more", labels < 0, "lists without padding"),
        }
        if self.labels in refused:
            expected, wrong, remedy = refused[self.labels]
            for label in labels[wrong][:1]:
                raise ValueError(
                    f"Labels should be {expected} in this convention, as its "
                    f"source takes no others. Received: {label:g}. Pass "
                    f"{remedy}, or leave `convention` out."
                )
        return labels

    def read_labels_of_lists(self, labels: np.ndarray) -> np.ndarray:
        """Return the labels of lists, in which all items have one.

        Raises:
            ValueError: if one is invalid; or if relevance is membership, and a
                label is a grade: an item with a low one may be a member or not.
        """
        if self.labels != "members":
            return self.read_labels(labels)
        for label in labels[(labels >= 0) & (labels != 0) & (labels != 1)][:1]:
            raise ValueError(
                "Labels next to scores should be 1 for the items of the truth "
                "and 0 for others in this convention, where each item of the "
                f"truth is relevant. Received: {label:g}. Pass the truth and "
                "the run: `evaluate(truth, run, metrics)`; or labels of 0 and "
                "1; or say what labels are worth, as in "
                '`"Recall(relevance_threshold=3)@10"` or, if the tool has '
                'gains, `"NDCG(gain_fn=linear)@10"`.'
            )
        return labels

    @property
    def drops_judgements(self) -> bool:
        """True if items with the id of their query have no judgement."""
        return self.drop_same_id and self.same_id_in_truth == "dropped"

    def read_scores(
        self, scores: np.ndarray, have_same_id: np.ndarray
    ) -> np.ndarray:
        """Return scores in the dtype that counts, `-inf` for dropped items.

        Args:
            scores: `[rows]`.
            have_same_id: `[rows]`, True for items with the id of their query;
                read only if these are dropped.
        """
        if self.score_dtype is not None:
            scores = scores.astype(self.score_dtype)
        if not self.drop_same_id:
            return scores
        return np.where(have_same_id, -np.inf, scores)

    def rounded(self, values: np.ndarray) -> np.ndarray:
        """Return the values of lists with the decimals that count."""
        if self.decimals is None:
            return values
        unit: float = 10.0**self.decimals
        return np.floor(values * unit + 0.5) / unit

    def __str__(self) -> str:
        """Return the rules that differ from the defaults.

        The fingerprint of a truth shows whether its items are kept.
        """
        return "|".join(
            f"{name}:{value}"
            for name, value in self._asdict().items()
            if value != self._field_defaults[name]
            and name != "same_id_in_truth"
        )

    @property
    def counted_queries(self) -> Literal["truth", "both"]:
        """The queries that count if the run has no empty lists."""
        is_excluded = self.nothing_retrieved == "is_excluded"
        return "both" if is_excluded else self.queries

    @property
    def in_words(self) -> str:
        """The order of tied items in words, and the other rules."""
        ties = "by the option `ties` of each metric"
        if self.ties in ORDERS:
            ties = f"in the order of {ORDERS[self.ties]}"
        others = str(self._replace(ties="options")).replace("|", ", ")
        return f"tied items {ties}{others and f'; {others}'}"

    @property
    def options(self) -> dict[str, Any]:
        """The options of metrics that read runs by these rules."""
        return {} if self.ties == "options" else {"ties": "stable"}
