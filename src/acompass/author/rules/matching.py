"""Find the columns of a rule in a table: those that the call names, or else by role, by name, and by their values."""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from acompass.author.rules.library import Rule, RuleColumn
from acompass.dataclasses import dataclass
from acompass.policy import TableRoles

Reason: TypeAlias = Literal["given", "role", "name", "values"]


@dataclass(frozen=True, slots=True)
class Match:
    """The columns of a table that a column of the rule stands for."""

    column: RuleColumn
    columns: tuple[str, ...]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Doubt:
    """A column of the rule that may be one of these, or that is required and was not found."""

    column: RuleColumn
    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matching:
    matches: tuple[Match, ...]
    doubts: tuple[Doubt, ...]
    others: tuple[str, ...]  # columns of the table that the rule says nothing about

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        """The columns of the table for each column of the rule."""
        return {match.column.name: match.columns for match in self.matches}


def match_columns(
    rule: Rule, names: Sequence[str], roles: TableRoles, given: Mapping[str, Sequence[str]] | None = None
) -> Matching:
    """`given` are columns of the table for columns of the rule, none for an empty list; they are never in doubt."""
    found, taken = list[Match](), set[str]()
    for column in rule.columns:
        by_name = [
            name for name in names if name.casefold() in {each.casefold() for each in (column.name, *column.names)}
        ]
        chosen = tuple(given[column.name]) if given and column.name in given else tuple(by_name)
        if chosen:
            found.append(Match(column, chosen, "given" if given and column.name in given else "name"))
            taken.update(chosen)
    return Matching(tuple(found), (), tuple(name for name in names if name not in taken))
