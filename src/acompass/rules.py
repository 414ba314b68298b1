"""`acompass.rules`: published rules for the release of tables, as policies.

A rule has its own columns and numbers. `new` writes its policy for a table."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

from acompass.arguments import validate_arguments
from acompass.author.rules.library import Rule, Rules, all_rules, find_rule
from acompass.options import RuleName, RuleOptions, TableOfRule

if TYPE_CHECKING:
    from acompass.author.answers import RulePolicy
    from acompass.author.rules.matching import Matching

__all__ = ["all", "find", "new"]


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
    from acompass.author.rules.writing import write_rule

    rule, output = find_rule(os.fspath(name)), options["output"]
    matching = None if table is None else match_table(rule, table, options)
    path = None if output is None else os.fspath(output)
    return write_rule(rule, matching, options["columns"] or {}, options["params"], path, table)


def match_table(rule: Rule, table: Any, options: Mapping[str, Any]) -> "Matching":
    """Match the columns of a rule with those of a table, which is opened for it."""
    from acompass.api import open_session
    from acompass.author.rules.matching import match_columns
    from acompass.author.rules.writing import given_columns
    from acompass.policy import table_roles

    with open_session(table, options) as session:
        names = session.columns
        given = given_columns(rule, options["columns"] or {}, names)
        return match_columns(rule, names, table_roles(table), given)
