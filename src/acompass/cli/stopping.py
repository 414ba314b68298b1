"""Ctrl-C that asks a command for what it has so far. The second one ends it."""

import signal
from types import FrameType

from acompass.cli.interrupts import handled_signals
from acompass.leftovers import note_stoppable


class Stop:
    """Whether Ctrl-C was pressed since this was first asked. Before that, Ctrl-C ends the command as usual.

    A terminal sends the signal to the command and to its supervisor. So that one key press does not count
    twice, only the supervisor listens, and asks the command by another signal.
    """

    def __init__(self) -> None:
        self.arrived = False
        self._listens = False

    def __call__(self) -> bool:
        if not self._listens:
            self._listens = True
            self._listen()
        return self.arrived

    def _listen(self) -> None:
        if signal.SIGINT not in handled_signals():  # ignored in the background
            return
        before = signal.getsignal(signal.SIGINT)
        if hasattr(signal, "SIGUSR1"):
            signal.signal(signal.SIGUSR1, self._note)
        if note_stoppable():
            signal.signal(signal.SIGINT, _pass)
        else:
            self._end = before
            signal.signal(signal.SIGINT, self._note_or_end)

    def _note(self, *_: object) -> None:
        self.arrived = True

    def _note_or_end(self, number: int, frame: FrameType | None) -> None:
        if self.arrived and callable(self._end):
            self._end(number, frame)
        self.arrived = True


def _pass(*_: object) -> None:
    """The supervisor has the signal too."""
