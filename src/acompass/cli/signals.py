"""Handle the signals that end a command, or ask it for the best result so far.

Signals are recorded, because an engine may replace the KeyboardInterrupt with its own exception."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from acompass.cli.supervisor import handled_signals
from acompass.dataclasses import dataclass
from acompass.tables.temporary_files import note_stoppable


@dataclass(slots=True)
class Interrupts:
    arrived: signal.Signals | None = None

    def note(self, number: int, _frame: FrameType | None) -> None:
        """Raise on the first signal only: a second one must not interrupt the removal of temporary files."""
        if self.arrived is None:
            self.arrived = signal.Signals(number)
            if "logging" in sys.modules:
                sys.modules["logging"].disable()  # py4j logs the interrupt with a traceback
            raise KeyboardInterrupt


_outermost: Interrupts | None = None


def note_interrupts() -> Interrupts:
    """Raise KeyboardInterrupt on these signals, so that temporary files with records are removed.

    The handlers stay installed until the process ends, so that a late second signal does not disturb it.
    """
    global _outermost
    _outermost = Interrupts()
    for each in handled_signals():
        signal.signal(each, _outermost.note)
    return _outermost


@contextmanager
def interrupts_within() -> Iterator[Interrupts]:
    """Record interrupts within this context, unless an outer context already does."""
    global _outermost
    if _outermost is not None:
        yield _outermost
        return
    before = {each: signal.getsignal(each) for each in handled_signals()}
    try:
        yield note_interrupts()
    finally:
        _outermost = None
        for each, handler in before.items():
            signal.signal(each, handler)


class Stop:
    """Returns True if Ctrl-C was pressed since the first call. Before the first call, Ctrl-C ends the command as usual.

    A terminal sends the signal to the command and to its supervisor. To count a key press only once, the command
    ignores it, and the supervisor forwards it as another signal.
    """

    def __init__(self) -> None:
        self.arrived = False
        self._is_listening = False

    def __call__(self) -> bool:
        if not self._is_listening:
            self._is_listening = True
            self._listen()
        return self.arrived

    def _listen(self) -> None:
        if signal.SIGINT not in handled_signals():  # ignored in the background
            return
        before = signal.getsignal(signal.SIGINT)
        if hasattr(signal, "SIGUSR1"):
            signal.signal(signal.SIGUSR1, self._note)
        if note_stoppable():
            signal.signal(signal.SIGINT, _ignore_signal)
        else:
            self._end = before
            signal.signal(signal.SIGINT, self._note_or_end)

    def _note(self, *_: object) -> None:
        self.arrived = True

    def _note_or_end(self, number: int, frame: FrameType | None) -> None:
        if self.arrived and callable(self._end):
            self._end(number, frame)
        self.arrived = True


def _ignore_signal(*_: object) -> None:
    """The supervisor receives the signal too."""
