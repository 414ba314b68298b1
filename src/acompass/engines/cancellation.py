"""A call under way can be canceled from another thread, between two statements or within one."""

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
        """Raise if the call was canceled."""
        if self._requested.is_set():
            raise canceled()
