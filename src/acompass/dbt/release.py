"""What the Python model of `acompass dbt` calls: it performs the policy on a relation of dbt-duckdb."""

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from acompass import session
from acompass.checked.parameters import ParamValue
from acompass.diagnostics import AcompassError
from acompass.policy import Policy, parse
from acompass.report.words import counted
from acompass.result import RequirementOutcome

#: the environment variable with the seed of RANDOM: dbt writes everything else into its artefacts (D20)
SEED = "ACOMPASS_SEED"


class NotReleased(Exception):
    """The model has no table. The message has no value of a record: dbt logs it."""


def release(
    table: Any,
    text: str,
    name: str,
    hierarchies: Mapping[str, str],
    params: Mapping[str, ParamValue],
    reading: Mapping[str, Any],
) -> Any:
    """The table that the policy leaves, as Arrow. A violated check without an action raises, so that dbt
    keeps the table of an earlier run."""
    try:
        policy = _policy(text, name, hierarchies)
        with session.open(_arrow(table), **reading) as opened:
            result = opened.run(policy, params=params, seed=os.environ.get(SEED) or None)
    except AcompassError as error:
        raise NotReleased(str(error)) from None
    except Exception as error:  # its text may have a value of a record
        raise NotReleased(f"internal error: {type(error).__name__}") from None
    violated = [each for each in result.requirements if each.is_violated and each.action is None]
    if violated:
        raise NotReleased("\n".join(["nothing is released", *map(_violated, violated)]))
    return result.table


def _policy(text: str, name: str, hierarchies: Mapping[str, str]) -> Policy:
    policy = parse(text, name)
    contents = {file: content.encode() for file, content in hierarchies.items()}
    return replace(policy, tree=replace(policy.tree, hierarchies=contents))


def _arrow(relation: Any) -> Any:
    """A relation of dbt's connection cannot be read on another one; its Arrow table can."""
    return relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation


def _violated(outcome: RequirementOutcome) -> str:
    return f"line {outcome.line} is violated: {counted(outcome.affected, 'record')} of {outcome.records:,}"
