"""Published rules: the gallery, their policies, and whether the table satisfies them."""

from http import HTTPStatus
from typing import Any

from acompass.assist.studio.answers.release import write_beside
from acompass.assist.studio.messages import Body, Refused, error_json, json_object
from acompass.assist.studio.question import (
    Ask,
    about_project,
    about_text,
    release_table,
)
from acompass.assist.studio.state import Project
from acompass.author.answers import ClauseCheck, RuleCheck
from acompass.author.rules.library import Rule, all_rules
from acompass.author.rules.matching import Matching, match_columns, require_certain, sample_values
from acompass.author.rules.writing import write_rule
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import ParamValue, parse_settings
from acompass.options import RuleCheckOptions
from acompass.policy import TableRoles
from acompass.session import Session


def list_rules(_: Project, __: Body) -> dict[str, Any]:
    return {"diagnostics": [], "rules": all_rules().to_json()}


def show_rule(project: Project, body: Body) -> dict[str, Any]:
    """A rule, and how its columns match those of the open table."""
    rule = _rule(body)
    samples = project.recall("samples", lambda: project.ask(body, sample_values))
    matching = match_columns(rule, project.queue.session.columns, project.roles, None, samples)
    return {"diagnostics": [], "rule": {**rule.to_json(), "columns": _rule_columns(rule, matching)}}


def _rule(body: Body) -> Rule:
    """A rule of the library or of an installed package. `find_rule` would also read any folder that the page names."""
    found = next((rule for rule in all_rules() if rule.name == body.text("name")), None)
    if found is None:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such rule")
    return found


def _rule_columns(rule: Rule, matching: Matching) -> list[dict[str, Any]]:
    matches = {match.column.name: match for match in matching.matches}
    doubts = {doubt.column.name: doubt.candidates for doubt in matching.doubts}
    return [
        {
            **json_object(column, "name", "meaning", "role", "unless"),
            "many": column.is_many,
            "required": column.is_required,
            "columns": matches[column.name].columns if column.name in matches else (),
            "reason": matches[column.name].reason if column.name in matches else None,
            "candidates": doubts.get(column.name),
        }
        for column in rule.columns
    ]


def write_rule_policy(project: Project, body: Body) -> dict[str, Any]:
    """The rule's policy for the editor, once its files are in the policy's folder."""
    rule = _rule(body)
    matching = match_columns(rule, project.queue.session.columns, project.roles, body.names_by_name("columns"))
    require_certain(matching)
    policy = write_rule(rule, matching, {}, _numbers(body), None).policy
    files = policy.tree.hierarchies
    write_beside(project, files, body.flag("replace"), body.flag("keep"))
    return {"diagnostics": [], "text": policy.text, "files": list(files)}


def _numbers(body: Body) -> dict[str, ParamValue]:
    return parse_settings(f"{name}={value}" for name, value in body.texts("numbers").items() if value.strip())


def check_rule(ask: Ask) -> dict[str, Any]:
    """Whether the open table and the one that the policy in the editor releases satisfy the rule, clause by clause."""
    rule, project, found, problems = _rule(ask.body), ask.project, dict[str, Any](), list[dict[str, Any]]()

    def check_released(session: Session) -> RuleCheck:
        with release_table(ask, session) as files, project.open_released(ask.body, files.after) as after:
            return _check(ask, rule, after)

    checks = {"before": lambda session: _check(ask, rule, session), "after": check_released}
    for name, check in checks.items():
        try:
            found[name] = [_clause(each) for each in project.ask_whole(ask.body, check).clauses]
        except AcompassError as error:
            found[name] = None
            problems += error_json(error, ask.body)
    return {"diagnostics": problems, **found}


def _check(ask: Ask, rule: Rule, session: Session) -> RuleCheck:
    """A released table has only some of the columns that the page names."""
    given = ask.body.names_by_name("columns").items()
    left = {own: tuple(name for name in columns if name in session.columns) for own, columns in given}
    options: Any = dict.fromkeys(RuleCheckOptions.__annotations__) | {"params": _numbers(ask.body), "show": 0}
    return session.check_rule(rule, match_columns(rule, session.columns, TableRoles(), left), options)


def _clause(found: ClauseCheck) -> dict[str, Any]:
    return {**json_object(found, "name", "title", "holds", "affected", "problem"), "is_checked": found.is_checked}


QUESTIONS = {
    "rules": about_project(list_rules, rules=[]),
    "rule": about_project(show_rule, rule=None),
    "rule/write": about_project(write_rule_policy, text=None, files=[]),
    "rule/check": about_text(check_rule, before=None, after=None),
}
