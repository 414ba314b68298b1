"""Generate the text of the files: singular tests, which are SQL templates, and the Python model with its properties."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from acompass.author.dbt.relations import Mark, Relation, Variable
from acompass.dataclasses import dataclass
from acompass.language.program.constants import ParamValue
from acompass.language.text.tokens import policy_line
from acompass.plan.run.statements import TABLE, AssertedRequirement, FailingRows

_ABOUT = "edit the policy, not this file, and generate it again"
_PRIVATE = "a row has the number of failing records, and no record value"
_SHOWN = "--show-records: the rows are personal data, and so is the table of `dbt test --store-failures`"


@dataclass(frozen=True, slots=True)
class CommonParts:
    """The parts that all tests of a call share."""

    policy: str  # its text
    mark: Mark
    relation: Relation
    variables: Sequence[Variable]
    shows_records: bool


def assertion_text(common: CommonParts, asserted: AssertedRequirement, rows: FailingRows) -> str:
    requirement = asserted.requirement
    place = requirement.assertion.span
    text = requirement.text if place is None else common.policy[place.start : place.end]
    return _text(common, f"line {requirement.line}: {policy_line(text)}", rows)


def columns_text(common: CommonParts, rows: FailingRows) -> str:
    return _text(common, "the policy's columns have no missing values, and values of these types", rows)


def names_by_line(prefix: str, tests: Sequence[AssertedRequirement]) -> Iterator[str]:
    """Name tests by their lines; from the second test of a line on, add a number."""
    seen: dict[int, int] = {}
    for asserted in tests:
        line = asserted.requirement.line
        seen[line] = seen.get(line, 0) + 1
        yield f"{prefix}_line_{line}" + (f"_{seen[line]}" if seen[line] > 1 else "")


def _text(common: CommonParts, about: str, rows: FailingRows) -> str:
    used = [each for each in common.variables if each.mark in rows.query]
    query = escape_jinja(rows.query)
    for variable in used:
        query = query.replace(variable.mark, f"{{{{ {variable.local} }}}}")
    lines = (about, _SHOWN if common.shows_records else _PRIVATE)
    return (
        common.mark.line("--")
        + f"-- {_ABOUT}\n"
        + "".join(f"-- {escape_jinja(line)}\n" for line in lines)
        + "".join(each.declaration for each in used)
        + f"WITH {TABLE} AS (\n{escape_jinja(rows.reading)}\nFROM {common.relation.jinja}\n)\n"
        + f"{query}\n"
    )


_OPENING = re.compile(r"\{(?=[{%#])")


def escape_jinja(text: str) -> str:
    """Escape each brace that could open an expression, a statement or a comment, by an expression that renders it."""
    return _OPENING.sub("{{ '{' }}", text)


#: the key of the variables' values in the model's properties
META = "acompass"

_MODEL = """\
# Edit the policy, not this file, and generate it again. The policy's text and hierarchies are embedded, so that this
# model and the tests have the same version. RANDOM's secret seed is in the environment variable ACOMPASS_SEED.
from decimal import Decimal  # noqa: F401

from acompass.dbt import release

NAME = {name}
POLICY = {policy}
HIERARCHIES = {hierarchies}
PARAMS = {params}
READING = {reading}


def model(dbt, session):
    dbt.config(materialized="table")
    params = {set_params}
    return release({model}, POLICY, NAME, HIERARCHIES, params, READING)
"""


@dataclass(frozen=True, slots=True)
class Embedded:
    """The policy and settings that the Python model contains."""

    name: str
    text: str
    hierarchies: Mapping[str, str]
    params: Mapping[str, ParamValue]
    reading: Mapping[str, Any]  # arguments of `acompass.run`


def model_text(mark: Mark, model: Relation, policy: Embedded, variables: Sequence[Variable]) -> str:
    meta = f'PARAMS | dbt.config.get("meta")["{META}"]' if variables else "PARAMS"
    return mark.line("#") + _MODEL.format(
        name=_literal(policy.name),
        policy=_lines(policy.text),
        hierarchies=_literal(dict(policy.hierarchies)),
        params=_literal(dict(policy.params)),
        reading=_literal(dict(policy.reading)),
        set_params=meta,
        model=model.python,
    )


def properties_text(mark: Mark, released: str, variables: Sequence[Variable]) -> str:
    """All names are identifiers or words of a policy, without special characters of Jinja."""
    description = f'"The table that the policy {mark.policy} releases."'
    lines = ["version: 2", "models:", f"  - name: {released}", f"    description: {description}"]
    if variables:
        lines += ["    config:", "      meta:", f"        {META}:"]
        lines += [
            f"          {json.dumps(each.parameter)}: \"{{{{ var('{each.name}', {each.value}) }}}}\""
            for each in variables
        ]
    return mark.line("#") + "\n".join(lines) + "\n"


def _lines(text: str) -> str:
    """Write a text as Python source, with one string per line."""
    lines = text.splitlines(keepends=True)
    return "(\n" + "".join(f"    {_literal(line)}\n" for line in lines) + ")"


def _literal(value: Any) -> str:
    """Write a value as Python source. Strings have no braces: dbt renders Python models as templates, and rejects Jinja
    in them."""
    if isinstance(value, str):
        return ascii(value).replace("{", r"\x7b")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + "".join(f"{_literal(each)}, " for each in value) + ")"
    return repr(value)
