"""Whether the files of the installation that are not code are there."""

from acompass.diagnostics.codes import CODES
from acompass.diagnostics.pages import page_of
from acompass.doctor.libraries import REINSTALL
from acompass.health import Finding, State
from acompass.studio.bundle import FILES, bundled


def installed_files() -> tuple[Finding, ...]:
    return (
        _complete("pages of errors", sum(page_of(code).is_file() for code in CODES), len(CODES)),
        _complete("page of the studio", sum(map(_is_bundled, FILES)), len(FILES)),
    )


def _complete(name: str, found: int, expected: int) -> Finding:
    if found < expected:
        return Finding(name, State.BROKEN, f"{found} of {expected} files", REINSTALL)
    return Finding(name, State.WORKS, f"{expected} files")


def _is_bundled(name: str) -> bool:
    try:
        return len(bundled(name)) > 0
    except OSError:
        return False
