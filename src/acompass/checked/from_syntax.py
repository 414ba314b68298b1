"""A tree and a table's schema to a checked program, or to everything that is wrong with the policy for it."""

from collections.abc import Mapping

from acompass.checked import program
from acompass.checked.actions import check_action
from acompass.checked.conditions import check_condition
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.results import check_result
from acompass.checked.scope import Scope
from acompass.checked.types import Schema
from acompass.diagnostics import Diagnostic
from acompass.diagnostics.fixing import with_sound_fixes
from acompass.diagnostics.source import Source
from acompass.syntax import tree
from acompass.syntax.collection import without_collection


@without_collection()
def check(
    policy: tree.Program, source: str, schema: Schema, params: Mapping[str, ParamValue] | None = None
) -> tuple[program.Program | None, tuple[Diagnostic, ...]]:
    """The checked program, None if there is an error, and every finding in order of place."""
    scope = Scope.start(schema, Parameters(params or {}))
    lines = Source(source)
    requirements = tuple(
        _requirement(index, requirement, lines, scope)
        for index, requirement in enumerate(policy.requirements, start=1)
    )
    sound = tuple(requirement for requirement in requirements if requirement is not None)
    found = (*sorted(scope.found, key=_place), *scope.parameters.problems())
    if found:
        comments = [comment.span for comment in policy.comments]
        return None, tuple(with_sound_fixes(finding, source, comments) for finding in found)
    assert len(sound) == len(requirements), "a requirement failed without a finding"
    return program.Program(schema, sound, frozenset(scope.named)), ()


def _place(finding: Diagnostic) -> int:
    return finding.labels[0].span.start


def _requirement(
    index: int, requirement: tree.Requirement, source: Source, scope: Scope
) -> program.Requirement | None:
    before = scope.schema
    assertion = _assertion(requirement.assertion, scope)
    action = None if requirement.action is None else check_action(requirement.action, scope)
    if assertion is None or (action is None) != (requirement.action is None):
        return None
    span = requirement.span
    line, _ = source.position(span.start)
    text = source.text[span.start : span.end].removesuffix(";").rstrip()
    return program.Requirement(index, line, text, assertion, action, before, scope.schema)


def _assertion(assertion: tree.Assertion, scope: Scope) -> program.Assertion | None:
    result, view = check_result(assertion.result, scope)
    condition = check_condition(assertion.condition, view, scope)
    if result is None or condition is None:
        return None
    return program.Assertion(assertion.quantifier, result, condition)
