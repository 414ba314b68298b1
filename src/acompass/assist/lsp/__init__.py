"""`acompass lsp`: serve the help of `assist` to any editor through the Language Server Protocol.

This file does not import pygls, so that `acompass` can report that it is missing."""

import importlib.util

from acompass.engines.errors import library_needed


def require_pygls() -> None:
    if importlib.util.find_spec("pygls") is None:
        raise library_needed("AC811", "`lsp`", "pygls", "lsp")
