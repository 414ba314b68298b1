"""Show a progress bar if standard error is a terminal and the command takes longer than a second."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

_DELAY = 1.0
_REFRESH_INTERVAL = 0.1


@contextmanager
def progress_bar(wanted: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A callback for the number of finished requirements and their total; None if no bar is shown."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    bar = _Bar()
    bar.start()
    try:
        yield bar.count
    finally:
        bar.over.set()
        bar.join()


class _Bar(Thread):
    """Runs in a separate thread, because the main thread waits for the engine."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.over = Event()
        self._counts = (0, 1)

    def count(self, done: int, total: int) -> None:
        self._counts = (done, total)

    def run(self) -> None:
        if not self.over.wait(_DELAY):
            self._show()

    def _show(self) -> None:
        # slow to import, so only when the bar appears
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task("", total=None)
            while not self.over.wait(_REFRESH_INTERVAL):
                done, total = self._counts
                progress.update(task, completed=done, total=total)
