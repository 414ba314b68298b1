"""What can be said about a policy, a table or a call: data, not text. Rendering is in `render`."""

from acompass.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from acompass.diagnostics.errors import (
    AcompassError,
    CallError,
    Canceled,
    EngineError,
    PolicyError,
    TableError,
)

__all__ = [
    "AcompassError",
    "CallError",
    "Canceled",
    "Diagnostic",
    "EngineError",
    "Label",
    "PolicyError",
    "Severity",
    "Span",
    "TableError",
]
