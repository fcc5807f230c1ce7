"""The columns of a table: their roles, and what contradicts these."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from keras_rankmetrics.comparing.reading import Reading
from keras_rankmetrics.engine.messages import warn
from keras_rankmetrics.tables.ids import as_text
from keras_rankmetrics.tables.item_rows import (
    Rows,
    argument,
    candidates,
    plain_name,
)

_OTHER = {"score": "label", "label": "score"}
_PARTS = {"split", "fold", "subset", "model", "system"}
# Columns that hold no label. Others might, under a name of their own.
_NO_LABELS = {"timestamp", "time", "date", "datetime", "ts", "rank", "iter"}
_WITHOUT_VALUES = {
    "label": ' If each row is relevant: `columns={"label": None}`.',
    "score": (
        " If the order of the items ranks them: name a column `rank`, or pass "
        "`{query: [item, ...]}`."
    ),
}
_Column = Callable[[Any], np.ndarray]


class Header(NamedTuple):
    """The columns of a table that is the truth or a run.

    Attributes:
        names: the names of the columns.
        value: the role of the values, `"label"` or `"score"`.
        argument: the name of the argument, for errors.
        reading: how to read it.
        hint: what to do if there is no column of queries.
    """

    names: Sequence[Any]
    value: str
    argument: str
    reading: Reading
    hint: str = ""

    @property
    def chosen(self) -> Mapping[str, str | None]:
        """The columns that the user chose, by role."""
        return self.reading.columns or {}

    def columns(self) -> dict[str, Any]:
        """Return the name of the column of each role.

        The role of values is missing if each row is relevant, and `"rank"` if
        there are ranks in place of scores.

        Raises:
            ValueError: if a role has no column, or several.
        """
        roles = ["query", "item", self.value]
        found = {
            role: candidates(role, self.names, self.chosen) for role in roles
        }
        for role, several in found.items():
            if len(several) > 1:
                choices = " or ".join(argument(role, x) for x in several)
                raise ValueError(
                    f"{self.argument} should have one column for the {role}. "
                    f"Received: {several}. Choose one: {choices}."
                )
        columns = {role: names[0] for role, names in found.items() if names}
        lacking = [role for role in roles if role not in columns]
        if lacking == ["label"] and self._are_interactions(columns):
            return columns
        if lacking == ["score"] and "score" not in self.chosen:
            for name in self._ranks(columns):
                return {**columns, "rank": name}
        if lacking:
            raise self._lacks(columns, roles)
        return columns

    def others(self, columns: Mapping[str, Any]) -> list[Any]:
        """Return the columns that have no role, and might have one."""
        return [
            name
            for name in self.names
            if name not in columns.values()
            and plain_name(name) not in _NO_LABELS
        ]

    def check_whole(self, columns: Mapping[str, Any], column: _Column) -> None:
        """Raise ValueError if a column splits the rows, such as by model.

        Args:
            columns: the column of each role.
            column: returns the column of a name.
        """
        are_chosen = len(self.chosen) >= len(columns)
        for name in () if are_chosen else self.others(columns):
            if plain_name(name) not in _PARTS:
                continue
            values = column(name)
            for other in values[values != values[:1]][:1]:
                raise ValueError(
                    f"The rows of {self.argument} should belong together. "
                    f"Received: {values[0]} and {other} in the column "
                    f"{name!r}. Select the rows of one; or drop the column, or "
                    "name all others by `columns`."
                )

    def check_ranks(
        self, columns: Mapping[str, Any], column: _Column, rows: Rows
    ) -> None:
        """Raise ValueError if there are ranks in another order than scores.

        Warn if there are ranks in place of scores, and some repeat.

        Args:
            columns: the column of each role.
            column: returns the column of a name.
            rows: the rows of the table.
        """
        if "rank" in columns:
            self._warn_of_repeated(rows)
        score, ranks = columns.get("score"), self._ranks(columns)
        if score is None or "score" in self.chosen or not ranks:
            return
        rank = column(ranks[0])
        if rank.dtype.kind not in "iuf":
            return
        sign = -1 if self.reading.higher_is_better is False else 1
        worse = rank[1:].astype(np.float64) > rank[:-1]
        better = sign * np.diff(rows.value) > 0
        of_one = rows.query[1:] == rows.query[:-1]
        for at in np.flatnonzero(of_one & worse & better)[:1].tolist():
            raise ValueError(
                f"The ranks and the scores of {self.argument} should order "
                f"items alike. Received: the ranks {rank[at]} and "
                f"{rank[at + 1]} for the scores {rows.value[at]:g} and "
                f"{rows.value[at + 1]:g} of the query "
                f"{as_text(rows.query[at].item())!r}. Choose: "
                f"{argument('score', score)}, or {argument('score', ranks[0])} "
                "with `higher_is_better=False`. Distances also need the latter."
            )

    def _warn_of_repeated(self, rows: Rows) -> None:
        order = np.lexsort((rows.value, rows.query))
        query, rank = rows.query[order], rows.value[order]
        same = (query[1:] == query[:-1]) & (rank[1:] == rank[:-1])
        for at in np.flatnonzero(same)[:1].tolist():
            warn(
                f"The ranks of {self.argument} should occur once in a query. "
                f"Received: {abs(rank[at]):g} twice in the query "
                f"{as_text(query[at].item())!r}. These items are tied."
            )

    def _ranks(self, columns: Mapping[str, Any]) -> list[Any]:
        others = [name for name in self.names if name not in columns.values()]
        return [name for name in others if plain_name(name) == "rank"]

    def _are_interactions(self, columns: Mapping[str, Any]) -> bool:
        """Return True if no other column can be that of the labels."""
        if "label" in self.chosen:
            return self.chosen["label"] is None
        return not self.others(columns)

    def _lacks(
        self, columns: Mapping[str, Any], roles: Sequence[str]
    ) -> ValueError:
        """Return an error with the columns to choose, as far as it can."""
        of_others = candidates(_OTHER[self.value], self.names, {})
        free = [
            name
            for name in self.names
            if name not in (*columns.values(), *of_others)
            and not str(name).startswith("Unnamed")
        ]
        # Columns such as `item_1`, `item_2` are none of a role each.
        stems = {plain_name(name).rstrip("0123456789") for name in free}
        are_alike = len(free) > 1 and len(stems) == 1
        rest = iter([] if are_alike else free)
        filled = {
            role: columns[role] if role in columns else next(rest, "...")
            for role in roles
        }
        hint = "" if columns else " For queries by items: `frame.stack()`."
        if are_alike:
            hint = " For a row by query: a list of items, or `frame.melt(...)`."
        elif self.value not in columns:
            hint = _WITHOUT_VALUES[self.value]
            if of_others:
                hint = " Are the truth and the run swapped?"
        elif "query" not in columns:
            hint = self.hint
        elif of_others:
            hint = " For queries, labels and scores alone: `evaluate_rows`."
        return ValueError(
            f"{self.argument} should have the columns {list(roles)}. "
            f"Received: {list(self.names)}. Name them: "
            f"`columns={json.dumps(filled, default=str)}`.{hint}"
        )
