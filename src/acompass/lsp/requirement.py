"""What the server needs beyond the package itself."""

import importlib.util

from acompass.engines.errors import library_needed


def require_pygls() -> None:
    if importlib.util.find_spec("pygls") is None:
        raise library_needed("AC811", "`lsp`", "pygls", "lsp")
