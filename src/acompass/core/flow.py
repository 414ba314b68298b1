"""From a policy to its text in the core, with the values of a table where the maps need them."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from acompass import pipeline
from acompass.checked.parameters import ParamValue
from acompass.core.labels import Values
from acompass.core.rewrite import core_steps, generalizes, refusals
from acompass.core.text import core_text
from acompass.diagnostics import Diagnostic, PolicyError
from acompass.engines.connect import connect
from acompass.options import Options
from acompass.pipeline import Call
from acompass.plan.running.column_texts import distinct_texts
from acompass.policy import Policy
from acompass.prove.inferred_schema import inferred_schema


def core_policy(policy: Policy, table: Any, params: Mapping[str, ParamValue], options: Options) -> str:
    """The policy in the core. Raise PolicyError with the places where that cannot be done, and why."""
    refused = refusals(policy.tree)
    if refused:
        raise PolicyError(refused, policy.text, policy.name)
    if not generalizes(policy.tree):
        return _text(policy, None)
    with _values(policy, table, params, options) as values:
        return _text(policy, values)


def _text(policy: Policy, values: Values | None) -> str:
    steps = list(core_steps(policy.tree, values))
    refused = [each for each in steps if isinstance(each, Diagnostic)]
    if refused:
        raise PolicyError(refused, policy.text, policy.name)
    return core_text(policy.tree, [each for each in steps if not isinstance(each, Diagnostic)])


@contextmanager
def _values(
    policy: Policy, table: Any, params: Mapping[str, ParamValue], options: Options
) -> Iterator[Values]:
    if table is None:
        schema = inferred_schema(policy.tree, params)
        yield Values(pipeline.checked(policy, schema, params), None)
        return
    call = Call(policy, params, options.missing, options.dates)
    with (
        connect(table, options).open(table, options) as source,
        pipeline.loaded_for(source, call) as (loaded, program),
    ):
        yield Values(program, cache(partial(distinct_texts, loaded.session, loaded.state)))
