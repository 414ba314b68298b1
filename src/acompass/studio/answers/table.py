"""The table: its columns, their distributions and roles, and templates that fit them."""

from typing import Any

from acompass.assist.parameters import parameters
from acompass.assist.templates import Template, templates
from acompass.measures import Bar, ColumnFacts, Distribution
from acompass.project import TableRoles
from acompass.report.html.charts import share_bar
from acompass.studio.answers.files import roles_json, sample_json
from acompass.studio.asking import Ask, facts, records_of
from acompass.studio.body import Body
from acompass.studio.in_json import number
from acompass.studio.studio import Studio

#: the class of the report's style for the bars of a single table
_SERIES = "table"
_OTHER = "other"


def describe_table(studio: Studio, body: Body) -> dict[str, Any]:
    roles = roles_by_column(studio.roles)
    return {
        "columns": [_column(each, roles) for each in facts(studio, body)],
        "records": records_of(studio, body),
        "sample": sample_json(studio),
    }


def set_roles(studio: Studio, body: Body) -> dict[str, Any]:
    studio.roles = body.roles()
    return {"roles": roles_json(studio.roles), **list_templates(studio, body)}


def list_templates(studio: Studio, body: Body) -> dict[str, Any]:
    taken = parameters(Ask.of(studio, body).document) if body.has("text") else ()
    known = {each.name: each for each in facts(studio, body)}
    found = templates(studio.roles, None, taken, known)
    return {"templates": [_template(each) for each in found]}


def roles_by_column(roles: TableRoles) -> dict[str, str]:
    """Columns of no role are `other`."""
    return {
        **dict.fromkeys(roles.identifiers, "identifier"),
        **dict.fromkeys(roles.quasi_identifiers, "quasi-identifier"),
        **dict.fromkeys(roles.sensitive, "sensitive"),
    }


def _column(found: ColumnFacts, roles: dict[str, str]) -> dict[str, Any]:
    return {
        "name": found.name,
        "type": found.type,
        "missing": found.missing,
        "distinct": found.distinct,
        "summary": found.summary,
        "bars": [] if found.distribution is None else _bars(found.distribution),
        "role": roles.get(found.name, _OTHER),
    }


def _bars(distribution: Distribution) -> list[dict[str, Any]]:
    """The bars of the report; the last is for values that too few records share to be shown."""
    (total,), other = distribution.totals, Bar(_OTHER, distribution.other)
    shown = [*distribution.bars, *([other] if any(distribution.other) else [])]
    return [
        {"label": bar.label, "count": number(count), "bar": share_bar(count or 0, total, _SERIES)}
        for bar in shown
        for count in bar.counts
    ]


def _template(template: Template) -> dict[str, str]:
    return {"key": template.key, "title": template.title, "text": template.text, "why": template.why}
