"""Exchange messages over standard input and output. Nothing else may write to standard output."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from types import FrameType
from typing import Any

from pygls.io_ import StdoutWriter, run_async

from acompass.assist.lsp.server import Server
from acompass.assist.lsp.threads import wait_for_threads

_INPUT, _OUTPUT, _ERROR = 0, 1, 2
_BLOCK = 1 << 16
#: seconds that running work may still take when the server ends
_GRACE = 2.0


def serve(server: Server) -> int:
    """Answer messages until the client sends `exit` or closes its end; return the exit code."""
    # pygls logs whole messages, which contain the policy
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    output = os.fdopen(_reserve_output(), "wb")
    server.protocol.set_writer(StdoutWriter(output))
    signals = _Signals()
    code = 0
    try:
        asyncio.run(_answer(server, signals))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except (BrokenPipeError, asyncio.CancelledError):
        code = 0
    server.end()
    ended = wait_for_threads(_GRACE)
    signals.pass_on()
    if not ended:
        os._exit(code)  # an engine that is stuck must not keep the process alive
    return code


class _Signals:
    """End the loop between two messages on a signal, then pass the signal to the previous handler, which ends the
    command."""

    def __init__(self) -> None:
        self._before: dict[int, Any] = {}
        self._arrived: int | None = None

    def listen(self, stop: Callable[[], object]) -> None:
        self._stop = stop
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)
            if number is not None and callable(signal.getsignal(number)):  # an ignored signal stays ignored
                self._before[number] = signal.signal(number, self._note)

    def pass_on(self) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        if self._arrived is not None:
            self._before[self._arrived](self._arrived, None)

    def _note(self, number: int, _: FrameType | None) -> None:
        self._arrived = self._arrived or number
        with suppress(RuntimeError):  # the loop has ended already
            self._stop()


def _reserve_output() -> int:
    """Reserve standard output for messages: redirect all other output to standard error."""
    messages = os.dup(_OUTPUT)
    os.dup2(_ERROR, _OUTPUT)
    return messages


async def _answer(server: Server, signals: _Signals) -> None:
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"
    signals.listen(lambda: loop.call_soon_threadsafe(task.cancel))
    _feed(loop, reader)
    try:
        await run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)
    except asyncio.IncompleteReadError:
        sys.stderr.write("acompass lsp: the last message is incomplete\n")


def _feed(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    """Read without a thread where possible: nothing could wake up a thread when the server must end."""

    def read() -> None:
        if not _feed_block(reader, os.read(_INPUT, _BLOCK)):
            loop.remove_reader(_INPUT)

    try:
        loop.add_reader(_INPUT, read)
    except (NotImplementedError, PermissionError):  # on Windows, and for a file
        Thread(target=_read_in_thread, args=(loop, reader), daemon=True).start()


def _read_in_thread(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    block = b"-"
    while block:
        block = os.read(_INPUT, _BLOCK)
        loop.call_soon_threadsafe(_feed_block, reader, block)


def _feed_block(reader: asyncio.StreamReader, block: bytes) -> bool:
    if block:
        reader.feed_data(block)
    else:
        reader.feed_eof()
    return bool(block)
