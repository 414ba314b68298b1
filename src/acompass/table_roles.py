"""The roles of a table's columns, from an `acompass.toml` beside the table:

[table."people.csv"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["diagnosis"]
"""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from acompass.diagnostics import CallError, Diagnostic

FILE = "acompass.toml"
_KEYS = ("quasi-identifiers", "sensitive")
_EXAMPLE = 'quasi-identifiers = ["age", "zip"]'


@dataclass(frozen=True, slots=True)
class TableRoles:
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()


def roles_beside(table: Any) -> TableRoles:
    """The roles for a table that is a file; none if nothing is said about it."""
    if not isinstance(table, str | os.PathLike):
        return TableRoles()
    path = Path(table)
    settings = path.parent / FILE
    if not settings.is_file():
        return TableRoles()
    said = _section(_read(settings), path.name)
    if unknown := sorted(said.keys() - set(_KEYS)):
        raise _unusable(f"unknown key `{unknown[0]}` for table `{path.name}`", f"use {_listed(_KEYS)}")
    return TableRoles(*(_names(said, key) for key in _KEYS))


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _unusable(f"not TOML: {_reason(error)}", f"write for example `{_EXAMPLE}`") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise _unusable(f"cannot be read: {reason}", "check its permissions") from None


def _reason(error: ValueError) -> str:
    return "text that is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error).lower()


def _section(settings: dict[str, Any], table: str) -> dict[str, Any]:
    tables = settings.get("table", {})
    found = tables.get(table, {}) if isinstance(tables, dict) else tables
    if not isinstance(found, dict):
        raise _unusable(f"`table` has no section for `{table}`", f'begin one with `[table."{table}"]`')
    return found


def _names(section: dict[str, Any], key: str) -> tuple[str, ...]:
    names = section.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _unusable(f"`{key}` is not a list of names", f'write `{key} = ["age", "zip"]`')
    return tuple(names)


def _unusable(message: str, help_: str) -> CallError:
    return CallError([Diagnostic("AC625", f"`{FILE}`: {message}", help=help_)])


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)
