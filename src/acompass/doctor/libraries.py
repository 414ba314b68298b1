"""Whether the libraries of acompass and of its optional parts are installed, and can be imported."""

import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

from acompass.doctor.needs import Need, is_older, parts_of
from acompass.health import Finding, State

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
_PATIENCE = 120
_FAILED = 3
#: a child imports a library, because a broken one can end its process
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
#: parts of an exception's text that are no path: a library of the system, or a version of the C library
_LACKS = re.compile(r"([\w+.-]+\.so[\w.]*): cannot open shared object|(GLIBC\w*_[\d.]+)' not found")


@dataclass(frozen=True, slots=True)
class Library:
    """`failure` says why it cannot be used; None if it can, or is not there."""

    name: str
    version: str | None
    failure: str | None

    @property
    def is_there(self) -> bool:
        return self.version is not None

    @property
    def text(self) -> str:
        return f"{self.name} {self.version}"


def examined(needed: Iterable[Need]) -> dict[str, Library]:
    """Each library once, by its name."""
    strictest = {need.library: need for need in sorted(needed, key=lambda need: need.least)}
    with ThreadPoolExecutor(max_workers=4) as pool:
        return dict(zip(strictest, pool.map(_library, strictest.values()), strict=True))


def required(needed: Iterable[Need], libraries: Mapping[str, Library]) -> tuple[Finding, ...]:
    return tuple(_required(libraries[need.library]) for need in needed if need.part is None)


def optional(needed: Iterable[Need], libraries: Mapping[str, Library]) -> tuple[Finding, ...]:
    return tuple(
        _part(part, [libraries[need.library] for need in own]) for part, own in parts_of(needed).items()
    )


def unusable(libraries: Mapping[str, Library]) -> Collection[str]:
    return {name for name, library in libraries.items() if library.failure or not library.is_there}


def _library(need: Need) -> Library:
    if find_spec(need.module) is None:
        return Library(need.library, None, None)
    found = _version(need.library)
    if found is not None and is_older(found, need.least):
        return Library(need.library, found, f"{need.least} or later is needed")
    return Library(need.library, found or "of unknown version", _import_failure(need.module))


def _version(library: str) -> str | None:
    try:
        return version(library)
    except PackageNotFoundError:
        return None


def _import_failure(module: str) -> str | None:
    # -P: a file of that name in the working folder is not the library
    command = [sys.executable, "-P", "-c", _IMPORT, module]
    try:
        ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        return f"its import does not end within {_PATIENCE} seconds"
    match ran.returncode:
        case 0:
            return None
        case code if code == _FAILED:
            return _reason(*ran.stderr.decode("utf-8", "replace").rsplit("\0", 2)[1:])
        case _:
            return "its import crashes"


def _reason(kind: str, text: str) -> str:
    """The type of the exception and what the system lacks. The rest of its text may have a path in it."""
    lacks = _LACKS.search(text)
    reason = f"its import fails with `{kind}`"
    return reason if lacks is None else f"{reason}, {lacks[1] or lacks[2]} is missing"


def _required(library: Library) -> Finding:
    if not library.is_there:
        return Finding(library.name, State.BROKEN, "not installed", REINSTALL)
    if library.failure is not None:
        return Finding(library.name, State.BROKEN, f"{library.version}: {library.failure}", REINSTALL)
    return Finding(library.name, State.WORKS, str(library.version))


def _part(part: str, libraries: Sequence[Library]) -> Finding:
    failures = [f"{library.text}: {library.failure}" for library in libraries if library.failure]
    if failures:
        return Finding(part, State.BROKEN, "; ".join(failures), f"{_REINSTALL} 'acompass[{part}]'")
    if not all(library.is_there for library in libraries):
        return Finding(part, State.MISSING, PURPOSES[part], f"pip install 'acompass[{part}]'")
    return Finding(part, State.WORKS, ", ".join(library.text for library in libraries))
