"""A policy: its text, name and tree; its file; and the `acompass.toml` in the same folder, with settings such as

[policy."release.acp"]
table = "people.csv"
params = { k = 5 }
purpose = "Study of readmissions"
prepared-by = "Data office"
recipients = "Institute of Epidemiology"
valid-until = 2027-12-31

[table."people.csv"]
quasi-identifiers = ["age", "zip", "sex"]
sensitive = ["diagnosis"]
identifiers = ["name"]
other = ["ward"]
person = "patient"
missing = { zip = "?" }
dates = { admission = "%d.%m.%Y" }"""

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, TypeAlias, cast

from acompass.arguments import (
    ROLE_NAMES,
    STANDARD_INPUT,
    Option,
    declared_option,
    declared_options,
    is_file,
    take_value,
    validate_arguments,
)
from acompass.dataclasses import dataclass, field, replace
from acompass.errors.diagnostics import AcompassError, CallError, Diagnostic, Label, PolicyError, Source, Span
from acompass.language.mistakes.unreadable_text import ENOUGH, is_csv, is_utf16, table_kind
from acompass.language.text.parser import MAXIMUM_DEPTH, parse_text
from acompass.language.text.tokens import is_word
from acompass.language.text.tree import Program
from acompass.language.text.walk import hierarchy_files, reference_files
from acompass.options import (
    Hierarchies,
    Opening,
    PaperOnly,
    PolicyArgument,
    PolicyName,
    PolicyPath,
    PolicyText,
    PolicyTree,
    QuasiIdentifiers,
    SensitiveColumns,
)

if TYPE_CHECKING:
    from acompass.language.program.constants import ParamValue

#: the size of the largest policy file that is read, in bytes
LARGEST = 10 << 20

#: the name of a policy that is not in a file
_NO_NAME = "<policy>"

_SWAPPED = "the arguments may be swapped: the policy comes first, as in `acompass check policy.acp people.csv`"


@dataclass(frozen=True)
class Policy:
    text: str
    name: str
    tree: Program

    @property
    def hierarchies(self) -> tuple[Path, ...]:
        """The files that LEVEL names. Their content is part of the policy (X2, GENERALIZE)."""
        return tuple(Path(self.tree.folder, file) for file in hierarchy_files(self.tree))

    @property
    def references(self) -> tuple[Path, ...]:
        """The reference tables that IN names. Their content is part of the policy (X14)."""
        return tuple(Path(self.tree.folder, file) for file in reference_files(self.tree))

    @property
    def files(self) -> tuple[Path, ...]:
        """The files that the policy names: nothing overwrites them, and answers depend on their content."""
        return *self.hierarchies, *self.references

    @classmethod
    @validate_arguments
    def from_tree(cls, program: PolicyTree, name: PolicyName = _NO_NAME) -> "Policy":
        """Make a policy from a tree built in code. Its text is the formatted tree.

        Raise PolicyError if that text does not parse, ValueError if it parses to a different tree.

        >>> acompass.Policy.from_tree(acompass.parse("EACH RESULT : Age<=80;").tree).text
        'EACH RESULT : Age <= 80;\\n'
        """
        policy = parse(_format_program(program), name)
        if policy.tree.requirements != program.requirements:
            raise ValueError("the tree is not the tree of any text")
        return policy


def _format_program(program: Program) -> str:
    try:
        from acompass.language.text.formatter import format_tree  # most policies have a text

        return format_tree(program)
    except RecursionError:
        message = f"a condition is nested more than {MAXIMUM_DEPTH} levels deep"
        help_ = "split the condition into several requirements"
        raise PolicyError([Diagnostic("AC020", message, help=help_)]) from None


@validate_arguments
def parse(text: PolicyText, name: PolicyName = _NO_NAME, paper: PaperOnly = False) -> Policy:
    """Parse the text of a policy. Raise PolicyError with all of its syntax errors.

    LEVEL looks for hierarchies, and IN for reference tables, in the current folder; after `load`, in the folder of
    the policy's file.

    >>> acompass.parse("EACH RESULT : Age <= 80 : REJECT;").name
    '<policy>'
    """
    return _parse_given(text, name, paper)


def _parse_given(text: str, name: str = _NO_NAME, paper: bool = False) -> Policy:
    try:
        return _parse_named(text, name, "", paper)
    except PolicyError as error:
        if name == _NO_NAME and _is_path(text):
            raise _path_instead_of_text(text, error) from None
        raise


def _is_path(text: str) -> bool:
    """Whether the text of a policy is probably the path of its file."""
    path = text.strip()
    if "\n" in path or "\0" in path or ";" in path:
        return False
    return path.lower().endswith(".acp") or (bool(path) and os.path.isfile(path))


def _path_instead_of_text(text: str, error: PolicyError) -> PolicyError:
    path = json.dumps(text.strip(), ensure_ascii=False)
    help_ = f"text is read as the policy itself; for a file, write `acompass.load({path})` or `Path({path})`"
    return PolicyError([replace(error.diagnostics[0], help=help_, fixes=())], error.source, error.name)


def parse_file(text: str, path: str, paper: bool = False) -> Policy:
    """Parse the text of a file, which may be unsaved."""
    return _parse_named(text, path, str(Path(path).parent), paper)


def _parse_named(text: str, name: str, folder: str, paper: bool) -> Policy:
    if is_csv(text):
        raise _table_instead_of_policy(name, "a CSV file")
    program, found = parse_text(text)
    found = found or (_beyond_paper(program) if paper else ())
    if found:
        raise PolicyError(found, text, name)
    return Policy(text, name, replace(program, folder=folder))


@validate_arguments
def load(path: PolicyPath, paper: PaperOnly = False) -> Policy:
    """Load a policy from a file. Raise PolicyError with all of its syntax errors.

    >>> acompass.load("policy.acp").name
    'policy.acp'
    """
    try:
        with open(path, "rb") as file:
            text = read_text(file, str(path))
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise CallError([Diagnostic("AC402", f"cannot read policy `{path}`: {reason}")]) from None
    return parse_file(text, str(path), paper)


def read_text(file: BinaryIO, name: str) -> str:
    """Read the text of a policy, and only the first bytes of a table or of a very large file."""
    start = file.read(ENOUGH)
    kind = table_kind(start)
    if kind is not None:
        raise _table_instead_of_policy(name, kind)
    content = start + file.read(LARGEST + 1 - len(start))
    if len(content) > LARGEST:
        message = f"policy `{name}` is larger than {LARGEST >> 20} MiB"
        raise PolicyError([Diagnostic("AC409", message, help=_SWAPPED)], None, name)
    return _decode(content, name)


def _table_instead_of_policy(name: str, kind: str) -> PolicyError:
    message = f"expected a policy, but `{name}` is {kind}"
    return PolicyError([Diagnostic("AC408", message, help=_SWAPPED)], None, name)


def _decode(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if is_utf16(content):
            help_ = f"convert it first: `iconv -f UTF-16 -t UTF-8 {name} > policy-utf8.acp`"
            finding = Diagnostic("AC403", "the policy is UTF-16, not UTF-8", help=help_)
            raise PolicyError([finding], None, name) from None
        line = content.count(b"\n", 0, error.start) + 1
        finding = Diagnostic("AC403", f"line {line} of the policy is not UTF-8", help="save the file as UTF-8")
        raise PolicyError([finding], None, name) from None


def as_policy(policy: PolicyArgument, paper: bool = False) -> Policy:
    """Return the policy for a call, parsing text and loading a file. With `paper`, accept only the paper's language.

    A policy without requirements is an error here, because every table would pass (D29, nothing selected). `parse`,
    `load` and the formatter accept it: a policy may be written step by step.
    """
    match policy:
        case Policy():
            parsed = policy
        case str():
            parsed = _parse_given(policy)
        case _:
            parsed = load(policy)
    if not parsed.tree.requirements:
        message = f"policy `{parsed.name}` has no requirements"
        help_ = "write at least one, such as `EACH RESULT : Age <= 80;`"
        raise PolicyError([Diagnostic("AC410", message, help=help_)], None, parsed.name)
    if paper and (found := _beyond_paper(parsed.tree)):
        raise PolicyError(found, parsed.text, parsed.name)
    return parsed


def _beyond_paper(program: Program) -> tuple[Diagnostic, ...]:
    from acompass.language.mistakes.habits import beyond_paper  # only for `--paper`

    return tuple(beyond_paper(program))


@contextmanager
def attach_text(policy: Policy) -> Iterator[None]:
    """Attach the policy's text to errors that carry spans, and its name to errors in its text."""
    try:
        yield
    except AcompassError as error:
        if error.source is None and any(finding.labels for finding in error.diagnostics):
            error.source = policy.text
        if error.source == policy.text:
            error.name = error.name or policy.name
        raise


SETTINGS_FILE = "acompass.toml"
_KINDS = {"policy": "release.acp", "table": "people.csv"}
#: keys of texts on the front page of a report
_TEXT_KEYS = ("purpose", "prepared-by", "recipients")
_DATE_KEY = "valid-until"
_POLICY_KEYS = ("table", "params", *_TEXT_KEYS, _DATE_KEY)
_ROLE_KEYS = (*(declared_option(each).key for each in (QuasiIdentifiers, SensitiveColumns)), "identifiers", "other")
_PERSON_KEY = "person"


@dataclass(frozen=True, slots=True)
class PolicySettings:
    table: str | None = None  # relative to the current folder
    params: "Mapping[str, ParamValue]" = field(default_factory=dict)
    #: on the front page of a report; None is a blank to fill in by hand
    purpose: str | None = None
    prepared_by: str | None = None
    recipients: str | None = None
    valid_until: date | None = None


@dataclass(frozen=True, slots=True)
class TableRoles:
    """The roles of a table's columns, from its acompass.toml, the studio or a call (D36, roles act)."""

    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    person: str | None = None  # the column that tells persons apart (D35); it has one of the roles as well

    @property
    def are_given(self) -> bool:
        """Whether every column must have a role."""
        return bool(self.quasi_identifiers or self.sensitive or self.identifiers or self.other)

    @property
    def by_name(self) -> dict[str, tuple[str, ...]]:
        """The argument `roles=` of a call."""
        return {name: getattr(self, name) for name in ROLE_NAMES}


#: a word of a column's name that says that it identifies someone; other columns are found by their role
PERSON_WORDS = frozenset(
    (
        *("id", "ids", "uid", "uuid", "guid", "pid", "identifier", "pseudonym", "ssn", "mrn"),
        *("person", "persons", "patient", "patients", "subject", "participant", "respondent", "client", "customer"),
        *("member", "user", "employee", "student", "pupil", "resident", "citizen", "insured", "paciente"),
    )
)
_WORD, _COMPOUNDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+"), ("patient", "versicherte")


def looks_like_persons(name: str) -> bool:
    return any(w in PERSON_WORDS or w.startswith(_COMPOUNDS) for w in map(str.casefold, _WORD.findall(name)))


def policy_settings(policy: str | os.PathLike[str] | None) -> PolicySettings:
    """Read a policy file's settings from the acompass.toml in its folder."""
    if policy is None:
        return PolicySettings()
    section = _read_section(Path(policy), "policy", _POLICY_KEYS)
    purpose, prepared_by, recipients = (_one_line(section, key) for key in _TEXT_KEYS)
    return PolicySettings(_table(section), _params(section), purpose, prepared_by, recipients, _date(section))


def table_roles(table: Any) -> TableRoles:
    """Read the roles of a table file's columns from the acompass.toml in its folder."""
    if not isinstance(table, str | os.PathLike) or os.fspath(table) == STANDARD_INPUT:
        return TableRoles()
    section = _table_section(table)
    roles = {name: _column_names(section, key) for name, key in zip(ROLE_NAMES, _ROLE_KEYS, strict=True)}
    _require_one_role(section, tuple(roles.values()))
    return TableRoles(**roles, person=_person(section))


def call_roles(table: Any, roles: Mapping[str, tuple[str, ...]] | None, person: str | None) -> TableRoles:
    """The roles for a call on a table: those that it gives, or else those of the table's acompass.toml."""
    found = table_roles(table) if roles is None or person is None else TableRoles()
    if roles is not None:
        found = TableRoles(**roles, person=found.person)
    return found if person is None else replace(found, person=person)


def reading_settings(table: Any) -> Opening:
    """Read how to read a table file from the acompass.toml in its folder: the arguments of `acompass.open`."""
    return cast(Opening, table_settings(table, Opening))


def table_settings(table: Any, group: type) -> dict[str, Any]:
    """The options of a group that the acompass.toml in a table file's folder has."""
    if not isinstance(table, str | os.PathLike) or os.fspath(table) == STANDARD_INPUT:
        return {}
    section = _table_section(table)
    given = {name: each for name, each in declared_options(group).items() if each.key in section.content}
    return {n: take_value(o, section.content[o.key], partial(_fail_reading, section, o)) for n, o in given.items()}


def _fail_reading(section: "_Section", option: Option, found: str) -> NoReturn:
    expected = f"`{option.key}` is {found}, expected {option.kind.words}"
    example = option.pasted.replace('": "', '" = "').replace("True", "true")
    section.fail((option.key,), expected, f"write for example `{option.key} = {example}`")


def _table_section(table: str | os.PathLike[str]) -> "_Section":
    options = (*declared_options(Opening).values(), *declared_options(Hierarchies).values())
    keys = (*_ROLE_KEYS, _PERSON_KEY, *(option.key for option in options))
    return _read_section(Path(table), "table", keys)


def policies_in(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of the policies that have settings in a folder's acompass.toml."""
    return tuple(_File.read(Path(folder)).sections("policy"))


def folders_below(folder: str | os.PathLike[str]) -> Iterator[Path]:
    """The folder and its subfolders, sorted, without hidden ones such as `.git` and `.venv`."""
    for path, inside, _ in os.walk(folder):
        inside[:] = sorted(name for name in inside if not name.startswith("."))
        yield Path(path)


Keys: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """An acompass.toml; empty if there is none."""

    path: Path
    text: str
    content: dict[str, Any]

    @classmethod
    def read(cls, folder: Path) -> "_File":
        path = folder / SETTINGS_FILE
        if not os.path.isfile(path):
            return cls(path, "", {})
        file = cls(path, *_read_settings(path))
        for unknown in file.content.keys() - _KINDS.keys():
            file.fail((unknown,), f"unknown key `{unknown}`", f"use {_list_names(_KINDS)}")
        return file

    def sections(self, kind: str) -> dict[str, Any]:
        found = self.content.get(kind, {})
        if not isinstance(found, dict):
            self.fail((kind,), f"`{kind}` is not a section", f'write `[{kind}."{_KINDS[kind]}"]`')
        return found

    def fail(self, keys: Keys, message: str, help_: str) -> NoReturn:
        raise _unusable(self.path, message, help_, self.text, key_place(self.text, keys)) from None


@dataclass(frozen=True, slots=True)
class _Section:
    """The settings of one policy or table."""

    file: _File
    keys: Keys
    content: dict[str, Any]

    def fail(self, keys: Keys, message: str, help_: str) -> NoReturn:
        self.file.fail((*self.keys, *keys), message, help_)


def _read_section(path: Path, kind: str, known: tuple[str, ...]) -> _Section:
    file, keys = _File.read(path.parent), (kind, path.name)
    content = file.sections(kind).get(path.name, {})
    if not isinstance(content, dict):
        file.fail(keys, f"`{path.name}` is not a section of `{kind}`", f'begin it with `[{kind}."{path.name}"]`')
    section = _Section(file, keys, content)
    for unknown in sorted(content.keys() - set(known)):
        section.fail((unknown,), f"unknown key `{unknown}` for {kind} `{path.name}`", f"use {_list_names(known)}")
    return section


def _read_settings(path: Path) -> tuple[str, dict[str, Any]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise _unusable(path, "not UTF-8", "save the file as UTF-8") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise _unusable(path, f"cannot be read: {reason}", "check its permissions") from None
    import tomllib  # only here and below: most policies have no acompass.toml

    try:
        return text, tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        reason, place = error_place(text, error)
        help_ = 'write for example `quasi-identifiers = ["age", "zip"]`'
        raise _unusable(path, f"not TOML: {reason}", help_, text, place) from None


def _table(section: _Section) -> str | None:
    table = section.content.get("table")
    if table is None:
        return None
    if not isinstance(table, str) or table in ("", STANDARD_INPUT):
        section.fail(("table",), "`table` is not a path", 'write `table = "people.csv"`')
    return _from_current_folder(section.file.path.parent, table)


def _from_current_folder(folder: Path, table: str) -> str:
    """Resolve a table's path. A bare name without a file suffix is a database table, unless such a file exists."""
    path = str(folder / table)
    if os.path.lexists(path):
        return path
    return str(Path(glob.escape(str(folder)), table)) if is_file(table) else table


def _params(section: _Section) -> "dict[str, ParamValue]":
    params = section.content.get("params", {})
    if not isinstance(params, dict):
        section.fail(("params",), "`params` is not a table of names and values", "write `params = { k = 5 }`")
    return {name: _param(section, name, value) for name, value in params.items()}


def _param(section: _Section, name: str, value: Any) -> "ParamValue":
    place = ("params", name)
    if not is_word(name):
        section.fail(place, f"`{name}` is not the name of a parameter", "use letters, digits and `_`")
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, bool | int | str | Decimal) or (isinstance(value, Decimal) and not value.is_finite()):
        message = f"the value of parameter `{name}` is not a number, text or a date"
        section.fail(place, message, f"write for example `{name} = 5`")
    return value


def _one_line(section: _Section, key: str) -> str | None:
    text = section.content.get(key)
    if text is not None and (not isinstance(text, str) or not text.strip() or not text.isprintable()):
        section.fail((key,), f"`{key}` is not a line of text", f'write `{key} = "…"`, or omit it')
    return text


def _date(section: _Section) -> date | None:
    found = section.content.get(_DATE_KEY)
    if found is not None and (not isinstance(found, date) or isinstance(found, datetime)):
        section.fail((_DATE_KEY,), f"`{_DATE_KEY}` is not a date", f"write `{_DATE_KEY} = 2027-12-31`, without quotes")
    return found


def _column_names(section: _Section, key: str) -> tuple[str, ...]:
    names = section.content.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        section.fail((key,), f"`{key}` is not a list of names", f'write `{key} = ["age", "zip"]`')
    return tuple(names)


def _person(section: _Section) -> str | None:
    name = section.content.get(_PERSON_KEY)
    if name is not None and not isinstance(name, str):
        section.fail((_PERSON_KEY,), "`person` is not the name of a column", 'write `person = "patient"`')
    return name


def _require_one_role(section: _Section, roles: tuple[tuple[str, ...], ...]) -> None:
    role_by_name: dict[str, str] = {}
    for key, names in zip(_ROLE_KEYS, roles, strict=True):
        for name in names:
            if role_by_name.setdefault(name, key) != key:
                message = f"column `{name}` has two roles, `{role_by_name[name]}` and `{key}`"
                section.fail((key,), message, "keep one of them")


def _unusable(path: Path, message: str, help_: str, text: str | None = None, place: Span | None = None) -> CallError:
    labels = () if place is None else (Label(place),)
    return CallError([Diagnostic("AC625", f"`{SETTINGS_FILE}`: {message}", labels, help_)], text, str(path))


def _list_names(names: Mapping[str, str] | tuple[str, ...]) -> str:
    return " or ".join(f"`{name}`" for name in names)


_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def key_place(text: str, keys: Keys) -> Span | None:
    """The first occurrence of the last key under the others, or else the statement that contains it."""
    section: Keys = ()
    for start, statement, content in toml_statements(text):
        if statement.lstrip().startswith("["):
            section = header_keys(content)
            found = section[: len(keys)] == keys
        else:
            found = keys[: len(section)] == section and _has_keys(content, keys[len(section) :])
        if found:
            return _key_in(statement, keys[-1], start)
    return None


def error_place(text: str, error: ValueError) -> tuple[str, Span]:
    """The message and the place of a syntax error."""
    message = str(error)
    at = _AT.search(message)
    if at is None or at[1] is None:
        return _AT.sub("", message).lower(), Span(len(text), len(text))
    offset = Source(text).utf16_offset(int(at[1]) - 1, 0) + int(at[2]) - 1
    return message[: at.start()].lower(), Span(offset, offset + len(text[offset : offset + 1].strip()))


def toml_statements(text: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Each header and each assignment, as the fewest lines that are valid TOML: start, text and content."""
    import tomllib

    start, end = 0, 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        end += len(line)
        try:
            content = tomllib.loads(text[start:end], parse_float=Decimal)
        except tomllib.TOMLDecodeError:
            continue
        yield start, text[start:end], content
        start = end


def header_keys(content: Any) -> Keys:
    """The keys of a header, from `{"policy": {"release.acp": {}}}`."""
    if not isinstance(content, dict) or not content:
        return ()
    ((key, inner),) = content.items()
    return key, *header_keys(inner)


def _has_keys(content: Any, keys: Keys) -> bool:
    for key in keys:
        if not isinstance(content, dict) or key not in content:
            return False
        content = content[key]
    return bool(keys)


def _key_in(statement: str, key: str, start: int) -> Span:
    spelled = re.search(rf"""(?<![\w-])(["']?){re.escape(key)}\1(?=\s*[=.\]])""", statement)
    if spelled:
        return Span(start + spelled.start(), start + spelled.end())
    before = len(statement) - len(statement.lstrip())
    return Span(start + before, start + len(statement.rstrip()))
