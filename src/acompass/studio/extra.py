"""The libraries of `acompass[studio]`; imports none of them, so that their lack can be told."""

import importlib.util

from acompass.diagnostics import CallError, Diagnostic

_LIBRARIES = ("starlette", "uvicorn")


def require_studio() -> None:
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        message = f"`studio` needs {' and '.join(missing)}"
        raise CallError([Diagnostic("AC801", message, help="pip install 'acompass[studio]'")])
