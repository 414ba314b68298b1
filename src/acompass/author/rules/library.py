"""The library of published rules. A rule is a folder:

rule.toml    title, source, dates, what the rule covers and leaves out, its numbers and its columns
policy.acp   the policy over the rule's own columns, with its numbers as parameters
clauses.acp  what a released table must satisfy: assertions, each after a comment `-- name: title`
page.md      the rule in our words
table.csv    a table before release; passes.csv satisfies every clause, fails-NAME.csv all but one; a rule for tables of
             several kinds has more of them, such as table-counts.csv

and the reference tables of the policy. A third party adds a rule as a folder, or as an entry point in the group
`acompass.rules` whose value is a package with such folders."""

import os
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from acompass.dataclasses import dataclass, field
from acompass.errors.diagnostics import CallError, Diagnostic
from acompass.errors.display import Answer, json_object, json_value
from acompass.language.program.constants import ParamValue
from acompass.language.text import tree
from acompass.policy import Policy, load

#: the group of entry points that add rules
ENTRY_POINTS = "acompass.rules"
_LIBRARY = Path(__file__).parent / "library"
_SETTINGS = "rule.toml"


@dataclass(frozen=True, slots=True)
class RuleColumn:
    """A column of the rule's own tables, which `matching` finds in a user's table."""

    name: str
    meaning: str
    role: str | None = None  # as in an acompass.toml: identifiers, quasi-identifiers, sensitive or person
    names: tuple[str, ...] = ()  # other names that it often has
    values: tuple[str, ...] = ()  # the forms of its values; `matching.FORMS` lists them
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
    return Rules(read_rule(folder) for _, folder in sorted(_folders().items()))


def find_rule(name: str) -> Rule:
    """The rule with this name, or in this folder."""
    if os.path.isfile(os.path.join(name, _SETTINGS)):
        return read_rule(Path(name))
    folders = _folders()
    if name not in folders:
        raise CallError([_unknown(name, list(folders))])
    return read_rule(folders[name])


def _folders() -> dict[str, Path]:
    found = dict(_folders_in(_LIBRARY))
    for entry in metadata.entry_points(group=ENTRY_POINTS):
        with resources.as_file(resources.files(entry.module)) as package:
            found |= dict(_folders_in(package))
    return found


def _folders_in(parent: Path) -> Iterator[tuple[str, Path]]:
    for settings in sorted(parent.glob(f"*/{_SETTINGS}")):
        yield settings.parent.name, settings.parent


def _unknown(name: str, names: list[str]) -> Diagnostic:
    from difflib import get_close_matches

    close = get_close_matches(name, names, 1)
    help_ = f"did you mean `{close[0]}`?" if close else "list the rules with `acompass rules`"
    return Diagnostic("AC650", f"there is no rule `{name}`", help=help_)


def read_rule(folder: Path) -> Rule:
    import tomllib

    try:
        content = tomllib.loads((folder / _SETTINGS).read_text(encoding="utf-8"))
        policy, clauses = load(folder / "policy.acp"), load(folder / "clauses.acp")
        return Rule(
            name=folder.resolve().name,
            title=content["title"],
            source=content["source"],
            dated=content["dated"],
            review=content["review"],
            covers=content["covers"],
            leaves_out=tuple(content["leaves-out"]),
            parameters=tuple(
                RuleParameter(name, each["value"], each["meaning"])
                for name, each in content.get("parameters", {}).items()
            ),
            columns=tuple(_column(name, each) for name, each in content["columns"].items()),
            policy=policy,
            clauses=tuple(_clauses(clauses)),
            page=(folder / "page.md").read_text(encoding="utf-8"),
            folder=folder,
        )
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise CallError([_unusable(folder, error)]) from None


def _column(name: str, content: Mapping[str, Any]) -> RuleColumn:
    return RuleColumn(
        name,
        content["meaning"],
        content.get("role"),
        tuple(content.get("names", ())),
        tuple(content.get("values", ())),
        content.get("many", False),
        content.get("required", False),
        content.get("unless"),
    )


def _clauses(policy: Policy) -> Iterator[Clause]:
    """Each requirement with the comment before it."""
    for requirement in policy.tree.requirements:
        name, _, title = comment_before(policy.tree, requirement)[-1].partition(":")
        yield Clause(name.strip(), title.strip(), requirement)


def comment_before(program: tree.Program, requirement: tree.Requirement) -> list[str]:
    """The lines of the comments between the requirement before and this one, without `--`."""
    ends = [each.span.end for each in program.requirements if each.span.end <= requirement.span.start]
    start = max(ends, default=0)
    between = (each for each in program.comments if start <= each.span.start < requirement.span.start)
    return [each.text.removeprefix("--").strip() for each in between]


def _unusable(folder: Path, error: Exception) -> Diagnostic:
    reason = f"`{error.args[0]}` is missing" if isinstance(error, KeyError) else str(error)
    message = f"`{folder.name}` is not a rule: {reason}"
    return Diagnostic(
        "AC651", message, help="compare it with a rule of the library: `acompass rules show cms-cell-size`"
    )
