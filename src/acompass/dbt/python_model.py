"""The text of the Python model that performs a policy in dbt-duckdb, and of its properties."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from acompass.checked.parameters import ParamValue
from acompass.dbt.marks import Mark
from acompass.dbt.relations import Relation
from acompass.dbt.variables import Variable

#: where the properties of the model have the values of variables
META = "acompass"

_MODEL = """\
# Edit the policy, not this file, and write it again. The policy's text and hierarchies are here, so that this
# model and the tests are of one version. The seed of RANDOM, a secret, is in the environment: ACOMPASS_SEED.
from decimal import Decimal  # noqa: F401

from acompass.dbt.release import release

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
    """What the model needs to perform the policy; `reading` are arguments of `acompass.run`."""

    name: str
    text: str
    hierarchies: Mapping[str, str]
    params: Mapping[str, ParamValue]
    reading: Mapping[str, Any]


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
    """The names are identifiers or words of a policy, so that none means anything to Jinja."""
    description = f'"What the policy {mark.policy} leaves of its table."'
    lines = ["version: 2", "models:", f"  - name: {released}", f"    description: {description}"]
    if variables:
        lines += ["    config:", "      meta:", f"        {META}:"]
        lines += [
            f"          {json.dumps(each.parameter)}: \"{{{{ var('{each.name}', {each.value}) }}}}\""
            for each in variables
        ]
    return mark.line("#") + "\n".join(lines) + "\n"


def _lines(text: str) -> str:
    """A text as Python, each of its lines on a line."""
    lines = text.splitlines(keepends=True)
    return "(\n" + "".join(f"    {_literal(line)}\n" for line in lines) + ")"


def _literal(value: Any) -> str:
    """A value as Python. dbt renders Python models as templates, too, and refuses those that have Jinja in
    them, so no text has a brace."""
    if isinstance(value, str):
        return ascii(value).replace("{", r"\x7b")
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_literal(k)}: {_literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "(" + "".join(f"{_literal(each)}, " for each in value) + ")"
    return repr(value)
