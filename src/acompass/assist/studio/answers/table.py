"""The table's columns, their roles, templates and published rules that fit them, and the search for a policy.

A new search replaces the previous one, and a search can be ended with the best policy so far."""

from http import HTTPStatus
from typing import Any, Unpack

from acompass.assist.document import Document, parameters
from acompass.assist.request_queue import Stale
from acompass.assist.studio.answers.files import roles_json, sample_json, write_beside
from acompass.assist.studio.messages import Body, Refused, error_json, json_object, number
from acompass.assist.studio.question import Ask, count_records, facts, release_table
from acompass.assist.studio.state import Studio
from acompass.assist.templates import templates
from acompass.author.answers import ClauseCheck, RuleCheck, Suggestion
from acompass.author.rules.library import Rule, all_rules
from acompass.author.rules.matching import Matching, match_columns, require_certain, sample_values
from acompass.author.rules.writing import write_rule
from acompass.dataclasses import asdict, replace
from acompass.errors.diagnostics import AcompassError
from acompass.language.program.constants import ParamValue, parse_settings
from acompass.language.text.walk import names_dropped_by
from acompass.measure.answer import Bar, ColumnFacts, Distribution
from acompass.options import RuleCheckOptions, SuggestOptions
from acompass.policy import TableRoles
from acompass.report.html import share_bar
from acompass.session import Session

#: the CSS class of the bars of a single table
_SERIES = "table"
_OTHER = "other"
_NO_ROLE = "none"


def describe_table(studio: Studio, body: Body) -> dict[str, Any]:
    roles = roles_by_column(studio.roles)
    return {
        "columns": [_column(each, roles) for each in facts(studio, body)],
        "records": count_records(studio, body),
        "sample": sample_json(studio),
    }


def set_roles(studio: Studio, body: Body) -> dict[str, Any]:
    studio.roles = body.roles()
    return {"roles": roles_json(studio.roles), **list_templates(studio, body)}


def list_templates(studio: Studio, body: Body) -> dict[str, Any]:
    taken = parameters(Ask.parse(studio, body).document) if body.has("text") else ()
    known = {each.name: each for each in facts(studio, body)}
    found = templates(studio.roles, None, taken, known)
    return {"templates": [asdict(each) for each in found]}


def roles_by_column(roles: TableRoles) -> dict[str, str]:
    return {
        **dict.fromkeys(roles.identifiers, "identifier"),
        **dict.fromkeys(roles.quasi_identifiers, "quasi-identifier"),
        **dict.fromkeys(roles.sensitive, "sensitive"),
        **dict.fromkeys(roles.other, "other"),
    }


def _column(found: ColumnFacts, roles: dict[str, str]) -> dict[str, Any]:
    return {
        **json_object(found, "name", "type", "missing", "distinct", "summary"),
        "bars": [] if found.distribution is None else _bars(found.distribution),
        "role": roles.get(found.name, _NO_ROLE),
    }


def _bars(distribution: Distribution) -> list[dict[str, Any]]:
    """The bars of the report; the last one is for values that too few records share."""
    (total,), other = distribution.totals, Bar(_OTHER, distribution.other)
    shown = [*distribution.bars, *([other] if any(distribution.other) else [])]
    return [
        {"label": bar.label, "count": number(count), "bar": share_bar(count or 0, total, _SERIES)}
        for bar in shown
        for count in bar.counts
    ]


def suggest(studio: Studio, body: Body) -> dict[str, Any]:
    """Search the whole table in a separate session, so that verdicts do not wait."""
    roles = _without_dropped(studio, body, body.roles() if body.has("roles") else studio.roles)
    with studio.searches.begin() as search:
        found = studio.ask_all(
            body,
            lambda session: session.suggest(
                roles.quasi_identifiers,
                body.number("k"),
                **_search_options(
                    body,
                    sensitive=roles.sensitive,
                    roles=roles.by_name,
                    person=roles.person,
                    stopped=lambda: search.stopping or body.is_withdrawn,
                    progress=search.note,
                ),
            ),
        )
    if not search.is_newest:
        raise Stale
    return {"diagnostics": [], "suggestion": _json(found)}


def _without_dropped(studio: Studio, body: Body, roles: TableRoles) -> TableRoles:
    """Omit identifiers that the policy drops to which the suggestion is added: nothing can drop them again."""
    policy = Document(body.text("text"), studio.file.path).policy if body.has("text") else None
    dropped = set() if policy is None else {name.text.casefold() for name in names_dropped_by(policy.tree)}
    return replace(roles, identifiers=tuple(name for name in roles.identifiers if name.casefold() not in dropped))


def progress(studio: Studio, _: Body) -> dict[str, Any]:
    search = studio.searches.newest
    return {"suggest": None if search is None else json_object(search, "part", "loss")}


def stop(studio: Studio, body: Body) -> dict[str, Any]:
    if body.text("topic") == "suggest":
        studio.searches.stop()
    return {}


def _search_options(body: Body, **options: Unpack[SuggestOptions]) -> SuggestOptions:
    """The options of the search; empty fields are ignored."""
    if body.has("l"):
        options["l"] = body.number("l")
    if body.has("lines"):
        options["lines"] = body.number("lines")
    if body.has("max_lost"):
        options["max_lost"] = body.text("max_lost")
    if body.has("style"):
        options["style"] = body.text("style")
    if body.has("keep"):
        options["change_last"] = body.names("keep")
    return options


def _json(found: Suggestion) -> dict[str, Any]:
    return {
        **json_object(found, "text", "loss", "dropped"),
        "steps": [json_object(step, "text", "affected", "loss") for step in found.steps],
        "curve": [json_object(point, "lines", "loss", "dropped") for point in found.curve],
        **json_object(found, "seconds", "finished", "records_out"),
    }


def list_rules(_: Studio, __: Body) -> dict[str, Any]:
    return {"diagnostics": [], "rules": all_rules().to_json()}


def show_rule(studio: Studio, body: Body) -> dict[str, Any]:
    """A rule, and how its columns match those of the open table."""
    rule = _rule(body)
    samples = studio.recall("samples", lambda: studio.ask(body, sample_values))
    matching = match_columns(rule, studio.queue.session.columns, studio.roles, None, samples)
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


def write_rule_policy(studio: Studio, body: Body) -> dict[str, Any]:
    """The rule's policy for the editor, once its files are in the policy's folder."""
    rule = _rule(body)
    matching = match_columns(rule, studio.queue.session.columns, studio.roles, body.names_by_name("columns"))
    require_certain(matching)
    policy = write_rule(rule, matching, {}, _numbers(body), None).policy
    files = policy.tree.hierarchies
    write_beside(studio, files, body.flag("replace"), body.flag("keep"))
    return {"diagnostics": [], "text": policy.text, "files": list(files)}


def _numbers(body: Body) -> dict[str, ParamValue]:
    return parse_settings(f"{name}={value}" for name, value in body.texts("numbers").items() if value.strip())


def check_rule(ask: Ask) -> dict[str, Any]:
    """Whether the open table and the one that the policy in the editor releases satisfy the rule, clause by clause."""
    rule, studio, found, problems = _rule(ask.body), ask.studio, dict[str, Any](), list[dict[str, Any]]()

    def check_released(session: Session) -> RuleCheck:
        with release_table(ask, session) as files, studio.open_released(ask.body, files.after) as after:
            return _check(ask, rule, after)

    checks = {"before": lambda session: _check(ask, rule, session), "after": check_released}
    for name, check in checks.items():
        try:
            found[name] = [_clause(each) for each in studio.ask_whole(ask.body, check).clauses]
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
