"""Messages on standard input and output. Nothing else may reach standard output."""

import asyncio
import logging
import os
import sys
from threading import Event, Thread

from pygls.io_ import StdoutWriter, run_async

from acompass.lsp.server import Server
from acompass.lsp.threads import have_ended

_INPUT, _OUTPUT, _ERROR = 0, 1, 2
_BLOCK = 1 << 16
#: seconds for what is still running when the server is told to end
_GRACE = 2.0


def serve(server: Server) -> int:
    """Answer messages until the client says `exit` or closes its end. Returns the exit code."""
    # pygls logs whole messages, which contain the policy
    logging.getLogger("pygls").setLevel(logging.CRITICAL + 1)
    output = os.fdopen(_reserved_output(), "wb")
    server.protocol.set_writer(StdoutWriter(output))
    code = 0
    try:
        asyncio.run(_answer(server))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 1
    except BrokenPipeError:
        code = 0
    finally:
        server.end()
        ended = have_ended(_GRACE)
    if not ended:
        os._exit(code)  # an engine that is stuck must not keep the process
    return code


def _reserved_output() -> int:
    """Standard output for messages alone: what anything else prints goes to standard error."""
    messages = os.dup(_OUTPUT)
    os.dup2(_ERROR, _OUTPUT)
    return messages


async def _answer(server: Server) -> None:
    reader = asyncio.StreamReader()
    _feed(asyncio.get_running_loop(), reader)
    try:
        await run_async(Event(), reader, server.protocol, error_handler=server.report_server_error)
    except asyncio.IncompleteReadError:
        sys.stderr.write("acompass lsp: the last message is incomplete\n")


def _feed(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    """Read without a thread where that is possible: nothing could wake one up when the server must end."""

    def read() -> None:
        if not _took(reader, os.read(_INPUT, _BLOCK)):
            loop.remove_reader(_INPUT)

    try:
        loop.add_reader(_INPUT, read)
    except (NotImplementedError, PermissionError):  # on Windows, and for a file
        Thread(target=_read_in_thread, args=(loop, reader), daemon=True).start()


def _read_in_thread(loop: asyncio.AbstractEventLoop, reader: asyncio.StreamReader) -> None:
    block = b"-"
    while block:
        block = os.read(_INPUT, _BLOCK)
        loop.call_soon_threadsafe(_took, reader, block)


def _took(reader: asyncio.StreamReader, block: bytes) -> bool:
    if block:
        reader.feed_data(block)
    else:
        reader.feed_eof()
    return bool(block)
