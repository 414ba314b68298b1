"""Write results to standard output, and messages and the progress bar to standard error."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from threading import Event, Thread
from typing import TextIO

from acompass.errors.display import Style

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
