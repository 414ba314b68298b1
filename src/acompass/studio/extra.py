"""The libraries of `acompass[studio]`. None is imported here, so that their lack can be told."""

import importlib.util

from acompass.engines.errors import library_needed

_LIBRARIES = ("starlette", "uvicorn")


def require_studio() -> None:
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        raise library_needed("AC801", "`studio`", " and ".join(missing), "studio")
