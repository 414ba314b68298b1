"""Convert the values of arguments and options for the pipeline."""

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acompass.diagnostics import CallError, Diagnostic

if TYPE_CHECKING:
    from acompass.checked.parameters import ParamValue
    from acompass.policy import Policy

STANDARD_INPUT = "-"


@dataclass(frozen=True, slots=True)
class Given:
    """The table and the parameters of a call: its own, and for the rest those of the acompass.toml."""

    policy: str
    own_table: str | None
    table_beside: str | None
    params: "dict[str, ParamValue]"

    @property
    def table(self) -> str:
        table = self.own_table or self.table_beside
        if table is None:
            raise CallError([_no_table(self.policy)])
        return table

    def schema_table(self, has_types: bool = False, is_database: bool = False) -> str | None:
        """The table for a command that can do without. That of the acompass.toml is used if it is there:
        policies are also proved where the data is not."""
        from acompass.tables.source import matching

        if self.own_table or has_types or self.table_beside is None:
            return self.own_table
        return self.table_beside if is_database or matching(self.table_beside) else None


def given(policy: str, table: str | None, settings: Iterable[str]) -> Given:
    """`--set` overrides one parameter at a time. A policy on standard input has no acompass.toml."""
    from acompass.project import policy_settings

    own = params_of(settings)
    beside = policy_settings(None if policy == STANDARD_INPUT else policy)
    return Given(policy, table, beside.table, {**beside.params, **own})


def _no_table(policy: str) -> Diagnostic:
    help_ = "name it behind the policy, such as `people.csv`"
    if policy != STANDARD_INPUT:
        section = f'`table = "people.csv"` under `[policy."{Path(policy).name}"]`'
        help_ += f"; or write {section} in an `acompass.toml` beside the policy"
    return Diagnostic("AC411", "no table is given", help=help_)


def policy_and_table(policy: str, table: str | None) -> "Policy":
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
