"""`acompass studio`: work on a policy in the browser.

This file does not import the server's libraries, so that `acompass` can report that they are missing, and
`acompass doctor` can read the page's files."""

import importlib.util
from importlib.resources import files

from acompass.engines.errors import library_needed

_LIBRARIES = ("starlette", "tomlkit", "uvicorn")


def require_studio() -> None:
    missing = [name for name in _LIBRARIES if importlib.util.find_spec(name) is None]
    if missing:
        raise library_needed("AC801", "`studio`", " and ".join(missing), "studio")


#: the only files that are served; the page loads `more.js` on first use
FILES = {**dict.fromkeys(("studio.js", "chunk.js", "more.js"), "text/javascript"), "studio.css": "text/css"}


def read_bundle(name: str) -> bytes:
    return files(__package__).joinpath("static", name).read_bytes()
