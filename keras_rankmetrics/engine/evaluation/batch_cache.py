"""The batch cache: metrics of one batch read, rank and sum it only once.

Keras updates metrics one by one, each with the same tensors. The first metric
that opens a batch reads it, ranks it to the largest cutoff of its peers, and
computes what they will need. The others find that in the cache.

The peers are a guess: the metrics that opened the last batch together, and
before the first batch, the metrics that were constructed together. A wrong
guess costs time, and changes no number.

An entry of the cache belongs to one step: one batch, and all the metrics that
it updates. It is stored where nothing outlives the step:

- On the stateless scope of Keras, if there is one, as in `fit` on jax.
- On the graph that TensorFlow traces, if it does. No other code may use the
  tensors of a graph.
- Elsewhere in a thread-local variable, since threads have batches of their own.
- Nowhere while Keras builds a model, and while `torch.compile` traces.

A metric finds the entry only if it passes the same objects, unchanged. torch
counts the writes to a tensor, and the other backends have none. An array of
NumPy can change without a trace, so a batch that contains one is not stored.

An entry is dropped at the first of these events:

- Any metric opens another batch, or one that is not stored.
- A metric opens the same batch again. That is a new step.
- A result or a state is read, or a state is reset: `BatchCache.drop`. A call
  `metric(y_true, y_pred)`, which returns a result after each update, keeps the
  entry for its peers: `BatchCache.held`.
- One of the inputs is deleted. The entry has only weak references to them.
- The scope or the graph is deleted.

As soon as all peers have their sums, the lists and rankings are dropped, and
only the sums stay.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, TypeAlias

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.backend.keras_internals import implicit_mask
from keras_rankmetrics.engine.backend.tracing import Stamp, place, trace
from keras_rankmetrics.engine.checks import Facts, of_batch
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.inputs import Lists, Misreadings, read
from keras_rankmetrics.engine.ranking import Order, Ranking
from keras_rankmetrics.engine.ranking.relevance import key_of
from keras_rankmetrics.types import Tensor

_ATTRIBUTE = "_keras_rankmetrics_batch"

# A metric whose sums its peers can compute.
Shared: TypeAlias = tuple[Definition, Aggregate]


class BatchCache:
    """The access of one metric, or of one collection, to the batch cache.

    Args:
        definitions: the definitions of the metrics.
        aggregate: the aggregate of a single metric whose peers may compute its
            sums; None for others.

    Attributes:
        is_watched: False if somebody else looks at labels and scores.
    """

    def __init__(
        self,
        definitions: Sequence[Definition],
        aggregate: Aggregate | None = None,
    ) -> None:
        self._definitions, self._aggregate = definitions, aggregate
        self.is_watched: bool = True
        self._siblings = _thread.siblings
        self._siblings.add(self)
        self._peers: Peers | None = None
        self._opened = 0
        self._last: Callable[[], Batch | None] = lambda: None

    def open(self, inputs: Sequence[Any]) -> Batch:
        """Return the batch, with all that peers have computed so far.

        Args:
            inputs: `y_true`, `y_pred` and `sample_weight`.
        """
        home = place(_thread)
        if home is None:
            return Batch(is_watched=False)
        if self._siblings is _thread.siblings:
            _thread.siblings = weakref.WeakSet()
        parts = _parts(*inputs)
        entry: _Entry | None = getattr(home, _ATTRIBUTE, None)
        batch = None
        if entry is not None and entry.matches(parts):
            batch = entry.batch
        # The same metric seeing the same objects again means a new step.
        if batch is None or batch is self._last():
            self._opened += 1
            is_watched = self.is_watched and self._opened.bit_count() == 1
            batch = Batch(self._expected(), is_watched)
            _clear(home)
            if all(map(Stamp.is_possible, parts)):
                setattr(home, _ATTRIBUTE, _Entry(batch, parts))
        self._join(batch.peers)
        self._peers = batch.peers
        self._last = weakref.ref(batch)
        return batch

    def restart(self) -> None:
        """Count the batches anew: the first, 2nd, 4th, 8th ... are watched."""
        self._opened = 0

    @staticmethod
    def drop() -> None:
        """Drop the entry, unless `held` is active."""
        home = place(_thread)
        if home is not None and not _thread.is_held:
            _clear(home)

    @staticmethod
    @contextlib.contextmanager
    def held() -> Iterator[None]:
        """Return a context in which `drop` has no effect."""
        before, _thread.is_held = _thread.is_held, True
        try:
            yield
        finally:
            _thread.is_held = before

    @staticmethod
    @contextlib.contextmanager
    def apart() -> Iterator[None]:
        """Return a context whose metrics are no peers of those outside.

        The package makes them for itself, and no batch of a user opens them.
        """
        before, _thread.siblings = _thread.siblings, weakref.WeakSet()
        try:
            yield
        finally:
            _thread.siblings = before

    def _expected(self) -> Peers:
        if self._peers is not None:
            return self._peers
        peers = Peers()
        for sibling in self._siblings:
            sibling._join(peers)
        return peers

    def _join(self, peers: Peers) -> None:
        for definition in self._definitions:
            peers.add(definition, self._aggregate)


class Batch:
    """The lists, rankings and sums that metrics have computed from a batch.

    It has no reference to the inputs, which come with each call and must be the
    same each time.

    Attributes:
        expected: the metrics that will probably open it.
        peers: the metrics that have opened it.
        fails_together: True if computing for several metrics at once raised.
        terms: for each metric that has been computed, the terms that the batch
            adds to its sums.
        is_watched: True if labels and scores that may be misread are looked
            for.
        misreadings: for each form of input that has been read, what may be
            misread in it.
        facts: for each of them, what its first lists show; None where traced.
    """

    def __init__(
        self, expected: Peers | None = None, is_watched: bool = True
    ) -> None:
        self.expected: Peers = expected or Peers()
        self.is_watched = is_watched
        self.peers: Peers = Peers()
        self.fails_together = False
        self.terms: dict[Shared, Tensor] = {}
        self.misreadings: dict[Hashable, Misreadings] = {}
        self.facts: dict[Hashable, Facts | None] = {}
        self._lists: dict[Hashable, Lists] = {}
        self._rankings: dict[Hashable, Ranking] = {}

    def lists(self, definition: Definition, inputs: Sequence[Any]) -> Lists:
        """Return the lists that the metric reads, with their groups.

        The function `by` of a metric takes precedence over `y_true["group"]`.

        Raises:
            ValueError: if the inputs are invalid.
        """
        reading, (y_true, y_pred, _) = definition.reading, inputs
        if reading not in self._lists:
            lists = self._lists[reading] = read(*reading, *inputs)
            self.misreadings[reading] = Misreadings(lists.warning)
            if self.is_watched:
                self.misreadings[reading] = Misreadings.of(lists, y_true)
                self.facts[reading] = of_batch.facts_of(
                    reading[0], lists, y_true, y_pred
                )
        lists = self._lists[reading]
        if definition.by is not None:
            group = definition.by(y_true, y_pred)
        else:
            group = y_true.get("group") if isinstance(y_true, dict) else None
        return lists if group is None else lists.with_group(group)

    def warning(self, metric: Any) -> str | None:
        """Return a warning about what the metric has read, or None."""
        definition = metric.definition
        misreadings = self.misreadings[definition.reading]
        return (
            misreadings.warning
            or definition.misreads(misreadings.share)
            or of_batch.doubt(self.facts.get(definition.reading), metric)
        )

    def ranking(self, kind: Hashable, order: Order, lists: Lists) -> Ranking:
        """Return the lists in an order, to its cutoff or beyond.

        Args:
            kind: the key of the ranking, `Definition.kind_of_ranking`.
            order: the order.
            lists: the lists.
        """
        key = kind, key_of(order.draw)
        ranking = self._rankings.get(key)
        if ranking is None or (ranking.k or 0) < (order.k or 0):
            if order.k is not None:
                k = max(order.k, self.expected.largest_k.get(kind, 0))
                order = order._replace(k=k)
            ranking = self._rankings[key] = lists.content.ranked(order)
        return ranking

    def add_terms(
        self,
        aggregate: Aggregate,
        definitions: Sequence[Definition],
        terms: Tensor,
    ) -> None:
        """Store terms, `[metrics, ...]`; drop lists that no peer needs."""
        for row, definition in enumerate(definitions):
            self.terms[definition, aggregate] = terms[row]
        expected = self.expected
        if not expected.has_others and expected.sharing <= self.terms.keys():
            self._lists.clear()
            self._rankings.clear()


class Peers:
    """The metrics that open a batch.

    Attributes:
        sharing: the definition and aggregate of each metric whose sums its
            peers can compute.
        has_others: True if there are further metrics, which need the lists.
        largest_k: the largest cutoff for each kind of ranking.
    """

    def __init__(self) -> None:
        self.sharing: set[Shared] = set()
        self.has_others: bool = False
        self.largest_k: dict[Hashable, int] = {}

    def add(self, definition: Definition, aggregate: Aggregate | None) -> None:
        """Add a metric.

        Args:
            definition: the definition of the metric.
            aggregate: its aggregate; None if peers cannot compute its sums.
        """
        if aggregate is not None and is_shareable(definition):
            self.sharing.add((definition, aggregate))
        else:
            self.has_others = True
        kind, k = definition.kind_of_ranking, definition.k or 0
        self.largest_k[kind] = max(k, self.largest_k.get(kind, 0))


def is_shareable(definition: Definition) -> bool:
    """Return True if the values depend on the batch alone."""
    return definition.ties != "shuffle" and definition.by is None


class _Thread(threading.local):
    """The state of a thread.

    Attributes:
        siblings: the metrics constructed since one of them opened a batch.
        is_held: True within `BatchCache.held`.
    """

    def __init__(self) -> None:
        self.siblings: weakref.WeakSet[BatchCache] = weakref.WeakSet()
        self.is_held = False


_thread = _Thread()


class _Entry:
    """A batch, and the keys that recognize its inputs.

    Attributes:
        batch: None once an input has been deleted.
    """

    def __init__(self, batch: Batch, parts: Sequence[Any]) -> None:
        self.batch: Batch | None = batch
        weak_self = weakref.ref(self)

        def on_deletion(_: Any) -> None:
            entry = weak_self()
            if entry is not None:
                entry.batch = None

        self._trace = trace()
        self._keys = [Stamp(x, on_deletion) for x in parts]

    def matches(self, parts: Sequence[Any]) -> bool:
        """Return True for the same objects, unchanged."""
        return (
            len(parts) == len(self._keys)
            and self._trace == trace()
            and all(map(Stamp.is_of, self._keys, parts))
        )


def _clear(home: Any) -> None:
    for each in (home, _thread):
        setattr(each, _ATTRIBUTE, None)


def _parts(y_true: Any, y_pred: Any, sample_weight: Any) -> list[Any]:
    """Return all objects on which reading the batch may depend."""
    parts: list[Any] = []
    for x in (y_true, y_pred, implicit_mask(y_pred), sample_weight):
        parts += [*x, *x.values()] if isinstance(x, dict) else [x]
    return parts
