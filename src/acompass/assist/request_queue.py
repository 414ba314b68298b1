"""Answer questions about an open table. On each topic, only the newest question is answered."""

from collections import defaultdict
from collections.abc import Callable
from threading import Condition
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from acompass import session as sessions
from acompass.base_session import Question, SampleInfo
from acompass.dataclasses import dataclass
from acompass.engines.errors import note_opening
from acompass.errors.diagnostics import AcompassError
from acompass.measure.answer import ColumnFacts
from acompass.options import Opening
from acompass.session import Session

T = TypeVar("T")

#: a larger table is sampled until the user asks for all records
SAMPLE_FROM = 1_000_000
#: records in a sample
SAMPLE = 250_000
SEED = "assist"


class Stale(Exception):
    """A newer question on the same topic was asked, or the queue is closed."""


@dataclass
class _Topic:
    asked: int = 0  # questions so far
    is_busy: bool = False
    running: Question | None = None
    asker: object = None  # who waits for the newest answer


class RequestQueue:
    """Answer questions on one topic one after the other, those on different topics concurrently; their calls on the
    table take turns."""

    def __init__(self, whole: Session):
        self.whole = whole
        self._sample: Session | None = None
        self._uses_sample = False
        self._topics: dict[str, _Topic] = defaultdict(_Topic)
        self._changed = Condition()
        self._is_closed = False

    @classmethod
    def open(cls, table: Any, **opening: Unpack[Opening]) -> "RequestQueue":
        """Open a table for questions. `opening` takes the arguments of `acompass.open`."""
        queue = cls(sessions.open(table, **opening))
        try:
            with queue.whole.question() as reading:
                note_opening(reading.cancel)
                if queue.whole.records() > SAMPLE_FROM:
                    queue.use_sample(SAMPLE)
        except BaseException:
            queue.close()
            raise
        return queue

    @property
    def session(self) -> Session:
        """The session to ask: on a sample of the table or on all records."""
        return self._sample if self._uses_sample and self._sample is not None else self.whole

    @property
    def sample(self) -> SampleInfo | None:
        return self.session.sampled

    def use_sample(self, records: int | None) -> SampleInfo | None:
        """Use a sample of this many records, or all records if None. A table on a server is never sampled.

        Running questions are not affected.
        """
        if records is not None and self._sample is None and self.whole.is_local:
            self._sample = self.whole.sample(records, SEED)
        self._uses_sample = records is not None
        return self.sample

    def ask(self, topic: str, question: Callable[[Session], T], asker: object = None) -> T:
        """Answer a question in this thread. Raise Stale once a newer one on the same topic arrives.

        A stale question's calls on the table are canceled; those on other topics are not.
        """
        place, ticket = self._take_turn(topic, asker)
        try:
            return self._answer(place, ticket, question)
        finally:
            with self._changed:
                place.is_busy, place.running = False, None
                self._changed.notify_all()

    def withdraw(self, asker: object) -> None:
        """Drop the questions of an asker that no longer waits, but not newer ones of another asker."""
        with self._changed:
            for place in self._topics.values():
                if place.asker is asker:
                    place.asked, place.asker = place.asked + 1, None
                    _cancel(place)
            self._changed.notify_all()

    def close(self) -> None:
        """Drop all questions, wait until the running ones end, and close the table."""
        with self._changed:
            self._is_closed = True
            for place in self._topics.values():
                _cancel(place)
            self._changed.notify_all()
            self._changed.wait_for(lambda: not any(place.is_busy for place in self._topics.values()))
        if self._sample is not None:
            self._sample.close()
        self.whole.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _take_turn(self, topic: str, asker: object) -> tuple[_Topic, int]:
        """Cancel the older question on the topic and wait until it ends."""
        with self._changed:
            place = self._topics[topic]
            place.asked += 1
            place.asker, ticket = asker, place.asked
            _cancel(place)
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_stale(place, ticket) or not place.is_busy)
            if self._is_stale(place, ticket):
                raise Stale(topic)
            place.is_busy = True
            return place, ticket

    def _answer(self, place: _Topic, ticket: int, question: Callable[[Session], T]) -> T:
        session = self.session
        with session.question() as asked:
            with self._changed:
                place.running = asked
                if self._is_stale(place, ticket):
                    raise Stale
            try:
                answer = question(session)
            except AcompassError:
                if self._is_stale(place, ticket):
                    raise Stale from None
                raise
        if self._is_stale(place, ticket):
            raise Stale
        return answer

    def _is_stale(self, place: _Topic, ticket: int) -> bool:
        return self._is_closed or ticket != place.asked


def _cancel(place: _Topic) -> None:
    if place.running is not None:
        place.running.cancel()


def table_facts(session: Session) -> tuple[ColumnFacts, ...]:
    """Describe each column, without values that only a few records have; empty for a table on a server."""
    return session.column_facts() if session.is_local else ()
