"""Convert the values of arguments and options for the pipeline."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from acompass.diagnostics import CallError, Diagnostic

if TYPE_CHECKING:
    from acompass.checked.parameters import ParamValue
    from acompass.policy import Policy

STANDARD_INPUT = "-"


def policy_and_table(policy: str, table: str) -> "Policy":
    if policy == table == STANDARD_INPUT:
        raise click.BadParameter("POLICY and TABLE cannot both be standard input")
    return read_policy(policy)


def read_policy(path: str, paper: bool = False) -> "Policy":
    from acompass.policy import load, parse, read_text

    if path == STANDARD_INPUT:
        return parse(read_text(sys.stdin.buffer, "<stdin>"), "<stdin>", paper)
    return load(path, paper)


def types_of(types: Iterable[str]) -> dict[str, str]:
    """The types of `("Age=integer", "Income=decimal(2)")`."""
    found = {}
    for text in types:
        name, equals, type_ = text.rpartition("=")
        if not equals:
            raise CallError(
                [Diagnostic("AC551", f"`{text}` gives no type", help=f"--types '{text}=integer'")]
            )
        found[name.strip()] = type_.strip()
    return found


def params_of(settings: Iterable[str]) -> dict[str, "ParamValue"]:
    from acompass.checked.parameters import parse_settings

    return parse_settings(settings)
