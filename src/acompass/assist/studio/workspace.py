"""What a running studio has open, and the private folder that it keeps between runs.

One project is open at a time, for all pages; none at the start page. The folder has the list of recent projects, and
copies of the tables that were dropped on a page. Only the user can read it."""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from time import sleep
from typing import BinaryIO

from acompass.arguments import TABLE_SUFFIXES
from acompass.assist.request_queue import Stale
from acompass.assist.studio.access import MOST_SENT, too_large_table
from acompass.assist.studio.messages import Body, Refused
from acompass.assist.studio.state import Project, Start
from acompass.dataclasses import dataclass, replace
from acompass.engines.errors import watch_opening
from acompass.tables.temporary_files import note_path, remove_path, replace_atomically

#: seconds
_UNTIL_AGAIN = 0.05


class Workspace:
    def __init__(self, start: Start | None, folder: str | os.PathLike[str] = "."):
        self.folder = Path(folder).resolve()  # where the start page looks for tables first
        self.private = PrivateFolder(private_folder(sys.platform, os.environ))
        self._opening = Lock()
        self._cancels: dict[Body, Callable[[], None]] = {}  # for each table that is being opened, what cancels it
        self.project = None if start is None else Project(start)
        self._key = None if start is None else start.key  # one key for all tables, so that they can be joined (X15)
        if start is not None:
            self.private.note_recent(start)

    def open(self, start: Start, body: Body) -> Project:
        """Open another project in place of the one before, which stays open if this one cannot be opened or the page
        no longer waits for it."""
        start = replace(start, key=self._key)
        with self.reading(body):
            opened = Project(start)
        with self._opening:
            if body.is_withdrawn:
                opened.stop()
                raise Stale
            before, self.project = self.project, opened
            if before is not None:
                opened.show_records = before.show_records
        if before is not None:
            before.stop()
        self.private.note_recent(start)
        return opened

    @contextmanager
    def reading(self, body: Body) -> Iterator[None]:
        """Opening a table meanwhile raises Canceled or Stale once the page no longer waits for it."""

        def note(cancel: Callable[[], None]) -> None:
            self._cancels[body] = cancel
            if body.is_withdrawn:
                raise Stale

        try:
            with watch_opening(note):
                yield
        finally:
            self._cancels.pop(body, None)

    def project_of(self, body: Body) -> Project:
        """The open project. Refuse a page that was opened on another one: its text and roles belong to that one."""
        project = self.project
        if project is None:
            raise Refused(HTTPStatus.CONFLICT, "no table is open", project=None)
        if body.has("project") and body.text("project") != project.id:
            raise Refused(HTTPStatus.CONFLICT, "another page has opened another table", project=project.id)
        return project

    def withdraw(self, body: Body) -> None:
        """The client has disconnected; cancel its question."""
        body.is_withdrawn = True
        while (cancel := self._cancels.get(body)) is not None:
            cancel()
            sleep(_UNTIL_AGAIN)  # an engine ignores it between two statements
        if self.project is not None:
            self.project.withdraw(body)

    def stop(self) -> None:
        if self.project is not None:
            self.project.stop()


def private_folder(platform: str, environment: Mapping[str, str]) -> Path | None:
    """Where this platform keeps a program's data; None for a user without a home."""
    home = environment.get("USERPROFILE" if platform == "win32" else "HOME", "")
    match platform:
        case "win32":
            base = environment.get("LOCALAPPDATA") or home
        case "darwin":
            base = home and os.path.join(home, "Library", "Application Support")
        case _:
            own = environment.get("XDG_DATA_HOME", "")
            base = own if os.path.isabs(own) else home and os.path.join(home, ".local", "share")
    return Path(base, "acompass", "studio") if base else None


@dataclass(frozen=True, slots=True)
class Recent:
    """A project that was opened before."""

    policy: str
    table: str
    opened: str  # in ISO format, in UTC

    @property
    def key(self) -> str:
        return hashlib.sha256(f"{self.policy}\0{self.table}".encode(errors="surrogatepass")).hexdigest()[:32]

    @property
    def is_there(self) -> bool:
        return os.path.exists(self.table)


@dataclass(frozen=True, slots=True)
class Example:
    """A table that the package contains: everyone in it is invented."""

    file: str
    title: str
    about: str
    license: str


EXAMPLES = (
    Example(
        "admissions.csv",
        "Admissions to a hospital",
        "300 invented admissions in 2025: name, insurance number, age, zip, employer, education, day, diagnosis",
        "part of A-COMPASS, under the Apache License 2.0",
    ),
)
_PACKAGE = Path(__file__).parents[2]
#: the tables in an installed package, where pyproject.toml copies them, and in a source tree
_EXAMPLES = (_PACKAGE / "example_tables", _PACKAGE.parents[1] / "examples" / "admissions")


def read_example(file: str) -> bytes:
    return next(path for path in (folder / file for folder in _EXAMPLES) if path.is_file()).read_bytes()


#: recent projects beyond this number are forgotten
MOST_RECENT = 30
_PRIVATE = 0o700


class PrivateFolder:
    """Each recent project is a file of its own: two studios never write the same list. What cannot be kept, because
    the folder cannot be written, is not kept; opening a table does not fail for it."""

    def __init__(self, path: Path | None):
        self.path = path

    @property
    def recent(self) -> list[Recent]:
        """The newest first; files that another program has damaged are passed over."""
        found = (_read_recent(path) for path in self._files("recent"))
        return sorted((each for each in found if each is not None), key=lambda each: each.opened, reverse=True)

    def note_recent(self, start: Start) -> None:
        now = datetime.now(UTC).isoformat()
        found = Recent(os.path.abspath(start.policy), os.path.abspath(start.table), now)
        with suppress(OSError, Refused), replace_atomically(self._make("recent") / f"{found.key}.json") as part:
            Path(part).write_text(json.dumps({name: getattr(found, name) for name in _FIELDS}), encoding="utf-8")
        for old in self.recent[MOST_RECENT:]:
            self.forget_recent(old.key)

    def forget_recent(self, key: str) -> None:
        """Remove a project from the list. Its files stay."""
        for path in self._files("recent"):
            if path.stem == key:
                remove_path(str(path))

    def example(self, name: str, content: bytes) -> Path:
        """The example's table, as new as this version; a policy next to it stays."""
        path = self._make("example") / name
        if not path.exists() or path.read_bytes() != content:
            with replace_atomically(path) as part:
                Path(part).write_bytes(content)
        return path

    @contextmanager
    def receive(self, name: str) -> Iterator["Received"]:
        """A table that a page sends, in parts. It gets its name when it is complete."""
        require_table_name(name)
        folder = self._make("tables")
        part = str(folder / f".{os.urandom(8).hex()}.part")
        with note_path(part):
            try:
                with os.fdopen(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                    yield Received(folder, name, part, file)
            finally:
                remove_path(part)

    def _files(self, kind: str) -> list[Path]:
        try:
            return [] if self.path is None else sorted(Path(self.path, kind).glob("*.json"))
        except OSError:
            return []

    def _make(self, kind: str) -> Path:
        if self.path is None:
            raise Refused(HTTPStatus.CONFLICT, "the studio cannot keep files: the user has no home folder")
        for folder in (self.path, self.path / kind):
            folder.mkdir(_PRIVATE, parents=True, exist_ok=True)
            folder.chmod(_PRIVATE)
        return self.path / kind


_FIELDS = ("policy", "table", "opened")


def _read_recent(path: Path) -> Recent | None:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        values = [found[name] for name in _FIELDS]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return Recent(*values) if all(isinstance(value, str) for value in values) else None


class Received:
    """A table on its way from a page, in a hidden file."""

    def __init__(self, folder: Path, name: str, part: str, file: BinaryIO):
        self._folder, self._name, self._part, self._file = folder, name, part, file
        self._hash, self._size = hashlib.sha256(), 0

    def add(self, content: bytes) -> None:
        self._size += len(content)
        if self._size > MOST_SENT:
            raise too_large_table()
        self._hash.update(content)
        self._file.write(content)

    def finish(self) -> Path:
        """The table's path. The same table again is kept once; another one of the same name gets a number."""
        if self._size == 0:
            raise Refused(HTTPStatus.BAD_REQUEST, f"{self._name} is empty")
        self._file.close()
        for path in _numbered(self._folder / self._name):
            if self._has_name(path) or _hash(path) == self._hash.digest():
                return path
        raise AssertionError  # there is always a further number

    def _has_name(self, path: Path) -> bool:
        """Give the table this name, unless another one has it."""
        try:
            os.link(self._part, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            if path.exists():
                return False
            os.rename(self._part, path)
        return True


def _numbered(path: Path) -> Iterator[Path]:
    yield path
    stem, dot, suffix = path.name.partition(".")
    number = 2
    while True:
        yield path.with_name(f"{stem}-{number}{dot}{suffix}")
        number += 1


def _hash(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


#: how to open a table in another kind of file
OTHER_KINDS = "rename a text file to end in .csv, and save another workbook as .xlsx"


def require_table_name(name: str) -> None:
    """Reject a name that is a path, hidden, or not that of a table (D37, headers)."""
    if name != os.path.basename(name.replace("\\", "/")) or name.startswith(".") or "\0" in name or len(name) > 200:
        raise Refused(HTTPStatus.BAD_REQUEST, "this file name cannot be used")
    if not name.lower().endswith(TABLE_SUFFIXES):
        kinds = ", ".join(TABLE_SUFFIXES)
        message = f"{name} is not a table: its name must end in {kinds}; {OTHER_KINDS}"
        raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, message)
