"""The studio as a running server: in a thread of its own, so that a signal is handled at once."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import uvicorn

from acompass.studio.access import Access
from acompass.studio.app import studio_app
from acompass.studio.listening import listen, port_of
from acompass.studio.start import Start
from acompass.studio.studio import Studio

#: seconds that an answer may still take once the studio is to end; then it is dropped
_GRACE = 1


class Running:
    """A server that answers, until `wait` is interrupted or the thread ends."""

    def __init__(self, access: Access, thread: Thread):
        self.access = access
        self._thread = thread

    def wait(self) -> None:
        self._thread.join()


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
        server.is_up.wait()
        yield Running(access, thread)
    finally:
        server.should_exit = True
        studio.stop()
        thread.join()


class _Server(uvicorn.Server):
    """Says when it answers, or that it never will."""

    def __init__(self, config: uvicorn.Config):
        super().__init__(config)
        self.is_up = Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.is_up.set()


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
