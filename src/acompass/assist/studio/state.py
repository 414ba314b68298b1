"""The open project: its files, the open table, its settings as the pages changed them, and the pages' switches.

The policy and the settings are written only when a page saves them; until then, the settings are here and the text is
in the page. The latest answers are cached, so that a panel that was shown before appears at once."""

import hashlib
import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar, Unpack, cast

from acompass.arguments import TABLE_SUFFIXES, is_file
from acompass.assist.request_queue import SAMPLE, SAMPLE_FROM, RequestQueue, Stale
from acompass.assist.studio.messages import Body
from acompass.assist.studio.saved_files import PolicyFile, SettingsFiles, UnseenSettings, path_from
from acompass.assist.studio.settings import Settings, SettingsHistory, options_by_column
from acompass.dataclasses import dataclass, field, replace
from acompass.engines.reading import date_formats, missing_options
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.language.program.constants import ParamValue, parse_settings
from acompass.language.program.types import Names
from acompass.language.text.tokens import read_constant, spell_string
from acompass.measure.hierarchy import in_folder
from acompass.options import ERROR, DatesArgument, Opening
from acompass.policy import SETTINGS_FILE, TableRoles, policies_in
from acompass.roles import with_exact_names
from acompass.session import Session
from acompass.session import open as open_session
from acompass.tables.source import file_stamp, find_paths

if TYPE_CHECKING:
    from acompass.author.answers import Alternative

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Start:
    policy: str
    table: str
    params: Mapping[str, str] = field(default_factory=dict)  # as the page's fields show them
    reading: Opening = field(default_factory=lambda: Opening())
    population: str | None = None  # table of the population that the records were sampled from
    key: bytes | None = field(default=None, repr=False)  # of PSEUDONYM and SHIFT; the page never receives it


def files_id(start: "Start | None") -> str:
    """Tells the files of a project apart, also after the studio was started again, without naming them."""
    paths = [os.getcwd()] if start is None else [os.path.abspath(start.policy), os.path.abspath(start.table)]
    return hashlib.sha256("\0".join(paths).encode(errors="surrogateescape")).hexdigest()[:16]


class Project:
    """Switches live as long as the studio process."""

    def __init__(self, start: Start):
        self.start = start
        self.file = PolicyFile(start.policy)
        self.file.read()
        self.settings_files = SettingsFiles(start.policy, start.table)
        self.settings_seen = self.settings_files.version
        on_disk = self.settings_files.read()
        self.id = secrets.token_hex(8)  # tells a page of another project apart
        self.files = files_id(start)
        self.show_records = True
        self.preview: str | None = None
        self.reports: Mapping[str, Path] = {}  # of the last release: `report` and `internal`
        self.written: tuple[int, int] | None = None  # requirements of a release that are done, and all of them
        self.memory = Memory()
        self.readings = 0  # increases when the table is read with other options
        self._switching = Lock()
        self._queue = _open_queue(start.table, start.reading)
        self.settings = SettingsHistory(self._with_call(on_disk))
        self._others: dict[Body, Session] = {}
        self.searches = Searches()

    def _with_call(self, on_disk: Settings) -> Settings:
        """The settings of the files, with what the command line says."""
        columns = self._queue.session.columns
        given = parse_settings(f"{name}={value}" for name, value in self.start.params.items())
        policy = replace(on_disk.policy, params=given)
        reading = _by_column(self.start.reading, columns)
        return Settings(policy, with_exact_names(on_disk.roles, columns), reading, _levels_of(on_disk, columns))

    @property
    def queue(self) -> RequestQueue:
        return self._queue

    @property
    def roles(self) -> TableRoles:
        return self.settings.current.roles

    @roles.setter
    def roles(self, roles: TableRoles) -> None:
        self.change_settings(replace(self.settings.current, roles=roles))

    @property
    def reading(self) -> Opening:
        return self.settings.current.reading

    def reopen(self, reading: Opening) -> None:
        """Read the table with other options. If that fails, it stays open as it was."""
        self.change_settings(replace(self.settings.current, reading=reading))

    def change_settings(self, settings: Settings, *, is_typing: bool = False) -> None:
        """Change nothing if the table cannot be read in this way. Edits of one field while `is_typing` are one step."""
        settings = replace(settings, reading=_by_column(settings.reading, self._queue.session.columns))
        self._read_with(settings.reading)
        columns = self._queue.session.columns
        roles, levels = _roles_of(settings.roles, columns), _levels_of(settings, columns)
        self.settings.change(replace(settings, roles=roles, hierarchies=levels), is_typing)

    def undo_settings(self) -> str | None:
        """Restore the settings before the last change. Return what has changed, None if there is nothing to undo."""
        before = self.settings.before
        if before is None:
            return None
        self._read_with(before.reading)
        return self.settings.undo()

    def require_seen_settings(self) -> None:
        if self.settings_files.version != self.settings_seen:
            raise UnseenSettings

    def save_settings(self, params: Mapping[str, ParamValue]) -> None:
        """Write the settings, with the parameters that the policy uses. Raise UnseenSettings if another program has
        written them."""
        current = self.settings.current
        written = replace(current, policy=replace(current.policy, params=params))
        self.settings_seen = self.settings_files.save(written, self.settings_seen)
        self.settings.mark_saved()

    def follow_settings(self, *, even_if_unsaved: bool = False) -> bool:
        """Read the settings that another program has written. Return False, and keep them, if a page has changed the
        settings since they were saved."""
        version = self.settings_files.version
        if version == self.settings_seen:
            return True
        if self.settings_files.are_absent:  # deleted, or on a drive that is gone: the next save writes them again
            self.settings.mark_unsaved()
            self.settings_seen = version
            return True
        if self.settings.is_unsaved and not even_if_unsaved:
            return False
        found = self.settings_files.read()
        found = replace(found, roles=with_exact_names(found.roles, self._queue.session.columns))
        if self.settings_files.version != version:
            return False  # written again meanwhile; the next question of a page comes soon
        self.change_settings(found)
        self.settings.mark_saved()
        self.settings_seen = version
        return True

    def levels(self, names: Iterable[str], given: Mapping[str, str] | None = None) -> dict[str, str]:
        """The hierarchies of these columns as a call takes them, with absolute paths of files. Raise CallError if one
        is not valid."""
        given = self.settings.current.hierarchies if given is None else given
        return {name: in_folder(self._table_folder, given[name]) for name in names if name in given}

    @property
    def levels_key(self) -> Hashable:
        """Changes with the hierarchies and with the content of their files."""
        folder, given = self._table_folder, self.settings.current.hierarchies
        return tuple((name, each, file_stamp(str(folder / each))) for name, each in given.items())

    @property
    def _table_folder(self) -> Path:
        return Path(os.path.abspath(self.start.table)).parent

    def path_in_policy(self, path: str) -> str:
        """The path of a hierarchy file as the policy names it."""
        return path_from(self.file.folder, path)

    def path_in_settings(self, file: str) -> str:
        """The path of a file that the policy names, as the table's section of the acompass.toml has it."""
        return path_from(self._table_folder, self.file.folder / file)

    def _read_with(self, reading: Opening) -> None:
        with self._switching:
            if reading == self.reading:
                return
            before, self._queue = self._queue, _open_queue(self.start.table, reading)
            self.start = replace(self.start, reading=reading)
            self.readings += 1
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
        with self._open_other(body, self.start.table) as session:
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
        reading: Opening = {**self.reading, **changed}
        with open_session(table, **reading) as session:
            self._others[body] = session
            try:
                _require_waiting(body)
                yield session
            finally:
                del self._others[body]


def _open_queue(table: str, reading: Opening) -> RequestQueue:
    """Raise for options that name columns that the table does not have, which calls on it would do each."""
    queue = RequestQueue.open(table, **reading)
    try:
        columns = queue.session.columns
        missing_options(reading.get("missing") or ERROR, columns)
        date_formats(reading.get("dates") or (), columns)
    except BaseException:
        queue.close()
        raise
    return queue


def _roles_of(roles: TableRoles, columns: Sequence[str]) -> TableRoles:
    """The roles of columns that the table has: they may have other names when it is read with other options."""
    by_role = {role: tuple(name for name in names if name in columns) for role, names in roles.by_name.items()}
    return TableRoles(**by_role, person=roles.person if roles.person in columns else None)


def _levels_of(settings: Settings, columns: Sequence[str]) -> dict[str, str]:
    """The hierarchies of columns that the table has, with the names as the table spells them."""
    names = Names(columns)
    found = ((names.find(name), levels) for name, levels in settings.hierarchies.items())
    return {columns[places[0]]: os.fspath(levels) for places, levels in found if len(places) == 1}


def _by_column(reading: Opening, columns: Sequence[str]) -> Opening:
    """The options as an acompass.toml has them, without defaults."""
    by_column = {
        name: options_by_column(value, columns) if name in _BY_COLUMN else value for name, value in reading.items()
    }
    return cast(
        Opening, {name: value for name, value in by_column.items() if value not in (None, ERROR, (), {}, False)}
    )


#: other options may be lists too
_BY_COLUMN = ("missing", "dates")


def _require_waiting(body: Body) -> None:
    if body.is_withdrawn:
        raise Stale


POLICY_SUFFIX = ".acp"


def resolve_files(first: str, second: str | None) -> tuple[str, str | None]:
    """The policy, and the table unless only an acompass.toml names it.

    A single argument may be the table: its policy has the same name, in the same folder. Or it may be a folder.
    """
    if second is None and Path(first).is_dir():
        return _only_policy(first), None
    if second is None and _is_table(first):
        return str(_own_policy(Path(first))), first
    _require_policy(first)
    return first, second


def _own_policy(table: Path) -> Path:
    """A table of another year, such as `visits.2024.csv`, has another one."""
    suffix = max((each for each in TABLE_SUFFIXES if table.name.lower().endswith(each)), key=len, default=table.suffix)
    return table.with_name(table.name[: len(table.name) - len(suffix)] + POLICY_SUFFIX)


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


def _only_policy(folder: str) -> str:
    found = policies_in(folder)
    if len(found) == 1:
        return str(Path(folder, found[0]))
    help_ = "name a policy or a table: `acompass studio people.csv`"
    if not found:
        raise CallError([Diagnostic("AC803", f"no policy is given, and `{SETTINGS_FILE}` names none here", help=help_)])
    listed = ", ".join(f"`{name}`" for name in found)
    raise CallError([Diagnostic("AC803", f"`{SETTINGS_FILE}` names several policies: {listed}", help=help_)])


def _is_table(path: str) -> bool:
    return not path.lower().endswith(POLICY_SUFFIX) and is_file(path) and bool(find_paths(path))


def _require_policy(path: str) -> None:
    """Raise unless the policy exists or the first save can create it."""
    if not Path(path).exists() and not path.lower().endswith(POLICY_SUFFIX):
        help_ = f"name a file that exists, or a new policy: `{Path(path).stem}{POLICY_SUFFIX}`"
        raise CallError([Diagnostic("AC803", f"policy `{path}` does not exist", help=help_)])
    if not Path(path).parent.is_dir():
        message = f"folder `{Path(path).parent}` for the policy does not exist"
        raise CallError([Diagnostic("AC803", message, help="create the folder first")])


@dataclass(slots=True)
class Search:
    part: float = 0.0  # fraction done
    loss: float | None = None  # of the best policy so far of the search that is running
    alternatives: "tuple[Alternative, ...]" = ()  # so far, with the one that is being searched
    stopping: bool = False
    is_newest: bool = True

    def note(self, part: float, loss: float) -> None:
        """A loss above 1 means that too many records would be dropped."""
        self.part, self.loss = part, loss if loss <= 1 else None

    def show(self, alternatives: "tuple[Alternative, ...]") -> None:
        self.alternatives, self.loss = alternatives, None


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
