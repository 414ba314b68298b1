"""Failures as messages of the protocol. None of them quotes a record."""

import os
import sys
import traceback

from lsprotocol.types import ErrorCodes, LSPErrorCodes
from pygls.exceptions import JsonRpcException

from acompass.assist.desk import Stale
from acompass.diagnostics import AcompassError


def as_response(error: Exception) -> JsonRpcException:
    """The error that answers a request."""
    match error:
        case JsonRpcException():
            return error
        case Stale():
            return JsonRpcException("the policy has changed", LSPErrorCodes.ContentModified)
        case AcompassError():
            return JsonRpcException(refusal(error), LSPErrorCodes.RequestFailed)
        case _:
            return JsonRpcException(internal(error), ErrorCodes.InternalError)


def refusal(error: AcompassError) -> str:
    first = error.diagnostics[0]
    return first.message if first.help is None else f"{first.message}; {first.help}"


def internal(error: BaseException) -> str:
    """The type alone, because the text of an exception may quote a record."""
    if os.environ.get("ACOMPASS_DEBUG"):
        traceback.print_exception(error, file=sys.stderr)
    hint = "start the server with `ACOMPASS_DEBUG=1` to see a traceback on standard error"
    return f"internal error (AC901): `{type(error).__name__}`; {hint}"
