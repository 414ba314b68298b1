"""The state of an installation, as data: what `acompass doctor` found.

It is made to be sent to someone else, so nothing in it is a path, a name of a machine or a person, or a value
of a record.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    WORKS = "works"
    #: an optional part that is not installed
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """`detail` is a version, a size or a reason; `help` a command or an advice."""

    name: str
    state: State
    detail: str
    help: str | None = None


@dataclass(frozen=True, slots=True)
class Health:
    """`libraries` are those that acompass always needs, `parts` its optional parts, `files` what is installed
    besides code."""

    acompass: str
    python: str
    platform: str
    libraries: tuple[Finding, ...]
    parts: tuple[Finding, ...]
    engines: tuple[Finding, ...]
    files: tuple[Finding, ...]
    machine: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether everything works that is installed or was asked for."""
        return not any(self.broken())

    def broken(self) -> Iterator[Finding]:
        findings = (*self.libraries, *self.parts, *self.engines, *self.files, *self.machine)
        return (finding for finding in findings if finding.state is State.BROKEN)
