"""The search for a policy that is running: its progress, and how it is told to stop."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock


@dataclass(slots=True)
class Search:
    """`part` of the search is done, and the best policy so far loses `loss`."""

    part: float = 0.0
    loss: float | None = None
    stopping: bool = False
    is_newest: bool = True

    def note(self, part: float, loss: float) -> None:
        self.part, self.loss = part, loss


class Searches:
    """Only the newest counts: an older one is stopped."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.newest: Search | None = None

    @contextmanager
    def begin(self) -> Iterator[Search]:
        search = Search()
        with self._lock:
            if self.newest is not None:
                self.newest.stopping, self.newest.is_newest = True, False
            self.newest = search
        try:
            yield search
        finally:
            with self._lock:
                if self.newest is search:
                    self.newest = None

    def stop(self) -> None:
        """Ask for the best policy so far."""
        with self._lock:
            if self.newest is not None:
                self.newest.stopping = True
