"""`acompass.rules`: published rules for the release of tables, as policies.

A rule has its own columns and numbers. `new` writes its policy for a table, and `check` checks a table."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from acompass.arguments import validate_arguments
from acompass.author.rules.library import Rule, Rules, all_rules, find_rule
from acompass.dataclasses import replace
from acompass.options import Opening, RuleCheckOptions, RuleName, RuleOptions, TableArgument, TableOfRule

if TYPE_CHECKING:
    from acompass.author.answers import RuleCheck, RulePolicy
    from acompass.author.rules.matching import Matching
    from acompass.policy import TableRoles
    from acompass.session import Session

__all__ = ["all", "check", "find", "new"]


@validate_arguments
def all() -> Rules:  # noqa: A001
    """List the rules of this package and of other installed packages.

    >>> [rule.title for rule in acompass.rules.all() if rule.name == "cms-cell-size"]
    ['CMS cell size suppression policy']
    """
    return all_rules()


@validate_arguments
def find(name: RuleName) -> Rule:
    """Find a rule: its policy, its source, and what it covers and leaves out.

    >>> acompass.rules.find("cms-cell-size").parameters[0].value
    11
    """
    return find_rule(os.fspath(name))


@validate_arguments
def new(name: RuleName, table: TableOfRule = None, **options: Unpack[RuleOptions]) -> "RulePolicy":
    """Write the policy of a rule for a table, whose columns are matched by role, name and values.

    Without a table, the policy has the rule's own columns.

    >>> acompass.rules.new("cms-cell-size", [{"Region": "north", "Patients": 11}]).matching.columns
    {'count': ('Patients',)}
    """
    from acompass.author.rules.writing import note_on_missing, write_rule
    from acompass.policy import reading_settings

    rule, output = find_rule(os.fspath(name)), options["output"]
    matching = None if table is None else match_table(rule, table, options)
    path = None if output is None else os.fspath(output)
    made = write_rule(rule, matching, options["columns"] or {}, options["params"], path, table)
    given, settings = {name: options.get(name) for name in Opening.__annotations__}, reading_settings(table)
    if matching is not None and options["missing"] is None and settings.get("missing") is None:
        made = replace(made, notes=(*made.notes, *note_on_missing(matching)))
    return replace(made, reading={name: each for name, each in given.items() if each != settings.get(name)})


@validate_arguments
def check(name: RuleName, table: TableArgument, **options: Unpack[RuleCheckOptions]) -> "RuleCheck":
    """Check a table against a rule, clause by clause.

    Its columns are matched as in `new`. A clause about columns that the table does not have says nothing about it.

    >>> acompass.rules.check("cms-cell-size", [{"Region": "north", "Patients": 10}]).ok
    False
    """
    from acompass.api import open_session
    from acompass.author.rules.matching import require_certain
    from acompass.policy import call_roles

    rule, given = find_rule(os.fspath(name)), dict[str, Any](options)
    with open_session(table, options) as session:
        _require_columns(session, given["roles"], given["person"])
        matching = _match_columns(rule, session, call_roles(table, given["roles"], given["person"]), options)
        # a released table may lack a column that a policy for the original one needs
        require_certain(replace(matching, doubts=tuple(each for each in matching.doubts if each.candidates)))
        return session.check_rule(rule, matching, options)


def _require_columns(session: "Session", roles: Mapping[str, tuple[str, ...]] | None, person: str | None) -> None:
    """Raise if the call gives a role to a column that the table does not have."""
    from acompass.errors.diagnostics import CallError, Diagnostic
    from acompass.language.program.types import Names
    from acompass.roles import find_column

    named = [name for names in (roles or {}).values() for name in names] + ([] if person is None else [person])
    found = [find_column(Names(session.columns), name) for name in named]
    if problems := [each for each in found if isinstance(each, Diagnostic)]:
        raise CallError(problems)


def match_table(rule: Rule, table: Any, options: Mapping[str, Any]) -> "Matching":
    """Match the columns of a rule with those of a table, which is opened for it."""
    from acompass.api import open_session
    from acompass.author.rules.matching import require_certain
    from acompass.policy import table_roles

    with open_session(table, options) as session:
        matching = _match_columns(rule, session, table_roles(table), options)
    require_certain(matching)
    return matching


def _match_columns(rule: Rule, session: "Session", roles: "TableRoles", options: Mapping[str, Any]) -> "Matching":
    """Match the columns, and ask about those that are in doubt."""
    from acompass.author.rules.matching import ask, given_columns, match_columns, sample_values

    names, samples = session.columns, sample_values(session)
    given = given_columns(rule, options["columns"], names)
    matching = match_columns(rule, names, roles, given, samples)
    while matching.doubts and options.get("ask") is not None:
        given |= ask(matching, options["ask"])
        matching = match_columns(rule, names, roles, given, samples)
    return matching
