"""`release`, which the Python model that `acompass dbt` writes calls to perform the policy on a relation of dbt-duckdb.

Generated files in users' projects import it, so its name, its parameters and both import paths are fixed:
`acompass.dbt`, and `acompass.dbt.release` in models of earlier versions."""

import sys
from collections.abc import Mapping
from typing import Any

from acompass import session
from acompass.dataclasses import replace
from acompass.errors.diagnostics import AcompassError
from acompass.errors.display import count_text
from acompass.language.program.constants import ParamValue
from acompass.policy import parse
from acompass.prove.promises import BROKEN


class NotReleased(Exception):
    """The model returns no table. dbt logs the message, so it contains no record value."""


def release(
    table: Any,
    text: str,
    name: str,
    hierarchies: Mapping[str, str],
    params: Mapping[str, ParamValue],
    reading: Mapping[str, Any],
) -> Any:
    """Return the table that the policy releases, as Arrow.

    Raise if a requirement without an action is violated, or an assertion does not hold for the table to return, so
    that dbt keeps the table of an earlier run.
    """
    try:
        policy = parse(text, name)
        contents = {file: content.encode() for file, content in hierarchies.items()}
        policy = replace(policy, tree=replace(policy.tree, hierarchies=contents))
        # another connection cannot read a relation of dbt's connection
        arrow = table.to_arrow_table() if hasattr(table, "to_arrow_table") else table
        with session.open(arrow, **reading) as opened:
            # the seed is in ACOMPASS_SEED, the key in ACOMPASS_KEY: dbt writes all else to its artifacts (D20)
            result = opened.run(policy, params=params)
    except AcompassError as error:
        raise NotReleased(str(error)) from None
    except Exception as error:  # its message may contain record values
        raise NotReleased(f"internal error: {type(error).__name__}") from None
    violated = [
        f"line {each.line} is violated: {count_text(each.affected, 'record')} of {each.records:,}"
        for each in result.requirements
        if each.is_failed_check
    ]
    broken = [f"line {line} does not hold for the table that would be released ({BROKEN})" for line in result.broken]
    if not result.ok:
        raise NotReleased("\n".join(["nothing is released", *violated, *broken]))
    return result.table


# `acompass.dbt` was once a package: models that earlier versions wrote run `from acompass.dbt.release import release`
sys.modules[f"{__name__}.release"] = sys.modules[__name__]
