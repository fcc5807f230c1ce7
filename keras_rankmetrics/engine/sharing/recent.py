"""The batch that metrics looked at last, for the others that look at it.

It is the same batch if the same objects are passed, unchanged. What was made of
it is kept until a result is asked for, another batch comes, a state is reset,
the objects are gone, or the step is over: whatever comes first.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from keras_rankmetrics.engine.aggregates import Aggregate
from keras_rankmetrics.engine.backend.keras_internals import implicit_mask
from keras_rankmetrics.engine.backend.stamps import Stamp, UnkeptError
from keras_rankmetrics.engine.backend.steps import place, this_thread, trace
from keras_rankmetrics.engine.definition import Definition
from keras_rankmetrics.engine.sharing.batch import Batch
from keras_rankmetrics.engine.sharing.company import Company

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
