"""Examine an installation for `acompass doctor`: its libraries, engines, files and machine.

The message of an error may contain a host, a user or a path, so a finding shows only constants: the title of the
error's code, and a reason from a fixed list."""

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from acompass.assist.studio import FILES, read_bundle
from acompass.errors.catalog import CODES, page_command, page_path
from acompass.errors.diagnostics import AcompassError
from acompass.tables.temporary_files import temporary_folder
from acompass.testing.health import (
    REINSTALL,
    Finding,
    Health,
    State,
    examine_libraries,
    needs,
    optional_findings,
    required_findings,
    unusable_libraries,
)
from acompass.version import __version__

if TYPE_CHECKING:
    from acompass.testing.conformance.cases import Case

#: called with the number of steps done and their total
Progress = Callable[[int, int], None]

_COPIED = Finding("acompass", State.BROKEN, "copied and not installed, so its dependencies are unknown", REINSTALL)
#: the engines of every installation, which need no URL
OWN_ENGINES = {
    "duckdb": "gives the same table as `reference` for a small policy",
    "reference": "runs the same policy",
}
_NEEDED_LIBRARIES = {"duckdb", "narwhals", "sqlglot"}
#: patterns in error messages, each with the reason to show
_REASONS = {
    "password authentication failed|no password supplied": "the user or the password is wrong",
    "refused": "no server is listening",
    "translate host name|name or service not known": "the host name is unknown",
    "timeout|timed out": "no answer in time",
    "pg_hba": "the server does not allow this kind of connection",
    "role .* does not exist": "the user is unknown",
    "database .* does not exist": "the database is unknown",
    "ssl|certificate": "the connection could not be encrypted",
    "no such file": "no server runs on this machine",
    "malformed": "the URL is malformed",
}

PARAMS = {"k": 3}
#: actions that write, draw and remove, and a class that is rejected
POLICY = """\
EACH RESULT : Age <= 80 : REPLACE Age WITH 80;
ALWAYS : GENERALIZE Area TO PREFIX OF 3;
EACH FILTER Job = 'teacher' : Age >= 40 : RANDOM Age 40 50;
EACH PROCESS COUNT(*) AS Size, SUM(Amount) AS Total GROUP BY Area : Size >= k AND Total >= 50 : REJECT;
"""
_COLUMNS = ("Age", "Area", "Job", "Amount")
_RECORDS = [
    (34, "21201", "nurse", 10),
    (36, "21202", "nurse", 20),
    (38, "21203", "teacher", 30),
    (81, "21401", "farmer", 40),
    (83, "21402", "farmer", 50),
]
CSV = "".join(f"{','.join(map(str, row))}\n" for row in (_COLUMNS, *_RECORDS))

_GB = 10**9
_GIB = 2**30
#: files with the memory limit of a container, in versions 2 and 1 of Linux's control groups
_CONTAINER_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
#: the oldest Java that Spark 4 runs on
_LEAST_JAVA = 17
_JAVA_TIMEOUT = 60


def examine(urls: Sequence[str] = (), progress: Progress | None = None) -> Health:
    """`urls` are engines to test in addition to those that every installation has."""
    steps = count(1)

    def done() -> None:
        if progress is not None:
            progress(next(steps), len(urls) + 2)

    needed = needs()
    known = examine_libraries(needed or ())
    done()
    return Health(
        acompass=__version__,
        python=platform.python_version(),
        # only what selects a wheel: the system, the processor and the C library
        platform=" ".join(filter(None, (platform.system(), platform.machine(), *platform.libc_ver()))),
        libraries=(_COPIED,) if needed is None else required_findings(needed, known),
        parts=optional_findings(needed or (), known),
        engines=examine_engines(urls, unusable_libraries(known), done),
        files=examine_files(),
        machine=examine_machine(has_spark="pyspark" in known and known["pyspark"].is_installed),
    )


def examine_engines(
    urls: Sequence[str], unusable: Collection[str], done: Callable[[], None] = lambda: None
) -> tuple[Finding, ...]:
    """Test whether each engine answers as `semantics` defines. `unusable` are the libraries that are missing or
    broken; `done` is called after each step."""
    others = [url for url in urls if url not in OWN_ENGINES]
    lacking = ", ".join(sorted(_NEEDED_LIBRARIES & set(unusable)))
    if lacking:
        names = (*OWN_ENGINES, *(f"engine {number}" for number in range(1, len(others) + 1)))
        return tuple(Finding(name, State.BROKEN, f"needs {lacking}") for name in names)
    return tuple(_engine_findings(others, done))


def _engine_findings(urls: Sequence[str], done: Callable[[], None]) -> Iterator[Finding]:
    yield from _examine_own_engines()
    done()
    for url, name in zip(urls, _engine_names(urls), strict=True):
        yield _ask_engine(url, name)
        done()


def _examine_own_engines() -> tuple[Finding, ...]:
    results: dict[str, object] = {}
    failures: dict[str, Finding] = {}
    for engine in OWN_ENGINES:
        try:
            results[engine] = _small_run(engine)
        except Exception as error:
            failures[engine] = _failure(engine, error)
    if not failures and results["duckdb"] != results["reference"]:
        failures["duckdb"] = _difference_finding("duckdb", "duckdb")
    return tuple(failures.get(name, Finding(name, State.WORKS, words)) for name, words in OWN_ENGINES.items())


def _small_run(engine: str) -> object:
    """The verdicts and the output file of a run from file to file."""
    from acompass.api import run

    with temporary_folder() as folder:
        table, released = Path(folder, "table.csv"), Path(folder, "released.csv")
        table.write_text(CSV, encoding="utf-8")
        result = run(POLICY, table, params=PARAMS, seed="doctor", order="canonical", output=released, engine=engine)
        return result.requirements, released.read_bytes()


def _ask_engine(url: str, name: str) -> Finding:
    """Test an engine without files, which the workers of a cluster could not reach."""
    from acompass.testing.conformance.differential import agrees

    try:
        if not agrees(url, small_case()):
            return _difference_finding(name, "URL")
    except Exception as error:
        return _failure(name, error)
    return Finding(name, State.WORKS, "agrees with `reference` on a small policy")


def _engine_names(urls: Sequence[str]) -> Iterator[str]:
    """The schemes of the URLs: everything else in a URL may be a host, a user or a password."""
    from acompass.engines.registry import known_schemes

    known = known_schemes()
    schemes = [found[0] if (found := re.match(r"\w+", url)) and found[0] in known else "engine" for url in urls]
    for number, scheme in enumerate(schemes, start=1):
        yield scheme if schemes.count(scheme) == 1 else f"{scheme} {schemes[:number].count(scheme)}"


def _difference_finding(name: str, url: str) -> Finding:
    detail = "fails, or its results differ from those of `reference`"
    return Finding(name, State.BROKEN, detail, f"acompass conform --engine {url}")


def _failure(name: str, error: Exception) -> Finding:
    if not isinstance(error, AcompassError):
        return Finding(name, State.BROKEN, f"fails with `{type(error).__name__}`")
    first = error.diagnostics[0]
    reasons = (words for pattern, words in _REASONS.items() if re.search(pattern, first.message, re.IGNORECASE))
    detail = ": ".join([CODES[first.code], *list(reasons)[:1]])
    return Finding(name, State.BROKEN, detail, page_command(first.code))


def small_case() -> "Case":
    """The small policy and its table as a conformance case."""
    from acompass.language.program.types import INTEGER, TEXT, Column
    from acompass.testing.conformance.cases import Case

    types = (INTEGER, TEXT, TEXT, INTEGER)
    schema = tuple(map(Column, _COLUMNS, types))
    return Case(POLICY, schema, list(_RECORDS), [Fraction(1, 3)] * len(_RECORDS), dict(PARAMS))


def examine_files() -> tuple[Finding, ...]:
    return (
        _files_finding("error pages", sum(page_path(code).is_file() for code in CODES), len(CODES)),
        _files_finding("studio page", sum(map(_is_bundled, FILES)), len(FILES)),
    )


def _files_finding(name: str, found: int, expected: int) -> Finding:
    if found < expected:
        return Finding(name, State.BROKEN, f"{found} of {expected} files", REINSTALL)
    return Finding(name, State.WORKS, f"{expected} files")


def _is_bundled(name: str) -> bool:
    try:
        return len(read_bundle(name)) > 0
    except OSError:
        return False


def examine_machine(has_spark: bool) -> tuple[Finding, ...]:
    found = (temporary_space(), memory(), processors(), encoding())
    return (*found, java()) if has_spark else found


def temporary_space() -> Finding:
    """Report free space only as a size class, and never the folder."""
    name = "temporary files"
    try:
        with temporary_folder() as folder:
            Path(folder, "file").write_bytes(b"\0" * 4096)
            free = shutil.disk_usage(folder).free
    except OSError:
        return Finding(name, State.BROKEN, "cannot be written", "set TMPDIR to a folder with free space")
    return Finding(name, State.WORKS, f"{_space_class(free)} free")


def _space_class(free: int) -> str:
    if free < _GB:
        return "less than 1 GB"
    least = max(bound for bound in (1, 10, 100) if free >= bound * _GB)
    return f"more than {least} GB"


def memory() -> Finding:
    physical, limit = _physical_memory(), _memory_limit()
    if physical is None:
        return Finding("memory", State.WORKS, "of unknown size")
    if limit is None or limit >= physical:
        return Finding("memory", State.WORKS, _gib(physical))
    return Finding("memory", State.WORKS, f"{_gib(limit)} for this process, of {_gib(physical)}")


def _gib(size: int) -> str:
    return f"{size / _GIB:.1f} GiB"


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return None


def _memory_limit() -> int | None:
    """The strictest of the container's limits and the process's own."""
    limits = []
    for path in _CONTAINER_LIMITS:
        with suppress(OSError, ValueError):  # no such file, or `max`
            limits.append(int(path.read_text(encoding="ascii")))
    with suppress(ImportError):  # Windows
        import resource

        limits.append(resource.getrlimit(resource.RLIMIT_AS)[0])
    return min((limit for limit in limits if limit > 0), default=None)


def processors() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Finding("processors", State.WORKS, str(usable or "of unknown number"))


def encoding() -> Finding:
    name = (getattr(sys.stdout, "encoding", None) or "unknown").lower()
    lacks = "" if name.startswith("utf") else ", other characters are escaped"
    return Finding("encoding", State.WORKS, name + lacks)


def java() -> Finding:
    """The Java that Spark would start."""
    advice = f"install Java {_LEAST_JAVA} or later, or remove pyspark"
    found = _java_version()
    if found is None:
        return Finding("java", State.BROKEN, "needed by Spark, but missing or broken", advice)
    if int(found.split(".")[0]) < _LEAST_JAVA:
        return Finding("java", State.BROKEN, f"{found}: too old for Spark", advice)
    return Finding("java", State.WORKS, found)


def _java_version() -> str | None:
    home = os.environ.get("JAVA_HOME")
    program = os.path.join(home, "bin", "java") if home else "java"
    try:
        ran = subprocess.run(
            [program, "-version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_JAVA_TIMEOUT
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(rb'version "(\d+(?:\.\d+)*)', ran.stderr)
    return found[1].decode() if found and ran.returncode == 0 else None
