"""The exit codes, and the mapping of exceptions to them."""

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn, TypeAlias

from click import ClickException
from click.exceptions import Exit

from acompass.cli.command import max_errors
from acompass.cli.interrupts import noted_interrupts
from acompass.cli.streams import print_err, print_out, shows_color
from acompass.diagnostics import AcompassError, Diagnostic
from acompass.leftovers import note_end

VIOLATED = 1
WRONG = 2
#: the number of the signal is added, as in shells: 130 for Ctrl-C
SIGNALED = 128
#: nobody reads standard output any more, as in `acompass run … -o - | head`: 128 and the number of SIGPIPE,
#: which Windows lacks
UNREAD = SIGNALED + 13

ReportError: TypeAlias = Callable[[AcompassError], None]


@contextmanager
def exit_codes(report_error: ReportError | None = None) -> Iterator[None]:
    """Turn exceptions into exit codes. `report_error` also writes the error to standard output as data."""
    with noted_interrupts() as interrupts:
        try:
            yield
        except (Exit, ClickException):
            raise
        except (Exception, KeyboardInterrupt) as error:
            if interrupts.arrived or isinstance(error, KeyboardInterrupt):
                _stop(interrupts.arrived or signal.SIGINT)
            _end(error, report_error)


def _stop(sign: signal.Signals) -> NoReturn:
    note_end()
    print_err("interrupted")
    raise Exit(SIGNALED + sign) from None


def _end(error: BaseException, report_error: ReportError | None) -> NoReturn:
    match error:
        case BrokenPipeError():
            _drop_standard_output()
            raise Exit(UNREAD) from None
        case AcompassError():
            _fail(error, report_error)
        case _:
            if os.environ.get("ACOMPASS_DEBUG"):
                traceback.print_exception(error)
            _fail(AcompassError([_internal(error)]), report_error)


def _fail(error: AcompassError, report_error: ReportError | None) -> NoReturn:
    print_error(error)
    if report_error is not None:
        report_error(error)
    raise Exit(WRONG) from None


def print_error(error: AcompassError) -> None:
    from acompass.diagnostics.render import render_text

    color = shows_color(sys.stderr)
    print_err(render_text(error.diagnostics, error.source, error.name, color, max_errors()).rstrip("\n"))


def print_error_json(error: AcompassError) -> None:
    from acompass.report.json.document import to_json
    from acompass.report.json.error import error_object

    print_out(to_json(error_object(error, max_errors())))


def exit_with_worst(inputs: Iterable[str], perform: Callable[[str], None]) -> NoReturn:
    """Perform a command for each input, whatever becomes of the others. The worst exit code wins."""
    worst = 0
    for each in inputs:
        try:
            perform(each)
        except Exit as end:
            if end.exit_code > WRONG:  # interrupted, or nobody reads on
                raise
            worst = max(worst, end.exit_code)
    raise Exit(worst)


def exit_by_verdict(ok: bool) -> None:
    if not ok:
        raise Exit(VIOLATED)


def _internal(error: BaseException) -> Diagnostic:
    """Show only the type of the exception, because its text may contain a value of a record."""
    return Diagnostic(
        code="AC901",
        message=f"internal error: `{type(error).__name__}`",
        help="run again with `ACOMPASS_DEBUG=1` to see a traceback, which may contain personal data",
    )


def _drop_standard_output() -> None:
    """Redirect standard output, because Python flushes it at exit, which would fail on the closed pipe."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
