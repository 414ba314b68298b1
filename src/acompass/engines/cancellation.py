"""Cancel a running call from another thread, between two statements or during one."""

from threading import Event

from acompass.engines.errors import canceled


class Cancellation:
    def __init__(self) -> None:
        self._requested = Event()

    def request(self) -> None:
        self._requested.set()

    def reset(self) -> None:
        self._requested.clear()

    def check(self) -> None:
        """Raise Canceled if cancellation was requested."""
        if self._requested.is_set():
            raise canceled()
