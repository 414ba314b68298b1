"""Parse the values of arguments and options: policies, tables, parameters, types and traces."""

import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic

if TYPE_CHECKING:
    from acompass.language.program.constants import ParamValue
    from acompass.policy import Policy

STANDARD_INPUT = STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The table and the parameters of a call. The policy's acompass.toml supplies those that the call omits."""

    policy: str
    named_table: str | None  # from the command line
    default_table: str | None  # from the acompass.toml
    params: "dict[str, ParamValue]"

    @property
    def table(self) -> str:
        table = self.named_table or self.default_table
        if table is None:
            raise CallError([_no_table(self.policy)])
        return table

    def schema_table(self, has_types: bool = False, is_database: bool = False) -> str | None:
        """The table that a command reads only the schema from, if there is one.

        The table in the acompass.toml may not exist: policies are also proved on machines without the data.
        """
        from acompass.tables.source import find_paths

        if self.named_table or has_types or self.default_table is None:
            return self.named_table
        return self.default_table if is_database or find_paths(self.default_table) else None


def resolve_inputs(policy: str, table: str | None, settings: Iterable[str]) -> Inputs:
    """`--set` overrides one parameter at a time. A policy on standard input has no acompass.toml."""
    from acompass.policy import policy_settings

    params = parse_params(settings)
    defaults = policy_settings(None if policy == STANDARD_INPUT else policy)
    return Inputs(policy, table, defaults.table, {**defaults.params, **params})


def _no_table(policy: str) -> Diagnostic:
    help_ = "name it after the policy, such as `people.csv`"
    if policy != STANDARD_INPUT:
        section = f'`table = "people.csv"` under `[policy."{Path(policy).name}"]`'
        help_ += f"; or write {section} in an `acompass.toml` in the policy's folder"
    return Diagnostic("AC411", "no table is given", help=help_)


def read_policy(path: str, table: str | None = None, paper: bool = False) -> "Policy":
    from acompass.policy import load, parse, read_text

    if path == table == STANDARD_INPUT:
        raise click.BadParameter("POLICY and TABLE cannot both be standard input")
    if path == STANDARD_INPUT:
        return parse(read_text(sys.stdin.buffer, "<stdin>"), "<stdin>", paper)
    return load(path, paper)


def parse_types(types: Iterable[str]) -> dict[str, str]:
    """Parse texts such as `Age=integer` and `Income=decimal(2)`."""
    found = {}
    for text in types:
        name, equals, type_ = text.rpartition("=")
        if not equals:
            raise CallError([Diagnostic("AC551", f"`{text}` has no type", help=f"--types '{text}=integer'")])
        found[name.strip()] = type_.strip()
    return found


def parse_params(settings: Iterable[str]) -> dict[str, "ParamValue"]:
    from acompass.language.program.constants import parse_settings

    return parse_settings(settings)


def read_trace(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").split()
    except OSError as error:
        raise CallError([_unreadable_trace(path, (error.strerror or "unknown reason").lower())]) from None
    except UnicodeDecodeError:
        raise CallError([_unreadable_trace(path, "not UTF-8 text")]) from None


def _unreadable_trace(path: Path, reason: str) -> Diagnostic:
    return Diagnostic(
        code="AC492",
        message=f"cannot read trace `{path}`: {reason}",
        help="use a file with decimals in [0,1), one per line",
    )


def split_names(lists: Sequence[str]) -> list[str] | None:
    """Split comma-separated lists of names. A name that contains a comma is quoted (D3, names)."""
    if not lists:
        return None
    rows = csv.reader(lists, skipinitialspace=True)
    return [name.strip() for row in rows for name in row]
