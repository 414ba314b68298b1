"""Read a trace file with one decimal per line (D19). The pipeline validates the decimals."""

from pathlib import Path

from acompass.diagnostics import CallError, Diagnostic


def read_trace(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except OSError as error:
        raise CallError([_unreadable(path, (error.strerror or "unknown reason").lower())]) from None
    except UnicodeDecodeError:
        raise CallError([_unreadable(path, "not UTF-8 text")]) from None


def _unreadable(path: Path, reason: str) -> Diagnostic:
    return Diagnostic(
        code="AC492",
        message=f"cannot read trace `{path}`: {reason}",
        help="use a file with decimals in [0,1), one per line",
    )
