"""The port that the studio listens on, on this machine only."""

import errno
import socket

from acompass.diagnostics import CallError, Diagnostic
from acompass.studio.access import HOST

_ANY_FREE = 0


def listen(port: int | None) -> socket.socket:
    """A random free port if none is given."""
    # with the protocol named, asyncio sends small answers at once, not 40 ms later
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, _ANY_FREE if port is None else port))
    except OSError as error:
        listening.close()
        raise _unusable(port, error) from None
    return listening


def port_of(listening: socket.socket) -> int:
    port: int = listening.getsockname()[1]
    return port


def _unusable(port: int | None, error: OSError) -> CallError:
    if error.errno == errno.EADDRINUSE:
        message, help_ = f"port {port} is in use", "choose another, or omit `--port` for a random free one"
    else:
        reason = (error.strerror or "unknown reason").lower()
        message, help_ = f"port {port} cannot be used: {reason}", "omit `--port` for a random free one"
    return CallError([Diagnostic("AC802", message, help=help_)])
