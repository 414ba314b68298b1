"""What is wrong with a policy, a table or a call, as data. `render` turns it into text."""

from acompass.diagnostics.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Span
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
    "Edit",
    "EngineError",
    "Fix",
    "Label",
    "PolicyError",
    "Severity",
    "Span",
    "TableError",
]
