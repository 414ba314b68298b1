"""An error as the object that `--json` prints in place of a result."""

from typing import Any

from acompass.diagnostics import AcompassError


def error_object(error: AcompassError) -> dict[str, Any]:
    from acompass.diagnostics.render import render_json

    return {"diagnostics": render_json(error.diagnostics, error.source, error.name)}
