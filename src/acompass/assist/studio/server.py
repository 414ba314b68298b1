"""Run the studio's server in its own thread, so that a signal is handled at once.

It listens on one port and accepts connections from this machine only."""

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import uvicorn

from acompass.assist.studio.access import HOST, Access
from acompass.assist.studio.app import studio_app
from acompass.assist.studio.state import Start, Studio
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic

#: seconds that an answer may still take when the studio ends
_GRACE = 1


@dataclass(frozen=True, slots=True)
class Running:
    access: Access
    _ended: Event

    def wait(self) -> None:
        """Return if the server ends by itself. A signal may interrupt this; if it interrupted `Thread.join`, the
        thread would count as ended."""
        self._ended.wait()


@contextmanager
def run_studio(start: Start, port: int | None = None) -> Iterator[Running]:
    """Open the table and answer questions; at the end, cancel all questions and remove temporary files."""
    with listen(port) as listening, _run_server(Studio(start), listening) as running:
        yield running


@contextmanager
def _run_server(studio: Studio, listening: socket.socket) -> Iterator[Running]:
    access = Access(listening_port(listening))
    server = _Server(_config(studio, access))
    thread = Thread(target=server.run, args=([listening],), name="acompass-studio")
    thread.start()
    try:
        server.answers.wait()
        yield Running(access, server.ended)
    finally:
        server.should_exit = True
        studio.stop()
        thread.join()


class _Server(uvicorn.Server):
    """Signals other threads when it starts to answer or fails to start, and when it has ended."""

    def __init__(self, config: uvicorn.Config):
        super().__init__(config)
        self.answers, self.ended = Event(), Event()

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            super().run(sockets)
        finally:
            self.answers.set()
            self.ended.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.answers.set()


def _config(studio: Studio, access: Access) -> uvicorn.Config:
    """Turn logs off: an address contains the token, and a traceback may contain record values."""
    return uvicorn.Config(
        studio_app(studio, access),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )


_ANY_FREE = 0


def listen(port: int | None) -> socket.socket:
    """Listen on a port, by default a random free one."""
    # with an explicit protocol, asyncio sends small answers at once and not 40 ms later
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, _ANY_FREE if port is None else port))
    except OSError as error:
        listening.close()
        raise _unusable(port, error) from None
    return listening


def listening_port(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def _unusable(port: int | None, error: OSError) -> CallError:
    if error.errno == errno.EADDRINUSE:
        message, help_ = f"port {port} is in use", "choose another, or omit `--port` for a random free one"
    else:
        reason = (error.strerror or "unknown reason").lower()
        message, help_ = f"port {port} cannot be used: {reason}", "omit `--port` for a random free one"
    return CallError([Diagnostic("AC802", message, help=help_)])
