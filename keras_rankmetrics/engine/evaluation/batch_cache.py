"""What metrics that see the same batch share.

`Batch` reads the input once. The cache keeps it for the next metric of the same
step, and drops it when the user lets go of the input.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.backend.cache_keys import (
    Stamp,
    UnkeptError,
    place,
    this_thread,
    trace,
)
from keras_rankmetrics.engine.backend.keras_internals import implicit_mask
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.inputs import Lists, read
from keras_rankmetrics.engine.ranking import Order, Ranking
from keras_rankmetrics.engine.ranking.memo import key_of
from keras_rankmetrics.types import Tensor

# `Company`: metrics that look at the same batches.
#
# The first of them ranks as deep as the deepest will ask, and computes for
# the others what they will ask. Which ones they are is a guess, made by
# `Looker`. A wrong guess costs time, and changes no number.


class Company:
    """Metrics that look at the same batches.

    Attributes:
        members: those for which others can compute, each by its definition and
            its aggregate.
        has_others: whether there are more, which need what was read.
    """

    def __init__(self) -> None:
        self.members: set[tuple[Definition, Aggregate]] = set()
        self.has_others = False
        self._deepest: dict[Hashable, int] = {}

    def join(self, definition: Definition, aggregate: Aggregate | None) -> None:
        """Takes a metric in.

        Args:
            definition: of the metric.
            aggregate: its aggregate; None if nobody is to compute for it.
        """
        if aggregate is not None and can_be_computed_by_others(definition):
            self.members.add((definition, aggregate))
        else:
            self.has_others = True
        kind, k = definition.kind_of_ranking, definition.k or 0
        self._deepest[kind] = max(k, self._deepest.get(kind, 0))

    def deepest(self, definition: Definition) -> int:
        """The largest cutoff of the metrics that can share its ranking."""
        return self._deepest.get(definition.kind_of_ranking, 0)


def can_be_computed_by_others(definition: Definition) -> bool:
    """Whether nothing is needed but the batch."""
    return definition.ties != "shuffle" and definition.by is None


# `Batch`: what has been made of a batch so far.


class Batch:
    """What metrics have made of a batch, for others that look at it.

    It does not hold the objects that the user passed: they come with each call,
    and must be the same each time.

    Attributes:
        expected: the metrics that are likely to look at it; none if it is for
            one that shares nothing.
        met: those that did.
        fails_together: whether computing for many metrics at once raised.
    """

    def __init__(self, expected: Company | None = None) -> None:
        self.expected = expected or Company()
        self.met = Company()
        self.fails_together = False
        self._terms: dict[tuple[Definition, Aggregate], Tensor] = {}
        self._doubts: dict[Hashable, str | None] = {}
        self._lists: dict[Hashable, Lists] = {}
        self._rankings: dict[Hashable, Ranking] = {}

    def lists(
        self,
        definition: Definition,
        y_true: Any,
        y_pred: Any,
        sample_weight: Any,
    ) -> Lists:
        """What the metric reads.

        Raises:
            ValueError: if they do not fit together, or do not hold what they
                should.
        """
        reading = definition.reading
        if reading not in self._lists:
            lists = read(*reading, y_true, y_pred, sample_weight)
            self._lists[reading] = lists
            self._doubts[reading] = lists.doubt
        return self._lists[reading]

    def doubt(self, definition: Definition) -> str | None:
        """What to warn of, of what was read for the metric."""
        return self._doubts[definition.reading]

    def ranking(
        self, definition: Definition, order: Order, lists: Lists
    ) -> Ranking:
        """The lists in the order of the metric, to its cutoff or further."""
        kind = definition.kind_of_ranking, key_of(order.draw)
        ranking = self._rankings.get(kind)
        if ranking is None or (ranking.k or 0) < (order.k or 0):
            if order.k is not None:
                k = max(order.k, self.expected.deepest(definition))
                order = order._replace(k=k)
            ranking = self._rankings[kind] = lists.ranked(order)
        return ranking

    def terms(
        self, definition: Definition, aggregate: Aggregate
    ) -> Tensor | None:
        """What it adds to the sums of the metric, if that was computed."""
        return self._terms.get((definition, aggregate))

    def keep_terms(
        self, definition: Definition, aggregate: Aggregate, terms: Tensor
    ) -> None:
        """Keeps what it adds to the sums of the metric.

        If that is all that anyone is expected to ask, the rest is let go.
        """
        self._terms[definition, aggregate] = terms
        expected = self.expected
        if not expected.has_others and expected.members <= self._terms.keys():
            self._lists.clear()
            self._rankings.clear()


# The batch that metrics looked at last, for the others that look at it.
#
# It is the same batch if the same objects are passed, unchanged. What was
# made of it is kept until a result is asked for, another batch comes, a state
# is reset, the objects are gone, or the step is over: whatever comes first.

_NAME = "_keras_rankmetrics_recent"


class Looker:
    """A metric, or a collection of them, that looks at batches.

    It expects those that looked at the last batch with it, and before that,
    those that were made with it.

    Args:
        definitions: of the metrics.
        aggregate: that of a single metric for which others can compute.
    """

    def __init__(
        self,
        definitions: Sequence[Definition],
        aggregate: Aggregate | None = None,
    ) -> None:
        self._definitions, self._aggregate = definitions, aggregate
        self._made_with = _being_made.now
        self._made_with.add(self)
        self._met: Company | None = None
        self._last: Callable[[], Batch | None] = lambda: None

    def look(self, passed: Sequence[Any]) -> Batch:
        """The batch, with what other metrics have made of it already.

        Args:
            passed: `y_true`, `y_pred` and `sample_weight`.
        """
        home = place()
        if home is None:
            return Batch()
        if self._made_with is _being_made.now:
            _being_made.now = weakref.WeakSet()
        parts = _parts(*passed)
        batch = _recalled(home, parts)
        # Who comes again with the same objects has come to another step.
        if batch is None or batch is self._last():
            batch = Batch(self._expected())
            _remember(home, batch, parts)
        self._join(batch.met)
        self._met = batch.met
        self._last = weakref.ref(batch)
        return batch

    def _expected(self) -> Company:
        if self._met is not None:
            return self._met
        company = Company()
        for looker in self._made_with:
            looker._join(company)
        return company

    def _join(self, company: Company) -> None:
        for definition in self._definitions:
            company.join(definition, self._aggregate)


class _BeingMade(threading.local):
    """Those that are made in a thread, until one of them looks at a batch."""

    def __init__(self) -> None:
        self.now: weakref.WeakSet[Looker] = weakref.WeakSet()


_being_made = _BeingMade()


def forget() -> None:
    """Lets go of the batch."""
    home = place()
    if home is not None and not _keeping.it:
        _let_go(home)


@contextlib.contextmanager
def kept() -> Iterator[None]:
    """Within it, asking for a result does not let go of the batch."""
    before, _keeping.it = _keeping.it, True
    try:
        yield
    finally:
        _keeping.it = before


class _Keeping(threading.local):
    it = False


_keeping = _Keeping()


class _Recent:
    """A batch, with what it is known by.

    Attributes:
        batch: None once what was passed is gone.
    """

    def __init__(self, batch: Batch, parts: Sequence[Any]) -> None:
        self.batch: Batch | None = batch
        myself = weakref.ref(self)

        def gone(_: Any) -> None:
            recent = myself()
            if recent is not None:
                recent.batch = None

        self._trace = trace()
        self._stamps = [Stamp(x, gone) for x in parts]

    def is_of(self, parts: Sequence[Any]) -> bool:
        """Whether these were passed, and are as they were."""
        return (
            len(parts) == len(self._stamps)
            and self._trace == trace()
            and all(map(Stamp.is_of, self._stamps, parts))
        )


def _recalled(home: Any, parts: Sequence[Any]) -> Batch | None:
    recent: _Recent | None = getattr(home, _NAME, None)
    with contextlib.suppress(UnkeptError):
        if recent is not None and recent.is_of(parts):
            return recent.batch
    return None


def _remember(home: Any, batch: Batch, parts: Sequence[Any]) -> None:
    _let_go(home)
    with contextlib.suppress(UnkeptError):
        setattr(home, _NAME, _Recent(batch, parts))


def _let_go(home: Any) -> None:
    for each in (home, this_thread):
        setattr(each, _NAME, None)


def _parts(y_true: Any, y_pred: Any, sample_weight: Any) -> list[Any]:
    """All that a reading may depend on."""
    passed = [y_true, y_pred, implicit_mask(y_pred), sample_weight]
    return [part for x in passed for part in _entries(x)]


def _entries(x: Any) -> list[Any]:
    return [*x, *x.values()] if isinstance(x, dict) else [x]
