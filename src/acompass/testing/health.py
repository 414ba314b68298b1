"""Describe the state of an installation for `acompass doctor`, and render it as text and JSON.

It is meant to be shared, so it contains no path, host name, user name or record value."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from acompass.dataclasses import asdict, dataclass
from acompass.errors.display import BOLD, GREEN, PLAIN, RED, Style


class State(StrEnum):
    WORKS = "works"
    #: an optional part that is not installed
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    state: State
    detail: str  # a version, a size or a reason
    help: str | None = None  # a command to run or a piece of advice


@dataclass(frozen=True, slots=True)
class Health:
    acompass: str
    python: str
    platform: str
    libraries: tuple[Finding, ...]  # the libraries that acompass always needs
    parts: tuple[Finding, ...]  # the optional parts of acompass
    engines: tuple[Finding, ...]
    files: tuple[Finding, ...]  # the installed files other than code
    machine: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether everything that is installed or requested works."""
        return not any(self.failures())

    def failures(self) -> Iterator[Finding]:
        findings = (*self.libraries, *self.parts, *self.engines, *self.files, *self.machine)
        return (finding for finding in findings if finding.state is State.BROKEN)


_TINTS = {State.WORKS: GREEN, State.MISSING: "", State.BROKEN: RED}


def health_text(health: Health, style: Style = PLAIN) -> str:
    sections = {
        "libraries": health.libraries,
        "optional parts": health.parts,
        "engines": health.engines,
        "files": health.files,
        "machine": health.machine,
    }
    width = max(len(finding.name) for findings in sections.values() for finding in findings)
    return "\n".join(
        [
            f"acompass {health.acompass}, Python {health.python}, {health.platform}",
            *(line for heading, findings in sections.items() for line in _section(heading, findings, width, style)),
            "",
            _summary(health),
        ]
    )


def _section(heading: str, findings: Sequence[Finding], width: int, style: Style) -> Iterator[str]:
    yield from ("", style.paint(heading, BOLD))
    for finding in findings:
        state = style.paint(f"{finding.state:<7}", _TINTS[finding.state])
        advice = "" if finding.help is None else f"; {finding.help}"
        yield f"  {finding.name:<{width}}  {state}  {finding.detail}{advice}"


def _summary(health: Health) -> str:
    broken = ", ".join(dict.fromkeys(finding.name for finding in health.failures()))
    missing = ", ".join(part.name for part in health.parts if part.state is State.MISSING)
    works = f"broken: {broken}" if broken else "everything that is installed works"
    return f"{works}; missing: {missing}" if missing else works


def health_object(health: Health) -> dict[str, object]:
    return {"ok": health.ok, **asdict(health)}
