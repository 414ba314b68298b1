"""Renders the files of `acompass dbt` as dbt would, with only the functions that they may use."""

from collections.abc import Mapping
from typing import Any, NoReturn

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment


class CompilerError(Exception):
    pass


class _Exceptions:
    @staticmethod
    def raise_compiler_error(message: str) -> NoReturn:
        raise CompilerError(message)


def render(template: str, variables: Mapping[str, Any] | None = None) -> str:
    """The SQL of a test, with each relation's name in double quotes."""
    given = dict(variables or {})
    return (
        SandboxedEnvironment(undefined=StrictUndefined)
        .from_string(template)
        .render(
            ref=lambda *parts: f'"{parts[-1]}"',
            source=lambda *parts: f'"{parts[-1]}"',
            var=lambda name, otherwise: given.get(name, otherwise),
            exceptions=_Exceptions,
        )
    )
