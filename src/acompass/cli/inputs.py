"""Read what a command is given: its policy, its table, its acompass.toml, and its options as Python takes them."""

import csv
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from acompass.arguments import PARAMS, RULE_COLUMNS, TYPES, Option
from acompass.cli.options import DeclaredOption
from acompass.dataclasses import dataclass
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import reason_of

if TYPE_CHECKING:
    from acompass.language.program.constants import ParamValue
    from acompass.policy import Policy

STANDARD_INPUT = STANDARD_OUTPUT = "-"


@dataclass(frozen=True, slots=True)
class Inputs:
    """The table and the options of a call on a policy. An acompass.toml supplies those that the call omits."""

    policy: str
    named_table: str | None  # from the command line
    default_table: str | None  # from the policy's acompass.toml
    given: Mapping[str, Any]  # with all parameters

    @property
    def table(self) -> str:
        table = self.named_table or self.default_table
        if table is None:
            raise CallError([_no_table(self.policy)])
        return table

    @property
    def params(self) -> "dict[str, ParamValue]":
        params: dict[str, ParamValue] = self.given["params"]
        return params

    @property
    def options(self) -> dict[str, Any]:
        """The options of a call that reads the records of the table."""
        return add_reading_settings(self.given, self.table)

    @property
    def schema_options(self) -> dict[str, Any]:
        """The options of a call that reads only the schema of a table, and that table if there is one.

        The table in the acompass.toml may not exist: policies are also proved on machines without the data.
        """
        from acompass.tables.source import find_paths

        options = add_reading_settings(self.given, self.named_table or self.default_table)
        table = self.named_table
        if table is None and self.default_table is not None and not self.given.get("types"):
            is_there = options.get("engine") is not None or find_paths(self.default_table)
            table = self.default_table if is_there else None
        return {**options, "table": table}


def resolve_inputs(policy: str, table: str | None, given: Mapping[str, Any]) -> Inputs:
    """`--set` overrides one parameter at a time. A policy on standard input has no acompass.toml."""
    from acompass.policy import policy_settings

    options = convert_options(given)
    defaults = policy_settings(None if policy == STANDARD_INPUT else policy)
    options["params"] = {**defaults.params, **options.get("params", {})}
    return Inputs(policy, table, defaults.table, options)


def convert_options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The declared options of the running command that were given, as the call in Python takes them."""
    declared = _declared_options()
    values = {name: _convert(declared[name], value) for name, value in given.items() if name in declared}
    return {name: value for name, value in values.items() if value is not None}


def add_reading_settings(given: Mapping[str, Any], table: str | None) -> dict[str, Any]:
    """Add the reading options of the command that only the table's acompass.toml gives."""
    from acompass.policy import reading_settings

    declared = _declared_options()
    found = {name: value for name, value in reading_settings(table).items() if name in declared}
    return {**found, **given}


def _declared_options() -> dict[str, Option]:
    params = click.get_current_context().command.params
    return {param.name: param.declared for param in params if isinstance(param, DeclaredOption) and param.name}


def _convert(option: Option, value: Any) -> Any:
    if value in (None, ()):
        return None
    match option.kind.form:
        case "names":
            return split_names(value)
        case "name sets":
            return [split_names([names]) for names in value]
        case "pairs" if option.kind is TYPES:
            return parse_types(value)
        case "pairs" if option.kind is PARAMS:
            return parse_params(value)
        case "pairs" if option.kind is RULE_COLUMNS:
            return parse_rule_columns(value)
        case "file":
            return read_trace(Path(value))
        case _:
            return value


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


def parse_rule_columns(texts: Iterable[str]) -> dict[str, list[str]]:
    """Parse texts such as `person=Patient`, `date=Admission,Discharge` and `zip=`, for none."""
    found = {}
    for text in texts:
        name, equals, columns = text.partition("=")
        if not equals:
            help_ = f"--column '{text}=COLUMN'"
            raise CallError([Diagnostic("AC654", f"`{text}` has no column of the table", help=help_)])
        if name.strip() in found:
            raise CallError([Diagnostic("AC654", f"`{name.strip()}` is given twice", help="--column NAME=A,B")])
        found[name.strip()] = split_names([columns]) if columns.strip() else []
    return found


def parse_params(settings: Iterable[str]) -> dict[str, "ParamValue"]:
    from acompass.language.program.constants import parse_settings

    return parse_settings(settings)


def read_trace(path: Path) -> list[str]:
    from acompass.language.program.hierarchies import read_small_file

    try:
        return read_small_file(path).decode("utf-8").split()
    except OSError as error:
        raise CallError([_unreadable_trace(path, reason_of(error))]) from None
    except UnicodeDecodeError:
        raise CallError([_unreadable_trace(path, "not UTF-8 text")]) from None


def _unreadable_trace(path: Path, reason: str) -> Diagnostic:
    return Diagnostic(
        code="AC492",
        message=f"cannot read trace `{path}`: {reason}",
        help="use a file with decimals in [0,1), one per line",
    )


def split_names(lists: Sequence[str]) -> list[str]:
    """Split comma-separated lists of names. A name that contains a comma is quoted (D3, names)."""
    rows = csv.reader(lists, skipinitialspace=True)
    return [name.strip() for row in rows for name in row]
