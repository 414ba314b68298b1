"""JSON as text."""

import json
from typing import Any


def to_json(value: Any) -> str:
    """Indented, and ASCII only: no terminal or pipe can garble it."""
    return json.dumps(value, indent=2)
