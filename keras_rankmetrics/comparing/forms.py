"""The forms of the truth and of a run: each is a class that reads one.

`FORMS` contains them in the order in which they are tried. A form recognises
its objects, checks them, and returns their columns of queries, items and
values. Tables and records are in `tables_of_rows`.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    Set,
)
from typing import Any, ClassVar
from uuid import UUID

import numpy as np

from keras_rankmetrics.comparing import search_tools
from keras_rankmetrics.comparing.reading import (
    ROWS_OF_CHUNK,
    Columns,
    Input,
    Reading,
    index_of,
    no_ranks,
    without_padding,
)
from keras_rankmetrics.comparing.tables_of_rows import (
    LazyTable,
    Records,
    Table,
    are_no_grades,
    first_of,
    is_hit,
    names_in,
)
from keras_rankmetrics.conventions.from_text import metrics_of
from keras_rankmetrics.engine import checks
from keras_rankmetrics.engine.backend.operations import ops
from keras_rankmetrics.engine.inputs.tensors import refuse_sparse, to_numpy
from keras_rankmetrics.engine.messages import as_text
from keras_rankmetrics.files import FileError, neighbours, runs
from keras_rankmetrics.files.blocks import Source, first_line, is_pipe
from keras_rankmetrics.files.svmlight import COMMENT, LINE, SCORE
from keras_rankmetrics.tables.ids import KINDS, ids_of
from keras_rankmetrics.tables.item_rows import Rows, numbered
from keras_rankmetrics.tables.roles import (
    plain_name,
    remedies_of_ranks,
    without_role,
)

# How to read several ids in a text, by a mark that shows the form.
_READS = {
    r"\]\s*>\s*\[": '[x.strip("[] ") for x in text.split(">")]',
    r"[\[{]": "ast.literal_eval(text)",
    ">": '[x.strip() for x in text.split(">")]',
    ",": '[x.strip() for x in text.split(",")]',
    ";": '[x.strip() for x in text.split(";")]',
    r"\|": '[x.strip() for x in text.split("|")]',
    r"\s": "text.split()",
}
_SEPARATOR = re.compile("|".join(_READS))
_FRACTION = re.compile(r"-?\d*\.\d{3,}(e[-+]?\d+)?")
_FEW = 8  # keys of a hit
_FIELDS = {"label", "relevance", "score", "rank", "confidence", "timestamp"}
_LOOKED_AT = 100  # texts that may be numbers
_ID = str | bytes | int | np.integer
_FLOAT = float | np.floating
_NESTED = frozenset((dict, list, tuple, set))  # in the dict of a query
# From the items of one query, `"label"` or `"score"`, and how to read them, to
# the ids of the items, and as many labels or scores.
_Reader = Callable[[Any, str, Reading], tuple[Any, Any]]


class File(Input):
    """A path."""

    looks = '`"run.txt"`, a path'
    made_by = (
        "TREC, CSV, TSV, JSON, JSON lines, Parquet, SVMlight; BEIR folders"
    )
    is_read: bool = False

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for paths."""
        return isinstance(x, str | os.PathLike)

    @functools.cached_property
    def source(self) -> Source:
        """The file, which the command passes in place of a path."""
        if isinstance(self.x, Source):
            self.x.others = self.more
            return self.x
        path = os.fsdecode(self.x)
        if self.value == "label":
            path = runs.judgements_path(path)
        elif not os.path.exists(path) and _are_metrics(path):
            raise TypeError(
                f"{self.argument} should have the scores of items. Received: "
                f"the names of metrics, {path!r}. They come after the truth "
                "and the run. With one table of labels and scores, name them: "
                "`metrics=`."
            )
        return Source(path, self.value, self.reading.chosen, others=self.more)

    def names(self) -> list[Any] | None:
        """Return the names of the columns of a file that was read."""
        return [*self.roles().values()] if self.is_read else None

    def chunks(self) -> Iterator[Columns]:
        """Yield the rows of the file.

        Ids of bytes take a quarter of the memory, but fit only other files, so
        that the command alone has them. Its errors name lines, too.
        """
        is_of_command = isinstance(self.x, Source)
        for part in runs.chunks_of_file(self.source):
            self._check_has_ranks()
            if not is_of_command:
                part = runs.in_text(part)
            elif "subtopic" not in self.more:
                part = runs.once(self.source, part)
            yield Columns(*part[:3], part.others)
        self.is_read = True

    def _check_has_ranks(self) -> None:
        """Raise ValueError if the user chose ranks that the file lacks."""
        name = self.reading.chosen.get("score")
        if self.value != "score" or not self.reading.has_ranks:
            return
        if self.source.read_as.get("score") != name:
            raise no_ranks(name, self.argument)

    def roles(self) -> dict[str, Any]:
        """Return what was read as each role, known once it is read."""
        return self.source.read_as

    def unread(self) -> list[Any]:
        """Return the columns that have no role, known once it is read."""
        return without_role(self.source.header, self.source.read_as)

    def remedies(self) -> Mapping[str, str]:
        """Return what to do if ranks contradict the scores."""
        source = self.source
        if not source.ranks:
            return checks.TREC
        return remedies_of_ranks({**source.read_as, **source.ranks})


def _are_metrics(text: str) -> bool:
    """Return True if the text has names of metrics."""
    try:
        return bool(metrics_of(text, None))
    except ValueError:
        return False


def lines_of(truth: Any, systems: Iterable[Any]) -> Source | None:
    """Return judgements of SVMlight with the scores of their lines, or None.

    Some of the systems are files of scores alone, so that all should be.
    """
    sources = list[Source]()
    for x in (truth, *systems):
        if isinstance(x, str | os.PathLike) and not is_pipe(os.fsdecode(x)):
            x = Source(os.fsdecode(x), "label", {})
        if not isinstance(x, Source):
            return None
        sources.append(x)
    judged, *scores, is_judged = *sources, None
    with contextlib.suppress(FileError):  # raised once judgements are read
        is_judged = LINE.match(first_line(judged, COMMENT.match)[0])
    firsts = (first_line(x, COMMENT.match)[0] for x in scores)
    if not is_judged or not any(map(SCORE.fullmatch, firsts)):
        return None
    judged.scores = scores
    return judged


class Chunks(Input):
    """Chunks that are `Rows` already."""

    looks = "`Rows`, or an iterable of them"
    made_by = "your own code, also for runs larger than the memory"

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for `Rows`, iterators, and lists of `Rows`."""
        is_list = isinstance(x, list | tuple)
        return isinstance(x, Rows | Iterator) or (
            is_list and isinstance(first_of(x), Rows)
        )

    def names(self) -> None:
        """Return None: rows of records name their fields, and are read once."""

    def chunks(self) -> Iterator[Columns]:
        """Yield the chunks; an iterator of records is one chunk."""
        chunks = iter([self.x] if isinstance(self.x, Rows) else self.x)
        for each in chunks:
            if isinstance(each, Rows):
                yield Columns(*each)
                continue
            if not Records.matches([each], self.reading):
                raise TypeError(
                    f"{self.argument} should hold chunks of the type `Rows`, "
                    "or records with a query and an item. Received: "
                    f"{type(each).__name__} in it."
                )
            own = self.value, self.argument, self.reading, self.more
            yield from Records([each, *chunks], *own).chunks()


class Search(Input):
    """The ids and the scores of a search."""

    looks = "`(scores, ids)`, `[queries, items]`, in either order"
    made_by = "FAISS, ScaNN, hnswlib"
    are_hits = True

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for ids and scores `[queries, items]`.

        Raises:
            ValueError: if both are integers.
        """
        if not isinstance(x, tuple) or len(x) != 2:
            return False
        kinds = sorted(map(_kind_of_matrix, x))
        if kinds == ["ids", "ids"] and all(map(_dtype_kind, x)):
            raise ValueError(
                "A search result should have ids and scores. Received: two "
                "arrays of ids. If one has scores, make it floats: "
                "`scores.astype(float)`; of ids alone, pass one array."
            )
        return kinds == ["ids", "scores"]

    @property
    def queries_in_order(self) -> int:
        """The number of queries."""
        return len(self.x[0])

    def chunks(self) -> Iterator[Columns]:
        """Yield all rows."""
        arrays = map(to_numpy, self.x)
        ids, scores = sorted(arrays, key=lambda x: x.dtype.kind == "f")
        if ids.shape != scores.shape:
            raise ValueError(
                f"{self.argument} should have ids and scores of one shape, "
                f"[queries, items]. Received: {ids.shape} and {scores.shape}."
            )
        query = np.repeat(self.positions(len(ids)), ids.shape[1])
        yield Columns(query, ids.ravel(), scores.ravel())


class ByQuery(Input):
    """The items of each query, by the id of the query."""

    looks = "`{query: {item: score}}`, `{query: [item, ...]}`, or sets of items"
    made_by = "pytrec_eval, BEIR, ranx, RAG pipelines; pandas Series of lists"
    single: ClassVar[Any] = str  # the type of an entry that is one item

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for dicts of items, and for a Series of lists."""
        if type(x).__module__.startswith("ranx.") and hasattr(x, "to_dict"):
            return True
        if hasattr(x, "to_dict") and _dtype_kind(x) in ("O", "U"):
            first = first_of(list(x))
            if isinstance(first, str) and any(map(_is_split, x)):
                several = next(filter(_is_split, x))
                raise ValueError(
                    f"A text should be one id. Received: {several!r}, which "
                    "may be several ids. Pass "
                    f"`x.map(lambda text: {code_of_ids([several])})`, or lists "
                    "of one text each."
                )
            return isinstance(first, str) or bool(reader_of(first, reading))
        if not isinstance(x, Mapping):
            return False
        return all(
            each is None or reader_of(each, reading) for each in x.values()
        )

    def queries(self) -> np.ndarray:
        """Return all queries."""
        return self.entries[0]

    def names(self) -> list[Any] | None:
        """Return None for hits, which may have a field of any name."""
        return None if self._fields else []

    def roles(self) -> dict[str, Any]:
        """Return the fields of hits that are read."""
        keys = {
            "item": self.reading.keys_of_items(self._fields),
            self.value: self.reading.candidates(self.value, self._fields),
        }
        return {role: names[0] for role, names in keys.items() if names}

    def unread(self) -> list[Any]:
        """Return the other fields of hits."""
        read = self.roles().values()
        return [name for name in self._fields if name not in read]

    @property
    def has_scores(self) -> bool:
        """False for ids in order."""
        return self.are_hits or not self._has_lists

    @functools.cached_property
    def _has_lists(self) -> bool:
        """True if the first entry is a list of ids."""
        first = first_of(self.entries[1])
        return not isinstance(first, Mapping | tuple)

    @functools.cached_property
    def _fields(self) -> list[Any]:
        """The names of the fields of the first hit; none of other forms."""
        first = first_of(self.entries[1])
        is_list = isinstance(first, list | tuple)
        return [*first[0]] if is_list and isinstance(first[0], Mapping) else []

    @functools.cached_property
    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """The ids of the queries, and the items of each."""
        x = self.x
        if self.queries_in_order is not None:
            entries = [*(to_numpy(x) if _dtype_kind(x) else x)]
            queries = self.positions(len(entries))
        else:
            if hasattr(x, "index") and not x.index.is_unique:
                raise ValueError(
                    f"The index of {self.argument} should name each query "
                    f"once. Received: {x.index[x.index.duplicated()][0]!r} "
                    "twice. Pass `.groupby(level=0).agg(list)`."
                )
            x = x.to_dict() if hasattr(x, "to_dict") else x
            queries, entries = ids_of(list(x), self.argument), [*x.values()]
        return queries, [
            [each] if isinstance(each, self.single) else each
            for each in entries
        ]

    def chunks(self) -> Iterator[Columns]:
        """Yield the rows of some queries after each other."""
        queries, entries = self.entries
        first = next((x for x in entries if isinstance(x, Mapping)), {})
        if len(first) <= _FEW and is_hit(first, self.reading):
            raise ValueError(
                f"{self.argument} should have {{item: {self.value}}} or hits "
                f"for each query. Received: {dict(first)!r}, which looks like "
                "one hit. Pass a list of hits for each query."
            )
        readers = [*map(self._reader, queries.tolist(), entries)]
        self.are_hits: bool = _of_pair in readers or _of_hits in readers
        # One list of all items: the garbage collector would walk over those of
        # each query again and again.
        items, values, lengths = list[Any](), list[Any](), list[int]()
        pairs = zip(readers, entries, strict=True)
        for end, (reader, entry) in enumerate(pairs, start=1):
            its_items, its_values = reader(entry, self.value, self.reading)
            lengths.append(len(its_items))
            items.extend(its_items)
            values.extend(its_values)
            if len(items) >= ROWS_OF_CHUNK or end == len(entries):
                some = queries[end - len(lengths) : end]
                query = np.repeat(some, lengths)
                yield Columns(query, items, values)
                items, values, lengths = [], [], []

    def _reader(self, query: Any, entry: Any) -> _Reader:
        """Return the reader of a query; raise an error if it has no items."""
        reader = reader_of(entry, self.reading)
        numbers = [] if reader is _of_mapping else index_of(entry)
        if numbers != list(range(len(numbers))):
            raise ValueError(
                f"{self.argument} should have a dict, or ids in order, for "
                f"each query. Received: a Series with the index "
                f"{numbers[:3]}, ... Pass `.to_dict()` for a value of each "
                "item, `.tolist()` for ids."
            )
        if reader is None:
            raise TypeError(
                f"{self.argument} should have items for each query. "
                f"Received: {entry!r} for the query {as_text(query)!r}. "
                "Pass an empty list for a query without items."
            )
        if reader is _of_set and self.value == "score":
            raise TypeError(
                f"{self.argument} should have a score for each item, or a "
                "list of items in order. Received: a set of items for the "
                f"query {as_text(query)!r}. Only `truth` may have sets."
            )
        return reader

    def remedies(self) -> Mapping[str, str]:
        """Return what to do if ids without scores are in the wrong order."""
        if self.are_hits or isinstance(first_of(self.entries[1]), Mapping):
            return {}
        return {"ascend": "The first item of a list counts as the best one."}

    def _look_at_order(self, rows: Rows) -> None:
        if self.value == "score" and not self.are_hits and self._has_lists:
            self.shown.add_order(rows.query, rows.item)

    def accepted(self, rows: Rows) -> Rows:
        """Return the rows; raise ValueError if -1 may be an id or padding."""
        item = rows.item
        self._look_at_order(rows)
        are_ids = item.dtype.kind == "i" and not self.are_hits
        if are_ids and set(item[item < 0].tolist()) == {-1}:
            raise ValueError(
                f"The ids of {self.argument} should be ids alone. Received: "
                "-1, which may be padding or an id, in lists of their own "
                "lengths. Leave padding out, or pass ids as text."
            )
        return super().accepted(rows)


class Neighbours(ByQuery):
    """A path of the neighbours of each query, which are in order."""

    looks = '`"groundtruth.ivecs"`, a path'
    made_by = "benchmarks of approximate search: `.ivecs`, `.ibin`, HDF5"

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for paths with the ending of such a file."""
        is_path = isinstance(x, str | os.PathLike)
        return is_path and os.fsdecode(x).lower().endswith(neighbours.ENDINGS)

    @functools.cached_property
    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """The numbers of the queries, and the items of each."""
        found = neighbours.neighbours_in(os.fsdecode(self.x))
        if self.value == "label":
            most = max(map(len, found))
            self.assumed["relevant"] = f"all {most:,} neighbours of each query"
        return np.arange(len(found)), found


class ListsInCells(ByQuery):
    """A query, and a list of the ids of its items, in each row of a frame."""

    looks = "a frame with a query and a list of its items in each row"
    made_by = "pandas and polars, such as `df[['question', 'retrieved']]`"
    single: ClassVar[Any] = ()

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for frames with one reading as such lists."""
        is_frame = hasattr(x, "columns") and hasattr(x, "to_dict")
        return is_frame and bool(_columns_of_lists(x, reading))

    def names(self) -> list[Any]:
        """Return the names of the columns."""
        return names_in(self.x)

    def roles(self) -> dict[str, Any]:
        """Return the columns of the queries, and of the lists of items."""
        return _columns_of_lists(self.x, self.reading)

    def unread(self) -> list[Any]:
        """Return the columns that have no role."""
        return without_role(self.names(), self.roles())

    @functools.cached_property
    def entries(self) -> tuple[np.ndarray, list[Any]]:
        """The ids of the queries, and the items of each.

        Raises:
            ValueError: if a query has several rows.
        """
        query, item = (self.x[name] for name in self.roles().values())
        queries = ids_of([*query], self.argument)
        again = np.setdiff1d(np.arange(len(queries)), numbered(queries)[1])
        for at in again[:1]:
            raise ValueError(
                f"{self.argument} should have one row for each query. "
                f"Received: the query {as_text(queries[at].item())!r} again. "
                "Join its lists, or name another column by `columns`."
            )
        return queries, [[*x] if _is_list(x) else x for x in item]


def _is_list(x: Any) -> bool:
    return isinstance(x, list | tuple | np.ndarray) or _is_column(x)


def _columns_of_lists(x: Any, reading: Reading) -> dict[str, Any]:
    """Return the columns of queries and lists of a frame; none if unclear.

    Lists of small integers might be labels, other columns items or values.
    """
    firsts = {name: first_of(x[name]) for name in names_in(x)}
    lists = [name for name, first in firsts.items() if _is_list(first)]
    others = [name for name in firsts if name not in lists]
    roles = "item", "score", "label", "subtopic"
    query = reading.candidates("query", others) or others
    if (
        [len(lists), len(query)] != [1, 1]
        or any(reading.candidates(role, others) for role in roles)
        or not reading.chosen.keys() <= {"query", "item"}
        or reading.chosen.get("item", lists[0]) != lists[0]
    ):
        return {}
    some = itertools.islice(filter(_is_list, x[lists[0]]), _LOOKED_AT)
    ids = [*itertools.chain.from_iterable(some)]
    are_ids = all(isinstance(each, _ID) for each in ids) and are_no_grades(ids)
    return {"query": query[0], "item": lists[0]} if are_ids else {}


class BySubtopic(ByQuery):
    """The labels of the items of each query, by subtopic."""

    looks = "`{query: {item: {subtopic: label}}}`, the truth alone"
    made_by = "your own code, for metrics of subtopics"

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for dicts of dicts of dicts."""
        entries = x.values() if isinstance(x, Mapping) else ()
        full = (each for each in entries if isinstance(each, Mapping) and each)
        items = next(full, {})
        return isinstance(next(iter(items.values()), None), Mapping)

    def chunks(self) -> Iterator[Columns]:
        """Yield a row for each item and subtopic.

        Raises:
            ValueError: if an item should have a label of its own.
        """
        if "subtopic" not in self.more:
            raise ValueError(
                f"{self.argument} should have a {self.value} for each item. "
                "Received: labels by subtopic. Pass metrics of subtopics, such "
                "as `AlphaNDCG(k=10)`, or {query: {item: label}}."
            )
        queries, entries = self.entries
        full = (x for x in entries if isinstance(x, Mapping) and x)
        first = first_of(next(full).values(), {})
        if first and _FIELDS.issuperset(map(plain_name, first)):
            raise ValueError(
                f"Each item of {self.argument} should have labels by subtopic. "
                f"Received: {first!r}, the fields of a record. Pass the label "
                "alone, as `{query: {item: label}}`, or labels by names of "
                "subtopics."
            )
        for query, items in zip(queries.tolist(), entries, strict=True):
            are_dicts = isinstance(items, Mapping)
            for labels in items.values() if are_dicts else [items]:
                if not isinstance(labels, Mapping):
                    raise TypeError(
                        f"Each item of {self.argument} should have a dict of "
                        f"labels by subtopic. Received: {labels!r} in the "
                        f"query {as_text(query)!r}, and dicts in others. Pass "
                        "`{item: {subtopic: label}}`."
                    )
        query, item, label, subtopic = zip(
            *(
                (query, item, label, subtopic)
                for query, items in zip(queries.tolist(), entries, strict=True)
                for item, labels in items.items()
                for subtopic, label in labels.items()
            ),
            strict=True,
        )
        yield Columns(query, item, label, {"subtopic": list(subtopic)})


class ByPosition(ByQuery):
    """The items of each query, for queries in order."""

    looks = "`[[item, ...], ...]`, `[{item: score}, ...]`, `[hits, ...]`"
    made_by = (
        "Sentence Transformers, Annoy, LlamaIndex, LangChain; arrays of text"
    )
    single: ClassVar[Any] = ()

    @property
    def queries_in_order(self) -> int | None:
        """The number of queries, unless the index of a Series names them."""
        return None if hasattr(self.x, "to_dict") else len(self.x)

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for lists of the items of a query.

        Raises:
            ValueError: if the entries may be pairs of a query and an item.
        """
        if not isinstance(x, list | tuple):
            are_texts = _dtype_kind(x) in ("U", "S")
            if are_texts and _are_fractions(x):
                first = str(as_text(np.ravel(x)[0]))
                raise ValueError(
                    "Labels and scores should be numbers. Received: text, "
                    f"such as {first!r}. Pass `x.astype(float)`; if these are "
                    "ids, pass dicts by query."
                )
            return are_texts
        if _are_pairs_of_ids(x):
            raise ValueError(
                "The items of a query should be a list. Received: tuples "
                f"of two ids, such as {x[0]!r}, which may be a query and "
                "an item. Pass lists, or `{query: [item, ...]}`."
            )
        return reader_of(first_of(x), reading) not in (None, _of_integers)


class Integers(ByPosition):
    """Integers: ids if others have ids, else labels or scores."""

    looks = "`[[3, 14], [5]]`, integers next to an input with ids"
    made_by = "relevant items by number"
    has_ids: ClassVar[bool | None] = None
    single: ClassVar[Any] = int | np.integer

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for arrays and nested lists of integers."""
        first = x
        while isinstance(first, list | tuple):
            first = first_of(first, 0)  # lists without entries have no values
        if first is not x and isinstance(first, int | np.integer):
            return True
        return _dtype_kind(first) in ("i", "u") and first.ndim > 0

    def accepted(self, rows: Rows) -> Rows:
        """Return the rows of ids; -1 is padding in lists of equal lengths.

        Raises:
            ValueError: if the integers look like labels or like pairs.
        """
        lengths = {np.size(each) for each in self.x}
        if self.are_hits or len(lengths) > 1:
            return super().accepted(rows)
        items, width = rows.item, max(lengths, default=0)
        first, received = items[:: max(width, 1)], ""
        if width == 2 and set(items.tolist()) == {0, 1}:
            received = "0 and 1 alone, which look like labels"
        elif (
            # A search of an index of the queries finds each query first.
            self.value == "label"
            and width == 2
            and len(first) > 1
            and np.array_equal(first, np.arange(len(first)))
        ):
            received = "pairs of a query and an item"
        if received:
            raise ValueError(
                f"The integers of {self.argument} should be ids of items. "
                f"Received: {received}. Pass the ids of the items of each "
                "query: `{query: [item, ...]}`."
            )
        rows = without_padding(rows)
        self._look_at_order(rows)
        return rows


class Arrays(Input):
    """Labels or scores without ids, as metrics take them."""

    looks = "labels and scores, `[lists, items]`"
    made_by = "models"
    has_ids: ClassVar[bool | None] = False

    @classmethod
    def matches(cls, x: Any, reading: Reading) -> bool:
        """Return True for everything else."""
        return True

    def chunks(self) -> Iterator[Columns]:
        """Raise TypeError, since arrays have no ids."""
        raise TypeError(f"{self.argument} should have ids. {EXPECTED}")


EXPECTED = (
    "Pass {query: {item: label}} and {query: {item: score}}, lists of ids for "
    "each query, search results (scores, ids), `Rows`, tables or files. Name "
    "odd columns and fields by `columns`."
)
FORMS: tuple[type[Input], ...] = (
    *(Neighbours, File, LazyTable, Chunks, Search, ListsInCells, Table),
    *(Records, BySubtopic, ByQuery, ByPosition, Integers, Arrays),
)
FORMS_OF_RUNS = tuple(form for form in FORMS if form is not BySubtopic)


def input_of(
    x: Any,
    value: str,
    argument: str,
    reading: Reading,
    more: tuple[str, ...] = (),
) -> Input:
    """Return the truth or a run in its form, which it may have already.

    Args:
        x: an object of any form.
        value: `"label"` or `"score"`.
        argument: the name of the argument, for errors.
        reading: how to read it.
        more: the roles of further columns to read.
    """
    if isinstance(x, Input):
        return x
    refuse_sparse(argument, x)
    x = _as_lists(x)
    if isinstance(x, Mapping | list) and not _is_plain(x):
        x = search_tools.in_plain_form(x, value)
    forms = FORMS if value == "label" else FORMS_OF_RUNS
    form = next(form for form in forms if form.matches(x, reading))
    return form(x, value, argument, reading, more)


def _is_plain(x: Mapping[Any, Any] | list[Any]) -> bool:
    """Return False for what may be of a search tool."""
    if not search_tools.KEYS.isdisjoint(x if isinstance(x, Mapping) else ()):
        return False
    first = next(iter(x.values() if isinstance(x, Mapping) else x), 0)
    if isinstance(first, Mapping):
        return _NESTED.isdisjoint(map(type, first.values()))
    inside = first[0] if isinstance(first, list) and first else first
    return not any(map(functools.partial(hasattr, inside), search_tools.NAMES))


def _as_lists(x: Any) -> Any:
    """Return a column or an array whose entries are lists as a list of them.

    A pandas Series stays, since its index names the queries.

    Raises:
        TypeError: for a sparse matrix.
    """
    if hasattr(x, "toarray"):
        raise TypeError(
            "Labels and scores should be dense, or have ids. Received: "
            f"{type(x).__name__}. If items without an entry have the label or "
            "the score 0, pass `.toarray()`. If they are not judged, or not "
            "retrieved, pass both sides by id: `{query: dict(zip(row.indices, "
            "row.data)) for query, row in enumerate(x.tocsr())}`."
        )
    if _is_tensor(x):
        return to_numpy(x)
    is_list = isinstance(x, list | tuple) and not hasattr(x, "_fields")
    if is_list and _begin_with_tensors(x):
        x = type(x)(map(_as_array, x))
    if isinstance(x, Mapping) and _begin_with_tensors(x.values()):
        return {key: _as_array(each) for key, each in x.items()}
    if hasattr(x, "column_names"):
        return x
    if hasattr(x, "to_pylist"):
        return x.to_pylist()  # of Arrow
    if hasattr(x, "to_list") and not hasattr(x, "index"):
        return x.to_list()  # of polars
    is_nested = isinstance(x, np.ndarray) and x.dtype == object and x.ndim == 1
    return list(x) if is_nested and not isinstance(first_of(x), str) else x


def _is_tensor(x: Any) -> bool:
    """Return True for tensors, also of another backend."""
    if isinstance(x, np.ndarray):  # a tensor of Keras' own NumPy backend
        return False
    return ops.is_tensor(x) or (hasattr(x, "numpy") and hasattr(x, "shape"))


def _is_column(x: Any) -> bool:
    """Return True for a column of polars, which has no index as pandas has."""
    return hasattr(x, "to_list") and not hasattr(x, "index")


def _begin_with_tensors(entries: Iterable[Any]) -> bool:
    """Return True if the first entry is a tensor, or a list that begins so.

    Columns of polars are read in the same way.

    To look at each id of long lists would take longer than to read them.
    """
    first = next(iter(entries), None)
    if isinstance(first, list | tuple) and first:
        first = first[0]
    return _is_column(first) or _is_tensor(first)


def _as_array(x: Any) -> Any:
    """Return a tensor, or a list of single ones, as an array or a list."""
    if _is_column(x):
        return x.to_list()
    if isinstance(x, list | tuple) and any(map(_is_tensor, x)):
        found = [to_numpy(each) for each in x]
        return [each.item() if each.ndim == 0 else each for each in found]
    return to_numpy(x) if _is_tensor(x) else x


def _kind_of_matrix(x: Any) -> str:
    """Return "ids" or "scores" for arrays and lists `[queries, items]`."""
    if isinstance(x, list | tuple) and not isinstance(
        first_of(x), list | tuple
    ):
        return ""
    array = to_numpy(x)
    kinds = {**dict.fromkeys(KINDS, "ids"), "f": "scores"}
    return kinds.get(_dtype_kind(array), "") if array.ndim == 2 else ""


def code_of_ids(texts: Iterable[str]) -> str:
    """Return the code that makes a list of the ids in each `text`."""
    some = [text.strip() for text in texts]
    for mark, code in _READS.items():
        if any(re.search(mark, text) for text in some):
            return code
    return "[text]"


def _is_split(text: Any) -> bool:
    return isinstance(text, str) and bool(_SEPARATOR.search(text.strip()))


def _are_pairs_of_ids(x: Sequence[Any]) -> bool:
    some = x[:100]
    return len(some) > 1 and all(
        type(each) is tuple
        and len(each) == 2
        and all(isinstance(id_, str | int) for id_ in each)
        and isinstance(each[0], str) == isinstance(each[1], str)
        for each in some
    )


def _are_fractions(texts: Any) -> bool:
    """Return True for texts that are numbers, with digits after a point."""
    some = [
        str(as_text(each)) for each in np.ravel(texts)[:_LOOKED_AT].tolist()
    ]
    return len(some) > 1 and all(map(_FRACTION.fullmatch, some))


def _dtype_kind(x: Any) -> str:
    """Return the kind of an array, "U" for objects that are str."""
    kind: str = getattr(getattr(x, "dtype", None), "kind", "")
    if kind == "O" and isinstance(next(iter(np.ravel(x)), None), str):
        return "U"
    return kind


# The items of one query.


def reader_of(x: Any, reading: Reading) -> _Reader | None:
    """Return what reads the items of one query, None for anything else."""
    if isinstance(x, Mapping):
        return _of_mapping
    if isinstance(x, Set):
        return _of_set
    if _is_pair(x):
        return _of_pair
    first = first_of(x, 0) if isinstance(x, list | tuple) else None
    if _begins_hits(first, reading):
        return _of_hits
    kind = _dtype_kind(x)
    if isinstance(first, str | bytes | UUID) or kind in ("U", "S"):
        return _of_ids
    is_row = kind in ("i", "u") and x.ndim == 1
    is_list = isinstance(first, int | np.integer)
    return _of_integers if is_row or is_list else None


def _is_pair(x: Any) -> bool:
    """Return True for `(ids, scores)`, `[items]` each."""
    return (
        isinstance(x, tuple)
        and len(x) == 2
        and not any(isinstance(each, str | bytes | Mapping) for each in x)
        and np.shape(x[0]) == np.shape(x[1])
        and np.ndim(x[0]) == 1
        and [to_numpy(each).dtype.kind in KINDS for each in x] == [True, False]
    )


def _begins_hits(x: Any, reading: Reading) -> bool:
    """Return True for `{"corpus_id": ..., "score": ...}` or a pair."""
    if isinstance(x, Mapping):
        is_row = bool(reading.candidates("query", list(x)))
        return not is_row and bool(reading.keys_of_items(list(x)))
    return (
        isinstance(x, tuple)
        and len(x) == 2
        and isinstance(x[0], _ID)
        and isinstance(x[1], _FLOAT | int)
        and (isinstance(x[1], _FLOAT) or isinstance(x[0], str))
    )


def _of_mapping(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    return x.keys(), x.values()


def _of_set(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    return x, itertools.repeat(1.0, len(x))


def _of_pair(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    items, values = x
    return items, values


def _of_hits(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    first = first_of(x)
    if isinstance(first, Mapping):
        names = list(first)
        keys = reading.keys_of_items(names), reading.candidates(value, names)
        if len(keys[1]) == 1 and all(hit.get(keys[1][0]) is None for hit in x):
            keys = keys[0], []  # as of a search that sorts by a field
        if [len(key) for key in keys] == [1, 0]:
            raise ValueError(
                f"A hit should have a {value}. Received: {names}. If the hits "
                "of a query are in order, pass their ids: `{query: "
                f"[hit[{keys[0][0]!r}] for hit in hits] for query, hits in "
                f'x.items()}}`; or name it: `columns={{"{value}": "..."}}`.'
            )
        if [len(key) for key in keys] != [1, 1]:
            raise ValueError(
                "A hit should have one key for the item, and one for its "
                f"{value}. Received: {names}. Name them: `columns="
                f'{{"item": "...", "{value}": "..."}}`.'
            )
        x = [(hit.get(keys[0][0]), hit.get(keys[1][0])) for hit in x]
    ids, values = zip(*x, strict=True)
    return ids, values


def _of_ids(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    """Return ids in the order of a ranking, or those of relevant items."""
    items = np.ravel(to_numpy(x)) if _dtype_kind(x) else x
    items = [items] if isinstance(items, _ID) else items
    if value == "label":
        return _of_set(items, value, reading)
    # The sign of distances is changed later, but an order has no distances.
    step = -reading.sign
    return items, range(0, step * len(items), step)


def _of_integers(x: Any, value: str, reading: Reading) -> tuple[Any, Any]:
    """Return ids; its name tells them from texts, which are never labels."""
    return _of_ids(x, value, reading)
