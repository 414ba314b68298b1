"""The policy file: the studio's only state on disk, which editors and other pages may change too."""

import hashlib
import os
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from threading import Lock

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.policy import read_text
from acompass.tables.temporary_files import replace_atomically

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
        self.now = now
        super().__init__()


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
        content = self._bytes()
        return Saved(_plain(_text(content, self.path)), _version(content))

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
            raise Unseen(Saved(_plain(_text(content, self.path)), _version(content)))

    def _bytes(self) -> bytes | None:
        """None if the file does not exist."""
        with suppress(FileNotFoundError):
            try:
                return Path(self.path).read_bytes()
            except OSError as error:
                if isinstance(error, FileNotFoundError):
                    raise
                reason = (error.strerror or "unknown reason").lower()
                raise CallError([Diagnostic("AC402", f"cannot read policy `{self.path}`: {reason}")]) from None
        return None


def _version(content: bytes | None) -> str:
    return ABSENT if content is None else hashlib.sha256(content).hexdigest()


def _text(content: bytes | None, path: str) -> str:
    return "" if content is None else read_text(BytesIO(content), path)


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
