"""The state of a running studio: the files and options it was started with, the open table, and the pages' switches.

Only the policy file is on disk; editors and other pages may change it too.
The latest answers are cached, so that a panel that was shown before appears at once."""

import hashlib
import os
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, Unpack

from acompass.arguments import is_file
from acompass.assist.request_queue import SAMPLE, SAMPLE_FROM, RequestQueue, Stale
from acompass.assist.studio.messages import Body
from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.constants import ParamValue
from acompass.language.text.tokens import read_constant, spell_string
from acompass.options import DROP, ERROR, DatesArgument, MissingArgument, Opening
from acompass.policy import SETTINGS_FILE, TableRoles, policies_in, read_text, table_roles
from acompass.roles import with_exact_names
from acompass.session import Session
from acompass.session import open as open_session
from acompass.tables.source import find_paths
from acompass.tables.temporary_files import replace_atomically

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Start:
    policy: str
    table: str
    params: Mapping[str, str] = field(default_factory=dict)  # as the page's fields show them
    reading: Opening = field(default_factory=lambda: Opening())
    population: str | None = None  # table of the population that the records were sampled from
    key: bytes | None = field(default=None, repr=False)  # of PSEUDONYM and SHIFT; the page never receives it


class Studio:
    """Roles and switches live as long as the studio process; only the policy is saved to disk."""

    def __init__(self, start: Start):
        self.start = start
        self.file = PolicyFile(start.policy)
        self.file.read()
        self.show_records = False
        self.preview: str | None = None
        self.memory = Memory()
        missing = start.reading.get("missing")
        self._missing: MissingArgument = ERROR if missing is None else missing
        self._switching = Lock()
        self._queue = self._open_queue(self._missing)
        self.roles: TableRoles = with_exact_names(table_roles(start.table), self._queue.session.columns)
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
        with self._open_other(body, self.start.table, missing=self._missing) as session:
            return question(session)

    def open_released(
        self, body: Body, table: str, dates: DatesArgument | None = None
    ) -> AbstractContextManager[Session]:
        """`dates` are the date formats of the table that it is measured against."""
        return self._open_other(body, table, missing=ERROR, dates=dates, header=True)

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
    def _open_other(self, body: Body, table: str, **changed: Unpack[Opening]) -> Iterator[Session]:
        """Open another table, whose calls are canceled when the client disconnects."""
        reading: Opening = {**self.start.reading, **changed}
        with open_session(table, **reading) as session:
            self._others[body] = session
            try:
                _require_waiting(body)
                yield session
            finally:
                del self._others[body]

    def _open_queue(self, missing: MissingArgument) -> RequestQueue:
        reading: Opening = {**self.start.reading, "missing": missing}
        return RequestQueue.open(self.start.table, **reading)


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


#: the version of a file that does not exist
ABSENT = ""
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Saved:
    """The content of the file."""

    text: str  # with line feeds
    version: str  # a hash of the bytes


class Unseen(Exception):
    """The file has content that the writer has not seen."""

    def __init__(self, now: Saved):
        super().__init__(now)
        self.now = now


class PolicyFile:
    def __init__(self, path: str):
        self.path = path
        self._lock = Lock()

    @property
    def name(self) -> str:
        return Path(self.path).name

    @property
    def folder(self) -> Path:
        return Path(self.path).parent

    @property
    def version(self) -> str:
        return _version(self._bytes())

    def read(self) -> Saved:
        return self._saved(self._bytes())

    def save(self, text: str, seen: str) -> str:
        """Replace the version that the writer has seen, and return the new one."""
        with self._lock:
            before = self._bytes()
            self._require(before, seen)
            content = _encode(text, before or b"")
            self._write(content, before)
            return _version(content)

    def _write(self, content: bytes, before: bytes | None) -> None:
        try:
            with replace_atomically(self.path) as part:
                Path(part).write_bytes(content)
                self._require(self._bytes(), _version(before))  # an editor may have saved meanwhile
        except OSError as error:
            raise _unwritable(self.path, error) from None

    def _require(self, content: bytes | None, version: str) -> None:
        if _version(content) != version:
            raise Unseen(self._saved(content))

    def _saved(self, content: bytes | None) -> Saved:
        text = "" if content is None else read_text(BytesIO(content), self.path)
        return Saved(_plain(text), _version(content))

    def _bytes(self) -> bytes | None:
        """None if the file does not exist."""
        try:
            return Path(self.path).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            reason = (error.strerror or "unknown reason").lower()
            raise CallError([Diagnostic("AC402", f"cannot read policy `{self.path}`: {reason}")]) from None


def _version(content: bytes | None) -> str:
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _encode(text: str, before: bytes) -> bytes:
    """Encode the text with the file's previous byte order mark and line endings."""
    has_windows_ends = before.count(b"\r\n") * 2 > before.count(b"\n")
    lines = _plain(text)
    written = lines.replace("\n", "\r\n") if has_windows_ends else lines
    return (_BOM if before.startswith(_BOM) else b"") + written.encode()


def _unwritable(path: str, error: OSError) -> CallError:
    reason = os.strerror(error.errno).lower() if error.errno else "the file system failed"
    help_ = "check the permissions of the file and of its folder"
    return CallError([Diagnostic("AC491", f"cannot write policy `{path}`: {reason}", help=help_)])
