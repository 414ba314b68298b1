"""A-COMPASS: requirements for the release of a table of personal data, and actions that enforce them."""

import sys
from importlib import import_module

from acompass.version import __version__

TYPE_CHECKING = False  # as in `typing`, which takes longer to import than the rest of `acompass --version`
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from acompass import rules
    from acompass.api import check, compare, dbt, estimate, explain, lint, measure, plan, pram, prove, run, suggest
    from acompass.author.answers import Estimate, Suggestion
    from acompass.errors.diagnostics import AcompassError, CallError, Canceled, EngineError, PolicyError, TableError
    from acompass.explain.answer import Explanation
    from acompass.measure.answer import Measures
    from acompass.policy import Policy, load, parse
    from acompass.reason.compare.answer import Comparison
    from acompass.reason.privacy.answer import PrivacyProof as Proof
    from acompass.result import Plan, Result
    from acompass.session import Session, open  # noqa: A004

__all__ = [
    "AcompassError",
    "CallError",
    "Canceled",
    "Comparison",
    "EngineError",
    "Estimate",
    "Explanation",
    "Measures",
    "Plan",
    "Policy",
    "PolicyError",
    "Proof",
    "Result",
    "Session",
    "Suggestion",
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
    "rules",
    "run",
    "suggest",
]

#: the module of each name, and the class or function there if it has another name; `rules` is a module itself
_HOMES = {
    "Comparison": "acompass.reason.compare.answer",
    "Estimate": "acompass.author.answers",
    "Explanation": "acompass.explain.answer",
    "Measures": "acompass.measure.answer",
    "Plan": "acompass.result",
    "Policy": "acompass.policy",
    "Proof": "acompass.reason.privacy.answer:PrivacyProof",
    "Result": "acompass.result",
    "Session": "acompass.session",
    "Suggestion": "acompass.author.answers",
    **dict.fromkeys(("AcompassError", "CallError", "Canceled", "EngineError"), "acompass.errors.diagnostics"),
    **dict.fromkeys(("PolicyError", "TableError"), "acompass.errors.diagnostics"),
    **dict.fromkeys(("load", "parse"), "acompass.policy"),
    **dict.fromkeys(("check", "compare", "dbt", "estimate", "explain", "lint", "measure", "plan"), "acompass.api"),
    **dict.fromkeys(("pram", "prove", "run", "suggest"), "acompass.api"),
    "load_ipython_extension": "acompass.assist.notebook",
    "open": "acompass.session",
    "rules": "acompass.rules",
}


def __getattr__(name: str) -> "Any":
    """Import a name on first use, so that `import acompass` loads neither parser nor engine (invariant 7)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, other = _HOMES[name].partition(":")
    home = import_module(module)
    value = home if module == f"{__name__}.{name}" else getattr(home, other or name)
    _document(home, value)
    return value


def _document(home: "ModuleType", value: "Any") -> None:
    """Complete the docstring of a public function, or of the methods of a session."""
    if home.__name__ in ("acompass.api", "acompass.policy", "acompass.session"):
        from acompass.arguments import document

        if home.__name__ == "acompass.session":
            document(home.Session, import_module("acompass.api"))
        document(value)
    elif home is value:
        from acompass.arguments import document

        for each in home.__all__:
            document(getattr(home, each))


def __dir__() -> list[str]:
    return sorted(__all__)


class _Api(type(sys)):  # type: ignore[misc]
    """Keep submodules such as `plan` and `prove` from hiding the functions of the same name."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, type(sys))):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Api
