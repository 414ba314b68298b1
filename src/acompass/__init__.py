"""A-COMPASS: requirements for the release of a table of personal data, and actions that enforce them."""

import sys
from importlib import import_module

from acompass.version import __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than the rest of `acompass --version`
if TYPE_CHECKING:
    from typing import Any

    from acompass.api import check, compare, dbt, estimate, explain, lint, measure, plan, pram, prove, run, suggest
    from acompass.errors.diagnostics import AcompassError, CallError, Canceled, EngineError, PolicyError, TableError
    from acompass.policy import Policy, load, parse
    from acompass.result import Result
    from acompass.session import Session, open  # noqa: A004

__all__ = [
    "AcompassError",
    "CallError",
    "Canceled",
    "EngineError",
    "Policy",
    "PolicyError",
    "Result",
    "Session",
    "TableError",
    "__version__",
    "check",
    "compare",
    "dbt",
    "estimate",
    "explain",
    "lint",
    "load",
    "measure",
    "open",
    "parse",
    "plan",
    "pram",
    "prove",
    "run",
    "suggest",
]

_HOMES = {
    "AcompassError": "acompass.errors.diagnostics",
    "CallError": "acompass.errors.diagnostics",
    "Canceled": "acompass.errors.diagnostics",
    "EngineError": "acompass.errors.diagnostics",
    "Policy": "acompass.policy",
    "PolicyError": "acompass.errors.diagnostics",
    "Result": "acompass.result",
    "Session": "acompass.session",
    "TableError": "acompass.errors.diagnostics",
    "check": "acompass.api",
    "compare": "acompass.api",
    "dbt": "acompass.api",
    "estimate": "acompass.api",
    "explain": "acompass.api",
    "lint": "acompass.api",
    "load": "acompass.policy",
    "load_ipython_extension": "acompass.assist.notebook",
    "measure": "acompass.api",
    "open": "acompass.session",
    "parse": "acompass.policy",
    "plan": "acompass.api",
    "pram": "acompass.api",
    "prove": "acompass.api",
    "run": "acompass.api",
    "suggest": "acompass.api",
}


def __getattr__(name: str) -> "Any":
    """Import a name on first use, so that `import acompass` loads neither parser nor engine (invariant 7)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Api(type(sys)):  # type: ignore[misc]
    """Keep submodules such as `plan` and `prove` from hiding the functions of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, type(sys))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Api
