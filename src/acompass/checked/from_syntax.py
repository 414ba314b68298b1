"""A tree and a table's schema to a checked program, or to all errors of the policy for that schema."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from acompass.checked import program
from acompass.checked.actions import check_action
from acompass.checked.conditions import check_condition
from acompass.checked.parameters import Parameters, ParamValue
from acompass.checked.results import check_result
from acompass.checked.scope import Scope
from acompass.checked.types import Schema
from acompass.diagnostics import Diagnostic, Span
from acompass.diagnostics.fixing import with_sound_fixes
from acompass.diagnostics.source import Source
from acompass.syntax import tree
from acompass.syntax.collection import without_collection
from acompass.syntax.format import format_requirement
from acompass.syntax.tree import place_of
from acompass.syntax.walk import assertion_of, step_of, steps, steps_of


@without_collection()
def check(
    policy: tree.Program,
    source: str,
    schema: Schema,
    params: Mapping[str, ParamValue] | None = None,
    *,
    may_be_released: bool = False,
) -> tuple[program.Program | None, tuple[Diagnostic, ...]]:
    """The checked program, or None if there are errors, and all errors in the order of the text.

    `source` is the text that the tree was parsed from; for a tree that was built in code it may be empty.
    `may_be_released` says that the table may be one that the policy has released (D32).
    """
    scope = Scope.start(schema, Parameters(params or {}))
    scope.folder, scope.hierarchies = policy.folder, policy.hierarchies
    scope.may_be_released = may_be_released
    lines = Source(source)
    checked = tuple(
        _requirement(index, requirement, lines, scope)
        for index, requirement in enumerate(steps(policy), start=1)
    )
    sound = tuple(requirement for requirement in checked if requirement is not None)
    if found := _errors(scope):
        comments = [comment.span for comment in policy.comments]
        return None, tuple(with_sound_fixes(error, source, comments) for error in found)
    assert len(sound) == len(checked), "a requirement failed without an error"
    return program.Program(schema, _with_texts(sound, policy), frozenset(scope.named)), ()


def _errors(scope: Scope) -> tuple[Diagnostic, ...]:
    in_order = sorted(scope.found, key=lambda error: error.labels[0].span.start)
    return (*map(_without_unknown_places, in_order), *scope.parameters.problems())


def _without_unknown_places(error: Diagnostic) -> Diagnostic:
    labels = tuple(label for label in error.labels if place_of(label.span) is not None)
    return error if len(labels) == len(error.labels) else replace(error, labels=labels)


def _requirement(
    index: int, requirement: tree.Requirement, source: Source, scope: Scope
) -> program.Requirement | None:
    before, found, scope.unjudged = scope.schema, len(scope.found), False
    assertion = _assertion(requirement.assertion, scope)
    judged = not scope.unjudged or len(scope.found) > found
    if not judged:
        assertion = _about_everybody(before, requirement.assertion.span)
    step = step_of(requirement)
    is_always = assertion_of(requirement) is None
    action = None if step is None else check_action(step, scope, always=is_always)
    if assertion is None or (action is None) != (step is None):
        return None
    line, text = _line_and_text(source, requirement)
    span = place_of(requirement.span)
    return program.Requirement(index, line, text, assertion, action, before, scope.schema, span, judged)


def _assertion(assertion: tree.Assertion | tree.Always, scope: Scope) -> program.Assertion | None:
    match assertion:
        case tree.Always():
            return _about_everybody(scope.schema, assertion.span)
        case tree.Assertion():
            return _asserted(assertion, scope)
        case _:
            assert_never(assertion)


def _about_everybody(schema: Schema, span: Span) -> program.Assertion:
    return program.Assertion(tree.Quantifier.EACH, program.Result(), program.NEVER, schema, place_of(span))


def _asserted(assertion: tree.Assertion, scope: Scope) -> program.Assertion | None:
    result, view = check_result(assertion.result, scope)
    condition = check_condition(assertion.condition, view, scope)
    if result is None or condition is None:
        return None
    schema = scope.schema if view.is_table else view.schema
    return program.Assertion(assertion.quantifier, result, condition, schema, place_of(assertion.span))


def _line_and_text(source: Source, requirement: tree.Requirement) -> tuple[int, str]:
    """A requirement's line and its text without the semicolon; `_with_texts` fills them in without a span.

    A later step of a THEN has its own line, and the assertion's text before its own (X10).
    """
    assertion, span = place_of(requirement.assertion.span), place_of(requirement.span)
    if span is None or assertion is None:
        return 0, ""
    line, _ = source.position(span.start)
    text = source.text[span.start : span.end].removesuffix(";").rstrip()
    if span.start > assertion.start:
        return line, f"{source.text[assertion.start : assertion.end]} : {text}"
    return line, text


def _with_texts(
    requirements: tuple[program.Requirement, ...], policy: tree.Program
) -> tuple[program.Requirement, ...]:
    """Give requirements without a span the line and text that they have in the formatted policy."""
    if all(requirement.span is not None for requirement in requirements):
        return requirements
    return tuple(
        requirement if requirement.span is not None else replace(requirement, line=line, text=text)
        for requirement, (line, text) in zip(requirements, _formatted(policy), strict=True)
    )


def _formatted(policy: tree.Program) -> Iterator[tuple[int, str]]:
    line = 1
    for requirement in policy.requirements:
        for at, step in enumerate(steps_of(requirement)):
            yield line + at, format_requirement(step).removesuffix(";")
        line += format_requirement(requirement).count("\n") + 2  # blocks are separated by an empty line
