"""Common behavior of all commands: examples in the help, --max-errors, exit codes, and where output goes.

Results go to standard output, messages and the progress bar to standard error."""

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from threading import Event, Thread
from typing import Any, NoReturn, TextIO, TypeAlias

import click
from click import ClickException
from click.exceptions import Exit

from acompass.cli.supervisor import interrupts_within
from acompass.errors.diagnostics import MOST_SHOWN, AcompassError, Diagnostic
from acompass.errors.display import Style
from acompass.tables.temporary_files import note_end

#: seconds before the progress bar appears
_DELAY = 1.0
_REFRESH_INTERVAL = 0.1


def print_out(text: str) -> None:
    """Write and flush, so that a closed pipe raises here and not when Python exits."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def print_err(text: str) -> None:
    sys.stderr.write(text if text.endswith("\n") else text + "\n")
    sys.stderr.flush()


def write_utf8() -> None:
    """Encode standard output as UTF-8 in every locale, as readers of a report file expect."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def shows_color(stream: TextIO) -> bool:
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def stream_style(stream: TextIO) -> Style:
    width = shutil.get_terminal_size().columns if stream.isatty() else None
    return Style(color=shows_color(stream), width=width)


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback for the number of finished requirements and their total; None if no bar is shown."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    bar = _ProgressBar()
    bar.start()
    try:
        yield bar.set_counts
    finally:
        bar.done.set()
        bar.join()


class _ProgressBar(Thread):
    """Runs in a separate thread, because the main thread waits for the engine."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done = Event()
        self._counts = (0, 1)

    def set_counts(self, done: int, total: int) -> None:
        self._counts = (done, total)

    def run(self) -> None:
        if not self.done.wait(_DELAY):
            self._show()

    def _show(self) -> None:
        # slow to import, so import it only when the bar appears
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("", total=None)
            while not self.done.wait(_REFRESH_INTERVAL):
                done, total = self._counts
                progress.update(task, completed=done, total=total)


VIOLATED = 1
WRONG = 2
#: plus the number of the signal, as in shells: 130 for Ctrl-C
SIGNALED = 128
#: the reader of standard output has closed it, as in `acompass run … -o - | head`: 128 plus the number of SIGPIPE,
#: which Windows lacks
BROKEN_PIPE = SIGNALED + 13

_LIMIT = "acompass.max_errors"

ReportError: TypeAlias = Callable[[AcompassError], None]


class Command(click.Command):
    """A command with --max-errors, whose epilog contains one example per line."""

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.params.append(_max_errors_option())

    def get_short_help_str(self, limit: int = sys.maxsize) -> str:
        """The complete first sentence; the list of commands wraps it."""
        return super().get_short_help_str(sys.maxsize)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the reading options, which all commands share, below the others."""
        titled: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            record = None if isinstance(param, click.Argument) else param.get_help_record(ctx)
            if record is not None:
                titled.setdefault(getattr(param, "title", "Options"), []).append(record)
        for title, records in titled.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples without wrapping, so that they can be copied."""
        with formatter.section("Examples"):
            for example in (self.epilog or "").splitlines():
                formatter.write(f"{'':{formatter.current_indent}}{example}\n")


def _max_errors_option() -> click.Option:
    return click.Option(
        ["--max-errors"],
        type=click.IntRange(min=1),
        default=MOST_SHOWN,
        metavar="N",
        expose_value=False,
        callback=_store_max_errors,
        help="Print at most N errors or findings.",
    )


def _store_max_errors(context: click.Context, _: click.Parameter, most: int) -> None:
    context.meta[_LIMIT] = most


def max_errors() -> int:
    """The limit given to the running command."""
    context = click.get_current_context(silent=True)
    most: int = MOST_SHOWN if context is None else context.meta.get(_LIMIT, MOST_SHOWN)
    return most


@contextmanager
def exit_codes(report_error: ReportError | None = None) -> Iterator[None]:
    """Turn exceptions into exit codes. `report_error` also writes the error in the format of the report."""
    with interrupts_within() as interrupts:
        try:
            yield
        except (Exit, ClickException):
            raise
        except (Exception, KeyboardInterrupt) as error:
            if interrupts.arrived or isinstance(error, KeyboardInterrupt):
                note_end()
                print_err("interrupted")
                raise Exit(SIGNALED + (interrupts.arrived or signal.SIGINT)) from None
            _exit_with_error(error, report_error)


def _exit_with_error(error: BaseException, report_error: ReportError | None) -> NoReturn:
    match error:
        case BrokenPipeError():
            _discard_standard_output()
            raise Exit(BROKEN_PIPE) from None
        case AcompassError():
            reported = error
        case _:
            if os.environ.get("ACOMPASS_DEBUG"):
                traceback.print_exception(error)
            reported = AcompassError([_internal_error(error)])
    print_error(reported)
    if report_error is not None:
        report_error(reported)
    raise Exit(WRONG) from None


def print_error(error: AcompassError) -> None:
    from acompass.errors.rendering import render_text

    color = shows_color(sys.stderr)
    print_err(render_text(error.diagnostics, error.source, error.name, color, max_errors()).rstrip("\n"))


def worst_code(inputs: Iterable[str], perform: Callable[[str], None]) -> int:
    """Perform a command for every input, even if some fail, and return the worst exit code."""
    worst = 0
    for each in inputs:
        try:
            perform(each)
        except Exit as end:
            if end.exit_code > WRONG:  # interrupted, or standard output is closed
                raise
            worst = max(worst, end.exit_code)
    return worst


def exit_by_verdict(ok: bool) -> None:
    if not ok:
        raise Exit(VIOLATED)


def _internal_error(error: BaseException) -> Diagnostic:
    """Report only the exception's type: its message may contain record values."""
    return Diagnostic(
        code="AC901",
        message=f"internal error: `{type(error).__name__}`",
        help="run again with `ACOMPASS_DEBUG=1` to see a traceback, which may contain personal data",
    )


def _discard_standard_output() -> None:
    """Redirect standard output: Python flushes it at exit, which would fail on the closed pipe."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
