"""One start of the studio: the policy file, the open table, and what the pages have switched."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from threading import Lock
from typing import TypeVar

from acompass.assist.desk import SAMPLE, SAMPLE_FROM, Desk, Stale
from acompass.options import DROP, ERROR, DatesArgument, MissingArgument
from acompass.project import TableRoles, roles_beside
from acompass.session import Session
from acompass.session import open as open_session
from acompass.studio.body import Body
from acompass.studio.memory import Memory
from acompass.studio.policy_file import PolicyFile
from acompass.studio.searching import Searches
from acompass.studio.start import Start

T = TypeVar("T")


class Studio:
    """Roles and switches last until the studio ends: only the policy is kept on disk."""

    def __init__(self, start: Start):
        self.start = start
        self.file = PolicyFile(start.policy)
        self.file.read()
        self.roles: TableRoles = roles_beside(start.table)
        self.show_records = False
        self.preview: str | None = None
        self.memory = Memory()
        self._missing = start.missing
        self._switching = Lock()
        self._desk = self._open_desk(start.missing)
        self._beside: dict[Body, Session] = {}
        self.searches = Searches()

    @property
    def desk(self) -> Desk:
        return self._desk

    @property
    def drops_incomplete(self) -> bool:
        return self._missing in (DROP, (DROP,))

    def switch_missing(self, drop: bool) -> None:
        """Read the table again: incomplete records are dropped, or handled as the command line says."""
        with self._switching:
            other = DROP if drop else ERROR if self.drops_incomplete else self._missing
            if other == self._missing:
                return
            before, self._desk = self._desk, self._open_desk(other)
            self._missing = other
            before.close()

    def ask(self, body: Body, question: Callable[[Session], T]) -> T:
        """Raise Stale if the page asks the same again about another text, or is closed."""
        _require_waiting(body)
        return self._desk.ask(f"{body.name} {body.page}", question, body)

    def ask_whole(self, body: Body, question: Callable[[Session], T]) -> T:
        """Ask all records of the open table, also where a sample of them is looked at."""
        return self.ask(body, lambda _: question(self._desk.whole))

    def ask_all(self, body: Body, question: Callable[[Session], T]) -> T:
        """Ask all records of the file as it is now, beside what the open table is asked."""
        with self._open_beside(body, self.start.table, self._missing, self.start.dates) as session:
            return question(session)

    def open_released(
        self, body: Body, table: str, dates: DatesArgument = ()
    ) -> AbstractContextManager[Session]:
        """`dates` are the formats of a table that it is measured against."""
        return self._open_beside(body, table, ERROR, dates)

    def withdraw(self, body: Body) -> None:
        """Nobody waits for the answer any more."""
        body.is_withdrawn = True
        self._desk.withdraw(body)
        if (session := self._beside.get(body)) is not None:
            session.cancel()

    def remembered(self, key: Hashable, make: Callable[[], T]) -> T:
        """Answers differ with the table that is open, and with the part of it that is looked at. One that was
        made while these were switched is of neither."""
        desk, sample = self._desk, self._desk.sample

        def made() -> T:
            found = make()
            if (self._desk, self._desk.sample) != (desk, sample):
                raise Stale
            return found

        return self.memory.get((desk, sample, key), made)

    def use_all(self, on: bool) -> None:
        is_large = self._desk.whole.records() > SAMPLE_FROM
        self._desk.use_sample(SAMPLE if is_large and not on else None)

    def stop(self) -> None:
        """End every question, so that the server can end at once."""
        self.searches.stop()
        for session in list(self._beside.values()):
            session.cancel()
        self._desk.close()

    @contextmanager
    def _open_beside(
        self, body: Body, table: str, missing: MissingArgument, dates: DatesArgument
    ) -> Iterator[Session]:
        """Another table, whose calls end when the page no longer waits."""
        start = self.start
        with open_session(
            table,
            missing=missing,
            dates=dates,
            memory_limit=start.memory_limit,
            **asdict(start.file_format),
        ) as session:
            self._beside[body] = session
            try:
                _require_waiting(body)
                yield session
            finally:
                del self._beside[body]

    def _open_desk(self, missing: MissingArgument) -> Desk:
        start = self.start
        return Desk.open(
            start.table,
            missing=missing,
            dates=start.dates,
            memory_limit=start.memory_limit,
            **asdict(start.file_format),
        )


def _require_waiting(body: Body) -> None:
    if body.is_withdrawn:
        raise Stale
