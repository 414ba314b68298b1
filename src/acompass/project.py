"""The settings in an `acompass.toml`: of the policies beside it, and of the tables beside it.

[policy."release.acp"]
table = "people.csv"
params = { k = 5 }

[table."people.csv"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["diagnosis"]
identifiers = ["name"]
"""

import glob
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from acompass.diagnostics import CallError, Diagnostic
from acompass.diagnostics.diagnostic import Label, Span
from acompass.syntax.tokens import is_word
from acompass.tables.source import STANDARD_INPUT, is_file
from acompass.toml_places import Keys, place_of, place_of_error

if TYPE_CHECKING:
    from acompass.checked.parameters import ParamValue

FILE = "acompass.toml"
_KINDS = {"policy": "release.acp", "table": "people.csv"}
_POLICY_KEYS = ("table", "params")
_ROLE_KEYS = ("quasi-identifiers", "sensitive", "identifiers")


@dataclass(frozen=True, slots=True)
class PolicySettings:
    """`table` can be used from the current folder. Both are empty if the file says nothing."""

    table: str | None = None
    params: "Mapping[str, ParamValue]" = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableRoles:
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()


def policy_settings(policy: str | os.PathLike[str] | None) -> PolicySettings:
    """The settings of a policy that is a file, from the acompass.toml beside it."""
    if policy is None:
        return PolicySettings()
    section = _section_beside(Path(policy), "policy", _POLICY_KEYS)
    return PolicySettings(_table(section), _params(section))


def roles_beside(table: Any) -> TableRoles:
    """The roles for a table that is a file; none if nothing is said about it."""
    if not isinstance(table, str | os.PathLike):
        return TableRoles()
    section = _section_beside(Path(table), "table", _ROLE_KEYS)
    roles = tuple(_names(section, key) for key in _ROLE_KEYS)
    _require_one_role(section, roles)
    return TableRoles(*roles)


def policies_in(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the policies that the acompass.toml of a folder has settings for."""
    return tuple(_File.read(Path(folder)).sections("policy"))


def folders_below(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """The folder and those in it, in order. Hidden ones, such as `.git` and `.venv`, are left out."""
    for path, inside, _ in os.walk(folder):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        yield Path(path)


@dataclass(frozen=True, slots=True)
class _File:
    """An acompass.toml; empty if there is none."""

    path: Path
    text: str
    said: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "_File":
        path = folder / FILE
        if not os.path.isfile(path):
            return cls(path, "", {})
        file = cls(path, *_parsed(path))
        for unknown in file.said.keys() - _KINDS.keys():
            file.fail((unknown,), f"unknown key `{unknown}`", f"use {_listed(_KINDS)}")
        return file

    def sections(self, kind: str) -> dict[str, Any]:
        found = self.said.get(kind, {})
        if not isinstance(found, dict):
            self.fail((kind,), f"`{kind}` is not a section", f'write `[{kind}."{_KINDS[kind]}"]`')
        return found

    def fail(self, keys: Keys, message: str, help_: str) -> NoReturn:
        raise _unusable(self.path, message, help_, self.text, place_of(self.text, keys))


@dataclass(frozen=True, slots=True)
class _Section:
    """What a file says about one policy or table."""

    file: _File
    keys: Keys
    said: dict[str, Any]

    def fail(self, keys: Keys, message: str, help_: str) -> NoReturn:
        self.file.fail((*self.keys, *keys), message, help_)


def _section_beside(path: Path, kind: str, known: tuple[str, ...]) -> _Section:
    file, keys = _File.read(path.parent), (kind, path.name)
    said = file.sections(kind).get(path.name, {})
    if not isinstance(said, dict):
        message = f"`{path.name}` is not a section of `{kind}`"
        file.fail(keys, message, f'begin it with `[{kind}."{path.name}"]`')
    section = _Section(file, keys, said)
    for unknown in sorted(said.keys() - set(known)):
        message = f"unknown key `{unknown}` for {kind} `{path.name}`"
        section.fail((unknown,), message, f"use {_listed(known)}")
    return section


def _parsed(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(path, "not UTF-8", "save the file as UTF-8") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise _unusable(path, f"cannot be read: {reason}", "check its permissions") from None
    try:
        return text, tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        reason, place = place_of_error(text, error)
        help_ = 'write for example `quasi-identifiers = ["age", "zip"]`'
        raise _unusable(path, f"not TOML: {reason}", help_, text, place) from None


def _table(section: _Section) -> str | None:
    table = section.said.get("table")
    if table is None:
        return None
    if not isinstance(table, str) or table in ("", STANDARD_INPUT):
        section.fail(("table",), "`table` is not a path", 'write `table = "people.csv"`')
    return _from_current_folder(section.file.path.parent, table)


def _from_current_folder(folder: Path, table: str) -> str:
    """A bare name without a file's suffix is a table of a database, unless there is such a file."""
    path = str(folder / table)
    if os.path.lexists(path):
        return path
    return str(Path(glob.escape(str(folder)), table)) if is_file(table) else table


def _params(section: _Section) -> "dict[str, ParamValue]":
    params = section.said.get("params", {})
    if not isinstance(params, dict):
        section.fail(("params",), "`params` is not a table of names and values", "write `params = { k = 5 }`")
    return {name: _param(section, name, value) for name, value in params.items()}


def _param(section: _Section, name: str, value: Any) -> "ParamValue":
    place = ("params", name)
    if not is_word(name):
        section.fail(place, f"`{name}` is not the name of a parameter", "use letters, digits and `_`")
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, bool | int | str | Decimal) or not _is_finite(value):
        message = f"the value of parameter `{name}` is not a number, a text or a date"
        section.fail(place, message, f"write for example `{name} = 5`")
    return value


def _is_finite(value: "ParamValue") -> bool:
    return not isinstance(value, Decimal) or value.is_finite()


def _names(section: _Section, key: str) -> tuple[str, ...]:
    names = section.said.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        section.fail((key,), f"`{key}` is not a list of names", f'write `{key} = ["age", "zip"]`')
    return tuple(names)


def _require_one_role(section: _Section, roles: tuple[tuple[str, ...], ...]) -> None:
    roles_of: dict[str, str] = {}
    for key, names in zip(_ROLE_KEYS, roles, strict=True):
        for name in names:
            if roles_of.setdefault(name, key) != key:
                message = f"column `{name}` has two roles, `{roles_of[name]}` and `{key}`"
                section.fail((key,), message, "keep one of them")


def _unusable(
    path: Path, message: str, help_: str, text: str | None = None, place: Span | None = None
) -> CallError:
    labels = () if place is None else (Label(place),)
    return CallError([Diagnostic("AC625", f"`{FILE}`: {message}", labels, help_)], text, str(path))


def _listed(names: Mapping[str, str] | tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)
