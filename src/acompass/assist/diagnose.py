"""Everything that is wrong or probably wrong with a policy that someone is writing."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from acompass.assist.context import Context
from acompass.assist.document import Document
from acompass.assist.parameters import used_params
from acompass.checked.findings import unused_parameter
from acompass.checked.from_syntax import check
from acompass.checked.parameters import ParamValue
from acompass.checked.types import Schema, types_by_name
from acompass.diagnostics import CallError, Diagnostic, PolicyError, Severity, TableError
from acompass.lint import lint_policy
from acompass.policy import Policy
from acompass.prove.column_types import column_types
from acompass.session import Session


def diagnose(document: Document, context: Context, session: Session | None = None) -> tuple[Diagnostic, ...]:
    """Syntax errors; without any, what a run would refuse; without any, probable mistakes.

    With a session, the policy is checked against its table. Otherwise, against the context's schema, or
    without one against the types that the policy itself suggests.
    """
    policy = document.policy
    if policy is None:
        return document.syntax_errors
    if not policy.tree.requirements:
        return ()
    params = used_params(document, context.params)
    return (*_about(policy, params, context.schema, session), *_unused(context.params, params))


def _about(
    policy: Policy, params: Mapping[str, ParamValue], schema: Schema | None, session: Session | None
) -> tuple[Diagnostic, ...]:
    if session is not None:
        try:
            schema = session.checked(policy, params=params).schema
        except TableError as error:
            # the table cannot be read as the policy wants it, so that the policy is judged without it
            return (*error.diagnostics, *_refused(policy, params, _types_of_uses(policy, params)))
        except (PolicyError, CallError) as error:
            return error.diagnostics
    return _refused(policy, params, schema or _types_of_uses(policy, params)) or _mistakes(
        policy, params, schema, session
    )


def _types_of_uses(policy: Policy, params: Mapping[str, ParamValue]) -> Schema:
    return column_types(policy.tree, params).schema


def _refused(policy: Policy, params: Mapping[str, ParamValue], schema: Schema) -> tuple[Diagnostic, ...]:
    return check(policy.tree, policy.text, schema, params)[1]


def _mistakes(
    policy: Policy, params: Mapping[str, ParamValue], schema: Schema | None, session: Session | None
) -> tuple[Diagnostic, ...]:
    types = None if schema is None else types_by_name(schema)
    occurs = None if session is None else session.occurs
    return lint_policy(policy.tree, policy.text, types, params, occurs=occurs)


def _unused(given: Mapping[str, ParamValue], used: Mapping[str, ParamValue]) -> Iterator[Diagnostic]:
    """A warning: the line that uses the parameter may be the one that is being written."""
    for name in given:
        if name not in used:
            yield replace(unused_parameter(name), severity=Severity.WARNING)
