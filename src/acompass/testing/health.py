"""Describe the state of an installation for `acompass doctor`, in text and JSON, and examine its libraries: whether
they are installed and can be imported.

A description is meant to be shared, so it contains no path, host name, user name or record value."""

import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec

from acompass.dataclasses import asdict, dataclass
from acompass.errors.display import BOLD, GREEN, PLAIN, RED, Answer, Style
from acompass.report.document import Block, CodeBlock, Context, Either, Paragraph, Table, Tone, Verdict, headline

#: what each optional part is for
PURPOSES = {
    "dbt": "acompass dbt",
    "excel": "tables in .xlsx files",
    "frames": "data frames of pandas, Polars, PyArrow and Ibis",
    "lsp": "help in editors",
    "postgres": "tables in PostgreSQL",
    "spark": "tables in Spark",
    "studio": "acompass studio",
    "suggest": "acompass suggest",
}
_REINSTALL = "pip install --force-reinstall"
REINSTALL = f"{_REINSTALL} acompass"

#: seconds after which an import counts as hung
_IMPORT_TIMEOUT = 120
_FAILED = 3
#: run in a child process, because importing a broken library can end the process
_IMPORT = f"""\
import importlib, os, sys
try:
    importlib.import_module(sys.argv[1])
except BaseException as error:
    text = str(error).replace("\\0", "")
    os.write(2, f"\\0{{type(error).__name__}}\\0{{text}}".encode("utf-8", "replace"))
    os._exit({_FAILED})
os._exit(0)
"""
#: the parts of an exception's text that are safe to show: a system library, or a version of the C library
_LACKS = re.compile(r"([\w+.-]+\.so[\w.]*): cannot open shared object|(GLIBC\w*_[\d.]+)' not found")
#: a dependency in the package's metadata, such as `psycopg[binary]>=3.2; extra == 'postgres'`
_REQUIREMENT = re.compile(
    r"(?P<name>[\w.-]+)(?:\[[^\]]*\])?\s*(?P<bounds>[^;]*)(?:;.*\bextra\s*==\s*['\"](?P<part>[\w.-]+)['\"])?"
)
_LEAST = re.compile(r">=\s*(\d+(?:\.\d+)*)")
#: libraries whose module has another name
_MODULES = {"pyyaml": "yaml"}


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
class Health(Answer):
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

    @property
    def sections(self) -> dict[str, tuple[Finding, ...]]:
        return {
            "libraries": self.libraries,
            "optional parts": self.parts,
            "engines": self.engines,
            "files": self.files,
            "machine": self.machine,
        }

    def describe(self, context: Context) -> Iterator[Block]:
        yield headline("Doctor", context, _summary(self), self.ok)
        tables = [
            Table(heading, _HEADER, [*map(_row, found)], is_titled=True) for heading, found in self.sections.items()
        ]
        text = CodeBlock(health_text(self, context.style))
        yield Either(text=[text], rich=[Paragraph(_versions(self)), *tables])

    def to_json(self) -> dict[str, object]:
        return {"ok": self.ok, **asdict(self)}


_TINTS = {State.WORKS: GREEN, State.MISSING: "", State.BROKEN: RED}
_TONES: dict[State, Tone] = {State.WORKS: "good", State.MISSING: "none", State.BROKEN: "bad"}
_HEADER = ("part", "state", "detail", "help")


def _row(finding: Finding) -> tuple[str | Verdict, ...]:
    return finding.name, Verdict(finding.state, _TONES[finding.state]), finding.detail, finding.help or ""


def _versions(health: Health) -> str:
    return f"acompass {health.acompass}, Python {health.python}, {health.platform}"


def health_text(health: Health, style: Style = PLAIN) -> str:
    sections = health.sections
    width = max(len(finding.name) for findings in sections.values() for finding in findings)
    return "\n".join(
        [
            _versions(health),
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


@dataclass(frozen=True, slots=True)
class Library:
    name: str
    version: str | None  # None if it is not installed
    failure: str | None  # why it cannot be used; None if it works or is not installed

    @property
    def is_installed(self) -> bool:
        return self.version is not None

    @property
    def text(self) -> str:
        return f"{self.name} {self.version}"


@dataclass(frozen=True, slots=True)
class Need:
    library: str
    least: str  # the oldest version that works
    part: str | None  # the optional part that needs it; None if acompass always does

    @property
    def module(self) -> str:
        return _MODULES.get(self.library, self.library.replace("-", "_"))


def examine_libraries(needed: Iterable[Need]) -> dict[str, Library]:
    """Examine each library once; the result is keyed by its name."""
    strictest = {need.library: need for need in sorted(needed, key=lambda need: need.least)}
    with ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(strictest, pool.map(_library, strictest.values()), strict=True))


def required_findings(needed: Iterable[Need], libraries: Mapping[str, Library]) -> tuple[Finding, ...]:
    return tuple(_required_finding(libraries[need.library]) for need in needed if need.part is None)


def optional_findings(needed: Iterable[Need], libraries: Mapping[str, Library]) -> tuple[Finding, ...]:
    return tuple(
        _part_finding(part, [libraries[need.library] for need in own]) for part, own in needs_by_part(needed).items()
    )


def unusable_libraries(libraries: Mapping[str, Library]) -> Collection[str]:
    return {name for name, library in libraries.items() if library.failure or not library.is_installed}


def _library(need: Need) -> Library:
    if find_spec(need.module) is None:
        return Library(need.library, None, None)
    try:
        found = version(need.library)
    except PackageNotFoundError:
        return Library(need.library, "of unknown version", _import_failure(need.module))
    if is_older(found, need.least):
        return Library(need.library, found, f"{need.least} or later is needed")
    return Library(need.library, found, _import_failure(need.module))


def _import_failure(module: str) -> str | None:
    # -P ignores a file of that name in the working folder
    command = [sys.executable, "-P", "-c", _IMPORT, module]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_IMPORT_TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"its import does not finish within {_IMPORT_TIMEOUT} seconds"
    match ran.returncode:
        case 0:
            return None
        case code if code == _FAILED:
            return _reason(*ran.stderr.decode("utf-8", "replace").rsplit("\0", 2)[1:])
        case _:
            return "its import crashes"


def _reason(kind: str, text: str) -> str:
    """Name the exception's type and what the system lacks; the rest of its text may contain a path."""
    lacks = _LACKS.search(text)
    reason = f"its import fails with `{kind}`"
    return reason if lacks is None else f"{reason}, {lacks[1] or lacks[2]} is missing"


def _required_finding(library: Library) -> Finding:
    if not library.is_installed:
        return Finding(library.name, State.BROKEN, "not installed", REINSTALL)
    if library.failure is not None:
        return Finding(library.name, State.BROKEN, f"{library.version}: {library.failure}", REINSTALL)
    return Finding(library.name, State.WORKS, str(library.version))


def _part_finding(part: str, libraries: Sequence[Library]) -> Finding:
    failures = [f"{library.text}: {library.failure}" for library in libraries if library.failure]
    if failures:
        return Finding(part, State.BROKEN, "; ".join(failures), f"{_REINSTALL} 'acompass[{part}]'")
    if not all(library.is_installed for library in libraries):
        return Finding(part, State.MISSING, PURPOSES[part], f"pip install 'acompass[{part}]'")
    return Finding(part, State.WORKS, ", ".join(library.text for library in libraries))


def needs() -> tuple[Need, ...] | None:
    """The dependencies in the package's metadata; None if the package was copied and not installed."""
    try:
        return tuple(map(_parse_need, requires("acompass") or ()))
    except PackageNotFoundError:
        return None


def _parse_need(text: str) -> Need:
    found = _REQUIREMENT.match(text)
    assert found is not None, "the build wrote the requirement"
    least = _LEAST.search(found["bounds"])
    return Need(found["name"], least[1] if least else "0", found["part"])


def needs_by_part(needed: Iterable[Need]) -> dict[str, list[Need]]:
    parts: dict[str, list[Need]] = {}
    for need in needed:
        if need.part is not None:
            parts.setdefault(need.part, []).append(need)
    return dict(sorted(parts.items()))


def is_older(version: str, least: str) -> bool:
    return _numbers(version) < _numbers(least)


def _numbers(version: str) -> list[int]:
    """The numbers before the first letter: [4, 0, 0] for `4.0.0.dev1`."""
    leading = re.match(r"[\d.]*", version)
    return [int(number) for number in leading.group().split(".") if number] if leading else []
