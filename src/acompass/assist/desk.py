"""An open table and the newest question of each topic about it. Older questions of the topic are dropped."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

from acompass import session as sessions
from acompass.arguments import Opening
from acompass.calls import Question
from acompass.diagnostics import AcompassError
from acompass.opened import SampleInfo
from acompass.session import Session

T = TypeVar("T")

#: a table with more records is worked on as a sample of as many, until all are asked for
SAMPLE_FROM = 1_000_000
SAMPLE = 250_000
SEED = "assist"


class Stale(Exception):
    """A newer question of the same topic has been asked, or the desk is closed."""


@dataclass
class _Topic:
    """`asked` counts the questions so far; `running` is the one that is being answered. `asker` waits for the
    newest."""

    asked: int = 0
    is_busy: bool = False
    running: Question | None = None
    asker: object = None


class Desk:
    """Questions of one topic run one after the other, those of different topics side by side; calls on the
    table take turns."""

    def __init__(self, whole: Session):
        self.whole = whole
        self._sample: Session | None = None
        self._uses_sample = False
        self._topics: dict[str, _Topic] = defaultdict(_Topic)
        self._changed = Condition()
        self._is_closed = False

    @classmethod
    def open(cls, table: Any, **opening: Unpack[Opening]) -> "Desk":
        """Open a table for questions. `opening` are arguments of `acompass.open`."""
        desk = cls(sessions.open(table, **opening))
        try:
            if desk.whole.records() > SAMPLE_FROM:
                desk.use_sample(SAMPLE)
        except BaseException:
            desk.close()
            raise
        return desk

    @property
    def session(self) -> Session:
        """The session to ask: on a sample of the table, or on all of its records."""
        return self._sample if self._uses_sample and self._sample is not None else self.whole

    @property
    def sample(self) -> SampleInfo | None:
        return self.session.sampled

    def use_sample(self, records: int | None) -> SampleInfo | None:
        """Work on a sample of that many records; None: on all. A table of a server is never sampled.

        Questions that are running are answered as they were asked.
        """
        if records is not None and self._sample is None and self.whole.is_local:
            self._sample = self.whole.sample(records, SEED)
        self._uses_sample = records is not None
        return self.sample

    def ask(self, topic: str, question: Callable[[Session], T], asker: object = None) -> T:
        """The answer to a question, in this thread. Raise Stale once a newer one of the same topic arrives.

        The calls on the table that a stale question makes are canceled; those of other topics are not.
        """
        place, ticket = self._take_turn(topic, asker)
        try:
            return self._answer(place, ticket, question)
        finally:
            with self._changed:
                place.is_busy, place.running = False, None
                self._changed.notify_all()

    def withdraw(self, asker: object) -> None:
        """Drop the questions of an asker who no longer waits. A newer question of another stays."""
        with self._changed:
            for place in self._topics.values():
                if place.asker is asker:
                    place.asked, place.asker = place.asked + 1, None
                    _cancel(place)
            self._changed.notify_all()

    def close(self) -> None:
        """Drop all questions, wait for the end of those that are running, and close the table."""
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
        """Wait for the older question of the topic, which is canceled."""
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
