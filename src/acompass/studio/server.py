"""The studio as a running server: in a thread of its own, so that a signal is handled at once."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

import uvicorn

from acompass.studio.access import Access
from acompass.studio.app import studio_app
from acompass.studio.listening import listen, port_of
from acompass.studio.start import Start
from acompass.studio.studio import Studio

#: seconds that an answer may still take once the studio is to end; then it is dropped
_GRACE = 1


@dataclass(frozen=True, slots=True)
class Running:
    access: Access
    _ended: Event

    def wait(self) -> None:
        """Return if the server ends by itself. A signal may interrupt this, but no `Thread.join`, which would
        count the thread as ended."""
        self._ended.wait()


@contextmanager
def serving(start: Start, port: int | None = None) -> Iterator[Running]:
    """Open the table and answer; in the end stop all questions, and leave nothing behind."""
    with listen(port) as listening, _running(Studio(start), listening) as running:
        yield running


@contextmanager
def _running(studio: Studio, listening: socket.socket) -> Iterator[Running]:
    access = Access(port_of(listening))
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
    """Tells other threads when it answers, or will not, and when it has ended."""

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
    """Logs are off: an address has the token, and a traceback may have a value of a record."""
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
