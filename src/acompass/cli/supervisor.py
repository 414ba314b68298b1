"""Run a command in a child process, so that a signal ends it within seconds whatever an engine does, and handle the
signals that end the command, or ask it for the best result so far.

Python handles signals only between bytecode instructions, so never while an engine runs native code. If the engine
also holds the interpreter lock, no other thread can run. The supervisor gives the command some time to end by
itself, then kills it and removes its temporary files, as it does after a crash. While the command runs, it removes
those of earlier commands that were killed together with their supervisors.

Until the fork, little is imported: the child copies each page of memory that both processes use."""

import os
import select
import signal
import sys
import time
from contextlib import contextmanager, suppress

TYPE_CHECKING = False  # as in `typing`, which the child imports
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType
    from typing import NoReturn

#: seconds that an interrupted command may take to end by itself, and then each process that it started
GRACE = 3.0
_SIGNALED = 128
_STANDARD_ERROR = 2
_BLOCK = 1 << 16
#: sent by Ctrl-C, by schedulers and `timeout`, and when a terminal is closed; Windows lacks some of them
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__]


def handled_signals() -> list[signal.Signals]:
    """The signals to handle: those that are ignored, as under `nohup`, stay ignored."""
    return [each for each in _SIGNALS if signal.getsignal(each) is not signal.SIG_IGN]


def run_supervised(command: "Callable[[], None]") -> None:
    """Run a command in a child process; the supervisor exits with its exit code. Returns only without `fork`."""
    if not hasattr(os, "fork"):  # Windows
        command()
        return
    signals = _Signals()
    notes, alive = os.pipe(), os.pipe()
    child = os.fork()
    if child:
        os.close(notes[1])
        os.close(alive[0])
        _Supervisor(child, notes[0], signals).end()
    signals.restore()
    os.close(notes[0])
    os.close(alive[1])
    _run_and_exit(command, notes[1], alive[0])


def _run_and_exit(command: "Callable[[], None]", notes: int, alive: int) -> "NoReturn":
    """Exit without Python's finalization, which frees every object and takes a tenth of a short command's time."""
    import atexit
    import threading

    from acompass.tables.temporary_files import report_to

    report_to(notes)
    threading.Thread(target=_end_without_supervisor, args=(alive,), daemon=True).start()
    code: object = 0
    try:
        command()
    except SystemExit as end:
        code = end.code
    if not isinstance(code, int) or any(not each.daemon for each in threading.enumerate()[1:]):
        sys.exit(code)  # type: ignore[arg-type]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except (OSError, ValueError):
        sys.exit(code)
    os._exit(code)


def _end_without_supervisor(alive: int) -> None:
    """The pipe closes when the supervisor is killed. If the command then does not end, the next start removes its
    temporary files."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os.kill(os.getpid(), signal.SIGKILL)


class _Signals:
    """Writes the signals of this process to a pipe, so that none is missed between two reads."""

    def __init__(self) -> None:
        self.pipe, self._write = os.pipe()
        os.set_blocking(self.pipe, False)
        os.set_blocking(self._write, False)
        self._fd_before = signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        self.stopping = handled_signals()
        self._before = {each: signal.signal(each, _ignore_signal) for each in (*self.stopping, signal.SIGCHLD)}

    def restore(self) -> None:
        signal.set_wakeup_fd(self._fd_before)
        for each, handler in self._before.items():
            signal.signal(each, handler)
        os.close(self.pipe)
        os.close(self._write)


def _ignore_signal(*_: object) -> None:
    """Without a handler, the signal would not be written to the pipe."""


class _Supervisor:
    def __init__(self, child: int, notes: int, signals: _Signals) -> None:
        self._child, self._notes, self._signals = child, notes, signals
        self._unread = b""
        self._temporary_files: set[str] = set()
        self._processes: set[int] = set()
        self._has_reported = False  # the command has printed "interrupted" itself
        self._is_stoppable = False  # the command can end early with its best result so far
        self._was_asked_to_stop = False
        self._signal: int | None = None
        self._crash: int | None = None  # the signal of someone else, or of a fault, that ended the command
        self._deadline: float | None = None
        os.set_blocking(notes, False)

    def end(self) -> "NoReturn":
        _remove_abandoned_folders()
        code = self._wait()
        self._read_notes()
        if code >= _SIGNALED:
            for process in self._processes:
                _end_process(process)
        if self._temporary_files:
            from acompass.tables.temporary_files import remove_path

            for path in self._temporary_files:
                remove_path(path)
        if code >= _SIGNALED and not self._has_reported:
            with suppress(OSError):
                os.write(_STANDARD_ERROR, self._reason().encode())
        os._exit(code)

    def _reason(self) -> str:
        """Why the command ended, if a signal ended it."""
        if self._signal is not None:
            return "interrupted\n"
        if self._crash is None:  # an exit code of the command's own
            return ""
        left = any(map(os.path.lexists, self._temporary_files))
        files = "some of its temporary files could not be removed" if left else "its temporary files were removed"
        if self._crash != signal.SIGKILL:
            return f"the command crashed with {signal.Signals(self._crash).name}; {files}\n"
        help_ = "help: if memory ran out, set a limit such as `--memory-limit 2GiB`\n"
        return f"the command was killed, for example because the system ran out of memory; {files}\n{help_}"

    def _wait(self) -> int:
        """Wait until the command ends, or kill it at the deadline; return the exit code."""
        while True:
            ended, status = os.waitpid(self._child, os.WNOHANG)
            if ended:
                code = os.waitstatus_to_exitcode(status)
                self._crash = None if code >= 0 else -code
                return code if code >= 0 else _SIGNALED - code
            if self._signal is not None and self._seconds_left() == 0.0:
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
                return _SIGNALED + self._signal
            select.select([self._notes, self._signals.pipe], [], [], self._seconds_left())
            self._read_notes()
            self._read_signals()

    def _seconds_left(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def _read_signals(self) -> None:
        for number in _read(self._signals.pipe):
            if number in self._signals.stopping:
                self._stop(number)

    def _stop(self, number: int) -> None:
        """Forward the signal. After Ctrl-C, the command already has it and ignores the second one.

        The first Ctrl-C asks a stoppable command to end by itself, without a deadline; the second one kills it.
        """
        if self._is_stoppable and number == signal.SIGINT:
            if self._was_asked_to_stop:
                self._signal, self._deadline = signal.SIGINT, time.monotonic()
            else:
                self._was_asked_to_stop = True
                os.kill(self._child, signal.SIGUSR1)
            return
        os.kill(self._child, number)
        if self._signal is None:
            self._signal, self._deadline = number, time.monotonic() + GRACE

    def _read_notes(self) -> None:
        *notes, self._unread = (self._unread + _read(self._notes)).split(b"\0")
        for note in notes:
            text = os.fsdecode(note[1:])
            match note[:1]:
                case b"+":
                    self._temporary_files.add(text)
                case b"-":
                    self._temporary_files.discard(text)
                case b"!":
                    self._processes.add(int(text))
                case b"?":
                    self._is_stoppable = True
                case _:
                    self._has_reported, self._deadline = True, time.monotonic() + GRACE


def _remove_abandoned_folders() -> None:
    """Remove what killed commands left. Import the module that can only if there may be something: that takes time."""
    named = [folder for name in ("TMPDIR", "TEMP", "TMP") if (folder := os.environ.get(name))]
    found = []
    for root in {*named, "/tmp", "/var/tmp"}:
        with suppress(OSError):
            names = [name for name in os.listdir(root) if name.startswith("acompass-") and name.count("-") == 2]
            found += [os.path.join(root, name) for name in names if name[9:10].isdigit()]
    if found:
        from acompass.tables.temporary_files import remove_abandoned_folders

        remove_abandoned_folders(found)


def _read(pipe: int) -> bytes:
    """Read everything that is in the pipe now."""
    found = b""
    with suppress(BlockingIOError):
        while block := os.read(pipe, _BLOCK):
            found += block
    return found


def _end_process(process: int) -> None:
    """Wait for a process that should end when the command has ended; kill it if it does not."""
    deadline = time.monotonic() + GRACE
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.kill(process, 0)
            time.sleep(0.05)
        os.kill(process, signal.SIGKILL)


class Interrupts:
    """Signals are recorded, because an engine may replace the KeyboardInterrupt with its own exception."""

    def __init__(self) -> None:
        self.arrived: signal.Signals | None = None

    def note(self, number: int, _frame: "FrameType | None") -> None:
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
def interrupts_within() -> "Iterator[Interrupts]":
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
        from acompass.tables.temporary_files import note_stoppable

        before = signal.getsignal(signal.SIGINT)
        if hasattr(signal, "SIGUSR1"):
            signal.signal(signal.SIGUSR1, self._note)
        if note_stoppable():
            signal.signal(signal.SIGINT, _ignore_signal)  # the supervisor receives it, too
        else:
            self._end = before
            signal.signal(signal.SIGINT, self._note_or_end)

    def _note(self, *_: object) -> None:
        self.arrived = True

    def _note_or_end(self, number: int, frame: "FrameType | None") -> None:
        if self.arrived and callable(self._end):
            self._end(number, frame)
        self.arrived = True
