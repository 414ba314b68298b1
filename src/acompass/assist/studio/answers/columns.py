"""The table's columns, their roles, and templates that fit them."""

from http import HTTPStatus
from typing import Any

from acompass.assist.document import parameters
from acompass.assist.studio.answers.opening import require_shown, roles_json, sample_json
from acompass.assist.studio.messages import Body, Refused, json_object, number
from acompass.assist.studio.question import Ask, about_project, count_records, facts
from acompass.assist.studio.state import Project
from acompass.assist.templates import templates
from acompass.author.roles import RoleProposals, propose_roles
from acompass.author.rules.matching import sample_values
from acompass.dataclasses import asdict
from acompass.measure.answer import Bar, ColumnFacts, Distribution
from acompass.policy import TableRoles
from acompass.report.html import share_bar
from acompass.session import Session

#: the CSS class of the bars of a single table
_SERIES = "table"
_OTHER = "other"
_NO_ROLE = "none"


def describe_table(project: Project, body: Body) -> dict[str, Any]:
    """The columns with their proposed roles; none for a table on a server, whose columns are not described."""
    roles, proposals = roles_by_column(project.roles), _proposals(project, body)
    by_column = {each.column: each for each in proposals.roles}
    return {
        "columns": [
            {**_column(each, roles), "proposal": json_object(by_column[each.name], "role", "reason", "is_guess")}
            for each in facts(project, body)
        ],
        "person": None if proposals.person is None else json_object(proposals.person, "column", "reason"),
        "records": count_records(project, body),
        "sample": sample_json(project),
    }


def _proposals(project: Project, body: Body) -> RoleProposals:
    def find() -> RoleProposals:
        known = {each.name: each for each in facts(project, body)}
        samples = project.recall("samples", lambda: project.ask(body, sample_values))
        return propose_roles(project.queue.session.columns, known, samples, count_records(project, body))

    return project.recall("proposals", find)


#: the rarest values of a column that a page receives
_MOST_RAREST = 10


def list_rarest(project: Project, body: Body) -> dict[str, Any]:
    """The values of a column that the fewest records share, with their numbers of records."""
    require_shown(project)
    name = body.text("column")
    if name not in project.queue.session.columns:
        raise Refused(HTTPStatus.NOT_FOUND, "there is no such column")
    found = project.recall(
        ("rarest", name), lambda: project.ask(body, lambda session: session.rarest_values(name, _MOST_RAREST))
    )
    return {"values": [{"text": _shorten(text), "records": records} for text, records in found]}


#: records and characters of one value that a page receives at once
_MOST_ROWS = 1_000
_LONGEST = 500
#: a server has no order, so that other pages could repeat records of the first
_MOST_ON_SERVER = _MOST_ROWS


def list_rows(project: Project, body: Body) -> dict[str, Any]:
    """The texts of some records, in the order of the table, and how many records can be asked for."""
    require_shown(project)
    first, count = body.number("first"), body.number("count")
    if first < 0 or not 0 < count <= _MOST_ROWS:
        raise Refused(HTTPStatus.BAD_REQUEST, f"`first` is below 0, or `count` is not from 1 to {_MOST_ROWS}")
    found = project.ask_whole(body, lambda session: _rows(session, first, count))
    return {"rows": [[None if text is None else _shorten(text) for text in row] for row in found]}


def _rows(session: Session, first: int, count: int) -> list[tuple[str | None, ...]]:
    return session.rows(first, count) if session.is_local or first + count <= _MOST_ON_SERVER else []


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def set_roles(project: Project, body: Body) -> dict[str, Any]:
    project.roles = body.roles()
    return {"roles": roles_json(project.roles), **list_templates(project, body)}


def list_templates(project: Project, body: Body) -> dict[str, Any]:
    taken = parameters(Ask.parse(project, body).document) if body.has("text") else ()
    known = {each.name: each for each in facts(project, body)}
    found = templates(project.roles, None, taken, known)
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
        **json_object(found, "name", "type", "form", "missing", "distinct", "rare", "unique", "summary"),
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


QUESTIONS = {
    "table": about_project(describe_table, columns=[], person=None, records=None),
    "rarest": about_project(list_rarest, values=[]),
    "rows": about_project(list_rows, rows=[]),
    "roles": about_project(set_roles, templates=[]),
    "templates": about_project(list_templates, templates=[]),
}
