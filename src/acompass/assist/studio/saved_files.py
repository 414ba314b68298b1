"""The files that the studio saves: the policy, and the acompass.toml with its settings and those of its table.

Editors and other pages may change them too. A version that the writer has not seen is never overwritten."""

import hashlib
import os
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from threading import Lock

from acompass.assist.studio.settings import Section, Settings, edit_settings, policy_section, table_section
from acompass.dataclasses import dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import reason_of
from acompass.options import Hierarchies
from acompass.policy import (
    SETTINGS_FILE,
    policy_settings,
    read_text,
    reading_settings,
    table_roles,
    table_settings,
)
from acompass.tables.temporary_files import replace_atomically

#: the version of a file that does not exist
ABSENT = ""
_UNREADABLE = "unreadable"
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
            raise _unwritable(f"policy `{self.path}`", error) from None

    def _require(self, content: bytes | None, version: str) -> None:
        if _version(content) != version:
            raise Unseen(self._saved(content))

    def _saved(self, content: bytes | None) -> Saved:
        text = "" if content is None else read_text(BytesIO(content), self.path)
        return Saved(_plain(text), _version(content))

    def _bytes(self) -> bytes | None:
        try:
            return _content(Path(self.path))
        except OSError as error:
            raise CallError([Diagnostic("AC402", f"cannot read policy `{self.path}`: {reason_of(error)}")]) from None


class UnseenSettings(Exception):
    """An acompass.toml has content that the writer has not seen."""


class SettingsFiles:
    """The acompass.toml of a policy and, if its table is in another folder, that of the table."""

    def __init__(self, policy: str, table: str):
        self._policy, self._table = Path(policy), Path(table)
        self._lock = Lock()

    @property
    def table(self) -> str:
        """The path of the table from the policy's folder."""
        return path_from(self._policy.parent, self._table)

    @property
    def version(self) -> str:
        return " ".join(_settings_version(path) for path in self._paths)

    @property
    def are_absent(self) -> bool:
        return not any(path.exists() for path in self._paths)

    def read(self) -> Settings:
        """Raise CallError if a file is not valid."""
        policy = replace(policy_settings(self._policy), table=self.table)
        table = str(self._table)
        levels = table_settings(table, Hierarchies).get("hierarchies", {})
        return Settings(policy, table_roles(table), reading_settings(table), levels)

    def save(self, settings: Settings, seen: str) -> str:
        """Change the sections of the policy and the table, and return the new version."""
        of_policy = policy_section(self._policy.name, replace(settings.policy, table=self.table))
        of_table = table_section(self._table.name, settings)
        first, *others = self._paths
        with self._lock:
            if self.version != seen:
                raise UnseenSettings
            self.read()  # raise rather than write into a file that is not valid
            for path in others:
                _edit(path, [of_table])
            _edit(first, [of_policy] if others else [of_policy, of_table])
            return self.version

    @property
    def _paths(self) -> list[Path]:
        folders = self._policy.parent, self._table.parent
        is_one = folders[0].resolve() == folders[1].resolve()
        return [Path(folder, SETTINGS_FILE) for folder in (folders[:1] if is_one else folders)]


def path_from(folder: Path, path: str | Path) -> str:
    """A path as a file in the folder names it."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:  # on another drive of Windows
        return str(Path(path).absolute())


def _edit(path: Path, sections: Sequence[Section]) -> None:
    try:
        before = _content(path)
        text = "" if before is None else before.decode("utf-8-sig")
        after = edit_settings(text, sections)
        if after == text:
            return
        with replace_atomically(path) as part:
            mark = _BOM if before is not None and before.startswith(_BOM) else b""
            Path(part).write_bytes(mark + after.encode())
            if _content(path) != before:  # an editor may have saved meanwhile
                raise UnseenSettings
    except OSError as error:
        raise _unwritable(f"`{path}`", error) from None


def _content(path: Path) -> bytes | None:
    """None if the file does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _settings_version(path: Path) -> str:
    try:
        return _version(_content(path))
    except OSError:
        return _UNREADABLE  # reading it says why


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


def _unwritable(what: str, error: OSError) -> CallError:
    reason = os.strerror(error.errno).lower() if error.errno else "the file system failed"
    help_ = "check the permissions of the file and of its folder"
    return CallError([Diagnostic("AC491", f"cannot write {what}: {reason}", help=help_)])
