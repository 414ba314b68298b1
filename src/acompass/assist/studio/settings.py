"""Write the settings of a policy and its table into an acompass.toml, and change nothing else in it.

`policy.py` reads them. A file is split into its headers and assignments; only an assignment whose value changes is
written anew, and a key with its default value is removed. So comments, the order, the formatting, other sections and
the line endings are kept."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from threading import Lock
from typing import Any, TypeAlias, cast

import tomlkit
from tomlkit.items import Array, Item

from acompass.arguments import ROLE_NAMES, declared_options
from acompass.dataclasses import dataclass, field
from acompass.options import ERROR, Opening
from acompass.policy import Keys, PolicySettings, TableRoles, header_keys, toml_statements

#: the keys of a section with their values; None removes a key
Values: TypeAlias = Mapping[str, Any]

_INPUT = "input"


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one policy and its table."""

    policy: PolicySettings = field(default_factory=PolicySettings)  # the path of its table is relative to its folder
    roles: TableRoles = field(default_factory=TableRoles)
    reading: Opening = field(default_factory=lambda: Opening())
    #: the levels of columns; a file is relative to the folder of the table
    hierarchies: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Section:
    kind: str
    name: str
    values: Values

    @property
    def keys(self) -> Keys:
        return self.kind, self.name


def policy_section(name: str, settings: PolicySettings) -> Section:
    texts = ("purpose", "prepared_by", "recipients", "valid_until")
    values = {key.replace("_", "-"): getattr(settings, key) for key in texts}
    return Section("policy", name, {"table": settings.table, "params": dict(settings.params) or None, **values})


def table_section(name: str, settings: Settings) -> Section:
    roles = settings.roles
    lists = {key.replace("_", "-"): list(getattr(roles, key)) or None for key in ROLE_NAMES}
    options = declared_options(Opening).items()
    read = {option.key: _written(settings.reading.get(key)) for key, option in options if option.key}
    levels = dict(settings.hierarchies) or None
    return Section("table", name, {**lists, "person": roles.person, **read, "hierarchies": levels})


def _written(value: Any) -> Any:
    """The value of a reading option as TOML has it; None for a default."""
    match value:
        case None | False | "" | "error":
            return None
        case Mapping():
            return {name: each for name, each in value.items() if each != ERROR} or None
        case tuple() | list():
            return list(value) or None
        case _:
            return value


def options_by_column(given: Any, columns: Sequence[str]) -> Any:
    """`missing` or `dates` as an acompass.toml has them; a command line has texts such as `drop` and `Zip=?`."""
    if not isinstance(given, tuple) or not given:
        return given
    pairs = [(text, *_split_at_column(text, columns)) for text in given]
    by_column = {column: value for _, column, value in pairs if column is not None}
    for_all = [text for text, column, _ in pairs if column is None]
    if not for_all:
        return by_column
    return {**dict.fromkeys(columns, for_all[0]), **by_column} if by_column else for_all[0]


def _split_at_column(text: str, columns: Sequence[str]) -> tuple[str | None, str]:
    """The column before an equals sign, with the spelling of the table; the longest if several fit."""
    spelled = {column.casefold(): column for column in columns}
    for end in (place for place in reversed(range(len(text))) if text[place] == "="):
        if (column := spelled.get(text[:end].casefold())) is not None:
            return column, text[end + 1 :]
    return None, text


class SettingsHistory:
    """The settings of the open project, which its pages share, with those before each change."""

    def __init__(self, current: Settings):
        self.current = current
        self._saved: Settings | None = current
        self.version = 0  # increases when a page would show something else
        self._past: list[tuple[str, Settings]] = []
        self._is_typing = False
        self._lock = Lock()

    @property
    def is_unsaved(self) -> bool:
        return self._saved is None or bool(changed_words(self._saved, self.current))

    @property
    def before(self) -> Settings | None:
        """The settings before the last change."""
        return self._past[-1][1] if self._past else None

    @property
    def last_change(self) -> str | None:
        return self._past[-1][0] if self._past else None

    def change(self, settings: Settings, is_typing: bool = False) -> None:
        with self._lock:
            words = changed_words(self.current, settings)
            if words:
                if not (is_typing and self._is_typing and self.last_change == words):
                    self._past.append((words, self.current))
                self._is_typing = is_typing
                self.current = settings
                self.version += 1

    def undo(self) -> str | None:
        """Restore the settings before the last change, and return what changed."""
        with self._lock:
            if not self._past:
                return None
            words, self.current = self._past.pop()
            self._is_typing = False
            self.version += 1
            return words

    def mark_saved(self) -> None:
        self._mark(self.current)

    def mark_unsaved(self) -> None:
        """The files no longer have the settings."""
        self._mark(None)

    def _mark(self, saved: Settings | None) -> None:
        with self._lock:
            self._saved = saved
            self._is_typing = False
            self.version += 1


#: the options of reading a table that a page may keep and set; an engine or a limit of memory is not its business
READING = tuple(name for name, option in declared_options(Opening).items() if name not in ("engine", "memory_limit"))
#: the settings of a policy on the front page of a report, and their names
FRONT_PAGE = {
    "purpose": "the purpose",
    "prepared_by": "who prepared it",
    "recipients": "the recipients",
    "valid_until": "the date until which it is valid",
}


def changed_words(before: Settings, after: Settings) -> str:
    """What differs, such as ``the role of `Age` ``; empty if nothing does."""
    return ", ".join(_changes(before, after))


def _changes(before: Settings, after: Settings) -> Iterator[str]:
    old, new = _role_by_column(before.roles), _role_by_column(after.roles)
    columns = _changed_keys(old, new)
    if columns:
        yield f"the role of {', '.join(f'`{name}`' for name in columns)}"
    if before.roles.person != after.roles.person:
        yield "the column that tells persons apart"
    for name in _changed_keys(before.policy.params, after.policy.params):
        yield f"`{name}`"
    for name in _changed_keys(before.hierarchies, after.hierarchies):
        yield f"the levels of `{name}`"
    for key, words in FRONT_PAGE.items():
        if getattr(before.policy, key) != getattr(after.policy, key):
            yield words
    if before.reading != after.reading:
        yield "how the table is read"


def _changed_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [name for name in {**before, **after} if before.get(name) != after.get(name)]


def _role_by_column(roles: TableRoles) -> dict[str, str]:
    return {name: role for role, names in roles.by_name.items() for name in names}


def edit_settings(text: str, sections: Iterable[Section]) -> str:
    """The text of an acompass.toml with these values. It must be valid TOML."""
    file = _Text(text)
    for section in sections:
        for key, value in section.values.items():
            own = _INPUT if key == "table" and file.has((*section.keys, _INPUT)) else key
            file.put((*section.keys, own), value, section.keys)
    return file.text


@dataclass(slots=True, eq=False)
class _Statement:
    text: str
    header: Keys  # of the section that contains it, or its own
    #: the keys of an assignment, including those of its section; None for a header, a comment or an empty line
    path: Keys | None
    value: Any = None

    @property
    def is_header(self) -> bool:
        return self.path is None and self.text.lstrip().startswith("[")


class _Text:
    """An acompass.toml as a list of statements."""

    def __init__(self, text: str):
        self._end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
        self.statements = list(_parse_statements(text))

    @property
    def text(self) -> str:
        return "".join(statement.text for statement in self.statements)

    def find(self, path: Keys) -> list[_Statement]:
        """The statements that are, contain, or are part of the value at a path."""
        return [each for each in self.statements if each.path is not None and _is_related(each.path, path, each.value)]

    def has(self, path: Keys) -> bool:
        return any(_has_key(each, path) for each in self.find(path))

    def put(self, path: Keys, value: Any, section: Keys) -> None:
        found = self.find(path)
        parts = [each for each in found if each.path is not None and len(each.path) > len(path)]
        is_spread = bool(parts) or self._has_header(path)
        if is_spread and isinstance(value, dict):
            old = {each.path[len(path)] for each in parts if each.path is not None}
            for key in [*old.difference(value), *value]:
                self.put((*path, key), value.get(key), path if self._has_header(path) else section)
        elif is_spread:
            self._remove(path)
            self.put(path, value, section)
        elif found:
            self._change(found[0], path, value)
        elif value is not None:
            self._insert(path, value, section)

    def _remove(self, path: Keys) -> None:
        """Remove a value that has a section of its own or dotted keys, but not the comments between them."""
        found = self.find(path)
        for each in self.statements:
            if each.header[: len(path)] == path and each.is_header:
                found.append(each)
        self.statements = [each for each in self.statements if each not in found]

    def _change(self, statement: _Statement, path: Keys, value: Any) -> None:
        """Change the value of an assignment, or a value in its inline table."""
        assert statement.path is not None
        inner = path[len(statement.path) :]
        before = _value_at(statement.value, inner)
        if _is_same(before, value, takes_numbers=path[0] == "policy"):
            return
        if value is None and not inner:
            self.statements.remove(statement)
            return
        keys = path[len(statement.header) :]
        if isinstance(before, dict) and isinstance(value, dict):
            for key in [*(before.keys() - value.keys()), *value]:
                self._change(statement, (*path, key), value.get(key))
            return
        statement.text = _edited(statement.text, keys, value)
        content = tomllib.loads(statement.text, parse_float=Decimal)
        statement.value = _value_at(content, keys[: len(keys) - len(inner)])

    def _insert(self, path: Keys, value: Any, section: Keys) -> None:
        """Insert an assignment after the last one of its section."""
        header = section if self._has_header(section) else self._header_of_dotted(section)
        if header is None:
            self._append_header(section)
            header = section
        own = [place for place, each in enumerate(self.statements) if each.header == header and _is_content(each)]
        place = own[-1] + 1 if own else 0
        last = self.statements[own[-1]].text if own else ""
        if last and not last.endswith("\n"):
            self.statements[own[-1]].text += self._end
        indent = "" if not own or self.statements[own[-1]].is_header else last[: len(last) - len(last.lstrip(" \t"))]
        text = f"{indent}{_assignment(path[len(header) :], value)}{self._end}"
        self.statements.insert(place, _Statement(text, header, path, value))

    def _has_header(self, keys: Keys) -> bool:
        return any(each.is_header and each.header == keys for each in self.statements)

    def _header_of_dotted(self, section: Keys) -> Keys | None:
        """The header under which the section's keys are dotted, such as `"release.acp".table` under `[policy]`."""
        inside = [each for each in self.statements if each.path is not None and each.path[: len(section)] == section]
        return next((each.header for each in inside if len(each.header) < len(section)), None)

    def _append_header(self, section: Keys) -> None:
        before = self.text
        gap = "" if not before else self._end if before.endswith("\n") else self._end * 2
        self.statements.append(_Statement(gap, (), None))
        self.statements.append(_Statement(f"[{_dotted(section)}]{self._end}", section, None))


def _parse_statements(text: str) -> Iterator[_Statement]:
    header: Keys = ()
    for _, statement, content in toml_statements(text):
        if statement.lstrip().startswith("["):
            header = header_keys(content)
            yield _Statement(statement, header, None)
        elif content:
            path = _assigned_keys(statement)
            yield _Statement(statement, header, (*header, *path), _value_at(content, path))
        else:
            yield _Statement(statement, header, None)


def _assigned_keys(statement: str) -> Keys:
    """The keys before the equals sign of an assignment: `a.b = 1` has two."""
    for place in (each for each, letter in enumerate(statement) if letter == "="):
        try:
            content = tomllib.loads(f"{statement[:place]} = 0")
        except tomllib.TOMLDecodeError:
            continue  # in quotes
        return header_keys(content)
    raise AssertionError(statement)


def _is_related(own: Keys, path: Keys, value: Any) -> bool:
    if len(own) >= len(path):
        return own[: len(path)] == path
    return path[: len(own)] == own and isinstance(value, dict)


def _has_key(statement: _Statement, path: Keys) -> bool:
    assert statement.path is not None
    return _value_at(statement.value, path[len(statement.path) :]) is not None


def _is_content(statement: _Statement) -> bool:
    return statement.path is not None or statement.is_header


def _value_at(value: Any, keys: Keys) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_same(before: Any, value: Any, takes_numbers: bool) -> bool:
    """Whether the reader takes both for the same: a date for its text, and a number in `missing` for its text."""
    if isinstance(before, dict) and isinstance(value, dict):
        return before.keys() == value.keys() and all(_is_same(before[key], value[key], takes_numbers) for key in value)
    if isinstance(before, date) and isinstance(value, str):
        return before.isoformat() == value
    if isinstance(before, int | Decimal) and isinstance(value, str) and not takes_numbers:
        return f"{before:f}" == value if isinstance(before, Decimal) else str(before) == value
    return before == value and isinstance(before, bool) == isinstance(value, bool)


def _edited(statement: str, keys: Keys, value: Any) -> str:
    """An assignment with another value; None removes a key of an inline table."""
    document = tomlkit.parse(statement)
    place: Any = document
    for key in keys[:-1]:
        place = place.setdefault(key, tomlkit.inline_table())
    old = place.get(keys[-1])
    if value is None:
        del place[keys[-1]]
    elif isinstance(old, Array) and isinstance(value, list) and "\n" in old.as_string():
        _edit_list(old, value)
    else:
        place[keys[-1]] = _item(value)
    return tomlkit.dumps(document)


def _edit_list(array: Array, names: Sequence[str]) -> None:
    """Keep the lines and comments of a list as far as its order allows that."""
    kept = [name for name in array.unwrap() if name in names]
    start = kept if kept == list(names[: len(kept)]) else []
    for place in reversed(range(len(array))):
        if not start or array[place] not in names:
            del array[place]
    for name in names[len(start) :]:
        array.append(name)


def _assignment(keys: Keys, value: Any) -> str:
    return f"{_dotted(keys)} = {_item(value).as_string()}"


def _dotted(keys: Keys) -> str:
    """Names of files and columns in quotes, unless they are plain."""
    return ".".join(key if key.replace("-", "").isidentifier() and key.isascii() else _quoted(key) for key in keys)


def _quoted(text: str) -> str:
    return tomlkit.string(text).as_string()


def _item(value: Any) -> Item:
    match value:
        case Decimal():
            return tomlkit.value(f"{value:f}")
        case dict():
            table = tomlkit.inline_table()
            for key, each in value.items():
                table.append(key, _item(each))
            return table
        case _:
            return cast(Item, tomlkit.item(value))
