"""The library of published rules. A rule is a folder:

rule.toml    title, source, dates, what the rule covers and leaves out, its numbers and its columns
policy.acp   the policy over the rule's own columns, with its numbers as parameters
clauses.acp  what a released table must satisfy: assertions, each after a comment `-- name: title`
page.md      the rule in our words
table.csv    a table before release; passes.csv satisfies every clause, fails-NAME.csv all but one; a rule for tables of
             several kinds has more of them, such as table-counts.csv

and the reference tables of the policy. A third party adds a rule as a folder, or as an entry point in the group
`acompass.rules` whose value is a package with such folders."""

import csv
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from acompass.dataclasses import dataclass, field, fields, is_dataclass, replace
from acompass.errors.diagnostics import CallError, Diagnostic, Label, Span
from acompass.errors.display import Answer, json_object, json_value, reason_of
from acompass.language.program.constants import ParamValue
from acompass.language.text import tree
from acompass.language.text.walk import hierarchy_files, process_of, reference_files
from acompass.policy import Policy, error_place, key_place, parse_file

#: the group of entry points that add rules
ENTRY_POINTS = "acompass.rules"
_LIBRARY = Path(__file__).parent / "library"
_SETTINGS, _POLICY, _CLAUSES, _PAGE = "rule.toml", "policy.acp", "clauses.acp", "page.md"
#: the forms of values that `matching` recognizes
FORM_NAMES = (
    *("email", "phone", "ssn", "ip", "url", "zip", "date", "year", "date or year"),
    *("age", "count", "number", "text", "code"),
)
_COMPARE = "compare it with a rule of the library, such as `acompass rules show cms-cell-size`"


@dataclass(frozen=True, slots=True)
class RuleColumn:
    """A column of the rule's own tables, which `matching` finds in a user's table."""

    name: str
    meaning: str
    role: str | None = None  # as in an acompass.toml: identifiers, quasi-identifiers, sensitive or person
    names: tuple[str, ...] = ()  # other names that it often has
    values: tuple[str, ...] = ()  # the forms of its values
    is_many: bool = False  # whether several columns of a table can be meant
    is_required: bool = False
    unless: str | None = None  # a column of the rule; where a table has it, this one is not looked for


@dataclass(frozen=True, slots=True)
class RuleParameter:
    name: str
    value: ParamValue
    meaning: str


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a rule that a released table satisfies or violates; `requirement` has the rule's own columns."""

    name: str
    title: str
    requirement: tree.Requirement


@dataclass(frozen=True)
class Rule(Answer):
    name: str
    title: str
    source: str  # a link
    dated: date  # of the source
    review: date  # when the source has to be read again
    covers: str
    leaves_out: tuple[str, ...]
    parameters: tuple[RuleParameter, ...]
    columns: tuple[RuleColumn, ...]
    policy: Policy = field(repr=False)
    clauses: tuple[Clause, ...] = field(repr=False)
    page: str = field(repr=False)
    folder: Path = field(repr=False)

    @property
    def person(self) -> str | None:
        """The column that tells persons apart (D35)."""
        return next((column.name for column in self.columns if column.role == "person"), None)

    @property
    def summary(self) -> dict[str, Any]:
        return json_object(self, "name", "title", "source", "dated", "covers", "leaves_out")

    def to_json(self) -> dict[str, Any]:
        """The object of `--json`; scripts rely on its keys."""
        return {
            **self.summary,
            "review": json_value(self.review),
            "parameters": {each.name: json_object(each, "value", "meaning") for each in self.parameters},
            "columns": {each.name: json_object(each, "meaning", "role", "names", "values") for each in self.columns},
            "clauses": {each.name: each.title for each in self.clauses},
            "policy": self.policy.text,
        }


class Rules(Answer, tuple[Rule, ...]):
    """A tuple of rules."""

    __slots__ = ()

    def to_json(self) -> list[dict[str, Any]]:
        """The list of `--json`; scripts rely on the keys of its objects."""
        return [rule.summary for rule in self]


@cache
def all_rules() -> Rules:
    """The rules of this package and of installed packages, by name."""
    folders, problems = sorted(_folders()), [*_useless_entry_points()]
    if problems:
        raise CallError(problems)
    for (name, folder), (other_name, other) in pairwise(folders):
        if name == other_name:
            raise _two_rules(name, folder, other)
    return Rules(read_rule(folder) for _, folder in folders)


def find_rule(name: str) -> Rule:
    """The rule with this name, or else in this folder."""
    folders = sorted(_folders())
    found = [folder for known, folder in folders if known == name]
    if len(found) > 1:
        raise _two_rules(name, *found[:2])
    if found or os.path.isdir(name):
        return read_rule(found[0] if found else Path(name))
    raise CallError([_unknown(name, [known for known, _ in folders]), *_useless_entry_points()])


def _folders() -> set[tuple[str, Path]]:
    """The folders of all rules, with the names of the rules."""
    parents = (_LIBRARY, *(place for entry in metadata.entry_points(group=ENTRY_POINTS) for place in _places(entry)))
    return {(found.parent.name, found.parent.resolve()) for each in parents for found in each.glob(f"*/{_SETTINGS}")}


def _places(entry: metadata.EntryPoint) -> list[Path]:
    """The folders of the package that an entry point names; a namespace package has several."""
    try:
        spec = find_spec(entry.module)
    except ImportError:
        spec = None
    places = None if spec is None else spec.submodule_search_locations
    return [Path(each) for each in places or ()]


def _useless_entry_points() -> Iterator[Diagnostic]:
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        if not any(True for place in _places(entry) for _ in place.glob(f"*/{_SETTINGS}")):
            message = f"the entry point `{entry.name} = {entry.value}` is not a package with folders of rules"
            package = "the package that has it" if entry.dist is None else f"`{entry.dist.name}`"
            yield Diagnostic("AC651", message, help=f"correct or uninstall {package}")


def _unknown(name: str, names: list[str]) -> Diagnostic:
    from difflib import get_close_matches

    close = get_close_matches(name, names, 1)
    help_ = f"did you mean `{close[0]}`?" if close else "list the rules with `acompass rules`"
    return Diagnostic("AC650", f"there is no rule `{name}`", help=help_)


def _two_rules(name: str, folder: Path, other: Path) -> CallError:
    message = f"two rules are named `{name}`, in `{folder}` and in `{other}`"
    return CallError([Diagnostic("AC651", message, help="rename one of the folders")])


def read_rule(folder: Path) -> Rule:
    """Read the rule in a folder. Raise AC651 with the place of a mistake."""
    name = folder.resolve().name
    if not re.fullmatch(r"[\w.-]+", name):
        help_ = "rename the folder: use letters, digits, `-`, `_` and `.`"
        raise CallError([Diagnostic("AC651", f"`{name}` is not the name of a rule", help=help_)])
    page, settings = _read(folder, _PAGE), _Settings(folder / _SETTINGS, _read(folder, _SETTINGS))
    policy, clauses = (_policy(folder, each) for each in (_POLICY, _CLAUSES))
    rule = Rule(
        name=name,
        **settings.take_all(_RULE, ()),
        parameters=tuple(
            RuleParameter(each, **settings.take_all(_PARAMETER, ("parameters", each)))
            for each in settings.sections("parameters")
        ),
        columns=tuple(
            RuleColumn(each, **settings.take_all(_COLUMN, ("columns", each))) for each in settings.sections("columns")
        ),
        policy=policy,
        clauses=tuple(_clauses(clauses)),
        page=page,
        folder=folder,
    )
    _check_settings(settings, rule)
    for each in (policy, clauses):
        _check_policy(each, rule)
        for file in reference_files(each.tree):
            reference_rows(rule, file)
    return rule


def _policy(folder: Path, name: str) -> Policy:
    policy = parse_file(_read(folder, name), str(folder / name))
    if not policy.tree.requirements:
        raise _mistake("no requirement", _COMPARE, policy.text, policy.name, None)
    return policy


def _read(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        reason = "is not UTF-8"
    except OSError as error:
        reason = f"cannot be read: {reason_of(error)}"
    raise CallError([Diagnostic("AC651", f"`{folder / name}` {reason}", help=_COMPARE)])


def reference_rows(rule: Rule, file: str) -> list[list[str]]:
    """The rows of a reference table, the first of which has the names of its columns."""
    try:
        rows = [row for row in csv.reader(io.StringIO(_read(rule.folder, file)), strict=True) if row]
    except csv.Error:
        rows = []
    if not rows or {len(row) for row in rows} != {len(rows[0])}:
        message = f"`{rule.folder / file}` is not a CSV file with names of columns and rows of the same length"
        raise CallError([Diagnostic("AC651", message, help="correct the file")])
    return rows


@dataclass(frozen=True, slots=True)
class _Key:
    """A key of a rule.toml."""

    words: str
    example: str
    fits: Callable[[Any], bool]
    default: Any = ...  # required without one


def _is_line(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value.isprintable()


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _are_forms(value: Any) -> bool:
    return _is_list(value) and set(value) <= set(FORM_NAMES)


def _is_value(value: Any) -> bool:
    is_finite = not isinstance(value, Decimal) or value.is_finite()
    return isinstance(value, int | Decimal | str) and not isinstance(value, bool) and is_finite


_ROLES = ("identifiers", "quasi-identifiers", "sensitive", "other", "person")
_LINE = _Key("a line of text", '"…"', _is_line)
_DATE = _Key("a date", "2027-11-18", lambda value: isinstance(value, date) and not isinstance(value, datetime))
_TEXTS = _Key("a list of texts", '["…"]', _is_list)
_FLAG = _Key("true or false", "true", lambda value: isinstance(value, bool), False)
_RULE = {
    "title": _LINE,
    "source": _Key("a link", '"https://…"', lambda value: _is_line(value) and value.startswith("http")),
    "dated": _DATE,
    "review": _DATE,
    "covers": _Key("text", '"…"', _is_text),
    "leaves-out": _TEXTS,
}
_PARAMETER = {"value": _Key("a number or text", "11", _is_value), "meaning": _LINE}
_COLUMN = {
    "meaning": _LINE,
    "role": _Key(f"a role ({', '.join(_ROLES)})", '"identifiers"', lambda value: value in _ROLES, None),
    "names": replace(_TEXTS, default=()),
    "values": _Key(f"a list of forms ({', '.join(FORM_NAMES)})", '["date"]', _are_forms, ()),
    "many": _FLAG,
    "required": _FLAG,
    "unless": replace(_LINE, default=None),
}
#: the fields of classes that are spelled differently in a rule.toml
_FIELDS = {"leaves-out": "leaves_out", "many": "is_many", "required": "is_required"}


class _Settings:
    """A rule.toml, with the places of its keys for messages."""

    def __init__(self, path: Path, text: str):
        import tomllib

        self.path, self.text = path, text
        try:
            self.content = tomllib.loads(text, parse_float=Decimal)
        except tomllib.TOMLDecodeError as error:
            reason, place = error_place(text, error)
            raise _mistake(f"not TOML: {reason}", _COMPARE, text, path, place) from None
        self._require_known(self.content, (*_RULE, "parameters", "columns"), ())

    def sections(self, kind: str) -> dict[str, Any]:
        """The sections of the parameters or of the columns."""
        found = self.content.get(kind, {})
        if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
            self.fail((kind,), f"`{kind}` does not consist of sections", f"write `[{kind}.NAME]` above its keys")
        return found

    def take_all(self, keys: Mapping[str, _Key], section: tuple[str, ...]) -> dict[str, Any]:
        """The values of a section, by the names of fields."""
        content = self.content
        for name in section:
            content = content[name]
        if section:
            self._require_known(content, tuple(keys), section)
        return {_FIELDS.get(name, name): self._take(content, name, key, section) for name, key in keys.items()}

    def _take(self, content: Mapping[str, Any], name: str, key: _Key, section: tuple[str, ...]) -> Any:
        value = content.get(name, key.default)
        if value is ...:
            self.fail(section, f"`{name}` is missing", f"write `{name} = {key.example}`")
        if name in content and not key.fits(value):
            self.fail((*section, name), f"`{name}` is not {key.words}", f"write `{name} = {key.example}`")
        return tuple(value) if isinstance(value, list) else value

    def _require_known(self, content: Mapping[str, Any], known: tuple[str, ...], section: tuple[str, ...]) -> None:
        for unknown in sorted(content.keys() - set(known)):
            self.fail((*section, unknown), f"unknown key `{unknown}`", f"keys: {', '.join(known)}")

    def fail(self, keys: tuple[str, ...], message: str, help_: str) -> NoReturn:
        place = key_place(self.text, keys) if keys else None
        raise _mistake(message, help_, self.text, self.path, place)


def _mistake(message: str, help_: str, text: str, path: str | Path, place: Span | None) -> CallError:
    """An error in a file of a rule, which is named by the message or, if the place is known, with the place."""
    labels = () if place is None else (Label(place),)
    message = f"`{path}`: {message}" if place is None else message
    return CallError([Diagnostic("AC651", message, labels, help_)], text, str(path))


def _check_settings(settings: _Settings, rule: Rule) -> None:
    """What the keys of a rule.toml say together."""
    if rule.review <= rule.dated:
        settings.fail(("review",), "`review` is not after `dated`", "write when the source has to be read again")
    names = {_plain(column.name): column for column in rule.columns}
    if not names:
        settings.fail((), "no column", "write `[columns.NAME]` for each column that the policy names")
    _require_one_each(settings, names, rule)
    persons = [column.name for column in rule.columns if column.role == "person"]
    requirements = (*rule.policy.tree.requirements, *(clause.requirement for clause in rule.clauses))
    used = {each.name for each in nodes(requirements) if isinstance(each, tree.Parameter)}
    for name in (each.name for each in rule.parameters if each.name not in used):
        settings.fail(("parameters", name), f"neither {_POLICY} nor {_CLAUSES} has a parameter `{name}`", "remove it")
    for column in rule.columns:
        place = ("columns", column.name)
        for alias in column.names:
            if names.get(_plain(alias), column) is not column:
                settings.fail((*place, "names"), f"`{alias}` is the name of another column", "remove it")
        if column.unless is not None and names.get(_plain(column.unless), column) is column:
            settings.fail((*place, "unless"), f"`{column.unless}` is not another column", "name a column of the rule")
        if column.name in persons[1:]:
            settings.fail((*place, "role"), f"`{persons[0]}` has the role person already", "only one column can")


def _require_one_each(settings: _Settings, names: Mapping[str, RuleColumn], rule: Rule) -> None:
    for column in rule.columns:
        if not _is_line(column.name):
            settings.fail(
                ("columns", column.name), "a column has an empty name, or one with control characters", "rename it"
            )
        if names[_plain(column.name)] is not column:
            message = f"two columns are named `{column.name}`, without regard to case"
            settings.fail(("columns", column.name), message, "rename one of them")


def _plain(name: str) -> str:
    """A name as `matching` compares it: without case, and with spaces between words."""
    return " ".join(re.split(r"[\s_-]+", name.casefold()))


def _check_policy(policy: Policy, rule: Rule) -> None:
    """Every column, parameter and file of a policy is the rule's own."""
    columns, parameters = {_fold(each.name) for each in rule.columns}, {each.name for each in rule.parameters}
    files = {*hierarchy_files(policy.tree), *reference_files(policy.tree)}
    for requirement in policy.tree.requirements:
        process = process_of(requirement)
        aliases = {} if process is None else {_fold(each.alias.text): each.alias for each in process.aggregates}
        for name in aliases.keys() & columns:
            _fail_at(aliases[name], policy, f"`{aliases[name].text}` is a column of the rule", "use another name")
        for node in nodes(requirement):
            match node:
                case tree.Name(text) if _fold(text) not in {*columns, *aliases}:
                    _fail_at(node, policy, f"`{text}` is not a column of the rule", f"declare `[columns.{text}]`")
                case tree.Parameter(name) if name not in parameters:
                    _fail_at(node, policy, f"`{name}` is not a parameter of the rule", f"declare `[parameters.{name}]`")
                case tree.String(file) if file in files and not _is_file(rule.folder, file):
                    _fail_at(node, policy, f"`{file}` is not a file in the folder of the rule", "put it there")


def _fold(name: str) -> str:
    return name.casefold()


def _is_file(folder: Path, name: str) -> bool:
    return Path(name).name == name and (folder / name).is_file()


def _fail_at(node: Any, policy: Policy, message: str, help_: str) -> NoReturn:
    raise _mistake(message, help_, policy.text, policy.name, node.span)


def nodes(node: Any) -> Iterator[Any]:
    """A node and all nodes in it."""
    yield node
    for part in parts(node):
        yield from nodes(part)


def parts(node: Any) -> Iterator[Any]:
    """What a node consists of, without the column of a reference table, which is the file's (X14)."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node):
        yield from (getattr(node, name) for name in part_names(node))


def part_names(node: Any) -> list[str]:
    is_of_file = isinstance(node, tree.Aggregate) and node.file is not None
    return [each.name for each in fields(node) if not (is_of_file and each.name == "column")]


def _clauses(policy: Policy) -> Iterator[Clause]:
    """Each requirement of clauses.acp, with the comment before it."""
    seen = set[str]()
    for requirement in policy.tree.requirements:
        written = re.fullmatch(r"([\w-]+):\s*(\S.*)", (comment_before(policy.tree, requirement) or [""])[-1])
        if written is None:
            message, help_ = "a clause has no name", "write a comment such as `-- cells: no small cell` before it"
        elif written[1] in seen:
            message, help_ = f"two clauses are named `{written[1]}`", "rename one of them"
        elif requirement.action is not None:
            message, help_ = "a clause has an action", "write the assertion only: actions are those of the policy"
        else:
            seen.add(written[1])
            yield Clause(written[1], written[2], requirement)
            continue
        raise _mistake(message, help_, policy.text, policy.name, requirement.span)


def comment_before(program: tree.Program, requirement: tree.Requirement) -> list[str]:
    """The lines of the comments between the requirement before and this one, without `--`."""
    ends = [each.span.end for each in program.requirements if each.span.end <= requirement.span.start]
    start = max(ends, default=0)
    between = (each for each in program.comments if start <= each.span.start < requirement.span.start)
    return [each.text.removeprefix("--").strip() for each in between]
