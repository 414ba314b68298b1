"""Calls on an open table: one after the other, each of which another thread can cancel."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock

from acompass.engines.engine import OpenTable
from acompass.engines.errors import canceled


class Question:
    """The calls that a thread makes to answer one question. They are canceled together, and no others."""

    def __init__(self, calls: "Calls"):
        self._calls = calls
        self.is_canceled = False

    def cancel(self) -> None:
        """Stop the call that is running for the question; those that it has yet to make will not start."""
        self._calls.cancel_question(self)


_ASKED: ContextVar[Question | None] = ContextVar("question", default=None)


@dataclass(frozen=True, slots=True)
class _Running:
    table: OpenTable
    question: Question | None


class Calls:
    """Several tables may share them, such as a table and a sample of it in one connection."""

    def __init__(self) -> None:
        self._turn = Lock()
        #: held while `_running` changes, so that a cancellation never reaches the call after the one it meant
        self._changing = Lock()
        self._running: _Running | None = None

    @contextmanager
    def question(self) -> Iterator[Question]:
        """The calls of this thread until the context ends."""
        question = Question(self)
        token = _ASKED.set(question)
        try:
            yield question
        finally:
            _ASKED.reset(token)

    @contextmanager
    def calling(self, table: OpenTable) -> Iterator[None]:
        with self._turn:
            self._begin(table, _ASKED.get())
            try:
                yield
            finally:
                self._end()

    def cancel(self, table: OpenTable) -> None:
        """Cancel the call that is running on the table, if there is one."""
        with self._changing:
            if self._running is not None and self._running.table is table:
                table.cancel()

    def cancel_question(self, question: Question) -> None:
        with self._changing:
            question.is_canceled = True
            if self._running is not None and self._running.question is question:
                self._running.table.cancel()

    def _begin(self, table: OpenTable, question: Question | None) -> None:
        with self._changing:
            if question is not None and question.is_canceled:
                raise canceled()
            table.cancellation.reset()
            self._running = _Running(table, question)

    def _end(self) -> None:
        with self._changing:
            self._running = None
