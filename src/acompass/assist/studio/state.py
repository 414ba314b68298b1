"""The state of a running studio: the files and options it was started with, the open table, and the pages' switches.

The latest answers are cached, so that a panel that was shown before appears at once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from acompass.assist.request_queue import SAMPLE, SAMPLE_FROM, RequestQueue, Stale
from acompass.assist.studio.messages import Body
from acompass.assist.studio.policy_file import PolicyFile
from acompass.dataclasses import asdict, dataclass, field
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.constants import ParamValue
from acompass.language.text.tokens import read_constant, spell_string
from acompass.options import DROP, ERROR, DatesArgument, MissingArgument, is_file
from acompass.policy import SETTINGS_FILE, TableRoles, policies_in, table_roles
from acompass.session import Session
from acompass.session import open as open_session
from acompass.tables.formats import FileFormat
from acompass.tables.source import find_paths

T = TypeVar("T")

_DEFAULT = FileFormat()


@dataclass(frozen=True, slots=True)
class Start:
    policy: str
    table: str
    params: Mapping[str, str] = field(default_factory=dict)  # as the page's fields show them
    missing: MissingArgument = ERROR
    dates: DatesArgument = ()
    file_format: FileFormat = _DEFAULT
    memory_limit: str | None = None
    population: str | None = None  # table of the population that the records were sampled from


class Studio:
    """Roles and switches live as long as the studio process; only the policy is saved to disk."""

    def __init__(self, start: Start):
        self.start = start
        self.file = PolicyFile(start.policy)
        self.file.read()
        self.roles: TableRoles = table_roles(start.table)
        self.show_records = False
        self.preview: str | None = None
        self.memory = Memory()
        self._missing = start.missing
        self._switching = Lock()
        self._queue = self._open_queue(start.missing)
        self._others: dict[Body, Session] = {}
        self.searches = Searches()

    @property
    def queue(self) -> RequestQueue:
        return self._queue

    @property
    def drops_incomplete(self) -> bool:
        return self._missing in (DROP, (DROP,))

    def switch_missing(self, drop: bool) -> None:
        """Reopen the table, dropping incomplete records or treating them as the command line specifies."""
        with self._switching:
            other = DROP if drop else ERROR if self.drops_incomplete else self._missing
            if other == self._missing:
                return
            before, self._queue = self._queue, self._open_queue(other)
            self._missing = other
            before.close()

    def ask(self, body: Body, question: Callable[[Session], T]) -> T:
        """Raise Stale if the page asks the same question about another text, or is closed."""
        _require_waiting(body)
        return self._queue.ask(f"{body.name} {body.page}", question, body)

    def ask_whole(self, body: Body, question: Callable[[Session], T]) -> T:
        """Ask about all records of the open table, even if the page shows a sample."""
        return self.ask(body, lambda _: question(self._queue.whole))

    def ask_all(self, body: Body, question: Callable[[Session], T]) -> T:
        """Ask about all records of the file in its current state, in another session."""
        with self._open_other(body, self.start.table, self._missing, self.start.dates) as session:
            return question(session)

    def open_released(self, body: Body, table: str, dates: DatesArgument = ()) -> AbstractContextManager[Session]:
        """`dates` are the date formats of the table that it is measured against."""
        return self._open_other(body, table, ERROR, dates)

    def withdraw(self, body: Body) -> None:
        """The client has disconnected; cancel its question."""
        body.is_withdrawn = True
        self._queue.withdraw(body)
        if (session := self._others.get(body)) is not None:
            session.cancel()

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """Cache an answer for the open table and sample. Raise Stale if these were switched in the meantime."""
        queue, sample = self._queue, self._queue.sample

        def make_current() -> T:
            found = make()
            if (self._queue, self._queue.sample) != (queue, sample):
                raise Stale
            return found

        return self.memory.get((queue, sample, key), make_current)

    def use_all(self, on: bool) -> None:
        is_large = self._queue.whole.records() > SAMPLE_FROM
        self._queue.use_sample(SAMPLE if is_large and not on else None)

    def stop(self) -> None:
        """Cancel every question, so that the server can end at once."""
        self.searches.stop()
        for session in list(self._others.values()):
            session.cancel()
        self._queue.close()

    @contextmanager
    def _open_other(self, body: Body, table: str, missing: MissingArgument, dates: DatesArgument) -> Iterator[Session]:
        """Open another table, whose calls are canceled when the client disconnects."""
        start = self.start
        with open_session(
            table,
            missing=missing,
            dates=dates,
            memory_limit=start.memory_limit,
            **asdict(start.file_format),
        ) as session:
            self._others[body] = session
            try:
                _require_waiting(body)
                yield session
            finally:
                del self._others[body]

    def _open_queue(self, missing: MissingArgument) -> RequestQueue:
        start = self.start
        return RequestQueue.open(
            start.table,
            missing=missing,
            dates=start.dates,
            memory_limit=start.memory_limit,
            **asdict(start.file_format),
        )


def _require_waiting(body: Body) -> None:
    if body.is_withdrawn:
        raise Stale


_POLICY = ".acp"


def resolve_files(first: str | None, second: str | None) -> tuple[str, str | None]:
    """The policy, and the table unless only an acompass.toml names it.

    A single argument may be the table: its policy has the same name, in the same folder.
    """
    if first is None:
        return _only_policy(), None
    if second is None and _is_table(first):
        return str(Path(first).with_name(Path(first).name.partition(".")[0] + _POLICY)), first
    _require_policy(first)
    return first, second


def setting_text(value: ParamValue) -> str:
    """A value in the syntax of `--set` and the page's fields; text that looks like a number is quoted."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return value if read_constant(value.strip()) is None else spell_string(value)
        case int():
            return str(value)
        case _:
            return f"{value:f}"


def _only_policy() -> str:
    found = policies_in(".")
    if len(found) == 1:
        return found[0]
    help_ = "name a policy or a table: `acompass studio people.csv`"
    if not found:
        raise CallError([Diagnostic("AC803", f"no policy is given, and `{SETTINGS_FILE}` names none here", help=help_)])
    listed = ", ".join(f"`{name}`" for name in found)
    raise CallError([Diagnostic("AC803", f"`{SETTINGS_FILE}` names several policies: {listed}", help=help_)])


def _is_table(path: str) -> bool:
    return not path.lower().endswith(_POLICY) and is_file(path) and bool(find_paths(path))


def _require_policy(path: str) -> None:
    """Raise unless the policy exists or the first save can create it."""
    if not Path(path).exists() and not path.lower().endswith(_POLICY):
        help_ = f"name a file that exists, or a new policy: `{Path(path).stem}{_POLICY}`"
        raise CallError([Diagnostic("AC803", f"policy `{path}` does not exist", help=help_)])
    if not Path(path).parent.is_dir():
        message = f"folder `{Path(path).parent}` for the policy does not exist"
        raise CallError([Diagnostic("AC803", message, help="create the folder first")])


@dataclass(slots=True)
class Search:
    part: float = 0.0  # fraction done
    loss: float | None = None  # of the best policy so far
    stopping: bool = False
    is_newest: bool = True

    def note(self, part: float, loss: float) -> None:
        self.part, self.loss = part, loss


class Searches:
    """A new search stops the previous one."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.newest: Search | None = None

    @contextmanager
    def begin(self) -> Iterator[Search]:
        search = Search()
        with self._lock:
            if self.newest is not None:
                self.newest.stopping, self.newest.is_newest = True, False
            self.newest = search
        try:
            yield search
        finally:
            with self._lock:
                if self.newest is search:
                    self.newest = None

    def stop(self) -> None:
        """End the search with the best policy so far."""
        with self._lock:
            if self.newest is not None:
                self.newest.stopping = True


#: the maximum number of cached answers
MOST_KEPT = 64


class Memory:
    """A cache of answers. Of several threads that ask for the same answer, one computes it and the others wait; if it
    fails, the next one tries."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._changing = Lock()
        #: by key, the lock of the thread that computes the answer, and the number of threads that hold or await it
        self._making: dict[Hashable, tuple[Lock, int]] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._turn(key):
            with self._changing:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    found: T = self._kept[key]
                    return found
            made = make()
            self._keep(key, made)
            return made

    def _keep(self, key: Hashable, made: object) -> None:
        with self._changing:
            self._kept[key] = made
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    @contextmanager
    def _turn(self, key: Hashable) -> Iterator[None]:
        with self._changing:
            lock, threads = self._making.get(key, (Lock(), 0))
            self._making[key] = lock, threads + 1
        try:
            with lock:
                yield
        finally:
            with self._changing:
                lock, threads = self._making.pop(key)
                if threads > 1:
                    self._making[key] = lock, threads - 1
